//! Files that people upload and that runs discover, URLs that people submit, and their analyses (v3-wire §6). The packs that the operator loaded are the
//! engines; without any, an analysis is complete at once and says that nobody had an opinion.

use super::tokens::{self, opened_signed, sealed};
use super::{comments, objects, page};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use crate::form::{Field, fields};
use crate::upload::{hex_of, type_tag};
use ambit_api::objects::{data, object};
use ambit_api::{ApiError, ErrorCode};
use ambit_model::Timestamp;
use ambit_model::id::{BlobHash, blob_hash};
use ambit_model::moment::SECOND_MS;
use ambit_model::object::ObjectType;
use ambit_store::{Analysis, BlobReader, DiscoveredFile, StoreError, StoredFile};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use md5::{Digest, Md5};
use serde_json::{Map, Value, json};
use sha1::Sha1;

const NOUN: &str = "File";
/// What tokens of uploads and downloads are sealed for.
const UPLOAD: &str = "upload";
const DOWNLOAD: &str = "download";
/// How long a signed address works.
const SIGNED_MS: i64 = 3_600 * SECOND_MS;
/// The name of uploads in the usage of the day.
const USAGE: &str = "files";
/// What an engine can say (v3-wire §6).
const CATEGORIES: &str = "malicious suspicious undetected harmless timeout confirmed-timeout failure type-unsupported";
fn not_found(id: &str) -> ApiError {
    ApiError::with(ErrorCode::NotFound, format!("File \"{id}\" not found"))
}

async fn file(call: &Call, hash: &str) -> Result<StoredFile, ApiError> {
    call.state.store.file(hash).await.map_err(|error| match of_store(error, NOUN) {
        error if error.code == ErrorCode::NotFound => not_found(hash),
        error => error,
    })
}

/// A file by any of its hashes, if there is one.
pub(crate) async fn known(call: &Call, hash: &str) -> Result<Option<StoredFile>, ApiError> {
    match call.state.store.file(hash).await {
        Ok(file) => Ok(Some(file)),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(of_store(error, NOUN)),
    }
}

/// True for a file that the caller uploaded when nobody had it (v3-wire A9).
pub(crate) async fn uploaded_as_new(call: &Call, hash: &str) -> Result<bool, ApiError> {
    Ok(known(call, hash).await?.is_some_and(|file| file.uploader == call.caller().user_id()))
}

/// A body that the caller's collections have, by its SHA-256.
async fn discovered(call: &Call, hash: &str) -> Result<Option<DiscoveredFile>, ApiError> {
    match call.state.store.discovered_file(call.caller(), hash).await {
        Ok(file) => Ok(Some(file)),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(of_store(error, NOUN)),
    }
}

/// The SHA-256 of a file that the caller may see.
async fn visible_hash(call: &Call, hash: &str) -> Result<BlobHash, ApiError> {
    if let Some(file) = known(call, hash).await? {
        return Ok(file.sha256);
    }
    let found = discovered(call, hash).await?;
    found.map(|file| file.sha256).ok_or_else(|| not_found(hash))
}

/// A file as an object; `None`: there is none with this hash.
pub(crate) async fn shown_if_known(call: &Call, hash: &str) -> Result<Option<Value>, ApiError> {
    if let Some(file) = known(call, hash).await? {
        return shown(call, &file).await.map(Some);
    }
    match discovered(call, hash).await? {
        Some(file) => shown_discovered(call, &file).await,
        None => Ok(None),
    }
}

/// A body that a run discovered; `None` where its bytes are gone.
async fn shown_discovered(call: &Call, file: &DiscoveredFile) -> Result<Option<Value>, ApiError> {
    let bytes = call.state.store.blob(file.sha256).await.map_err(|error| of_store(error, NOUN))?;
    let Some(bytes) = bytes else { return Ok(None) };
    let mut attributes = Map::from_iter([
        ("sha256".to_owned(), json!(file.sha256.to_string())),
        ("sha1".to_owned(), json!(hex_of(&Sha1::digest(&bytes)))),
        ("md5".to_owned(), json!(hex_of(&Md5::digest(&bytes)))),
        ("size".to_owned(), json!(file.size)),
        ("names".to_owned(), json!(file.names)),
        ("times_submitted".to_owned(), json!(0)),
        ("first_seen_date".to_owned(), page::seconds(file.first_at)),
        ("last_analysis_stats".to_owned(), stats(&Map::new())),
        ("last_analysis_results".to_owned(), json!({})),
        ("reputation".to_owned(), json!(0)),
        ("total_votes".to_owned(), json!({"harmless": 0, "malicious": 0})),
        ("tags".to_owned(), json!([])),
    ]);
    attributes.extend(type_tag(&bytes).map(|tag| ("type_tag".to_owned(), json!(tag))));
    attributes.extend(file.names.first().map(|name| ("meaningful_name".to_owned(), json!(name))));
    Ok(Some(object(&call.base, "files", "file", &file.sha256.to_string(), attributes)))
}

