//! What `ambit entity` and `ambit issue` have in common: naming one, its history, its notes and tags.

use crate::api::{ASM, Api, Needs, OURS};
use crate::args::Target;
use crate::config::Settings;
use crate::failure::{Failure, NOT_FOUND, Result, USAGE};
use crate::output::table::{items, shown, text};
use crate::output::{Results, hint, lines, plain};
use ambit_model::percent::escaped;
use ambit_model::{Kind, Timestamp, Uid};
use ambit_query::Noun;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read as _;

/// Characters of the beginning of a uid that name it.
const UID_CHARS_MIN: usize = 4;
/// Characters of a uid by which one of several is told.
const UID_CHARS_SHOWN: usize = 16;
/// Rows among which a name is looked for.
const NAMED_ROWS: u64 = 1_000;
/// Bytes of a note that is read from standard input: 50,000 characters of at most 4 bytes.
const NOTE_BYTES_MAX: u64 = 200_000;

/// Notes of an item.
#[derive(Debug, clap::Args)]
pub(crate) struct Note {
    /// Uid (or its beginning) or uuid; for an entity also its name.
    pub(crate) item: String,
    /// Write this note, as Markdown; `-` reads it from standard input. Without one, the notes are listed.
    pub(crate) text: Option<String>,
    /// Replace the text of this note.
    #[arg(long, value_name = "UID", requires = "text")]
    pub(crate) edit: Option<Uid>,
    /// Remove this note.
    #[arg(long, value_name = "UID", conflicts_with_all = ["edit", "text"])]
    pub(crate) delete: Option<Uid>,
    /// One JSON object per line.
    #[arg(long)]
    pub(crate) jsonl: bool,
}

/// Tags of an item.
#[derive(Debug, clap::Args)]
pub(crate) struct Tag {
    /// Uid (or its beginning) or uuid; for an entity also its name.
    pub(crate) item: String,
    /// Add these tags. Without any, the tags are listed.
    pub(crate) tags: Vec<String>,
    /// Remove this tag.
    #[arg(long, value_name = "TAG")]
    pub(crate) remove: Vec<String>,
}

/// Versions of an item.
#[derive(Debug, clap::Args)]
pub(crate) struct History {
    /// Uid (or its beginning) or uuid; for an entity also its name.
    pub(crate) item: String,
    /// Only changes from this date or moment on.
    #[arg(long, value_name = "DATE")]
    pub(crate) start: Option<String>,
    /// One JSON object per line.
    #[arg(long)]
    pub(crate) jsonl: bool,
}

/// `entity` or `issue`, with the words of the paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sort {
    pub(crate) one: &'static str,
    pub(crate) many: &'static str,
}

pub(crate) const ENTITY: Sort = Sort { one: "entity", many: "entities" };
pub(crate) const ISSUE: Sort = Sort { one: "issue", many: "issues" };

/// Opens the API for one item and finds out which one is meant: by uid or uuid, an entity also by its name.
pub(crate) async fn find(sort: Sort, typed: &str, target: &Target, settings: &Settings) -> Result<(Api, String)> {
    if is_id(typed) {
        return Ok((Api::open(target, settings, Needs::Rows).await?, typed.to_owned()));
    }
    if is_beginning(typed) {
        let api = Api::open(target, settings, Needs::Rows).await?;
        if let Some(uid) = beginning(&api, sort, typed).await? {
            return Ok((api, uid));
        }
    }
    if sort.one == ISSUE.one {
        return Err(Failure::usage(format!(
            "{:?} is not an issue: give its uid, the beginning of it that `ambit issues` shows, or its uuid",
            plain(typed)
        )));
    }
    let api = Api::open(target, settings, Needs::Index).await?;
    let uid = by_name(&api, typed).await?;
    Ok((api, uid))
}

fn is_id(typed: &str) -> bool {
    typed.parse::<Uid>().is_ok() || typed.parse::<uuid::Uuid>().is_ok()
}

