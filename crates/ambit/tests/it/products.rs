//! Sixty products in known versions: exactly they are told, with their CPE names and with what is known of them, and
//! updates close exactly what they fix.

use crate::program::{Discovery, Folder, scan_text, succeed};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What shows a product, its word there, its name, and its vendor and product as CPE names them.
const PRODUCTS: &[(&str, &str, &str, &str)] = &[
    ("server", "mini_httpd", "mini_httpd", "acme:mini_httpd"),
    ("server", "thttpd", "thttpd", "acme:thttpd"),
    ("server", "Tengine", "Tengine", "alibaba:tengine"),
    ("server", "Apache", "HTTP Server", "apache:http_server"),
    ("server", "Caddy", "Caddy", "caddyserver:caddy"),
    ("server", "Jetty", "Jetty", "eclipse:jetty"),
    ("server", "GoAhead-Webs", "GoAhead", "embedthis:goahead"),
    ("server", "uvicorn", "Uvicorn", "encode:uvicorn"),
    ("server", "envoy", "Envoy", "envoyproxy:envoy"),
    ("server", "nginx", "nginx", "f5:nginx"),
    ("server", "gunicorn", "Gunicorn", "gunicorn:gunicorn"),
    ("server", "lighttpd", "lighttpd", "lighttpd:lighttpd"),
    ("server", "LiteSpeed", "LiteSpeed Web Server", "litespeedtech:litespeed_web_server"),
    ("server", "Cowboy", "Cowboy", "ninenines:cowboy"),
    ("server", "openresty", "OpenResty", "openresty:openresty"),
    ("server", "Werkzeug", "Werkzeug", "palletsprojects:werkzeug"),
    ("server", "WEBrick", "WEBrick", "ruby-lang:webrick"),
    ("server", "squid", "Squid", "squid-cache:squid"),
    ("server", "Varnish", "Varnish Cache", "varnish_cache_project:varnish_cache"),
    ("server", "Zope", "Zope", "zope:zope"),
    ("server", "ATS", "Traffic Server", "apache:traffic_server"),
    ("server", "APISIX", "APISIX", "apache:apisix"),
    ("server", "Cherokee", "Cherokee", "cherokee-project:cherokee_web_server"),
    ("server", "CherryPy", "CherryPy", "cherrypy:cherrypy"),
    ("server", "TwistedWeb", "TwistedWeb", "twistedmatrix:twisted"),
    ("server", "TornadoServer", "Tornado", "tornadoweb:tornado"),
    ("server", "puma", "Puma", "puma:puma"),
    ("server", "JBoss-EAP", "JBoss EAP", "redhat:jboss_enterprise_application_platform"),
    ("server", "WildFly", "WildFly", "redhat:wildfly"),
    ("server", "Resin", "Resin", "caucho:resin"),
    ("server", "Unit", "NGINX Unit", "f5:nginx_unit"),
    ("server", "Monkey", "Monkey", "monkey-project:monkey"),
    ("server", "Mongoose", "Mongoose Web Server", "cesanta:mongoose"),
    ("server", "Boa", "Boa", "boa:boa"),
    ("server", "RomPager", "RomPager", "allegrosoft:rompager"),
    ("server", "Hiawatha", "Hiawatha", "hiawatha-webserver:hiawatha"),
    ("server", "Yaws", "Yaws", "yaws:yaws"),
    ("server", "AOLserver", "AOLserver", "aol:aolserver"),
    ("server", "Abyss", "Abyss Web Server", "aprelium:abyss_web_server"),
    ("server", "HFS", "HTTP File Server", "rejetto:http_file_server"),
    ("server", "Roxen", "Roxen", "roxen:roxen_webserver"),
    ("server", "Nexus", "Nexus Repository Manager", "sonatype:nexus_repository_manager"),
    ("server", "Artifactory", "Artifactory", "jfrog:artifactory"),
    ("server", "MiniServ", "Webmin", "webmin:webmin"),
    ("server", "Synapse", "Synapse", "matrix:synapse"),
    ("server", "ScreenConnect", "ScreenConnect", "connectwise:screenconnect"),
    ("server", "Asterisk", "Asterisk", "digium:asterisk"),
    ("server", "Tasmota", "Tasmota", "tasmota_project:tasmota"),
    ("generator", "Gitea", "Gitea", "gitea:gitea"),
    ("generator", "DokuWiki", "DokuWiki", "dokuwiki:dokuwiki"),
    ("generator", "Drupal", "Drupal", "drupal:drupal"),
    ("generator", "Ghost", "Ghost", "ghost:ghost"),
    ("generator", "Hugo", "Hugo", "gohugo:hugo"),
    ("generator", "Joomla!", "Joomla!", "joomla:joomla\\!"),
    ("generator", "MediaWiki", "MediaWiki", "mediawiki:mediawiki"),
    ("generator", "PrestaShop", "PrestaShop", "prestashop:prestashop"),
    ("generator", "WordPress", "WordPress", "wordpress:wordpress"),
    ("generator", "Discourse", "Discourse", "discourse:discourse"),
    ("generator", "Plone", "Plone", "plone:plone"),
    ("generator", "Hexo", "Hexo", "hexo:hexo"),
    ("header", "X-Jenkins", "Jenkins", "jenkins:jenkins"),
    ("ssh", "OpenSSH", "OpenSSH", "openbsd:openssh"),
];
/// Every other product is updated in the second state.
const UPDATED: usize = 2;

