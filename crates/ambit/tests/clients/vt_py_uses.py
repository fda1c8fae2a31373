"""What the examples of vt-py show, written anew: the library is the one of the registry, unmodified, with no word of where the server is."""

import asyncio
import hashlib
import io

import vt
import vt.utils
from steps import ADDRESS, BAD, BAD_ID, DOMAIN, KEY, NAMES, OTHER_SITE, SITE, equal, eventually, fails, go

NEEDLE = b"a needle in a stack of hay"
NEEDLE_ID = hashlib.sha256(NEEDLE).hexdigest()
RULES = 'rule needle : hay { strings: $a = "a needle in" condition: $a }'
CONTACTS = ("contacted_domains", "contacted_ips", "contacted_urls")


def files_are_scanned_and_judged():
    with vt.Client(KEY) as client:
        analysis = client.scan_file(io.BytesIO(BAD), wait_for_completion=True)
        equal((analysis.status, analysis.stats["malicious"]), ("completed", 1))
        file = client.get_object("/files/{}", BAD_ID)
        equal(file.last_analysis_stats["malicious"], 1)
        equal(file.last_analysis_results["clients"]["result"], "bad_file")
        equal((file.type_tag, file.magic), ("text", "text"))
        again = client.get_object(f"/analyses/{analysis.id}/item")
        equal(again.id, BAD_ID)


def a_url_is_scanned_and_found_by_each_of_its_names():
    with vt.Client(KEY) as client:
        analysis = client.scan_url("http://Elsewhere.test", wait_for_completion=True)
        equal(analysis.status, "completed")
        canonical = hashlib.sha256(b"http://elsewhere.test/").hexdigest()
        for name in ("http://elsewhere.test", "http://Elsewhere.test:80/", "http://elsewhere.test/#top"):
            equal(client.get_object("/urls/{}", vt.url_id(name)).id, canonical)


def a_file_is_downloaded_by_each_of_its_hashes():
    with vt.Client(KEY) as client:
        for hashed in (hashlib.md5, hashlib.sha1, hashlib.sha256):
            copy = io.BytesIO()
            client.download_file(hashed(BAD).hexdigest(), copy)
            equal(copy.getvalue(), BAD)
        fails(vt.APIError, lambda: client.download_file("0" * 64, io.BytesIO()))


def what_a_search_finds_is_downloaded():
    async def first_files(query, limit):
        async with vt.Client(KEY) as client:
            found = {}
            async for file in client.iterator("/intelligence/search", params={"query": query}, limit=limit, batch_size=1):
                copy = io.BytesIO()
                await client.download_file_async(file.sha256, copy)
                found[file.sha256] = copy.getvalue()
            return found

    for query, limit in (("entity:file p:1+", 10), ("type:text submissions:1+", 1)):
        equal(eventually(lambda: asyncio.run(first_files(query, limit))), {BAD_ID: BAD})


def provenance_of_a_file_is_absent_and_not_an_error():
    with vt.Client(KEY) as client:
        file = client.get_object("/files/{}", BAD_ID)
        for member in ("monitor_info", "nsrl_info", "signature_info", "trusted_verdict"):
            equal(getattr(file, member, None), None)
        equal(file.tags, [])


def a_domain_says_what_is_known():
    with vt.Client(KEY) as client:
        domain = client.get_object("/domains/{}", DOMAIN)
        equal((domain.registrar, domain.creation_date.year), ("Anchor Registrar", 1998))
        records = {(record["type"], record["value"]) for record in domain.last_dns_records}
        assert {("A", ADDRESS), ("MX", "mail.acme.test"), ("NS", "ns1.acme.test"), ("TXT", "v=spf1 mx -all")} <= records, records
        equal([record["priority"] for record in domain.last_dns_records if record["type"] == "MX"], [10])
        equal([name.id for name in client.iterator(f"/domains/{DOMAIN}/subdomains", batch_size=2)], NAMES)
        equal([one.ip_address for one in client.iterator(f"/domains/{DOMAIN}/resolutions")], [ADDRESS])
        equal({one.url for one in client.iterator(f"/domains/{DOMAIN}/urls")}, {"https://acme.test/", "http://acme.test/"})


def an_address_says_what_is_known():
    with vt.Client(KEY) as client:
        address = client.get_object("/ip_addresses/{}", ADDRESS)
        equal((address.country, address.asn, address.network), ("NL", 64500, "203.0.113.0/25"))
        names = {one.host_name for one in client.iterator(f"/ip_addresses/{ADDRESS}/resolutions")}
        equal(names, {DOMAIN, "shop.acme.test", "www.acme.test"})


def a_url_says_what_is_known():
    with vt.Client(KEY) as client:
        url = client.get_object("/urls/{}", vt.url_id(SITE))
        equal((url.title, url.last_http_response_code), ("Acme Tools", 200))
        equal(url.last_http_response_headers["Server"], "nginx/1.28.0")
        equal(url.categories, {})
        page = io.BytesIO()
        client.download_file(url.last_http_response_content_sha256, page)
        equal(hashlib.sha256(page.getvalue()).hexdigest(), url.last_http_response_content_sha256)
        equal(len(page.getvalue()), url.last_http_response_content_length)
        other = client.get_object("/urls/{}", vt.url_id(OTHER_SITE))
        equal((other.last_http_response_code, other.redirection_chain[0]), (301, OTHER_SITE))


def a_network_observable_has_no_suspicious_files():
    async def read(path):
        async with vt.Client(KEY) as client:
            return [file.id async for file in client.iterator(path, limit=20)]

    async def all_of_them():
        paths = [f"/{which}/{relation}" for which in (f"domains/{DOMAIN}", f"ip_addresses/{ADDRESS}") for relation in ("downloaded_files", "communicating_files", "referrer_files")]
        return await asyncio.gather(*(read(path) for path in paths))

    equal(asyncio.run(all_of_them()), [[]] * 6)


