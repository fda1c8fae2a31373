//! Rules of firewalls that let everybody in, by what listens behind the port.

use super::*;

/// Ports from which a rule is about all of them rather than about one service.
const WIDE: i64 = 10_000;

/// The rules that let everybody in, as ranges of a protocol. Some providers write ports as texts: `22`, `8000-8100`,
/// `*`; where they write none, and where AWS writes the protocol -1, all are meant.
fn open(rules: &Value) -> Vec<(String, i64, i64)> {
    let to_everybody = each(rules).filter(|rule| each(&rule["sources"]).filter_map(Value::as_str).any(is_everybody));
    let ranges = to_everybody.flat_map(|rule| {
        let protocol = rule["protocol"].as_str().unwrap_or("-1").to_ascii_lowercase();
        let port = |name: &str, otherwise: i64| rule[name].as_i64().filter(|port| *port >= 0).unwrap_or(otherwise);
        let texts: Vec<(i64, i64)> =
            each(&rule["ports"]).filter_map(Value::as_str).flat_map(|text| text.split(',')).filter_map(range).collect();
        let ranges = match texts.is_empty() {
            _ if protocol == "-1" => vec![(0, 65_535)],
            true => vec![(port("from", 0), port("to", 65_535))],
            false => texts,
        };
        ranges.into_iter().map(move |(from, to)| (protocol.clone(), from, to))
    });
    ranges.collect()
}

/// A port, a range of ports, or all of them.
fn range(text: &str) -> Option<(i64, i64)> {
    let text = text.trim();
    // 0 is how DigitalOcean writes all of them.
    if matches!(text, "*" | "0" | "all" | "any") {
        return Some((0, 65_535));
    }
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
}

fn is_wide((protocol, from, to): &(String, i64, i64)) -> bool {
    let is_all = matches!(protocol.as_str(), "-1" | "*" | "all" | "any");
    (is_all || matches!(protocol.as_str(), "tcp" | "udp" | "6" | "17")) && to - from >= WIDE
}

/// A finding where a rule that is about few ports lets everybody in at one of these.
fn lets_in(thing: &Thing<'_>, protocol: &str, ports: &[i64]) -> Finding {
    let number = if protocol == "udp" { "17" } else { "6" };
    let rules = thing.said("inward");
    let narrow: Vec<(String, i64, i64)> = open(&rules).into_iter().filter(|rule| !is_wide(rule)).collect();
    let is_of = |of: &str| of == protocol || of == number || matches!(of, "-1" | "*" | "all" | "any");
    let is_open = |port: &&i64| narrow.iter().any(|(of, from, to)| is_of(of) && (from..=to).contains(port));
    let found: Vec<String> = ports.iter().filter(is_open).map(i64::to_string).collect();
    let ports = found.join(", ");
    (!found.is_empty()).then(|| format!("The rules let everybody on the internet in at {protocol} {ports}."))
}

