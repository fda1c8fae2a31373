//! What domains, addresses and URLs of a filled inventory are related to and say, as client libraries ask for it.

use ambit_model::{EdgeKind, Kind};
use ambit_testkit::inventory::Look;
use ambit_testkit::kept::{KEEPER, keep};
use ambit_testkit::scenario::hunt;
use ambit_testkit::{TestServer, inventory};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// The descriptors in a list of objects.
fn descriptors(objects: &Value) -> Vec<(String, String)> {
    let text = |object: &Value, name: &str| object[name].as_str().unwrap().to_owned();
    objects.as_array().unwrap().iter().map(|object| (text(object, "type"), text(object, "id"))).collect()
}

/// The small inventory, and beside it names, records, a service, certificates and sites.
async fn filled() -> TestServer {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let records = json!({
        "nameservers": ["ns1.acme.test"],
        "mx_records": [{"priority": 10, "host": "mx.acme.test"}],
        "soa_record": {"primary_name_server": "ns1.acme.test"},
        "hidden_caa": [{"flags": 0, "tag": "issue", "value": "ca.example; policy=ev"},
        {"flags": 0, "tag": "iodef", "value": "mailto:ca@acme.test"}],
    });
    let below: Vec<(EdgeKind, Kind, &str)> = ["www.acme.test", "a.www.acme.test", "shop.acme.test"]
        .into_iter()
        .map(|name| (EdgeKind::Subdomain, Kind::DnsRecord, name))
        .collect();
    let seen = json!({"hidden_sites": [{"uri": inventory::SITE, "address": "203.0.113.7:443", "code": "200"}]});
    let alias = json!({"hidden_cname_chain": ["www.acme.test"]});
    inventory::look(
        &server,
        &[
            Look { task: "zone_profile", kind: Kind::Domain, name: "acme.test", details: records, edges: &below },
            Look { task: "http_probe", kind: Kind::DnsRecord, name: "www.acme.test", details: seen, edges: &[] },
            Look {
                task: "resolve",
                kind: Kind::DnsRecord,
                name: "shop.acme.test",
                details: alias,
                edges: &[(EdgeKind::Alias, Kind::DnsRecord, "www.acme.test")],
            },
            Look {
                task: "http_enrich",
                kind: Kind::Uri,
                name: inventory::SITE,
                details: json!({"uri": inventory::SITE, "code": "200", "ip_address": "203.0.113.7"}),
                edges: &[
                    (EdgeKind::Page, Kind::Uri, "https://www.acme.test:443/login"),
                    (EdgeKind::Redirect, Kind::DnsRecord, "shop.acme.test"),
                ],
            },
        ],
    )
    .await
    .unwrap();
    inventory::look(&server, &registered_and_served()).await.unwrap();
    server
}