def rules_are_imported_and_report_files():
    with vt.Client(KEY) as client:
        new = vt.Object("hunting_ruleset", obj_attributes={"name": "hay", "enabled": True, "rules": RULES})
        rules = client.post_object("/intelligence/hunting_rulesets", obj=new)
        client.scan_file(io.BytesIO(NEEDLE), wait_for_completion=True)
        path = "/intelligence/hunting_notification_files"
        (file,) = eventually(lambda: list(client.iterator(path, params={"filter": "tag:hay"})))
        equal((file.id, file.context_attributes["rule_name"], file.context_attributes["ruleset_id"]), (NEEDLE_ID, "needle", rules.id))
        # As the example does that watches networks: attributes without the rest of the object.
        change = {"data": {"type": "hunting_ruleset", "attributes": {"enabled": False}}}
        changed = vt.utils.make_sync(client.patch_async(f"/intelligence/hunting_rulesets/{rules.id}", json_data=change))
        equal(changed.status, 200)
        equal(client.get_object(f"/intelligence/hunting_rulesets/{rules.id}").enabled, False)


def a_search_of_the_past_finds_files():
    with vt.Client(KEY) as client:
        job = client.post_object("/intelligence/retrohunt_jobs", obj=vt.Object("retrohunt_job", obj_attributes={"rules": RULES}))
        job = eventually(lambda: client.get_object(f"/intelligence/retrohunt_jobs/{job.id}"), lambda job: job.status == "finished")
        equal((job.num_matches, job.progress), (1, 100))
        (file,) = client.iterator(f"/intelligence/retrohunt_jobs/{job.id}/matching_files")
        equal((file.id, file.context_attributes["rule_name"]), (NEEDLE_ID, "needle"))


def a_collection_has_what_its_text_names():
    with vt.Client(KEY) as client:
        new = vt.Object("collection", obj_attributes={"name": "indicators", "description": "of a report"})
        new.set_data("raw_items", f"www.acme.test\n{SITE}\n{ADDRESS}, {BAD_ID}")
        made = client.post_object("/collections", obj=new)
        counts = (made.domains_count, made.urls_count, made.ip_addresses_count, made.files_count)
        equal(counts, (1, 1, 1, 1))
        change = vt.Object("collection", obj_id=made.id)
        change.set_data("raw_items", "mail.acme.test")
        equal(client.patch_object(f"/collections/{made.id}", obj=change).domains_count, 2)
        names = [one.id for one in client.iterator(f"/collections/{made.id}/domains")]
        equal(sorted(names), ["mail.acme.test", "www.acme.test"])


def the_body_of_a_page_is_a_file_by_each_of_its_hashes():
    with vt.Client(KEY) as client:
        params = {"query": f"entity:file name:{DOMAIN} size:1+"}
        body = eventually(lambda: list(client.iterator("/intelligence/search", params=params, limit=1)))[0]
        for name in (body.md5, body.sha1, body.sha256):
            copy = io.BytesIO()
            client.download_file(name, copy)
            equal(hashlib.md5(copy.getvalue()).hexdigest(), body.md5)


def references_are_refused_and_not_lost():
    with vt.Client(KEY) as client:
        new = vt.Object("reference", obj_attributes={"title": "A report", "url": "https://reports.test/1"})
        equal(fails(vt.APIError, lambda: client.post_object("/references", obj=new)).code, "ForbiddenError")
        equal(list(client.iterator("/references")), [])


def private_scans_are_refused_and_not_lost():
    with vt.Client(KEY) as client:
        refused = fails(vt.APIError, lambda: client.scan_file_private(io.BytesIO(NEEDLE)))
        equal(refused.code, "ForbiddenError")
        equal(list(client.iterator("/private/files")), [])
        equal(fails(vt.APIError, lambda: client.get_object("/private/files/{}", BAD_ID)).code, "NotFoundError")


def comments_and_votes_are_left_and_read():
    with vt.Client(KEY) as client:
        comment = vt.Object("comment", obj_attributes={"text": "seen before #ours"})
        for path in (f"/files/{BAD_ID}", f"/domains/{DOMAIN}", f"/urls/{vt.url_id(SITE)}"):
            client.post_object(f"{path}/comments", obj=comment)
            (read,) = client.iterator(f"{path}/comments")
            equal((read.text, read.tags), ("seen before #ours", ["ours"]))
        client.post_object(f"/domains/{DOMAIN}/votes", obj=vt.Object("vote", obj_attributes={"verdict": "harmless"}))
        equal(client.get_object(f"/domains/{DOMAIN}").total_votes, {"harmless": 1, "malicious": 0})


go(
    files_are_scanned_and_judged,
    a_url_is_scanned_and_found_by_each_of_its_names,
    a_file_is_downloaded_by_each_of_its_hashes,
    what_a_search_finds_is_downloaded,
    provenance_of_a_file_is_absent_and_not_an_error,
    a_domain_says_what_is_known,
    an_address_says_what_is_known,
    a_url_says_what_is_known,
    a_network_observable_has_no_suspicious_files,
    rules_are_imported_and_report_files,
    a_search_of_the_past_finds_files,
    a_collection_has_what_its_text_names,
    the_body_of_a_page_is_a_file_by_each_of_its_hashes,
    references_are_refused_and_not_lost,
    private_scans_are_refused_and_not_lost,
    comments_and_votes_are_left_and_read,
)
