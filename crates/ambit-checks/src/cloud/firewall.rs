//! Rules of firewalls that let everybody in, by what listens behind the port.

use super::*;

/// From how many ports on a rule is about all of them rather than about one service.
const WIDE: i64 = 1_000;
/// The last port.
const LAST: i64 = 65_535;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    All,
    Tcp,
    Udp,
}

/// Ports of a protocol, the first and the last.
type Ports = (Protocol, i64, i64);

/// The ports at which the rules of a firewall let everybody in. A rule that refuses everybody is in the way of those
/// behind it; a rule without a place among the others is behind none, and what is not ruled is behind all.
fn open(thing: &Thing<'_>) -> Vec<Ports> {
    let (allowed, denied) = (thing.said("inward"), thing.said("denied"));
    let placed = |rule: &Value| -> Vec<(i64, Ports)> {
        let place = rule["priority"].as_i64().unwrap_or(i64::MIN);
        of_everybody(rule).into_iter().map(|ports| (place, ports)).collect()
    };
    let denied: Vec<(i64, Ports)> = each(&denied).flat_map(placed).collect();
    let rest = (thing.text("inbound_policy") == "ACCEPT").then_some((i64::MAX, (Protocol::All, 0, LAST)));
    each(&allowed)
        .flat_map(placed)
        .chain(rest)
        .flat_map(|(place, ports)| {
            let before = denied.iter().filter(|(other, _)| *other < place);
            before
                .fold(vec![ports], |left, (_, denied)| left.into_iter().flat_map(|ports| cut(ports, *denied)).collect())
        })
        .collect()
}

/// What is left of ports where others are taken out of them.
fn cut(ports: Ports, denied: Ports) -> Vec<Ports> {
    let ((protocol, from, to), (of, first, last)) = (ports, denied);
    if to < first || last < from {
        return vec![ports];
    }
    match (protocol, of) {
        (_, Protocol::All) => {}
        _ if protocol == of => {}
        (Protocol::All, _) => {
            return [Protocol::Tcp, Protocol::Udp].into_iter().flat_map(|one| cut((one, from, to), denied)).collect();
        }
        _ => return vec![ports],
    }
    [(protocol, from, first - 1), (protocol, last + 1, to)].into_iter().filter(|(_, from, to)| from <= to).collect()
}

/// The ports of a rule, if it is about everybody.
fn of_everybody(rule: &Value) -> Vec<Ports> {
    let is_open = each(&rule["sources"]).filter_map(Value::as_str).any(is_everybody);
    if is_open { ports_of(rule) } else { Vec::new() }
}

/// The ports of a rule, if it may be about everybody: a prefix list that it names could not be read.
fn perhaps_of_everybody(rule: &Value) -> Vec<Ports> {
    if each(&rule["unread_lists"]).next().is_some() { ports_of(rule) } else { Vec::new() }
}

/// The ports of a rule. Some providers write them as texts: `22`, `8000-8100`, `*`; where they write none, and where
/// AWS writes the protocol -1, all are meant.
fn ports_of(rule: &Value) -> Vec<Ports> {
    let said = rule["protocol"].as_str().unwrap_or("-1").to_ascii_lowercase();
    let protocol = match said.as_str() {
        "-1" | "*" | "all" | "any" => Protocol::All,
        "tcp" | "6" => Protocol::Tcp,
        "udp" | "17" => Protocol::Udp,
        _ => return Vec::new(),
    };
    let port = |name: &str, otherwise: i64| rule[name].as_i64().filter(|port| *port >= 0).unwrap_or(otherwise);
    let texts: Vec<(i64, i64)> =
        each(&rule["ports"]).filter_map(Value::as_str).flat_map(|text| text.split(',')).filter_map(range).collect();
    let ranges = match texts.is_empty() {
        _ if said == "-1" => vec![(0, LAST)],
        true => vec![(port("from", 0), port("to", LAST))],
        false => texts,
    };
    ranges.into_iter().map(|(from, to)| (protocol, from, to)).collect()
}

/// A port, a range of ports, or all of them.
fn range(text: &str) -> Option<(i64, i64)> {
    let text = text.trim();
    // 0 is how DigitalOcean writes all of them.
    if matches!(text, "*" | "0" | "all" | "any") {
        return Some((0, LAST));
    }
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
}

fn is_wide((_, from, to): &Ports) -> bool {
    to - from + 1 >= WIDE
}

