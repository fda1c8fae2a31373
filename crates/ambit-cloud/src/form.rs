//! Lists that a provider gives out, as data: what is asked, how the pages follow one another, and what is made of each
//! item. The head of `aws/lists/ec2.toml` says how one is written.

mod answer;
mod path;
mod script;

pub(crate) use answer::unreadable;
pub(crate) use path::At;
pub(crate) use script::things;

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

/// The prefixes of the widest blocks that are taken for an account's own: what providers give to one customer.
const V4_PREFIX_MIN: u8 = 24;
const V6_PREFIX_MIN: u8 = 48;

/// A list that a provider gives out page by page.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Form {
    /// What allows it, and its name among the arguments of the task: `ec2:DescribeInstances`.
    pub permission: String,
    /// The service, as hosts and signatures name it; the file says it once.
    #[serde(skip)]
    pub service: String,
    /// Of a service with several: at which host it is asked, in place of the one that its file names.
    pub host: Option<String>,
    /// Signed for this region alone, because it is the account's and no region's.
    pub only_in: Option<String>,
    /// The account has one for all its regions.
    pub of_account: bool,
    /// It is asked about what another list names, and never by itself.
    pub named: bool,
    /// An action with its version, for services that take a form: `2016-11-15 DescribeImages`.
    query: Option<String>,
    /// An operation with its version, for services that take JSON: `1.1 AmazonEC2ContainerRegistry_V20150921.X`.
    operation: Option<String>,
    /// Path and query of a GET.
    get: Option<String>,
    /// The answer is a page of HTML, whose scripts of this media type hold what is read.
    pub(crate) scripts: Option<String>,
    /// Path and query of a POST of JSON.
    post: Option<String>,
    /// What is asked beside: fields of the form, members of the JSON.
    with: BTreeMap<String, Value>,
    /// Headers of the request.
    headers: BTreeMap<String, String>,
    /// How the next page is asked for.
    page: Option<String>,
    /// Pages that are read of it at most, where these are fewer than of other lists.
    pub pages: Option<usize>,
    /// The limit that it counts to, of a provider that limits some of its lists apart from the others.
    pub limit: Option<String>,
    /// Where an answer says that the provider did not look through everything.
    cut: Option<String>,
    /// The list whose items this one is asked for, one by one.
    pub after: Option<String>,
    /// It is asked once for all of those items, since the answer holds for each.
    pub once: bool,
    /// Where such an item says its region.
    region: Option<String>,
    /// Codes and statuses that say of such an item that it has nothing of this.
    nothing: Vec<String>,
    /// Where the items stand; empty: the answer is one; `@list`: it is a list of them.
    items: String,
    /// An answer without the place of the items has none.
    may_lack: bool,
    /// Members of an answer: of these an answer that is one item has one, and no others has an answer without the place
    /// of the items.
    shows: Vec<String>,
    /// Items are left out unless they say these, or where they say those.
    only: BTreeMap<String, String>,
    unless: BTreeMap<String, String>,
    /// Items that say anything of these are left out.
    absent: Vec<String>,
    /// Items without a public address are left out.
    needs_address: bool,
    /// Items without a name are no entities, and lead to what they name all the same.
    nameless: bool,
    /// The kind of entity that an item is.
    kind: Option<String>,
    /// What an item is, in a word or two: `load balancer`.
    what: String,
    /// The name of the entity.
    name: Option<String>,
    /// Host names, addresses and URLs that lead on.
    hosts: Vec<String>,
    addresses: Vec<String>,
    urls: Vec<String>,
    /// Addresses at which it answers together with what others have: they are no strangers', and lead nowhere.
    shared: Vec<String>,
    /// Entities beside, by kind.
    also: BTreeMap<String, String>,
    /// The item leads on only if it has these values.
    leads_if: BTreeMap<String, String>,
    /// Members of the contract, and what else the item says of itself.
    members: BTreeMap<String, Reading>,
    says: BTreeMap<String, Reading>,
}

/// What is read of an item: a value, or a list of objects.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reading {
    One(String),
    Each {
        each: String,
        #[serde(default)]
        only: BTreeMap<String, String>,
        says: BTreeMap<String, Reading>,
    },
}

/// A request before it has a host and a signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    /// Path and query.
    pub target: String,
    /// Headers beside those of the signature.
    pub headers: Vec<(String, String)>,
    /// The body; empty for a GET.
    pub body: String,
}

/// What a page of a list holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub assets: Vec<Asset>,
    /// What asks for the next page.
    pub next: Option<Mark>,
    /// The provider says that it did not look through everything.
    pub is_cut: bool,
}

