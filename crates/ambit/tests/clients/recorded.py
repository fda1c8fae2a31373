"""What clients ask and read that no registry has for Python: their requests in their order, and the members of the answers that they need.

The tables below are observations of those programs, in our words: the OpenCTI connectors `virustotal`, `virustotal-livehunt-notifications` and
`virustotal-livehunt-rules` (version 7), TheHive's Cortex analyser VirusTotal 3.1, the connectors for Splunk SOAR, Google SecOps and Sekoia, vt-cli 1.1.
"""

import base64
import hashlib

import requests
from steps import ADDRESS, BAD, BAD_ID, DOMAIN, KEY, NAMES, OTHER_SITE, SITE, equal, eventually, go

BASE = "https://www.virustotal.com/api/v3"
SESSION = requests.Session()
SESSION.headers["x-apikey"] = KEY

RULES = 'rule straw : hay { strings: $a = "a straw in the wind" condition: $a }'
STRAW = b"a straw in the wind"
STRAW_ID = hashlib.sha256(STRAW).hexdigest()


def ask(method, path, status=200, **more):
    """The answer to one request, as JSON; None where it is empty. Links of answers are taken as they are."""
    answer = SESSION.request(method, path if path.startswith("https://") else BASE + path, timeout=60, **more)
    assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.json() if answer.text else None


def at(answer, place):
    """The member at a place such as `data.0.id`."""
    for name in place.split("."):
        answer = answer[int(name) if isinstance(answer, list) else name]
    return answer


def reads(path, members):
    """One GET whose answer has these members: values, types, or what says whether a value will do."""
    answer = ask("GET", path)
    for place, wanted in members.items():
        got = at(answer, place)
        if isinstance(wanted, type):
            assert isinstance(got, wanted), f"{path}: {place} is {got!r}, not {wanted.__name__}"
        elif callable(wanted):
            assert wanted(got), f"{path}: {place} is {got!r}"
        else:
            assert got == wanted, f"{path}: {place} is {got!r} instead of {wanted!r}"
    return answer


def sends_file(name, data):
    """The analysis of a file that was sent."""
    return ask("POST", "/files", files={"file": (name, data)})["data"]["id"]


def is_completed(analysis):
    return eventually(lambda: ask("GET", f"/analyses/{analysis}"), lambda read: read["data"]["attributes"]["status"] == "completed")


def plain_base64(url):
    """The name of a URL as the OpenCTI connector writes it."""
    return base64.b64encode(url.encode()).decode().replace("=", "")


def safe_base64(url):
    return base64.urlsafe_b64encode(url.encode()).decode().split("=")[0]


# --- OpenCTI, connector virustotal ---


def has_a_score(stats):
    """A share of malicious verdicts can be told: something looked."""
    return stats["malicious"] + stats["harmless"] + stats["undetected"] > 0


def names_engines(results):
    """The note has a row for each engine."""
    members = ("engine_name", "method", "category", "result")
    return results and all(member in row for row in results.values() for member in members)


ENRICHED = {"data.attributes.last_analysis_stats": has_a_score, "data.attributes.last_analysis_results": names_engines}


def link_of(kind, name):
    return f"{BASE}/{kind}/{name}"


def opencti_enriches_files():
    is_completed(sends_file("sample", BAD))
    reads(
        f"/files/{BAD_ID}",
        ENRICHED
        | {
            "data.links.self": link_of("files", BAD_ID),
            "data.attributes.md5": hashlib.md5(BAD).hexdigest(),
            "data.attributes.sha1": hashlib.sha1(BAD).hexdigest(),
            "data.attributes.sha256": BAD_ID,
            "data.attributes.size": len(BAD),
            "data.attributes.names": lambda names: "sample" in names,
            "data.attributes.tags": list,
        },
    )
    unknown = ask("GET", f"/files/{'0' * 64}", status=404)
    equal(unknown["error"]["code"], "NotFoundError")


def opencti_enriches_domains():
    records = lambda records: [record["value"] for record in records if record["type"] == "A"] == [ADDRESS]
    more = {"data.links.self": link_of("domains", DOMAIN), "data.attributes.last_dns_records": records, "data.attributes.creation_date": int}
    reads(f"/domains/{DOMAIN}", ENRICHED | more)


def opencti_enriches_addresses():
    more = {"data.links.self": link_of("ip_addresses", ADDRESS), "data.attributes.asn": 64500, "data.attributes.country": "NL"}
    reads(f"/ip_addresses/{ADDRESS}", ENRICHED | more)


def opencti_enriches_urls():
    reads(f"/urls/{plain_base64(SITE)}", ENRICHED | {"data.attributes.last_final_url": SITE})
    reads(f"/urls/{plain_base64(SITE)}/last_serving_ip_address", {"data.id": ADDRESS})
    unseen = "http://unseen.test/?a=b"
    for name in (plain_base64(unseen), hashlib.sha256(unseen.encode()).hexdigest()):
        equal(ask("GET", f"/urls/{name}", status=404)["error"]["code"], "NotFoundError")
    kind = {"content-type": "application/x-www-form-urlencoded"}
    analysis = ask("POST", "/urls", data="url=http%3A%2F%2Funseen.test%2F%3Fa%3Db", headers=kind)["data"]["id"]
    is_completed(analysis)
    reads(f"/urls/{plain_base64(unseen)}", {"data.attributes.url": unseen})


