package io.muster.cli.rset;

import io.muster.inventory.idset.Idset;
import java.io.ByteArrayInputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/** Reads the XML of hwloc, as {@code lstopo --of xml} writes it, in the form of hwloc 1 or 2. */
final class HwlocXml {
    /** An object of a topology, such as a package or a PCI device. */
    static final class Item {
        final String type;
        final @Nullable Item parent;
        /** The hardware threads of the object that may be used; none for a device. */
        final Idset cpus;

        final long memory;
        final List<Item> inner = new ArrayList<>();
        final Map<String, String> infos = new HashMap<>();

        Item(String type, @Nullable Item parent, Idset cpus, long memory) {
            this.type = type;
            this.parent = parent;
            this.cpus = cpus;
            this.memory = memory;
        }
    }

    private static final int MOST_OBJECTS = 1_000_000;
    private static final int MOST_LEVELS = 200;
    private static final int MOST_CPUS = 1 << 20;
    private static final int WORD = 32;

    private final XMLStreamReader xml;
    private final List<Item> items = new ArrayList<>();
    private final Deque<Item> open = new ArrayDeque<>();
    private long memory;
    private Idset allowed = Idset.range(0, MOST_CPUS - 1);

    private HwlocXml(XMLStreamReader xml) {
        this.xml = xml;
    }

    /**
     * Returns all objects in the order of the document; the first is the machine.
     *
     * @throws IllegalArgumentException with line and column of the fault
     */
    static List<Item> read(byte[] document) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        // This class counts the levels itself. JDK 25 has a lower limit, whose message does not help the user.
        factory.setProperty("jdk.xml.maxElementDepth", 0);
        try {
            HwlocXml reader = new HwlocXml(factory.createXMLStreamReader(new ByteArrayInputStream(document)));
            reader.document();
            return reader.items;
        } catch (XMLStreamException e) {
            String sentence = String.valueOf(e.getMessage()).replaceAll("(?s)^ParseError at .*?\nMessage: ", "");
            throw fault(
                    e.getLocation(),
                    "is not XML: " + sentence.lines().findFirst().orElse(""));
        }
    }

    private static IllegalArgumentException fault(@Nullable Location at, String sentence) {
        String place = at == null ? "" : "line " + at.getLineNumber() + ", column " + at.getColumnNumber() + ": ";
        return new IllegalArgumentException(place + sentence);
    }

    private void document() throws XMLStreamException {
        boolean any = false;
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamConstants.ENTITY_REFERENCE) {
                throw fault(xml.getLocation(), "has the entity " + xml.getLocalName() + "; hwloc writes none");
            } else if (event == XMLStreamConstants.START_ELEMENT) {
                if (!any && !xml.getLocalName().equals("topology")) {
                    throw fault(xml.getLocation(), "is not from hwloc: the outermost element is " + xml.getLocalName());
                }
                any = true;
                start();
            } else if (event == XMLStreamConstants.END_ELEMENT
                    && xml.getLocalName().equals("object")) {
                open.pop();
            }
        }
        if (items.isEmpty()) {
            throw fault(xml.getLocation(), "has no machine");
        }
    }

    private void start() {
        Item in = open.peek();
        if (xml.getLocalName().equals("info") && in != null) {
            in.infos.putIfAbsent(attribute("name"), attribute("value"));
        } else if (xml.getLocalName().equals("object")) {
            if (items.size() >= MOST_OBJECTS || open.size() >= MOST_LEVELS || (in == null && !items.isEmpty())) {
                String sentence = in == null
                        ? "has a second machine"
                        : "has more than " + MOST_OBJECTS + " objects or " + MOST_LEVELS + " levels";
                throw fault(xml.getLocation(), sentence);
            }
            if (in == null && !attribute("allowed_cpuset").isEmpty()) {
                allowed = cpus(attribute("allowed_cpuset"));
            }
            Item item = new Item(
                    attribute("type"), in, cpus(attribute("cpuset")).intersect(allowed), number("local_memory"));
            items.add(item);
            open.push(item);
            count(item);
            if (in != null) {
                in.inner.add(item);
            }
        }
    }

    /** Refuses memory sizes whose sum exceeds a long, so that no partial sum overflows later. */
    private void count(Item item) {
        try {
            memory = item.type.equals("NUMANode") ? Math.addExact(memory, item.memory) : memory;
        } catch (ArithmeticException e) {
            throw fault(
                    xml.getLocation(), "the NUMA nodes have more than " + Long.MAX_VALUE + " bytes of memory in all");
        }
    }

    private String attribute(String name) {
        String value = xml.getAttributeValue(null, name);
        return value == null ? "" : value;
    }

    private long number(String name) {
        String value = attribute(name);
        try {
            long number = value.isEmpty() ? 0 : Long.parseLong(value);
            if (number >= 0) {
                return number;
            }
            throw fault(xml.getLocation(), name + " is negative: " + number);
        } catch (NumberFormatException e) {
            throw fault(xml.getLocation(), name + " is not a number: \"" + value + "\"");
        }
    }

    /**
     * Returns the set that hwloc writes as words of 32 bits, the highest first: {@code 0x1,,0x000000ff}. A first word {@code
     * 0xf...f} stands for all higher bits.
     */
    private Idset cpus(String text) {
        String[] words = text.split(",", MOST_CPUS / WORD + 2);
        Idset.Builder cpus = Idset.builder();
        int base = 0;
        for (int i = words.length - 1; i >= 0; i--, base += WORD) {
            if (words[i].equals("0xf...f") && i == 0) {
                cpus.addRange(base, MOST_CPUS - 1);
            } else if (!words[i].isEmpty()) {
                long word = base < MOST_CPUS && words[i].matches("0x[0-9a-f]{1,8}") ? Long.decode(words[i]) : -1;
                if (word < 0) {
                    throw fault(
                            xml.getLocation(), "cpuset has the word \"" + words[i] + "\", which hwloc does not write");
                }
                for (int bit = 0; bit < WORD; bit++) {
                    if (((word >> bit) & 1) == 1) {
                        cpus.add(base + bit);
                    }
                }
            }
        }
        return cpus.build();
    }
}
