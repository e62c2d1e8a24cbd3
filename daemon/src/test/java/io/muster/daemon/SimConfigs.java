package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The configurations of the simulated daemons: one R, and others that renumber its ranks, lose hosts, gain hosts and change properties. */
final class SimConfigs {
    private static final String[] HOSTS = {
        "node[0-15]", "node[0-15]", "node[8-15,0-7]", "node[0-11]", "node[3-16]", "node[0-20]"
    };

    private final List<Config> exclusive = new ArrayList<>();
    private final List<Config> shared = new ArrayList<>();

    SimConfigs(Path directory) throws Exception {
        for (String hosts : HOSTS) {
            exclusive.add(load(directory, exclusive.size(), hosts, "exclusive"));
            shared.add(load(directory, shared.size(), hosts, "shared"));
        }
    }

    private static Config load(Path directory, int number, String hosts, String acquire) throws Exception {
        String properties = number == 1 ? "properties = [\"p1\", \"p7\"]\n" : "";
        Path file = Files.writeString(
                directory.resolve(acquire + number + ".toml"),
                "[[resource.config]]\nhosts = \"" + hosts + "\"\ncores = \"0-3\"\n" + properties
                        + "[muster]\nsocket = \""
                        + directory + "/muster.sock\"\nstate-dir = \"" + directory + "/state\"\nmetrics = \"off\"\n"
                        + "reload-drop = 1\nsnapshot-every = 60\nhistory-size = 0\nacquire = \"" + acquire + "\"\n"
                        + SimRobot.CONFIG + SimPolicies.config());
        return Config.load(file, new Environment(Map.of(), 1000, directory, "host7", 4));
    }

    /** @param share whether several schedulers may acquire at a time */
    List<Config> of(boolean share) {
        return share ? shared : exclusive;
    }
}
