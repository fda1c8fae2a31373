//! Products, as the index keeps them and searches ask for them: with their vendor, and those in a version as
//! `openbsd:openssh`, the version, and vendor and name, with tabs between. The first says how the versions of the
//! product are ordered.

use ambit_model::entity::EntityRecord;
use ambit_model::technology::TechnologyRecord;
use ambit_model::version_order::Scheme;
use ambit_query::VersionRange;
use serde_json::Value;
use std::collections::BTreeSet;

/// The products of an entity behind their vendors: `Apache HTTP Server`.
pub(crate) fn products(entity: &EntityRecord) -> BTreeSet<String> {
    entity.fingerprint.iter().map(named).filter(|name| !name.is_empty()).collect()
}

/// The products that an entity shows in a version.
pub(crate) fn of_entity(entity: &EntityRecord) -> BTreeSet<String> {
    let of_item = |item: &Value| written(text(item, "cpe"), text(item, "version"), &named(item));
    entity.fingerprint.iter().filter_map(of_item).collect()
}

fn text<'a>(item: &'a Value, member: &str) -> &'a str {
    item.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// A product behind its vendor; without a name it is nothing.
fn named(item: &Value) -> String {
    match (text(item, "vendor"), text(item, "product")) {
        (_, "") => String::new(),
        (vendor, product) => format!("{vendor} {product}").trim_start().to_owned(),
    }
}

/// The product of a technology, where it has a version.
pub(crate) fn of_technology(technology: &TechnologyRecord) -> Option<String> {
    written(technology.cpe.as_deref().unwrap_or_default(), &technology.version, &technology.product)
}

fn written(cpe: &str, version: &str, product: &str) -> Option<String> {
    let mut fields = cpe.split(':').skip(3);
    let (vendor, key) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    let is_there = !version.is_empty() && !product.is_empty();
    is_there.then(|| format!("{vendor}:{key}\t{version}\t{product}"))
}

/// Returns whether a product in a version, as this file writes it in lower case, is within a range.
pub(crate) fn runs(range: &VersionRange, written: &str) -> bool {
    let mut parts = written.splitn(3, '\t');
    let (Some(key), Some(version), Some(product)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let scheme = Scheme::of(key);
    let holds = |(sign, bound): &(ambit_query::Sign, String)| {
        scheme.compare(version, bound).is_some_and(|order| sign.holds(order))
    };
    product.contains(&range.name) && range.bounds.iter().all(holds)
}
