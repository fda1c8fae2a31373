"""The documented main use of the PyPI clients vt-py, vt-graph-api and virustotal-api, unmodified, against a server on loopback.

Environment: BASE (http://127.0.0.1:PORT) and the API keys OWNER, ADMIN, ANALYST, VIEWER, MEMBER and STRANGER. The group `blue` has
the member `analyst`; `viewer` may make two requests, and a third after this program has asked for it on its output (RAISE) and read a line; an hour passes
when it asks for that (ADVANCE). Ends with
the exit code 1 at the first step that fails, whose name and traceback it prints.
"""

import hashlib
import io
import os
import random
import sys
import tempfile
import traceback
import zipfile

os.dup2(1, 2)

BASE = os.environ["BASE"]
OWNER, ADMIN, ANALYST, VIEWER, MEMBER, STRANGER = (
    os.environ[name] for name in ("OWNER", "ADMIN", "ANALYST", "VIEWER", "MEMBER", "STRANGER")
)
RAISE = "raise the quota of viewer"
HUNT = "let the rules look"
ADVANCE = "an hour passes"
# When the clock of the server begins.
FIRST_MINUTE = "202601311200"
# Of files that are uploaded: the smallest, an ordinary one, and the largest.
SIZES = [1, 1_000, 64 * 1024 * 1024]

# Made in the first steps, looked at in later ones.
STATE = {}


def only_loopback(event, arguments):
    """No connection leaves the machine, whatever a client has in mind."""
    if event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] != "127.0.0.1":
        raise RuntimeError(f"a client connects to {arguments[1]}")
    if event == "socket.getaddrinfo" and arguments[0] not in ("127.0.0.1", b"127.0.0.1"):
        raise RuntimeError(f"a client looks up {arguments[0]}")


sys.addaudithook(only_loopback)

import requests

# vt-graph-api has the address of the service in its source: requests to it go to our server instead.
SERVICE = "https://www.virustotal.com"
send = requests.Session.request


def send_to_us(session, method, url, *arguments, **named):
    if url.startswith(SERVICE):
        url = BASE + url[len(SERVICE) :]
    return send(session, method, url, *arguments, **named)


requests.Session.request = send_to_us

import vt
from virus_total_apis import PublicApi
from vt_graph_api import VTGraph
from vt_graph_api.errors import CollaboratorNotFoundError, LoadError, SaveGraphError


def equal(got, wanted):
    assert got == wanted, f"{got!r} instead of {wanted!r}"


def fails(error, call):
    """The error that a call raises."""
    try:
        result = call()
    except error as raised:
        return raised
    raise AssertionError(f"{result!r} instead of an error")


# --- vt-py ---


def files_are_uploaded_analysed_and_downloaded():
    with vt.Client(OWNER, host=BASE) as client:
        for size in SIZES:
            data = random.Random(size).randbytes(size)
            sha256 = hashlib.sha256(data).hexdigest()
            analysis = client.scan_file(io.BytesIO(data), wait_for_completion=True)
            equal((analysis.type, analysis.status), ("analysis", "completed"))
            file = client.get_object("/files/{}", sha256)
            equal((file.id, file.size, file.sha1), (sha256, size, hashlib.sha1(data).hexdigest()))
            equal(file.last_submission_date.year, 2026)
            equal(client.get_object("/files/" + file.md5).id, sha256)
            copy = io.BytesIO()
            client.download_file(sha256, copy)
            assert copy.getvalue() == data, f"{size} bytes came back as {len(copy.getvalue())} or others"
            again = client.get_object("/analyses/{}", analysis.id)
            equal(again.status, "completed")
        STATE["file"] = sha256
        error = fails(vt.APIError, lambda: client.get_object("/files/" + "0" * 64))
        equal(error.code, "NotFoundError")


def files_are_packed_with_a_password():
    with vt.Client(OWNER, host=BASE) as client:
        small = hashlib.sha256(random.Random(1).randbytes(1)).hexdigest()
        packed = io.BytesIO()
        client.download_zip_files([small, "0" * 64], packed, password="infected", sleep_time=0)
        with zipfile.ZipFile(packed) as archive:
            equal(archive.namelist(), [small])
            equal(archive.read(small, pwd=b"infected"), random.Random(1).randbytes(1))
            fails(RuntimeError, lambda: archive.read(small))


