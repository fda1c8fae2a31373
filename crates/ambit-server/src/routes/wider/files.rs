//! Files that people upload and that runs discover, URLs that people submit, and their analyses (docs/contract/wider.md
//! §3). The packs that the operator loaded are the engines; without any, an analysis is complete at once and says that
//! nobody had an opinion.

use crate::call::{Asking, Call, CallWith};
use crate::failure::{About, not_found};
use crate::form::{Field, fields};
use crate::page::{self, Attributes, One, Page};
use crate::present::analyses::{Item, begun, file_analysis_id, item_of_analysis, url_analysis_id};
use crate::present::files::{NOUN, blob, hashes, sha256_of, shown_if_known};
use crate::present::{comments, objects, relationships};
use crate::signature::File;
use crate::submissions::{Uploaded, stored, stored_at, submit};
use crate::tokens::{self, opened_signed, sealed};
use ambit_api::files::{AnalysisAnswer, AnalysisAttributes, Stats};
use ambit_api::objects::{Form, NewObject, Object, ObjectCollection, OneObject, Said, Seconds, data};
use ambit_api::{ApiError, Maybe, Result};
use ambit_model::canonical_url::canonical_url;
use ambit_model::id::BlobHash;
use ambit_model::moment::HOUR_MS;
use ambit_model::object::ObjectType;
use ambit_store::{StoredFile, Visibility};

/// What tokens of uploads and downloads are sealed for.
const UPLOAD: &str = "upload";
const DOWNLOAD: &str = "download";
/// How long a signed address works.
const SIGNED_MS: i64 = HOUR_MS;
/// What sandboxes saw, in one object. No sandbox runs files here, so that no file has one.
const BEHAVIOUR_SUMMARY: &str = "behaviour_summary";
/// The name of uploads in the usage of the day.
const USAGE: &str = "files";

async fn file(call: &Call, hash: &str) -> Result<StoredFile> {
    call.store().file(call.caller(), hash).await.about_named(NOUN, hash)
}

/// The SHA-256 of a file that the caller may see.
async fn visible_hash(call: &Call, hash: &str) -> Result<BlobHash> {
    sha256_of(call, hash).await?.ok_or_else(|| not_found(NOUN, hash))
}

fn form(call: &Call) -> Result<Vec<Field>> {
    fields(&call.content_type, &call.body)
}

/// Upload a file, in the field file of a form.
pub(crate) async fn upload(mut call: CallWith<Maybe<Form>, Uploaded>) -> Result<OneObject> {
    let file = stored(&mut call, USAGE).await?;
    Ok(begun(&call, &file_analysis_id(&file.md5, call.now)))
}

/// Upload a file to an address that was made for it.
///
/// Only whoever was given the address may use it; the key says who that is. For anybody else it is no address. It works
/// once: a file that was taken uses it up.
pub(crate) async fn upload_to(mut call: CallWith<Maybe<Form>, Uploaded>) -> Result<OneObject> {
    let token = call.parameter("token").to_owned();
    let (_, user) = tokens::opened_of(&call, UPLOAD, &token)?;
    if user != call.caller().user_id() {
        return Err(ApiError::bad("Invalid token"));
    }
    // It ends by then, whenever it was made.
    let until = call.now.plus_ms(SIGNED_MS);
    let file = stored_at(&mut call, Some((&token, until)), USAGE).await?;
    Ok(begun(&call, &file_analysis_id(&file.md5, call.now)))
}

/// Create an address to upload a file to.
pub(crate) async fn upload_url(call: Call) -> Result<Said> {
    let token = sealed(&call, UPLOAD, call.caller().username(), SIGNED_MS);
    Ok(data(format!("{}/files/upload/{token}", call.base)))
}

/// Read a file by SHA-256, SHA-1 or MD5.
pub(crate) async fn find(call: Asking<One>) -> Result<OneObject> {
    let hash = call.id();
    let mut found = shown_if_known(&call, hash).await?.ok_or_else(|| not_found(NOUN, hash))?;
    relationships::complete(&call, &mut found).await?;
    Ok(page::one(&call, found))
}

/// Analyse a file again.
pub(crate) async fn analyse(call: Call) -> Result<OneObject> {
    let file = file(&call, call.id()).await?;
    call.store().analyse_file(file.sha256, call.now).await.about(NOUN)?;
    Ok(begun(&call, &file_analysis_id(&file.md5, call.now)))
}

/// List what a file is related to, in full or as descriptors.
pub(crate) async fn relationship(call: Asking<Page>, described: bool) -> Result<ObjectCollection> {
    let call = &call;
    let hashes = hashes(call, call.id()).await?;
    if call.parameter("relationship") == BEHAVIOUR_SUMMARY {
        return Err(not_found("Behaviour summary", call.id()));
    }
    let items = relationships::of_file(call, &hashes, call.parameter("relationship")).await?;
    page::of_list_as(call, items, described)
}