macro_rules! doors {
    ($(
        added $added:literal:
        $($name:ident $protocol:literal $ports:expr, $severity:ident, $pretty:literal, $what:literal;)*
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
                              gateway that asks who it is, and take away rules that nothing uses.",
                reference: "https://cwe.mitre.org/data/definitions/284.html",
                finds: |thing, date| lets_in(thing, $protocol, &$ports),
                reports: json!({"inward": [{"protocol": $protocol, "from": $ports[0], "to": $ports[0],
                    "sources": ["0.0.0.0/0"]}]}),
                near_miss: json!({"inward": [
                    {"protocol": $protocol, "from": $ports[0], "to": $ports[0], "sources": ["198.51.100.0/24"]},
                    {"protocol": $protocol, "from": 443, "to": 443, "sources": ["0.0.0.0/0", "::/0"]}]}),
            })*)*
            cloud_firewall_open_wide {
                pretty_name: "Firewall lets everybody in at every port",
                severity: SEVERITY_HIGH,
                added: "2026-11-25",
                of: ["security group", "firewall", "machine"],
                needs: "inward",
                description: "A rule lets everybody on the internet in at all ports, or at most of them. Whatever is \
                              started behind it is exposed at once, whether it was meant to be or not.",
                remediation: "Replace the rule by one for each port that is meant for everybody, and allow the others \
                              only from the addresses that need them.",
                reference: "https://cwe.mitre.org/data/definitions/284.html",
                finds: |thing, date| once(
                    open(&thing.said("inward")).iter().any(is_wide),
                    "A rule lets everybody on the internet in at all ports, or at most of them.",
                ),
                reports: json!([
                    {"inward": [{"protocol": "-1", "from": null, "to": null, "sources": ["::/0"]}]},
                    {"inward": [{"protocol": "tcp", "ports": ["0"], "sources": ["0.0.0.0/0"]}]},
                ]),
                near_miss: json!([
                    {"inward": [{"protocol": "-1", "from": null, "to": null, "sources": ["10.0.0.0/8"]},
                        {"protocol": "tcp", "from": 443, "to": 443, "sources": ["0.0.0.0/0"]}]},
                    {"inward": [{"protocol": "tcp", "ports": ["0"], "sources": ["10.0.0.0/8"]}]},
                ]),
            }
        }
    };
}

