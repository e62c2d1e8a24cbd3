import re


class Hostlist:
    """Hostlists of RFC 29 with one bracket group in each name."""

    def __init__(self, arg=""):
        self.names = []
        for part in [arg] if isinstance(arg, str) else arg:
            for name in re.findall(r"[^,\[]+(?:\[[^\]]*\])?[^,\[]*", part):
                prefix, bracket, rest = name.partition("[")
                ids, _, suffix = rest.partition("]")
                for one in ids.split(",") if bracket else [None]:
                    first, _, last = (one or "").partition("-")
                    last = last or first
                    numbers = range(int(first), int(last) + 1) if bracket else [""]
                    self.names += [f"{prefix}{str(n).zfill(len(first)) if bracket else ''}{suffix}" for n in numbers]

    def __iter__(self):
        return iter(self.names)

    def encode(self):
        return ",".join(self.names)
