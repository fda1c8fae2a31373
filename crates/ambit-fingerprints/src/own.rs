//! Our own rules, which are data: the head of `own/web_servers.txt` says how one is written.

use crate::pattern::{Flags, Pattern};
use crate::place::Place;
use crate::product::{Product, Shown};
use crate::rule::{Condition, Names, Rule, SURE, Says, Sign, Stands, Test, Text, VERSION_ONLY};
use crate::set::Set;
use crate::template::Template;
use ambit_model::entity::network_service::Service;
use ambit_model::technology::Part;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use std::sync::{Arc, LazyLock};

/// The tables, a block for each product: name of the file and text.
const TABLES: &[(&str, &str)] = &[
    ("administration.txt", include_str!("own/administration.txt")),
    ("appliances.txt", include_str!("own/appliances.txt")),
    ("devices.txt", include_str!("own/devices.txt")),
    ("edge.txt", include_str!("own/edge.txt")),
    ("content.txt", include_str!("own/content.txt")),
    ("frameworks.txt", include_str!("own/frameworks.txt")),
    ("records.txt", include_str!("own/records.txt")),
    ("scripts.txt", include_str!("own/scripts.txt")),
    ("services.txt", include_str!("own/services.txt")),
    ("web_servers.txt", include_str!("own/web_servers.txt")),
];
/// Stands at the end of a text for the version that follows it.
const VERSION: &str = "{version}";

static OWN: LazyLock<Arc<Set>> = LazyLock::new(|| Arc::new(Set::new(rules(), [])));

/// Returns the set of our own rules alone, which is made once.
pub fn own() -> Arc<Set> {
    OWN.clone()
}

/// Returns what tells our own rules from those of other versions of the program.
pub fn edition() -> String {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let bytes = TABLES.iter().flat_map(|(_, table)| table.bytes());
    format!("own {:016x}", bytes.fold(0xcbf2_9ce4_8422_2325, hash))
}

/// Reads our own rules.
pub(crate) fn rules() -> Vec<Rule> {
    let mut rules = Vec::new();
    for (file, table) in TABLES {
        let read = read(table).unwrap_or_else(|problem| panic!("a test reads the table: {file}:{problem}"));
        rules.extend(read.into_iter().map(|(rule, _)| rule));
    }
    rules
}

/// Returns every product that a rule of ours recognises, with what shows it.
pub fn listed() -> Vec<Product> {
    own().rules().iter().filter_map(listed_one).collect()
}

fn listed_one(rule: &Rule) -> Option<Product> {
    let (Says::Names(names), [sign, ..]) = (&rule.says, rule.signs.as_slice()) else { return None };
    let Test::Text(text) = &sign.test else { return None };
    let text = &text.text;
    let shown = match &sign.place {
        Place::Header(_) if sign.test.is_first_word() => format!("Server: {text}"),
        Place::Header(name) => format!("{name}: {text}"),
        Place::Meta(name) if &**name == "generator" => format!("generator {text}"),
        Place::Meta(name) => format!("meta {name}: {text}"),
        _ => text.to_string(),
    };
    Some(names.product(None, vec![Shown::new(sign.place.match_type(), shown.trim())]))
}