/// What registries say, a service, and certificates: one that is served, and one that only names the host.
fn registered_and_served() -> Vec<Look<'static>> {
    vec![
        Look {
            task: "registration",
            kind: Kind::Domain,
            name: "acme.test",
            details: json!({
                "whois_full_text": "Domain: ACME.TEST",
                "hidden_registration": {"registrar": "Example", "registered": "2020-01-01T00:00:00Z"},
            }),
            edges: &[(EdgeKind::LoggedCertificate, Kind::SslCertificate, "*.acme.test (bb)")],
        },
        Look {
            task: "registration",
            kind: Kind::IpAddress,
            name: "203.0.113.7",
            details: json!({"whois_full_text": "inetnum: 203.0.113.0/24", "network.asn": 64500}),
            edges: &[(EdgeKind::Service, Kind::NetworkService, "203.0.113.7:443/tcp")],
        },
        Look {
            task: "tls_grab",
            kind: Kind::DnsRecord,
            name: "www.acme.test",
            details: json!({"hidden_tls": [{"address": "203.0.113.7:443", "certificate": "www.acme.test (aa)"}]}),
            edges: &[(EdgeKind::Certificate, Kind::SslCertificate, "www.acme.test (aa)")],
        },
        Look {
            task: "tls_grab",
            kind: Kind::NetworkService,
            name: "203.0.113.7:443/tcp",
            details: json!({}),
            edges: &[(EdgeKind::Certificate, Kind::SslCertificate, "www.acme.test (aa)")],
        },
        Look {
            task: "tls_grab",
            kind: Kind::SslCertificate,
            name: "www.acme.test (aa)",
            details: json!({
                "fingerprint_sha256": "aa11",
                "subject": "CN=www.acme.test",
                "serial": "aa",
                "not_after": "2027-01-01T00:00:00.000Z",
            }),
            edges: &[],
        },
        Look {
            task: "certificate_log",
            kind: Kind::DnsRecord,
            name: "www.acme.test",
            details: json!({}),
            edges: &[
                (EdgeKind::LoggedCertificate, Kind::PreCertificate, "www.acme.test (aa)"),
                (EdgeKind::LoggedCertificate, Kind::PreCertificate, "www.acme.test (cc)"),
            ],
        },
        logged("www.acme.test (aa)", "aa"),
        logged("www.acme.test (cc)", "cc"),
        Look {
            task: "tls_grab",
            kind: Kind::SslCertificate,
            name: "*.acme.test (bb)",
            details: json!({"fingerprint_sha256": "bb22", "subject": "CN=*.acme.test"}),
            edges: &[(EdgeKind::CertificateName, Kind::DnsRecord, "www.acme.test")],
        },
    ]
}