/// Whether a rule that is about few ports lets everybody in at one of these.
fn lets_in(thing: &Thing<'_>, protocol: &str, ports: &[i64]) -> Weighed {
    let wanted = if protocol == "udp" { Protocol::Udp } else { Protocol::Tcp };
    let is_at = |of: &[Ports], port: i64| of.iter().any(|ports| !is_wide(ports) && has(ports, wanted, port));
    let open = open(thing);
    let found: Vec<String> = ports.iter().filter(|port| is_at(&open, **port)).map(i64::to_string).collect();
    let sentence = format!("The rules let everybody on the internet in at {protocol} {}", found.join(", "));
    weighed(thing, !found.is_empty(), |of| ports.iter().any(|port| is_at(of, *port)), &sentence)
}

/// Whether rules let everybody in at so many ports that they are about no one service.
fn is_open_wide(thing: &Thing<'_>) -> Weighed {
    let is_so = |of: &[Ports]| of.iter().any(is_wide);
    let sentence = "The rules let everybody on the internet in at all ports, or at a thousand and more";
    weighed(thing, is_so(&open(thing)), is_so, sentence)
}

fn has((of, from, to): &Ports, wanted: Protocol, port: i64) -> bool {
    (*of == wanted || *of == Protocol::All) && (*from..=*to).contains(&port)
}