/// What a rule must match, with the version that it must read, or must not.
#[derive(Debug, PartialEq, Eq)]
enum Example {
    Yes(&'static str, Option<&'static str>),
    No(&'static str),
}

/// The examples of a rule, each with its line.
type Examples = Vec<(usize, Example)>;

/// Reads a table. A problem begins with the number of its line.
fn read(table: &'static str) -> Result<Vec<(Rule, Examples)>, String> {
    let mut rules: Vec<(Rule, Examples)> = Vec::new();
    let mut names: Option<Names> = None;
    for (line, number) in table.lines().zip(1..) {
        let problem = |what: &str| format!("{number}: {what}");
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(line) = line.strip_prefix("    ") {
            let (rule, examples) = rules.last_mut().ok_or_else(|| problem("an example needs a rule above it"))?;
            if let Some(pattern) = line.strip_prefix("version ") {
                let place = rule.signs[0].place.clone();
                rule.signs.push(version_sign(place, pattern).map_err(|error| problem(&error))?);
                rule.condition = Some(Condition::Sign(0));
                continue;
            }
            let example = example(line).ok_or_else(|| problem("expected `yes EXAMPLE => VERSION` or `no EXAMPLE`"))?;
            examples.push((number, example));
        } else if let Some(line) = line.strip_prefix("  ") {
            let names = names.clone().ok_or_else(|| problem("a rule needs a product above it"))?;
            let sign = sign(line)
                .ok_or_else(|| problem("expected `PLACE TEXT`; the head of web_servers.txt lists the places"))?;
            // A server has one name: the first rule that knows it counts.
            let chain = sign.test.is_first_word().then_some(0);
            rules.push((
                Rule {
                    says: Says::Names(names),
                    signs: vec![sign],
                    chain,
                    relations: None,
                    condition: None,
                    path: None,
                },
                Vec::new(),
            ));
        } else {
            names = Some(product(line).ok_or_else(|| problem("expected `VENDOR | PRODUCT | TAG | CPE`"))?);
        }
    }
    Ok(rules)
}

/// The names of a product: `VENDOR | PRODUCT | TAG | CPE`.
fn product(line: &str) -> Option<Names> {
    let fields: Vec<&str> = line.split(" | ").collect();
    let [vendor, product, tag, cpe] = fields.try_into().ok()?;
    let (part, cpe) = match cpe.split_once(' ') {
        Some(("o", cpe)) => (Part::OperatingSystem, cpe),
        Some(("h", cpe)) => (Part::Hardware, cpe),
        Some(_) => return None,
        None => (Part::Application, cpe),
    };
    let cpe = match cpe {
        "-" => None,
        cpe => Some(cpe.split_once(':').map(|_| cpe.into())?),
    };
    Some(Names { vendor: vendor.into(), product: product.into(), tag: tag.into(), cpe, part })
}

fn example(line: &'static str) -> Option<Example> {
    if let Some(text) = line.strip_prefix("no ") {
        return Some(Example::No(text));
    }
    let text = line.strip_prefix("yes ")?;
    let (text, version) = text.rsplit_once(" => ").map_or((text, None), |(text, version)| (text, Some(version)));
    Some(Example::Yes(text, version))
}

/// The sign of a line: `PLACE TEXT`, `PLACE NAME TEXT`.
fn sign(line: &str) -> Option<Sign> {
    let (line, versioned) = line.strip_suffix(VERSION).map_or((line, false), |line| (line, true));
    let (place, rest) = line.split_once(' ')?;
    let (name, behind) = rest.split_once(' ').unwrap_or((rest, ""));
    let lower = || Box::from(name.to_ascii_lowercase());
    let (place, text, stands, any_case) = match place {
        "header" => (Place::Header(lower()), behind, Stands::Anywhere, true),
        "meta" => (Place::Meta(lower()), behind, Stands::Beginning, true),
        "banner" => (Place::Banner(service(name)?), behind, Stands::Anywhere, true),
        "server" => (Place::Header("server".into()), rest, Stands::FirstWord, true),
        "cookie" => (Place::CookieName, rest, Stands::Beginning, false),
        "html" => (Place::Body, rest, Stands::Anywhere, false),
        "title" => (Place::Title, rest, Stands::Beginning, false),
        "generator" => (Place::Meta("generator".into()), rest, Stands::Beginning, true),
        "script" => (Place::Script, rest, Stands::Anywhere, false),
        "redirect" => (Place::Redirect, rest, Stands::Anywhere, true),
        "subject" => (Place::CertificateSubject, rest, Stands::Anywhere, true),
        "dns" => {
            let stands = match name {
                "TXT" => Stands::Beginning,
                _ if behind.ends_with('-') => Stands::Anywhere,
                _ => Stands::Ending,
            };
            (Place::Dns(name.into()), behind, stands, true)
        }
        "jarm" => (Place::Jarm, rest, Stands::Beginning, false),
        "issuer" => (Place::CertificateIssuer, rest, Stands::Anywhere, true),
        _ => return None,
    };
    let told = !text.is_empty() || matches!(&place, Place::Header(name) if !name.is_empty());
    let test = Test::Text(Text { text: text.into(), stands, any_case, versioned });
    told.then_some(Sign { place, test, weight: SURE })
}

/// The sign of a `version` line: what its pattern's group reads at the place of the rule. Fails with why it is none.
fn version_sign(place: Place, pattern: &str) -> Result<Sign, String> {
    let (pattern, literals) = Pattern::read(pattern, Flags::default()).map_err(|error| error.to_string())?;
    pattern.try_out().map_err(|error| error.to_string())?;
    let test = Test::Pattern { pattern, literals, version: Some(Template::read(r"\1")) };
    Ok(Sign { place, test, weight: VERSION_ONLY })
}

/// The service of a name as it is stored.
fn service(name: &str) -> Option<Service> {
    let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
    Service::deserialize(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Subject;
    use std::collections::BTreeMap;

    /// What a rule says of an example: of a header or a meta element with its name, of all else as it stands at the
    /// rule's place.
    fn said(rule: &Rule, example: &str) -> Option<Option<String>> {
        let text = match &rule.signs[0].place {
            Place::Header(name) if !rule.signs[0].test.is_first_word() => {
                let (said, value) = example.split_once(": ")?;
                (said == &**name).then_some(value)?
            }
            _ => example,
        };
        let version = rule.find(0, text)?.version;
        Some(version.or_else(|| (1..rule.signs.len()).find_map(|sign| rule.find(sign, text)?.version)))
    }

    #[test]
    fn every_rule_matches_its_examples_and_nothing_like_them() {
        let (mut count, mut wrong) = (0, Vec::new());
        for (file, table) in TABLES {
            let rules = read(table).unwrap_or_else(|problem| panic!("{file}:{problem}"));
            count += rules.len();
            for (rule, examples) in &rules {
                check(file, rule, examples, &mut wrong);
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count >= 500, "{count} rules");
    }

    #[test]
    fn a_product_has_one_name_wherever_it_shows() {
        let bare = |text: &str| text.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), "");
        let mut names: BTreeMap<(String, String), (Box<str>, Box<str>)> = BTreeMap::new();
        for rule in rules() {
            let Says::Names(said) = rule.says else { continue };
            let (vendor, product) = (bare(&said.vendor), bare(&said.product));
            let rest = product.strip_prefix(&*vendor).filter(|rest| !rest.is_empty()).unwrap_or(&product).to_owned();
            let now = (said.vendor, said.product);
            let first = names.entry((vendor, rest)).or_insert_with(|| now.clone());
            assert_eq!(*first, now);
        }
    }

    fn check(file: &str, rule: &Rule, examples: &Examples, wrong: &mut Vec<String>) {
        let Some((first, _)) = examples.first() else {
            wrong.push(format!("{file}: {rule:?} has no example"));
            return;
        };
        let first = first - 1;
        let (mut yes, mut no) = (false, false);
        for (number, example) in examples {
            let found = match example {
                Example::Yes(text, _) | Example::No(text) => said(rule, text),
            };
            match (example, &found) {
                (Example::Yes(_, expected), Some(version)) if version.as_deref() == *expected => yes = true,
                (Example::Yes(text, _), Some(version)) => {
                    wrong.push(format!("{file}:{number}: the rule of line {first} reads {version:?} in {text}"));
                }
                (Example::Yes(text, _), None) => {
                    wrong.push(format!("{file}:{number}: the rule of line {first} misses {text}"));
                }
                (Example::No(_), None) => no = true,
                (Example::No(text), Some(_)) => {
                    wrong.push(format!("{file}:{number}: the rule of line {first} matches {text}"));
                }
            }
        }
        if !(yes && no) {
            wrong.push(format!("{file}:{first}: a rule has at least one `yes` and one `no`"));
        }
    }

    #[test]
    fn a_malformed_table_is_named_with_its_line() {
        for (table, expected) in [
            ("A | B | C\n", "1: expected `VENDOR | PRODUCT | TAG | CPE`"),
            ("A | B | C | d\n", "1: expected `VENDOR | PRODUCT | TAG | CPE`"),
            ("A | B | C | x d:e\n", "1: expected `VENDOR | PRODUCT | TAG | CPE`"),
            ("# x\n  html y\n", "2: a rule needs a product above it"),
            ("A | B | C | -\n  body y\n", "2: expected `PLACE TEXT`; the head of web_servers.txt lists the places"),
            (
                "A | B | C | -\n  html {version}\n",
                "2: expected `PLACE TEXT`; the head of web_servers.txt lists the places",
            ),
            ("A | B | C | -\n    yes y\n", "2: an example needs a rule above it"),
            ("A | B | C | -\n  html y\n    maybe y\n", "3: expected `yes EXAMPLE => VERSION` or `no EXAMPLE`"),
        ] {
            assert_eq!(read(table).map(|rules| rules.len()), Err(expected.to_owned()), "{table}");
        }
    }

    #[test]
    fn products_show_at_their_places_and_at_no_others() {
        let mut subject = Subject::default();
        subject.add_header("Server", "nginx/1.24.0");
        subject.add_header("X-Powered-By", "PHP/8.1.2");
        subject.add_cookie("laravel_session", "x");
        subject.add_meta("Generator", "WordPress 6.4.1");
        subject.add(Place::Title, "We love OpenResty");
        // What reads a version tells no product by itself.
        subject.add(Place::Body, r#"<p>Apache/2.4.57</p><script>config={"buildInfo":{"version":"8.2.0"}}</script>"#);
        let mut found: Vec<(String, Option<String>)> =
            own().products(&subject).into_iter().map(|product| (product.product, product.version)).collect();
        found.sort();
        let expected =
            [("Laravel", None), ("PHP", Some("8.1.2")), ("WordPress", Some("6.4.1")), ("nginx", Some("1.24.0"))];
        assert_eq!(found, expected.map(|(product, version)| (product.to_owned(), version.map(str::to_owned))));
    }
}
