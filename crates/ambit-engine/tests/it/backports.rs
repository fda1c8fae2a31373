//! What distributions ship is patched without a higher version: from what such servers say follows no vulnerability,
//! from their greeting to the list of CVEs, by our own list and by a feed about everything that they ship.

use ambit_fingerprints::{Place, Subject, items, own};
use ambit_model::entity::network_service::Service;
use ambit_vulns::{Knowledge, Packs};
use serde_json::{Value, json};

/// Greetings and headers of packages as Debian, Ubuntu, RHEL and those that rebuild it ship them, with the product and
/// version that they name.
const SHIPPED: &[(&str, &str)] = &[
    ("SSH-2.0-OpenSSH_6.0p1 Debian-4+deb7u7", "OpenSSH 6.0p1"),
    ("SSH-2.0-OpenSSH_6.7p1 Debian-5+deb8u8", "OpenSSH 6.7p1"),
    ("SSH-2.0-OpenSSH_7.4p1 Debian-10+deb9u7", "OpenSSH 7.4p1"),
    ("SSH-2.0-OpenSSH_7.9p1 Debian-10+deb10u2", "OpenSSH 7.9p1"),
    ("SSH-2.0-OpenSSH_8.4p1 Debian-5+deb11u3", "OpenSSH 8.4p1"),
    ("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3", "OpenSSH 9.2p1"),
    ("SSH-2.0-OpenSSH_6.6.1p1 Ubuntu-2ubuntu2.13", "OpenSSH 6.6.1p1"),
    ("SSH-2.0-OpenSSH_7.2p2 Ubuntu-4ubuntu2.10", "OpenSSH 7.2p2"),
    ("SSH-2.0-OpenSSH_7.6p1 Ubuntu-4ubuntu0.7", "OpenSSH 7.6p1"),
    ("SSH-2.0-OpenSSH_8.2p1 Ubuntu-4ubuntu0.11", "OpenSSH 8.2p1"),
    ("SSH-2.0-OpenSSH_8.9p1 Ubuntu-3ubuntu0.10", "OpenSSH 8.9p1"),
    ("SSH-2.0-OpenSSH_9.6p1 Ubuntu-3ubuntu13.5", "OpenSSH 9.6p1"),
    ("SSH-2.0-OpenSSH_5.3", "OpenSSH 5.3"),
    ("SSH-2.0-OpenSSH_7.4", "OpenSSH 7.4"),
    ("SSH-2.0-OpenSSH_8.0", "OpenSSH 8.0"),
    ("SSH-2.0-OpenSSH_8.7", "OpenSSH 8.7"),
    ("220 ProFTPD 1.3.5e Server (Debian) [::ffff:192.0.2.1]", "ProFTPD 1.3.5e"),
    ("220 mx.acme.test ESMTP Exim 4.92 Mon, 23 Nov 2026 09:00:00 +0000", "Exim 4.92"),
    ("220 mx.acme.test ESMTP Exim 4.94.2 Mon, 23 Nov 2026 09:00:00 +0000", "Exim 4.94.2"),
    ("220 mx.acme.test ESMTP Exim 4.96 Mon, 23 Nov 2026 09:00:00 +0000", "Exim 4.96"),
    ("Apache/2.2.22 (Debian)", "HTTP Server 2.2.22"),
    ("Apache/2.4.10 (Debian)", "HTTP Server 2.4.10"),
    ("Apache/2.4.25 (Debian)", "HTTP Server 2.4.25"),
    ("Apache/2.4.38 (Debian)", "HTTP Server 2.4.38"),
    ("Apache/2.4.56 (Debian)", "HTTP Server 2.4.56"),
    ("Apache/2.4.7 (Ubuntu)", "HTTP Server 2.4.7"),
    ("Apache/2.4.18 (Ubuntu)", "HTTP Server 2.4.18"),
    ("Apache/2.4.29 (Ubuntu)", "HTTP Server 2.4.29"),
    ("Apache/2.4.41 (Ubuntu)", "HTTP Server 2.4.41"),
    ("Apache/2.4.52 (Ubuntu)", "HTTP Server 2.4.52"),
    ("Apache/2.4.6 (CentOS) OpenSSL/1.0.2k-fips PHP/5.4.16", "HTTP Server 2.4.6"),
    ("Apache/2.4.6 (Red Hat Enterprise Linux)", "HTTP Server 2.4.6"),
    ("Apache/2.4.37 (centos)", "HTTP Server 2.4.37"),
    ("Apache/2.4.37 (Red Hat Enterprise Linux) OpenSSL/1.1.1k", "HTTP Server 2.4.37"),
    ("Apache/2.4.53 (Red Hat Enterprise Linux) OpenSSL/3.0.7", "HTTP Server 2.4.53"),
    ("Apache/2.4.37 (AlmaLinux)", "HTTP Server 2.4.37"),
    ("Apache/2.4.57 (Rocky Linux) OpenSSL/3.0.7", "HTTP Server 2.4.57"),
    ("nginx/1.10.3 (Ubuntu)", "nginx 1.10.3"),
    ("nginx/1.14.0 (Ubuntu)", "nginx 1.14.0"),
    ("nginx/1.18.0 (Ubuntu)", "nginx 1.18.0"),
    ("nginx/1.14.2", "nginx 1.14.2"),
    ("nginx/1.18.0", "nginx 1.18.0"),
    ("nginx/1.20.1", "nginx 1.20.1"),
    ("nginx/1.14.1", "nginx 1.14.1"),
    ("PHP/7.4.3-4ubuntu2.18", "PHP 7.4.3-4ubuntu2.18"),
    ("PHP/7.0.33-0+deb9u12", "PHP 7.0.33-0"),
    ("PHP/5.4.16", "PHP 5.4.16"),
    ("lighttpd/1.4.53", "lighttpd 1.4.53"),
];