def files_are_searched():
    with vt.Client(OWNER, host=BASE) as client:
        found = client.iterator("/intelligence/search", params={"query": "entity:file size:999+", "order": "size-"}, batch_size=1)
        equal([file.size for file in found], sorted((size for size in SIZES if size > 999), reverse=True))
        error = fails(vt.APIError, lambda: list(client.iterator("/intelligence/search", params={"query": "engines:1"})))
        equal(error.code, "BadRequestError")


def collections_are_made():
    with vt.Client(OWNER, host=BASE) as client:
        new = vt.Object("collection", obj_attributes={"name": "ours", "description": "made by vt-py"})
        made = client.post_object("/collections", obj=new)
        equal((made.type, client.get_object("/collections/" + made.id).name), ("collection", "ours"))
        equal(list(client.iterator(f"/collections/{made.id}/files")), [])


def version_2_is_used():
    api = PublicApi(OWNER)
    api.base = BASE + "/vtapi/v2/"
    scan = api.scan_file(io.BytesIO(b"version 2"), from_disk=False, filename="v2.txt")
    equal((scan["response_code"], scan["results"]["response_code"]), (200, 1))
    report = api.get_file_report(scan["results"]["sha256"])["results"]
    equal((report["response_code"], report["positives"]), (1, 0))
    reports = api.get_file_report([scan["results"]["md5"], "0" * 32])["results"]
    equal([one["response_code"] for one in reports], [1, 0])
    equal(api.rescan_file(scan["results"]["sha1"])["results"]["response_code"], 1)
    equal(api.scan_url("http://v2.test/")["results"]["response_code"], 1)
    equal(api.get_url_report("http://v2.test/")["results"]["url"], "http://v2.test/")
    equal(api.put_comments(scan["results"]["sha256"], "#ours")["results"]["response_code"], 1)
    equal(api.get_domain_report("acme.test")["results"]["subdomains"], ["www.acme.test"])
    equal(api.get_ip_report("203.0.113.7")["results"]["resolutions"][0]["hostname"], "www.acme.test")
    wrong = PublicApi("0" * 64)
    wrong.base = api.base
    equal(wrong.get_file_report("0" * 32)["response_code"], 403)


def urls_are_analysed():
    url = "http://www.elsewhere.test/x"
    with vt.Client(OWNER, host=BASE) as client:
        analysis = client.scan_url(url, wait_for_completion=True)
        equal(analysis.status, "completed")
        equal(client.get_object("/urls/{}", vt.url_id(url)).url, url)


def objects_of_the_inventory_are_read():
    with vt.Client(OWNER, host=BASE) as client:
        domain = client.get_object("/domains/acme.test")
        equal((domain.type, domain.id), ("domain", "acme.test"))
        equal([name.id for name in client.iterator("/domains/acme.test/subdomains")], ["www.acme.test"])
    with vt.Client(STRANGER, host=BASE) as client:
        equal(fails(vt.APIError, lambda: client.get_object("/domains/acme.test")).code, "NotFoundError")


def feeds_are_read():
    # What this program did so far stands in the first minutes; the clock is moved to where they are available.
    print(ADVANCE, flush=True)
    sys.stdin.readline()
    with vt.Client(OWNER, host=BASE) as client:
        feed = client.feed(vt.FeedType.FILES, cursor=FIRST_MINUTE)
        first = next(feed)
        equal((first.type, first.size), ("file", 1))
        second = next(feed)
        again = client.feed(vt.FeedType.FILES, cursor=feed.cursor)
        third = next(again)
        equal([first.size, second.size, third.size], SIZES[:3])
        equal(third.id, STATE["file"])
        assert third.context_attributes["download_url"].startswith(BASE)
        urls = client.feed(vt.FeedType.URLS, cursor=FIRST_MINUTE)
        assert next(urls).type == "url"
        error = fails(vt.APIError, lambda: next(client.feed(vt.FeedType.FILES, cursor="200001010000")))
        equal(error.code, "NotFoundError")
    with vt.Client(STRANGER, host=BASE) as client:
        error = fails(vt.APIError, lambda: next(client.feed(vt.FeedType.FILES, cursor=FIRST_MINUTE)))
        equal(error.code, "ForbiddenError")


