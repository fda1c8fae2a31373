//! Templates of nuclei that tell technologies, in YAML: what their matchers look for in the front page, the icon and a
//! few other pages of a site becomes a rule. Other templates, and what needs more than that, are left out and named.

mod expression;
mod signs;

use crate::pack::{LeftOut, Pack, PackError, PackKind};
use crate::pattern::PatternError;
use crate::place::Place;
use crate::rule::{Condition, Names, Rule, SURE, Says, Sign, Stands, Test, Text};
use ambit_model::technology::Part;
use ambit_model::yaml;
use serde_json::Value;
use signs::Signs;
use std::collections::BTreeMap;

/// Bytes by which a template is known: a note of rights may stand above it.
pub(crate) const HEAD_BYTES: usize = 64 * 1_024;
/// Matchers of one template: the largest public one has 7,600.
const MATCHERS_MAX: usize = 50_000;
/// Bytes of a path, and pages of one template beside the front page.
const PATH_BYTES_MAX: usize = 200;
const PATHS_OF_TEMPLATE_MAX: usize = 4;
/// Where plugins and themes of WordPress lie: pages that use one load from its folder, and it is told by that.
const PLUGIN_FOLDERS: &[&str] = &["/wp-content/plugins/", "/wp-content/themes/"];
/// Tags of templates that look for a vulnerability, or disturb the site.
const FOR_VULNERABILITIES: &[&str] =
    &["cve", "dos", "fuzz", "intrusive", "lfi", "rce", "rfi", "sqli", "ssrf", "ssti", "xss", "xxe"];
/// The icon at its usual place.
const ICON: &str = "/favicon.ico";
/// The tag of technologies that templates detect.
const TAG: &str = "Technology";
/// Words of a template's name that say nothing of the product.
const NAME_ENDINGS: &[&str] = &[
    "detect",
    "detection",
    "detector",
    "detected",
    "tech",
    "technology",
    "panel",
    "login",
    "page",
    "version",
    "-",
    "–",
    "exposure",
];

/// Why matchers are not used that a page without the product satisfies.
const ANY_PAGE: &str = "its matchers match any page";

/// Why a template that is no document within limits is not read.
const BEYOND_LIMITS: &str = "it is larger, or nested or repeated deeper, than a template may be";

/// Why a template, or a part of one, is not used.
type Reason = String;

/// Returns whether a text is a template: it has an id, and says something of itself.
pub(crate) fn is_template(text: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&text[..text.len().min(HEAD_BYTES)]);
    let has = |key: &str| head.lines().any(|line| begins_with(line, key));
    has("id") && has("info")
}

/// Returns whether a line begins with a member of this name, in quotation marks or without.
fn begins_with(line: &str, key: &str) -> bool {
    let rest = line.strip_prefix(['"', '\'']).unwrap_or(line).strip_prefix(key);
    rest.is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
}

/// Reads a template. Fails with what is wrong with it and where.
pub(crate) fn read(file: &str, bytes: &[u8]) -> Result<Pack, PackError> {
    let text = std::str::from_utf8(bytes).map_err(|_| PackError::of(file, "not UTF-8 text"))?;
    let template = yaml::parse(text, yaml::NODES_MAX).map_err(|error| {
        let why = error.fault.unwrap_or_else(|| BEYOND_LIMITS.to_owned());
        PackError::at_line(file, error.line, &why)
    })?;
    let mut pack = Pack::new(PackKind::Template, file);
    let id = template.get("id").and_then(text_of).unwrap_or_else(|| "a template without id".to_owned());
    let mut notes = Vec::new();
    match rules(&template, &mut notes) {
        Ok(rules) => pack.rules = rules,
        Err(Refused::Unused(why)) => notes.push(why),
        Err(Refused::Broken(why)) => return Err(PackError::at(file, &id, &why)),
    }
    let place = format!("{file}: {}", id.escape_debug());
    pack.left_out = notes.into_iter().map(|why| LeftOut { place: place.clone(), why }).collect();
    Ok(pack)
}

/// Why there is no rule.
enum Refused {
    /// It means something that is not done here.
    Unused(Reason),
    /// It is wrong, for nuclei too.
    Broken(Reason),
}

impl From<Reason> for Refused {
    fn from(why: Reason) -> Self {
        Self::Unused(why)
    }
}

impl Refused {
    fn of(error: &PatternError) -> Self {
        match error {
            PatternError::LooksAround(_) => Self::Unused(error.to_string()),
            _ => Self::Broken(error.to_string()),
        }
    }
}

/// A scalar as text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The texts of a member that is one or several.
fn texts(value: &Value, member: &str) -> Vec<String> {
    match value.get(member) {
        Some(Value::Array(list)) => list.iter().filter_map(text_of).collect(),
        Some(one) => text_of(one).into_iter().collect(),
        None => Vec::new(),
    }
}

fn word<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(value: &Value, member: &str) -> bool {
    value.get(member).and_then(Value::as_bool).unwrap_or(false)
}

/// What a template asks for, as far as it is seen anyway: other pages are read like the front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    FrontPage,
    /// The icon at its usual place, and nothing else.
    Icon,
    Both,
}