/// A file as an object.
pub(crate) async fn shown(call: &Call, file: &StoredFile) -> Result<Value, ApiError> {
    let last = call.state.store.last_analysis(file.sha256).await.map_err(|error| of_store(error, NOUN))?;
    Ok(shown_with(call, file, last))
}

/// The same with what an analysis said, if there was one.
pub(crate) fn shown_with(call: &Call, file: &StoredFile, last: Option<Analysis>) -> Value {
    let results = last.as_ref().map(|last| last.results.clone()).unwrap_or_default();
    let mut attributes = Map::from_iter([
        ("sha256".to_owned(), json!(file.sha256.to_string())),
        ("sha1".to_owned(), json!(file.sha1)),
        ("md5".to_owned(), json!(file.md5)),
        ("size".to_owned(), json!(file.size)),
        ("names".to_owned(), json!(file.names)),
        ("times_submitted".to_owned(), json!(file.submissions)),
        ("first_submission_date".to_owned(), page::seconds(file.first_at)),
        ("last_submission_date".to_owned(), page::seconds(file.last_at)),
        ("last_analysis_stats".to_owned(), stats(&results)),
        ("last_analysis_results".to_owned(), Value::Object(results)),
        ("reputation".to_owned(), json!(0)),
        ("total_votes".to_owned(), json!({"harmless": 0, "malicious": 0})),
        ("tags".to_owned(), json!([])),
    ]);
    if let Some(last) = last {
        attributes.insert("last_analysis_date".to_owned(), json!(last.second));
    }
    if let Some(tag) = &file.type_tag {
        attributes.insert("type_tag".to_owned(), json!(tag));
    }
    if let Some(name) = file.names.first() {
        attributes.insert("meaningful_name".to_owned(), json!(name));
    }
    object(&call.base, "files", "file", &file.sha256.to_string(), attributes)
}

/// How many engines said what.
fn stats(results: &Map<String, Value>) -> Value {
    let said = |name: &str| results.values().filter(|one| one["category"] == name).count();
    Value::Object(CATEGORIES.split(' ').map(|name| (name.to_owned(), json!(said(name)))).collect())
}

fn form(call: &Call) -> Result<Vec<Field>, ApiError> {
    fields(&call.content_type, &call.body)
}

pub(crate) async fn upload(mut call: Call) -> Result<Answer, ApiError> {
    let file = stored(&mut call, USAGE).await?;
    Ok(Answer::json(&data(analysis_descriptor(&call, &file_analysis_id(&file.md5, call.now)))))
}

/// Stores the file of a form; what it costs is noted under `usage`.
pub(crate) async fn stored(call: &mut Call, usage: &'static str) -> Result<StoredFile, ApiError> {
    let new = call.upload.take().and_then(|upload| upload.file);
    let new = new.ok_or_else(|| ApiError::with(ErrorCode::BadRequest, "The form has no field named file"))?;
    let stored = call.state.store.submit_file(call.caller(), new, usage, call.now).await;
    let (file, new) = stored.map_err(|error| of_store(error, NOUN))?;
    if new {
        call.state.free_counts.count(&call.state.store, call.caller().user_id(), usage, call.now);
    }
    Ok(file)
}

/// Only whoever was given the address may use it; the key says who that is. For anybody else it is no address.
pub(crate) async fn upload_to(call: Call) -> Result<Answer, ApiError> {
    let (_, user) = tokens::opened_of(&call, UPLOAD, call.parameter("token"))?;
    if user != call.caller().user_id() {
        return Err(ApiError::with(ErrorCode::BadRequest, "Invalid token"));
    }
    upload(call).await
}

