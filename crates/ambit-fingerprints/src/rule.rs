//! Rules: what is said of a product, and the signs by which it shows. All sources make rules of this one type.

use crate::pattern::Pattern;
use crate::place::Place;
use crate::product::{Product, Shown, clean_version};
use crate::template::Template;
use crate::values;
use ambit_model::technology::Part;
use regex::bytes::Captures;
use std::collections::BTreeMap;

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) says: Says,
    /// Any of them is enough where its weight is.
    pub(crate) signs: Vec<Sign>,
    /// Of the rules of one chain, only the first that matches a text counts.
    pub(crate) chain: Option<u32>,
    /// How it stands to other technologies of its pack.
    pub(crate) relations: Option<Box<Relations>>,
    /// Which of its signs must stand together, where one alone is not enough.
    pub(crate) condition: Option<Condition>,
    /// The page at which it looks, where that is not the front page: `/version`.
    pub(crate) path: Option<Box<str>>,
}

/// Which signs of a rule must be there, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Sign(usize),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

impl Condition {
    /// Whether it holds where those signs are there of which the function says so.
    pub(crate) fn holds(&self, is_there: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Self::Sign(number) => is_there(*number),
            Self::Not(inner) => !inner.holds(is_there),
            Self::All(parts) => parts.iter().all(|part| part.holds(is_there)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(is_there)),
        }
    }
}

/// The result of a rule that matches.
#[derive(Debug)]
pub(crate) enum Says {
    /// One product, whose version the sign reads.
    Names(Names),
    /// Values from the pattern's groups, by name: `service.product`. They stand for as many products as they name.
    Parameters(Vec<Parameter>),
}

/// Vendor, product, sort, and vendor and product as CPE writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) vendor: Box<str>,
    pub(crate) product: Box<str>,
    pub(crate) tag: Box<str>,
    pub(crate) cpe: Option<Box<str>>,
    pub(crate) part: Part,
}

/// One value that a rule of recog gives.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Box<str>,
    /// The group that holds the value; 0 where it stands in the rule.
    pub(crate) group: usize,
    /// The value, in which `{name}` stands for other values.
    pub(crate) value: Box<str>,
}

/// Technologies beside which one counts, or which come with it, by name.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    pub(crate) name: Box<str>,
    pub(crate) categories: Vec<u32>,
    /// With it come these, each with its weight.
    pub(crate) implies: Vec<(Box<str>, u8)>,
    /// One of these must be there.
    pub(crate) requires: Vec<Box<str>>,
    pub(crate) requires_category: Vec<u32>,
    /// These are not there where it is.
    pub(crate) excludes: Vec<Box<str>>,
}

/// One sign of a product.
#[derive(Debug)]
pub(crate) struct Sign {
    pub(crate) place: Place,
    pub(crate) test: Test,
    /// Of a hundred, how sure it is.
    pub(crate) weight: u8,
}

/// A weight that is enough.
pub(crate) const SURE: u8 = 100;
/// The weight of a sign that reads the version and shows no product.
pub(crate) const VERSION_ONLY: u8 = 0;

/// What the text at the place of a sign must hold.
#[derive(Debug)]
pub(crate) enum Test {
    Text(Text),
    Pattern {
        pattern: Pattern,
        /// One of these must occur, in any case, for the pattern to be run; without any it always is.
        literals: Vec<Vec<u8>>,
        /// How the version is made of the groups.
        version: Option<Template>,
    },
    /// Something stands there.
    Present,
}

/// A text, behind which a version may stand.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: Box<str>,
    pub(crate) stands: Stands,
    pub(crate) any_case: bool,
    /// Whether a version follows.
    pub(crate) versioned: bool,
}

/// Where in the whole the text of a sign stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    Anywhere,
    Beginning,
    Ending,
    /// It is the first word.
    FirstWord,
}

/// What a sign found in one text.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) version: Option<String>,
    pub(crate) shown: Shown,
    /// The values of a rule that gives values.
    pub(crate) values: BTreeMap<String, String>,
}

/// What was found of each rule: the first hit of each of its signs.
pub(crate) type Hits = BTreeMap<usize, BTreeMap<usize, Hit>>;

impl Rule {
    /// The products that the rule says after what it found.
    pub(crate) fn said(&self, hits: &BTreeMap<usize, Hit>) -> Vec<Product> {
        match &self.says {
            Says::Names(names) => {
                let version = hits.values().find_map(|hit| hit.version.clone());
                let shows = |(sign, _): &(&usize, &Hit)| self.signs[**sign].weight != VERSION_ONLY;
                let shown = hits.iter().filter(shows).map(|(_, hit)| hit.shown.clone()).collect();
                let by_any = match &self.condition {
                    Some(condition) => matches!(condition, Condition::Any(_)),
                    None => self.signs.len() > 1,
                };
                vec![Product { by_any, ..names.product(version, shown) }]
            }
            Says::Parameters(_) => hits.values().flat_map(|hit| values::products(&hit.values, &hit.shown)).collect(),
        }
    }

    /// Whether the signs that were found are all that the rule asks for.
    pub(crate) fn holds(&self, hits: &BTreeMap<usize, Hit>) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.holds(&|sign| hits.contains_key(&sign)))
    }

    /// What the sign of this number finds in a text.
    pub(crate) fn find(&self, sign: usize, whole: &str) -> Option<Hit> {
        let sign = &self.signs[sign];
        let shown = |text: &str| Shown::new(sign.place.match_type(), text);
        match &sign.test {
            Test::Present => Some(Hit { version: None, shown: shown(&sign.place.named("")), values: BTreeMap::new() }),
            Test::Text(text) => {
                let (version, text) = text.find(&sign.place, whole)?;
                Some(Hit { version, shown: shown(&text), values: BTreeMap::new() })
            }
            Test::Pattern { pattern, version, .. } => {
                let captures = pattern.captures(whole.as_bytes())?;
                let version = version.as_ref().and_then(|version| match sign.weight {
                    VERSION_ONLY => version.numbered(&captures),
                    _ => version.fill(&captures),
                });
                // What matched may change from look to look; the pattern does not.
                let shown = shown(&sign.place.named(pattern.text()));
                Some(Hit { version, shown, values: self.says.values(&captures) })
            }
        }
    }
}

