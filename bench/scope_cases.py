"""Contacts with the verdicts that a person gave them: what `scope_rules` must say. Each case adds lines to one small world and lists contacts of it,
`ADDRESS:PORT[/udp] NAME ASKED` with `-` for no name, after `may` or `must not`; a line `run …` is as in the worlds that `scope` keeps."""
from scope_rules import Judge, World

BASE = """world cases "Cases"
seeds acme.test
org acme "Acme Tools" ours
org host "Host Co" vendor
org others "Somebody" stranger
block 203.0.113.0/24 of acme asn AS64500 named ACME
block 198.51.100.0/25 of host named HOSTCO
block 198.51.100.128/25 of host named CLOUDFLARENET
block 192.0.2.0/24 of others named OTHERS
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone others.test of others
  ns ns1.others.test 192.0.2.2
name www.others.test A 192.0.2.10
site https://www.others.test "Others"
"""
CASES = """
# A part that is handed to the servers of the zone above cannot be told from their own.
zone part.acme.test of others
  ns ns1.acme.test
name www.part.acme.test A 192.0.2.40
site https://www.part.acme.test "Part"
may 192.0.2.40:443 www.part.acme.test GET /.env

# A name of ours at our own address: everything up to the level of the run.
name www.acme.test A 203.0.113.10
may 203.0.113.10:443 www.acme.test GET /.git/HEAD
may 203.0.113.10:8080 - -
may 203.0.113.10:443 - tls
may 203.0.113.10:443 www.others.test GET /
may 203.0.113.2:53/udp www.acme.test dns A
may 203.0.113.2:53 acme.test dns AXFR
may 203.0.113.2:53/udp www.others.test dns A
may 198.19.0.1:53/udp www.others.test dns A
may 198.19.0.11:443 rdap.org GET /domain/acme.test
must not 192.0.2.10:443 www.others.test tls
must not 192.0.2.10:443 - -
must not 192.0.2.2:53/udp www.others.test dns A
must not 203.0.113.10:443 www.acme.test PUT /x

# The level of the run bounds everything.
name www.acme.test A 203.0.113.10
run level=passive
may 203.0.113.2:53/udp www.acme.test dns A
may 198.19.0.10:443 crt.sh GET /
must not 203.0.113.10:443 www.acme.test tls
must not 203.0.113.2:53 acme.test dns AXFR
run level=polite
may 203.0.113.10:443 www.acme.test GET /
may 203.0.113.10:443 - GET /
must not 203.0.113.10:8080 - -
must not 203.0.113.10:443 www.acme.test GET /.env
run level=intensive
may 203.0.113.10:443 www.acme.test PUT /x

# Only our names are known to lead there: that is no evidence; a browser's requests under them are all that may be done.
name www.acme.test A 198.51.100.9
may 198.51.100.9:443 - -
may 198.51.100.9:80 www.acme.test GET /robots.txt
may 198.51.100.9:443 - tls
must not 198.51.100.9:443 - GET /
must not 198.51.100.9:22 - -
must not 198.51.100.9:8443 www.acme.test tls
must not 198.51.100.9:443 www.acme.test GET /.git/HEAD
must not 198.51.100.9:443 www.others.test tls
must not 198.51.100.9:443 api.acme.test tls
must not 198.51.100.9:53/udp www.acme.test dns A

# A forward-confirmed reverse name in our domain is evidence, one that leads elsewhere or is another's is none.
name www.acme.test A 198.51.100.9
name old.acme.test A 198.51.100.77
host 198.51.100.9
  ptr www.acme.test
host 198.51.100.10
  ptr www.acme.test
host 198.51.100.77
  ptr static-77.others.test
may 198.51.100.9:22 - -
must not 198.51.100.10:22 - -
must not 198.51.100.10:443 www.acme.test tls
must not 198.51.100.77:22 - -

# The default certificate is evidence where it is of our domains alone and a name of ours leads there.
name a.acme.test A 198.51.100.9
site https://a.acme.test "Ours by default"
name b.acme.test A 198.51.100.11
site https://b.acme.test "Shared"
  cert names b.acme.test www.others.test
site https://fake.acme.test "Forged" at 192.0.2.66
name c.acme.test A 198.51.100.12
site https://c.acme.test "Second"
site https://tenant.others.test "Default" at 198.51.100.12
  default
name d.acme.test A 198.51.100.200
site https://d.acme.test "At a content network"
may 198.51.100.9:22 - -
must not 198.51.100.11:22 - -
must not 192.0.2.66:443 - tls
must not 198.51.100.12:22 - -
may 198.51.100.200:443 d.acme.test GET /
must not 198.51.100.200:22 - -
must not 198.51.100.200:443 - tls

# Where a registry can be asked which network that is, a reverse name of ours is no evidence there; where none can be, it is. The certificate is not asked for.
name d.acme.test A 198.51.100.200
name e.acme.test A 198.51.100.201
site https://e.acme.test "At a content network" at 198.51.100.201
host 198.51.100.200
  ptr d.acme.test
must not 198.51.100.200:22 - -
run exclude=rdap.org
must not 198.51.100.200:22 - -
run exclude=198.19.0.13
must not 198.51.100.200:22 - -
run exclude=198.19.0.11,whois.iana.org
may 198.51.100.200:22 - -
may 198.51.100.200:443 d.acme.test GET /.env
must not 198.51.100.201:22 - -
must not 198.51.100.201:443 - tls
may 198.51.100.201:443 e.acme.test GET /
run exclude=data.iana.org,whois.rdap-registry.example
may 198.51.100.200:22 - -

# A zone that was handed to somebody else: L2, whatever the log says; our own child zone with another's servers: everything.
zone shop.acme.test of others
  ns ns1.others.test
name www.shop.acme.test A 192.0.2.75
site https://www.shop.acme.test "Shop"
zone cloud.acme.test of acme
  ns ns7.host.test 198.51.100.53
name cloud.acme.test A 203.0.113.80
may 192.0.2.75:443 www.shop.acme.test GET /
may 192.0.2.2:53/udp www.shop.acme.test dns MX
must not 192.0.2.75:22 - -
must not 192.0.2.2:53 shop.acme.test dns AXFR
may 198.51.100.53:53 cloud.acme.test dns AXFR
must not 198.51.100.53:22 - -

# An alias: our name may be asked for, the other name not, and nothing but web ports.
name pay.acme.test CNAME acme.pay.test
zone pay.test of others
  ns ns1.others.test
name acme.pay.test A 192.0.2.30
may 192.0.2.30:443 pay.acme.test GET /
must not 192.0.2.30:443 acme.pay.test GET /
must not 192.0.2.30:443 - tls
must not 192.0.2.30:8080 - -

# Links, redirects, mail, SPF, services and look-alike names lead nowhere; the port of a URL of ours is one of a browser.
name acme.test A 203.0.113.10 MX 10 mx.others.test TXT "v=spf1 ip4:192.0.2.0/24 -all"
name mx.others.test A 192.0.2.25
name app.acme.test A 198.51.100.9
name app2.acme.test A 198.51.100.10
zone notacme.test of others
  ns ns1.others.test
name notacme.test A 192.0.2.40
name acme.test.others.test A 192.0.2.41
site https://acme.test "Acme"
  links https://notacme.test/ https://192.0.2.9/ https://app.acme.test:8443/ https://www.others.test:8443/
must not 192.0.2.25:25 - -
must not 192.0.2.40:443 notacme.test tls
must not 192.0.2.41:443 acme.test.others.test tls
must not 192.0.2.9:443 - -
may 198.51.100.9:8443 app.acme.test GET /
may 198.51.100.9:8443 - -
must not 198.51.100.10:8443 - -
must not 192.0.2.10:8443 www.others.test tls

# Blocks: ours by registration, the narrowest counts; a seed is a person's word for all of it.
block 203.0.113.96/28 of others named ALIEN
may 203.0.113.9:22 - -
must not 203.0.113.97:22 - -
run seeds=acme.test,203.0.113.0/24
may 203.0.113.97:22 - -

# Seeds of other kinds.
name www.acme.test A 203.0.113.10
name www.others.test A 192.0.2.10
run seeds=www.others.test
may 192.0.2.10:443 www.others.test GET /
must not 192.0.2.2:53 others.test dns AXFR
run seeds=192.0.2.10
may 192.0.2.10:22 - -
must not 192.0.2.11:22 - -

# A site as a seed is that site; a host as a seed says nothing of its neighbours.
name www.acme.test A 198.51.100.9
name api.acme.test A 198.51.100.10
run seeds=https://www.acme.test:8443/
may 198.51.100.9:8443 www.acme.test GET /.git/HEAD
may 198.51.100.9:443 www.acme.test GET /
must not 198.51.100.9:443 www.acme.test GET /.git/HEAD
must not 198.51.100.9:22 - -
must not 198.51.100.10:443 api.acme.test GET /
run seeds=www.acme.test
must not 198.51.100.10:443 api.acme.test GET /
run seeds=https://192.0.2.9:9443/
may 192.0.2.9:9443 - GET /
may 192.0.2.9:80 - GET /
must not 192.0.2.9:22 - -

# A domain that is ours but no seed: what a browser does at first.
zone acme-group.test of acme
  ns ns1.acme.test
name acme-group.test A 198.51.100.9
may 198.51.100.9:443 acme-group.test GET /
must not 198.51.100.9:22 - -

# Reserved addresses, in any clothes.
name in.acme.test A 10.0.0.5 AAAA ::ffff:127.0.0.1 AAAA 64:ff9b::a9fe:a9fe AAAA 2002:a00:5::1
must not [2002:a00:5::1]:80 in.acme.test GET /
must not 10.0.0.5:443 in.acme.test tls
must not ::ffff:127.0.0.1:80 in.acme.test GET /
must not 64:ff9b::a9fe:a9fe:80 in.acme.test GET /
run seeds=10.0.0.0/28
may 10.0.0.5:22 - -

# Exclusions and what was denied hold for everything but resolvers.
name www.acme.test A 203.0.113.10
name only.acme.test A 198.51.100.9
run exclude=WWW.acme.test.,203.0.113.64/28,203.0.113.2,rdap.org,*.dev.acme.test,only.acme.test
must not 203.0.113.10:443 www.acme.test tls
must not 203.0.113.2:53/udp acme.test dns A
must not 203.0.113.65:22 - -
must not 198.19.0.11:443 rdap.org GET /ip/203.0.113.10
must not 203.0.113.10:443 x.dev.acme.test tls
must not 198.51.100.9:443 - tls
may 203.0.113.10:443 dev.acme.test tls
may 203.0.113.10:443 - tls
may 198.19.0.1:53/udp www.acme.test dns A
run seeds=acme.test,203.0.113.0/28 deny=IpAddress:203.0.113.10
must not 203.0.113.10:443 www.acme.test tls
may 203.0.113.11:22 - -
run seeds=203.0.113.0/28 deny=NetBlock:203.0.113.0/28
must not 203.0.113.11:22 - -
run deny=Domain:acme.test
must not 203.0.113.10:443 www.acme.test tls

# What a person allows.
name tenant.others.test A 192.0.2.20
run allow=IpAddress:192.0.2.20
may 192.0.2.20:22 - -
run allow=DnsRecord:tenant.others.test
may 192.0.2.20:443 tenant.others.test GET /
must not 192.0.2.20:22 - -
run allow=IpAddress:192.0.2.20 deny=IpAddress:192.0.2.20
may 192.0.2.20:22 - -
run allow=IpAddress:192.0.2.20 exclude=192.0.2.0/24
must not 192.0.2.20:22 - -

# Data providers send on to others; not to what is excluded or reserved.
zone late.test of acme
  ns ns1.acme.test
  registry https://rdap.others.test
name rdap.others.test A 192.0.2.90
may 192.0.2.90:443 rdap.others.test GET /domain/late.test
may 192.0.2.90:43 - -
must not 192.0.2.90:22 - -
run exclude=rdap.others.test,192.0.2.90
must not 192.0.2.90:443 rdap.others.test GET /domain/late.test
must not 192.0.2.90:43 - -

# A later state counts alone.
name www.acme.test A 203.0.113.10
state 2
name www.acme.test A 192.0.2.50
block 203.0.113.0/24 of others named SOLD
may 203.0.113.10:22 - -
run state=2
must not 203.0.113.10:22 - -
may 192.0.2.50:443 www.acme.test GET /
must not 192.0.2.50:22 - -
"""


