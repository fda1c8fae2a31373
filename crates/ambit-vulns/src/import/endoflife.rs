//! Files of endoflife.date: answers of its API, version 1, of one product or of all, and the older ones of one product
//! each, whose file has the product's name.

use super::{list, text};
use crate::cpe::Cpe;
use crate::lifecycle::{Lifecycle, is_day, product_named};
use serde_json::{Map, Value};

/// Returns whether an object is an answer of version 1.
pub(super) fn is_answer(record: &Map<String, Value>) -> bool {
    record.contains_key("result") && record.contains_key("schema_version")
}

/// Returns whether an object is one of the older lists.
pub(super) fn is_cycle(record: &Map<String, Value>) -> bool {
    record.contains_key("cycle") && record.contains_key("eol")
}

/// Reads an answer of version 1. Products that nobody could name by a CPE are passed over.
pub(super) fn answer(record: &Map<String, Value>) -> Vec<Lifecycle> {
    let result = record.get("result").unwrap_or(&Value::Null);
    let products: Vec<&Value> = result.as_array().map_or_else(|| vec![result], |all| all.iter().collect());
    products.into_iter().flat_map(of_product).collect()
}

fn of_product(product: &Value) -> Vec<Lifecycle> {
    let identifiers = list(product, "identifiers").filter(|one| text(one, "type") == "cpe");
    let mut keys: Vec<String> = identifiers.filter_map(|one| Cpe::parse(&text(one, "id"))?.product_key()).collect();
    keys.extend(product_named(&text(product, "name")).map(str::to_owned));
    keys.sort();
    keys.dedup();
    let of_key = |key: String| {
        let releases = list(product, "releases").filter_map(move |release| {
            let (versions, ends) = (text(release, "name"), text(release, "eolFrom"));
            let newest = release.get("latest").map(|latest| text(latest, "name")).unwrap_or_default();
            is_day(&ends).then(|| Lifecycle { product: key.clone(), versions, ends, newest })
        });
        releases.collect::<Vec<_>>()
    };
    keys.into_iter().flat_map(of_key).collect()
}

/// Reads one of the older records of the product that a file is named after. `None`: its end is not known as a day.
pub(super) fn cycle(record: &Map<String, Value>, file: &str) -> Result<Option<Lifecycle>, String> {
    let product = product_named(file).ok_or_else(|| {
        format!("nobody knows which product {file:?} is: name the file as endoflife.date does, or take its API v1")
    })?;
    let record = Value::Object(record.clone());
    let (versions, ends) = (text(&record, "cycle"), text(&record, "eol"));
    let known = is_day(&ends) && !versions.is_empty();
    let product = product.to_owned();
    Ok(known.then(|| Lifecycle { product, versions, ends, newest: text(&record, "latest") }))
}
