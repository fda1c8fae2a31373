//! Products by what they leave in headers, cookies, pages and greetings. The rules are data: the head of
//! `technologies.txt` says how one is written.

use crate::read::fingerprint::Product;
use crate::read::page::Page;
use ambit_model::entity::network_service::Service;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use std::sync::LazyLock;

/// The rules, a block for each product.
const TABLE: &str = include_str!("technologies.txt");
/// Stands at the end of a text for the version that follows it.
const VERSION: &str = "{version}";
/// Characters behind a text in which its version is looked for.
const VERSION_CHARS_MAX: usize = 40;

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rules = read(TABLE).unwrap_or_else(|problem| panic!("a test reads the table: technologies.txt:{problem}"));
    rules.into_iter().map(|(rule, _)| rule).collect()
});

/// Where the text of a rule must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the value of a header of this name, in any case.
    Header(&'static str),
    /// The first word of the `Server` header, in any case.
    Server,
    /// At the beginning of a cookie's name.
    Cookie,
    /// In the body, as it is written.
    Html,
    /// At the beginning of the title.
    Title,
    /// At the beginning of the generator, in any case.
    Generator,
    /// In the source of a script.
    Script,
    /// In the greeting of a service, in any case.
    Banner(Service),
}

/// One sign of one product.
#[derive(Clone, Debug)]
struct Rule {
    place: Place,
    text: &'static str,
    /// Whether a version follows the text.
    versioned: bool,
    vendor: &'static str,
    product: &'static str,
    tag: &'static str,
    cpe: Option<&'static str>,
}

/// A page and its head as rules see them.
pub(crate) struct Seen<'a> {
    /// Lower-case names with values.
    pub(crate) headers: &'a [(String, String)],
    /// Names of cookies.
    pub(crate) cookies: &'a [String],
    pub(crate) body: &'a str,
    pub(crate) page: &'a Page,
}

/// Returns the products that show themselves on a page. One that shows at several places is listed once for each.
pub(crate) fn products(seen: &Seen<'_>) -> Vec<Product> {
    let servers = seen.headers.iter().filter(|(name, _)| name == "server");
    let servers = servers.filter_map(|(_, value)| web_server(value));
    RULES.iter().filter_map(|rule| rule.on(seen)).chain(servers).collect()
}

/// Returns the product of a `Server` header.
pub(crate) fn web_server(header: &str) -> Option<Product> {
    RULES.iter().filter(|rule| rule.place == Place::Server).find_map(|rule| rule.find(header))
}

/// Returns the products that the greeting of a service names.
pub(crate) fn greeted(service: Service, text: &str) -> Vec<Product> {
    RULES.iter().filter(|rule| rule.place == Place::Banner(service)).filter_map(|rule| rule.find(text)).collect()
}

/// Returns every product that a rule recognises, with what shows it.
pub(crate) fn listed() -> impl Iterator<Item = Product> {
    RULES.iter().map(|rule| {
        let shown = match rule.place {
            Place::Header(name) => format!("{name}: {}", rule.text),
            Place::Server => format!("Server: {}", rule.text),
            Place::Generator => format!("generator {}", rule.text),
            Place::Cookie | Place::Html | Place::Title | Place::Script | Place::Banner(_) => rule.text.to_owned(),
        };
        rule.product(None, shown.trim())
    })
}

impl Rule {
    /// What the rule recognises on a page.
    fn on(&self, seen: &Seen<'_>) -> Option<Product> {
        match self.place {
            Place::Header(name) => {
                let values = seen.headers.iter().filter(|(known, _)| known == name);
                values.map(|(_, value)| value).find_map(|value| self.find(value))
            }
            Place::Cookie => seen.cookies.iter().find_map(|name| self.find(name)),
            Place::Html => self.find(seen.body),
            Place::Title => self.find(seen.page.title.as_deref()?),
            Place::Generator => self.find(seen.page.generator.as_deref()?),
            Place::Script => seen.page.scripts.iter().find_map(|source| self.find(source)),
            Place::Server | Place::Banner(_) => None,
        }
    }