pub(crate) async fn upload_url(call: Call) -> Result<Answer, ApiError> {
    let token = sealed(&call, UPLOAD, call.caller().username(), SIGNED_MS);
    Ok(Answer::json(&data(json!(format!("{}/files/upload/{token}", call.base)))))
}

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let hash = call.parameter("id");
    let mut found = shown_if_known(&call, hash).await?.ok_or_else(|| not_found(hash))?;
    objects::count_votes(&call, ObjectType::File, &mut found).await?;
    Ok(page::one(&call, found))
}

pub(crate) async fn analyse(call: Call) -> Result<Answer, ApiError> {
    let file = file(&call, call.parameter("id")).await?;
    let asked = call.state.store.analyse_file(file.sha256, call.now).await;
    asked.map_err(|error| of_store(error, NOUN))?;
    Ok(Answer::json(&data(analysis_descriptor(&call, &file_analysis_id(&file.md5, call.now)))))
}

pub(crate) async fn relationship(call: Call) -> Result<Answer, ApiError> {
    related(&call, false).await
}

pub(crate) async fn relationship_described(call: Call) -> Result<Answer, ApiError> {
    related(&call, true).await
}

async fn related(call: &Call, described: bool) -> Result<Answer, ApiError> {
    let file = file(call, call.parameter("id")).await?;
    let mut items = match call.parameter("relationship") {
        "comments" => comments_on(call, &file).await?,
        "submissions" => submissions(call, &file).await?,
        "graphs" => {
            let hashes = vec![file.sha256.to_string(), file.sha1.clone(), file.md5.clone()];
            objects::graphs_that(call, ambit_query::graphs::Leaf::File(hashes)).await?
        }
        _ => Vec::new(),
    };
    if described {
        items.iter_mut().for_each(|item| *item = page::described(item));
    }
    page::of_list(call, items, page::LIMIT_DEFAULT)
}

/// Who submitted it, and when: a source has a name that says nothing but whether two are the same.
async fn submissions(call: &Call, file: &StoredFile) -> Result<Vec<Value>, ApiError> {
    let sha256 = file.sha256.to_string();
    let found = call.state.store.submissions(&sha256).await.map_err(|error| of_store(error, NOUN))?;
    let shown = |one: &ambit_store::Submission| {
        let mut attributes = Map::from_iter([
            ("date".to_owned(), page::seconds(one.at)),
            ("interface".to_owned(), json!("api")),
            ("source_key".to_owned(), json!(one.source)),
        ]);
        if let Some(name) = &one.name {
            attributes.insert("name".to_owned(), json!(name));
        }
        let id = format!("f-{sha256}-{}-{}", one.at.0.div_euclid(SECOND_MS), one.source);
        object(&call.base, "submissions", "submission", &id, attributes)
    };
    Ok(found.iter().map(shown).collect())
}

async fn comments_on(call: &Call, file: &StoredFile) -> Result<Vec<Value>, ApiError> {
    let found = call.state.store.comments_on("file", &file.sha256.to_string()).await;
    let found = found.map_err(|error| of_store(error, "Comment"))?;
    Ok(found.iter().map(|comment| comments::shown(call, comment)).collect())
}

pub(crate) async fn comments(call: Call) -> Result<Answer, ApiError> {
    let file = file(&call, call.parameter("id")).await?;
    let items = comments_on(&call, &file).await?;
    page::of_list(&call, items, page::LIMIT_DEFAULT)
}

pub(crate) async fn add_comment(call: Call) -> Result<Answer, ApiError> {
    let file = file(&call, call.parameter("id")).await?;
    let text = comments::text(&call)?;
    let made = call
        .state
        .store
        .add_comment(call.caller(), "file", &file.sha256.to_string(), &text, call.now)
        .await;
    let made = made.map_err(|error| of_store(error, "Comment"))?;
    Ok(page::one(&call, comments::shown(&call, &made)))
}

/// The bytes of a file; `None`: it is not known.
pub(crate) async fn content(call: &Call, hash: &str) -> Result<Option<Vec<u8>>, ApiError> {
    match known(call, hash).await? {
        Some(file) => call.state.store.blob(file.sha256).await.map_err(|error| of_store(error, NOUN)),
        None => Ok(None),
    }
}

/// The answer that is a file.
pub(crate) async fn bytes(call: &Call, hash: &str) -> Result<Answer, ApiError> {
    let file = known(call, hash).await?.ok_or_else(|| not_found(hash))?;
    blob(call, file.sha256).await
}