/// The same versions as their authors published them, in which something of our own list is known.
const PUBLISHED: &[&str] =
    &["SSH-2.0-OpenSSH_8.9p1", "SSH-2.0-OpenSSH_9.6p1", "Apache/2.4.49 (Unix)", "Apache/2.4.10 (Unix)", "nginx/1.25.1"];

/// The products of a greeting or a header, as fingerprint items, and the line beside which they stand.
fn told(says: &str) -> (Vec<Value>, String) {
    let mut subject = Subject::default();
    let beside = match says {
        _ if says.starts_with("SSH-") => {
            subject.add(Place::Banner(Service::Ssh), says);
            says.to_owned()
        }
        _ if says.contains("FTP") => {
            subject.add(Place::Banner(Service::Ftp), says);
            says.to_owned()
        }
        _ if says.starts_with("220 ") => {
            subject.add(Place::Banner(Service::Smtp), says);
            says.to_owned()
        }
        _ if says.starts_with("PHP") => {
            subject.add_header("x-powered-by", says);
            format!("X-Powered-By: {says}")
        }
        _ => {
            subject.add_header("server", says);
            format!("Server: {says}")
        }
    };
    let items = items(own().products(&subject));
    (items.iter().map(|item| serde_json::to_value(item).expect("an item is written")).collect(), beside)
}

/// A feed in which every version of every product that distributions ship is concerned.
fn everything() -> Value {
    let products = [
        "openbsd:openssh",
        "apache:http_server",
        "f5:nginx",
        "nginx:nginx",
        "php:php",
        "openssl:openssl",
        "exim:exim",
        "lighttpd:lighttpd",
        "proftpd:proftpd",
    ];
    let criterion = |product: &&str| {
        let name = format!("cpe:2.3:a:{product}:*:*:*:*:*:*:*:*");
        json!({"vulnerable": true, "criteria": name, "versionEndExcluding": "99"})
    };
    let criteria: Vec<Value> = products.iter().map(criterion).collect();
    json!({"format": "NVD_CVE", "vulnerabilities": [{"cve": {
        "id": "CVE-2026-4242", "vulnStatus": "Analyzed",
        "descriptions": [{"lang": "en", "value": "Everything is concerned."}],
        "configurations": [{"nodes": [{"operator": "OR", "negate": false, "cpeMatch": criteria}]}],
    }}]})
}

#[test]
fn what_distributions_patch_claims_nothing() {
    assert!(SHIPPED.len() >= 40);
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("feed.json");
    std::fs::write(&feed, everything().to_string()).unwrap();
    let packs = Packs::of(folder.path().join("packs"));
    packs.add("feed", &[feed], 0).unwrap();
    packs.rebuild().unwrap();
    let loaded = Knowledge::of(folder.path().join("packs")).unwrap();
    for (says, product) in SHIPPED {
        let (items, beside) = told(says);
        let named =
            |item: &Value| format!("{} {}", item["product"].as_str().unwrap(), item["version"].as_str().unwrap_or(""));
        let names: Vec<String> = items.iter().map(named).collect();
        assert!(names.iter().any(|name| name == product), "{says}: {names:?}");
        for knowledge in [&Knowledge::own(), &loaded] {
            let found = knowledge.affected(&items, &[&beside]).unwrap();
            assert!(found.is_empty(), "{says}: {found:?}");
            let ended = knowledge.maintained(&items, &[&beside]);
            assert!(ended.is_empty(), "{says}: {ended:?}");
        }
    }
    for says in PUBLISHED {
        let (items, beside) = told(says);
        for knowledge in [&Knowledge::own(), &loaded] {
            assert!(!knowledge.affected(&items, &[&beside]).unwrap().is_empty(), "{says}: the feed is read");
        }
    }
}
