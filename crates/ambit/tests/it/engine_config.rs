//! What a user gives to runs: databases of places and networks, and labels of her own.

use crate::program::{Discovery, Folder, scan_command};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;

const HIDDEN_NAME: &str = r#"
world given "Given"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
name zq-unguessable-7.acme.test A 203.0.113.10
"#;

/// Runs a scan of that world with settings in the environment.
fn scan(folder: &Folder, settings: &[(&str, &Path)]) -> std::process::Output {
    let mut command = scan_command(folder, HIDDEN_NAME);
    for (name, path) in settings {
        command.env(name, path);
    }
    command.output().expect("the program starts")
}

#[test]
fn labels_of_a_user_are_tried_and_what_is_no_label_is_said() {
    let folder = Folder::new("words");
    assert!(Discovery::of(&scan(&folder, &[])).figure("missed") > 0, "the name is in no list of ours");
    let (folder, words) = (Folder::new("words"), "# mine\nzq-unguessable-7\nno label\n");
    let list = folder.join("words.txt");
    std::fs::write(&list, words).expect("can be written");
    let output = scan(&folder, &[("AMBIT_WORDS", &list)]);
    let discovery = Discovery::of(&output);
    assert_eq!((discovery.figure("missed"), discovery.figure("unexpected")), (0, 0), "{}", discovery.summary);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("words.txt: 1 lines hold no label") && said.contains("line 3"), "{said}");
}

#[test]
fn databases_of_places_and_networks_say_where_an_address_is() {
    let folder = Folder::new("places");
    let (city, network) = (folder.join("city.mmdb"), folder.join("network.mmdb"));
    let bern = json!({"city": {"names": {"en": "Bern"}}, "country": {"iso_code": "CH", "names": {"en": "Switzerland"}},
    "location": {"latitude": 46.9}});
    std::fs::write(&city, database(&[("203.0.113.0", 24, bern)])).expect("can be written");
    let acme = json!({"autonomous_system_number": 64500, "autonomous_system_organization": "ACME-NET"});
    std::fs::write(&network, database(&[("203.0.113.0", 26, acme)])).expect("can be written");
    let both = format!("{},{}", city.display(), network.display());
    let discovery = Discovery::of(&scan(&folder, &[("AMBIT_GEO", Path::new(&both))]));
    let address = discovery.entities.values().find(|entity| entity["name"] == "203.0.113.5").expect("is found");
    let place = &address["summary"]["geolocation"];
    assert_eq!(
        (&place["city"], &place["country_code"], &place["country_name"], &place["latitude"], &place["asn"]),
        (&json!("Bern"), &json!("CH"), &json!("Switzerland"), &json!(46.9), &json!(64_500)),
        "{address}"
    );
}

#[test]
fn a_file_that_is_none_ends_the_scan_in_one_line_before_it_begins() {
    let folder = Folder::new("broken");
    let broken = folder.join("broken.mmdb");
    std::fs::write(&broken, b"not a database").expect("can be written");
    for (setting, path, word) in [
        ("AMBIT_GEO", &broken, "MMDB"),
        ("AMBIT_GEO", &folder.join("missing.mmdb"), "cannot read"),
        ("AMBIT_WORDS", &folder.join("missing.txt"), "cannot read"),
    ] {
        let output = scan(&folder, &[(setting, path)]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.lines().count() == 1 && said.contains(word) && said.contains(&*path.to_string_lossy()), "{said}");
    }
}

/// A MaxMind database (format 2.0) of IPv6, in which IPv4 stands below `::/96`: the search tree, the data, the
/// metadata.
fn database(rows: &[(&str, u32, Value)]) -> Vec<u8> {
    // A node holds for 0 and for 1: nothing, a node, or a row.
    let mut nodes: Vec<[Option<Result<usize, usize>>; 2]> = vec![[None; 2]];
    let (mut data, mut starts) = (Vec::new(), Vec::new());
    for (row, (address, length, value)) in rows.iter().enumerate() {
        starts.push(data.len());
        encode(value, &mut data);
        let (bits, length) = match address.parse().expect("an address") {
            IpAddr::V4(address) => (u128::from(u32::from(address)), length + 96),
            IpAddr::V6(address) => (u128::from(Ipv6Addr::from(address.octets())), *length),
        };
        let mut node = 0;
        for at in 0..length {
            let side = usize::from(bits >> (127 - at) & 1 == 1);
            if at + 1 == length {
                nodes[node][side] = Some(Err(row));
                break;
            }
            let next = match nodes[node][side] {
                Some(Ok(next)) => next,
                _ => {
                    nodes.push([None; 2]);
                    nodes.len() - 1
                }
            };
            nodes[node][side] = Some(Ok(next));
            node = next;
        }
    }
    let count = nodes.len();
    let mut bytes = Vec::new();
    for side in nodes.iter().flatten() {
        let record = match side {
            None => count,
            Some(Ok(node)) => *node,
            Some(Err(row)) => count + 16 + starts[*row],
        };
        bytes.extend(&u32::try_from(record).expect("small").to_be_bytes()[1..]);
    }
    bytes.extend([0; 16]);
    bytes.extend(data);
    bytes.extend(b"\xab\xcd\xefMaxMind.com");
    let metadata = json!({"record_size": 24, "ip_version": 6, "database_type": "Test", "languages": ["en"],
    "binary_format_major_version": 2,
        "binary_format_minor_version": 0, "description": {"en": "Test"}});
    let at = bytes.len();
    encode(&metadata, &mut bytes);
    // Two more members, of larger numbers.
    bytes[at] += 2;
    text("node_count", &mut bytes);
    control(6, 4, &mut bytes);
    bytes.extend(u32::try_from(count).expect("small").to_be_bytes());
    text("build_epoch", &mut bytes);
    control(0, 8, &mut bytes);
    bytes.push(9 - 7);
    bytes.extend(1_u64.to_be_bytes());
    bytes
}

/// Type and size, then the value.
fn encode(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::String(said) => text(said, out),
        Value::Number(number) if number.is_f64() => {
            control(3, 8, out);
            out.extend(number.as_f64().expect("a float").to_be_bytes());
        }
        Value::Number(number) => {
            let number = u16::try_from(number.as_u64().expect("positive")).expect("small");
            control(5, 2, out);
            out.extend(number.to_be_bytes());
        }
        Value::Array(list) => {
            control(0, list.len(), out);
            out.push(11 - 7);
            list.iter().for_each(|item| encode(item, out));
        }
        Value::Object(map) => {
            control(7, map.len(), out);
            for (key, item) in map {
                text(key, out);
                encode(item, out);
            }
        }
        Value::Null | Value::Bool(_) => unreachable!("not in these tests"),
    }
}

fn text(said: &str, out: &mut Vec<u8>) {
    control(2, said.len(), out);
    out.extend(said.as_bytes());
}

/// The type in three bits, the size in five, or 29 and the rest of the size in a byte.
fn control(kind: u8, size: usize, out: &mut Vec<u8>) {
    let size = u8::try_from(size).expect("small");
    out.push(kind << 5 | size.min(29));
    out.extend(size.checked_sub(29));
}