# --- OpenCTI, connectors of hunting ---


def opencti_brings_rules_and_fetches_what_they_find():
    attributes = {"name": "wind", "enabled": True, "rules": RULES, "limit": 100, "notification_emails": []}
    rules = ask("POST", "/intelligence/hunting_rulesets", json={"data": {"type": "hunting_ruleset", "attributes": attributes}})["data"]["id"]
    assert rules in [one["id"] for one in ask("GET", "/intelligence/hunting_rulesets")["data"]]
    sends_file("straw.txt", STRAW)
    query = {"descriptors_only": "False", "filter": "date:2020-01-01+ source_type:hunting_ruleset", "limit": "10"}
    found = eventually(lambda: ask("GET", "/ioc_stream", params=query)["data"])
    equal(len(found), 1)
    (file,) = found
    equal((file["id"], file["attributes"]["sha256"], file["attributes"]["size"]), (STRAW_ID, STRAW_ID, len(STRAW)))
    for member in ("md5", "sha1", "names", "tags", "last_analysis_stats", "last_analysis_results", "first_submission_date"):
        assert member in file["attributes"], f"{member} is not in {file['attributes']}"
    context = file["context_attributes"]
    equal(context["hunting_info"]["rule_name"], "straw")
    assert isinstance(context["notification_date"], int), context
    assert {"straw", "hay"} & set(context["tags"]), context
    equal([(source["id"], source["type"]) for source in context["sources"]], [(rules, "hunting_ruleset")])
    reads(f"/intelligence/hunting_rulesets/{rules}", {"data.attributes.rules": RULES})
    equal(SESSION.get(f"{BASE}/files/{STRAW_ID}/download", timeout=60).content, STRAW)
    ask("DELETE", f"/intelligence/hunting_rulesets/{rules}")


# --- TheHive, Cortex analyser ---


def relation(kind, name, which):
    """What the analyser shows of a relation: how many there are, and the URLs among them."""
    answer = ask("GET", f"/{kind}/{name}/{which}")
    related = answer["data"] if isinstance(answer["data"], list) else [answer["data"]]
    return answer.get("meta", {}).get("count", len(related)), [one["attributes"].get("url") for one in related]


def cortex_gets_reports():
    reads(f"/domains/{DOMAIN}", {"data.attributes.last_analysis_stats": has_a_score})
    count, urls = relation("domains", DOMAIN, "urls")
    equal((count, sorted(urls)), (2, ["http://acme.test/", "https://acme.test/"]))
    for nothing in ("downloaded_files", "referrer_files"):
        equal(relation("domains", DOMAIN, nothing), (0, []))
    reads(f"/domains/{DOMAIN}/resolutions", {"meta.count": 1})
    reads(f"/ip_addresses/{ADDRESS}", {"data.attributes.last_analysis_stats": has_a_score})
    reads(f"/ip_addresses/{ADDRESS}/resolutions", {"meta.count": 3})
    reads(f"/urls/{safe_base64(SITE)}", {"data.attributes.last_analysis_stats": has_a_score})
    for nothing in ("contacted_domains", "contacted_ips"):
        equal(relation("urls", safe_base64(SITE), nothing), (0, []))
    for name in (BAD_ID, hashlib.md5(BAD).hexdigest()):
        reads(f"/files/{name}", {"data.id": BAD_ID, "data.attributes.last_analysis_stats.malicious": 1})
        equal(relation("files", name, "contacted_domains"), (0, []))


def cortex_scans_and_scans_again():
    analysis = sends_file("sample", BAD)
    equal(base64.b64decode(analysis).decode().split(":")[0], hashlib.md5(BAD).hexdigest())
    read = is_completed(analysis)
    equal((read["data"]["attributes"]["stats"]["malicious"], list(read["data"]["attributes"]["results"])), (1, ["clients"]))
    again = ask("POST", f"/files/{BAD_ID}/analyse")["data"]
    equal((again["type"], is_completed(again["id"])["data"]["attributes"]["stats"]["malicious"]), ("analysis", 1))
    analysis = ask("POST", "/urls", data={"url": OTHER_SITE})["data"]["id"]
    equal(analysis.split("-")[1], hashlib.sha256(OTHER_SITE.encode()).hexdigest())


# --- Connectors for Splunk SOAR, Google SecOps and Sekoia ---


def connectors_find_what_was_analysed():
    read = is_completed(sends_file("sample", BAD))
    equal((read["meta"]["file_info"]["sha256"], read["data"]["links"]["item"]), (BAD_ID, link_of("files", BAD_ID)))
    read = is_completed(ask("POST", "/urls", data={"url": OTHER_SITE})["data"]["id"])
    equal(read["meta"]["url_info"]["id"], hashlib.sha256(OTHER_SITE.encode()).hexdigest())


