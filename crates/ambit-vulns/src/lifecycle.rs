//! Until when the makers of products care for which of their versions: our own list, and what packs say instead of it.

use crate::alias;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub(crate) const TABLE: &str = include_str!("eol.txt");

/// The end of the care for all versions of a product that begin alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lifecycle {
    /// `vendor:product` of CPE.
    pub product: String,
    /// What the versions begin with, such as `2.2`.
    pub versions: String,
    /// The last day, `YYYY-MM-DD`.
    pub ends: String,
    /// The newest of these versions; empty where nobody says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub newest: String,
}

/// Lifecycles by product.
pub(crate) type ByProduct = BTreeMap<String, Vec<Lifecycle>>;

/// Our own list, and which product is meant by a name of endoflife.date.
struct Own {
    lifecycles: ByProduct,
    products: BTreeMap<String, String>,
}

static OWN: LazyLock<Own> = LazyLock::new(|| read(TABLE).expect("a test reads the table"));

/// The lifecycles that are known without any pack.
pub(crate) fn own() -> &'static ByProduct {
    &OWN.lifecycles
}

/// Returns the product, as CPE names it, that a name of endoflife.date means.
pub(crate) fn product_named(name: &str) -> Option<&'static str> {
    OWN.products.get(name).map(String::as_str)
}

/// Puts lifecycles by the product under which they are looked up.
pub(crate) fn by_product(lifecycles: impl IntoIterator<Item = Lifecycle>) -> ByProduct {
    let mut by_product = ByProduct::new();
    for one in lifecycles {
        by_product.entry(alias::leading(&one.product).to_owned()).or_default().push(one);
    }
    by_product
}

/// Reads the table. A problem begins with the number of its line.
fn read(table: &str) -> Result<Own, String> {
    let (mut lifecycles, mut products, mut product) = (Vec::new(), BTreeMap::new(), "");
    for (line, number) in table.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (first, second) =
            line.trim().split_once(' ').ok_or_else(|| format!("{number}: expected two words with a blank between"))?;
        if !line.starts_with("  ") {
            product = first;
            products.insert(second.to_owned(), first.to_owned());
            continue;
        }
        if product.is_empty() {
            return Err(format!("{number}: versions need a product above them"));
        }
        if !is_day(second) {
            return Err(format!("{number}: {second:?} is no day"));
        }
        let (versions, ends) = (first.to_owned(), second.to_owned());
        lifecycles.push(Lifecycle { product: product.to_owned(), versions, ends, newest: String::new() });
    }
    Ok(Own { lifecycles: by_product(lifecycles), products })
}

/// Returns whether a text is a day as `YYYY-MM-DD`.
pub(crate) fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
}

/// Returns the lifecycle of a version: that of the longest beginning which it has.
pub(crate) fn of_version<'l>(lifecycles: &'l [Lifecycle], version: &str) -> Option<&'l Lifecycle> {
    let fitting = lifecycles.iter().filter(|one| begins(version, &one.versions));
    fitting.max_by_key(|one| one.versions.len())
}

/// `2.2.15` begins with `2.2`, and so does `2.2a`; `2.22` does not.
fn begins(version: &str, beginning: &str) -> bool {
    let version = version.trim_start_matches(['v', 'V']);
    version.strip_prefix(beginning).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_and_a_malformed_one_is_named_with_its_line() {
        assert!(own().values().map(Vec::len).sum::<usize>() > 60);
        assert_eq!(product_named("apache-http-server"), Some("apache:http_server"));
        for (table, problem) in [
            ("  1 2020-01-01", "1: versions need a product above them"),
            ("a:b", "1: expected two words with a blank between"),
            ("a:b b\n  1 soon", "2: \"soon\" is no day"),
        ] {
            assert_eq!(read(table).map(|own| own.products.len()), Err(problem.to_owned()), "{table}");
        }
    }

    #[test]
    fn a_version_has_the_lifecycle_of_its_longest_beginning() {
        let of = |product: &str, version: &str| Some(of_version(own().get(product)?, version)?.ends.as_str());
        for (product, version, ends) in [
            ("apache:http_server", "2.2.15", Some("2017-07-11")),
            ("apache:http_server", "2.2", Some("2017-07-11")),
            ("apache:http_server", "2.22.1", None),
            ("apache:http_server", "2.4.49", None),
            ("openssl:openssl", "1.0.2k", Some("2019-12-31")),
            ("postgresql:postgresql", "10.4", Some("2022-11-10")),
            ("postgresql:postgresql", "1.0", None),
            ("drupal:drupal", "7", Some("2025-01-05")),
        ] {
            assert_eq!(of(product, version), ends, "{product} {version}");
        }
    }
}