    /// What the rule recognises in what stands at its place.
    fn find(&self, whole: &str) -> Option<Product> {
        let text = self.text;
        let begins =
            |same: fn(&str, &str) -> bool| whole.get(..text.len()).filter(|start| same(start, text)).map(|_| 0);
        let in_any_case = || whole.to_ascii_lowercase().find(&text.to_ascii_lowercase());
        let (at, shown) = match self.place {
            Place::Header(name) => (in_any_case()?, format!("{name}: {text}")),
            Place::Server => {
                let word = whole.split(['/', ' ', '(']).next()?;
                (word.eq_ignore_ascii_case(text).then_some(0)?, format!("Server: {whole}"))
            }
            Place::Cookie | Place::Title => (begins(|start, text| start == text)?, whole.to_owned()),
            Place::Html | Place::Script => (whole.find(text)?, text.to_owned()),
            Place::Generator => (begins(str::eq_ignore_ascii_case)?, format!("generator {whole}")),
            Place::Banner(_) => {
                let at = in_any_case()?;
                (at, whole[at..].split(['\r', '\n', ' ']).next()?.to_owned())
            }
        };
        let rest: String = whole[at + text.len()..].chars().take(VERSION_CHARS_MAX).collect();
        let version = if self.versioned { self.version_in(&rest) } else { None };
        Some(self.product(version, &shown))
    }

    /// The version right there. On the web it has at least one dot: the `min.js` of a script is none.
    fn version_in<'a>(&self, rest: &'a str) -> Option<&'a str> {
        let version = version_after(rest)?;
        if matches!(self.place, Place::Server | Place::Banner(_)) {
            return Some(version);
        }
        let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
        let version = version.split(ends).next().unwrap_or(version);
        let version = version.trim_end_matches(".js").trim_end_matches(".min");
        version.contains('.').then_some(version)
    }

    fn product(&self, version: Option<&str>, shown: &str) -> Product {
        let place = match self.place {
            Place::Header(_) | Place::Server => "content_headers",
            Place::Cookie => "content_cookies",
            Place::Title => "content_title",
            Place::Html | Place::Generator | Place::Script => "content_body",
            Place::Banner(_) => "banner",
        };
        Product::new((self.vendor, self.product), self.cpe, version, self.tag, (place, shown))
    }
}

/// A version right after a product's word.
fn version_after(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(['/', '_', '-', ' ', '(']).unwrap_or(rest);
    let rest =
        rest.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(rest);
    rest.starts_with(|c: char| c.is_ascii_digit()).then_some(rest)
}