doors! {
    added "2026-11-25":
    cloud_firewall_open_ssh "tcp" [22], SEVERITY_MEDIUM, "Firewall lets everybody in at SSH",
        "A rule lets everybody on the internet in at the port of SSH, where passwords are guessed all day long.";
    cloud_firewall_open_rdp "tcp" [3389], SEVERITY_HIGH, "Firewall lets everybody in at remote desktops",
        "A rule lets everybody on the internet in at the port of remote desktops, by which most ransomware comes in.";
    cloud_firewall_open_smb "tcp" [445, 139], SEVERITY_HIGH, "Firewall lets everybody in at file shares",
        "A rule lets everybody on the internet in at the ports of Windows file shares, which worms spread by.";
    cloud_firewall_open_telnet "tcp" [23, 2323], SEVERITY_HIGH, "Firewall lets everybody in at Telnet",
        "A rule lets everybody on the internet in at the port of Telnet, which sends passwords in the clear.";
    cloud_firewall_open_ftp "tcp" [21], SEVERITY_MEDIUM, "Firewall lets everybody in at FTP",
        "A rule lets everybody on the internet in at the port of FTP, which sends passwords and files in the clear.";
    cloud_firewall_open_vnc "tcp" [5900, 5901, 5902], SEVERITY_HIGH, "Firewall lets everybody in at VNC",
        "A rule lets everybody on the internet in at the ports of VNC, which shows and moves the screen of a machine.";
    cloud_firewall_open_winrm "tcp" [5985, 5986], SEVERITY_HIGH, "Firewall lets everybody in at WinRM",
        "A rule lets everybody on the internet in at the ports by which Windows machines are administered from afar.";
    cloud_firewall_open_mysql "tcp" [3306], SEVERITY_HIGH, "Firewall lets everybody in at MySQL",
        "A rule lets everybody on the internet in at the port of MySQL and MariaDB, where a password is all that \
         guards.";
    cloud_firewall_open_postgres "tcp" [5432], SEVERITY_HIGH, "Firewall lets everybody in at PostgreSQL",
        "A rule lets everybody on the internet in at the port of PostgreSQL, where a password is all that guards data.";
    cloud_firewall_open_mssql "tcp" [1433, 1434], SEVERITY_HIGH, "Firewall lets everybody in at SQL Server",
        "A rule lets everybody on the internet in at the ports of SQL Server, where a password is all that guards \
         data.";
    cloud_firewall_open_oracle "tcp" [1521, 2483], SEVERITY_HIGH, "Firewall lets everybody in at Oracle databases",
        "A rule lets everybody on the internet in at the ports of Oracle's listener, which tells which databases are \
         there.";
    cloud_firewall_open_mongodb "tcp" [27017, 27018, 27019], SEVERITY_HIGH, "Firewall lets everybody in at MongoDB",
        "A rule lets everybody on the internet in at the ports of MongoDB, which many have run without a password.";
    cloud_firewall_open_redis "tcp" [6379], SEVERITY_HIGH, "Firewall lets everybody in at Redis",
        "A rule lets everybody on the internet in at the port of Redis, which by default asks nobody for a password.";
    cloud_firewall_open_elasticsearch "tcp" [9200, 9300], SEVERITY_HIGH, "Firewall lets everybody in at Elasticsearch",
        "A rule lets everybody on the internet in at the ports of Elasticsearch and OpenSearch, which hold whole logs.";
    cloud_firewall_open_memcached "tcp" [11211], SEVERITY_HIGH, "Firewall lets everybody in at Memcached",
        "A rule lets everybody on the internet in at the port of Memcached, which knows no users and serves floods.";
    cloud_firewall_open_cassandra "tcp" [9042, 7000, 7199], SEVERITY_HIGH, "Firewall lets everybody in at Cassandra",
        "A rule lets everybody on the internet in at the ports of Cassandra, which by default believes every caller.";
    cloud_firewall_open_docker "tcp" [2375, 2376], SEVERITY_CRITICAL, "Firewall lets everybody in at Docker",
        "A rule lets everybody on the internet in at the ports of Docker, whose callers are masters of the machine.";
    cloud_firewall_open_kubernetes "tcp" [10250, 2379, 6443], SEVERITY_HIGH, "Firewall lets everybody in at Kubernetes",
        "A rule lets everybody on the internet in at ports by which a cluster of Kubernetes is administered.";
    cloud_firewall_open_directory "tcp" [389, 636], SEVERITY_MEDIUM, "Firewall lets everybody in at a directory",
        "A rule lets everybody on the internet in at the ports of a directory (LDAP), which knows all users and \
         machines.";
    cloud_firewall_open_nfs "tcp" [2049, 111], SEVERITY_HIGH, "Firewall lets everybody in at NFS",
        "A rule lets everybody on the internet in at the ports of NFS, which believes the addresses of its callers.";
    cloud_firewall_open_kafka "tcp" [9092, 2181], SEVERITY_MEDIUM, "Firewall lets everybody in at Kafka",
        "A rule lets everybody on the internet in at the ports of Kafka or ZooKeeper, which seldom ask who is there.";
    cloud_firewall_open_snmp "udp" [161], SEVERITY_MEDIUM, "Firewall lets everybody in at SNMP",
        "A rule lets everybody on the internet in at the port of SNMP, which tells much and multiplies floods.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_as_each_provider_writes_them() {
        let rule = |members: Value| {
            let mut rule = json!({"protocol": "tcp", "sources": ["0.0.0.0/0"]});
            rule.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap());
            open(&json!([rule]))
        };
        let tcp = |from, to| vec![("tcp".to_owned(), from, to)];
        assert_eq!(rule(json!({"from": 22, "to": 22})), tcp(22, 22));
        assert_eq!(rule(json!({"ports": ["8000-8100"]})), tcp(8_000, 8_100));
        assert_eq!(rule(json!({"ports": ["22, 80"]})), [tcp(22, 22), tcp(80, 80)].concat());
        assert_eq!(rule(json!({"ports": ["*"]})), tcp(0, 65_535));
        assert_eq!(rule(json!({"ports": ["0"]})), tcp(0, 65_535), "as DigitalOcean has it");
        assert_eq!(rule(json!({"ports": []})), tcp(0, 65_535), "no port named is every port");
        let every = [("-1".to_owned(), 0, 65_535)];
        assert_eq!(rule(json!({"protocol": "-1", "from": 0, "to": 0})), every, "as states of Terraform have it");
        assert_eq!(rule(json!({"sources": ["10.0.0.0/8"], "ports": ["22"]})), []);
    }
}