/// Whether it may be the beginning of a uid.
fn is_beginning(typed: &str) -> bool {
    (UID_CHARS_MIN..64).contains(&typed.len()) && typed.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The uid of an identifier, or of the beginning of one.
pub(crate) async fn resolve(api: &Api, sort: Sort, typed: &str) -> Result<String> {
    if is_id(typed) || !is_beginning(typed) {
        return Ok(typed.to_owned());
    }
    let found = beginning(api, sort, typed).await?;
    found.ok_or_else(|| Failure::not_found(format!("no {} has a uid that begins with {}", sort.one, plain(typed))))
}

/// The one uid that begins so; `None` where there is none.
async fn beginning(api: &Api, sort: Sort, typed: &str) -> Result<Option<String>> {
    let found = api.list(&format!("{OURS}/uids/{}/{}", sort.many, typed.to_ascii_lowercase())).await?;
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(text(&one["uid"]))),
        several => {
            let listed =
                several.iter().map(|row| format!("{} ({})", &text(&row["uid"])[..UID_CHARS_SHOWN], shown(row, "name")));
            let listed = listed.collect::<Vec<_>>().join(", ");
            Err(Failure::usage(format!("{} is ambiguous: {listed}; give more of it", plain(typed))))
        }
    }
}

/// The uid of a name: of the kind that it looks like first, else of any entity with exactly this name. Where several
/// have it, which one is taken is said, and how another is meant.
async fn by_name(api: &Api, typed: &str) -> Result<String> {
    let canonical = Kind::of_target(typed).ok();
    let query = format!("name:\"{}\"", typed.replace('"', ""));
    let path = format!(
        "{ASM}/search/{}/{}?page_size={NAMED_ROWS}&aggregations=false",
        Noun::Entities.as_str(),
        escaped(&query)
    );
    let reply = api.get(&path).await?;
    let hits = items(&reply.result["hits"]);
    let has_name = |hit: &&Value| {
        let name = hit["name"].as_str().unwrap_or_default();
        name == typed || canonical.as_ref().is_some_and(|(_, canonical)| name == canonical)
    };
    let mut named: Vec<&Value> = hits.filter(has_name).filter(|hit| hit["id"].is_string()).collect();
    // Of several, the same one each time.
    named.sort_by_key(|hit| {
        let is_unlikely = canonical.as_ref().is_none_or(|(kind, _)| hit["type"] != kind.type_name());
        (is_unlikely, text(&hit["type"]), text(&hit["id"]))
    });
    let Some((taken, others)) = named.split_first() else {
        let shown = plain(typed);
        return Err(Failure::not_found(format!("no entity is named {shown}; `ambit entities {shown}` searches")));
    };
    if !others.is_empty() {
        hint(&ambiguous(typed, taken, others));
    }
    Ok(text(&taken["id"]))
}

/// Other entities of the same name that are listed.
const OTHERS_SHOWN: usize = 8;

/// Says which of several entities of a name is taken, and by what the others are meant.
fn ambiguous(typed: &str, taken: &Value, others: &[&Value]) -> String {
    let shown = |hit: &&Value| {
        let uid = text(&hit["id"]);
        format!("{} {}", lines::kind(&hit["type"]), uid.get(..UID_CHARS_SHOWN).unwrap_or(&uid))
    };
    let mut rest: Vec<String> = others.iter().take(OTHERS_SHOWN).map(shown).collect();
    if others.len() > rest.len() {
        rest.push(format!("and {} more", others.len() - rest.len()));
    }
    let rest = rest.join(", ");
    format!("{} names several entities; this is {}; name another by its uid: {rest}", plain(typed), shown(&taken))
}

