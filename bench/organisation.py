"""One organisation in any size, as the text of a world. Used by `linear` and `refresh` beside it.

A unit is so many hosts of six sorts in equal parts. More units are more of the same: names in the one zone, whose transfer tells them, and addresses in blocks of
their own. Labels and addresses follow from the number of the host alone, so that a larger organisation holds all of a smaller one."""
import hashlib, ipaddress

WORDS = "www api dev mail vpn git stage test app db cdn portal admin sso jira ci beta shop docs status".split()
# Blocks of one size follow one another from here; each host has an address of its own.
FIRST, BLOCK = ipaddress.ip_address("20.64.0.0"), 32
HEAD = """seeds acme.test
org acme "Acme Tools" ours email hostmaster@acme.test
block 20.60.0.0/26 of acme asn AS64500 named ACME
zone acme.test of acme
  ns ns1.acme.test 20.60.0.2
  transfer open
name acme.test A 20.60.0.3 MX 10 mail.acme.test TXT "v=spf1 mx -all"
name _dmarc.acme.test TXT "v=DMARC1; p=reject"
name mail.acme.test A 20.60.0.4
host 20.60.0.4
  port 25 smtp "mail.acme.test ESMTP"
site https://acme.test "Acme Tools\""""


def label(number):
    return f"{WORDS[number % len(WORDS)]}-{hashlib.sha256(str(number).encode()).hexdigest()[:8]}"


def host(number):
    """The statements of one host."""
    name, address = f"{label(number)}.acme.test", FIRST + number
    if number % 6 == 0:
        return [f"name {name} A {address}", f'site https://{name} "Tool {number}"', "  login", f"  favicon tool{number % 7}"]
    if number % 6 == 1:
        return [f"name {name} A {address}", f'site https://{name} "Shop {number}"', '  generator "Hugo 0.120.4"', "  cookie sid careful", "  exposes git" if number % 4 == 3 else "  twin git"]
    if number % 6 == 2:
        return [f"name {name} CNAME {label(number - 1)}.acme.test"]
    if number % 6 == 3:
        return [f"name {name} A {address}", f"host {address}", '  port 22 ssh "OpenSSH_10.0"', f'site http://{name}:8080 "Build {number}"']
    if number % 6 == 4:
        return [f"name {name} A {address}", f"host {address}", f'  port 25 smtp "{name} ESMTP"', "  port 993 imap tls names " + name]
    return [f"name {name} A {address}", f"host {address}", "  port 6379 redis password", "  port 22 ssh"]


def world(name, hosts):
    """The text of the organisation with so many hosts; none leaves its domain, its mail and its site."""
    blocks = [f"block {FIRST + first}/27 of acme asn AS64500 named ACME-{first // BLOCK}" for first in range(0, hosts, BLOCK)]
    lines = [line for number in range(hosts) for line in host(number)]
    return "\n".join([f'world {name} "Acme with {hosts} hosts"', HEAD, *blocks, *lines]) + "\n"
