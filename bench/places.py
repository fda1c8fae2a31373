"""Where a thing is that a scan printed: name or address, port, URL, in the words of the lab of real servers."""
import ipaddress, re
from urllib.parse import urlsplit


def place(name):
    """What the name of an entity says: name or address, port, URL."""
    if re.match(r"https?://", name):
        url = urlsplit(name)
        where = host(url.hostname or "")
        return {**where, "port": url.port or (443 if url.scheme == "https" else 80), "url": name}
    certificate = re.fullmatch(r"(.+) \([0-9a-fA-F:]+\)", name)
    if certificate:
        return host(certificate[1])
    service = re.fullmatch(r"\[?([0-9a-fA-F.:]+?)\]?:(\d+)/(tcp|udp)", name)
    if service:
        return {"address": service[1], "port": int(service[2]), **({"transport": "udp"} if service[3] == "udp" else {})}
    return host(name)


def host(text):
    try:
        return {"address": str(ipaddress.ip_address(text.strip("[]")))}
    except ValueError:
        return {"name": text.lower().rstrip(".")}


def entity(hit):
    kind = (hit.get("entity_type") or hit.get("type") or "").split("::")[-1]
    if kind not in ("Domain", "DnsRecord", "IpAddress", "NetworkService", "Uri", "Nameserver", "Mailserver"):
        return None
    scoped = (hit.get("summary") or {}).get("scoped", True)
    return {**place(hit.get("name") or hit["entity_name"]), **({} if scoped else {"scope": "out"})}
