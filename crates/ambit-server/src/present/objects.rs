//! Domains, addresses and URLs as the caller's projects know them, and files beside them: found by type and name, shown
//! as objects.

use super::{files, votes};
use crate::call::Call;
use crate::failure::About;
use crate::submissions::submitted;
use ambit_api::inventory_objects::{InventoryObjectAttributes, SubmittedUrlAttributes};
use ambit_api::objects::Object;
use ambit_api::{ApiError, ErrorCode, Maybe};
use ambit_model::id::blob_hash;
use ambit_model::object::ObjectType;
use ambit_store::KnownObject;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// Types of node that are objects.
pub(crate) const KINDS: [&str; 4] = ["file", "url", "domain", "ip_address"];
/// Characters of a hexadecimal SHA-256.
const SHA256_CHARS: usize = 64;

pub(crate) fn not_found(kind: ObjectType, id: &str) -> ApiError {
    let name = match kind {
        ObjectType::Domain => "Domain",
        ObjectType::File => "File",
        ObjectType::IpAddress => "IP address",
        ObjectType::Url => "URL",
    };
    ApiError::with(ErrorCode::NotFound, format!("{name} \"{id}\" not found"))
}

/// The name that an id stands for: URLs are named by their base64.
fn name_of(kind: ObjectType, id: &str) -> Option<String> {
    if kind != ObjectType::Url || id.contains("://") {
        return Some(id.to_owned());
    }
    String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(id.trim_end_matches('=')).ok()?).ok()
}

/// The names under which a URL may be known: itself, and the SHA-256 of its canonical form.
pub(crate) fn url_names(text: &str) -> Vec<String> {
    if !text.contains("://") {
        return Vec::new();
    }
    let submitted = submitted(text).map(|url| blob_hash(url.as_bytes()).to_string());
    [Some(text.to_owned()), submitted].into_iter().flatten().collect()
}

/// What the caller's collections know of an object; empty: nothing.
pub(crate) async fn known(call: &Call, kind: ObjectType, id: &str) -> Result<Vec<KnownObject>, ApiError> {
    let store = call.store();
    let hash = kind == ObjectType::Url && id.len() == SHA256_CHARS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hash {
        let wanted = id.to_ascii_lowercase();
        let names = store.names_of_kinds(call.caller(), kind.kinds()).await.about("Object")?;
        let found = names.into_iter().find(|(_, name)| blob_hash(name.as_bytes()).to_string() == wanted);
        let names: Vec<_> = found.into_iter().collect();
        return store.known_objects(call.caller(), &names).await.about("Object");
    }
    let names = name_of(kind, id).map(|name| kind.names(&name)).unwrap_or_default();
    store.known_objects(call.caller(), &names).await.about("Object")
}

/// True for an object that the caller's projects know.
pub(crate) async fn is_known(call: &Call, kind: &str, id: &str) -> Result<bool, ApiError> {
    match ObjectType::from_name(kind) {
        Some(ObjectType::File) => Ok(files::shown_if_known(call, id).await?.is_some()),
        Some(kind) => Ok(!known(call, kind, id).await?.is_empty()),
        None => Ok(false),
    }
}

/// The id of an object by its name.
pub(crate) fn id_of(kind: ObjectType, name: &str) -> String {
    match kind {
        ObjectType::Url => blob_hash(name.as_bytes()).to_string(),
        ObjectType::Domain | ObjectType::File | ObjectType::IpAddress => name.to_owned(),
    }
}

/// One object from what all collections know of it: the first sight, the last, the tags of all.
pub(crate) fn shown(call: &Call, kind: ObjectType, found: &[KnownObject]) -> Option<Object> {
    let name = &found.first()?.record.name;
    let first = found.iter().map(|one| one.first_seen).min()?;
    let last = found.iter().map(|one| one.last_seen).max()?;
    let mut tags: Vec<String> = found.iter().flat_map(|one| one.record.tags.clone()).collect();
    tags.sort();
    tags.dedup();
    let url = || Maybe((kind == ObjectType::Url).then(|| name.clone()));
    let attributes = InventoryObjectAttributes {
        tags,
        first_seen_date: first.into(),
        last_modification_date: last.into(),
        url: url(),
        last_final_url: url(),
        ..InventoryObjectAttributes::default()
    };
    Some(Object::new(&call.base, kind.collection(), kind.name(), &id_of(kind, name), &attributes))
}