impl Test {
    /// Returns whether a text of ours must be the first word at its place.
    pub(crate) fn is_first_word(&self) -> bool {
        matches!(self, Self::Text(text) if text.stands == Stands::FirstWord)
    }
}

impl Says {
    fn values(&self, captures: &Captures<'_>) -> BTreeMap<String, String> {
        let Self::Parameters(parameters) = self else { return BTreeMap::new() };
        let mut values = BTreeMap::new();
        for parameter in parameters {
            let value = match parameter.group {
                0 => parameter.value.to_string(),
                group => match captures.get(group) {
                    Some(found) => String::from_utf8_lossy(found.as_bytes()).into_owned(),
                    None => continue,
                },
            };
            values.insert(parameter.name.to_string(), value);
        }
        interpolated(values)
    }
}

/// Puts values for the `{name}` in others. A value that names one that is not there is left out, but for the version of
/// a CPE name, which is then unknown.
fn interpolated(values: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    'values: for (name, value) in &values {
        let (mut filled, mut rest) = (String::new(), value.as_str());
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inner, behind)) = after.split_once('}') else { break };
            filled.push_str(before);
            match values.get(inner).filter(|_| inner != name) {
                Some(found) => filled.push_str(found),
                None if name.ends_with(".cpe23") => filled.push('-'),
                None => continue 'values,
            }
            rest = behind;
        }
        filled.push_str(rest);
        out.insert(name.clone(), filled);
    }
    out
}

impl Place {
    /// Returns a text with the name of its place, such as the header.
    fn named(&self, text: &str) -> String {
        match self {
            Self::Header(name) | Self::Cookie(name) | Self::Meta(name) | Self::Dns(name) => {
                format!("{name}: {text}").trim_end_matches([' ', ':']).to_owned()
            }
            _ => text.to_owned(),
        }
    }
}

/// Characters behind a text in which its version is looked for.
const VERSION_CHARS_MAX: usize = 40;

impl Text {
    /// The version behind the text, if there is one, and what shows the product.
    fn find(&self, place: &Place, whole: &str) -> Option<(Option<String>, String)> {
        let text = &*self.text;
        let same = |part: &str| if self.any_case { part.eq_ignore_ascii_case(text) } else { part == text };
        let at = match self.stands {
            Stands::Anywhere if self.any_case => whole.to_ascii_lowercase().find(&text.to_ascii_lowercase())?,
            Stands::Anywhere => whole.find(text)?,
            Stands::Beginning => whole.get(..text.len()).filter(|start| same(start)).map(|_| 0)?,
            Stands::Ending => {
                let at = whole.len().checked_sub(text.len())?;
                whole.get(at..).filter(|end| same(end)).map(|_| at)?
            }
            Stands::FirstWord => same(whole.split(['/', ' ', '(']).next()?).then_some(0)?,
        };
        let rest: String = whole.get(at + text.len()..)?.chars().take(VERSION_CHARS_MAX).collect();
        let version = if self.versioned { version_in(place, &rest) } else { None };
        let version = version.map(clean_version).filter(|version| !version.is_empty());
        Some((version, self.shown(place, &whole[at..], whole)))
    }

    fn shown(&self, place: &Place, from: &str, whole: &str) -> String {
        match place {
            Place::Header(_) if self.stands == Stands::FirstWord => format!("Server: {whole}"),
            Place::CookieName | Place::Title => whole.to_owned(),
            Place::Meta(name) if &**name == "generator" => format!("generator {whole}"),
            Place::Banner(_) => from.split(['\r', '\n', ' ']).next().unwrap_or_default().to_owned(),
            place => place.said(&self.text),
        }
    }
}

impl Place {
    /// A text of ours as it is shown: behind the name of its header.
    fn said(&self, text: &str) -> String {
        match self {
            Self::Header(name) | Self::Meta(name) | Self::Dns(name) => format!("{name}: {text}"),
            _ => text.to_owned(),
        }
    }
}

/// The version right there. On the web it has at least one dot: the `min.js` of a script is none.
fn version_in<'a>(place: &Place, rest: &'a str) -> Option<&'a str> {
    let version = version_after(rest)?;
    if matches!(place, Place::Banner(_)) || *place == Place::Header("server".into()) {
        return Some(version);
    }
    let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let version = version.split(ends).next().unwrap_or(version);
    let version = version.trim_end_matches(".js").trim_end_matches(".min");
    version.contains('.').then_some(version)
}

/// A version right after a product's word.
fn version_after(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(['/', '_', '-', ' ', '(']).unwrap_or(rest);
    let rest =
        rest.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(rest);
    rest.starts_with(|c: char| c.is_ascii_digit()).then_some(rest)
}

impl Names {
    /// The product of these names.
    pub(crate) fn product(&self, version: Option<String>, shown: Vec<Shown>) -> Product {
        Product {
            vendor: self.vendor.to_string(),
            product: self.product.to_string(),
            version,
            cpe: self.cpe.as_deref().map(str::to_owned),
            tag: self.tag.to_string(),
            shown,
            part: self.part,
            by_any: false,
        }
    }
}
