//! Data providers for names: how each is queried, and the form of its answers.

use crate::page::Page;
use crate::template::{Places, filled, read_back};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Whether a source wants a key of whoever asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Key {
    /// It answers everybody.
    #[default]
    None,
    /// It answers everybody, and whoever has a key more often.
    Optional,
    /// A key is required.
    Required,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// One value of JSON.
    #[default]
    Json,
    /// A value of JSON on each line.
    Lines,
    /// Any text with names in it: a table, a list of URLs, a page.
    Text,
}

/// A source of names, as its file says. In templates `{domain}` is the domain, `{key}` the key, `{page}` the number of
/// the page, and `{cursor}` what the answer before gave to go on with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name, also that of its file.
    #[serde(skip)]
    pub name: &'static str,
    /// Its name for people.
    pub pretty_name: String,
    /// Where its interface is described, or its key is had.
    pub about: String,
    /// The host at which it is asked, over https.
    pub host: String,
    /// Whether it wants a key.
    #[serde(default)]
    pub key: Key,
    /// Path and query of the first page.
    get: String,
    /// Path and query of the pages behind it; without it there is one page.
    next: Option<String>,
    /// The number of the first page.
    #[serde(default = "one")]
    first_page: u32,
    /// Headers; one with a key is left out where there is none.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) form: Form,
    /// Where the names are (JSON): members between slashes, `*` for each item of a list, `@last` for its
    /// last one.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// The names have no domain.
    #[serde(default)]
    pub(crate) labels: bool,
    /// The place of the cursor for the next page: the last text there.
    pub(crate) cursor: Option<String>,
    /// Where it is said that there are more pages.
    pub(crate) more: Option<String>,
    /// Statuses by which it says that it knows nothing of the domain.
    #[serde(default)]
    pub(crate) nothing: Vec<u16>,
    /// Where the answer says, although its status is 200, that the source did not look: in JSON the place of the
    /// reason, in text the beginning of the answer.
    #[serde(default)]
    pub(crate) refused: Vec<String>,
    example: Example,
}

/// An answer, for tests and the simulated internet.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    /// The answer, with `{items}` for those of each name.
    answer: String,
    /// The part for one name, with `{name}`.
    item: String,
    /// The separator between two of them.
    #[serde(default = "comma")]
    join: String,
}

/// What is sent: path and query, and headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub url: String,
    pub headers: Vec<(String, String)>,
}

/// What a request asks of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub domain: String,
    /// The key that stands in the path or query.
    pub key: Option<String>,
    /// It asks for the first page.
    pub is_first: bool,
}

impl Source {
    /// Reads the file of a source. Fails with one line that says what is wrong with it.
    pub(crate) fn read(name: &'static str, text: &str) -> Result<Self, String> {
        let source: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let source = Self { name, ..source };
        let named = |template: &str| ["{domain}", "{cursor}"].iter().any(|place| template.contains(place));
        if !named(&source.get) || source.next.as_ref().is_some_and(|next| !named(next)) {
            return Err("it is not asked for the domain".to_owned());
        }
        if (source.form == Form::Text) != source.names.is_empty() {
            return Err("`names` says where names are in JSON, and nowhere else".to_owned());
        }
        let with_key = |template: &String| template.contains("{key}");
        let shows_key = with_key(&source.get) || source.headers.values().any(with_key);
        if shows_key != (source.key != Key::None) {
            return Err("`key` and the templates do not agree".to_owned());
        }
        Ok(source)
    }

    /// The request for a page; `after` is the page before, `None` for the first. `None`: there is no such page, or the
    /// source is not asked without a key.
    pub fn request(&self, domain: &str, key: Option<&str>, after: Option<(u32, &Page)>) -> Option<Request> {
        let mut places = Places::from([("domain", domain.to_owned())]);
        places.extend(key.map(|key| ("key", escaped(key))));
        let target = match after {
            None => filled(&self.get, &places)?,
            Some((number, page)) => {
                places.insert("page", (self.first_page + number + 1).to_string());
                places.extend(page.cursor.as_deref().map(|cursor| ("cursor", escaped(cursor))));
                filled(self.next.as_ref()?, &places)?
            }
        };
        if self.key == Key::Required && key.is_none() {
            return None;
        }
        places.extend(key.map(|key| ("key", key.to_owned())));
        let header = |(name, template): (&String, &String)| Some((name.clone(), filled(template, &places)?));
        let headers = self.headers.iter().filter_map(header).collect();
        Some(Request { url: format!("https://{}{target}", self.host), headers })
    }

    /// Returns whether a page follows the one that was read.
    pub fn goes_on(&self, page: &Page) -> bool {
        let Some(next) = &self.next else { return false };
        let can = page.told > 0 && (page.cursor.is_some() || !next.contains("{cursor}"));
        can && page.more != Some(false)
    }

    /// Reads a request that was sent to the source; `None` where it is not asked so. `target` is its path and query.
    pub fn asked(&self, target: &str) -> Option<Asked> {
        let first = read_back(&self.get, target).map(|places| (places, true));
        let read = first.or_else(|| read_back(self.next.as_ref()?, target).map(|places| (places, false)));
        let (places, is_first) = read?;
        let place = |name| places.get(name).cloned();
        Some(Asked { domain: place("domain").unwrap_or_default(), key: place("key"), is_first })
    }

    /// The header that shows the key, if one does.
    pub fn key_header(&self) -> Option<&str> {
        let shows = self.headers.iter().find(|(_, template)| template.contains("{key}"));
        shows.map(|(name, _)| name.as_str())
    }

    /// Returns an answer that tells of these names below the domain, as the source writes it.
    pub fn answer(&self, domain: &str, names: &[&str]) -> String {
        let below = format!(".{domain}");
        let item = |(number, name): (usize, &&str)| {
            let told = if self.labels { name.strip_suffix(&below).unwrap_or(name) } else { name };
            let places = Places::from([
                ("name", told.to_owned()),
                ("domain", domain.to_owned()),
                ("number", (number + 1).to_string()),
            ]);
            filled(&self.example.item, &places).unwrap_or_default()
        };
        let items: Vec<String> = names.iter().enumerate().map(item).collect();
        let places = Places::from([
            ("items", items.join(&self.example.join)),
            ("domain", domain.to_owned()),
            ("count", names.len().to_string()),
        ]);
        filled(&self.example.answer, &places).unwrap_or_default()
    }

    /// Returns whether its answers are JSON.
    pub fn answers_json(&self) -> bool {
        self.form == Form::Json
    }
}

fn one() -> u32 {
    1
}

fn comma() -> String {
    ",".to_owned()
}

/// Returns a text without a key, as it was given and as it stands in a URL.
pub fn without_key(text: &str, key: &str) -> String {
    text.replace(key, "(key)").replace(&escaped(key), "(key)")
}

/// A text within a URL (RFC 3986 §2.3).
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