fn rules(template: &Value, notes: &mut Vec<Reason>) -> Result<Vec<Rule>, Refused> {
    let block = block(template)?;
    let (front, mut paths) = asks(block)?;
    if paths.len() > PATHS_OF_TEMPLATE_MAX {
        notes.push(format!("of the {} pages that it requests, {PATHS_OF_TEMPLATE_MAX} are used", paths.len()));
        paths.truncate(PATHS_OF_TEMPLATE_MAX);
    }
    let mut rules = Vec::new();
    if let Some(asks) = front {
        rules.extend(rules_of(template, block, asks, notes)?);
    }
    if front.is_none() {
        rules.extend(paths.iter().find_map(|path| folder_of_plugin(path)).map(|folder| of_folder(template, folder)));
    }
    let (mut seen, mut left_out) = (Vec::new(), None);
    for path in paths {
        // What is left out was named once.
        let notes = if front.is_none() && seen.is_empty() { &mut *notes } else { &mut seen };
        let of_path = match rules_of(template, block, Asks::FrontPage, notes) {
            // The rules for the icon or the front page are kept.
            Err(Refused::Unused(why)) if front.is_some() => {
                left_out = Some(format!("of its other pages: {why}"));
                break;
            }
            read => read?,
        };
        rules.extend(of_path.into_iter().map(|rule| Rule { path: Some(path.as_str().into()), ..rule }));
        seen.push(String::new());
    }
    notes.extend(left_out);
    Ok(rules)
}

/// The folder of a plugin or theme of WordPress that a path leads into.
fn folder_of_plugin(path: &str) -> Option<&str> {
    let below = PLUGIN_FOLDERS.iter().find(|folder| path.starts_with(**folder))?;
    let (name, _) = path[below.len()..].split_once('/')?;
    (!name.is_empty()).then(|| &path[..below.len() + name.len() + 1])
}

/// The rule that pages which load from a folder show what is in it.
fn of_folder(template: &Value, folder: &str) -> Rule {
    let text = Text { text: folder.into(), stands: Stands::Anywhere, any_case: false, versioned: false };
    Rule {
        says: Says::Names(template_names(template)),
        signs: vec![Sign { place: Place::Body, test: Test::Text(text), weight: SURE }],
        chain: None,
        relations: None,
        condition: None,
        path: None,
    }
}

/// The rules for one answer.
fn rules_of(template: &Value, block: &Value, asks: Asks, notes: &mut Vec<Reason>) -> Result<Vec<Rule>, Refused> {
    let Some(Value::Array(matchers)) = block.get("matchers") else {
        return Err(Refused::Unused("it has no matchers".to_owned()));
    };
    if matchers.len() > MATCHERS_MAX {
        return Err(Refused::Broken(format!("more than {MATCHERS_MAX} matchers")));
    }
    let all = word(block, "matchers-condition") == "and";
    let extractors = block.get("extractors").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let names = template_names(template);
    let mut rules = Vec::new();
    for (name, group) in grouped(template, matchers, all) {
        let mut signs = Signs::new(asks);
        let mut parts = Vec::new();
        for matcher in group {
            match signs.matcher(matcher) {
                Ok(condition) => parts.push(condition),
                // One matcher is enough here, so that the others still detect the product.
                Err(Refused::Unused(why)) if !all => notes.push(why),
                Err(refused) => return Err(refused),
            }
        }
        if parts.is_empty() {
            continue;
        }
        if !all {
            // One matcher is enough here, so that the others still detect the product.
            let (telling, bare): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| signs.tells(part));
            if !(telling.is_empty() || bare.is_empty()) {
                notes.push(format!("of some matchers, {ANY_PAGE}"));
            }
            parts = if telling.is_empty() { bare } else { telling };
        }
        let condition = if all { Condition::All(parts) } else { Condition::Any(parts) };
        if !signs.tells(&condition) {
            notes.push(ANY_PAGE.to_owned());
            continue;
        }
        let names = match name {
            Some(name) => named(&name),
            None => {
                notes.extend(signs.versions(extractors)?);
                names.clone()
            }
        };
        rules.push(Rule {
            says: Says::Names(names),
            signs: signs.into_list(),
            chain: None,
            relations: None,
            condition: Some(condition),
            path: None,
        });
    }
    if rules.is_empty() && notes.is_empty() {
        notes.push("it has no matchers".to_owned());
    }
    Ok(rules)
}

/// The one block of requests.
fn block(template: &Value) -> Result<&Value, Reason> {
    let info = template.get("info").ok_or("it has no info block")?;
    let tags = texts(info, "tags").join(",");
    let tags = tags.to_ascii_lowercase();
    let has = |words: &[&str]| tags.split(',').any(|tag| words.contains(&tag.trim()));
    if !has(&["tech", "detect", "panel"]) {
        return Err("it detects no technology (tags tech, detect, panel), and other templates are not read".to_owned());
    }
    if has(FOR_VULNERABILITIES) || info.pointer("/classification/cve-id").is_some_and(|id| !id.is_null()) {
        return Err("it looks for a vulnerability, not for a product".to_owned());
    }
    if template.get("flow").is_some() {
        return Err("it sends a sequence of requests".to_owned());
    }
    let blocks = template.get("http").or_else(|| template.get("requests")).and_then(Value::as_array);
    match blocks.map(Vec::as_slice) {
        Some([block]) => Ok(block),
        Some(_) => Err("it has several blocks of requests".to_owned()),
        None => Err("it does not use HTTP".to_owned()),
    }
}