/// Lists, writes, edits or removes notes.
pub(crate) async fn note(sort: Sort, note: &Note, target: &Target, settings: &Settings) -> Result<()> {
    let (api, uid) = find(sort, &note.item, target, settings).await?;
    let path = format!("{ASM}/notes/{}/{uid}", sort.one);
    let mut results = Results::open(None)?;
    if let Some(gone) = note.delete {
        api.delete(&format!("{path}/{gone}")).await?;
        results.line(&format!("note {gone} is removed"))?;
        return results.finish();
    }
    let notes = match &note.text {
        None => api.get(&path).await?.result,
        Some(text) => {
            let body = json!({"note_text": read(text)?});
            let reply = match note.edit {
                Some(edited) => api.ask("PATCH", &format!("{path}/{edited}"), Some(body)).await?,
                None => api.post(&path, body).await?,
            };
            json!([reply.result])
        }
    };
    for row in items(&notes) {
        if note.jsonl {
            results.json(row)?;
        } else {
            let author = shown(row, "created_by_user.printable_name");
            results.line(&format!("{}  {}  {author}", text(&row["uid"]), text(&row["updated_at"])))?;
            for line in text(&row["note"]).lines() {
                results.line(&format!("  {}", plain(line)))?;
            }
        }
    }
    results.finish()
}

fn read(typed: &str) -> Result<String> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let mut text = String::new();
    let read = std::io::stdin().lock().take(NOTE_BYTES_MAX).read_to_string(&mut text);
    read.map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))?;
    Ok(text)
}

/// The issues that were typed, or stand on standard input, each as it was given; with their uids and the way to the
/// API.
pub(crate) async fn issues(
    typed: &[String],
    target: &Target,
    settings: &Settings,
) -> Result<(Api, Vec<String>, Vec<String>)> {
    let mut ids = Vec::new();
    for one in typed {
        if one == "-" {
            ids.extend(read_ids()?);
        } else {
            ids.push(one.clone());
        }
    }
    let Some(first) = ids.first() else {
        return Err(Failure::usage("standard input holds no issue: give one uid or uuid per line"));
    };
    let (api, found) = find(ISSUE, first, target, settings).await?;
    let mut uids = vec![found];
    for id in &ids[1..] {
        uids.push(resolve(&api, ISSUE, id).await?);
    }
    Ok((api, ids, uids))
}

/// The identifiers on standard input, one a line.
fn read_ids() -> Result<Vec<String>> {
    let text = read("-")?;
    Ok(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect())
}

/// Lists, adds or removes tags; prints those that the item then has.
pub(crate) async fn tag(sort: Sort, tag: &Tag, target: &Target, settings: &Settings) -> Result<()> {
    let (api, uid) = find(sort, &tag.item, target, settings).await?;
    let path = format!("{ASM}/tags/{}/{uid}", sort.one);
    if !tag.tags.is_empty() {
        api.post(&path, json!({"tag_names": tag.tags})).await?;
    }
    for gone in &tag.remove {
        api.delete(&format!("{path}/{}", escaped(gone))).await?;
    }
    let mut results = Results::open(None)?;
    results.rows(&api.get(&path).await?.result, false, |name| plain(&text(name)))?;
    results.finish()
}

/// Members that hold only times.
const STAMPS: &[&str] = &["last_seen", "updated_at"];

/// Every version with the members that it changed.
pub(crate) async fn history(sort: Sort, history: &History, target: &Target, settings: &Settings) -> Result<()> {
    let (api, uid) = find(sort, &history.item, target, settings).await?;
    let start = history.start.as_deref().map_or_else(String::new, |start| format!("?start={}", escaped(start)));
    let points = api.get(&format!("{ASM}/time_series/points_in_time/{}/{uid}{start}", sort.many)).await?.result;
    if history.start.is_none() {
        tell_gone(&api, sort, &uid).await?;
    }
    let mut results = Results::open(None)?;
    let mut before: Option<Value> = None;
    for moment in items(&points) {
        let moment = text(moment);
        let path = format!("{ASM}/time_series/point_in_time/{}/{uid}?point_in_time={}", sort.many, escaped(&moment));
        let record = api.get(&path).await?.result[sort.one].take();
        let mut changed = BTreeSet::new();
        if let Some(before) = &before {
            differences(before, &record, "", &mut changed);
            STAMPS.iter().for_each(|stamp| {
                changed.remove(*stamp);
            });
        }
        if history.jsonl {
            results.json(&json!({"record": "version", "at": moment, "changed": changed}))?;
        } else {
            let what = match &before {
                None => "as it was".to_owned(),
                Some(_) => changed.iter().map(|path| told(path, &record)).collect::<Vec<_>>().join(", "),
            };
            results.line(&format!("{moment}  {what}"))?;
        }
        before = Some(record);
    }
    results.finish()
}

