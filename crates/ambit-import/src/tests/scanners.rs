//! What scanners of ports and sites write.

use super::*;

fn masscan_at(time: &str) -> Vec<String> {
    vec![format!("IpAddress 192.0.2.7 {time}"), format!("NetworkService 192.0.2.7:8099/tcp {time} state=open")]
}

pub(super) fn scanners() -> Vec<Row> {
    vec![
        (
            Source::Nmap,
            fixture!("nmap.xml"),
            said(&[
                "IpAddress 127.0.0.1 2026-11-23T16:23",
                "NetworkService 127.0.0.1:18099/tcp 2026-11-23T16:23 extra=Python 3.11.7, product=SimpleHTTPServer \
                 0.6, service=http, state=open",
            ]),
        ),
        (Source::Masscan, fixture!("masscan.json"), masscan_at("2026-11-23T16:24")),
        (Source::Masscan, fixture!("masscan.jsonl"), masscan_at("2026-11-23T16:24")),
        (Source::Masscan, fixture!("masscan.txt"), masscan_at("2026-11-23T16:25")),
        (
            Source::Naabu,
            fixture!("naabu.jsonl"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T08:15",
                "IpAddress 192.0.2.7 2026-11-20T08:15",
                "IpAddress 192.0.2.8 2026-11-20T08:15",
                "NetworkService 192.0.2.7:443/tcp 2026-11-20T08:15 state=open",
                "NetworkService 192.0.2.8:53/udp 2026-11-20T08:15 state=open",
            ]),
        ),
        (
            Source::Httpx,
            fixture!("httpx.jsonl"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T08:00",
                "Uri https://www.acme.test:443 2026-11-20T08:00 products=Nginx:1.24.0, PHP, server=nginx/1.24.0, \
                 status=200, title=Acme shop",
            ]),
        ),
        (
            Source::Nuclei,
            fixture!("nuclei.jsonl"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T08:00",
                "Domain acme.test 2026-11-20T08:00 dmarc-detect=info: DNS DMARC - Detect",
                "IpAddress 192.0.2.8 2026-11-20T08:00",
                "NetworkService 192.0.2.8:6379/tcp 2026-11-20T08:00 exposed-redis=high: Redis - Unauthenticated Access",
                "Uri https://www.acme.test:443/.git/config 2026-11-20T08:00 git-config=medium: Git Configuration - \
                 Detect",
            ]),
        ),
    ]
}

#[test]
fn names_that_a_person_gave_to_nmap_are_read_and_hosts_that_are_down_are_not() {
    let text = r#"<nmaprun><host><status state="up"/><address addr="2001:db8::7" addrtype="ipv6"/>
        <address addr="00:00:5E:00:53:01" addrtype="mac"/>
        <hostnames><hostname name="www.acme.test" type="user"/><hostname name="x.elsewhere.test" type="PTR"/>
        </hostnames></host><host><status state="down"/><address addr="192.0.2.9" addrtype="ipv4"/></host></nmaprun>"#;
    let import = read(Source::Nmap, text, USUAL).expect("is read");
    assert_eq!(lines(&import), ["DnsRecord www.acme.test 2026-11-18T11:06", "IpAddress 2001:db8::7 2026-11-18T11:06"]);
}

#[test]
fn hosts_that_a_scan_only_lists_or_takes_for_up_count_with_an_open_port_alone() {
    let host = |status: &str, last: u8, port: &str| {
        let port = format!("<ports><port protocol=\"tcp\" portid=\"80\"><state state=\"{port}\"/></port></ports>");
        format!("<host>{status}<address addr=\"192.0.2.{last}\" addrtype=\"ipv4\"/>{port}</host>")
    };
    let user_set = "<status state=\"up\" reason=\"user-set\"/>";
    let hosts = [
        host("<status state=\"unknown\" reason=\"user-set\"/>", 1, "filtered"),
        host(user_set, 2, "filtered"),
        host(user_set, 3, "open"),
        // As masscan writes it.
        host("", 4, "open"),
        host("<status state=\"skipped\"/>", 5, "open"),
        host("<status state=\"up\" reason=\"echo-reply\"/>", 6, "closed"),
    ];
    let import = read(Source::Nmap, &format!("<nmaprun>{}</nmaprun>", hosts.concat()), USUAL).expect("is read");
    let found = import.sighted.iter().filter(|one| one.kind == ambit_model::Kind::IpAddress);
    let found: Vec<&str> = found.map(|one| one.name.as_str()).collect();
    assert_eq!(found, ["192.0.2.3", "192.0.2.4", "192.0.2.6"]);
    assert_eq!(import.notes, ["hosts left out because nothing shows that they are there: 2"]);
}

