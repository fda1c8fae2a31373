"""Which contacts may be made: the rules of scope once more, naively, from the text of a world that says what is true. Used by `scope` beside it.

The verdict on a contact is an upper bound: it forbids only what no sound reading of the rules allows. How the rules are read here:

* Names. A name at or below a seed has all levels. Below a zone that was handed to somebody else it has at most L2 (what a browser does), whoever logs
  certificates for it. A domain that is ours and in which no seed lies has L2 when it is first found, all levels later. Every other name, however it came up
  (link, redirect, pointer, certificate, mail, name server, SPF), has L1: it may be looked up through the resolvers, and nothing else.
* A site as a seed is that site: what stands on its port under its name has all levels, its name or address has L2 elsewhere.
* Addresses. Sweeps, probes and whatever names no name need L3 on the address, and that needs positive evidence: a seed (itself or a block around it), the
  narrowest block registered to us, a forward-confirmed reverse name in our domains, or a certificate of our domains alone that it serves to who names
  nobody, where a name of ours leads to it; none of the last two at a content network. That only our names are known to lead there is no evidence. Which
  network is a content network a registry says: where exclusions keep every run from asking one, the reverse name counts; the certificate is not asked for.
* Web ports of somebody else's address (80, 443, or the port of a URL that a page states for that very name) may be asked as a browser does, under a name
  of L2 that leads there now. What no browser asks unasked (paths of exposures) is a probe. To see the default certificate, TLS may be spoken without a name
  where such a name leads by addresses, not by an alias.
* Aliases. A name of ours that leads to another's by CNAME may be asked for as itself on web ports (that is how a takeover is seen); the other name may not.
* Name servers of a zone of L2 may be asked what is in it; for all of it (AXFR) the zone needs L3.
* A delegation to the very servers of the zone above cannot be told from a zone of theirs.
* The default certificate that shows an address to be theirs is asked for as loudly as a page: until the answer is there, pages are asked for by what an earlier
  run was shown; whatever is louder waits for it.
* Where an exclusion keeps a run from asking who registered a block, what an earlier run was told of that stands.
* Exclusions and what a person denied come before everything and hold for names (SNI, Host, DNS question) and addresses, data providers and those that
  they send on to included; only the operator's resolvers are exempt. A denied domain covers the names below, a denied block its addresses; any other
  denied or excluded name is that name alone. What a person allows has all levels, also where the same entity is denied. Reserved addresses are contacted
  only where a seed names them.
"""
import functools, ipaddress, re, shlex, urllib.parse

RESOLVERS = {"198.19.0.1", "198.19.0.2"}
SOURCES = ipaddress.ip_network("198.19.0.0/24")
# Who is asked for the registration of a block: by RDAP, and by WHOIS where that fails.
REGISTRIES = [[("rdap.org", "198.19.0.11"), ("data.iana.org", "198.19.0.12"), ("rdap-registry.example", "198.19.0.14")],
              [("whois.iana.org", "198.19.0.13"), ("whois.rdap-registry.example", "198.19.0.15")]]
RESERVED = [ipaddress.ip_network(net) for net in """0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16
224.0.0.0/4 240.0.0.0/4 ::/128 ::1/128 fc00::/7 fe80::/10 ff00::/8""".split()]
LEVELS = {"passive": 1, "polite": 2, "normal": 3, "intensive": 4}
CONTENT_NETWORKS = {"CLOUDFLARENET", "FASTLY", "AKAMAI"}
PROBES = re.compile(r"/(\.git|\.env|files/|server-status|openapi\.json|graphql|actuator|phpinfo\.php|backup\.zip|metrics|install\.php|phpmyadmin|wp-json|script\b|_cat/)")


def words(line):
    return shlex.split(line, comments=True)


def address(text):
    """As it is dialled: an IPv4 address in IPv6 clothes is that IPv4 address."""
    parsed = ipaddress.ip_address(text)
    return getattr(parsed, "ipv4_mapped", None) or parsed