def a_wrong_key_is_refused():
    with vt.Client("0" * 64, host=BASE) as client:
        equal(fails(vt.APIError, lambda: client.get_object("/domains/acme.test")).code, "WrongCredentialsError")


def graph(name):
    new = vt.Object("graph")
    new.graph_data = {"description": name, "version": "1"}
    new.nodes = [{"type": "domain", "entity_id": "a.test", "index": 0, "x": 0, "y": 0, "text": "Start"}]
    new.links = []
    new.private = False
    return new


def graphs_are_posted_changed_and_deleted():
    with vt.Client(OWNER, host=BASE) as client:
        made = client.post_object("/graphs", obj=graph("first name"))
        found = client.get_object("/graphs/" + made.id)
        equal(found.graph_data["description"], "first name")
        found.graph_data = {"description": "second name", "version": "2"}
        client.patch_object("/graphs/" + made.id, obj=found)
        equal(client.get_object("/graphs/" + made.id).graph_data["description"], "second name")
        equal(client.delete("/graphs/" + made.id).status, 200)
        equal(fails(vt.APIError, lambda: client.get_object("/graphs/" + made.id)).code, "NotFoundError")


GRAPHS = 13
BATCH = 5


def graphs_of_owner(client, **named):
    parameters = {"filter": "owner:owner", "order": "creation_date-"}
    return client.iterator("/graphs", params=parameters, batch_size=BATCH, **named)


def an_iterator_goes_through_all_pages():
    with vt.Client(OWNER, host=BASE) as client:
        made = [client.post_object("/graphs", obj=graph(f"number {number}")).id for number in range(GRAPHS)]
        found = [one.id for one in graphs_of_owner(client)]
        equal(sorted(found), sorted(made))
        STATE["graphs"] = found


def an_iterator_resumes_with_a_cursor():
    # At the end of a page: this client forgets how far it was within one.
    with vt.Client(OWNER, host=BASE) as client:
        first = graphs_of_owner(client, limit=2 * BATCH)
        found = [one.id for one in first]
        equal(found, STATE["graphs"][: 2 * BATCH])
        rest = graphs_of_owner(client, cursor=first.cursor)
        equal([one.id for one in rest], STATE["graphs"][2 * BATCH :])
        equal(rest.cursor, None)


def an_exhausted_quota_stops_an_iterator_that_resumes_later():
    with vt.Client(VIEWER, host=BASE) as client:
        iterator = graphs_of_owner(client)
        found = []

        def read():
            for one in iterator:
                found.append(one.id)

        error = fails(vt.APIError, read)
        equal((error.code, error.message), ("QuotaExceededError", "Quota exceeded"))
        equal(found, STATE["graphs"][: 2 * BATCH])
        quota = client.get_data("/users/viewer/overall_quotas")["api_requests_daily"]["user"]
        equal((quota["used"], quota["allowed"]), (2, 2))
        print(RAISE, flush=True)
        sys.stdin.readline()
        rest = graphs_of_owner(client, cursor=iterator.cursor)
        equal(found + [one.id for one in rest], STATE["graphs"])


def usage_is_read():
    with vt.Client(VIEWER, host=BASE) as client:
        quota = client.get_data("/users/viewer/overall_quotas")["api_requests_daily"]["user"]
        equal((quota["used"], quota["allowed"]), (3, 3))
        assert client.get_data("/users/viewer/api_usage")["daily"], "no day has a call"
    with vt.Client(OWNER, host=BASE) as client:
        equal(client.get_object("/users/owner").id, "owner")


def let_rules_look():
    print(HUNT, flush=True)
    sys.stdin.readline()


RULES = 'rule needle : client { strings: $a = "needle of the client" condition: $a }'