/// What a block asks for: the front page or the icon, and other pages.
fn asks(block: &Value) -> Result<(Option<Asks>, Vec<String>), Reason> {
    let paths = texts(block, "path");
    // Lists that no request has a place for are there to compare with.
    let has_place = |name: &String| paths.iter().any(|path| path.contains(&format!("{{{{{name}")));
    let is_sent = |payloads: &Value| payloads.as_object().is_none_or(|all| all.keys().any(has_place));
    for member in ["raw", "payloads", "body", "headers", "fuzzing"] {
        let is_used = block.get(member).is_some_and(|value| member != "payloads" || is_sent(value));
        if is_used {
            return Err(format!("it builds its own requests ({member})"));
        }
    }
    let method = word(block, "method");
    if !(method.is_empty() || method.eq_ignore_ascii_case("get")) {
        return Err(format!("it uses the method {}", method.escape_debug()));
    }
    let below = |path: &String| {
        let path = path.strip_prefix("{{BaseURL}}").or_else(|| path.strip_prefix("{{RootURL}}"))?;
        let is_plain = path.len() <= PATH_BYTES_MAX && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
        (is_plain && !path.contains("{{")).then(|| path.to_owned())
    };
    let read: Vec<String> = paths.iter().filter_map(below).collect();
    let is_front = |path: &String| path.is_empty() || path == "/";
    let (front, icon) = (read.iter().any(is_front), read.iter().any(|path| path == ICON));
    let asks = match (front, icon) {
        (true, true) => Some(Asks::Both),
        (true, false) => Some(Asks::FrontPage),
        (false, true) => Some(Asks::Icon),
        (false, false) => None,
    };
    let others = read.into_iter().filter(|path| !is_front(path) && path != ICON && path.starts_with('/'));
    let others: Vec<String> = others.collect();
    match paths.first() {
        None => Err("it requests no page".to_owned()),
        Some(path) if asks.is_none() && others.is_empty() => {
            Err(format!("it requests {}, which is no page of the site", path.escape_debug()))
        }
        Some(_) => Ok((asks, others)),
    }
}

/// Matchers by the product that they tell: that of the template, or each of the name that it has where a template
/// tells many.
fn grouped<'v>(template: &Value, matchers: &'v [Value], all: bool) -> Vec<(Option<String>, Vec<&'v Value>)> {
    let told = template.pointer("/info/metadata/product").or_else(|| template.pointer("/info/classification/cpe"));
    let mut by_name: BTreeMap<Option<String>, Vec<&Value>> = BTreeMap::new();
    for matcher in matchers {
        by_name
            .entry(Some(word(matcher, "name").to_owned()).filter(|name| !name.is_empty()))
            .or_default()
            .push(matcher);
    }
    if all || told.is_some() || by_name.len() < 2 || by_name.contains_key(&None) {
        return vec![(None, matchers.iter().collect())];
    }
    by_name.into_iter().collect()
}

/// The product that a template tells.
fn template_names(template: &Value) -> Names {
    let info = &template["info"];
    let cpe = info.pointer("/classification/cpe").and_then(Value::as_str).unwrap_or_default();
    let mut fields = cpe.strip_prefix("cpe:2.3:").unwrap_or_default().split(':');
    let (part, vendor, product) = (fields.next(), fields.next(), fields.next());
    let part = part.and_then(Part::from_letter).unwrap_or_default();
    let said = |member: &str| info.pointer(&format!("/metadata/{member}")).and_then(Value::as_str);
    let names = vendor.zip(product).or_else(|| said("vendor").zip(said("product")));
    let is_plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic() && c != ':' && c != '*');
    let cpe = names.filter(|(vendor, product)| is_plain(vendor) && is_plain(product));
    let product = plain_name(word(info, "name"));
    let vendor = names.map_or_else(|| product.clone(), |(vendor, _)| vendor.to_owned());
    Names {
        vendor: vendor.into(),
        product: product.into(),
        tag: TAG.into(),
        cpe: cpe.map(|(vendor, product)| format!("{vendor}:{product}").into()),
        part,
    }
}

/// `Apache Airflow - Detect` → `Apache Airflow`.
fn plain_name(name: &str) -> String {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    let says_nothing = |word: &&str| NAME_ENDINGS.iter().any(|ending| word.eq_ignore_ascii_case(ending));
    while words.len() > 1 && words.last().is_some_and(says_nothing) {
        words.pop();
    }
    if words.len() > 1 && words[0].eq_ignore_ascii_case("detect") {
        words.remove(0);
    }
    words.join(" ")
}

/// A product that a matcher names.
fn named(name: &str) -> Names {
    Names { vendor: name.into(), product: name.into(), tag: TAG.into(), ..Names::default() }
}

#[cfg(test)]
mod tests;