#[test]
fn what_a_template_of_nuclei_did_not_match_is_not_imported() {
    let result = |place: &str, matched: bool| {
        json!({"template-id": "t", "matched-at": place, "matcher-status": matched}).to_string() + "\n"
    };
    let text = result("https://no.acme.test/", false) + &result("https://yes.acme.test/", true);
    let import = read(Source::Nuclei, &text, USUAL).expect("is read");
    assert_eq!(import.sighted.len(), 2, "{:?}", import.sighted);
    assert!(import.sighted.iter().all(|one| one.name.contains("yes.acme.test")), "{:?}", import.sighted);
    assert_eq!(import.notes, ["results left out because their template did not match: 1"]);
}

#[test]
fn no_token_stands_in_the_name_of_a_site() {
    let token = ["gh", "p_", "q7Lx2VbN9sKd4TfR8mWz1YcHj3PgA5eUo6Xi"].concat();
    let httpx = json!({"url": format!("https://www.acme.test/hook/{token}"), "status_code": 200});
    let nuclei = json!({"template-id": "t", "matched-at": format!("http://www.acme.test:8080/x?access_token={token}")});
    for (source, file, wanted) in
        [(Source::Httpx, httpx, "https://www.acme.test:443"), (Source::Nuclei, nuclei, "http://www.acme.test:8080")]
    {
        let import = read(source, &file.to_string(), USUAL).expect("is read");
        let sites: Vec<&str> = import
            .sighted
            .iter()
            .filter(|one| one.kind == ambit_model::Kind::Uri)
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(sites, [wanted]);
        assert!(!format!("{import:?}").contains("q7Lx2VbN"), "{import:?}");
    }
}

#[test]
fn what_a_tool_says_is_kept_within_bounds() {
    let many: String = (0..60).map(|number| template(&format!("t{number:02}"), &"x".repeat(400))).collect();
    let import = read(Source::Nuclei, &many, USUAL).expect("is read");
    let site = import.sighted.iter().find(|one| one.name == "https://acme.test:443").expect("the site");
    assert_eq!(site.says.len(), 50);
    assert!(site.says.values().all(|text| text.chars().count() == 300));
    // What was said before is said anew, whatever else there is.
    let import =
        read(Source::Nuclei, &format!("{many}{}", template("t00", "new\u{1b}[2J  words")), USUAL).expect("is read");
    let site = import.sighted.iter().find(|one| one.name == "https://acme.test:443").expect("the site");
    assert_eq!(site.says["t00"], "info: new [2J words");
}

/// A line of nuclei.
fn template(name: &str, title: &str) -> String {
    let info = json!({"severity": "info", "name": title});
    json!({"template-id": name, "matched-at": "https://acme.test/", "info": info}).to_string() + "\n"
}

#[test]
fn a_file_of_xml_neither_nests_without_end_nor_leads_elsewhere() {
    let deep = format!("<nmaprun>{}", "<a>".repeat(40));
    let elsewhere = "<!DOCTYPE nmaprun [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<nmaprun>\
                     <host><status state=\"up\"/><address addr=\"&x;\" addrtype=\"ipv4\"/></host></nmaprun>";
    for (text, why) in [(deep.as_str(), "line 1: more than 32 elements"), (elsewhere, "line 2: ")] {
        let error = read(Source::Nmap, text, USUAL).expect_err("is refused").to_string();
        assert!(error.starts_with(why) && !error.contains("root:"), "{error}");
    }
}

#[test]
fn a_scan_that_was_stopped_is_read_as_far_as_it_goes() {
    let whole = fixture!("nmap.xml");
    assert!(read(Source::Nmap, whole, USUAL).expect("is read").notes.is_empty());
    let begun = whole.find("<scaninfo").expect("is there");
    let host_over = whole.find("</host>").expect("is there") + "</host>".len();
    // Wherever it was stopped: between elements, within a tag, within an attribute.
    for cut in begun..whole.trim_end().len() {
        let import = read(Source::Nmap, &whole[..cut], USUAL).unwrap_or_else(|error| panic!("at {cut}: {error}"));
        assert_eq!(import.sighted.len(), if cut < host_over { 0 } else { 2 }, "at {cut}");
        assert_eq!(
            import.notes,
            ["the file is truncated: whatever followed its last complete host is missing"],
            "at {cut}"
        );
    }
}
