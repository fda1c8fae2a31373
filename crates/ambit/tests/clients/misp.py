"""The modules that MISP asks of the service: misp-modules of the registry, unmodified, called as MISP calls them."""

import asyncio
import base64
import hashlib
import json
import uuid

from steps import ADDRESS, BAD, BAD_ID, DOMAIN, KEY, NAMES, SITE, equal, eventually, go

asyncio.set_event_loop(asyncio.new_event_loop())

import vt
from misp_modules.modules.expansion import google_threat_intelligence, virustotal, virustotal_downloader, virustotal_public, virustotal_upload
from misp_modules.modules.export_mod import virustotal_collections

ENRICHING = (virustotal, virustotal_public, google_threat_intelligence)


def enriched(module, kind, value):
    """What a module makes of an attribute: other attributes, and by their names objects, each as pairs of relation and value."""
    request = {"config": {"apikey": KEY}, "attribute": {"type": kind, "value": value, "uuid": str(uuid.uuid4())}}
    answer = module.dict_handler(request) if hasattr(module, "dict_handler") else module.handler(json.dumps(request))
    assert "results" in answer, f"{module.__name__} of {kind} {value}: {answer}"
    attributes = [one["value"] for one in answer["results"].get("Attribute", [])]
    objects = {}
    for one in answer["results"].get("Object", []):
        objects.setdefault(one["name"], []).extend((part["object_relation"], part["value"]) for part in one["Attribute"])
    return attributes, objects


def ratio(objects):
    """The first of the ratios of detections, which is that of the attribute itself."""
    reports = objects.get("virustotal-report") or objects["google-threat-intelligence-report"]
    return dict(reports[:2])["detection-ratio"]


def a_sample_is_uploaded():
    request = {"config": {"virustotal_apikey": KEY}, "attachment": "sample", "data": base64.b64encode(BAD).decode()}
    (result,) = virustotal_upload.handler(json.dumps(request))["results"]
    assert BAD_ID in result["values"], result
    with vt.Client(KEY) as client:
        eventually(lambda: client.get_object(f"/files/{BAD_ID}").last_analysis_stats["malicious"])


def domains_get_their_registration_names_and_addresses():
    for module in ENRICHING:
        attributes, objects = enriched(module, "domain", DOMAIN)
        equal(attributes, NAMES)
        equal(objects["domain-ip"], [("domain", DOMAIN), ("ip", ADDRESS)])
        ((_, registration),) = objects["whois"]
        assert "Anchor Registrar" in registration, registration


def addresses_get_their_network_and_names():
    for module in ENRICHING:
        for kind in ("ip-src", "ip-dst"):
            _, objects = enriched(module, kind, ADDRESS)
            wanted = {"asn": "64500", "subnet-announced": "203.0.113.0/25", "country": "NL"}
            equal({relation: str(value) for relation, value in objects["asn"]}, wanted)
            names = {value for relation, value in objects["domain-ip"] if relation == "domain"}
            equal(names, {DOMAIN, "shop.acme.test", "www.acme.test"})


def urls_are_known_by_what_people_write():
    canonical = hashlib.sha256(SITE.encode()).hexdigest()
    for module in ENRICHING:
        for written in (SITE, "https://www.acme.test", "https://WWW.acme.test:443/"):
            _, objects = enriched(module, "url", written)
            assert ("url", canonical) in objects["url"], objects


def files_are_known_by_each_hash_with_their_verdict():
    for module in ENRICHING:
        for hashed in (hashlib.md5, hashlib.sha1, hashlib.sha256):
            _, objects = enriched(module, hashed().name, hashed(BAD).hexdigest())
            equal(dict(objects["file"])["sha256"], BAD_ID)
            equal(ratio(objects), "1/1")


def a_sample_is_downloaded():
    request = {"config": {"apikey": KEY}, "attribute": {"type": "md5", "value": hashlib.md5(BAD).hexdigest(), "uuid": str(uuid.uuid4())}}
    answer = virustotal_downloader.handler(json.dumps(request))
    ((sample,),) = [[part for part in one["Attribute"] if part["object_relation"] == "attachment"] for one in answer["results"]["Object"]]
    equal(base64.b64decode(sample["data"]), BAD)


def an_event_becomes_a_collection():
    attributes = [("domain", "www.acme.test"), ("ip-dst", ADDRESS), ("sha256", BAD_ID), ("url", SITE)]
    event = {"uuid": str(uuid.uuid4()), "info": "An event"}
    data = [{"Event": event, "Attribute": [{"type": kind, "value": value} for kind, value in attributes]}]
    answer = virustotal_collections.handler(json.dumps({"config": {"vt_api_key": KEY}, "data": data}))
    said = base64.b64decode(answer["data"]).decode()
    start, _, link = said.partition(": ")
    equal(start, event["uuid"])
    with vt.Client(KEY) as client:
        made = client.get_object("/collections/" + link.split("/")[-2])
        counts = (made.domains_count, made.ip_addresses_count, made.files_count, made.urls_count)
        equal((made.name, counts), ("An event", (1, 1, 1, 1)))


go(
    a_sample_is_uploaded,
    domains_get_their_registration_names_and_addresses,
    addresses_get_their_network_and_names,
    urls_are_known_by_what_people_write,
    files_are_known_by_each_hash_with_their_verdict,
    a_sample_is_downloaded,
    an_event_becomes_a_collection,
)