/// A member that a version changed. Of `deleted` the name would say the same of what is gone and of what came back.
fn told(path: &str, record: &Value) -> String {
    match (path, record["deleted"].as_bool()) {
        ("deleted", Some(true)) => "gone".to_owned(),
        ("deleted", Some(false)) => "came back".to_owned(),
        _ => plain(path),
    }
}

/// Says where older versions are not kept any more: the moment before the first version is then refused, and else one
/// at which the item had not been seen. Where only versions of others are gone it is refused as well, so the first one
/// that is listed must also have followed another.
pub(crate) async fn tell_gone(api: &Api, sort: Sort, uid: &str) -> Result<()> {
    let points = api.get(&format!("{ASM}/time_series/points_in_time/{}/{uid}", sort.many)).await?.result;
    let Some(first) = points[0].as_str().and_then(Timestamp::parse) else { return Ok(()) };
    let path = |moment: Timestamp| {
        let moment = escaped(&moment.to_string());
        format!("{ASM}/time_series/point_in_time/{}/{uid}?point_in_time={moment}", sort.many)
    };
    match api.get(&path(Timestamp(first.0 - 1))).await {
        Err(refused) if refused.code == USAGE => {
            if !followed_another(&api.get(&path(first)).await?.result[sort.one]) {
                return Ok(());
            }
            hint(&format!("versions older than {first} are deleted: `keep_versions_days` says how long they are kept"));
            Ok(())
        }
        Err(failed) if failed.code != NOT_FOUND => Err(failed),
        _ => Ok(()),
    }
}

/// Whether a version of an item was not its first: that one is opened when the item is stored.
fn followed_another(version: &Value) -> bool {
    version["updated_at"] != version["created_at"]
}

/// Paths of the members that differ; lists are compared whole.
fn differences(before: &Value, after: &Value, path: &str, out: &mut BTreeSet<String>) {
    if before == after {
        return;
    }
    let (Some(left), Some(right)) = (before.as_object(), after.as_object()) else {
        out.insert(path.to_owned());
        return;
    };
    for name in left.keys().chain(right.keys().filter(|name| !left.contains_key(*name))) {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let of = |members: &serde_json::Map<String, Value>| members.get(name).cloned().unwrap_or_default();
        differences(&of(left), &of(right), &path, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_back_is_not_told_as_deleted() {
        assert_eq!(told("deleted", &json!({"deleted": true})), "gone");
        assert_eq!(told("deleted", &json!({"deleted": false})), "came back");
        assert_eq!(told("details.title", &json!({"deleted": false})), "details.title");
    }

    #[test]
    fn the_first_version_followed_no_other() {
        let (first, later) = ("2026-03-01T08:00:00.000Z", "2026-03-02T08:00:00.000Z");
        assert!(!followed_another(&json!({"created_at": first, "updated_at": first})));
        assert!(followed_another(&json!({"created_at": first, "updated_at": later})));
    }

    #[test]
    fn members_that_differ_are_named() {
        let before = json!({"a": 1, "b": {"c": [1], "d": null}, "gone": 1});
        let after = json!({"a": 1, "b": {"c": [1, 2]}, "new": {}});
        let mut out = BTreeSet::new();
        differences(&before, &after, "", &mut out);
        assert_eq!(out.into_iter().collect::<Vec<_>>(), ["b.c", "gone", "new"]);
    }
}
