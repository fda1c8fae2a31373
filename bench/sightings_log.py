"""What can have been seen, worked out from the wire's log alone: each contact of each run with its answer, and the seeds of the world. Used by `sightings` beside
it. Nothing here knows what the world's text says or what any program makes of it: the newest answer about a thing says whether it is there, and a thing counts
only where newest answers lead to it from a seed."""
import json, re

WEB = {80: "http", 443: "https"}
LINK = re.compile(r'href="https?://([^/"]+)')
CERTIFICATE = re.compile(r"certificate (\S+) of (.+) for (.*) from (\S+) to (\S+)")
# What a file is told by that should not be public: the issue, and the beginning of a line of it.
FILES = {"/.git/HEAD": ("exposed_version_control", "ref: refs/"), "/.env": ("exposed_environment_file", "APP_ENV=")}


class Log:
    """The logs of one world's runs, one after another."""

    def __init__(self, seeds):
        self.seeds = seeds
        # The newest answers: addresses by name, name servers by zone, knocks by address and port, certificates and pages by place.
        self.resolved, self.servers, self.knocks, self.datagrams = {}, {}, {}, {}
        self.certificates, self.pages, self.redis = {}, {}, {}
        # (moment, entities, issues) whenever one of them changed, of the run at hand; it begins with what was there before.
        self.course, self.answered = [("", frozenset(("Domain", seed) for seed in seeds), frozenset())], {}

    def read(self, lines):
        """Takes in the log of the next run."""
        self.course, self.answered = self.course[-1:], {}
        for line in lines:
            line = json.loads(line)
            if self.note(line):
                now = (line["at"], frozenset(self.entities()), frozenset(self.issues(line["date"])))
                if now[1:] != self.course[-1][1:]:
                    self.course.append(now)

    def note(self, line):
        """Whether an answer says something else than the one before."""
        asked, answer, at = line["asked"], line["answer"], line["at"]
        place, name = (line["address"], line["port"]), line["name"]
        if asked.startswith("dns "):
            return self.note_dns(asked[4:], name, answer, at) | self.note_datagram(line, place)
        if asked == "connect":
            if answer == "open":
                self.sees(("NetworkService", service(place, "tcp")), at)
            return self.put(self.knocks, place, answer == "open")
        if asked == "tls":
            found = CERTIFICATE.match(answer)
            # Under whichever name it is shown.
            for shown in found[3].split()[:1] if found else ():
                self.sees(("certificate", shown), at)
            return self.put(self.certificates, (place, name), found and (found[2], tuple(found[3].split()), found[5]))
        if asked.startswith(("GET ", "HEAD ")) and place[1] in WEB:
            self.sees(("Uri", f"{WEB[place[1]]}://{name}:{place[1]}"), at)
            method, path = asked.split(" ", 1)
            return method == "GET" and self.note_page((place, name), path, answer, at)
        if place[1] == 6379 and asked:
            return self.put(self.redis, place, self.redis.get(place, False) and not answer.startswith("-NOAUTH") or answer.startswith("+PONG"))
        return self.note_datagram(line, place)

    def note_dns(self, kind, name, answer, at):
        code, *records = answer.split("; ")
        values = {record.split(" ")[-1] for record in records if record.split(" ")[1] == kind}
        if code not in ("NOERROR", "NXDOMAIN"):
            return False
        if kind == "NS":
            for value in values:
                self.sees(("Nameserver", value), at)
            return bool(values) and self.put(self.servers, name, frozenset(values))
        if kind != "A":
            return code == "NXDOMAIN" and self.put(self.resolved, name, frozenset())
        if values:
            self.sees((self.kind(name), name), at)
            for value in values:
                self.sees(("IpAddress", value), at)
        return self.put(self.resolved, name, frozenset(values))

    def note_datagram(self, line, place):
        if line["transport"] != "udp":
            return False
        answers = line["answer"] not in ("silent", "refused")
        if answers:
            self.sees(("NetworkService", service(place, "udp")), line["at"])
        return self.put(self.datagrams, place, answers)

    def note_page(self, place, path, answer, at):
        head, _, body = answer.partition("\n")
        if path == "/":
            links = frozenset(LINK.findall(body))
            for name in links:
                self.sees((self.kind(name), name), at)
                self.sees(("Domain", registrable(name)), at)
            return self.put(self.pages, (place, path), (head.startswith("30"), links))
        return path in FILES and self.put(self.pages, (place, path), head.startswith("200") and FILES[path][1] in body)

    @staticmethod
    def put(values, key, value):
        # Most of what is asked was never there.
        if not value and key not in values:
            return False
        moved = values.get(key) != value
        values[key] = value
        return moved

    def sees(self, thing, at):
        self.answered.setdefault(thing, at)

    def kind(self, name):
        return "Domain" if name == registrable(name) else "DnsRecord"

    def ours(self, name):
        return any(name == seed or name.endswith("." + seed) for seed in self.seeds)

    def names(self):
        """Names of ours that have an address, with their addresses."""
        return {name: addresses for name, addresses in self.resolved.items() if self.ours(name) and addresses}

    def sites(self):
        """Scheme, host, address and port of every site that answers."""
        names = self.names()
        reached = {address for addresses in names.values() for address in addresses}
        for (place, host), path in self.pages:
            there = host in reached and host == place[0] or place[0] in names.get(host, ())
            if path == "/" and there and self.knocks.get(place):
                yield WEB[place[1]], host, place

    def entities(self):
        """Kind and name of everything that is there."""
        names = self.names()
        found = {("Domain", seed) for seed in self.seeds} | {(self.kind(name), name) for name in names}
        found |= {("Nameserver", server) for zone, servers in self.servers.items() if zone in self.seeds for server in servers}
        reached = {address for addresses in names.values() for address in addresses}
        found |= {("IpAddress", address) for address in reached}
        found |= {("NetworkService", service(place, "tcp")) for place, is_open in self.knocks.items() if is_open and place[0] in reached}
        found |= {("NetworkService", service(place, "udp")) for place, answers in self.datagrams.items() if answers and place[0] in reached}
        for scheme, host, place in self.sites():
            found.add(("Uri", f"{scheme}://{host}:{place[1]}"))
            for name in self.pages[(place, host), "/"][1]:
                found |= {(self.kind(name), name), ("Domain", registrable(name))}
        return found

    def issues(self, date):
        """Name and place of the issues that the answers show: of a certificate the name that it is for."""
        found = set()
        for scheme, host, place in self.sites():
            # A site that sends everybody on has no files any more.
            for path, (issue, _) in FILES.items():
                if self.pages.get(((place, host), path)) and not self.pages[(place, host), "/"][0]:
                    found.add((issue, f"{scheme}://{host}:{place[1]}"))
            issuer, names, ends = scheme == "https" and self.certificates.get((place, host)) or (None, (), None)
            if host in names and issuer in names:
                found.add(("self_signed_certificate", host))
            if host in names and ends < date:
                found.add(("invalid_certificate_expired", host))
        services = {name for kind, name in self.entities() if kind == "NetworkService"}
        return found | {("open_redis_service", service(place, "tcp")) for place, is_open in self.redis.items() if is_open and service(place, "tcp") in services}

    def now(self, noun):
        """What is there when the run has ended."""
        return self.course[-1][1 if noun == "entities" else 2]


def service(place, transport):
    return f"{place[0]}:{place[1]}/{transport}"


def registrable(name):
    return ".".join(name.split(".")[-2:])