/// What was found, with the rules about its ports and the prefix lists through which they let everybody in. Where
/// nothing was, a rule about them that names a list which could not be read leaves it open.
fn weighed(thing: &Thing<'_>, is_found: bool, is_about: impl Fn(&[Ports]) -> bool, sentence: &str) -> Weighed {
    let inward = thing.said("inward");
    if !is_found {
        let is_unread = each(&inward).any(|rule| is_about(&perhaps_of_everybody(rule)));
        return if is_unread { Weighed::Unknown } else { Weighed::Nothing };
    }
    let rules: Vec<&Value> = each(&inward).filter(|rule| is_about(&of_everybody(rule))).collect();
    let lists: BTreeSet<&str> =
        rules.iter().flat_map(|rule| each(&rule["wide_lists"])).filter_map(Value::as_str).collect();
    let through = match lists.is_empty() {
        true => String::new(),
        false => format!(", also by the prefix list {}", lists.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let found = Found::from(format!("{sentence}{through}."));
    Weighed::Found(found.by("rules", rules.into_iter().map(shown).collect()))
}

/// A rule with the sources that are everybody, and no others.
fn shown(rule: &Value) -> Value {
    let sources = each(&rule["sources"]).filter(|source| source.as_str().is_some_and(is_everybody)).cloned();
    let mut rule = rule.clone();
    rule["sources"] = sources.collect();
    rule
}

macro_rules! doors {
    ($(
        added $added:literal {
            $($name:ident $protocol:literal $ports:expr, $severity:ident, $pretty:literal, $what:literal;)*
        }
    )*) => {
        misconfigurations! {
            $($($name {
                pretty_name: $pretty,
                severity: $severity,
                added: $added,
                of: ["security group", "firewall", "machine"],
                needs: "inward",
                description: $what,
                remediation: "Allow the port only from the addresses that need it, through a private network or a \
                              gateway that requires authentication, and remove rules that nothing uses.",
                reference: "https://cwe.mitre.org/data/definitions/284.html",
                finds: |thing, date| lets_in(thing, $protocol, &$ports),
                reports: json!({"inward": [{"protocol": $protocol, "from": $ports[0], "to": $ports[0],
                    "sources": ["0.0.0.0/0"]}]}),
                near_miss: json!([
                    {"inward": [
                        {"protocol": $protocol, "from": $ports[0], "to": $ports[0], "sources": ["198.51.100.0/24"]},
                        {"protocol": $protocol, "from": 443, "to": 443, "sources": ["0.0.0.0/0", "::/0"]}]},
                    {"inward": [{"protocol": $protocol, "from": $ports[0], "to": $ports[0], "sources": ["*"],
                        "priority": 200}],
                        "denied": [{"protocol": "*", "ports": ["0-65535"], "sources": ["Internet"], "priority": 100}]},
                    {"inward": [{"protocol": $protocol, "from": $ports[0], "to": $ports[0], "sources": [],
                        "prefix_lists": ["pl-1"]}]},
                    {"inward": [{"protocol": $protocol, "from": 443, "to": 443, "sources": [],
                        "unread_lists": ["pl-1"]}]},
                ]),
                unknown: json!({"inward": [{"protocol": $protocol, "from": $ports[0], "to": $ports[0], "sources": [],
                    "unread_lists": ["pl-1"]}]}),
            })*)*
            cloud_firewall_open_wide {
                pretty_name: "Firewall opens a thousand ports or more to everybody",
                severity: SEVERITY_HIGH,
                added: "2026-11-25",
                of: ["security group", "firewall", "machine"],
                needs: "inward",
                description: "A rule opens all ports, or a thousand or more, to the whole internet. Whatever is \
                              started behind it is exposed at once, whether that was intended or not.",
                remediation: "Replace the rule with one for each port that is meant for everybody, and allow the \
                              others only from the addresses that need them.",
                reference: "https://cwe.mitre.org/data/definitions/284.html",
                finds: |thing, date| is_open_wide(thing),
                reports: json!([
                    {"inward": [{"protocol": "-1", "from": null, "to": null, "sources": ["::/0"]}]},
                    {"inward": [{"protocol": "tcp", "ports": ["0"], "sources": ["0.0.0.0/0"]}]},
                    {"inward": [{"protocol": "tcp", "from": 1, "to": 9998, "sources": ["0.0.0.0/0"]}]},
                    {"inbound_policy": "ACCEPT", "inward": []},
                    {"inbound_policy": "ACCEPT", "inward": [],
                        "denied": [{"protocol": "TCP", "ports": ["22"], "sources": ["0.0.0.0/0"]}]},
                ]),
                near_miss: json!([
                    {"inward": [{"protocol": "-1", "from": null, "to": null, "sources": ["10.0.0.0/8"]},
                        {"protocol": "tcp", "from": 443, "to": 443, "sources": ["0.0.0.0/0"]}]},
                    {"inward": [{"protocol": "tcp", "ports": ["0"], "sources": ["10.0.0.0/8"]}]},
                    {"inward": [{"protocol": "tcp", "from": 1, "to": 999, "sources": ["0.0.0.0/0"]}]},
                    {"inbound_policy": "DROP", "inward": []},
                    {"inbound_policy": "ACCEPT", "inward": [], "denied": [
                        {"protocol": "TCP", "ports": ["1-65535"], "sources": ["0.0.0.0/0"]},
                        {"protocol": "UDP", "ports": [], "sources": ["0.0.0.0/0"]}]},
                ]),
                unknown: json!({"inward": [{"protocol": "-1", "sources": [], "unread_lists": ["pl-1"]}]}),
            }
        }
    };
}

doors! {
    added "2026-11-25" {
    cloud_firewall_open_ssh "tcp" [22], SEVERITY_MEDIUM, "Firewall opens SSH to everybody",
        "A rule opens the port of SSH to the whole internet, where passwords are guessed around the clock.";
    cloud_firewall_open_rdp "tcp" [3389], SEVERITY_HIGH, "Firewall opens remote desktops to everybody",
        "A rule opens the port of Remote Desktop to the whole internet, the way in of much ransomware.";
    cloud_firewall_open_smb "tcp" [445, 139], SEVERITY_HIGH, "Firewall opens file shares to everybody",
        "A rule opens the ports of Windows file sharing to the whole internet, through which worms spread.";
    cloud_firewall_open_telnet "tcp" [23, 2323], SEVERITY_HIGH, "Firewall opens Telnet to everybody",
        "A rule opens the port of Telnet, which sends passwords unencrypted, to the whole internet.";
    cloud_firewall_open_ftp "tcp" [21], SEVERITY_MEDIUM, "Firewall opens FTP to everybody",
        "A rule opens the port of FTP, which sends passwords and files unencrypted, to the whole internet.";
    cloud_firewall_open_vnc "tcp" [5900, 5901, 5902], SEVERITY_HIGH, "Firewall opens VNC to everybody",
        "A rule opens the ports of VNC, which gives control over the screen of a machine, to the whole internet.";
    cloud_firewall_open_winrm "tcp" [5985, 5986], SEVERITY_HIGH, "Firewall opens WinRM to everybody",
        "A rule opens the ports of the remote administration of Windows to the whole internet.";
    cloud_firewall_open_mysql "tcp" [3306], SEVERITY_HIGH, "Firewall opens MySQL to everybody",
        "A rule opens the port of MySQL and MariaDB to the whole internet, so only passwords protect the data.";
    cloud_firewall_open_postgres "tcp" [5432], SEVERITY_HIGH, "Firewall opens PostgreSQL to everybody",
        "A rule opens the port of PostgreSQL to the whole internet, so only passwords protect the data.";
    cloud_firewall_open_mssql "tcp" [1433, 1434], SEVERITY_HIGH, "Firewall opens SQL Server to everybody",
        "A rule opens the ports of SQL Server to the whole internet, so only passwords protect the data.";
    cloud_firewall_open_oracle "tcp" [1521, 2483], SEVERITY_HIGH, "Firewall opens Oracle databases to everybody",
        "A rule opens the ports of Oracle's listener, which lists databases, to the whole internet.";
    cloud_firewall_open_mongodb "tcp" [27017, 27018, 27019], SEVERITY_HIGH, "Firewall opens MongoDB to everybody",
        "A rule opens the ports of MongoDB, which often runs without a password, to the whole internet.";
    cloud_firewall_open_redis "tcp" [6379], SEVERITY_HIGH, "Firewall opens Redis to everybody",
        "A rule opens the port of Redis, which by default requires no password, to the whole internet.";
    cloud_firewall_open_elasticsearch "tcp" [9200, 9300], SEVERITY_HIGH, "Firewall opens Elasticsearch to everybody",
        "A rule opens the ports of Elasticsearch and OpenSearch, which often hold logs, to the whole internet.";
    cloud_firewall_open_memcached "tcp" [11211], SEVERITY_HIGH, "Firewall opens Memcached to everybody",
        "A rule opens the port of Memcached, which has no users and amplifies floods, to the whole internet.";
    cloud_firewall_open_cassandra "tcp" [9042, 7000, 7199], SEVERITY_HIGH, "Firewall opens Cassandra to everybody",
        "A rule opens the ports of Cassandra, which by default trusts every caller, to the whole internet.";
    cloud_firewall_open_docker "tcp" [2375, 2376], SEVERITY_CRITICAL, "Firewall opens Docker to everybody",
        "A rule opens the ports of Docker, whose callers control the whole machine, to the whole internet.";
    cloud_firewall_open_kubernetes "tcp" [10250, 2379, 6443], SEVERITY_HIGH, "Firewall opens Kubernetes to everybody",
        "A rule opens ports for the administration of a Kubernetes cluster to the whole internet.";
    cloud_firewall_open_directory "tcp" [389, 636], SEVERITY_MEDIUM, "Firewall opens a directory to everybody",
        "A rule opens the ports of a directory (LDAP), which lists users and machines, to the whole internet.";
    cloud_firewall_open_nfs "tcp" [2049, 111], SEVERITY_HIGH, "Firewall opens NFS to everybody",
        "A rule opens the ports of NFS, which trusts the addresses of its callers, to the whole internet.";
    cloud_firewall_open_kafka "tcp" [9092, 2181], SEVERITY_MEDIUM, "Firewall opens Kafka to everybody",
        "A rule opens the ports of Kafka or ZooKeeper, which often require no login, to the whole internet.";
    cloud_firewall_open_snmp "udp" [161], SEVERITY_MEDIUM, "Firewall opens SNMP to everybody",
        "A rule opens the port of SNMP, which reveals much and amplifies floods, to the whole internet.";
    }
    added "2026-11-28" {
    cloud_firewall_open_console "tcp" [15672, 5601, 8888], SEVERITY_MEDIUM, "Firewall opens a console to everybody",
        "A rule opens the ports of consoles (RabbitMQ, Kibana, or Jupyter, which runs any code) to the whole internet.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};
    use ambit_model::entity::aws::configuration;

    /// What is open of a firewall that says this.
    fn opened(says: &Value) -> Vec<Ports> {
        let (name, value) = configuration(says.as_object().cloned().unwrap());
        open(&Thing { facts: &facts(Kind::CloudResource, "x:firewall:1").with(json!({ name: value })) })
    }

    fn rule(members: Value) -> Value {
        let mut rule = json!({"protocol": "tcp", "sources": ["0.0.0.0/0"]});
        rule.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap());
        rule
    }

    fn tcp(from: i64, to: i64) -> Vec<Ports> {
        vec![(Protocol::Tcp, from, to)]
    }

    #[test]
    fn ports_are_read_as_each_provider_writes_them() {
        let of = |members: Value| opened(&json!({"inward": [rule(members)]}));
        assert_eq!(of(json!({"from": 22, "to": 22})), tcp(22, 22));
        assert_eq!(of(json!({"ports": ["8000-8100"]})), tcp(8_000, 8_100));
        assert_eq!(of(json!({"ports": ["22, 80"]})), [tcp(22, 22), tcp(80, 80)].concat());
        assert_eq!(of(json!({"ports": ["*"]})), tcp(0, LAST));
        assert_eq!(of(json!({"ports": ["0"]})), tcp(0, LAST), "as DigitalOcean has it");
        assert_eq!(of(json!({"ports": []})), tcp(0, LAST), "no port named is every port");
        let every = [(Protocol::All, 0, LAST)];
        assert_eq!(of(json!({"protocol": "-1", "from": 0, "to": 0})), every, "as states of Terraform have it");
        assert_eq!(of(json!({"sources": ["10.0.0.0/8"], "ports": ["22"]})), []);
        assert_eq!(of(json!({"protocol": "icmp"})), []);
    }

    #[test]
    fn a_rule_about_a_thousand_ports_is_one_issue_and_not_one_for_each_service() {
        let issues = |to: i64| -> Vec<&str> {
            let settings = json!({"inward": [rule(json!({"from": 1, "to": to}))]});
            let (name, value) = configuration(settings.as_object().cloned().unwrap());
            let firewall = facts(Kind::CloudResource, "x:firewall:1");
            let firewall = firewall.with(json!({ name: value, "resource_type": "firewall" }));
            let is_proven = |judge: &&Judge| matches!(judge.verdict(&firewall, Timestamp(0)), Verdict::Proven(_));
            JUDGES.iter().filter(is_proven).map(|judge| judge.issue.name).collect()
        };
        assert_eq!(issues(9_998), ["cloud_firewall_open_wide"]);
        assert_eq!(issues(1_000), ["cloud_firewall_open_wide"]);
        let single = issues(999);
        assert!(single.contains(&"cloud_firewall_open_ssh") && !single.contains(&"cloud_firewall_open_wide"));
    }

    #[test]
    fn the_rules_that_open_a_port_are_told_with_the_prefix_lists_through_which_they_do() {
        let told = |inward: Value| {
            let (name, value) = configuration([("inward".to_owned(), inward)]);
            let group = facts(Kind::CloudResource, "x:firewall:1").with(json!({ name: value }));
            match lets_in(&Thing { facts: &group }, "tcp", &[22]) {
                Weighed::Found(found) => Some((found.sentence, found.part.unwrap().1)),
                Weighed::Nothing | Weighed::Unknown => None,
            }
        };
        let by_list = rule(json!({"ports": ["22"], "sources": ["0.0.0.0/0"], "wide_lists": ["pl-1"]}));
        let office = rule(json!({"ports": ["22"], "sources": ["198.51.100.0/24"]}));
        let web = rule(json!({"ports": ["443"]}));
        let (sentence, rules) = told(json!([by_list, office, web])).unwrap();
        let said = "The rules let everybody on the internet in at tcp 22, also by the prefix list pl-1.";
        assert_eq!((sentence.as_str(), rules), (said, json!([by_list])));
        let both = rule(json!({"ports": ["22"], "sources": ["198.51.100.0/24", "::/0"]}));
        let unread = rule(json!({"ports": ["22"], "sources": [], "unread_lists": ["pl-1"]}));
        let (sentence, rules) = told(json!([both, unread])).unwrap();
        assert_eq!(sentence, "The rules let everybody on the internet in at tcp 22.");
        assert_eq!(rules, json!([rule(json!({"ports": ["22"], "sources": ["::/0"]}))]));
        assert_eq!(told(json!([unread])), None);
    }

    #[test]
    fn what_a_rule_refuses_everybody_is_open_by_none_behind_it() {
        let of = |allowed: Value, denied: Value| opened(&json!({"inward": [rule(allowed)], "denied": [rule(denied)]}));
        let allowed = || json!({"ports": ["20-25"], "priority": 200});
        assert_eq!(of(allowed(), json!({"ports": ["22"], "priority": 100})), [tcp(20, 21), tcp(23, 25)].concat());
        assert_eq!(of(allowed(), json!({"protocol": "*", "ports": ["*"], "priority": 100})), []);
        assert_eq!(of(allowed(), json!({"ports": ["22"], "priority": 300})), tcp(20, 25), "it comes too late");
        assert_eq!(of(allowed(), json!({"ports": ["22"], "priority": 200})), tcp(20, 25));
        assert_eq!(of(allowed(), json!({"protocol": "udp", "priority": 100})), tcp(20, 25));
        assert_eq!(of(allowed(), json!({"sources": ["10.0.0.0/8"], "priority": 100})), tcp(20, 25), "not everybody");
        assert_eq!(of(json!({"ports": ["22"]}), json!({"priority": 100})), tcp(22, 22), "nobody knows its place");
        let all = of(json!({"protocol": "*", "priority": 200}), json!({"ports": ["22"], "priority": 100}));
        assert_eq!(all, [tcp(0, 21), tcp(23, LAST), vec![(Protocol::Udp, 0, LAST)]].concat());
    }
}