/// The version of a product; the next one is the first in which its vulnerability is fixed.
fn version(number: usize, fixed: bool) -> String {
    format!("98.{number}.{}", if fixed { 2 } else { 1 })
}

fn host(number: usize) -> String {
    format!("p{number:02}.acme.test")
}

/// The lines of a product in a version.
fn lines(number: usize, fixed: bool) -> String {
    let ((kind, word, _, _), version, host) = (PRODUCTS[number], version(number, fixed), host(number));
    match kind {
        "server" => format!("site https://{host} \"Site {number}\"\n  server \"{word}/{version}\"\n"),
        "generator" => {
            format!("site https://{host} \"Site {number}\"\n  server none  generator \"{word} {version}\"\n")
        }
        "header" => format!("site https://{host} \"Site {number}\"\n  server none  header {word} \"{version}\"\n"),
        "ssh" => format!("host 203.0.113.9\n  port 22 ssh \"{word}_{version}\"\n"),
        other => panic!("{other}"),
    }
}

fn world() -> String {
    let mut text =
        "world products \"Products\"\nseeds acme.test\norg acme \"Acme Corp\" ours email hostmaster@acme.test\n\
                    block 203.0.113.0/26 of acme asn AS64500 named ACME-NET\nzone acme.test of acme\n  \
                    ns ns1.acme.test 203.0.113.2\nhost 203.0.113.5\n  unknown-host close\n"
            .to_owned();
    for (number, (kind, ..)) in PRODUCTS.iter().enumerate() {
        let address = if *kind == "ssh" { "203.0.113.9" } else { "203.0.113.5" };
        text.push_str(&format!("name {} A {address}\n{}", host(number), lines(number, false)));
    }
    text.push_str("state 2\n");
    (0..PRODUCTS.len()).step_by(UPDATED).for_each(|number| text.push_str(&lines(number, true)));
    text
}

fn cve(number: usize) -> String {
    format!("CVE-2026-{}", 40_000 + number)
}

/// One vulnerability for each product, and one for each that is fixed before the version that is there.
fn feed() -> String {
    let record = |id: String, cpe: &str, before: &str| {
        let criterion = json!({"criteria": format!("cpe:2.3:a:{cpe}:*:*:*:*:*:*:*:*"), "vulnerable": true,
            "versionStartIncluding": "98.0", "versionEndExcluding": before});
        json!({"cve": {"id": id, "vulnStatus": "Analyzed",
            "descriptions": [{"lang": "en", "value": "It can be overrun."}],
            "metrics": {"cvssMetricV31": [{"source": "nvd@nist.gov", "type": "Primary",
                "cvssData": {"version": "3.1", "vectorString": "CVSS:3.1/AV:N", "baseScore": 8.8}}]},
            "configurations": [{"nodes": [{"operator": "OR", "negate": false, "cpeMatch": [criterion]}]}]}})
    };
    let records: Vec<Value> = PRODUCTS
        .iter()
        .enumerate()
        .flat_map(|(number, (.., cpe))| {
            let older = format!("CVE-2026-{}", 50_000 + number);
            [record(cve(number), cpe, &version(number, true)), record(older, cpe, &version(number, false))]
        })
        .collect();
    json!({"resultsPerPage": 1, "format": "NVD_CVE", "vulnerabilities": records}).to_string()
}