def rule_sets_are_posted_changed_and_find_files():
    with vt.Client(OWNER, host=BASE) as client:
        new = vt.Object("hunting_ruleset")
        new.name = "set of the client"
        new.rules = RULES
        made = client.post_object("/intelligence/hunting_rulesets", obj=new)
        equal((made.enabled, made.number_of_rules, made.creation_date.year), (False, 1, 2026))
        made.enabled = True
        changed = client.patch_object(f"/intelligence/hunting_rulesets/{made.id}", obj=made)
        equal(changed.enabled, True)
        filters = {"filter": "enabled:true name:client"}
        found = client.iterator("/intelligence/hunting_rulesets", params=filters, batch_size=1)
        equal([one.id for one in found], [made.id])
        data = b"a needle of the client"
        client.scan_file(io.BytesIO(data), wait_for_completion=True)
        let_rules_look()
        (one,) = client.iterator("/intelligence/hunting_notifications")
        equal((one.type, one.rule_name, one.rule_tags, one.date.year), ("hunting_notification", "needle", ["client"], 2026))
        (file,) = client.iterator("/intelligence/hunting_notification_files")
        equal(file.id, hashlib.sha256(data).hexdigest())
        equal(file.context_attributes["notification_id"], one.id)
        (entry,) = client.iterator("/ioc_stream", params={"filter": "origin:hunting"})
        equal(entry.id, file.id)
        equal(client.delete(f"/intelligence/hunting_notifications/{one.id}").status, 200)
        equal(list(client.iterator("/intelligence/hunting_notifications")), [])
        equal(client.delete(f"/intelligence/hunting_rulesets/{made.id}").status, 200)
        new.rules = "rule broken {"
        error = fails(vt.APIError, lambda: client.post_object("/intelligence/hunting_rulesets", obj=new))
        equal(error.code, "InvalidArgumentError")


def jobs_look_at_what_is_stored():
    with vt.Client(OWNER, host=BASE) as client:
        new = vt.Object("retrohunt_job")
        new.rules = RULES
        job = client.post_object("/intelligence/retrohunt_jobs", obj=new)
        equal((job.status, job.progress), ("starting", 0))
        let_rules_look()
        job = client.get_object(f"/intelligence/retrohunt_jobs/{job.id}")
        equal((job.status, job.progress, job.num_matches), ("finished", 100, 1))
        (file,) = client.iterator(f"/intelligence/retrohunt_jobs/{job.id}/matching_files")
        equal(file.context_attributes["rule_name"], "needle")
        second = client.post_object("/intelligence/retrohunt_jobs", obj=new)
        equal(client.post(f"/intelligence/retrohunt_jobs/{second.id}/abort").status, 200)
        equal(client.get_object(f"/intelligence/retrohunt_jobs/{second.id}").status, "aborted")
        found = [one.id for one in client.iterator("/intelligence/retrohunt_jobs", batch_size=1)]
        equal(found, [second.id, job.id])
        equal(client.delete(f"/intelligence/retrohunt_jobs/{job.id}").status, 200)


# --- vt-graph-api ---


def shape(of):
    """What a graph says, without where it was saved."""
    return {(node.node_id, node.node_type) for node in of.nodes.values()}, set(of.links)


def a_graph_is_built_expanded_and_saved():
    built = VTGraph(OWNER, name="built", private=True)
    built.add_node("acme.test", "domain", label="ours")
    built.add_node("www.acme.test", "domain")
    built.add_node("203.0.113.7", "ip_address")
    built.add_node("https://www.acme.test:443", "url")
    built.add_node(STATE["file"], "file")
    built.add_node("somebody", "victim")
    built.add_link("somebody", STATE["file"], "manual")
    equal([node.node_id for node in built.expand("acme.test", "subdomains")], ["www.acme.test"])
    equal([node.node_id for node in built.expand("www.acme.test", "resolutions")], ["203.0.113.7"])
    built.expand_one_level("203.0.113.7")
    assert ("acme.test", "www.acme.test", "subdomains") in built.links, built.links
    assert ("www.acme.test", "203.0.113.7", "resolutions") in built.links, built.links
    built.save_graph()
    assert built.graph_id in built.get_ui_link(), built.get_ui_link()
    STATE["built"] = built


