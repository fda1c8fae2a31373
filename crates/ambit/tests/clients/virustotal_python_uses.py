"""The steps of the README of virustotal-python (of the registry, unmodified), in version 3 of the API and in version 2."""

import base64
import hashlib
import io

import requests
from steps import ADDRESS, BAD, BAD_ID, DOMAIN, KEY, NAMES, equal, eventually, fails, go
from virustotal_python import Virustotal
from virustotal_python.virustotal import VirustotalError


def a_file_is_sent_and_read():
    with Virustotal(API_KEY=KEY) as api:
        sent = api.request("files", files={"file": ("sample", io.BytesIO(BAD))}, method="POST")
        equal((sent.status_code, sent.object_type), (200, "analysis"))
        judged = lambda: api.request(f"files/{BAD_ID}").data["attributes"]["last_analysis_stats"]["malicious"]
        equal(eventually(judged), 1)
        read = api.request(f"files/{BAD_ID}")
        equal((read.object_type, read.data["attributes"]["md5"]), ("file", hashlib.md5(BAD).hexdigest()))


def a_url_is_sent_without_a_scheme_and_read():
    written = "ihaveaproblem.test"
    with Virustotal(API_KEY=KEY) as api:
        sent = api.request("urls", data={"url": written}, method="POST")
        equal(sent.object_type, "analysis")
        name = base64.urlsafe_b64encode(written.encode()).decode().strip("=")
        read = api.request(f"urls/{name}")
        equal((read.object_type, read.data["attributes"]["url"]), ("url", f"http://{written}/"))


def domains_and_addresses_are_read_with_relationships():
    with Virustotal(API_KEY=KEY) as api:
        equal(api.request(f"domains/{DOMAIN}").data["attributes"]["registrar"], "Anchor Registrar")
        names = api.request(f"domains/{DOMAIN}/subdomains", params={"limit": 2})
        equal([one["id"] for one in names.data], NAMES[:2])
        rest = api.request(f"domains/{DOMAIN}/subdomains", params={"limit": 10, "cursor": names.cursor})
        equal([one["id"] for one in rest.data], NAMES[2:])
        equal(api.request(f"ip_addresses/{ADDRESS}").data["attributes"]["asn"], 64500)
        error = fails(VirustotalError, lambda: api.request("domains/nobody.test"))
        equal(error.error()["code"], "NotFoundError")


def comments_and_votes_are_left():
    with Virustotal(API_KEY=KEY) as api:
        comment = {"data": {"type": "comment", "attributes": {"text": "a comment of #virustotal_python"}}}
        made = api.request(f"domains/{DOMAIN}/comments", json=comment, method="POST")
        assert made.data["id"] in [one["id"] for one in api.request(f"domains/{DOMAIN}/comments").data]
        equal(api.request(f"comments/{made.data['id']}", method="DELETE").status_code, 200)
        vote = {"data": {"type": "vote", "attributes": {"verdict": "malicious"}}}
        api.request(f"ip_addresses/{ADDRESS}/votes", json=vote, method="POST")
        equal(api.request(f"ip_addresses/{ADDRESS}").data["attributes"]["total_votes"]["malicious"], 1)


def version_2_is_asked():
    with Virustotal(API_KEY=KEY, API_VERSION=2) as api:
        report = api.request("file/report", params={"resource": BAD_ID}).json()
        equal((report["response_code"], report["positives"], report["scans"]["clients"]["result"]), (1, 1, "bad_file"))
        page = requests.get(report["permalink"], timeout=60)
        equal((page.status_code, page.headers["content-type"]), (200, "text/html; charset=utf-8"))
        equal(api.request("domain/report", params={"domain": DOMAIN}).json()["subdomains"], NAMES)


go(
    a_file_is_sent_and_read,
    a_url_is_sent_without_a_scheme_and_read,
    domains_and_addresses_are_read_with_relationships,
    comments_and_votes_are_left,
    version_2_is_asked,
)