/// List the comments on a file, newest first.
pub(crate) async fn comments(call: Asking<Page>) -> Result<ObjectCollection> {
    let item = objects::item(&call, ObjectType::File).await?;
    let items = comments::on(&call, "file", &item).await?;
    page::of_list(&call, items, page::LIMIT_DEFAULT)
}

/// Comment on a file.
pub(crate) async fn add_comment(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let item = objects::item(&call, ObjectType::File).await?;
    let text = comments::text(&call)?;
    let made = call.store().add_comment(call.caller(), "file", &item, &text).await.about("Comment")?;
    Ok(page::one(&call, comments::shown(&call, &made)))
}

/// Download a file.
pub(crate) async fn download(call: Call) -> Result<File> {
    let sha256 = visible_hash(&call, call.id()).await?;
    blob(&call, sha256).await
}

/// Create an address to download a file from, for an hour.
pub(crate) async fn download_url(call: Call) -> Result<Said> {
    let sha256 = visible_hash(&call, call.id()).await?;
    let token = sealed(&call, DOWNLOAD, &sha256.to_string(), SIGNED_MS);
    Ok(data(format!("{}/downloads/{token}", call.root())))
}

/// Download a file by the signed address of /files/{id}/download_url.
///
/// The signed address: it is its own permission and costs nothing.
pub(crate) async fn signed(call: Call) -> Result<File> {
    let hash = opened_signed(&call, DOWNLOAD, call.parameter("token")).await?;
    blob(&call, hash.parse().map_err(|_| not_found(NOUN, &hash))?).await
}

async fn required_item(call: &Call) -> Result<Item> {
    let id = call.id();
    item_of_analysis(call).await?.ok_or_else(|| not_found("Analysis", id))
}

/// Read an analysis; the same as /analyses/{id}.
pub(crate) async fn analysis(call: Asking<Attributes>) -> Result<AnalysisAnswer> {
    let item = required_item(&call).await?;
    let attributes = AnalysisAttributes {
        date: Seconds(item.at),
        status: if item.finished { "completed" } else { "queued" },
        stats: Stats::of(&item.results),
        results: item.results,
    };
    let mut found = Object::new(&call.base, "analyses", "analysis", call.id(), &attributes);
    let item_address = format!("{}/{}s/{}", call.base, item.kind, item.id);
    found.links.get_or_insert_default().item = Some(item_address);
    Ok(AnalysisAnswer { data: page::narrowed(&call, found), meta: item.meta })
}

/// Read the file or URL of an analysis.
pub(crate) async fn analysed_item(call: Asking<Attributes>) -> Result<OneObject> {
    let item = required_item(&call).await?;
    let found = objects::shown_or_missing(&call, item.kind, &item.id).await?;
    Ok(page::one(&call, found))
}

/// Submit a URL, in the field url of a form. It is remembered; nothing is sent to it.
///
/// Looking at it is for runs, within their scope.
pub(crate) async fn submit_url(call: CallWith<Maybe<Form>>) -> Result<OneObject> {
    let field = form(&call)?.into_iter().find(|field| field.name == "url");
    let url = field.and_then(|field| String::from_utf8(field.bytes.into()).ok());
    let url = url.ok_or_else(|| ApiError::bad("The form has no field named url"))?;
    let url = canonical_url(&url).ok_or_else(|| ApiError::invalid(format!("Unable to canonicalize url: {url:?}")))?;
    let sha256 = submit(&call, &url).await?;
    Ok(begun(&call, &url_analysis_id(&sha256, call.now)))
}

/// Analyse a URL again. It is remembered; nothing is sent to it.
///
/// A URL that somebody submitted counts as submitted again. Of one that only the inventory knows nobody but the people
/// of the caller's project learn.
pub(crate) async fn analyse_url(call: Call) -> Result<OneObject> {
    let found = objects::known(&call, ObjectType::Url, call.id()).await?;
    let url = found.ok_or_else(|| not_found("URL", call.id()))?;
    match &url.submitted {
        Some(submitted) => submit(&call, &submitted.url).await.map(|_| ())?,
        None => {
            let project = call.project.or(call.caller().primary()).ok_or_else(|| not_found("URL", call.id()))?;
            let visibility = Visibility::Project(project);
            call.store().ask_analysis(call.caller(), &url.id, visibility).await.about("URL")?;
        }
    }
    Ok(begun(&call, &url_analysis_id(&url.id, call.now)))
}