def a_graph_is_loaded_and_saved_again():
    built = STATE["built"]
    loaded = VTGraph.load_graph(built.graph_id, OWNER)
    equal((loaded.name, loaded.private), ("built", True))
    equal(shape(loaded), shape(built))
    loaded.add_node("later.test", "domain")
    loaded.name = "built again"
    loaded.save_graph()
    equal(loaded.graph_id, built.graph_id)
    again = VTGraph.load_graph(built.graph_id, OWNER)
    equal(again.name, "built again")
    equal(shape(again), shape(loaded))
    assert ("later.test", "domain") in shape(again)[0], again.nodes


def a_graph_is_cloned():
    built = STATE["built"]
    clone = VTGraph.clone_graph(built.graph_id, OWNER, name="clone", private=True, user_viewers=["member"])
    clone.save_graph()
    assert clone.graph_id != built.graph_id, "a clone is a graph of its own"
    seen = VTGraph.load_graph(clone.graph_id, MEMBER)
    equal(seen.name, "clone")
    equal(shape(seen), shape(clone))


def access_lists_decide_who_sees_and_changes():
    shared = VTGraph(
        OWNER, name="shared", private=True, user_editors=["admin"], user_viewers=["member"], group_viewers=["blue"]
    )
    shared.add_node("acme.test", "domain")
    shared.save_graph()
    for who, viewer, editor in (("member", True, False), ("blue", True, False), ("admin", False, True), ("stranger", False, False)):
        equal((who, VTGraph.is_viewer(who, shared.graph_id, OWNER)), (who, viewer))
        equal((who, VTGraph.is_editor(who, shared.graph_id, OWNER)), (who, editor))
    for key in (ADMIN, MEMBER, ANALYST):
        equal(VTGraph.load_graph(shared.graph_id, key).name, "shared")
    fails(LoadError, lambda: VTGraph.load_graph(shared.graph_id, STRANGER))
    changed = VTGraph.load_graph(shared.graph_id, ADMIN)
    changed.name, changed.user_viewers, changed.group_viewers, changed.user_editors = "changed", [], [], []
    changed.save_graph()
    equal(VTGraph.load_graph(shared.graph_id, OWNER).name, "changed")
    seen = VTGraph.load_graph(shared.graph_id, MEMBER)
    seen.name = "not mine"
    fails(SaveGraphError, seen.save_graph)
    equal(VTGraph.load_graph(shared.graph_id, OWNER).name, "changed")
    wrong = VTGraph(OWNER, name="wrong", private=True, user_viewers=["nobody-at-all"])
    wrong.add_node("acme.test", "domain")
    fails(CollaboratorNotFoundError, wrong.save_graph)


def a_graph_becomes_a_collection():
    link = STATE["built"].create_collection(name="from a graph")
    with vt.Client(OWNER, host=BASE) as client:
        made = client.get_object("/collections/" + link.rsplit("/", 1)[1])
        equal((made.name, made.domains_count, made.files_count), ("from a graph", 2, 1))


def a_graph_has_a_picture():
    built = STATE["built"]
    with tempfile.TemporaryDirectory() as folder:
        built.download_screenshot(folder)
        with open(os.path.join(folder, built.graph_id + ".jpg"), "rb") as picture:
            assert picture.read(), "the picture is empty"


def main():
    for step in (
        files_are_uploaded_analysed_and_downloaded,
        files_are_packed_with_a_password,
        files_are_searched,
        urls_are_analysed,
        objects_of_the_inventory_are_read,
        feeds_are_read,
        a_wrong_key_is_refused,
        graphs_are_posted_changed_and_deleted,
        an_iterator_goes_through_all_pages,
        an_iterator_resumes_with_a_cursor,
        an_exhausted_quota_stops_an_iterator_that_resumes_later,
        usage_is_read,
        collections_are_made,
        version_2_is_used,
        rule_sets_are_posted_changed_and_find_files,
        jobs_look_at_what_is_stored,
        a_graph_is_built_expanded_and_saved,
        a_graph_is_loaded_and_saved_again,
        a_graph_is_cloned,
        access_lists_decide_who_sees_and_changes,
        a_graph_becomes_a_collection,
        a_graph_has_a_picture,
    ):
        name = step.__name__.replace("_", " ")
        try:
            step()
        except Exception:
            print(f"failed: {name}")
            traceback.print_exc(file=sys.stdout)
            sys.exit(1)
        print(f"done: {name}", flush=True)
    print("all steps done")


main()
