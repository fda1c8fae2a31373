//! Accounts at cloud providers beside AWS, at a peer on loopback that gives recorded answers: what stands there is
//! found as theirs and judged, what is denied is told and closes nothing, patience is had where it is asked for, and
//! no secret comes out.

use crate::cloud::Installation;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Method and beginning of the target, the header that must be there, status and answer; the first that fits.
type Answers = &'static [(&'static str, &'static str, u16, &'static str)];

/// A peer that gives recorded answers, and remembers what it was asked.
struct Peer {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let told = Arc::clone(&told);
                std::thread::spawn(move || answer(stream, answers, &told));
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no thread died with it").clone()
    }
}

/// Answers the requests of one connection.
fn answer(stream: TcpStream, answers: Answers, told: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut line, mut length, mut shown) = (String::new(), 0, String::new());
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header).unwrap_or(0) == 0 || header == "\r\n" {
                break;
            }
            let lower = header.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if ["authorization:", "x-auth-token:", "fastly-key:"].iter().any(|name| lower.starts_with(name)) {
                shown = header.split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("the body comes whole");
        let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let said = format!("{target} {} {shown}", String::from_utf8_lossy(&body));
        let earlier = {
            let mut told = told.lock().expect("no thread died with it");
            told.push(said.clone());
            told.iter().filter(|other| **other == said).count()
        };
        let fits = |(part, secret, _, _): &&(&str, &str, u16, &str)| said.contains(part) && shown.contains(secret);
        let first = answers.iter().find(fits);
        // Of two answers to one question the second is the one that is given from the second time on.
        let found = first.map(|(part, _, _, _)| {
            let same: Vec<_> = answers.iter().filter(fits).filter(|(other, _, _, _)| other == part).collect();
            same[(earlier - 1).min(same.len() - 1)]
        });
        let (status, text) = found.map_or((404, "{}"), |(_, _, status, text)| (*status, *text));
        let head =
            format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", text.len());
        if reader.get_mut().write_all(format!("{head}{text}").as_bytes()).is_err() {
            return;
        }
    }
}