/// What a rule must match, with the version that it must read, or must not.
#[derive(Debug, PartialEq, Eq)]
enum Example {
    Yes(&'static str, Option<&'static str>),
    No(&'static str),
}

/// The examples of a rule, each with its line.
type Examples = Vec<(usize, Example)>;

/// Reads the table. A problem begins with the number of its line.
fn read(table: &'static str) -> Result<Vec<(Rule, Examples)>, String> {
    let mut rules: Vec<(Rule, Examples)> = Vec::new();
    let mut names: Option<[&str; 4]> = None;
    for (line, number) in table.lines().zip(1..) {
        let problem = |what: &str| format!("{number}: {what}");
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(line) = line.strip_prefix("    ") {
            let (_, examples) = rules.last_mut().ok_or_else(|| problem("an example needs a rule above it"))?;
            examples.push((
                number,
                example(line).ok_or_else(|| problem("expected `yes EXAMPLE => VERSION` or `no EXAMPLE`"))?,
            ));
        } else if let Some(line) = line.strip_prefix("  ") {
            let [vendor, product, tag, cpe] = names.ok_or_else(|| problem("a rule needs a product above it"))?;
            let (place, text, versioned) =
                rule(line).ok_or_else(|| problem("expected `PLACE TEXT`; the head of the file lists the places"))?;
            let cpe = (cpe != "-").then_some(cpe);
            let rule = Rule { place, text, versioned, vendor, product, tag, cpe };
            rules.push((rule, Vec::new()));
        } else {
            let fields: Vec<&str> = line.split(" | ").collect();
            let fields =
                <[&str; 4]>::try_from(fields).ok().filter(|fields| fields[3] == "-" || fields[3].contains(':'));
            names = Some(fields.ok_or_else(|| problem("expected `VENDOR | PRODUCT | TAG | CPE`"))?);
        }
    }
    Ok(rules)
}

fn example(line: &'static str) -> Option<Example> {
    if let Some(text) = line.strip_prefix("no ") {
        return Some(Example::No(text));
    }
    let text = line.strip_prefix("yes ")?;
    let (text, version) = text.rsplit_once(" => ").map_or((text, None), |(text, version)| (text, Some(version)));
    Some(Example::Yes(text, version))
}

/// The place and the text of a rule, and whether a version follows it.
fn rule(line: &'static str) -> Option<(Place, &'static str, bool)> {
    let (line, versioned) = line.strip_suffix(VERSION).map_or((line, false), |line| (line, true));
    let (place, rest) = line.split_once(' ')?;
    let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let (place, text) = match place {
        "header" => (Place::Header(name), text),
        "banner" => (Place::Banner(service(name)?), text),
        "server" => (Place::Server, rest),
        "cookie" => (Place::Cookie, rest),
        "html" => (Place::Html, rest),
        "title" => (Place::Title, rest),
        "generator" => (Place::Generator, rest),
        "script" => (Place::Script, rest),
        _ => return None,
    };
    let told = !text.is_empty() || matches!(place, Place::Header(name) if !name.is_empty());
    told.then_some((place, text, versioned))
}

/// The service of a name as it is stored.
fn service(name: &str) -> Option<Service> {
    let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
    Service::deserialize(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a rule says of an example: of a header with its name, of all else as it stands at the rule's place.
    fn said(rule: &Rule, example: &str) -> Option<Option<String>> {
        let found = match rule.place {
            Place::Header(_) => {
                let (name, value) = example.split_once(": ")?;
                let headers = [(name.to_owned(), value.to_owned())];
                let seen = Seen { headers: &headers, cookies: &[], body: "", page: &Page::default() };
                rule.on(&seen)
            }
            _ => rule.find(example),
        };
        found.map(|product| product.version)
    }

    #[test]
    fn every_rule_matches_its_examples_and_nothing_like_them() {
        let rules = read(TABLE).unwrap_or_else(|problem| panic!("technologies.txt:{problem}"));
        assert!(rules.len() > 100);
        for (rule, examples) in &rules {
            let first = examples.first().unwrap_or_else(|| panic!("technologies.txt: {rule:?} has no example")).0 - 1;
            let (mut yes, mut no) = (false, false);
            for (number, example) in examples {
                match example {
                    Example::Yes(text, version) => {
                        let found = said(rule, text).unwrap_or_else(|| {
                            panic!("technologies.txt:{number}: the rule of line {first} misses {text}")
                        });
                        assert_eq!(found.as_deref(), *version, "technologies.txt:{number}: the version in {text}");
                        yes = true;
                    }
                    Example::No(text) => {
                        assert_eq!(
                            said(rule, text),
                            None,
                            "technologies.txt:{number}: the rule of line {first} matches {text}"
                        );
                        no = true;
                    }
                }
            }
            assert!(yes && no, "technologies.txt:{first}: a rule has at least one `yes` and one `no`");
        }
    }

    #[test]
    fn a_malformed_table_is_named_with_its_line() {
        for (table, expected) in [
            ("A | B | C\n", "1: expected `VENDOR | PRODUCT | TAG | CPE`"),
            ("A | B | C | d\n", "1: expected `VENDOR | PRODUCT | TAG | CPE`"),
            ("# x\n  html y\n", "2: a rule needs a product above it"),
            ("A | B | C | -\n  body y\n", "2: expected `PLACE TEXT`; the head of the file lists the places"),
            ("A | B | C | -\n  html {version}\n", "2: expected `PLACE TEXT`; the head of the file lists the places"),
            ("A | B | C | -\n    yes y\n", "2: an example needs a rule above it"),
            ("A | B | C | -\n  html y\n    maybe y\n", "3: expected `yes EXAMPLE => VERSION` or `no EXAMPLE`"),
        ] {
            assert_eq!(read(table).map(|rules| rules.len()), Err(expected.to_owned()), "{table}");
        }
    }

    fn see(headers: &[(&str, &str)], cookies: &[&str], html: &str) -> Vec<(String, Option<String>)> {
        let headers: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let cookies: Vec<String> = cookies.iter().map(|name| (*name).to_owned()).collect();
        let page = Page::parse(html, &ambit_net::http::Url::parse("https://www.acme.test/").unwrap());
        let seen = Seen { headers: &headers, cookies: &cookies, body: html, page: &page };
        products(&seen).into_iter().map(|product| (product.product, product.version)).collect()
    }

    #[test]
    fn products_and_versions_show() {
        let found = see(
            &[("server", "nginx/1.24.0"), ("x-powered-by", "PHP/8.1.2")],
            &["laravel_session"],
            "<meta name=generator content='WordPress 6.4.1'>",
        );
        for (product, version) in
            [("PHP", Some("8.1.2")), ("Laravel", None), ("WordPress", Some("6.4.1")), ("nginx", Some("1.24.0"))]
        {
            assert!(found.contains(&(product.to_owned(), version.map(str::to_owned))), "{product}: {found:?}");
        }
        assert_eq!(
            see(&[], &[], "<script src='/js/jquery-3.6.0.min.js'></script>"),
            [("jQuery".to_owned(), Some("3.6.0".to_owned()))]
        );
    }

    #[test]
    fn a_page_about_a_product_is_not_the_product() {
        assert!(see(&[], &[], "<title>We love PHP and WordPress</title><p>nginx is great</p>").is_empty());
        assert!(see(&[("x-frame-options", "DENY")], &["lang"], "").is_empty());
    }
}