/// An item of an account, or an item that only leads to others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asset {
    /// Kind and name of the entity; `None` for what only leads on.
    pub entity: Option<(&'static str, String)>,
    /// What it is, in a word or two.
    pub what: &'static str,
    pub hosts: Vec<String>,
    pub addresses: Vec<IpAddr>,
    /// Blocks of addresses, which nobody takes for one address of them.
    pub blocks: Vec<String>,
    pub urls: Vec<String>,
    /// Addresses at which others answer as well.
    pub shared: Vec<IpAddr>,
    /// Entities beside: kind and name.
    pub also: Vec<(&'static str, String)>,
    /// Members of its details, and what the provider reports about it beside those.
    pub members: Map<String, Value>,
    pub says: Map<String, Value>,
    /// The item itself, for the lists that are asked for each.
    pub item: Value,
}

impl Asset {
    /// Adds what a further page says of the same thing: lists go on.
    pub fn go_on(&mut self, more: Self) {
        for (name, value) in more.says {
            if let (Some(Value::Array(list)), Value::Array(rest)) = (self.says.get_mut(&name), value) {
                list.extend(rest);
            }
        }
    }
}

/// What asks for the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A value among the arguments.
    Argument(String),
    /// Path and query of the next page, at the same host.
    Target(String),
}

/// The place of an item, from which names are built.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    pub account: &'a str,
    pub region: &'a str,
    pub partition: &'a str,
    /// Where names of the provider end: `amazonaws.com`.
    pub domain: &'a str,
}

/// What a record of a zone says of its type, of the values that it has, and of the name that it is an alias of.
pub const RECORD: &str = "record";
pub const VALUES: &str = "values";
pub const ALIAS: &str = "alias";
/// What names of a zone begin with that are the zone's own.
const APEX: &str = "@.";
/// Values that one member of an item has at most.
const VALUES_MAX: usize = 500;

impl Form {
    /// Makes the request for the first page, or for the one that the mark stands for. `parent` is the item of the list
    /// before, where there is one; `None` where it lacks what is asked by.
    pub fn request(&'static self, mark: Option<&Mark>, parent: &Value, place: &Place<'_>) -> Option<Request> {
        let at = At { item: parent, parent: &Value::Null, place };
        let argument = match (mark, &self.page) {
            (Some(Mark::Target(target)), _) => {
                return Some(Request { method: "GET", target: target.clone(), ..Request::default() });
            }
            (Some(Mark::Argument(value)), Some(page)) => Some((page.split(' ').next()?, value.as_str())),
            _ => None,
        };
        let mut with = Map::new();
        for (name, value) in &self.with {
            with.insert(name.clone(), filled(value, &at)?);
        }
        let mut headers = Vec::new();
        for (name, value) in &self.headers {
            headers.push((name.clone(), at.template(value, str::to_owned)?));
        }
        if let Some(query) = &self.query {
            let (version, action) = query.split_once(' ')?;
            let body = form_of(&[("Action", action), ("Version", version)], &with, argument);
            return Some(Request { method: "POST", target: "/".to_owned(), headers, body });
        }
        if let Some(operation) = &self.operation {
            let (version, operation) = operation.split_once(' ')?;
            headers.push(("x-amz-target".to_owned(), operation.to_owned()));
            headers.push(("content-type".to_owned(), format!("application/x-amz-json-{version}")));
            insert_mark(&mut with, argument);
            return Some(Request {
                method: "POST",
                target: "/".to_owned(),
                headers,
                body: Value::Object(with).to_string(),
            });
        }
        if let Some(post) = &self.post {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
            insert_mark(&mut with, argument);
            let target = at.template(post, escaped)?;
            return Some(Request { method: "POST", target, headers, body: Value::Object(with).to_string() });
        }
        let mut target = at.template(self.get.as_deref()?, escaped)?;
        if let Some((name, value)) = argument {
            let joint = if target.contains('?') { '&' } else { '?' };
            target.push_str(&format!("{joint}{name}={}", escaped(value)));
        }
        Some(Request { method: "GET", target, headers, body: String::new() })
    }

    /// Returns the asset that an item describes; `None` if it is not wanted.
    pub fn asset(&'static self, item: Value, parent: &Value, place: &Place<'_>) -> Option<Asset> {
        let at = At { item: &item, parent, place };
        if !self.only.iter().all(|wanted| at.says(wanted)) || self.unless.iter().any(|wanted| at.says(wanted)) {
            return None;
        }
        if self.absent.iter().any(|path| !at.texts(path).is_empty()) {
            return None;
        }
        let leads = self.leads_if.iter().all(|wanted| at.says(wanted));
        let texts = |paths: &[String]| -> Vec<String> {
            sorted(paths.iter().filter(|_| leads).flat_map(|path| at.texts(path)))
        };
        let (mut addresses, mut blocks) = (Vec::new(), Vec::new());
        for text in texts(&self.addresses) {
            match place_of(&text) {
                Some((address, None)) => addresses.push(address),
                Some((_, Some(_))) => blocks.push(text),
                None => {}
            }
        }
        addresses.sort_unstable();
        if self.needs_address && addresses.is_empty() && blocks.is_empty() {
            return None;
        }
        let entity = match (&self.kind, &self.name) {
            (Some(kind), Some(name)) => match at.text(name) {
                Some(name) => Some((kind.as_str(), name)),
                None if self.nameless => None,
                None => return None,
            },
            _ => None,
        };
        let (hosts, urls) = (texts(&self.hosts), texts(&self.urls));
        let host = |text: String| text.strip_prefix(APEX).unwrap_or(&text).trim_end_matches('.').to_owned();
        let hosts = hosts.into_iter().map(host).collect();
        let shared = texts(&self.shared).iter().filter_map(|text| place_of(text)).map(|(address, _)| address).collect();
        let also = self.also.iter().filter_map(|(kind, name)| Some((kind.as_str(), at.text(name)?))).collect();
        let (members, says) = (read(&self.members, &at), read(&self.says, &at));
        let what = &self.what;
        Some(Asset { entity, what, hosts, addresses, blocks, urls, shared, also, members, says, item })
    }

