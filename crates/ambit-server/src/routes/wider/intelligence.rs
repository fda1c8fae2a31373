//! Intelligence search (docs/contract/wider.md §5.1) over uploaded files and over the domains, addresses and URLs of
//! the caller's projects. The language is that of `ambit_query::intelligence`; an unknown modifier is refused with the
//! list of those that there are.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::present::{files, objects, relationships};
use crate::{page, tokens};
use ambit_api::intelligence::FoundByContent;
use ambit_api::objects::{Meta, Object, data};
use ambit_api::{ApiError, ErrorCode};
use ambit_model::Kind;
use ambit_model::object::ObjectType;
use ambit_query::intelligence::{
    Condition, Entity, Facts, IntelligenceError, IntelligenceQuery, parse_intelligence_query,
};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Items of a page at most (docs/contract/wider.md §1.4).
const LIMIT_MAX: usize = 300;
/// Days that a search looks back over; the inventory forgets nothing, and clients show the figure.
const DAYS_BACK: i64 = 365;
/// Names and hashes that are looked up together.
const CHUNK: usize = 500;
/// Files that one search looks at.
const FILES_MAX: usize = 200_000;
/// Bytes of files that a search for content looks through: some seconds of reading.
const CONTENT_BYTES_MAX: i64 = 256 * 1024 * 1024;
/// What snippets are sealed for, and how long they work.
const SNIPPET: &str = "snippet";
const SNIPPET_MS: i64 = ambit_model::moment::DAY_MS;
/// Bytes that a snippet shows before what was found, and in all.
const SNIPPET_BEFORE: usize = 32;
const SNIPPET_BYTES: usize = 256;
/// Bytes of one line of a snippet.
const LINE_BYTES: usize = 16;
/// Members that a search can be ordered by, and the attributes that each stands for.
const ORDERS: &[(&str, &[&str])] = &[
    ("name", &[]),
    ("first_seen_date", FIRST),
    ("first_submission_date", FIRST),
    ("last_seen_date", LAST),
    ("last_submission_date", LAST),
    ("last_modification_date", LAST),
    ("positives", &["last_analysis_stats"]),
    ("size", &["size"]),
    ("times_submitted", &["times_submitted"]),
];
const FIRST: &[&str] = &["first_submission_date", "first_seen_date"];
const LAST: &[&str] = &["last_submission_date", "last_modification_date"];

fn bad(message: impl Into<String>) -> ApiError {
    ApiError::with(ErrorCode::BadRequest, message)
}

fn entity(kind: ObjectType) -> Entity {
    Entity::from_name(kind.name()).expect("every type of object is one of the language")
}

fn figure(object: &Object, names: &[&str]) -> Option<i64> {
    let value = names.iter().find_map(|name| object.attribute(name))?;
    match value {
        Value::Object(stats) => {
            Some(["malicious", "suspicious"].iter().filter_map(|name| stats.get(*name)?.as_i64()).sum())
        }
        value => value.as_i64(),
    }
}

