//! What can be recognised, as data: the library page of fingerprints. One entry a product, with everything that shows
//! it.

use crate::read::greeting;
use ambit_model::library::{FingerprintEntry, FingerprintMatch};
use std::collections::BTreeMap;

/// Every product that the tasks recognise, by vendor and name.
pub fn fingerprints() -> Vec<FingerprintEntry> {
    let mut entries: BTreeMap<(String, String), FingerprintEntry> = BTreeMap::new();
    for product in ambit_fingerprints::listed().into_iter().chain(greeting::listed()) {
        let entry =
            entries.entry((product.vendor.clone(), product.product.clone())).or_insert_with(|| FingerprintEntry {
                vendor: product.vendor,
                product: product.product,
                cpe: product.cpe.map(|names| format!("cpe:2.3:a:{names}:*:*:*:*:*:*:*:*")),
                tags: Vec::new(),
                matches: Vec::new(),
            });
        entry.tags.push(product.tag);
        let shown = product.shown.into_iter();
        entry.matches.extend(shown.map(|shown| FingerprintMatch { place: shown.place, content: shown.text }));
    }
    let mut entries: Vec<FingerprintEntry> = entries.into_values().collect();
    for entry in &mut entries {
        entry.tags.sort();
        entry.tags.dedup();
        entry.matches.sort();
        entry.matches.dedup();
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_product_is_listed_once_with_everything_that_shows_it() {
        let entries = fingerprints();
        let find = |product: &str| entries.iter().filter(|entry| entry.product == product).collect::<Vec<_>>();
        let drupal = find("Drupal");
        assert_eq!(drupal.len(), 1);
        assert!(drupal[0].matches.len() >= 3, "{drupal:?}");
        assert_eq!(drupal[0].cpe.as_deref(), Some("cpe:2.3:a:drupal:drupal:*:*:*:*:*:*:*:*"));
        for product in ["OpenSSH", "nginx", "MySQL", "Elasticsearch", "CouchDB"] {
            assert_eq!(find(product).len(), 1, "{product}");
        }
        assert!(entries.iter().all(|entry| !entry.matches.is_empty() && !entry.tags.is_empty()));
    }
}
