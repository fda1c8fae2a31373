//! Pages of collections: limits, cursors and links (docs/contract/wider.md §1.4). A cursor is opaque, sealed, and bound
//! to the path and query it was made for.

use crate::call::Call;
use crate::query::{Written, query};
use ambit_api::objects::{
    Links, Meta, Object, ObjectCollection, OneObject, Related, RelatedObjects, data, query_value,
};
use ambit_api::{ApiError, KEY_NAME, Result};
use ambit_model::id::blob_hash;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// Items of a page where the client names no limit.
pub(crate) const LIMIT_DEFAULT: usize = 10;
/// Items of a page at most.
pub(crate) const LIMIT_MAX: usize = 40;
/// What cursors are sealed for.
const PURPOSE: &str = "cursor";
/// Characters of a cursor that is looked at: one holds a name, and that of a URL is long.
const CURSOR_CHARS_MAX: usize = 8 * 1024;
/// Bytes of a cursor that say which query it belongs to.
const FINGERPRINT_BYTES: usize = 8;

query! { Limit: limit: Count = "Items of a page: 10 by default, more than 40 means 40." }

query! { Cursor: cursor: Text = "The meta.cursor of the page before." }

query! { Attributes:
    attributes: Text = "Only these attributes, separated by commas.",
    exclude_attributes: Text = "All attributes but these, separated by commas.",
}

query! { Relationships: relationships: Text = "Also the descriptors of these relationships, separated by commas." }

/// What lists may be asked with.
pub(crate) type Page = ((Limit, Cursor), Attributes);
/// What lists of objects with relationships may be asked with.
pub(crate) type RelatedPage = (Page, Relationships);
/// What one object with relationships may be asked with.
pub(crate) type One = (Relationships, Attributes);

/// Which part of a collection is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Paging {
    pub(crate) limit: usize,
    /// What the page before left in its cursor.
    pub(crate) after: Option<Vec<u8>>,
}

/// Reads `limit` and `cursor`. Above the maximum a limit is the maximum.
pub(crate) fn paging(call: &Call, default: usize, most: usize) -> Result<Paging> {
    paging_of(call, Limit::limit(call), default, most)
}

/// The same where a call says of the limit something else.
pub(crate) fn paging_of(call: &Call, limit: Written<'_>, default: usize, most: usize) -> Result<Paging> {
    let limit = match limit.whole_number() {
        Ok(None) => default,
        Ok(Some(number)) if number > 0 => usize::try_from(number).unwrap_or(most).min(most),
        Ok(Some(_)) | Err(_) => {
            return Err(ApiError::bad("Limit must be a whole number from 1"));
        }
    };
    // One client library writes "no cursor" as a pair of quotes.
    let after = match Cursor::cursor(call).text {
        None | Some("" | "\"\"") => None,
        Some(text) => Some(opened(call, text)?),
    };
    Ok(Paging { limit, after })
}

impl Paging {
    /// For collections that are counted through: how many items were shown before.
    pub(crate) fn offset(&self) -> Result<usize> {
        let Some(after) = &self.after else { return Ok(0) };
        let bytes: [u8; 8] = after.as_slice().try_into().map_err(|_| bad_cursor())?;
        usize::try_from(u64::from_be_bytes(bytes)).map_err(|_| bad_cursor())
    }
}

fn bad_cursor() -> ApiError {
    ApiError::bad("Invalid cursor")
}

fn opened(call: &Call, text: &str) -> Result<Vec<u8>> {
    let sealed = (text.len() <= CURSOR_CHARS_MAX).then(|| BASE64_URL_SAFE_NO_PAD.decode(text).ok()).flatten();
    let plain = sealed.and_then(|sealed| call.store().unseal(PURPOSE, &sealed)).ok_or_else(bad_cursor)?;
    match plain.split_at_checked(FINGERPRINT_BYTES) {
        Some((print, rest)) if print == fingerprint(call) => Ok(rest.to_vec()),
        _ => Err(bad_cursor()),
    }
}

/// The parameters that make the collection, but for the key and what says which page.
fn parameters(call: &Call) -> impl Iterator<Item = &(String, String)> {
    let beside = ["cursor", "limit"];
    call.query.iter().filter(move |(name, _)| !beside.contains(&name.as_str()) && !name.eq_ignore_ascii_case(KEY_NAME))
}

fn fingerprint(call: &Call) -> [u8; FINGERPRINT_BYTES] {
    let mut text = call.path.trim_end_matches('/').to_owned();
    for (name, value) in parameters(call) {
        text.push_str(&format!("\n{name}={value}"));
    }
    fingerprint_of(&text)
}

fn fingerprint_of(text: &str) -> [u8; FINGERPRINT_BYTES] {
    let hash = blob_hash(text.as_bytes());
    let mut out = [0; FINGERPRINT_BYTES];
    out.copy_from_slice(&hash.bytes()[..FINGERPRINT_BYTES]);
    out
}

/// The address of this collection with other parameters of the page.
fn link(call: &Call, page: &[(&str, &str)]) -> String {
    let own = parameters(call).map(|(name, value)| (name.as_str(), value.as_str()));
    let pairs: Vec<String> = own
        .chain(page.iter().copied())
        .map(|(name, value)| format!("{}={}", query_value(name), query_value(value)))
        .collect();
    let query = if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) };
    format!("{}{}{query}", call.root(), call.path)
}

/// Answers with a page. `next` is what the next page begins after; `None` on the last one.
pub(crate) fn answer(
    call: &Call,
    items: Vec<Object>,
    limit: usize,
    next: Option<Vec<u8>>,
    count: Option<usize>,
) -> ObjectCollection {
    answer_with(call, items, limit, next, Meta { count, ..Meta::default() })
}