const HETZNER: Answers = &[
    // Once it asks for patience.
    ("/v1/servers", "Bearer h3tzner-s3cret", 429, "{}"),
    (
        "/v1/servers",
        "Bearer h3tzner-s3cret",
        200,
        r#"{"servers":[{"id":42,"name":"db","status":"running","public_net":{"ipv4":{"ip":"203.0.113.42"}}}],"meta":{}}"#,
    ),
    (
        "/v1/firewalls",
        "Bearer h3tzner-s3cret",
        200,
        r#"{"firewalls":[{"id":1,"name":"open","rules":[{"direction":"in","protocol":"tcp","port":"5432",
            "source_ips":["0.0.0.0/0","::/0"]}]},{"id":2,"name":"office","rules":[{"direction":"in","protocol":"tcp",
            "port":"5432","source_ips":["198.51.100.0/24"]}]}],"meta":{"pagination":{"next_page":null}}}"#,
    ),
    ("/v1/floating_ips", "", 200, r#"{"floating_ips":[{"id":3,"ip":"203.0.113.43","server":null}]}"#),
    ("/v1/load_balancers", "", 403, r#"{"error":{"code":"forbidden","message":"token h3tzner-s3cret of bob"}}"#),
    ("/v1/primary_ips", "", 200, r#"{"primary_ips":[{"id":4,"ip":"2001:db8:1::/64","assignee_id":42}]}"#),
    ("/v1/zones/z/rrsets", "", 200, r#"{"rrsets":[{"name":"www","type":"A"},{"name":"@","type":"A"}]}"#),
    ("/v1/zones", "", 200, r#"{"zones":[{"id":"z","name":"acme-hetzner.com"}]}"#),
];

const AZURE: Answers = &[
    ("client_secret=azur3-s3cret", "", 200, r#"{"access_token":"t0ken","expires_in":3600}"#),
    (
        "networksecuritygroups",
        "Bearer t0ken",
        200,
        r#"{"data":[{"id":"/s/nsg/web","name":"web","properties":{"securityRules":[
            {"properties":{"access":"Allow","direction":"Inbound","protocol":"Tcp","sourceAddressPrefix":"*",
                "destinationPortRange":"3389"}},
            {"properties":{"access":"Deny","direction":"Inbound","protocol":"*","sourceAddressPrefix":"*",
                "destinationPortRange":"22"}}]}}]}"#,
    ),
    (
        "virtualMachineScaleSets",
        "Bearer t0ken",
        200,
        r#"{"data":[{"id":"/s/vmss/pool","name":"pool","sku":{"name":"D2s"},"properties":{}}]}"#,
    ),
    (
        "/s/vmss/pool/publicipaddresses",
        "Bearer t0ken",
        200,
        r#"{"value":[{"id":"/s/vmss/pool/0/pub","properties":{"ipAddress":"203.0.113.71","ipConfiguration":{"id":"y"}}}]}"#,
    ),
    (
        "publicipaddresses",
        "Bearer t0ken",
        200,
        r#"{"data":[{"id":"/s/ip/web","properties":{"ipAddress":"203.0.113.70","ipConfiguration":{"id":"x"}}}]}"#,
    ),
    (
        "virtualmachines",
        "Bearer t0ken",
        200,
        r#"{"data":[{"id":"/s/vm/web","name":"web","properties":{"hardwareProfile":{"vmSize":"B1s"}}}]}"#,
    ),
    ("/providers/Microsoft.ResourceGraph", "Bearer t0ken", 200, r#"{"data":[]}"#),
];

const KUBERNETES: Answers = &[
    (
        "/api/v1/services?limit=500&continue=c1",
        "Bearer kub3-s3cret",
        200,
        r#"{"kind":"ServiceList","metadata":{},"items":[{"metadata":{"name":"api","uid":"u2"},"spec":{"type":"LoadBalancer"},
            "status":{"loadBalancer":{"ingress":[{"hostname":"api.acme-cluster.com"}]}}}]}"#,
    ),
    (
        "/api/v1/services?limit=500",
        "Bearer kub3-s3cret",
        200,
        r#"{"kind":"ServiceList","metadata":{"continue":"c1"},"items":[
            {"metadata":{"name":"web","uid":"u1","namespace":"shop"},"spec":{"type":"LoadBalancer"},
             "status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.50"}]}}},
            {"metadata":{"name":"inner","uid":"u9"},"spec":{"type":"ClusterIP"}}]}"#,
    ),
    (
        "/apis/networking.k8s.io/v1/ingresses",
        "Bearer kub3-s3cret",
        200,
        r#"{"metadata":{},"items":[{"metadata":{"name":"i","uid":"u3"},"spec":{"rules":[{"host":"shop.acme-cluster.com"}]}}]}"#,
    ),
    // Its service account may not list nodes.
    ("/api/v1/nodes", "", 403, r#"{"kind":"Status","message":"nodes is forbidden: User \"kub3-s3cret\""}"#),
];

