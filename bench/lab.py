"""A copy of the lab of real servers for one job: an organisation of 1,387 names, of which only the domain is known.

The lab itself is not part of this repository. Its addresses become public ones, since a stranger's private addresses are not
followed; its numbered names become random ones, since counting would find more than any list holds."""
import json, os, pathlib, random, re, shutil, subprocess, sys

PACKAGES = {"knotd": "knot", "unbound": "unbound", "nginx": "nginx-light", "dropbear": "dropbear-bin", "vsftpd": "vsftpd",
            "redis-server": "redis-server", "nft": "nftables", "ip": "iproute2", "ss": "iproute2", "sysctl": "procps", "curl": "curl", "dig": "bind9-dnsutils"}
DOMAIN, NETWORK, RESOLVER = "range.test", "11.64", "11.64.0.54"
PORTS = (80, 443, 8080, 8443, 22, 21, 25, 6379, 8000, 9000)
# What makes the lab's numbered names random.
UNNUMBERED = {
    "gen.py": [
        ("resolvable = {}\n", "resolvable = {}\ndef tag(kind, i): return random.Random(f'{seed} {kind} {i}').randbytes(4).hex()\n"),
        ("f'{words[i % 20]}{i}'", "f'{words[i % 20]}-' + tag('host', i)"),
        ("f'c{i}-", "f'c{tag(0, i)}-"),
        ("f'd{i}.range.test'", "f'd{tag(1, i)}.range.test'"),
        ("f'd{i} NS ns.d{i}'", "f'd{tag(1, i)} NS ns.d{tag(1, i)}'"),
        ("f'ns.d{i} A {NS}'", "f'ns.d{tag(1, i)} A {NS}'"),
    ],
    "setup.sh": [("@11.64.0.54 www.d7.range.test", "@11.64.0.54 www.range.test"), ("@11.64.0.53 www0.range.test", "@11.64.0.53 www.range.test")],
}
# Ways by which a name can be found from the domain and the list; `list` names only where the list holds them.
TOLD = {"san", "link", "mx", "spf", "srv", "ns", "axfr", "nsec"}


def install(packages):
    """Installs what is missing, where this is Debian and its administrator asks; ends with a word on what to do otherwise."""
    wanted = sorted({package for program, package in packages.items() if not shutil.which(program)})
    if not wanted:
        return
    if os.geteuid() or not os.path.exists("/etc/debian_version"):
        sys.exit(f"needs {' '.join(wanted)}: install them (Debian: apt-get install {' '.join(wanted)}), then run this again as root")
    quiet = dict(env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["apt-get", "update", "-q"], **quiet)
    subprocess.run(["apt-get", "install", "-q", "-y", "--no-install-recommends", *wanted], **quiet)


class Lab:
    def __init__(self, source, folder, seed):
        self.folder, self.seed = pathlib.Path(folder), seed
        self.scripts = self.folder / "scripts"
        self.environment = {**os.environ, "RANGE_DIR": str(self.folder / "range"), "RANGE_NS": "peer"}
        if not (self.scripts / "setup.sh").exists():
            self.copy(pathlib.Path(source))

    def copy(self, source):
        shutil.rmtree(self.scripts, ignore_errors=True)
        shutil.copytree(source, self.scripts)
        for path in self.scripts.iterdir():
            if path.suffix in (".py", ".sh"):
                text = path.read_text().replace("10.64", NETWORK).replace("64.10.in-addr", "64.11.in-addr").replace('"10.in-addr', '"11.in-addr')
                for old, new in UNNUMBERED.get(path.name, []):
                    if old not in text:
                        sys.exit(f"{path}: the lab names its hosts in another way: {old}")
                    text = text.replace(old, new)
                path.write_text(text)

    def up(self):
        subprocess.run([self.scripts / "setup.sh", "up", str(self.seed)], env=self.environment, check=True, stdout=subprocess.DEVNULL)
        return json.loads((self.folder / "range/truth.json").read_text())

    def down(self):
        subprocess.run([self.scripts / "setup.sh", "down"], env=self.environment, check=True)

    def touched(self):
        run = subprocess.run([self.scripts / "setup.sh", "touched"], env=self.environment, capture_output=True, text=True)
        return run.stdout.split("\n")[:-1]

    def inside(self, *command):
        """A command as it runs in the scanner's namespace, which has no other way out."""
        return ["ip", "netns", "exec", "peerscan", *map(str, command)]

    @property
    def authority(self):
        return self.folder / "range/certs/ca.pem"


class Job:
    """The names that a list and what they lead to tell, with the addresses, ports and sites behind them."""

    def __init__(self, truth, words=2000, real=963, seed=7):
        draw = random.Random(seed)
        names = truth["names"]
        label = lambda name: name[: -len(DOMAIN) - 1]
        one = lambda name: name.endswith("." + DOMAIN) and "." not in label(name) and not label(name).startswith("_")
        planted = sorted(label(name) for name, known in names.items() if known["via"] == "word" and one(name))
        listed = sorted(label(name) for name, known in names.items() if known["via"] == "list" and one(name))
        children = [word for word in listed if re.fullmatch(r"d[0-9a-f]{8}", word)]
        hosts = [word for word in listed if re.search(r"-[0-9a-f]{8}$", word)]
        chains = [word for word in listed if re.fullmatch(r"c[0-9a-f]{8}-0", word)]
        some = draw.sample(children, 90) + draw.sample(chains, 60)
        self.real = planted + some + draw.sample(hosts, real - len(planted) - len(some))
        self.words = self.real + [f"nowhere-{draw.randbytes(4).hex()}" for _ in range(words - len(self.real))]
        draw.shuffle(self.words)
        self.names = reachable(names, {f"{word}.{DOMAIN}" for word in self.real} | {DOMAIN})
        self.addresses = {value for name in self.names for kind, value in names[name]["records"] if kind == "A"} - forbidden(truth)
        self.ports = {(address, port) for address in self.addresses for port in open_ports(truth["open"].get(address, []))}
        self.sites = {(site["address"], site["port"]) for site in truth["web"]} & self.ports


def reachable(names, known):
    """What the names lead to: targets of aliases, hosts of delegated children, and what other sources tell."""
    known |= {name for name, said in names.items() if said["via"] in TOLD and name.endswith("." + DOMAIN)}
    front = list(known)
    while front:
        name = front.pop()
        found = {value for kind, value in names.get(name, {"records": []})["records"] if kind == "CNAME"}
        if re.fullmatch(rf"d[0-9a-f]{{8}}\.{re.escape(DOMAIN)}", name):
            found |= {f"www.{name}", f"ns.{name}"}
        for more in found - known:
            if more in names:
                known.add(more)
                front.append(more)
    has_address = lambda name: any(kind in ("A", "AAAA", "CNAME") for kind, _ in names[name]["records"])
    return {name for name in known if name in names and has_address(name) and (name == DOMAIN or name.endswith("." + DOMAIN))}


def forbidden(truth):
    """Addresses of others, and those whose ports a scanner should not count: every port open, or none that ends."""
    import ipaddress
    networks = [ipaddress.ip_network(network) for network in truth["out_of_scope"]["networks"]]
    all_names = {value for known in truth["names"].values() for kind, value in known["records"] if kind == "A"}
    others = {address for address in all_names if any(ipaddress.ip_address(address) in network for network in networks)}
    live = set(truth["live"])
    return others | {address for address in all_names if address not in live} | {f"{NETWORK}.0.10", f"{NETWORK}.0.11", f"{NETWORK}.0.66"}


def open_ports(ports):
    return [port for port in ports if port in PORTS] if isinstance(ports, list) else []
