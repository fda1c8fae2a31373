"""Random worlds in which everything tempts a scan to touch somebody else, with what is asked for (`#run` lines: level, seeds, exclusions, what people deny and
allow before a run, and the world's state). Used by `scope` beside it; `scope_rules` says what was allowed."""
import random

HEAD = """org acme "Acme Tools" ours email hostmaster@acme.test
org host "Host Co" vendor
org build "Builders Inc" vendor
org cdn "Content Net" vendor
org others "Somebody Else" stranger email noc@others.test
org agency "Acme Tools Fans" stranger
block 203.0.113.0/24 of acme asn AS64500 named ACME-NET
block 2001:db8:ac::/48 of acme asn AS64500 named ACME-SIX
block 198.51.100.0/26 of host asn AS64501 named HOSTCO
block 198.51.100.64/26 of build asn AS64502 named SQUARESPACE
block 198.51.100.128/26 of cdn asn AS64503 named CLOUDFLARENET
block 198.51.100.192/26 of host asn AS64501 named SEDO-PARKING
block 192.0.2.0/25 of others asn AS64504 named OTHERS
block 192.0.2.128/25 of agency asn AS64505 named AGENCY
block 2001:db8:bad::/48 of others asn AS64504 named OTHERS-SIX
block 10.0.0.0/24 of others named INSIDE
zone others.test of others
  ns ns1.others.test 192.0.2.2
zone host.test of host
  ns ns1.host.test 198.51.100.2
zone agency.test of agency
  ns ns1.agency.test 192.0.2.130
name others.test A 192.0.2.3
name www.others.test A 192.0.2.10
site https://www.others.test "Others"
host 192.0.2.10
  port 22 ssh
name shared.host.test A 198.51.100.10
site https://tenant.host.test "Tenant" at 198.51.100.10 198.51.100.11 198.51.100.70 198.51.100.133
  default"""
LABELS = "www api mail dev shop blog vpn app static docs portal status admin login web remote".split()
RESERVED = ["AAAA 2002:a00:5::1", "AAAA 64:ff9b:1::a00:5", "A 10.0.0.5", "A 127.0.0.1", "A 169.254.169.254", "A 100.64.1.1", "A 192.168.1.1", "AAAA ::1", "AAAA ::ffff:10.0.0.5", "AAAA 64:ff9b::a9fe:a9fe", "AAAA fd00:ec2::254"]