/// What an object shows of itself.
fn facts(kind: ObjectType, object: &Object) -> Facts {
    let text = |name: &str| object.attribute(name).and_then(Value::as_str).map(str::to_owned);
    let texts = |name: &str| {
        let list = object.attribute(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let mut names = texts("names");
    names.extend(text("url").or_else(|| (kind != ObjectType::File).then(|| object.id.clone())));
    Facts {
        entity: entity(kind),
        names,
        hashes: ["sha256", "sha1", "md5"].into_iter().filter_map(text).collect(),
        file_type: text("type_tag"),
        tags: texts("tags"),
        size: figure(object, &["size"]),
        first: figure(object, FIRST),
        last: figure(object, LAST),
        positives: figure(object, &["last_analysis_stats"]),
        submissions: figure(object, &["times_submitted"]),
    }
}

/// An object that a search found.
struct Hit {
    object: Object,
    facts: Facts,
}

/// How results are ordered: by which attributes (none: by name), and whether the greatest comes first.
fn order(call: &Call) -> Result<(&'static [&'static str], bool), ApiError> {
    let text = call.query("order").map(str::trim).unwrap_or_default();
    let (name, descending) = match text.strip_suffix('-') {
        Some(name) => (name, true),
        None => (text.trim_end_matches('+'), false),
    };
    let name = if name.is_empty() { "name" } else { name };
    match ORDERS.iter().find(|(known, _)| *known == name) {
        Some((_, attributes)) => Ok((attributes, descending)),
        None => {
            let known: Vec<&str> = ORDERS.iter().map(|(name, _)| *name).collect();
            Err(bad(format!("Unknown order {name:?}; known: {}", known.join(", "))))
        }
    }
}

fn compare(attributes: &[&str], one: &Hit, other: &Hit) -> Ordering {
    let by_name = || one.facts.names.first().cmp(&other.facts.names.first());
    let by_figure = || figure(&one.object, attributes).cmp(&figure(&other.object, attributes));
    by_figure().then_with(by_name).then_with(|| one.object.id.cmp(&other.object.id))
}

/// Names of the inventory that may be found: of the types that are asked for, with the parts that are asked for.
async fn candidates(call: &Call, query: &IntelligenceQuery) -> Result<Vec<(ObjectType, String)>, ApiError> {
    let demands = query.query.demands();
    let named = |name: &str| {
        let name = name.to_lowercase();
        demands.iter().all(|one| !matches!(one, Condition::Name(part) if !name.contains(part.as_str())))
    };
    let wanted =
        |kind: ObjectType| demands.iter().all(|one| !matches!(one, Condition::Entity(other) if *other != entity(kind)));
    let mut out = Vec::new();
    for kind in ObjectType::ALL.into_iter().filter(|kind| wanted(*kind)) {
        let names = call.store().names_of_kinds(call.caller(), kind.kinds()).await.about("Object")?;
        out.extend(names.into_iter().filter(|(_, name)| named(name)).map(|(_, name)| (kind, name)));
    }
    out.sort();
    out.dedup();
    Ok(out)
}

/// Objects of the inventory that match.
async fn inventory(call: &Call, query: &IntelligenceQuery) -> Result<Vec<Hit>, ApiError> {
    let mut out = Vec::new();
    for chunk in candidates(call, query).await?.chunks(CHUNK) {
        let names: Vec<(Kind, String)> = chunk.iter().flat_map(|(kind, name)| kind.names(name)).collect();
        let known = call.store().known_objects(call.caller(), &names).await;
        let mut same = BTreeMap::<(ObjectType, String), Vec<_>>::new();
        for one in known.about("Object")? {
            let Some(kind) = ObjectType::of_kind(one.record.kind) else { continue };
            same.entry((kind, one.record.name.clone())).or_default().push(one);
        }
        for ((kind, _), known) in same {
            let Some(object) = objects::shown(call, kind, &known) else { continue };
            let facts = facts(kind, &object);
            if query.query.matches(&facts) {
                out.push(Hit { object, facts });
            }
        }
    }
    Ok(out)
}

/// Files that match.
async fn matching_files(call: &Call, query: &IntelligenceQuery) -> Result<Vec<Hit>, ApiError> {
    let demands = query.query.demands();
    if demands.iter().any(|one| matches!(one, Condition::Entity(other) if *other != Entity::File)) {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    let files = call.store().newest_files(FILES_MAX).await.about("File")?;
    for chunk in files.chunks(CHUNK) {
        let hashes: Vec<_> = chunk.iter().map(|file| file.sha256).collect();
        let mut last = call.store().last_analyses(&hashes).await.about("File")?;
        for file in chunk {
            let object = files::shown(call, &files::attributes(file, last.remove(&file.sha256)));
            let facts = facts(ObjectType::File, &object);
            if query.query.matches(&facts) {
                out.push(Hit { object, facts });
            }
        }
    }
    Ok(out)
}

/// Those of some files in which bytes stand, with the place of the first.
async fn with_content(call: &Call, hits: Vec<Hit>, content: &[u8]) -> Result<Vec<Hit>, ApiError> {
    let bytes: i64 = hits.iter().filter_map(|hit| hit.facts.size).sum();
    if bytes > CONTENT_BYTES_MAX {
        let message = format!(
            "The content would have to be looked for in {bytes} bytes, at most {CONTENT_BYTES_MAX} are: narrow the \
             query by type, size or name"
        );
        return Err(ApiError::with(ErrorCode::UnselectiveContent, message));
    }
    let mut out = Vec::new();
    for hit in hits {
        let hash = hit.facts.hashes.first().cloned().unwrap_or_default();
        let Some(bytes) = files::content(call, &hash).await? else { continue };
        let content = content.to_vec();
        let found = tokio::task::spawn_blocking(move || memchr::memmem::find(&bytes, &content)).await;
        if let Some(at) = found.map_err(|_| ApiError::new(ErrorCode::Internal))? {
            let token = tokens::sealed(call, SNIPPET, &format!("{hash}:{at}"), SNIPPET_MS);
            let context = FoundByContent { confidence: 1, match_in_subfile: false, snippet: token };
            out.push(Hit { object: hit.object.in_context(&context), ..hit });
        }
    }
    Ok(out)
}

/// A query that is nothing but the name of an object finds that one and nothing beside it: clients ask so what they do
/// not know the type of.
async fn exact(call: &Call, text: &str) -> Result<Option<Hit>, ApiError> {
    let found = objects::named(call, text.trim().trim_matches('"')).await?;
    Ok(found.map(|(kind, object)| Hit { facts: facts(kind, &object), object }))
}

fn unreadable(error: &IntelligenceError) -> ApiError {
    let text = error.to_string();
    let mut chars = text.chars();
    let message: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    match error {
        IntelligenceError::Malformed(_) => bad(message),
        IntelligenceError::Unselective => ApiError::with(ErrorCode::UnselectiveContent, message),
        IntelligenceError::Unsupported => ApiError::with(ErrorCode::UnsupportedContent, message),
    }
}

/// Search files, and domains, addresses and URLs of the inventory.
pub(crate) async fn search(call: Call) -> Result<Answer, ApiError> {
    let text = call.query("query").unwrap_or_default().to_owned();
    let query = parse_intelligence_query(&text).map_err(|error| unreadable(&error))?;
    let (attributes, descending) = order(&call)?;
    // Each relationship of each hit is looked for.
    let most = if call.query("relationships").is_some() { page::LIMIT_MAX } else { LIMIT_MAX };
    let paging = page::paging(&call, page::LIMIT_DEFAULT, most)?;
    let mut found = match exact(&call, &text).await? {
        Some(hit) => vec![hit],
        None => {
            let mut found = matching_files(&call, &query).await?;
            match &query.content {
                Some(content) => found = with_content(&call, found, content).await?,
                None => found.extend(inventory(&call, &query).await?),
            }
            found
        }
    };
    found.sort_by(|one, other| compare(attributes, one, other));
    if descending {
        found.reverse();
    }
    let total = found.len();
    let (found, next) = page::slice(&paging, found)?;
    let descriptors = call.query("descriptors_only") == Some("true");
    let mut items = Vec::new();
    for mut hit in found {
        if !descriptors {
            relationships::embed(&call, &mut hit.object).await?;
        }
        items.push(if descriptors { hit.object.described() } else { hit.object });
    }
    let meta = Meta { total_hits: Some(total), days_back: Some(DAYS_BACK), ..Meta::default() };
    Ok(page::answer_with(&call, items, paging.limit, next, meta))
}

/// Read what stands around a place that a search for content found.
pub(crate) async fn snippet(call: Call) -> Result<Answer, ApiError> {
    let opened = tokens::opened(&call, SNIPPET, call.id())?;
    let (hash, at) = opened.split_once(':').ok_or_else(|| bad("Invalid token"))?;
    let at: usize = at.parse().map_err(|_| bad("Invalid token"))?;
    let bytes = files::content(&call, hash).await?.ok_or_else(|| ApiError::not_found("File"))?;
    Ok(Answer::json(&data([dump(&bytes, at)])))
}

/// Lines of a place, bytes and characters.
fn dump(bytes: &[u8], at: usize) -> String {
    let start = at.saturating_sub(SNIPPET_BEFORE) / LINE_BYTES * LINE_BYTES;
    let end = bytes.len().min(start + SNIPPET_BYTES);
    let part = bytes.get(start..end).unwrap_or_default();
    let lines = part.chunks(LINE_BYTES).enumerate().map(|(number, line)| {
        let digits: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let text: String =
            line.iter().map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' }).collect();
        format!("{:08x}  {:<47}  {text}", start + number * LINE_BYTES, digits.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn facts_are_what_objects_show() {
        let attributes = json!({"tags": ["x"], "first_seen_date": 5, "last_modification_date": 7});
        let object = Object::new("", "domains", "domain", "a.test", &attributes);
        let found = facts(ObjectType::Domain, &object);
        assert_eq!((found.names, found.tags), (vec!["a.test".to_owned()], vec!["x".to_owned()]));
        assert_eq!((found.first, found.last, found.size), (Some(5), Some(7), None));
        let attributes = json!({"sha256": "f", "names": ["n"], "size": 3,
        "last_analysis_stats": {"malicious": 2, "suspicious": 1, "undetected": 9}});
        let object = Object::new("", "files", "file", "f", &attributes);
        let found = facts(ObjectType::File, &object);
        assert_eq!((found.names, found.positives, found.size), (vec!["n".to_owned()], Some(3), Some(3)));
    }

    #[test]
    fn snippets_are_lines_around_a_place() {
        let text = dump(b"hello world\0\xff, this is a test of lines", 6);
        assert!(
            text.starts_with("00000000  68 65 6c 6c 6f 20 77 6f 72 6c 64 00 ff 2c 20 74  hello world.., t\n00000010  "),
            "{text}"
        );
        assert!(dump(&[0; 1000], 900).starts_with("00000360  "));
        assert_eq!(dump(b"", 9), "");
    }
}
