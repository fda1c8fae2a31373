//! Files of webappanalyzer: technologies in JSON, each with patterns by place. What needs a browser (computed
//! properties, elements, style sheets) is not read.

use crate::pack::{LeftOut, Pack, PackError, PackKind};
use crate::pattern::{Flags, Pattern, PatternError, from_javascript};
use crate::place::Place;
use crate::rule::{Names, Relations, Rule, SURE, Says, Sign, Test};
use crate::template::Template;
use ambit_model::technology::Part;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// Technologies of one file: all public ones together are some eight thousand.
const TECHNOLOGIES_MAX: usize = 100_000;
/// Patterns of one technology.
const PATTERNS_MAX: usize = 1_000;
/// What is said of a technology whose categories have no names.
const TAG: &str = "Technology";

/// Text, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Default for Texts {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Texts {
    fn into_list(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        }
    }
}

/// A technology as the file has it.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Technology {
    cats: Vec<u32>,
    cpe: Option<String>,
    cookies: BTreeMap<String, Texts>,
    headers: BTreeMap<String, Texts>,
    meta: BTreeMap<String, Texts>,
    dns: BTreeMap<String, Texts>,
    html: Texts,
    text: Texts,
    scripts: Texts,
    script_src: Texts,
    url: Texts,
    cert_issuer: Texts,
    implies: Texts,
    requires: Texts,
    requires_category: Vec<u32>,
    excludes: Texts,
}

/// Reads a file of technologies. Fails with what is wrong with it and where.
pub(crate) fn read(file: &str, bytes: &[u8]) -> Result<Pack, PackError> {
    let mut pack = Pack::new(PackKind::Webappanalyzer, file);
    let mut refused = None;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let entries = Entries(|name: String, technology: Technology| {
        let added = if pack.rules.len() < TECHNOLOGIES_MAX {
            add(&mut pack, name, technology)
        } else {
            Err(PackError::at(file, &name, &format!("more than {TECHNOLOGIES_MAX} technologies")))
        };
        added.inspect_err(|error| refused = Some(error.clone())).is_ok()
    });
    let outcome = reader.deserialize_map(entries).and_then(|()| reader.end());
    if let Some(error) = refused {
        return Err(error);
    }
    outcome.map_err(|error| json_error(file, &error))?;
    Ok(pack)
}

/// Reads a file with names of categories. Fails with what is wrong with it and where.
pub(crate) fn read_categories(file: &str, bytes: &[u8]) -> Result<Pack, PackError> {
    #[derive(Deserialize)]
    struct Category {
        name: String,
    }
    let categories: BTreeMap<u32, Category> =
        serde_json::from_slice(bytes).map_err(|error| json_error(file, &error))?;
    let mut pack = Pack::new(PackKind::WebappanalyzerCategories, file);
    pack.categories = categories.into_iter().map(|(number, category)| (number, category.name)).collect();
    Ok(pack)
}

fn json_error(file: &str, error: &serde_json::Error) -> PackError {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let what: String = what.chars().take(200).flat_map(char::escape_debug).collect();
    PackError::at_line(file, error.line(), &format!("column {}: {what}", error.column()))
}

/// Hands on the members of an object one by one, until they are refused.
struct Entries<F>(F);

impl<'de, F: FnMut(String, Technology) -> bool> Visitor<'de> for Entries<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of technologies")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, technology)) = map.next_entry()? {
            if !(self.0)(name, technology) {
                return Err(serde::de::Error::custom("refused"));
            }
        }
        Ok(())
    }
}

