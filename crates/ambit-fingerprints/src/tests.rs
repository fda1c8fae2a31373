//! The engine on the public packs, where they lie in `shared/data` beside the repository, and on packs that mean harm.

use crate::load::{detect, load};
use crate::pack::PackKind;
use crate::place::{Place, Subject};
use crate::rule::{Says, Test};
use crate::with_packs;
use base64::Engine as _;
use quick_xml::XmlVersion;
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use regex_syntax::hir::{Class, Hir, HirKind};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Command;

/// The files of a compressed archive of public data whose names end with `end`; none where the archive is not there.
fn public(archive: &str, end: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = folder.join(archive);
    if !path.exists() {
        return Vec::new();
    }
    let unpacked = Command::new("xz").arg("-dc").arg(&path).output().expect("xz unpacks the public data");
    assert!(unpacked.status.success(), "{archive}");
    let mut files = Vec::new();
    for entry in tar::Archive::new(unpacked.stdout.as_slice()).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        if name.ends_with(end) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.push((name, bytes));
        }
    }
    files.sort();
    assert!(!files.is_empty(), "{archive}");
    files
}

/// An example of recog: the number of its pattern in the file, the text, the values that it expects.
type Example = (usize, String, BTreeMap<String, String>);

fn examples(bytes: &[u8]) -> Vec<Example> {
    let mut reader = Reader::from_str(std::str::from_utf8(bytes).unwrap());
    let (mut patterns, mut found) = (0, Vec::new());
    let mut open: Option<(String, BTreeMap<String, String>)> = None;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) if element.name().as_ref() == "fingerprint" => patterns += 1,
            Event::Start(element) if element.name().as_ref() == "example" => {
                let attributes = element.attributes().map(|attribute| {
                    let attribute = attribute.unwrap();
                    let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap().into_owned();
                    (attribute.key.as_ref().to_owned(), value)
                });
                open = Some((String::new(), attributes.collect()));
            }
            Event::Empty(element) if element.name().as_ref() == "example" => {
                found.push((patterns - 1, String::new(), BTreeMap::new()));
            }
            Event::Text(text) => {
                if let Some((said, _)) = &mut open {
                    said.push_str(&text.xml_content(XmlVersion::Implicit1_0));
                }
            }
            Event::CData(text) => {
                if let Some((said, _)) = &mut open {
                    said.push_str(&text);
                }
            }
            Event::GeneralRef(reference) => {
                if let Some((said, _)) = &mut open {
                    said.push_str(&entity(&reference));
                }
            }
            Event::End(element) if element.name().as_ref() == "example" => {
                let (said, mut attributes) = open.take().unwrap();
                let said = match attributes.remove("_encoding").as_deref() {
                    Some("base64") => {
                        let plain: String = said.chars().filter(|c| !c.is_whitespace()).collect();
                        let bytes = base64::engine::general_purpose::STANDARD.decode(plain).unwrap();
                        String::from_utf8_lossy(&bytes).into_owned()
                    }
                    _ => said,
                };
                found.push((patterns - 1, said, attributes));
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

fn entity(name: &str) -> String {
    let named = quick_xml::escape::resolve_xml_entity(name).map(str::to_owned);
    named.unwrap_or_else(|| quick_xml::escape::unescape(&format!("&{name};")).unwrap().into_owned())
}

#[test]
fn the_examples_of_recog_give_the_values_that_they_expect() {
    let (mut count, mut odd) = (0, Vec::new());
    let files = public("recog.tar.xz", ".xml");
    for (name, bytes) in &files {
        let pack = load(name, bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((pack.kind, pack.left_out.len()), (PackKind::Recog, 0), "{name}");
        let place = pack.rules.first().map(|rule| rule.signs[0].place.clone()).unwrap();
        let patterns = pack.len();
        let set = with_packs(vec![pack]);
        let begin = set.len() - patterns;
        for (number, text, expected) in examples(bytes) {
            count += 1;
            let rule = &set.rules()[begin + number];
            let hit = rule.find(0, &text);
            let values = hit.map(|hit| hit.values).unwrap_or_default();
            let wrong = expected.iter().any(|(name, value)| values.get(name) != Some(value));
            let first = set.values(&place, &text);
            if wrong || first.is_empty() {
                odd.push(format!("{name} pattern {number} {text:?}: {expected:?} {values:?}"));
            }
        }
    }
    assert!(odd.is_empty(), "{} of {count}:\n{}", odd.len(), odd.join("\n"));
    assert!(files.is_empty() || count == 7_525, "{count}");
}

/// A text that a pattern matches, made of the least that each of its parts asks for.
fn sample(hir: &Hir, out: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend(&*literal.0),
        HirKind::Class(class) => {
            let ranges: Vec<(u32, u32)> = match class {
                Class::Bytes(all) => all.iter().map(|range| (range.start().into(), range.end().into())).collect(),
                Class::Unicode(all) => all.iter().map(|range| (range.start().into(), range.end().into())).collect(),
            };
            let within = |c: u32| ranges.iter().any(|(start, end)| (*start..=*end).contains(&c));
            let liked = ('0'..='9').chain('a'..='z').chain('A'..='Z').map(u32::from).find(|c| within(*c));
            let chosen = liked.or_else(|| ranges.iter().map(|(start, _)| *start).find(|c| *c >= 0x20));
            out.extend(chosen.or(ranges.first().map(|range| range.0)).and_then(|c| u8::try_from(c).ok()));
        }
        HirKind::Repetition(repetition) => {
            // What a version is made of may be left out by most; a version without it is none.
            for _ in 0..repetition.min.max(u32::from(repetition.max != Some(0))) {
                sample(&repetition.sub, out);
            }
        }
        HirKind::Capture(capture) => sample(&capture.sub, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| sample(part, out)),
        HirKind::Alternation(parts) => parts.iter().take(1).for_each(|part| sample(part, out)),
    }
}

/// Patterns of webappanalyzer that look around, of which there is one for each line here.
const LOOK_AROUND: usize = 15;

#[test]
fn the_patterns_of_webappanalyzer_find_what_they_describe() {
    let files = public("webappanalyzer-gpl3.tar.xz", ".json");
    let files: Vec<_> = files.into_iter().filter(|(name, _)| name.contains("technologies/")).collect();
    let (mut count, mut left_out, mut wrong) = (0, 0, Vec::new());
    for (name, bytes) in &files {
        assert_eq!(detect(bytes), Some(PackKind::Webappanalyzer), "{name}");
        let pack = load(name, bytes).unwrap_or_else(|error| panic!("{error}"));
        left_out += pack.left_out.len();
        let begin = with_packs(Vec::new()).len();
        let set = with_packs(vec![pack]);
        for (number, rule) in set.rules().iter().enumerate().skip(begin) {
            for (at, sign) in rule.signs.iter().enumerate() {
                count += 1;
                let text = match &sign.test {
                    Test::Pattern { pattern, .. } => {
                        let mut parser = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
                        let Ok(hir) = parser.parse(pattern.text()) else { continue };
                        let mut text = Vec::new();
                        sample(&hir, &mut text);
                        String::from_utf8_lossy(&text).into_owned()
                    }
                    _ => "x".to_owned(),
                };
                if !set.hits(&sign.place, &text).contains(&(number, at)) {
                    wrong.push(format!("{name}: {:?} {text:?}", sign.test));
                }
            }
        }
    }
    assert!(wrong.len() * 100 <= count, "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(files.is_empty() || (count > 7_500 && left_out <= LOOK_AROUND), "{count}, {left_out} left out");
}

/// A pack of technologies with two that belong together, and one that counts only beside another.
const TECHNOLOGIES: &str = r#"{
  "Zephyr Shop": {"cats": [6], "implies": "Quokka\\;confidence:60",
    "meta": {"generator": "^Zephyr ?([\\d.]+)?\\;version:\\1"},
    "cpe": "cpe:2.3:a:zephyr:shop:*:*:*:*:*:*:*:*", "cookies": {"zsid": ""},
    "headers": {"X-Zephyr": "edge\\;confidence:40"}},
  "Quokka": {"cats": [27], "scriptSrc": ["quokka[.-]([\\d.]+)\\.js\\;version:\\1"], "excludes": "Numbat"},
  "Numbat": {"cats": [27], "html": ["<numbat-app"]},
  "Zephyr Pay": {"cats": [41], "requires": "Zephyr Shop", "html": "data-zephyr-pay"},
  "Shop widget": {"cats": [41], "requiresCategory": [6], "text": "widget of a shop"}
}"#;

fn told(seen: &[(Place, &str)]) -> Vec<String> {
    let pack = load("own.json", TECHNOLOGIES.as_bytes()).unwrap();
    let categories = load("categories.json", br#"{"6": {"name": "Shops", "groups": [1], "priority": 1}}"#).unwrap();
    let set = with_packs(vec![categories, pack]);
    let mut subject = Subject::default();
    for (place, text) in seen {
        subject.add(place.clone(), *text);
    }
    let said = set.products(&subject).into_iter().map(|product| {
        let item = product.item();
        format!("{} {} [{}]", item.product, item.version.as_deref().unwrap_or("-"), item.tags.join(","))
    });
    said.collect()
}

#[test]
fn technologies_come_with_others_and_count_beside_others() {
    let generator = || (Place::Meta("generator".into()), "Zephyr 2.4");
    let pay = || (Place::Body, "<p data-zephyr-pay>");
    for (seen, expected) in [
        (vec![generator()], &["Zephyr Shop 2.4 [Shops]", "Quokka - [Technology]"][..]),
        (vec![(Place::Cookie("zsid".into()), "1")], &["Zephyr Shop - [Shops]", "Quokka - [Technology]"]),
        (vec![(Place::Header("x-zephyr".into()), "edge")], &[]),
        (vec![pay()], &[]),
        (vec![generator(), pay()], &["Zephyr Shop 2.4 [Shops]", "Quokka - [Technology]", "Zephyr Pay - [Technology]"]),
        (vec![(Place::Text, "the widget of a shop")], &[]),
        (vec![(Place::Body, "<numbat-app>")], &["Numbat - [Technology]"]),
        (
            vec![(Place::Body, "<NUMBAT-APP>"), (Place::Script, "https://a.test/quokka-1.2.js")],
            &["Quokka 1.2 [Technology]"],
        ),
    ] {
        assert_eq!(told(&seen), expected, "{seen:?}");
    }
}

#[test]
fn recog_names_services_systems_and_devices_and_our_names_stay() {
    let xml = br#"<?xml version="1.0"?><!-- c --><fingerprints matches="http_header.server">
      <fingerprint pattern="^Zephyr/([\d.]+) \(([A-Z]\w+)\)$">
        <description>Z</description>
        <param pos="0" name="service.vendor" value="Zephyr &amp; Sons"/>
        <param pos="0" name="service.product" value="Server"/>
        <param pos="1" name="service.version"/><param pos="2" name="os.product"/>
        <param pos="0" name="service.cpe23" value="cpe:/a:zephyr%26sons:server:{service.version}"/>
      </fingerprint>
      <fingerprint pattern="Zephyr"><param pos="0" name="service.product" value="Any"/></fingerprint>
      <fingerprint pattern="^nginx/(\S+)"><param pos="0" name="service.product" value="nginx"/>
        <param pos="1" name="service.version"/></fingerprint>
    </fingerprints>"#;
    let set = with_packs(vec![load("z.xml", xml).unwrap()]);
    let told = |server: &str| -> Vec<String> {
        let mut subject = Subject::default();
        subject.add_header("Server", server);
        let said = set.products(&subject).into_iter().map(|product| {
            let item = product.item();
            format!("{}|{}|{:?}|{:?}", item.vendor, item.product, item.version, item.cpe)
        });
        said.collect()
    };
    assert_eq!(
        told("Zephyr/1.2 (Numbat)"),
        [
            "Zephyr & Sons|Server|Some(\"1.2\")|Some(\"cpe:2.3:a:zephyr\\\\&sons:server:1.2:*:*:*:*:*:*:*\")",
            "Numbat|Numbat|None|None",
        ]
    );
    assert_eq!(told("Zephyr"), ["Any|Any|None|None"]);
    assert_eq!(told("nginx/1.25.3").len(), 1, "ours and the pack's are one");
}

/// YAML of lists that repeat the list in front of them ten times, nine times over.
fn bomb() -> String {
    let lists = (1..=9).map(|at| format!("l{at}: &l{at} [{}]\n", vec![format!("*l{}", at - 1); 10].join(", ")));
    format!("l0: &l0 [a]\n{}", lists.collect::<String>())
}

#[test]
fn a_template_that_repeats_without_end_is_refused_in_our_words() {
    let text = format!("id: x\n{}info: {{name: X}}\n", bomb());
    let refused = crate::nuclei::read("x.yaml", text.as_bytes()).map(|pack| pack.rules.len()).unwrap_err().to_string();
    assert!(refused.contains("it is larger, or nested or repeated deeper, than a template may be"), "{refused}");
}

#[test]
fn a_pack_that_means_harm_is_refused_with_its_place() {
    let deep = format!("<fingerprints>{}", "<a>".repeat(10_000));
    let long = format!(r#"<fingerprints>{}<fingerprint pattern="{}"/>"#, "\n", "a".repeat(10_000_000));
    let bomb =
        "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><fingerprints>\n<fingerprint pattern=\"&b;\"/>";
    let nested = format!("{}1{}", r#"{"A": {"cats": ["#, "[".repeat(100_000));
    let technology = |pattern: &str| format!(r#"{{"A": {{"cats": [1], "html": "{pattern}"}}}}"#);
    for (bytes, expected) in [
        (deep.as_str(), "p:1: more than 16 elements within elements"),
        (&long, "p:2: a pattern of 10000000 bytes, the limit is 16384"),
        (bomb, "p:2: pattern: "),
        ("<fingerprints>\n<fingerprint pattern='('></fingerprint>", "p:2: no pattern: unclosed group"),
        ("<fingerprints>\n\n<fingerprint/>", "p:3: a fingerprint without a pattern"),
        ("<fingerprints><fingerprint pattern='a'>", "p:1: the file ends before </fingerprints>"),
        ("<fingerprints>\n</finger>", "p:2: "),
        ("<fingerprints><fingerprint pattern='((a{1,999}){1,999}){1,999}'></fingerprint>", "when compiled"),
        (&nested, "p: no known rules"),
        (&technology("((a{1,999}){1,999}){1,999}"), "p: A: html: a pattern that takes more than"),
        (&technology("(a"), "p: A: html: no pattern: unclosed group"),
        ("{\"A\": {\"cats\": [1]},\n \"B\": {\"cats\": [1], \"html\": 5}}", "p:2: column "),
        ("{\"A\": {\"cats\": [1]},\n\n \"B\": {\"ca", "p:3: column 10: EOF"),
        ("{\"A\": {\"cats\": [1]}} trailing", "p:1: column 22: trailing"),
        ("", "p: no known rules"),
        ("\u{0}\u{1}", "p: no known rules"),
    ] {
        let refused = load("p", bytes.as_bytes()).map(|pack| pack.len()).unwrap_err().to_string();
        assert!(refused.contains(expected) && refused.len() < 400, "{expected}: {refused}");
        assert!(!refused.contains('\n'), "{refused}");
    }
}

#[test]
fn what_looks_around_is_left_out_and_named() {
    let text = r#"{"A": {"cats": [1], "html": ["one(?!two)", "three"]}}"#;
    let pack = load("a.json", text.as_bytes()).unwrap();
    assert_eq!(pack.left_out.len(), 1);
    assert_eq!(pack.left_out[0].place, "a.json: A: html");
    assert!(pack.left_out[0].why.contains("uses look-around or a back-reference"));
    assert!(matches!(&pack.rules[0].says, Says::Names(_)) && pack.rules[0].signs.len() == 1);
}

#[test]
fn the_public_technology_templates_are_read_and_what_cannot_be_used_is_named() {
    let files = public("nuclei-templates.tar.xz", ".yaml");
    let (mut packs, mut unnamed) = (Vec::new(), Vec::new());
    for (name, bytes) in files.iter().filter(|(name, _)| name.contains("http/technologies/")) {
        let pack = load(name, bytes).unwrap_or_else(|error| panic!("{error}"));
        if pack.is_empty() && pack.left_out.is_empty() {
            unnamed.push(name);
        }
        packs.push(pack);
    }
    if packs.is_empty() {
        return;
    }
    assert!(unnamed.is_empty(), "{unnamed:?}");
    let used = packs.iter().filter(|pack| !pack.is_empty()).count();
    let rules: usize = packs.iter().map(crate::Pack::len).sum();
    assert!(used >= 240 && rules >= 8_000, "{used} of {} templates, {rules} rules", packs.len());
    let set = with_packs(packs);
    let mut subject = Subject::default();
    subject.add_head(200, &[("server".to_owned(), "CherryPy/18.6.1".to_owned())]);
    subject.add(Place::Body, "<html><title>Welcome</title><p>Nothing to see here.</p></html>");
    let found: Vec<String> = set.products(&subject).into_iter().map(|one| one.product).collect();
    assert_eq!(found, ["CherryPy Web Server", "cherrypy"], "by a template of its own, and by that of many");
}