/// The CPE names that a scan told, and what it told to be known of them.
fn told(discovery: &Discovery) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut cpes, mut vulns) = (BTreeSet::new(), BTreeSet::new());
    for entity in discovery.entities.values() {
        let list = |path: &str| entity.pointer(path).and_then(Value::as_array).into_iter().flatten();
        cpes.extend(list("/summary/technology/cpes").filter_map(|one| Some(one["cpe"].as_str()?.to_owned())));
        vulns.extend(list("/summary/vulns/vulns").filter_map(|id| Some(id.as_str()?.to_owned())));
    }
    (cpes, vulns)
}

/// The technologies that a scan told, by name.
fn technologies(discovery: &Discovery) -> BTreeSet<String> {
    let lists = discovery
        .entities
        .values()
        .filter_map(|entity| entity.pointer("/summary/technology/technologies").and_then(Value::as_array));
    lists.flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// Hosts on which a vulnerability is an open issue, by its CVE.
fn open_issues(folder: &Folder) -> BTreeMap<String, BTreeSet<String>> {
    let data = folder.join("data").display().to_string();
    let text = succeed(&["issues", "name:vulnerable_software", "status_new:open", "--jsonl", "--data", &data]);
    let mut open: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        let issue: Value = serde_json::from_str(line).expect("a line is JSON");
        let text = issue.to_string();
        let at = text.find("CVE-").expect("it names its CVE");
        let cve: String = text[at..].chars().take("CVE-2026-40000".len()).collect();
        open.entry(cve).or_default().insert(issue["entity_name"].as_str().expect("an entity").to_owned());
    }
    open
}

/// The entities that show a product: its site by both schemes where its head tells it, or the service.
fn entities(number: usize) -> BTreeSet<String> {
    let host = host(number);
    match PRODUCTS[number].0 {
        "server" => BTreeSet::from([format!("https://{host}:443"), format!("http://{host}:80")]),
        "ssh" => BTreeSet::from(["203.0.113.9:22/tcp".to_owned()]),
        _ => BTreeSet::from([format!("https://{host}:443")]),
    }
}

/// What must be told where these products are updated.
fn expected(updated: &dyn Fn(usize) -> bool) -> (BTreeSet<String>, BTreeMap<String, BTreeSet<String>>) {
    let (mut cpes, mut issues) = (BTreeSet::new(), BTreeMap::new());
    for (number, (.., cpe)) in PRODUCTS.iter().enumerate() {
        cpes.insert(format!("cpe:2.3:a:{cpe}:{}:*:*:*:*:*:*:*", version(number, updated(number))));
        if !updated(number) {
            issues.insert(cve(number), entities(number));
        }
    }
    (cpes, issues)
}

#[test]
fn sixty_products_are_told_with_what_is_known_of_them_and_updates_close_what_they_fix() {
    assert!(PRODUCTS.len() >= 60);
    let folder = Folder::new("products");
    let file = folder.join("nvd.json");
    std::fs::write(&file, feed()).expect("can be written");
    let data = folder.join("data").display().to_string();
    succeed(&["init", "--email", "a@acme.test", "--data", &data]);
    succeed(&["packs", "add", &file.display().to_string(), "--data", &data]);

    let first = scan_text(&folder, &world(), &[]);
    let (cpes, issues) = expected(&|_| false);
    let names: BTreeSet<String> = PRODUCTS.iter().map(|(_, _, name, _)| (*name).to_owned()).collect();
    assert_eq!(technologies(&first), names, "the planted technologies and no others");
    assert_eq!(told(&first), (cpes, issues.keys().cloned().collect()));
    assert_eq!(open_issues(&folder), issues);

    let second = scan_text(&folder, &world(), &["--state", "2"]);
    let (cpes, issues) = expected(&|number| number.is_multiple_of(UPDATED));
    assert_eq!(technologies(&second), names);
    assert_eq!(told(&second), (cpes, issues.keys().cloned().collect()));
    assert_eq!(open_issues(&folder), issues, "exactly what was updated is closed");
}
