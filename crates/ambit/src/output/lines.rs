//! Search hits, changes and runs as one line for a person. What came from outside is shown escaped.

use crate::output::plain;
use crate::output::table::{at, items, shown, text};
use ambit_model::issue::severity_name;
use serde_json::Value;

/// The last part of a kind: `Platform::Entity::Uri` is a `Uri`.
pub(crate) fn kind(value: &Value) -> &str {
    let name = value.as_str().unwrap_or_default();
    name.rsplit("::").next().unwrap_or(name)
}

/// `Uri  https://www.acme.test:443  200  "Acme"`, with `(not ours)` where scope says so.
pub(crate) fn entity(hit: &Value) -> String {
    let mut line = format!("{:<18} {}", kind(&hit["type"]), shown(hit, "name"));
    for path in ["summary.http.code", "summary.http.title", "summary.resolutions"] {
        let value = shown(hit, path);
        match path {
            _ if value.is_empty() => {}
            "summary.http.title" => line.push_str(&format!("  \"{value}\"")),
            _ => line.push_str(&format!("  {value}")),
        }
    }
    if at(hit, "summary.scoped") == false {
        line.push_str("  (not ours)");
    }
    line
}

/// The beginning of a uid, with which commands find the record again.
pub(crate) fn short(uid: &str) -> &str {
    uid.get(..8).unwrap_or(uid)
}

/// `2d769e13  high      Telnet is reachable  NetworkService 203.0.113.9:23/tcp  (confirmed)  open_new`; behind the
/// entity stands what tells several of one name about it apart, where the title does not.
pub(crate) fn issue(hit: &Value) -> String {
    let title = shown(hit, "pretty_name");
    let which = Some(shown(hit, "discriminator")).filter(|which| !title.contains(which.as_str()));
    format!(
        "{}  {:<9} {}  {} {}{}  ({})  {}",
        short(&shown(hit, "uid")),
        severity_name(at(hit, "summary.severity").as_i64().unwrap_or_default()),
        title,
        kind(&hit["entity_type"]),
        shown(hit, "entity_name"),
        which.map(|which| format!("  {which}")).unwrap_or_default(),
        shown(hit, "summary.confidence"),
        shown(hit, "summary.status"),
    )
}

/// `nginx 1.24.0  3 entities`.
pub(crate) fn technology(hit: &Value) -> String {
    format!("{}  {}", shown(hit, "name"), counted(&hit["entity_count"], "entity", "entities"))
}

/// `7  ann@example.org  owner`, of a project.
pub(crate) fn member(row: &Value) -> String {
    let invited = if row["state"] == "invited" { "  invited" } else { "" };
    format!("{}  {}  {}{invited}", row["id"], shown(row, "email"), text(&row["role"]))
}

/// A number with its noun.
pub(crate) fn counted(count: &Value, one: &str, many: &str) -> String {
    format!("{count} {}", if *count == 1 { one } else { many })
}

/// `17  2026-11-21T08:00:00.000Z  entity appeared  Uri https://www.acme.test:443`.
pub(crate) fn change(change: &Value) -> String {
    let what = format!("{} {}", shown(change, "record"), shown(change, "what"));
    let name = [shown(change, "kind"), shown(change, "name"), shown(change, "status")];
    let name: Vec<String> = name.into_iter().filter(|word| !word.is_empty()).collect();
    format!("{}  {}  {what}  {}", change["revision"], shown(change, "at"), name.join(" "))
}

/// What a run did not do and why, a line for each task and reason.
pub(crate) fn not_done(run: &Value) -> impl Iterator<Item = String> {
    items(&run["not_done"]).map(|row| {
        format!(
            "  not done  {} × {} ({}), for example {}",
            row["count"],
            shown(row, "task"),
            shown(row, "reason"),
            shown(row, "example")
        )
    })
}

/// `12  outside_a1b2c3d  finished  started 2026-11-21T08:00:00.000Z  412 entities`.
pub(crate) fn run(run: &Value) -> String {
    let begun = match shown(run, "started_at") {
        at if at.is_empty() => "-".to_owned(),
        at => at,
    };
    let mut line = format!(
        "{}  {}  {}  started {begun}  {}",
        run["id"],
        shown(run, "collection_name"),
        shown(run, "status"),
        counted(&run["entity_count"], "entity", "entities")
    );
    if run.get("work_done").is_some() {
        line.push_str(&format!(
            "  {} done, {} open, {} unanswered, {} new entities",
            run["work_done"], run["work_open"], run["work_unknown"], run["new_entity_count"]
        ));
        line.push_str(&format!(
            "; {}, {}, {}",
            counted(&run["names_found"], "name", "names"),
            counted(&run["addresses_found"], "address", "addresses"),
            counted(&run["sites_found"], "site", "sites")
        ));
        if run["status"] == "running" {
            line.push_str(&format!("; {}", left(run["seconds_left"].as_u64())));
        }
    }
    line
}