def run_of(line):
    """The words of `run`: level, state, and lists by commas of seeds, exclude, deny and allow (KIND:NAME)."""
    return dict(word.split("=", 1) for word in line.split()[1:])


def judge_of(world_text, run, applied=None, again=False):
    """The judge for one `run` line; `applied` are the denials and allowances that were really made, `again` that a run saw the first state before."""
    world = World(world_text, int(run.get("state", 1)))
    marks = {verb: [tuple(mark.split(":", 1)) for mark in run.get(verb, "").split(",") if mark] for verb in ("deny", "allow")}
    if applied is not None:
        marks = {verb: [mark for mark in marks[verb] if mark in applied] for verb in marks}
    seeds = run["seeds"].split(",") if "seeds" in run else world.seeds
    levels = {"passive": 1, "polite": 2, "normal": 3, "intensive": 4}
    exclude = lambda run: [pattern for pattern in run.get("exclude", "").split(",") if pattern]
    first = next((run_of(line) for line in world_text.splitlines() if line.startswith("#run")), {})
    return Judge(world, seeds, levels[run.get("level", "normal")], exclude(run), again=again, before=World(world_text) if again else None,
                 before_exclude=exclude(first), **marks)


def contact_of(text):
    place, name, asked = text.split(" ", 2)
    where, port = place.rsplit(":", 1)
    port, _, transport = port.partition("/")
    return {"address": where.strip("[]"), "port": int(port), "transport": transport or "tcp", "name": None if name == "-" else name, "asked": "" if asked == "-" else asked}


def check():
    """What the rules say otherwise than the person did, and how many verdicts were asked for."""
    wrong, count = [], 0
    for case in CASES.strip().split("\n\n"):
        title, *lines = case.splitlines()
        told = [line for line in lines if line.startswith(("run ", "may ", "must not "))]
        text, run = BASE + "\n".join(line for line in lines if line not in told), {}
        for line in told:
            if line.startswith("run "):
                run = run_of(line)
                continue
            verdict = judge_of(text, run).verdict(contact_of(line.removeprefix("must not ").removeprefix("may ")))
            count += 1
            if (verdict is None) != line.startswith("may "):
                wrong.append(f"{title}\n    {line}: {verdict}")
    return wrong, count
