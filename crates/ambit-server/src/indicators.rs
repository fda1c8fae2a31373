//! Words that name what is collected: files by hashes, URLs, addresses and domains.

use ambit_model::canonical_url::{canonical_url, url_id};
use ambit_model::object::ObjectType;
use ambit_store::CollectedItem;

/// Returns what a word names, under its canonical id; `None` if it is not a hash, URL, address or name with a dot.
pub(crate) fn indicator(word: &str) -> Option<CollectedItem> {
    let of = |kind: ObjectType, id: String| Some(CollectedItem { kind: kind.name(), id });
    if [32, 40, 64].contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return of(ObjectType::File, word.to_ascii_lowercase());
    }
    if word.contains("://") {
        return canonical_url(word).and_then(|url| of(ObjectType::Url, url_id(&url)));
    }
    let kinds = [ObjectType::IpAddress, ObjectType::Domain].into_iter();
    let mut named = kinds.filter_map(|kind| Some((kind, kind.names(word).into_iter().next()?.1)));
    let is_domain = |kind| kind == ObjectType::Domain;
    named.find(|(kind, name)| !is_domain(*kind) || name.contains('.')).and_then(|(kind, name)| of(kind, name))
}