/// What is sent, by the member of a plan: one of it, and many.
const SENT: [(&str, &str, &str); 5] = [
    ("dns_questions", "DNS question", "DNS questions"),
    ("connections", "connection", "connections"),
    ("datagrams", "UDP datagram", "UDP datagrams"),
    ("http_requests", "HTTP request", "HTTP requests"),
    ("provider_requests", "request to data providers", "requests to data providers"),
];

/// What each task of a plan examines and sends, a line for each, the loudest first.
/// `port_sweep: 1 address × 200 ports, 200 connections, about 400 packets, 4 s`.
pub(crate) fn plan_by_task(plan: &Value) -> Vec<String> {
    items(&plan["tasks"]).map(of_task).collect()
}

fn of_task(task: &Value) -> String {
    let number = |member: &str| task[member].as_u64().unwrap_or_default();
    let some = |member: &str, one: &str, many: &str| (number(member) > 0).then(|| amount(number(member), one, many));
    let ports = some("ports_per_address", "port", "ports").map(|ports| format!(" × up to {ports}")).unwrap_or_default();
    let examined = [
        some("names", "name", "names"),
        some("addresses", "address", "addresses").map(|addresses| addresses + &ports),
        some("sites", "site", "sites"),
        some("others", "seed", "seeds"),
    ];
    let sent = SENT.iter().map(|(member, one, many)| some(member, one, many));
    let parts: Vec<String> = examined.into_iter().chain(sent).flatten().collect();
    let packets = amount(number("packets"), "packet", "packets");
    format!("{}: {}, about {packets}, {}", shown(task, "task"), parts.join(", "), duration(number("seconds")))
}