def is_reserved(parsed):
    """Of an address that carries another (RFC 6052, 8215, 3056, 4380), the other counts, too."""
    carried = [parsed]
    if parsed.version == 6:
        translated = any(parsed in ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48"))
        carried += [ipaddress.IPv4Address(int(parsed) & 0xffffffff)] * translated + [parsed.sixtofour] + list(parsed.teredo or [])
    return any(part in net for part in carried if part for net in RESERVED if net.version == part.version)


def below(name, parent):
    return name == parent or name.endswith("." + parent)


def is_content(block):
    return bool(block) and block["named"] in CONTENT_NETWORKS


def host_port(url):
    parts = urllib.parse.urlsplit(url)
    return parts.hostname or "", parts.port or {"https": 443, "http": 80}[parts.scheme]


class World:
    """What a world file says in one of its states; of the format, what the generator and the cases use."""

    def __init__(self, text, state=1):
        self.seeds, self.orgs, self.blocks, self.zones, self.names, self.hosts, self.sites, self.certs = [], {}, {}, {}, {}, {}, {}, {}
        self.touched, now = set(), 1
        for statement in statements(text):
            head = words(statement[0])
            if head[0] == "state":
                now, self.touched = int(head[1]), set()
            elif now <= state and head[0] == "remove":
                getattr(self, head[1] + "s").pop(head[2], None)
            elif now <= state:
                getattr(self, "read_" + head[0], lambda *_: None)(head[1:], [words(line) for line in statement[1:]])

    def fresh(self, kind, key, table, empty):
        """The entry of a key; what an earlier state said of it is forgotten."""
        if (kind, key) not in self.touched:
            self.touched.add((kind, key))
            table[key] = empty
        return table[key]

    def read_seeds(self, head, _):
        self.seeds += head

    def read_org(self, head, _):
        self.orgs[head[0]] = head[2]

    def read_block(self, head, _):
        said = dict(zip(head[1::2], head[2::2]))
        self.blocks[head[0]] = {"net": ipaddress.ip_network(head[0]), "org": said["of"], "named": said.get("named", ""), "registry": said.get("registry")}

    def read_zone(self, head, body):
        zone = self.fresh("zone", head[0], self.zones, {"org": head[2], "ns": [], "registry": None})
        for line in body:
            if line[0] == "ns":
                zone["ns"].append((line[1], [address(word) for word in line[2:]]))
                if len(line) > 2 and line[1] not in self.names:
                    self.names[line[1]] = [("A", word) for word in line[2:]]
            elif line[0] == "registry":
                zone["registry"] = line[1]

    def read_name(self, head, body):
        records = self.fresh("name", head[0], self.names, [])
        line, at = head[1:], 0
        while at < len(line):
            size = {"MX": 3, "SRV": 5, "CAA": 4, "answers": 3 if "rebind" in line else 2, "rotate": 1, "hidden": 1}.get(line[at], 2)
            records.append(tuple(line[at:at + size]))
            at += size

    def read_host(self, head, body):
        for word in head:
            host = self.fresh("host", word, self.hosts, {"ptr": None, "closes": False})
            for line in body:
                host["ptr"] = line[1] if line[0] == "ptr" else host["ptr"]
                host["closes"] |= line[:2] == ["unknown-host", "close"]

    def read_cert(self, head, body):
        self.certs[head[0]] = [name for line in body if line[0] == "names" for name in line[1:]]

    def read_site(self, head, body):
        host, port = host_port(head[0])
        site = self.fresh("site", head[0], self.sites, {"host": host, "port": port, "at": [], "names": [host], "cert": None, "default": False, "urls": [], "https": head[0].startswith("https")})
        for line in [head[2:], *body] if len(head) > 2 else body:
            if line[0] == "at":
                site["at"] += [address(word) for word in line[1:]]
            elif line[0] == "cert" and line[1].startswith("@"):
                site["cert"] = line[1][1:]
            elif line[0] == "cert" and "names" in line:
                site["names"] = line[line.index("names") + 1:]
            elif line[0] == "default":
                site["default"] = True
            elif line[0] in ("links", "loads", "redirect"):
                site["urls"] += [word for word in line[1:] if "://" in word]

    def covering(self, where):
        """The narrowest block around an address."""
        blocks = [block for block in self.blocks.values() if where in block["net"]]
        return max(blocks, key=lambda block: block["net"].prefixlen, default=None)

    def is_ours(self, org):
        return self.orgs.get(org) == "ours"

    def records(self, name):
        if name in self.names:
            return self.names[name]
        parent = name
        while "." in parent:
            parent = parent.split(".", 1)[1]
            if "*." + parent in self.names:
                return self.names["*." + parent]
            if parent in self.names or parent in self.zones:
                return []
        return []

    def hops(self, name):
        """The name, and the names that its aliases lead through."""
        chain = [name]
        while len(chain) < 17 and (alias := next((record[1] for record in self.records(chain[-1]) if record[0] == "CNAME"), None)):
            chain.append(alias.lower())
        return chain

    def addresses(self, name):
        """Where a name leads. A name that rebinds leads to both."""
        records = self.records(self.hops(name)[-1])
        return {address(record[-1]) for record in records if record[0] in ("A", "AAAA") or record[:2] == ("answers", "rebind")}

    def default_names(self, where):
        """The names of the certificate on port 443 for who names nobody: of the default site, else of the first."""
        sites = sorted((site for site in self.sites.values() if site["https"] and site["port"] == 443 and where in (site["at"] or self.addresses(site["host"]))),
                       key=lambda site: (not site["default"], site["host"]))
        closes = self.hosts.get(str(where), {}).get("closes")
        if not sites or (closes and not sites[0]["default"]):
            return []
        return self.certs[sites[0]["cert"]] if sites[0]["cert"] else sites[0]["names"]


def statements(text):
    """Groups of lines: a first line at the margin, and the indented ones that belong to it."""
    groups = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t":
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


class Judge:
    """The verdicts for one run: a state of the world, what was asked for, and what people said. `deny` and `allow` are pairs of kind and name;
    `before` is the world as an earlier run saw it, and `before_exclude` what was excluded from that."""

    def __init__(self, world, seeds, level=3, exclude=(), deny=(), allow=(), again=False, before=None, before_exclude=()):
        self.world, self.level, self.again = world, level, again
        self.sites, self.seeds = {host_port(seed) for seed in seeds if "://" in seed}, [seed for seed in seeds if "://" not in seed]
        excluded = lambda patterns: [("exclude", pattern.lower().rstrip(".")) for pattern in patterns]
        self.stops, self.allow = excluded(exclude) + [one for one in deny if one not in allow], list(allow)
        self.urls = {host_port(url) for site in world.sites.values() for url in site["urls"]} | self.sites
        is_open = lambda way, stops: not any(self.covers(rule, thing) for rule in stops for name, where in way for thing in (name, address(where)))
        asks = lambda stops: any(is_open(way, stops) for way in REGISTRIES)
        unasked = not all(is_open(way, self.stops) for way in REGISTRIES)
        self.registered = [world] + [before] * bool(before and unasked)
        # What some run was surely told of blocks.
        self.told = [world] * asks(self.stops) + [before] * bool(before and unasked and asks(excluded(before_exclude)))
        self.earlier = Judge(before, seeds, level, exclude, deny, allow) if before else None
        self.name_level, self.address_level = functools.cache(self.name_level), functools.cache(self.address_level)

    def covers(self, rule, thing):
        """Does this say something of that name or address?"""
        kind, pattern = rule
        try:
            net = ipaddress.ip_network(pattern if "/" in pattern else address(pattern), strict=False)
            return not isinstance(thing, str) and thing.version == net.version and thing in net
        except ValueError:
            pass
        if not isinstance(thing, str):
            return False
        if kind == "Domain":
            return below(thing, pattern)
        return thing.endswith(pattern[1:]) if pattern.startswith("*.") else thing == pattern

    def stopped(self, thing):
        return any(self.covers(rule, thing) for rule in self.stops)

    def name_level(self, name):
        name = name.removeprefix("*.")
        if self.stopped(name):
            return 0
        if any(self.covers(rule, name) for rule in self.allow):
            return 4
        if any(below(name, seed) and not self.handed_away(name, seed) for seed in self.seeds):
            return 4
        if any(below(name, seed) for seed in self.seeds) or any(name == host for host, _ in self.sites):
            return 2
        zone = max((zone for zone in self.world.zones if below(name, zone)), key=len, default=None)
        sister = zone and self.world.is_ours(self.world.zones[zone]["org"]) and not any(below(seed, zone) for seed in [*self.seeds, *(host for host, _ in self.sites)])
        return 1 if not sister else 4 if self.again else 2

    def handed_away(self, name, seed):
        zones = self.world.zones
        cuts = [zone for zone in zones if zone != seed and below(zone, seed) and below(name, zone)]
        return any(not self.world.is_ours(zones[cut]["org"]) and not self.is_served_as_above(cut) for cut in cuts)

    def is_served_as_above(self, cut):
        zones = self.world.zones
        above = max((zone for zone in zones if zone != cut and below(cut, zone)), key=len, default=None)
        servers = lambda zone: {server for server, _ in zones[zone]["ns"]}
        return above is not None and servers(cut) <= servers(above)

    def leads_by_addresses(self, name, where):
        """By addresses, or by aliases that all may be visited themselves."""
        return where in self.world.addresses(name) and all(self.name_level(hop) >= 2 for hop in self.world.hops(name))

    def known_names(self):
        return [name for name in [*self.world.names, *self.world.zones, *(site["host"] for site in self.world.sites.values())]]

    def address_level(self, where):
        """What may be done there whatever the name."""
        inside = lambda pattern: self.covers(("", pattern), where)
        if self.stopped(where):
            return 0
        if any(inside(seed) for seed in self.seeds):
            return 4
        if is_reserved(where):
            return 0
        if any(self.covers(rule, where) for rule in self.allow):
            return 4
        if any(known and world.is_ours(known["org"]) for world in self.registered for known in [world.covering(where)]):
            return 3
        if any(is_content(world.covering(where)) for world in self.told):
            return 0
        pointer = self.world.hosts.get(str(where), {}).get("ptr")
        if pointer and self.name_level(pointer) >= 3 and self.leads_by_addresses(pointer, where):
            return 3
        return 3 if not is_content(self.world.covering(where)) and self.shows_ours(where) else 0

    def shows_ours(self, where):
        """By the certificate for who names nobody."""
        shown = self.world.default_names(where)
        led = any(self.leads_by_addresses(name, where) for name in self.known_names() if self.name_level(name) >= 3)
        return led and bool(shown) and all(self.name_level(name) >= 3 for name in shown)

    def verdict(self, contact):
        """Why the contact must not be made; `None` where it may."""
        where, port, name, asked = address(contact["address"]), contact["port"], contact.get("name"), contact["asked"]
        if str(where) in RESOLVERS and port == 53:
            return None
        if self.stopped(where):
            return "the address is excluded or denied"
        if name and self.stopped(name):
            return "the name is excluded or denied"
        level = self.address_level(where)
        if level == 0 and is_reserved(where):
            return "the address is reserved, and no seed names it"
        if where in SOURCES or self.is_registry(where, port, name):
            return None
        if any(port == number and host in (name, str(where)) and (host == str(where) or where in self.world.addresses(host)) for host, number in self.sites):
            level = max(level, 3)
        if any(host == str(where) for host, _ in self.sites):
            level = max(level, 2)
        need = self.need(where, port, name, asked, contact["transport"])
        if need > self.level:
            return f"it needs L{need}, and the run has L{self.level}"
        if need == 2 and self.earlier and self.earlier.shows_ours(where):
            return None
        if level >= max(2, min(need, 3)) or (port == 53 and self.asks_a_zone(where, name, asked, contact["transport"])) or (need == 2 and self.visits(where, port, name, asked)):
            return None
        return f"it needs L{need}, {where} has L{level}" + (f", {name} has L{self.name_level(name)}" if name else "")

    def need(self, where, port, name, asked, transport):
        """What a contact looks like to whom it reaches."""
        method, _, path = asked.partition(" ")
        if port == 53:
            return 3 if path == "AXFR" else 1
        if method.isupper() and method not in ("GET", "HEAD", "OPTIONS"):
            return 4
        if transport == "udp" or PROBES.match(path):
            return 3
        stated = any(number == port and (host == str(where) or where in self.world.addresses(host)) for host, number in self.urls)
        return 2 if port in (80, 443) or stated else 3

    def asks_a_zone(self, where, name, asked, transport):
        """A question to the servers of a zone about what is in it, or the connection for one."""
        least = 3 if asked.endswith("AXFR") else 2
        zones = [zone for zone, said in self.world.zones.items() if self.name_level(zone) >= least and self.serves(said, where)]
        return any(below(name or "", zone) for zone in zones) or (transport == "tcp" and not asked and bool(zones))

    def serves(self, zone, where):
        return any(where in (given or self.world.addresses(server)) for server, given in zone["ns"])

    def visits(self, where, port, name, asked):
        """What a browser does on somebody else's address under a name of ours that leads there."""
        asked_for = lambda name: self.name_level(name) >= 2 and where in self.world.addresses(name) and (port in (80, 443) or (name, port) in self.urls)
        if name:
            return asked_for(name)
        if asked == "":
            return any(asked_for(known) for known in self.known_names())
        default = asked == "tls" and not is_content(self.world.covering(where))
        return default and any(asked_for(known) and self.leads_by_addresses(known, where) for known in self.known_names())

    def is_registry(self, where, port, name):
        """Data providers may send on to others for what they register."""
        urls = [thing["registry"] for thing in [*self.world.zones.values(), *self.world.blocks.values()] if thing["registry"]]
        return any(where in self.world.addresses(host_port(url)[0]) and port in (43, 443, host_port(url)[1]) and name in (None, host_port(url)[0]) for url in urls)
