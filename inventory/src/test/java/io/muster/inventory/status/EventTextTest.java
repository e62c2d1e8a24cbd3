package io.muster.inventory.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.inventory.axis.Times;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'name':'drain','context':{'idset':'1','nodelist':'n1','reason':'a b','overwrite':0,'holder':'admin','userid':0,'user':'root','pid':3}}"
                        + "|drain n1 (rank 1) reason=\"a b\" holder=admin by root",
                "{'name':'undrain','context':{'idset':'1-2','nodelist':'n[1-2]','overwrite':2,'holder':'*','user':'ada'}}"
                        + "|undrain n[1-2] (ranks 1-2) for all holders by ada",
                "{'name':'resource-update','context':{'expiration':0}}|resource-update expiration=never",
                "{'name':'drain','context':{'until':1795226327.0}}|drain until=2026-11-21T01:58:47Z",
                "{'name':'property-add','context':{'properties':{'p':'1'}}}|property-add properties={\"p\":\"1\"}",
                "{'name':'resource-define','context':{'method':'reload','R':{},'initial':'online'}}|resource-define method=reload",
                "{'name':'exclude','context':{'idset':'1','kind':'admin','user':'ada'}}|exclude (rank 1) by ada",
                "{'name':'exclude','context':{'idset':'1','kind':'config'}}|exclude (rank 1) by the configuration",
                "{'name':'truncate'}|truncate"
            })
    void anEventIsOneLineWithHostsFirst(String json, String line) throws Exception {
        assertThat(EventText.of(new JsonMapper().readTree(json.replace('\'', '"')), Times::second))
                .isEqualTo(line);
    }
}