/// `1 port`, `1,000 ports`.
pub(crate) fn amount(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// What a run asks, in numbers, a line for each sort.
pub(crate) fn plan(plan: &Value) -> Vec<String> {
    let number = |member: &str| plan[member].as_u64().unwrap_or_default();
    let sent = SENT.iter().map(|(member, one, many)| amount(number(member), one, many));
    let mut lines = vec![format!(
        "for {}: {}, about {} packets; about {} at the polite rates, plus work on what is discovered",
        seeds(&plan["seeds"]),
        sent.collect::<Vec<_>>().join(", "),
        grouped(number("packets")),
        duration(number("seconds")),
    )];
    let each = [
        ("domain", "names tried below it", "names_per_domain"),
        ("address that responds", "ports", "ports_per_address"),
        ("site", "HTTP requests", "http_requests_per_site"),
    ];
    let each = each.iter().filter(|(_, _, member)| number(member) > 0);
    let each: Vec<String> =
        each.map(|(one, many, member)| format!("each {one}: up to {} {many}", grouped(number(member)))).collect();
    lines.extend((!each.is_empty()).then(|| each.join("; ")));
    if number("swept_addresses") > 0 {
        let knocks = match number("ports_per_swept_address") {
            0 => "its reverse name".to_owned(),
            ports => format!("its reverse name and up to {} ports", grouped(ports)),
        };
        lines.push(format!("{} addresses of blocks, each asked for {knocks}", grouped(number("swept_addresses"))));
    }
    for block in items(&plan["large_blocks"]) {
        let yes =
            if block["confirmed"] == true { "swept, as somebody confirmed" } else { "swept only with --yes-large" };
        let addresses = grouped(block["addresses"].as_u64().unwrap_or_default());
        lines.push(format!("{} has {addresses} addresses: {yes}", shown(block, "name")));
    }
    for (member, what) in [
        ("unswept_blocks", "too many addresses to be probed one by one: it only shows what is in scope"),
        ("excluded_seeds", "excluded: nothing is asked of it"),
    ] {
        lines.extend(items(&plan[member]).map(|name| format!("{}: {what}", plain(&text(name)))));
    }
    lines.extend(
        items(&plan["missing"]).map(|what| format!("no run starts: the workflow needs {}", plain(&text(what)))),
    );
    lines
}

/// `2 domains, 1 block`.
fn seeds(counts: &Value) -> String {
    let words = [
        ("domains", "domain", "domains"),
        ("names", "name", "names"),
        ("addresses", "address", "addresses"),
        ("blocks", "block", "blocks"),
        ("sites", "site", "sites"),
        ("others", "other seed", "other seeds"),
    ];
    let domains = counts["domains"].as_u64().unwrap_or_default();
    let count = |member: &str| match (member, counts[member].as_u64().unwrap_or_default()) {
        // A domain is counted as a name, too.
        ("names", all) => all.saturating_sub(domains),
        (_, all) => all,
    };
    let parts = words.iter().map(|(member, one, many)| (count(member), one, many));
    let parts: Vec<String> =
        parts.filter(|(count, _, _)| *count > 0).map(|(count, one, many)| amount(count, one, many)).collect();
    if parts.is_empty() { "no seeds".to_owned() } else { parts.join(", ") }
}

/// `16,777,216`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}

/// How long something still takes, about.
pub(crate) fn left(seconds: Option<u64>) -> String {
    seconds.map_or_else(|| "time left unknown".to_owned(), |seconds| format!("about {} left", duration(seconds)))
}

/// `40 s`, `12 min`, `3 h`, `9 days`: rounded up.
fn duration(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds.div_ceil(60)),
        7_200..=172_799 => format!("{} h", seconds.div_ceil(3_600)),
        _ => format!("{} days", grouped(seconds.div_ceil(86_400))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_hit_is_one_line_whatever_its_title_says() {
        let hit = json!({"type": "Platform::Entity::Uri", "name": "https://a.test:443",
            "summary": {"scoped": false, "http": {"code": 200, "title": "a\u{1b}[2J\nb"},
            "resolutions": ["203.0.113.1", "203.0.113.2"]}});
        assert_eq!(
            entity(&hit),
            "Uri                https://a.test:443  200  \"a\\u{1b}[2J\\u{a}b\"  203.0.113.1, 203.0.113.2  (not ours)"
        );
        let issue_hit = json!({"uid": "2d769e1337215af3", "name": "x", "pretty_name": "X",
            "entity_type": "Platform::Entity::Domain", "entity_name": "a.test",
            "summary": {"severity": 1, "confidence": "confirmed", "status": "open_new"}});
        assert_eq!(issue(&issue_hit), "2d769e13  critical  X  Domain a.test  (confirmed)  open_new");
        let mut one_of_two = issue_hit.clone();
        one_of_two["discriminator"] = json!("CVE-2024-1");
        assert_eq!(issue(&one_of_two), "2d769e13  critical  X  Domain a.test  CVE-2024-1  (confirmed)  open_new");
        one_of_two["pretty_name"] = json!("CVE-2024-1 in X");
        assert_eq!(issue(&one_of_two), "2d769e13  critical  CVE-2024-1 in X  Domain a.test  (confirmed)  open_new");
    }

    #[test]
    fn a_plan_reads_differently_for_a_large_block_and_for_one_host() {
        let counted = |seeds: &[(ambit_model::Kind, &str)]| {
            let seeds: Vec<_> = seeds.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect();
            let volumes =
                crate::engine_config::volumes(&ambit_tasks::Settings::default(), &ambit_net::PaceLimits::default());
            let level = ambit_model::Clearance::L3;
            let counted = ambit_model::estimate::estimate(&seeds, level, &["pay.test".to_owned()], &volumes);
            let shown = json!(ambit_api::plans::Plan::of(&counted, level, |_| false, Vec::new()));
            (plan(&shown).join("\n"), plan_by_task(&shown))
        };
        let (block, tasks) =
            counted(&[(ambit_model::Kind::NetBlock, "10.0.0.0/8"), (ambit_model::Kind::Domain, "pay.test")]);
        for words in [
            "for 1 block: 16,777,216 DNS questions, 150,994,944 connections, 0 UDP datagrams, 0 HTTP requests, 35 \
             requests to data providers, about 318,767,454 packets; about ",
            "16,777,216 addresses of blocks, each asked for its reverse name and up to 9 ports",
            "10.0.0.0/8 has 16,777,216 addresses: swept only with --yes-large",
            "pay.test: excluded",
        ] {
            assert!(block.contains(words), "{words}: {block}");
        }
        for (line, begin) in tasks.iter().zip([
            "block_sweep: 16,777,216 addresses × up to 9 ports, 150,994,944 connections, about 301,989,888 packets, ",
            "ptr_sweep: 16,777,216 addresses, 16,777,216 DNS questions, about 16,777,216 packets, ",
        ]) {
            assert!(line.starts_with(begin) && line.ends_with(" min"), "{begin}: {line}");
        }
        let (host, tasks) = counted(&[(ambit_model::Kind::IpAddress, "10.1.2.3")]);
        assert!(host.starts_with("for 1 address: 1 DNS question, ") && !host.contains("blocks"), "{host}");
        for line in [
            "udp_sweep: 1 address, 15 UDP datagrams, about 15 packets, 1 s",
            "registration: 1 address, 3 requests to data providers, about 30 packets, 2 s",
            "ptr: 1 address, 1 DNS question, about 1 packet, 1 s",
        ] {
            assert!(tasks.iter().any(|task| task == line), "{line}: {tasks:?}");
        }
    }

    #[test]
    fn numbers_and_times_are_read_at_a_glance() {
        for (number, shown) in [(0, "0"), (999, "999"), (1_000, "1,000"), (16_777_216, "16,777,216")] {
            assert_eq!(grouped(number), shown);
        }
        for (seconds, shown) in [(0, "0 s"), (119, "119 s"), (121, "3 min"), (7_201, "3 h"), (200_000, "3 days")] {
            assert_eq!(duration(seconds), shown);
        }
    }
}