def connectors_try_their_key_and_ask_of_what_is_not_there():
    equal(ask("GET", "/users/me")["data"]["id"], "owner")
    equal(ask("GET", "/ip_addresses/8.8.4.4/comments?limit=40")["data"], [])
    equal(ask("GET", "/collections", params={"filter": 'collection_type:threat-actor name: "APT 1"'})["data"], [])


# --- vt-cli ---


def pages(path):
    """Every object of a list, by its links, which lead to the host that was asked."""
    found, next_page = [], path
    while next_page:
        answer = ask("GET", next_page)
        found += answer["data"]
        next_page = answer["links"].get("next")
        assert next_page is None or next_page.startswith(BASE), next_page
    return found


def vt_cli_makes_its_commands_of_the_relationships():
    relationships = ask("GET", "/metadata")["data"]["relationships"]
    for kind, some in (("file", "comments"), ("domain", "subdomains"), ("ip_address", "resolutions"), ("url", "network_location")):
        assert some in [one["name"] for one in relationships[kind]], f"{kind}: {relationships[kind]}"


def vt_cli_scans_and_downloads():
    analysis = sends_file("bad", BAD)
    is_completed(analysis)
    reads(f"/analyses/{analysis}/item", {"data.id": BAD_ID})
    sent = ask("POST", "/urls", files={"url": (None, "http://Written.test")})["data"]["id"]
    reads(f"/analyses/{sent}", {"data.attributes.status": "completed"})
    reads(f"/urls/{safe_base64('http://Written.test')}", {"data.attributes.url": "http://written.test/"})
    link = ask("GET", f"/files/{BAD_ID}/download_url")["data"]
    assert link.startswith("https://www.virustotal.com/"), link
    # The link is signed and needs no key.
    equal((requests.head(link, timeout=60).status_code, requests.get(link, timeout=60).content), (200, BAD))


def vt_cli_lists_page_after_page():
    equal([one["id"] for one in pages(f"/domains/{DOMAIN}/subdomains?limit=2")], NAMES)
    equal(sorted(one["id"] for one in pages("/intelligence/search?query=entity%3Adomain&limit=2")), sorted([DOMAIN, *NAMES]))
    found = eventually(lambda: pages("/intelligence/search?query=entity%3Afile+p%3A1%2B&limit=10"))
    equal([one["id"] for one in found], [BAD_ID])


def vt_cli_hunts():
    new = {"data": {"type": "hunting_ruleset", "attributes": {"name": "of the shell", "rules": RULES}}}
    rules = ask("POST", "/intelligence/hunting_rulesets", json=new)["data"]["id"]
    change = lambda **attributes: ask("PATCH", f"/intelligence/hunting_rulesets/{rules}", json={"data": {"type": "hunting_ruleset", "id": rules, "attributes": attributes}})
    equal(change(enabled=True)["data"]["attributes"]["enabled"], True)
    equal(change(name="other")["data"]["attributes"]["name"], "other")
    listed = {one["id"]: one for one in pages("/intelligence/hunting_rulesets?relationships=owner,editors&limit=10")}
    equal(listed[rules]["relationships"]["owner"]["data"]["id"], "owner")
    ask("DELETE", f"/intelligence/hunting_rulesets/{rules}")
    job = ask("POST", "/intelligence/retrohunt_jobs", json={"data": {"type": "retrohunt_job", "attributes": {"rules": RULES}}})["data"]["id"]
    done = eventually(lambda: ask("GET", f"/intelligence/retrohunt_jobs/{job}")["data"]["attributes"], lambda job: job["status"] == "finished")
    equal((done["num_matches"], done["progress"]), (1, 100))
    equal([one["id"] for one in pages(f"/intelligence/retrohunt_jobs/{job}/matching_files")], [STRAW_ID])


def vt_cli_makes_collections():
    new = {"data": {"type": "collection", "attributes": {"name": "x", "description": "y"}, "raw_items": f"www.acme.test {ADDRESS}"}}
    made = ask("POST", "/collections", json=new)["data"]
    equal((made["attributes"]["domains_count"], made["attributes"]["ip_addresses_count"]), (1, 1))
    equal([one["id"] for one in pages(f"/collections/{made['id']}/domains")], ["www.acme.test"])
    ask("DELETE", f"/collections/{made['id']}")
    ask("GET", f"/collections/{made['id']}", status=404)


go(
    opencti_enriches_files,
    opencti_enriches_domains,
    opencti_enriches_addresses,
    opencti_enriches_urls,
    opencti_brings_rules_and_fetches_what_they_find,
    cortex_gets_reports,
    cortex_scans_and_scans_again,
    connectors_find_what_was_analysed,
    connectors_try_their_key_and_ask_of_what_is_not_there,
    vt_cli_makes_its_commands_of_the_relationships,
    vt_cli_scans_and_downloads,
    vt_cli_lists_page_after_page,
    vt_cli_hunts,
    vt_cli_makes_collections,
)
