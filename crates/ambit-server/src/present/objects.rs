//! Domains, addresses and URLs as the caller's projects know them, and files beside them: found by type and name, shown
//! as objects.

use super::{certificates, facts, files, judged, votes};
use crate::call::Call;
use crate::failure::About;
use ambit_api::inventory_objects::{InventoryObjectAttributes, SubmittedUrlAttributes, UnseenAddressAttributes};
use ambit_api::objects::{Object, Seconds};
use ambit_api::{ApiError, ErrorCode, Maybe, Result};
use ambit_model::canonical_url::{canonical_url, url_id};
use ambit_model::entity::registrable;
use ambit_model::id::blob_hash;
use ambit_model::object::ObjectType;
use ambit_store::{KnownObject, SubmittedUrl};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use std::collections::BTreeMap;
use std::net::IpAddr;

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

/// The name that an id stands for: URLs are named by their base64, in either alphabet.
fn name_of(kind: ObjectType, id: &str) -> Option<String> {
    if kind != ObjectType::Url || id.contains("://") {
        return Some(id.to_owned());
    }
    let id = id.trim_end_matches('=').replace('+', "-").replace('/', "_");
    String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(id).ok()?).ok()
}

/// What two ids of one object have in common.
pub(crate) fn key(kind: &str, id: &str) -> String {
    match ObjectType::from_name(kind) {
        Some(kind @ ObjectType::Url) => {
            let named = name_of(kind, id).and_then(|name| canonical_url(&name));
            named.map_or_else(|| id.to_ascii_lowercase(), |url| url_id(&url))
        }
        Some(ObjectType::IpAddress) => {
            id.parse::<IpAddr>().map_or_else(|_| id.to_owned(), |address| address.to_canonical().to_string())
        }
        Some(ObjectType::Domain) => id.trim_end_matches('.').to_lowercase(),
        Some(ObjectType::File) | None => id.to_ascii_lowercase(),
    }
}

/// What the caller may know of an object: what the collections of the caller's projects say and, of a URL, that
/// somebody submitted it.
pub(crate) struct Known {
    pub(crate) id: String,
    pub(crate) inventory: Vec<KnownObject>,
    pub(crate) submitted: Option<SubmittedUrl>,
}

impl Known {
    /// The ids under which people's words on it are kept. A URL of the inventory was once named by the hash of its
    /// name there.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut ids = vec![self.id.clone()];
        for one in self.inventory.iter().filter(|one| ObjectType::Url.kinds().contains(&one.record.kind)) {
            ids.push(blob_hash(one.record.name.as_bytes()).to_string());
        }
        ids.sort();
        ids.dedup();
        ids
    }

    /// What names it: as the inventory does, or as it was submitted.
    pub(crate) fn text(&self) -> Option<&str> {
        let submitted = self.submitted.as_ref().map(|url| url.url.as_str());
        self.inventory.first().map(|one| one.record.name.as_str()).or(submitted)
    }

    /// The names that nodes of graphs may have for a URL: its forms, their hashes, and their base64.
    pub(crate) fn spellings(&self) -> Vec<String> {
        let mut forms: Vec<String> = self.inventory.iter().map(|one| one.record.name.clone()).collect();
        forms.extend(self.submitted.iter().map(|url| url.url.clone()));
        forms.extend(self.inventory.iter().filter_map(|one| canonical_url(&one.record.name)));
        let encoded: Vec<String> = forms.iter().map(|form| BASE64_URL_SAFE_NO_PAD.encode(form)).collect();
        forms.extend(encoded);
        forms.extend(self.ids());
        forms
    }
}

/// Returns what the caller may know of an object by its id; `None`: nothing. A URL is named by the SHA-256 of its
/// canonical form, by the base64 of any of its forms, or by itself.
pub(crate) async fn known(call: &Call, kind: ObjectType, id: &str) -> Result<Option<Known>> {
    let found = match kind {
        ObjectType::Url => known_url(call, id).await?,
        _ => {
            let inventory = call.store().known_objects(call.caller(), &kind.names(id)).await.about("Object")?;
            Known { id: id.to_owned(), inventory, submitted: None }
        }
    };
    Ok(Some(found).filter(|found| !found.inventory.is_empty() || found.submitted.is_some()))
}