async fn blob(call: &Call, sha256: BlobHash) -> Result<Answer, ApiError> {
    let found = call.state.store.read_blob(sha256).await.map_err(|error| of_store(error, NOUN))?;
    let found = found.ok_or_else(|| not_found(&sha256.to_string()))?;
    Ok(streamed("application/octet-stream", found))
}

/// An answer that is read from the store while it is sent.
pub(crate) fn streamed(content_type: &'static str, blob: BlobReader) -> Answer {
    let size = blob.left();
    let pieces = futures::stream::try_unfold(blob, |mut blob| async move {
        let piece = blob.next().await.map_err(|error| {
            tracing::error!(%error, "a stored file could not be read to its end");
            std::io::Error::other(error)
        });
        Ok(piece?.map(|piece| (piece.into(), blob)))
    });
    Answer::stream(content_type, size, Box::pin(pieces))
}

pub(crate) async fn download(call: Call) -> Result<Answer, ApiError> {
    let sha256 = visible_hash(&call, call.parameter("id")).await?;
    blob(&call, sha256).await
}

pub(crate) async fn download_url(call: Call) -> Result<Answer, ApiError> {
    let sha256 = visible_hash(&call, call.parameter("id")).await?;
    let root = call.base.strip_suffix(crate::mount::WIDER).unwrap_or(&call.base);
    let token = sealed(&call, DOWNLOAD, &sha256.to_string(), SIGNED_MS);
    Ok(Answer::json(&data(json!(format!("{root}/downloads/{token}")))))
}

/// The signed address: it is its own permission and costs nothing.
pub(crate) async fn signed(call: Call) -> Result<Answer, ApiError> {
    let hash = opened_signed(&call, DOWNLOAD, call.parameter("token")).await?;
    blob(&call, hash.parse().map_err(|_| not_found(&hash))?).await
}

/// What an analysis is of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// `file` or `url`.
    pub(crate) kind: &'static str,
    /// SHA-256 in hexadecimal.
    pub(crate) id: String,
    /// Seconds since 1970.
    at: i64,
    finished: bool,
    /// By engine.
    results: Map<String, Value>,
}

fn file_analysis_id(md5: &str, now: Timestamp) -> String {
    BASE64_STANDARD.encode(format!("{md5}:{}", now.0.div_euclid(SECOND_MS)))
}

fn analysis_descriptor(call: &Call, id: &str) -> Value {
    let link = format!("{}/analyses/{}", call.base, ambit_api::objects::path_segment(id));
    json!({"type": "analysis", "id": id, "links": {"self": link}})
}

/// Kind, hash and second of an analysis' id: base64 of `md5:second`, `f-sha256-second` or `u-sha256-second`.
fn parse_analysis(id: &str) -> Option<(&'static str, String, i64)> {
    let hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some((kind, rest)) = id.split_once('-') {
        let kind = match kind {
            "f" => "file",
            "u" => "url",
            _ => return None,
        };
        let (hash, at) = rest.split_once('-')?;
        return (hash.len() == 64 && hexadecimal(hash)).then_some((kind, hash.to_owned(), at.parse().ok()?));
    }
    let text = String::from_utf8(BASE64_STANDARD.decode(id).ok()?).ok()?;
    let (md5, at) = text.split_once(':')?;
    (md5.len() == 32 && hexadecimal(md5)).then_some(("file", md5.to_owned(), at.parse().ok()?))
}

/// What the analysis of the path is of; `None`: there is no such analysis.
pub(crate) async fn item_of_analysis(call: &Call) -> Result<Option<Item>, ApiError> {
    let Some((kind, hash, at)) = parse_analysis(call.parameter("id")) else {
        return Ok(None);
    };
    if kind == "file" {
        let Some(file) = known(call, &hash).await? else { return Ok(None) };
        let analysis = match call.state.store.find_analysis(file.sha256, at).await {
            Ok(analysis) => analysis,
            Err(StoreError::NotFound) => return Ok(None),
            Err(error) => return Err(of_store(error, "Analysis")),
        };
        return Ok(Some(Item {
            kind,
            id: file.sha256.to_string(),
            at,
            finished: analysis.finished,
            results: analysis.results,
        }));
    }
    match call.state.store.submitted_url(&hash).await {
        Ok(url) => Ok(Some(Item {
            kind,
            id: url.sha256,
            at,
            finished: true,
            results: Map::new(),
        })),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(of_store(error, "Analysis")),
    }
}

async fn required_item(call: &Call) -> Result<Item, ApiError> {
    let id = call.parameter("id");
    let missing = || ApiError::with(ErrorCode::NotFound, format!("Analysis \"{id}\" not found"));
    item_of_analysis(call).await?.ok_or_else(missing)
}