/// What a log says of a certificate.
fn logged(name: &'static str, serial: &str) -> Look<'static> {
    Look {
        task: "certificate_log",
        kind: Kind::PreCertificate,
        name,
        details: json!({"subject": "CN=www.acme.test", "serial": serial, "not_after": "2027-01-01T00:00:00.000Z"}),
        edges: &[],
    }
}

const SITE: &str = "urls/0be93dc41974f6d66dc0b98446e56c1089821e62b9a64a7ab3bada2aa1abc80d";
const SITE_ITSELF: (&str, &str) = ("url", "0be93dc41974f6d66dc0b98446e56c1089821e62b9a64a7ab3bada2aa1abc80d");
const LOGIN: (&str, &str) = ("url", "a6e6387fc063d944e992210908a9a85fb7d90e899fd423b3e0b662a57209aa6f");
const SERVED: (&str, &str) = ("ssl_cert", "aa11");
const NAMING: (&str, &str) = ("ssl_cert", "bb22");
/// Only a log showed it; what it says of the one that is served is not told again.
const LOGGED: (&str, &str) = ("ssl_cert", "www.acme.test (cc)");
const REGISTERED: (&str, &str) = ("whois", "26cfa2a9bc84316317e0a4f8924d7a99aa60f84e304a511bbf21ccfdc81fb2ba");
const ASSIGNED: (&str, &str) = ("whois", "76c8c4c95c3cee60a06a97d70824f044cd322723276ce35e6efc2ca2a0c59fe8");

/// An object, a relationship of it, and the types and ids of what it leads to.
type Related = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const LISTS: &[Related] = &[
    (
        "domains/acme.test",
        "subdomains",
        &[("domain", "a.www.acme.test"), ("domain", "shop.acme.test"), ("domain", "www.acme.test")],
    ),
    ("domains/www.acme.test", "subdomains", &[("domain", "a.www.acme.test")]),
    ("domains/www.acme.test", "siblings", &[("domain", "shop.acme.test")]),
    ("domains/acme.test", "siblings", &[]),
    ("domains/acme.test", "ns_records", &[("domain", "ns1.acme.test")]),
    ("domains/acme.test", "mx_records", &[("domain", "mx.acme.test")]),
    ("domains/acme.test", "soa_records", &[("domain", "ns1.acme.test")]),
    ("domains/acme.test", "caa_records", &[("domain", "ca.example")]),
    ("domains/shop.acme.test", "cname_records", &[("domain", "www.acme.test")]),
    ("domains/www.acme.test", "resolutions", &[("resolution", "203.0.113.7www.acme.test")]),
    ("domains/www.acme.test", "urls", &[SITE_ITSELF]),
    ("ip_addresses/203.0.113.7", "urls", &[SITE_ITSELF]),
    ("ip_addresses/203.0.113.7", "resolutions", &[("resolution", "203.0.113.7www.acme.test")]),
    (SITE, "embedded_urls", &[LOGIN]),
    (SITE, "redirects_to", &[("domain", "shop.acme.test")]),
    ("domains/acme.test", "communicating_files", &[]),
    ("domains/www.acme.test", "historical_ssl_certificates", &[NAMING, LOGGED, SERVED]),
    ("ip_addresses/203.0.113.7", "historical_ssl_certificates", &[SERVED]),
    ("domains/acme.test", "historical_whois", &[REGISTERED]),
    ("domains/www.acme.test", "historical_whois", &[REGISTERED]),
    ("ip_addresses/203.0.113.7", "historical_whois", &[ASSIGNED]),
];

/// The same where there is one or none.
type Single = (&'static str, &'static str, Option<(&'static str, &'static str)>);

const SINGLE: &[Single] = &[
    ("domains/a.www.acme.test", "immediate_parent", Some(("domain", "www.acme.test"))),
    ("domains/a.www.acme.test", "parent", Some(("domain", "acme.test"))),
    ("domains/acme.test", "immediate_parent", None),
    ("domains/acme.test", "parent", None),
    (SITE, "network_location", Some(("domain", "www.acme.test"))),
    (SITE, "last_serving_ip_address", Some(("ip_address", "203.0.113.7"))),
];

#[tokio::test]
async fn objects_are_related_to_what_the_inventory_knows() {
    let server = filled().await;
    for (of, relationship, expected) in LISTS {
        let expected: Vec<(String, String)> =
            expected.iter().map(|(kind, id)| ((*kind).to_owned(), (*id).to_owned())).collect();
        let full = server.get("viewer", &format!("/api/v3/{of}/{relationship}")).await;
        assert_eq!(descriptors(&full.at("/data")), expected, "{of} {relationship}");
        let short = server.get("viewer", &format!("/api/v3/{of}/relationships/{relationship}")).await;
        assert_eq!(descriptors(&short.at("/data")), expected, "{of} {relationship}, descriptors");
        let within = server.get("viewer", &format!("/api/v3/{of}?relationships={relationship}")).await;
        let within = within.at(&format!("/data/relationships/{relationship}"));
        assert_eq!(descriptors(&within["data"]), expected, "{of} {relationship}, within the object");
        assert_eq!(within["meta"], json!({"count": expected.len()}), "{of} {relationship}");
        let own = within["links"]["self"].as_str().unwrap();
        assert!(own.ends_with(&format!("/api/v3/{of}/relationships/{relationship}")), "{own}");
    }
}

#[tokio::test]
async fn what_there_is_one_of_is_an_object() {
    let server = filled().await;
    for (of, relationship, expected) in SINGLE {
        let short = expected.map_or(Value::Null, |(kind, id)| json!({"type": kind, "id": id}));
        let full = server.get("viewer", &format!("/api/v3/{of}/{relationship}")).await;
        let data = full.at("/data");
        assert_eq!(data["id"], short["id"], "{of} {relationship}");
        assert!(expected.is_none() || data["attributes"]["tags"] == json!([]), "{of} {relationship}: {data}");
        let described = server.get("viewer", &format!("/api/v3/{of}/relationships/{relationship}")).await;
        assert_eq!(described.at("/data"), short, "{of} {relationship}, descriptor");
        let within = server.get("viewer", &format!("/api/v3/{of}?relationships={relationship}")).await;
        assert_eq!(within.at(&format!("/data/relationships/{relationship}/data")), short, "{of} {relationship}");
    }
}

#[tokio::test]
async fn what_is_announced_is_answered() {
    let server = filled().await;
    let announced = server.get("viewer", "/api/v3/metadata").await.at("/data/relationships");
    let people = ["comments", "graphs", "votes"];
    for (kind, path) in [("domain", "domains/"), ("ip_address", "ip_addresses/"), ("url", "urls/")] {
        let lists = LISTS.iter().filter(|(_, _, found)| !found.is_empty()).map(|(of, name, _)| (*of, *name));
        let single = SINGLE.iter().filter(|(_, _, found)| found.is_some()).map(|(of, name, _)| (*of, *name));
        let answered = lists.chain(single).filter(|(of, _)| of.starts_with(path)).map(|(_, name)| name);
        let answered: BTreeSet<&str> = answered.chain(people).collect();
        let names = announced[kind].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
        assert_eq!(names.collect::<BTreeSet<_>>(), answered, "{kind}");
    }
}

#[tokio::test]
async fn what_registries_told_before_stands_behind_what_they_tell_now() {
    let server = filled().await;
    let told = "Domain: ACME.TEST\nNS: a.test\nNS: b.test";
    let moved = Look {
        task: "registration",
        kind: Kind::Domain,
        name: "acme.test",
        details: json!({"whois_full_text": told, "hidden_registration": {"registrar": "Another"}}),
        edges: &[],
    };
    inventory::look(&server, &[moved]).await.unwrap();
    let all = server.get("viewer", "/api/v3/domains/acme.test/historical_whois").await.at("/data");
    let names: Vec<&Value> = all.as_array().unwrap().iter().map(|one| &one["attributes"]["registrar_name"]).collect();
    assert_eq!(names, ["Another", "Example"]);
    assert_eq!(all[0]["attributes"]["whois_map"], json!({"Domain": "ACME.TEST", "NS": "a.test | b.test"}));
    assert_eq!((all[1]["type"].as_str(), all[1]["id"].as_str()), (Some(REGISTERED.0), Some(REGISTERED.1)));
    let dates = |one: &Value| ["first_seen_date", "last_updated"].map(|name| one["attributes"][name].as_i64().unwrap());
    let ([since, last], [first, once]) = (dates(&all[0]), dates(&all[1]));
    assert!(first <= once && once <= since && since <= last, "{all}");
    let of_host = server.get("viewer", "/api/v3/domains/www.acme.test/historical_whois").await;
    assert_eq!(of_host.at("/data"), all);
}

#[tokio::test]
async fn attributes_are_kept_and_left_out_by_their_names() {
    let server = filled().await;
    let shown = async |target: &str| {
        let answer = server.get("viewer", &format!("/api/v3/domains/{target}")).await;
        let data = answer.at("/data");
        let object = data.get(0).unwrap_or(&data);
        object["attributes"].as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>()
    };
    let all = shown("acme.test").await;
    assert!(all.contains("reputation") && all.contains("tags"), "{all:?}");
    let without = |names: &[&str]| all.iter().filter(|name| !names.contains(&name.as_str())).cloned().collect();
    let only = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    for (query, expected) in [
        ("exclude_attributes=reputation,tags", without(&["reputation", "tags"])),
        ("exclude_attributes=aggregations", all.clone()),
        ("exclude_attributes=", all.clone()),
        ("attributes=reputation,tags,nothing", only(&["reputation", "tags"])),
        ("attributes=reputation,tags&exclude_attributes=tags", only(&["reputation"])),
    ] {
        assert_eq!(shown(&format!("acme.test?{query}")).await, expected, "{query}");
    }
    let list = shown("acme.test/subdomains?limit=1&exclude_attributes=reputation").await;
    assert!(!list.contains("reputation") && list.contains("tags"), "{list:?}");
}

#[tokio::test]
async fn relationships_are_shown_in_lists_and_go_on_where_their_links_lead() {
    let server = filled().await;
    let names: Vec<String> = (0..45).map(|number| format!("n{number:02}.acme.test")).collect();
    let edges: Vec<_> = names.iter().map(|name| (EdgeKind::Subdomain, Kind::DnsRecord, name.as_str())).collect();
    let looks = [Look { task: "name_sweep", kind: Kind::Domain, name: "acme.test", details: json!({}), edges: &edges }];
    inventory::look(&server, &looks).await.unwrap();
    let domain = server.get("viewer", "/api/v3/domains/acme.test?relationships=subdomains&attributes=tags").await;
    let found = domain.at("/data/relationships/subdomains");
    let mut shown = descriptors(&found["data"]);
    assert_eq!((shown.len(), &found["meta"]["count"]), (20, &json!(48)));
    let mut next = found["links"]["next"].as_str().map(str::to_owned);
    while let Some(address) = next {
        let rest = server.get("viewer", &address[address.find("/api/v3").unwrap()..]).await;
        shown.extend(descriptors(&rest.at("/data")));
        next = rest.at("/links")["next"].as_str().map(str::to_owned);
    }
    assert_eq!(shown.len(), 48);
    shown.sort();
    shown.dedup();
    assert_eq!(shown.len(), 48);
    let cursor = found["meta"]["cursor"].as_str().unwrap();
    let target = format!("/api/v3/domains/acme.test/relationships/subdomains?cursor={cursor}&limit=40");
    assert_eq!(descriptors(&server.get("viewer", &target).await.at("/data")).len(), 28);
    let list = server.get("viewer", "/api/v3/domains/www.acme.test/siblings?relationships=parent,subdomains").await;
    let parent = list.at("/data/0/relationships/parent/data");
    assert_eq!(parent, json!({"type": "domain", "id": "acme.test"}));
    let list = server.get("owner", "/api/v3/intelligence/search?query=entity:domain&relationships=contacted_ips").await;
    for object in list.at("/data").as_array().unwrap() {
        assert_eq!(object["relationships"]["contacted_ips"]["data"], json!([]), "{object}");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_for_within_objects_is_refused() {
    let server = filled().await;
    let many: Vec<String> = (0..41).map(|number| "x".repeat(number + 1)).collect();
    for (names, message) in [
        ("Sub-Domains".to_owned(), "\"Sub-Domains\" is no name of a relationship"),
        (many.join(","), "At most 40 relationships can be asked for at once"),
    ] {
        let answer = server.get("viewer", &format!("/api/v3/domains/acme.test?relationships={names}")).await;
        answer.shows(400, &json!({"error": {"code": "BadRequestError", "message": message}}));
    }
}

#[tokio::test]
async fn objects_say_what_clients_read_and_no_more() {
    let server = filled().await;
    let host = server.get("viewer", "/api/v3/domains/www.acme.test").await.at("/data/attributes");
    assert_eq!((&host["whois"], &host["registrar"]), (&json!("Domain: ACME.TEST"), &json!("Example")));
    assert_eq!(host["creation_date"], 1_577_836_800);
    // Another certificate names it, but this one was served for it.
    assert_eq!(host["last_https_certificate"]["thumbprint_sha256"], "aa11");
    let address = server.get("viewer", "/api/v3/ip_addresses/203.0.113.7").await.at("/data/attributes");
    assert_eq!((&address["asn"], &address["country"]), (&json!(64500), &json!("CH")));
    assert_eq!(address["last_https_certificate"]["thumbprint_sha256"], "aa11");
    // Nobody looked at a name that only a zone shows.
    let named = server.get("viewer", "/api/v3/domains/a.www.acme.test").await.at("/data/attributes");
    assert_eq!((&named["last_analysis_results"], named.get("last_analysis_date")), (&json!({}), None));
    assert_eq!(named["last_analysis_stats"]["undetected"], 0);
    assert_eq!((named.get("last_https_certificate"), named.get("last_dns_records")), (None, None));
}

/// What a look of rules may take.
const LOOK_TIME: Duration = Duration::from_secs(10);
/// MD5 and SHA-1 of the keeper's page.
const MD5: &str = "c329c8ebfc460536114c298cf2d3ad85";
const SHA1: &str = "15a93c98ef2bd004a6ce3bf4367d0646c464000c";

#[tokio::test]
async fn bodies_of_pages_are_files_by_each_of_their_hashes_and_are_searched_like_them() {
    let mut server = TestServer::new().await.unwrap();
    let kept = keep(&mut server).await.unwrap();
    let page = &kept.pair("page").unwrap().kept;
    hunt(&server.store, server.now(), LOOK_TIME).await.unwrap();
    for hash in [page.as_str(), MD5, SHA1] {
        for target in ["", "/comments", "/relationships/graphs", "/download_url"] {
            let found = server.get(KEEPER, &format!("/api/v3/files/{hash}{target}")).await;
            assert_eq!(found.status, 200, "{hash}{target}: {}", found.text());
            let other = server.get("owner", &format!("/api/v3/files/{hash}{target}")).await;
            assert!([403, 404].contains(&other.status), "{hash}{target}: {}", other.text());
        }
        let found = server.get(KEEPER, &format!("/api/v3/files/{hash}")).await.at("/data");
        assert_eq!((&found["id"], &found["attributes"]["md5"]), (&json!(page), &json!(MD5)));
        let report = format!("/vtapi/v2/file/report?apikey={}&resource={hash}", server.keys[KEEPER]);
        assert_eq!(server.get(KEEPER, &report).await.json()["sha256"], *page);
    }
    let ids = async |caller: &str, query: &str| {
        let found = server.get(caller, &format!("/api/v3/intelligence/search?query={query}")).await;
        found.each("/data", "/id").iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    for query in
        ["entity:file+type:text", "entity:file+name:kept.test", MD5, "content:%22the+kept+page%22", "size:1KB-"]
    {
        assert!(ids(KEEPER, query).await.contains(page), "{query}");
        assert!(!ids("owner", query).await.contains(page), "{query}");
    }
    for query in ["entity:file+type:peexe", "entity:file+p:1%2B", "entity:file+submissions:1%2B"] {
        assert!(!ids(KEEPER, query).await.contains(page), "{query}");
    }
    // Pages of a search show each once.
    let mut next = Some("/api/v3/intelligence/search?query=entity:file&limit=1".to_owned());
    let mut shown = Vec::new();
    while let Some(address) = next {
        let found = server.get(KEEPER, &address[address.find("/api/v3").unwrap()..]).await;
        shown.extend(found.each("/data", "/id"));
        next = found.at("/links")["next"].as_str().map(str::to_owned);
    }
    assert_eq!(shown.iter().filter(|id| **id == json!(page)).count(), 1, "{shown:?}");
}

#[tokio::test]
async fn bodies_of_pages_have_comments_and_relationships_for_those_who_know_them() {
    let mut server = TestServer::new().await.unwrap();
    let kept = keep(&mut server).await.unwrap();
    let page = &kept.pair("page").unwrap().kept;
    let file = format!("/api/v3/files/{page}");
    let comment = json!({"data": {"type": "comment", "attributes": {"text": "what the site served #login"}}});
    let made = server.call(KEEPER, "POST", &format!("{file}/comments"), Some(&comment)).await.unwrap();
    let id = made.at("/data/id");
    let vote = json!({"data": {"type": "vote", "attributes": {"verdict": "harmless"}}});
    server.call(KEEPER, "POST", &format!("{file}/votes"), Some(&vote)).await.unwrap().at("/data");
    let ids = async |target: &str| server.get(KEEPER, target).await.each("/data", "/id");
    for target in ["comments", "relationships/comments"] {
        assert_eq!(ids(&format!("{file}/{target}")).await, std::slice::from_ref(&id), "{target}");
    }
    for (target, count) in [("votes", 1), ("relationships/votes", 1), ("submissions", 0), ("contacted_urls", 0)] {
        assert_eq!(ids(&format!("{file}/{target}")).await.len(), count, "{target}");
    }
    let shown = server.get(KEEPER, &format!("{file}?relationships=comments,graphs")).await;
    assert_eq!(shown.at("/data/relationships/comments/meta/count"), 1);
    assert!(ids("/api/v3/comments").await.contains(&id));
    for target in ["comments", "relationships/comments", "submissions", "votes"] {
        let answer = server.get("owner", &format!("{file}/{target}")).await;
        assert_eq!(answer.status, 404, "{target}: who does not know the page");
    }
    assert!(!server.get("owner", "/api/v3/comments").await.each("/data", "/id").contains(&id));
    let one = server.get("owner", &format!("/api/v3/comments/{}", id.as_str().unwrap())).await;
    assert_eq!(one.status, 404);
}