/// The same with other figures of the whole collection.
pub(crate) fn answer_with(
    call: &Call,
    mut items: Vec<Object>,
    limit: usize,
    next: Option<Vec<u8>>,
    mut meta: Meta,
) -> ObjectCollection {
    narrow(call, &mut items);
    let limit = limit.to_string();
    let mut links = Links { own: link(call, &[("limit", &limit)]), ..Links::default() };
    // A page without items never has a cursor: some clients take from it without looking.
    if let Some(next) = next.filter(|_| !items.is_empty()) {
        let cursor = cursor(call, &fingerprint(call), &next);
        links.next = Some(link(call, &[("cursor", &cursor), ("limit", &limit)]));
        meta.cursor = Some(cursor);
    }
    let meta = Some(meta).filter(|meta| *meta != Meta::default());
    ObjectCollection { data: items, links, meta }
}

fn cursor(call: &Call, fingerprint: &[u8], next: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(call.store().seal(PURPOSE, &[fingerprint, next].concat()))
}

/// The cursor and the address with which a list goes on after its first page, where another address than the caller's
/// answers the list.
pub(crate) fn after_first(call: &Call, address: &str, limit: usize) -> (String, String) {
    let path = address.strip_prefix(call.root()).unwrap_or(address);
    let cursor = cursor(call, &fingerprint_of(path), &(limit as u64).to_be_bytes());
    let next = format!("{address}?cursor={}&limit={limit}", query_value(&cursor));
    (cursor, next)
}

/// The slice of a whole list that is asked for, and what the next page begins after.
pub(crate) fn slice<T>(paging: &Paging, all: Vec<T>) -> Result<(Vec<T>, Option<Vec<u8>>)> {
    let (offset, total) = (paging.offset()?, all.len());
    let end = offset.saturating_add(paging.limit);
    let next = (end < total).then(|| (end as u64).to_be_bytes().to_vec());
    Ok((all.into_iter().skip(offset).take(paging.limit).collect(), next))
}

/// Answers with the asked page of a whole list.
pub(crate) fn of_list(call: &Call, all: Vec<Object>, default: usize) -> Result<ObjectCollection> {
    let paging = paging(call, default, LIMIT_MAX)?;
    let total = all.len();
    let (items, next) = slice(&paging, all)?;
    Ok(answer(call, items, paging.limit, next, Some(total)))
}

/// The same with the objects in full or as descriptors.
pub(crate) fn of_list_as(call: &Call, all: Vec<Object>, as_descriptors: bool) -> Result<ObjectCollection> {
    let all = if as_descriptors { all.iter().map(Object::described).collect() } else { all };
    of_list(call, all, LIMIT_DEFAULT)
}

/// Answers with the asked page of a whole list of records, each of which `shown` makes an object.
pub(crate) async fn of_records<T, Shown: Future<Output = Result<Object>>>(
    call: &Call,
    all: Vec<T>,
    shown: impl Fn(T) -> Shown,
) -> Result<ObjectCollection> {
    let paging = paging(call, LIMIT_DEFAULT, LIMIT_MAX)?;
    let total = all.len();
    let (records, next) = slice(&paging, all)?;
    let mut items = Vec::new();
    for record in records {
        items.push(shown(record).await?);
    }
    Ok(answer(call, items, paging.limit, next, Some(total)))
}

/// Names in a parameter, separated by commas; `None` where it is not there.
pub(crate) fn names(written: Written<'_>) -> Option<Vec<String>> {
    let text = written.text.filter(|text| !text.trim().is_empty())?;
    Some(text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect())
}

/// Answers with one object, narrowed to the attributes that are asked for.
pub(crate) fn one(call: &Call, object: Object) -> OneObject {
    data(narrowed(call, object))
}

/// An object with the attributes that are asked for.
pub(crate) fn narrowed(call: &Call, mut object: Object) -> Object {
    narrow(call, std::slice::from_mut(&mut object));
    object
}

/// Leaves objects the attributes that are asked for.
fn narrow(call: &Call, objects: &mut [Object]) {
    let (kept, dropped) = (names(Attributes::attributes(call)), names(Attributes::exclude_attributes(call)));
    for object in objects {
        kept.iter().for_each(|names| object.keep_attributes(names));
        dropped.iter().for_each(|names| object.drop_attributes(names));
    }
}

/// Answers with what something is related to, in full or as descriptors.
pub(crate) fn answer_related(call: &Call, found: Related, as_descriptors: bool) -> Result<RelatedObjects> {
    related(call, found, as_descriptors, false)
}

/// The same for a relationship with one object, whose count is beside it.
pub(crate) fn answer_counted(call: &Call, found: Related, as_descriptors: bool) -> Result<RelatedObjects> {
    related(call, found, as_descriptors, true)
}

fn related(call: &Call, found: Related, as_descriptors: bool, counts_one: bool) -> Result<RelatedObjects> {
    let data = if as_descriptors { found.described() } else { found };
    if let Related::Many(all) = data {
        return of_list(call, all, LIMIT_DEFAULT).map(RelatedObjects::from);
    }
    let links = Links { own: format!("{}{}", call.root(), call.path), ..Links::default() };
    let is_counted = counts_one && matches!(data, Related::One(_));
    let meta = is_counted.then(|| Meta { count: Some(1), ..Meta::default() });
    Ok(RelatedObjects { data, links: Some(links), meta })
}