fn add(pack: &mut Pack, name: String, technology: Technology) -> Result<(), PackError> {
    let names = names(&name, technology.cpe.as_deref());
    let relations = Relations {
        name: name.as_str().into(),
        categories: technology.cats.clone(),
        implies: technology.implies.into_list().iter().map(|text| implied(text)).collect(),
        requires: technology.requires.into_list().iter().map(|text| implied(text).0).collect(),
        requires_category: technology.requires_category,
        excludes: technology.excludes.into_list().iter().map(|text| implied(text).0).collect(),
    };
    let alone = [
        ("html", Place::Body, technology.html),
        ("text", Place::Text, technology.text),
        ("scripts", Place::Inline, technology.scripts),
        ("scriptSrc", Place::Script, technology.script_src),
        ("url", Place::Url, technology.url),
        ("certIssuer", Place::CertificateIssuer, technology.cert_issuer),
    ];
    let mut written: Vec<(String, Place, String)> = Vec::new();
    for (member, place, texts) in alone {
        written.extend(texts.into_list().into_iter().map(|text| (member.to_owned(), place.clone(), text)));
    }
    type At = fn(Box<str>) -> Place;
    let keyed: [(&str, At, BTreeMap<String, Texts>); 4] = [
        ("headers", Place::Header, technology.headers),
        ("meta", Place::Meta, technology.meta),
        ("cookies", Place::Cookie, technology.cookies),
        ("dns", |name| Place::Dns(name.to_ascii_uppercase().into()), technology.dns),
    ];
    for (member, at, texts) in keyed {
        for (key, texts) in texts {
            let place = at(key.trim().trim_end_matches(':').to_ascii_lowercase().into());
            let texts = texts.into_list().into_iter();
            written.extend(texts.map(|text| (format!("{member} {key}"), place.clone(), text)));
        }
    }
    if written.len() > PATTERNS_MAX {
        return Err(PackError::at(&pack.file, &name, &format!("more than {PATTERNS_MAX} patterns")));
    }
    let mut signs = Vec::new();
    for (member, place, text) in written {
        match sign(place, &text) {
            Ok(sign) => signs.push(sign),
            Err(error @ PatternError::LooksAround(_)) => {
                pack.left_out
                    .push(LeftOut { place: format!("{}: {name}: {member}", pack.file), why: error.to_string() });
            }
            Err(error) => return Err(PackError::at(&pack.file, &format!("{name}: {member}"), &error.to_string())),
        }
    }
    // One without any sign may still come with others.
    pack.rules.push(Rule {
        says: Says::Names(names),
        signs,
        chain: None,
        relations: Some(Box::new(relations)),
        condition: None,
        path: None,
    });
    Ok(())
}

fn names(name: &str, cpe: Option<&str>) -> Names {
    let mut fields = cpe.unwrap_or_default().split(':').skip(2);
    let (part, vendor, product) = (fields.next(), fields.next(), fields.next());
    let part = part.and_then(Part::from_letter).unwrap_or_default();
    let cpe = vendor.zip(product).map(|(vendor, product)| format!("{vendor}:{product}").into());
    Names { vendor: vendor.unwrap_or(name).into(), product: name.into(), tag: TAG.into(), cpe, part }
}

/// The name and the weight of a technology that comes with another: `PHP\;confidence:50`.
fn implied(text: &str) -> (Box<str>, u8) {
    let mut parts = text.split("\\;");
    let name = parts.next().unwrap_or_default().into();
    (name, weight(parts))
}

fn weight<'a>(mut parts: impl Iterator<Item = &'a str>) -> u8 {
    let said = parts.find_map(|part| part.strip_prefix("confidence:"));
    said.and_then(|said| said.trim().parse().ok()).unwrap_or(SURE).min(SURE)
}

/// The sign that a pattern with its suffixes makes: `PATTERN\;version:\1\;confidence:50`.
fn sign(place: Place, text: &str) -> Result<Sign, PatternError> {
    let mut parts = text.split("\\;");
    let pattern = parts.next().unwrap_or_default();
    let suffixes: Vec<&str> = parts.collect();
    let weight = weight(suffixes.iter().copied());
    let version = suffixes.iter().find_map(|part| part.strip_prefix("version:")).map(Template::read);
    if pattern.is_empty() && version.is_none() {
        return Ok(Sign { place, test: Test::Present, weight });
    }
    let flags = Flags { any_case: true, ..Flags::default() };
    let (pattern, literals) = Pattern::read(&from_javascript(pattern), flags)?;
    pattern.try_out()?;
    Ok(Sign { place, test: Test::Pattern { pattern, literals, version }, weight })
}