async fn known_url(call: &Call, id: &str) -> Result<Known> {
    let store = call.store();
    let is_hash = id.len() == SHA256_CHARS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (id, names) = if is_hash {
        let wanted = id.to_ascii_lowercase();
        let names = store.names_of_kinds(call.caller(), ObjectType::Url.kinds()).await.about("Object")?;
        let is_it = |name: &str| url_id(name) == wanted || blob_hash(name.as_bytes()).to_string() == wanted;
        let names: Vec<_> = names.into_iter().filter(|(_, name)| is_it(name)).collect();
        (names.first().map_or(wanted, |(_, name)| url_id(name)), names)
    } else {
        let text = name_of(ObjectType::Url, id).unwrap_or_default();
        let canonical = canonical_url(&text).unwrap_or(text);
        (url_id(&canonical), ObjectType::Url.names(&canonical))
    };
    let inventory = store.known_objects(call.caller(), &names).await.about("Object")?;
    let submitted = store.submitted_url(&id).await.if_found()?;
    Ok(Known { id, inventory, submitted })
}

/// True for an object that the caller's projects know.
pub(crate) async fn is_known(call: &Call, kind: &str, id: &str) -> Result<bool> {
    match ObjectType::from_name(kind) {
        Some(ObjectType::File) => Ok(files::shown_if_known(call, id).await?.is_some()),
        Some(kind) => Ok(known(call, kind, id).await?.is_some()),
        None => Ok(false),
    }
}

/// The id of an object by its name.
pub(crate) fn id_of(kind: ObjectType, name: &str) -> String {
    match kind {
        ObjectType::Url => url_id(name),
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
    let canonical = || canonical_url(name).unwrap_or_else(|| name.clone());
    let url = || Maybe((kind == ObjectType::Url).then(canonical));
    let sorted = matches!(kind, ObjectType::Domain | ObjectType::Url);
    let mut attributes = InventoryObjectAttributes {
        tags,
        categories: Maybe(sorted.then(BTreeMap::new)),
        first_seen_date: first.into(),
        last_modification_date: last.into(),
        url: url(),
        last_final_url: url(),
        ..InventoryObjectAttributes::default()
    };
    facts::fill(&mut attributes, kind, found);
    judged::fill(&mut attributes, found);
    Some(Object::new(&call.base, kind.collection(), kind.name(), &id_of(kind, name), &attributes))
}

/// An address of which nothing is known; `None` for what is no address.
pub(crate) fn unseen_address(call: &Call, id: &str) -> Option<Object> {
    let address: IpAddr = id.parse().ok()?;
    let (kind, id) = (ObjectType::IpAddress, address.to_canonical().to_string());
    Some(Object::new(&call.base, kind.collection(), kind.name(), &id, &UnseenAddressAttributes::default()))
}

/// The address of the path, of which nothing is known. Fails where something else is asked for: a name, a URL or a hash
/// that nobody knows may be none at all.
pub(crate) fn required_unseen(call: &Call, kind: ObjectType) -> Result<Object> {
    let found = match kind {
        ObjectType::IpAddress => unseen_address(call, call.id()),
        ObjectType::Domain | ObjectType::File | ObjectType::Url => None,
    };
    found.ok_or_else(|| not_found(kind, call.id()))
}

/// An object by its type and id; `None`: nobody whom the caller may ask knows it.
pub(crate) async fn find(call: &Call, kind: ObjectType, id: &str) -> Result<Option<Object>> {
    if kind == ObjectType::File {
        return files::shown_if_known(call, id).await;
    }
    Ok(known(call, kind, id).await?.and_then(|known| of_known(call, kind, &known)))
}

/// What is known of an object, as the object.
pub(crate) fn of_known(call: &Call, kind: ObjectType, known: &Known) -> Option<Object> {
    let (found, submitted) = (shown(call, kind, &known.inventory), known.submitted.as_ref());
    match (found, submitted) {
        (None, submitted) => submitted.map(|url| as_submitted(call, url)),
        (Some(mut found), Some(url)) => {
            found.set("first_submission_date", &Seconds::from(url.first_at));
            found.set("last_submission_date", &Seconds::from(url.last_at));
            found.set("times_submitted", &url.submissions);
            Some(found)
        }
        (found, None) => found,
    }
}

/// Adds the certificate that was served last on a name or an address.
pub(crate) async fn add_certificate(call: &Call, known: &Known, found: &mut Object) -> Result<()> {
    if let Some(last) = certificates::last_served(call, &known.inventory).await? {
        found.set("last_https_certificate", &certificates::attributes(&last, false));
        found.set("last_https_certificate_date", &Seconds::from(last.last_seen));
    }
    Ok(())
}

/// Adds the hash and the size of what a URL answered last, by which its bytes are a file.
pub(crate) async fn add_content(call: &Call, known: &Known, found: &mut Object) -> Result<()> {
    let Some(newest) = known.inventory.iter().max_by_key(|one| one.last_seen) else { return Ok(()) };
    if let Some((sha256, size)) = call.store().page_body(newest.uid).await.about("Object")? {
        found.set("last_http_response_content_sha256", &sha256.to_string());
        found.set("last_http_response_content_length", &size);
    }
    Ok(())
}

/// Adds what registries say of the domain that a name belongs to: of the name itself they say nothing.
pub(crate) async fn add_registration(call: &Call, known: &Known, found: &mut Object) -> Result<()> {
    let own = known.text().unwrap_or_default();
    let Some(domain) = registrable(own).filter(|domain| *domain != own) else { return Ok(()) };
    let names = ObjectType::Domain.names(domain);
    let domain = call.store().known_objects(call.caller(), &names).await.about("Object")?;
    let mut said = InventoryObjectAttributes::default();
    facts::fill(&mut said, ObjectType::Domain, &domain);
    let texts = [("whois", said.whois.0), ("registrar", said.registrar.0)];
    for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text?))) {
        found.set(name, &text);
    }
    let dates = [("creation_date", said.creation_date.0), ("expiration_date", said.expiration_date.0)];
    for (name, date) in dates.into_iter().filter_map(|(name, date)| Some((name, date?))) {
        found.set(name, &date);
    }
    Ok(())
}