pub(crate) async fn analysis(call: Call) -> Result<Answer, ApiError> {
    let item = required_item(&call).await?;
    let attributes = Map::from_iter([
        ("date".to_owned(), json!(item.at)),
        ("status".to_owned(), json!(if item.finished { "completed" } else { "queued" })),
        ("stats".to_owned(), stats(&item.results)),
        ("results".to_owned(), Value::Object(item.results)),
    ]);
    let id = call.parameter("id");
    let mut found = object(&call.base, "analyses", "analysis", id, attributes);
    let own = found["links"]["self"].as_str().unwrap_or_default().to_owned();
    found["links"]["item"] = json!(format!("{own}/item"));
    Ok(page::one(&call, found))
}

pub(crate) async fn analysed_item(call: Call) -> Result<Answer, ApiError> {
    let item = required_item(&call).await?;
    let found = objects::shown_or_missing(&call, item.kind, &item.id).await?;
    Ok(page::one(&call, found))
}

/// Submitting a URL remembers it. Nothing is sent to it: looking is for runs, within their scope.
pub(crate) async fn submit_url(call: Call) -> Result<Answer, ApiError> {
    let field = form(&call)?.into_iter().find(|field| field.name == "url");
    let url = field.and_then(|field| String::from_utf8(field.bytes.into()).ok());
    let url = url.ok_or_else(|| ApiError::with(ErrorCode::BadRequest, "The form has no field named url"))?;
    let url = submitted(&url).ok_or_else(|| ApiError::invalid(format!("Unable to canonicalize url: {url:?}")))?;
    let sha256 = submit(&call, &url).await?;
    let id = format!("u-{sha256}-{}", call.now.0.div_euclid(SECOND_MS));
    Ok(Answer::json(&data(analysis_descriptor(&call, &id))))
}

/// Remembers a URL in its canonical form; gives its SHA-256.
pub(crate) async fn submit(call: &Call, url: &str) -> Result<String, ApiError> {
    let sha256 = blob_hash(url.as_bytes()).to_string();
    let stored = call.state.store.submit_url(call.caller(), url, &sha256, call.now).await;
    stored.map_err(|error| of_store(error, "URL"))?;
    Ok(sha256)
}

/// A URL as it is submitted: with a scheme, a host in lower case, and a path.
pub(crate) fn submitted(text: &str) -> Option<String> {
    /// Characters of a URL.
    const URL_CHARS_MAX: usize = 8 * 1024;
    let text = text.trim();
    let fine = !text.is_empty() && text.len() <= URL_CHARS_MAX && !text.contains(|c: char| c.is_whitespace() || c.is_control());
    let text = text.split('#').next().filter(|_| fine)?;
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let scheme = scheme.to_ascii_lowercase();
    if !["http", "https"].contains(&scheme.as_str()) {
        return None;
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let named = host.chars().all(|c| c.is_alphanumeric() || ".-_:[]@".contains(c));
    if !named || !host.contains(['.', ':']) {
        return None;
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some(format!("{scheme}://{}{slash}{path}", host.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analyses_are_named_in_three_ways() {
        let (md5, sha256) = ("9e107d9d372bb6826bd81d3542a419d6", "a".repeat(64));
        let id = file_analysis_id(md5, Timestamp(1_475_048_277_000));
        assert_eq!(parse_analysis(&id), Some(("file", md5.to_owned(), 1_475_048_277)));
        assert_eq!(parse_analysis(&format!("u-{sha256}-7")), Some(("url", sha256.clone(), 7)));
        assert_eq!(parse_analysis(&format!("f-{sha256}-7")), Some(("file", sha256, 7)));
        for id in ["nonsense", "x-1-2", "f-abc-1", "", "Zm9v"] {
            assert_eq!(parse_analysis(id), None, "{id}");
        }
    }

    #[test]
    fn urls_have_a_scheme_a_host_and_a_path() {
        assert_eq!(submitted("WWW.Acme.test").as_deref(), Some("http://www.acme.test/"));
        assert_eq!(submitted("https://A.test?x=1#y").as_deref(), Some("https://a.test/?x=1"));
        for bad in ["", "javascript:alert(1)", "ftp://a.test", "http://", "a b.test"] {
            assert_eq!(submitted(bad), None, "{bad}");
        }
    }
}