/// An object by its type and id; `None`: nobody whom the caller may ask knows it.
pub(crate) async fn find(call: &Call, kind: ObjectType, id: &str) -> Result<Option<Object>, ApiError> {
    if kind == ObjectType::File {
        return files::shown_if_known(call, id).await;
    }
    match shown(call, kind, &known(call, kind, id).await?) {
        None if kind == ObjectType::Url => submitted_url(call, id).await,
        found => Ok(found),
    }
}

/// An object by the type and id of a node; one that is not known says so in the collection (docs/contract/wider.md
/// §1.3).
pub(crate) async fn shown_or_missing(call: &Call, kind: &str, id: &str) -> Result<Object, ApiError> {
    let found = match ObjectType::from_name(kind) {
        Some(kind) => find(call, kind, id).await?,
        None => None,
    };
    Ok(found.unwrap_or_else(|| Object::missing(kind, id)))
}

/// Adds up the votes on an object.
pub(crate) async fn count_votes(call: &Call, kind: ObjectType, found: &mut Object) -> Result<(), ApiError> {
    let total = votes::total(call, kind.name(), &found.id).await?;
    found.set("total_votes", &total);
    Ok(())
}

/// A URL that somebody submitted, by its SHA-256 or base64.
pub(crate) async fn submitted_url(call: &Call, id: &str) -> Result<Option<Object>, ApiError> {
    let hash = match name_of(ObjectType::Url, id) {
        Some(name) if id.len() != SHA256_CHARS => blob_hash(name.as_bytes()).to_string(),
        _ => id.to_owned(),
    };
    let Some(found) = call.store().submitted_url(&hash).await.if_found()? else {
        return Ok(None);
    };
    let attributes = SubmittedUrlAttributes {
        last_final_url: found.url.clone(),
        url: found.url,
        first_submission_date: found.first_at.into(),
        last_submission_date: found.last_at.into(),
        times_submitted: found.submissions,
        ..SubmittedUrlAttributes::default()
    };
    Ok(Some(Object::new(&call.base, "urls", "url", &found.sha256, &attributes)))
}

/// Returns the id of the object of the path, under which votes on it are kept; 404 where nobody whom the caller may ask
/// knows it.
pub(crate) async fn item(call: &Call, kind: ObjectType) -> Result<String, ApiError> {
    let found = find(call, kind, call.id()).await?;
    found.map(|found| found.id).ok_or_else(|| not_found(kind, call.id()))
}

/// The object with a name, of whatever type.
pub(crate) async fn named(call: &Call, text: &str) -> Result<Option<(ObjectType, Object)>, ApiError> {
    if text.is_empty() || text.contains(char::is_whitespace) {
        return Ok(None);
    }
    for kind in [ObjectType::File, ObjectType::Url, ObjectType::IpAddress, ObjectType::Domain] {
        let names = match kind {
            ObjectType::Url => url_names(text),
            ObjectType::Domain if !text.contains('.') => Vec::new(),
            _ => vec![text.to_owned()],
        };
        for name in names {
            if let Some(found) = find(call, kind, &name).await? {
                return Ok(Some((kind, found)));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_named_by_their_base64() {
        let url = "https://www.acme.test:443";
        let id = BASE64_URL_SAFE_NO_PAD.encode(url);
        assert_eq!(name_of(ObjectType::Url, &id).as_deref(), Some(url));
        assert_eq!(name_of(ObjectType::Domain, "acme.test").as_deref(), Some("acme.test"));
        assert_eq!(name_of(ObjectType::Url, "***"), None);
    }
}
