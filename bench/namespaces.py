"""Two network namespaces with a line between them, for the scripts that measure on a network of their own: what answers in one, a scanner in the other. Root and Linux."""
import subprocess


def shell(text):
    subprocess.run(["bash", "-euc", text], check=True, stdout=subprocess.DEVNULL)


class Namespaces:
    """`PREFIXworld` holds all addresses of the networks; `PREFIXscan` has no other way out than to there. LINE is the first three numbers of both ends' addresses."""

    def __init__(self, prefix, line, *networks):
        self.world, self.scan, self.line, self.networks = f"{prefix}world", f"{prefix}scan", line, networks
        self.ends = f"{prefix[:8]}w0", f"{prefix[:8]}s0"

    def up(self):
        self.down()
        there, here = self.ends
        routes = "; ".join(f"ip route add local {network} dev lo" for network in self.networks)
        shell(f"""
ip netns add {self.world}; ip netns add {self.scan}
ip link add {there} netns {self.world} type veth peer name {here} netns {self.scan}
ip netns exec {self.world} bash -euc 'ip link set lo up; ip addr add {self.line}.1/24 dev {there}; ip link set {there} up txqueuelen 10000; {routes}
sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv4.tcp_max_syn_backlog=65536 net.core.somaxconn=65535 net.ipv4.tcp_syncookies=1 net.ipv4.tcp_challenge_ack_limit=2147483647'
ip netns exec {self.scan} bash -euc 'ip link set lo up; ip addr add {self.line}.2/24 dev {here}; ip link set {here} up txqueuelen 10000; ip route add default via {self.line}.1
sysctl -qw net.ipv4.ip_local_port_range="1024 65535"'""")

    def down(self):
        for name in (self.world, self.scan):
            found = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split()
            subprocess.run(["kill", "-9", *found], capture_output=True) if found else None
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def in_world(self, command):
        """Runs a command where the addresses are."""
        shell(f"ip netns exec {self.world} {command}")

    def in_scan(self, *command):
        """A command as it runs where the scanner is."""
        return ["ip", "netns", "exec", self.scan, *map(str, command)]