class Scene:
    """One world: a domain of ours, some hosts, and a few temptations."""

    def __init__(self, seed):
        self.dice, self.seed, self.lines, self.links, self.used, self.later, self.rents, self.more = random.Random(seed), seed, [], [], set(), [], [], []
        self.own = iter(range(10, 90))
        self.alien = iter(range(20, 120))
        self.say("zone acme.test of acme", "  ns ns1.acme.test 203.0.113.2", *(["  ns ns2.host.test 198.51.100.3"] if self.maybe(0.3) else []),
                 *(["  transfer open"] if self.maybe(0.2) else []), *(["  signed nsec"] if self.maybe(0.2) else []))
        self.plain = [f"{self.label()}.acme.test" for _ in range(self.dice.randint(1, 3))]
        for name in self.plain:
            self.site(name, f"203.0.113.{next(self.own)}")
        temptations = [getattr(self, name) for name in dir(self) if name.startswith("tempt_")]
        for tempt in self.dice.sample(temptations, self.dice.randint(3, 8)):
            tempt()
        self.apex()
        self.runs = self.first_run()
        if self.maybe(0.6):
            self.second_state()
            self.second_run()

    def text(self):
        later = ["state 2", *self.later] if self.later else []
        return "\n".join([*self.runs, f'world scope{self.seed} "Scope {self.seed}"', "seeds acme.test", HEAD, *self.lines, *later]) + "\n"

    def say(self, *lines):
        self.lines += lines

    def maybe(self, chance):
        return self.dice.random() < chance

    def label(self):
        left = [label for label in LABELS if label not in self.used]
        self.used.add(label := self.dice.choice(left or [f"n{len(self.used)}"]))
        return label

    def ours(self):
        """A fresh name of ours, told by the log, a link or a list of common words."""
        name = f"{self.label()}.acme.test"
        self.tell(name)
        return name

    def tell(self, name):
        if self.maybe(0.5):
            self.links.append(f"https://{name}/")
        if self.maybe(0.5):
            self.say(f"cert log-{name.replace('.', '-')}", f"  names {name}")

    def site(self, name, address, *more):
        self.say(f"name {name} {'AAAA' if ':' in address else 'A'} {address}", f'site https://{name} "{name}"', *(f"  {line}" for line in more))

    def elsewhere(self):
        """An address of somebody else."""
        last = next(self.alien)
        return self.dice.choice([f"198.51.100.{last % 50 + 10}", f"198.51.100.{last % 50 + 70}", f"198.51.100.{last % 50 + 133}", f"198.51.100.{last % 50 + 197}", f"192.0.2.{last}", f"192.0.2.{last + 120}"])

    def apex(self):
        """The front page links to all; the domain's own records point to vendors."""
        self.say(f"name acme.test A 203.0.113.{next(self.own)}" + self.dice.choice(["", " MX 10 mx.others.test", " MX 10 mx1.host.test", " MX 10 in.acme.test"])
                 + self.dice.choice(["", ' TXT "v=spf1 ip4:192.0.2.0/24 a:www.others.test include:_spf.host.test -all"']))
        self.say("name mx.others.test A 192.0.2.25", "name mx1.host.test A 198.51.100.25", f"name in.acme.test A {self.dice.choice(['203.0.113.91', '198.51.100.26'])}")
        self.say('site https://acme.test "Acme"', *(f"  links {link}" for link in self.links), *(["  cert names acme.test www.others.test shop.agency.test"] if self.maybe(0.2) else []))

    # What tempts.

    def tempt_foreign_child(self):
        zone = self.ours()
        server = self.dice.choice(["ns1.agency.test", "ns1.others.test", f"ns1.{zone} 192.0.2.140"])
        self.say(f"zone {zone} of agency", f"  ns {server}")
        address = f"192.0.2.{self.dice.randint(150, 200)}"
        self.site(f"www.{zone}", address)
        self.say(f"name {zone} A {address}", f"host {address}", "  port 22 ssh", *([f"  ptr www.{zone}"] if self.maybe(0.5) else []))
        if self.maybe(0.7):
            self.say(f"cert child-{zone.split('.')[0]}", f"  names www.{zone} {zone} *.{zone}")
        if self.maybe(0.2):
            self.say(f"name {self.ours()} CNAME www.{zone}")
        if self.maybe(0.5):
            self.links.append(f"https://www.{zone}/")

    def tempt_managed_child(self):
        zone = self.ours()
        self.say(f"zone {zone} of acme", "  ns ns7.host.test 198.51.100.53")
        self.site(f"www.{zone}", f"203.0.113.{next(self.own)}")

    def tempt_rented(self):
        name, address = self.ours(), self.elsewhere()
        self.rents.append((name, address))
        self.site(name, address, *self.dice.choice([(), ("cert self-signed",), (f"cert names {name} www.others.test",), (f"cert names {name} *.acme.test",)]))
        self.say(f"host {address}", "  port 22 ssh", *self.dice.choice([(), (f"  ptr {name}",), ("  ptr static-1.host.test",), ("  ptr gone.acme.test",), ("  unknown-host close",)]))

    def tempt_platform(self):
        """A tenant among others, by the platform's own certificate, or without a site of our own there."""
        name, address = self.ours(), self.dice.choice(["198.51.100.10", "198.51.100.11", "198.51.100.70", "198.51.100.133"])
        self.say(f"name {name} A {address}")
        if self.maybe(0.7):
            self.say(f'site https://{name} "Tenant of ours"')

    def tempt_shared(self):
        """Tenants behind one certificate, or ours first by chance."""
        name, address = self.ours(), f"198.51.100.{self.dice.randint(200, 250)}"
        self.site(name, address, *self.dice.choice([(), (f"cert names {name} a.others.test",)]))
        self.say(f'site https://aaa.others.test "Neighbour" at {address}', *(["  default"] if self.maybe(0.5) else []), "name aaa.others.test A " + address)

    def tempt_alias(self):
        name, target, address = self.ours(), f"t{self.dice.randint(1, 99)}.{self.dice.choice(['host.test', 'others.test', 'agency.test'])}", self.elsewhere()
        if self.maybe(0.3):
            self.say(f"name {name} CNAME mid-{name}", f"name mid-{name} CNAME {target}")
        else:
            self.say(f"name {name} CNAME {target}")
        if self.maybe(0.8):
            self.say(f"name {target} A {address}", f'site https://{target} "Alias target"', *([f"  cert names {name}"] if self.maybe(0.3) else []), f"host {address}", "  port 8080 http", *([f"  ptr {name}"] if self.maybe(0.3) else []))

    def tempt_links(self):
        targets = ["https://www.others.test/", "http://192.0.2.9/", "https://192.0.2.9:8443/", "https://notacme.test/", "https://acme.test.others.test/", "http://10.0.0.9/", "https://[2001:db8:bad::9]/",
                   f"https://{self.plain[0]}:8443/", "https://www.others.test:8443/", "mailto:x@others.test", "https://user@www.others.test/", "http://169.254.169.254/latest/"]
        self.links += self.dice.sample(targets, 4)
        self.say("zone notacme.test of others", "  ns ns1.others.test", "name notacme.test A 192.0.2.40", 'site https://notacme.test "Not Acme"', "name acme.test.others.test A 192.0.2.41",
                 'site http://192.0.2.9 "By address"', 'site https://acme.test.others.test "Imposter"', "  cert names acme.test.others.test www.acme.test")

    def tempt_redirect(self):
        name = self.ours()
        to = self.dice.choice(["https://www.others.test/login", "http://192.0.2.9:8080/", "http://10.0.0.9/", f"https://{self.plain[0]}:8443/", f"https://{self.plain[0]}/", "https://www.agency.test/"])
        self.site(name, self.dice.choice([f"203.0.113.{next(self.own)}", self.elsewhere()]), f"redirect {to}")

    def tempt_loads(self):
        self.site(self.ours(), f"203.0.113.{next(self.own)}", "loads https://static.others.test/a.js", 'robots "Sitemap: https://www.others.test/sitemap.xml"',
                  'page /.well-known/security.txt text/plain "Contact: https://www.agency.test/\\nPolicy: https://www.others.test/"')
        self.say("name static.others.test A 192.0.2.12", 'site https://static.others.test "Static"', "name www.agency.test A 192.0.2.131", 'site https://www.agency.test "Agency"')

    def tempt_pointers(self):
        """Reverse names that lie, in both directions."""
        last = next(self.own)
        self.say(f"name {self.ours()} A 203.0.113.{last}", f"host 203.0.113.{last}", "  ptr www.others.test", "host 192.0.2.60", f"  ptr {self.plain[0]}", "  port 443 https", f"host 203.0.113.{next(self.own)}", "  ptr mail.agency.test")

    def tempt_servers(self):
        self.say("zone dns.acme.test of acme", f"  ns {self.dice.choice(['ns1.others.test', 'ns.acme.test 192.0.2.77', 'ns.acme.test 10.0.0.53', 'ns.acme.test 198.51.100.54'])}")
        self.site("www.dns.acme.test", f"203.0.113.{next(self.own)}")
        self.links.append("https://www.dns.acme.test/")

    def tempt_forgery(self):
        """Who shows or logs a certificate with our names."""
        self.say(f'site https://forged.others.test "Forged" at 192.0.2.66', f'  cert self-signed org "Acme Tools" names {self.plain[0]} acme.test', "name forged.others.test A 192.0.2.66")
        self.say("cert mixed", f"  names {self.plain[0]} forged.others.test shop.agency.test", "name shop.agency.test A 192.0.2.133", 'site https://shop.agency.test "Shop"')
        self.links.append("https://forged.others.test/")

    def tempt_registry(self):
        url = self.dice.choice(["https://rdap.others.test", "http://rdap.others.test/rdap", "https://rdap.agency.test:8443", "http://10.0.0.43"])
        self.say("name rdap.others.test A 192.0.2.90", "name rdap.agency.test A 192.0.2.190", 'site https://rdap.others.test "RDAP"', "host 192.0.2.90", "  port 43 banner \"% nothing\"")
        self.say(f"block 203.0.113.64/26 of acme asn AS64500 named ACME-PART registry {url}", *([f"block 198.51.100.8/29 of host asn AS64501 named HOSTCO-PART registry {url}"] if self.maybe(0.5) else []))
        self.site(self.ours(), "203.0.113.70")

    def tempt_reserved(self):
        self.say(f"name {self.ours()} {' '.join(self.dice.sample(RESERVED, 2))}")

    def tempt_rebind(self):
        self.say(f"name {self.ours()} A 203.0.113.{next(self.own)} answers rebind {self.dice.choice(['10.0.0.7', '192.0.2.10', '169.254.169.254'])}")

    def tempt_suballocation(self):
        self.say(f"block 203.0.113.192/28 of others asn {self.dice.choice(['AS64500', 'AS64504'])} named ALIEN", "host 203.0.113.195", "  port 22 ssh", "  port 443 https", *([f"  ptr {self.plain[0]}"] if self.maybe(0.3) else []))
        if self.maybe(0.6):
            self.site(self.ours(), "203.0.113.196")

    def tempt_service(self):
        self.say("name _sip._tcp.acme.test SRV 0 5 5060 sip.others.test", "name sip.others.test A 192.0.2.35", "name autodiscover.acme.test CNAME autodiscover.host.test", "name autodiscover.host.test A 198.51.100.35")

    def tempt_sister(self):
        self.say("zone acme-group.test of acme", "  ns ns1.acme.test", f"name acme-group.test A {self.dice.choice(['203.0.113.95', '198.51.100.37'])}", 'site https://acme-group.test "Group"', f"  redirect https://{self.plain[0]}/")
        self.links.append("https://acme-group.test/")

    def tempt_agent(self):
        """A domain of ours that its host has registered in its own name: what else is registered to the host is not ours."""
        self.more.append("acme-shop.test")
        self.say("zone acme-shop.test of host", "  ns ns1.host.test", "name acme-shop.test A 198.51.100.38 of acme", 'site https://acme-shop.test "Shop"', "  cert names acme-shop.test *.host.test",
                 "name www.acme-shop.test A 198.51.100.39 of acme", "host 198.51.100.39", "  port 22 ssh", f"name {self.ours()} A 198.51.100.40")

    def tempt_public_suffix(self):
        """A tenant of a domain below which everybody registers."""
        self.more.append("acme.github.io")
        self.say("zone github.io of host", "  ns ns1.host.test", "name acme.github.io A 198.51.100.41", "name other.github.io A 198.51.100.42", 'site https://acme.github.io "Ours"', "  cert @pages",
                 "  links https://other.github.io/ https://github.io/", 'site https://other.github.io "Theirs"', "  cert @pages", "cert pages", "  names github.io *.github.io", "cert both", "  names acme.github.io other.github.io", "name github.io A 198.51.100.43")

    def tempt_look_alike(self):
        self.say("zone acrne.test of others", "  ns ns1.others.test", "name acrne.test A 192.0.2.45 MX 10 mx.others.test", 'site https://acrne.test "Acme Tools"', "  favicon acme")

    def tempt_wildcard(self):
        self.say(f"name *.apps.acme.test {self.dice.choice(['A 198.51.100.10', 'CNAME shared.host.test', 'A 192.0.2.70', 'A 203.0.113.93'])}")
        self.links.append("https://one.apps.acme.test/")

    def tempt_six(self):
        address = self.dice.choice(["2001:db8:bad::10", "2001:db8:ac::10", "::ffff:192.0.2.71", "::ffff:203.0.113.94"])
        self.say(f"name {self.ours()} AAAA {address}", *([f"host {address}", "  port 22 ssh"] if "ffff" not in address else []))

    def tempt_pointing_at_us(self):
        """Names of others that lead to our address, and a site of theirs on it."""
        self.say(f"name parasite.others.test A 203.0.113.{next(self.own)}", 'site https://parasite.others.test "Parasite"', "cert parasite", f"  names parasite.others.test {self.plain[0]}")
        self.links.append("https://parasite.others.test/")

    # What is asked for.

    def patterns(self):
        return [self.plain[0], self.plain[0].upper() + ".", "*.acme.test", "*.apps.acme.test", "203.0.113.10", "203.0.113.11", "203.0.113.0/28", "203.0.113.64/26", "203.0.113.2", "198.51.100.0/24",
                "192.0.2.90", "rdap.others.test", "rdap.org", "198.19.0.11", "crt.sh", "whois.iana.org", "198.51.100.10", "::ffff:203.0.113.12", "2001:db8:ac::/48", "ns1.acme.test", "*.others.test", "192.0.2.0/24", "198.51.100.53"]

    def first_run(self):
        seeds = self.dice.choice([["acme.test"]] * 4 + [["acme.test", "203.0.113.0/27"], ["acme.test", "203.0.113.192/27"], ["acme.test", "203.0.113.64/28"], [self.plain[0]], ["203.0.113.0/28"], ["acme.test", "192.0.2.10"], [f"https://{self.plain[0]}/"], ["acme.test", "https://192.0.2.9:8443/"]])
        self.seeds = ",".join(seeds + self.more)
        self.level = self.dice.choice(["normal"] * 6 + ["passive", "polite", "intensive"])
        exclude = self.dice.sample(self.patterns(), self.dice.choice([0, 0, 1, 2, 4]))
        exclude = [pattern for pattern in exclude if pattern.rstrip(".").lower() not in seeds]
        return [f"#run level={self.level} seeds={self.seeds}" + (f" exclude={','.join(exclude)}" if exclude else "")]

    def second_state(self):
        moved = self.dice.choice(self.plain)
        self.later.append(f"name {moved} {self.dice.choice(['A 192.0.2.50', 'A 198.51.100.10', 'CNAME www.others.test', 'A 203.0.113.12', 'A 10.0.0.5'])}")
        for name, address in self.rents:
            if self.maybe(0.7):
                self.later += self.dice.choice([[f"name {name} A 198.51.100.10"], [f"name {name} A 203.0.113.92", f"host {address}", f"  ptr {name}"], [f"host {address}", "  ptr static-9.host.test"],
                                                [f'site https://aaa.others.test "Moved in" at {address}', "  default"], [f"remove name {name}", f"remove site https://{name}"]])
        if self.maybe(0.3):
            self.later += ["zone acme.test of acme", "  ns ns1.others.test"]
        # The top of a zone has no CNAME.
        if self.maybe(0.3) and self.plain[-1] != moved:
            self.later += [f"zone {self.plain[-1]} of agency", "  ns ns1.agency.test"]
        if self.maybe(0.2):
            self.later.append("block 203.0.113.0/24 of others asn AS64504 named SOLD")

    def second_run(self):
        some = lambda things, most: ",".join(self.dice.sample(things, self.dice.randint(0, most)))
        deny = ["IpAddress:203.0.113.10", "IpAddress:203.0.113.11", f"DnsRecord:{self.plain[0]}", "DnsRecord:ns1.acme.test", "NetBlock:203.0.113.0/24", "NetBlock:203.0.113.0/27", "NetBlock:203.0.113.0/28", "Domain:acme.test", "IpAddress:198.51.100.10", "IpAddress:203.0.113.2"]
        allow = ["IpAddress:192.0.2.10", "IpAddress:198.51.100.10", "DnsRecord:www.others.test", "Domain:others.test", "NetBlock:192.0.2.0/25", "Domain:acme-group.test", "IpAddress:10.0.0.5"]
        level = self.dice.choice([self.level] * 4 + ["polite", "passive"])
        run = f"#run level={level} seeds={self.seeds} state={self.dice.choice([1, 2, 2])}"
        said = {"deny": some(deny, 2), "allow": some(allow, 1), "exclude": some([pattern for pattern in self.patterns() if pattern.rstrip(".").lower() not in self.seeds.split(",")], 1)}
        self.runs.append(" ".join([run, *(f"{verb}={things}" for verb, things in said.items() if things)]))