/// An object by the type and id of a node; one that is not known says so in the collection (docs/contract/wider.md
/// §1.3).
pub(crate) async fn shown_or_missing(call: &Call, kind: &str, id: &str) -> Result<Object> {
    let found = match ObjectType::from_name(kind) {
        Some(kind) => find(call, kind, id).await?,
        None => None,
    };
    Ok(found.unwrap_or_else(|| Object::missing(kind, id)))
}

/// Adds up the votes on an object.
pub(crate) async fn count_votes(call: &Call, kind: ObjectType, found: &mut Object) -> Result<()> {
    let ids = [found.id.clone()];
    count_votes_of(call, kind, &ids, found).await
}

/// Adds up the votes on an object that is or was known by these ids.
pub(crate) async fn count_votes_of(call: &Call, kind: ObjectType, ids: &[String], found: &mut Object) -> Result<()> {
    let total = votes::total(call, kind, ids).await?;
    found.set("total_votes", &total);
    Ok(())
}

/// A URL that somebody submitted, by its id.
pub(crate) async fn submitted_url(call: &Call, id: &str) -> Result<Option<Object>> {
    Ok(call.store().submitted_url(id).await.if_found()?.map(|found| as_submitted(call, &found)))
}

fn as_submitted(call: &Call, found: &SubmittedUrl) -> Object {
    let attributes = SubmittedUrlAttributes {
        last_final_url: found.url.clone(),
        url: found.url.clone(),
        first_submission_date: found.first_at.into(),
        last_submission_date: found.last_at.into(),
        times_submitted: found.submissions,
        ..SubmittedUrlAttributes::default()
    };
    Object::new(&call.base, "urls", "url", &found.sha256, &attributes)
}

/// Returns the id of the object of the path, under which votes on it are kept; 404 where nobody whom the caller may ask
/// knows it.
pub(crate) async fn item(call: &Call, kind: ObjectType) -> Result<String> {
    let found = find(call, kind, call.id()).await?;
    found.map(|found| found.id).ok_or_else(|| not_found(kind, call.id()))
}

/// The object with a name, of whatever type.
pub(crate) async fn named(call: &Call, text: &str) -> Result<Option<(ObjectType, Object)>> {
    if text.is_empty() || text.contains(char::is_whitespace) {
        return Ok(None);
    }
    for kind in [ObjectType::File, ObjectType::Url, ObjectType::IpAddress, ObjectType::Domain] {
        let may_be = match kind {
            ObjectType::Url => text.contains("://"),
            ObjectType::Domain => text.contains('.'),
            ObjectType::File | ObjectType::IpAddress => true,
        };
        if may_be && let Some(found) = find(call, kind, text).await? {
            return Ok(Some((kind, found)));
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
