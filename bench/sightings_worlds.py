"""Random worlds of three states in which names, addresses, services, sites, certificates and exposures come, go, come back and move, with what is there in each
state. Used by `sightings` beside it. What is there is worked out here from what the world says, not from what any program says of it."""
import random

HEAD = """seeds acme.test
org acme "Acme Tools" ours email hostmaster@acme.test
org others "Somebody Else" stranger
block 203.0.113.0/25 of acme asn AS64500 named ACME-NET
block 203.0.113.128/25 of others asn AS64501 named OTHERS
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.3
zone bakery.test of others
  ns ns1.bakery.test 203.0.113.130
name www.bakery.test A 203.0.113.131"""
# A host of somebody else, and its domain, which follows from it.
STRANGE = {("DnsRecord", "www.bakery.test"), ("Domain", "bakery.test")}
LABELS = "www api mail dev shop blog vpn app static docs portal status".split()
SERVICES = {22: 'ssh "OpenSSH_10.0"', 6379: "redis open", 2121: 'ftp "ProFTPD" login', 3306: 'mysql "8.4.3"'}
EXPOSURES = {"git": "exposed_version_control", "env": "exposed_environment_file"}
CERTIFICATES = {"": None, "cert expired 10d": "invalid_certificate_expired", "cert self-signed": "self_signed_certificate"}
STATES = (1, 2, 3)


class Name:
    """A name in one state: where it leads, and the site there, if any."""

    def __init__(self, address, scheme, certificate, exposure):
        self.address, self.scheme, self.certificate, self.exposure = address, scheme, certificate, exposure

    def site(self, name):
        words = [self.certificate] if self.certificate and self.scheme == "https" else []
        words += [f"exposes {self.exposure}"] if self.exposure else []
        return [f'site {self.scheme}://{name} "{name}"', *(f"  {word}" for word in words)]


class World:
    """Three states. The front page of the domain links to every name that is there."""

    def __init__(self, seed):
        self.dice, self.seed = random.Random(seed), seed
        self.pool = [f"203.0.113.{last}" for last in range(10, 16)]
        labels = self.dice.sample(LABELS, self.dice.randint(3, 7))
        plans = {f"{label}.acme.test": self.plans() for label in labels}
        self.names = {state: {name: plan[state] for name, plan in plans.items() if plan[state]} for state in STATES}
        ports = {address: self.ports() for address in self.pool}
        self.hosts = {state: {address: plan[state] for address, plan in ports.items() if plan[state]} for state in STATES}
        # The states in which the front page links to the strange host.
        self.linked = {state for state in STATES if self.maybe(0.6)}

    def maybe(self, chance):
        return self.dice.random() < chance

    def one_name(self):
        scheme = self.dice.choice(["https", "https", "http", None])
        exposure = self.dice.choice([None, *EXPOSURES]) if scheme else None
        return Name(self.dice.choice(self.pool), scheme, self.dice.choice(list(CERTIFICATES)), exposure)

    def plans(self):
        """One name over the states: it stays, moves, changes, goes, comes, comes back."""
        first, other = self.one_name(), self.one_name()
        moved = Name(other.address, first.scheme, first.certificate, first.exposure)
        changed = Name(first.address, other.scheme, other.certificate, other.exposure)
        courses = [(first, first, first), (first, None, first), (None, first, first), (first, first, None), (first, None, None), (None, first, None), (None, None, first),
                   (first, moved, first), (first, moved, moved), (first, changed, first), (first, changed, None), (first, None, changed), (first, None, moved)]
        return dict(zip(STATES, self.dice.choice(courses)))

    def ports(self):
        """The services of an address over the states."""
        chosen = {state: {} for state in STATES}
        for port, service in SERVICES.items():
            if self.maybe(0.5):
                for state, there in zip(STATES, self.dice.choice(["111", "101", "011", "110", "100", "010", "001"])):
                    if there == "1":
                        chosen[state][port] = service
        return chosen

    def text(self):
        lines = [f'world sightings{self.seed} "Sightings {self.seed}"', *HEAD.splitlines()]
        for state in STATES:
            before = {} if state == 1 else self.names[state - 1]
            hosts_before = {} if state == 1 else self.hosts[state - 1]
            lines += [f"state {state}"] if state > 1 else []
            for name, was in before.items():
                now = self.names[state].get(name)
                if was.scheme and (now is None or now.scheme != was.scheme):
                    lines.append(f"remove site {was.scheme}://{name}")
                if now is None:
                    lines.append(f"remove name {name}")
            lines += [f"remove host {address}" for address in hosts_before if address not in self.hosts[state]]
            for name, now in self.names[state].items():
                lines.append(f"name {name} A {now.address}")
                lines += now.site(name) if now.scheme else []
            for address, ports in self.hosts[state].items():
                lines += [f"host {address}", *(f"  port {port} {service}" for port, service in ports.items())]
            links = [*self.names[state], *(["www.bakery.test"] if state in self.linked else [])]
            lines += ['site https://acme.test "Acme"', *(f"  links https://{name}/" for name in links)]
        return "\n".join(lines) + "\n"

    def there(self, state):
        """What is there: entities by kind and name. Every name that leads to an open web port has a URI there, since servers answer strangers too."""
        names = {name: now.address for name, now in self.names[state].items()}
        sites = {name: (now.address, now.scheme) for name, now in self.names[state].items() if now.scheme}
        names |= {"acme.test": "203.0.113.3"}
        sites |= {"acme.test": ("203.0.113.3", "https")}
        found = {("Domain", "acme.test"), ("DnsRecord", "ns1.acme.test"), ("Nameserver", "ns1.acme.test")}
        found |= {("DnsRecord", name) for name in names if name != "acme.test"}
        found |= STRANGE if state in self.linked else set()
        open_ports = {("203.0.113.2", 53)} | {(address, 80) for address, _ in sites.values()} | {(address, 443) for address, scheme in sites.values() if scheme == "https"}
        reached = {*names.values(), "203.0.113.2"}
        open_ports |= {(address, port) for address, ports in self.hosts[state].items() if address in reached for port in ports}
        found |= {("IpAddress", address) for address in reached}
        found |= {("NetworkService", f"{address}:{port}/tcp") for address, port in open_ports} | {("NetworkService", "203.0.113.2:53/udp")}
        for port, scheme in ((80, "http"), (443, "https")):
            for name, address in [*names.items(), *((address, address) for address in reached)]:
                if (address, port) in open_ports:
                    found.add(("Uri", f"{scheme}://{name}:{port}"))
        return found

    def issues(self, state):
        """The issues that are planted, by name and entity; of certificates by the name that they are for."""
        found = set()
        for name, now in self.names[state].items():
            if now.exposure:
                port = 443 if now.scheme == "https" else 80
                found.add((EXPOSURES[now.exposure], f"{now.scheme}://{name}:{port}"))
            if now.scheme == "https" and CERTIFICATES[now.certificate]:
                found.add((CERTIFICATES[now.certificate], name))
        reached = {now.address for now in self.names[state].values()}
        found |= {("open_redis_service", f"{address}:6379/tcp") for address, ports in self.hosts[state].items() if address in reached and 6379 in ports}
        return found

    def runs(self):
        """State, and whether a person starts it. Each state is run in at least once, and later ones never before earlier ones."""
        return [(state, number == 0 and state == 1 or self.maybe(0.5)) for state in STATES for number in range(self.dice.choice([1, 1, 2]))]