/// Where tokens of a sovereign cloud are given out, and nothing else.
const SOVEREIGN: Answers = &[("client_secret=azur3-s3cret", "", 200, r#"{"access_token":"t0ken","expires_in":3600}"#)];

/// Issues of a collection: name and entity.
fn issues(installation: &Installation, collection: &str) -> BTreeSet<String> {
    let rows = installation.rows(&["issues", &format!("collection:{collection}")]);
    let text = |row: &Value, member: &str| row[member].as_str().expect("text").to_owned();
    rows.iter().map(|row| format!("{} {}", text(row, "name"), text(row, "entity_name"))).collect()
}

fn names(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn an_account_at_another_provider_is_looked_through_by_its_token_and_judged() {
    let peer = Peer::start(HETZNER);
    let installation =
        Installation::asking("cloud-hetzner", &[("AMBIT_CLOUD_ENDPOINTS", &format!("hetzner={}", peer.url))]);
    let collection = installation.collection_of("Hetzner", "cloud_account");
    let integration = json!({"name": "Machines", "type": "CloudCredential", "secrets": {"token": "h3tzner-s3cret"},
        "settings": {"provider": "hetzner"}});
    installation.use_integration(&collection, &integration);
    let run = installation.run(&collection);
    let [row] = run["not_done"].as_array().expect("a list").as_slice() else { panic!("one thing is denied: {run}") };
    assert_eq!((&row["reason"], &row["task"]), (&json!("denied"), &json!("cloud_account")), "{run}");
    let said = row["example"].to_string();
    assert!(said.contains("Hetzner Cloud, load_balancers: denied: status 403") && !said.contains("s3cret"), "{said}");
    let things = [
        "hetzner:server:42",
        "hetzner:firewall:1",
        "hetzner:firewall:2",
        "hetzner:floating_ip:3",
        "hetzner:primary_ip:4",
        "hetzner:zone:z",
    ];
    installation.finds(&collection, "CloudResource", &names(&things));
    installation.finds(&collection, "IpAddress", &names(&["203.0.113.42", "203.0.113.43"]));
    installation.finds(&collection, "DnsRecord", &names(&["www.acme-hetzner.com"]));
    let wanted = ["cloud_firewall_open_postgres hetzner:firewall:1", "cloud_unused_address hetzner:floating_ip:3"];
    assert_eq!(issues(&installation, &collection), names(&wanted));
    let asked = peer.asked();
    assert_eq!(asked.iter().filter(|asked| asked.starts_with("/v1/servers")).count(), 2, "asked again once: {asked:?}");

    let known = installation.rows(&["changes"]).last().expect("something changed")["revision"].to_string();
    let again = installation.run(&collection);
    assert_eq!(installation.rows(&["changes", "record:entity", "--after", &known]), Vec::<Value>::new());
    assert_eq!(again["new_entity_count"], json!(0), "{again}");
    installation.keeps_no_word("h3tzner-s3cret");
}

#[test]
fn azure_is_asked_by_the_token_of_an_application_and_what_names_no_provider_is_told() {
    let peer = Peer::start(AZURE);
    let installation =
        Installation::asking("cloud-azure", &[("AMBIT_CLOUD_ENDPOINTS", &format!("azure={}", peer.url))]);
    let collection = installation.collection_of("Azure", "cloud_account");
    let secrets = json!({"tenant_id": "acme-tenant", "client_id": "c", "client_secret": "azur3-s3cret"});
    let integration = json!({"name": "Azure", "type": "AzureCredential", "secrets": secrets});
    installation.use_integration(&collection, &integration);
    let run = installation.run(&collection);
    assert_eq!(run["not_done"], json!([]), "{run}");
    installation.finds(&collection, "AzureVirtualMachine", &names(&["/s/vm/web"]));
    installation.finds(&collection, "IpAddress", &names(&["203.0.113.70", "203.0.113.71"]));
    installation.finds(
        &collection,
        "CloudResource",
        &names(&["/s/ip/web", "/s/nsg/web", "/s/vmss/pool", "/s/vmss/pool/0/pub"]),
    );
    assert_eq!(issues(&installation, &collection), names(&["cloud_firewall_open_rdp /s/nsg/web"]));
    installation.keeps_no_word("azur3-s3cret");

    // Of a sovereign cloud: tokens come from another place, and are for asking this one.
    let (login, interface) = (Peer::start(SOVEREIGN), Peer::start(AZURE));
    let places = format!("azure={},azure.login={}", interface.url, login.url);
    let sovereign = Installation::asking("cloud-sovereign", &[("AMBIT_CLOUD_ENDPOINTS", &places)]);
    let collection = sovereign.collection_of("Sovereign", "cloud_account");
    sovereign.use_integration(&collection, &integration);
    let run = sovereign.run(&collection);
    assert_eq!(run["not_done"], json!([]), "{run}");
    sovereign.finds(&collection, "AzureVirtualMachine", &names(&["/s/vm/web"]));
    assert!(interface.asked().iter().all(|asked| !asked.contains("azur3-s3cret")), "{:?}", interface.asked());
    let scope = format!("scope={}%2F.default", interface.url.replace(':', "%3A").replace('/', "%2F"));
    assert!(login.asked().iter().all(|asked| asked.contains(&scope)), "{scope}: {:?}", login.asked());

    let other = installation.collection_of("Moon", "cloud_account");
    let moon =
        json!({"name": "Moon", "type": "CloudCredential", "secrets": {"token": "x"}, "settings": {"provider": "moon"}});
    installation.use_integration(&other, &moon);
    let run = installation.run(&other);
    let said = run["not_done"].to_string();
    assert!(said.contains("the setting provider of its integration is none of azure, cloudflare"), "{run}");
}

#[test]
fn a_cluster_is_looked_through_by_its_kubeconfig_and_a_list_that_it_denies_is_unknown() {
    let peer = Peer::start(KUBERNETES);
    let installation = Installation::asking("cloud-kubernetes", &[]);
    let collection = installation.collection_of("Cluster", "cloud_account");
    let file = |user: &str| {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: prod\ncontexts:\n- name: prod\n  context: {{cluster: c, \
             user: u}}\nclusters:\n- name: c\n  cluster:\n    server: {}\nusers:\n- name: u\n  user:\n    {user}\n",
            peer.url
        )
    };
    let integration = |user: &str| {
        json!({"name": "Cluster", "type": "CloudCredential", "secrets": {"kubeconfig": file(user)},
            "settings": {"provider": "kubernetes"}})
    };
    installation.use_integration(&collection, &integration("token: kub3-s3cret"));
    let run = installation.run(&collection);
    let [row] = run["not_done"].as_array().expect("a list").as_slice() else { panic!("one list is denied: {run}") };
    assert_eq!((&row["reason"], &row["count"]), (&json!("denied"), &json!(1)), "{run}");
    let said = row["example"].to_string();
    assert!(said.contains("Kubernetes, nodes: denied: status 403") && !said.contains("s3cret"), "{said}");
    let things = ["kubernetes:service:u1", "kubernetes:service:u2", "kubernetes:ingress:u3"];
    installation.finds(&collection, "CloudResource", &names(&things));
    installation.finds(&collection, "IpAddress", &names(&["203.0.113.50"]));
    installation.finds(&collection, "DnsRecord", &names(&["api.acme-cluster.com", "shop.acme-cluster.com"]));
    installation.keeps_no_word("kub3-s3cret");
}

#[test]
fn a_kubeconfig_that_gets_its_token_by_a_program_is_refused_when_it_is_given() {
    let installation = Installation::asking("cloud-kubeconfig", &[]);
    let file = |user: &str| {
        format!(
            "current-context: p\ncontexts:\n- name: p\n  context: {{cluster: c, user: u}}\nclusters:\n- name: c\n  \
             cluster:\n    server: https://k8s.acme.test\nusers:\n- name: u\n  user:\n    {user}\n"
        )
    };
    let body = |user: &str| {
        json!({"name": "Cluster", "type": "CloudCredential", "secrets": {"kubeconfig": file(user)},
            "settings": {"provider": "kubernetes"}})
    };
    installation.collection_of("Cluster", "cloud_account");
    let collections = installation.rows(&["collection", "list"]);
    let create = format!("/projects/{}/integrations", collections[0]["project_uuid"].as_str().expect("text"));
    let (status, answer) = installation.ask("POST", &create, &body("exec: {command: aws, env: [s3cret]}"));
    let said = answer["message"].as_str().unwrap_or_default();
    assert_eq!(status, 400, "{answer}");
    assert!(said.contains("the secret kubeconfig cannot be used: its user gets a token by a program (exec)"), "{said}");
    assert!(said.contains("give the token of a service account") && !said.contains("s3cret"), "{said}");
    let (status, answer) = installation.ask("POST", &create, &body("token: t"));
    assert_eq!(status, 200, "{answer}");
    let change = format!("/integrations/{}", answer["result"]["uuid"].as_str().expect("text"));
    let (status, answer) = installation.ask("PATCH", &change, &json!({"secrets": {"kubeconfig": "a: ["}}));
    assert_eq!((status, answer["message"].to_string().contains("is no YAML")), (400, true), "{answer}");
}