    /// The kinds of entity that its items are, and that they lead to beside hosts, addresses and URLs.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kind.iter().chain(self.also.keys()).map(String::as_str)
    }

    /// Returns whether it shows addresses of the account.
    pub fn shows_addresses(&self) -> bool {
        !self.addresses.is_empty() || !self.shared.is_empty()
    }

    /// Returns whether its items are records of zones, which say their type and where they lead.
    pub fn has_records(&self) -> bool {
        self.says.contains_key(RECORD)
    }

    /// The members of the contract that it says.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(String::as_str)
    }

    /// The region in which it is asked for an item of the list before, where the item says one.
    pub fn region_of(&self, parent: &Value) -> Option<String> {
        let place = Place::default();
        At { item: parent, parent: &Value::Null, place: &place }.text(self.region.as_deref()?)
    }
}

/// What the members of a table read of an item; each is there, whatever the item lacks.
fn read(table: &BTreeMap<String, Reading>, at: &At<'_>) -> Map<String, Value> {
    let one = |said: &Reading| match said {
        Reading::One(path) => at.value(path),
        Reading::Each { each, only, says } => {
            let items = at.all(each).into_iter().take(VALUES_MAX);
            let within = |item: Value| {
                let at = At { item: &item, parent: at.item, ..*at };
                only.iter().all(|wanted| at.says(wanted)).then(|| Value::Object(read(says, &at)))
            };
            items.filter_map(within).collect()
        }
    };
    table.iter().map(|(name, said)| (name.clone(), one(said))).collect()
}

/// The address that a text names, or where a block begins, with the length of its prefix; `None` for what networks of
/// their own use, and for blocks so wide that no account has them.
fn place_of(text: &str) -> Option<(IpAddr, Option<u8>)> {
    let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
    let address: IpAddr = address.parse().ok().filter(is_public)?;
    let (widest, one) = if address.is_ipv4() { (V4_PREFIX_MIN, 32) } else { (V6_PREFIX_MIN, 128) };
    match prefix.map(str::parse::<u8>) {
        None => Some((address, None)),
        Some(Ok(prefix)) if prefix == one => Some((address, None)),
        Some(Ok(prefix)) if (widest..one).contains(&prefix) => Some((address, Some(prefix))),
        Some(_) => None,
    }
}

/// An address that networks of their own do not use.
fn is_public(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            !address.is_private() && !address.is_link_local() && !address.is_unspecified() && !is_carriers(*address)
        }
        IpAddr::V6(address) => {
            !address.is_unique_local() && !address.is_unicast_link_local() && !address.is_unspecified()
        }
    }
}

/// An address between customers and their carrier: 100.64.0.0/10 (RFC 6598).
fn is_carriers(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    first == 100 && second & 0xc0 == 64
}

fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.take(VALUES_MAX).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// A value whose texts are templates.
fn filled(value: &Value, at: &At<'_>) -> Option<Value> {
    Some(match value {
        Value::String(text) => Value::String(at.template(text, str::to_owned)?),
        Value::Array(items) => items.iter().map(|item| filled(item, at)).collect::<Option<_>>()?,
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| Some((name.clone(), filled(value, at)?));
            Value::Object(members.iter().map(member).collect::<Option<_>>()?)
        }
        plain => plain.clone(),
    })
}

/// Puts the mark of a page where its name says: `options/$skipToken` is a member within a member.
fn insert_mark(with: &mut Map<String, Value>, argument: Option<(&str, &str)>) {
    let Some((name, value)) = argument else { return };
    match name.split_once('/') {
        None => {
            with.insert(name.to_owned(), Value::String(value.to_owned()));
        }
        Some((outer, inner)) => {
            let within = with.entry(outer).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(within) = within {
                within.insert(inner.to_owned(), Value::String(value.to_owned()));
            }
        }
    }
}

fn form_of(head: &[(&str, &str)], with: &Map<String, Value>, argument: Option<(&str, &str)>) -> String {
    let mut fields: Vec<(String, String)> =
        head.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    fields.extend(
        with.iter()
            .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))),
    );
    fields.extend(argument.map(|(name, value)| (name.to_owned(), value.to_owned())));
    encoded(&fields)
}

/// Returns fields as a form sends them, or as they stand in a query.
pub fn encoded(fields: &[(String, String)]) -> String {
    let pair = |(name, value): &(String, String)| format!("{}={}", escaped(name), escaped(value));
    fields.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// Returns a text with everything percent-escaped but unreserved characters (RFC 3986 §2.3).
pub fn escaped(text: &str) -> String {
    let each = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(each).collect()
}
