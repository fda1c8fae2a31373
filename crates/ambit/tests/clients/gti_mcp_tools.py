"""The tools of the GTI MCP server (gti-mcp of the registry, unmodified), called as a language model calls them."""

import asyncio
import hashlib
import os
import tempfile

from steps import ADDRESS, BAD, BAD_ID, DOMAIN, KEY, NAMES, OTHER_SITE, SITE, equal, eventually, go

os.environ["VT_APIKEY"] = KEY

from gti_mcp.server import server

STATE = {}


def tool(name, /, **arguments):
    """What a tool answers."""
    _, structured = asyncio.run(server.call_tool(name, arguments))
    return structured["result"] if structured.keys() == {"result"} else structured


def ids(found):
    return sorted(one["id"] for one in found)


def both(name, relation, /, **which):
    """The ids of related objects, which are the same whether the tool asks for descriptors or for whole objects."""
    lists = [ids(tool(name, relationship_name=relation, descriptors_only=short, **which)) for short in (True, False)]
    equal(lists[0], lists[1])
    return lists[0]


def a_file_is_analysed_and_reported():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample")
        with open(path, "wb") as file:
            file.write(BAD)
        (analysed,), _ = asyncio.run(with_content("analyse_file", file_path=path))
        assert '"malicious": 1' in analysed.text, analysed.text
    report = tool("get_file_report", hash=hashlib.md5(BAD).hexdigest())
    equal((report["id"], report["attributes"]["last_analysis_stats"]["malicious"]), (BAD_ID, 1))
    assert "error" in tool("get_file_report", hash="0" * 64)


async def with_content(name, /, **arguments):
    answer = await server.call_tool(name, arguments)
    return answer if isinstance(answer, tuple) else (answer, None)


def what_no_sandbox_saw_is_said_to_be_absent():
    assert "error" in tool("get_file_behavior_report", file_behaviour_id=f"{BAD_ID}_CAPA")
    for relation in ("contacted_domains", "dropped_files", "behaviours"):
        equal(both("get_entities_related_to_a_file", relation, hash=BAD_ID), [])


def a_domain_is_reported_with_what_it_is_related_to():
    report = tool("get_domain_report", domain=DOMAIN)
    equal((report["id"], report["attributes"]["registrar"]), (DOMAIN, "Anchor Registrar"))
    related = lambda relation: both("get_entities_related_to_a_domain", relation, domain=DOMAIN)
    equal(related("subdomains"), NAMES)
    equal(related("resolutions"), [f"{ADDRESS}{DOMAIN}"])
    equal(len(related("urls")), 2)
    equal(related("associations"), [])


def an_address_is_reported_with_what_it_is_related_to():
    report = tool("get_ip_address_report", ip_address=ADDRESS)
    equal((report["attributes"]["asn"], report["attributes"]["country"]), (64500, "NL"))
    related = both("get_entities_related_to_an_ip_address", "resolutions", ip_address=ADDRESS)
    equal(related, [f"{ADDRESS}{name}" for name in (DOMAIN, "shop.acme.test", "www.acme.test")])


def a_url_is_reported_with_what_it_is_related_to():
    report = tool("get_url_report", url=OTHER_SITE)
    equal((report["attributes"]["url"], report["attributes"]["last_http_response_code"]), (OTHER_SITE, 301))
    equal(both("get_entities_related_to_an_url", "redirecting_urls", url=SITE), [])
    equal(both("get_entities_related_to_an_url", "contacted_domains", url=SITE), [])


def indicators_are_searched():
    for query, found in (("entity:file p:1+", BAD_ID), (BAD_ID, BAD_ID), ("entity:domain name:shop", "shop.acme.test")):
        equal(eventually(lambda: ids(tool("search_iocs", query=query))), [found])
    equal(tool("search_iocs", query="entity:file name:nothing-is-called-so"), [])


def a_collection_is_made_changed_and_found():
    made = tool("create_collection", name="of a model", description="made by a tool", iocs=["www.acme.test", ADDRESS, BAD_ID, SITE])
    related = lambda relation: both("get_entities_related_to_a_collection", relation, id=made["id"])
    equal((related("domains"), related("ip_addresses"), related("files")), (["www.acme.test"], [ADDRESS], [BAD_ID]))
    equal(related("urls"), [hashlib.sha256(SITE.encode()).hexdigest()])
    for nothing in ("associations", "attack_techniques", "malware_families", "reports"):
        equal(related(nothing), [])
    change = lambda relation, operation, item: tool("update_iocs_in_collection", id=made["id"], relationship=relation, iocs=[item], operation=operation)
    assert "updated" in change("domains", "add", "mail.acme.test")
    assert "updated" in change("domains", "remove", "www.acme.test")
    assert "updated" in change("urls", "add", OTHER_SITE)
    equal((related("domains"), len(related("urls"))), (["mail.acme.test"], 2))
    equal(tool("update_collection_attributes", id=made["id"], attributes={"name": "of a person"})["attributes"]["name"], "of a person")
    equal(tool("get_collection_report", id=made["id"])["attributes"]["domains_count"], 1)
    equal(ids(tool("search_threats", query="person")), [made["id"]])
    for kind in ("vulnerabilities", "campaigns", "threat_actors", "malware_families"):
        equal(tool(f"search_{kind}", query="person"), [])


go(
    a_file_is_analysed_and_reported,
    what_no_sandbox_saw_is_said_to_be_absent,
    a_domain_is_reported_with_what_it_is_related_to,
    an_address_is_reported_with_what_it_is_related_to,
    a_url_is_reported_with_what_it_is_related_to,
    indicators_are_searched,
    a_collection_is_made_changed_and_found,
)
