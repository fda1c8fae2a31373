//! Products that showed themselves: which one, in which version, by what. The item's members are those of the contract
//! (docs/contract/asm.md §4.6).

use ambit_model::entity::network::{Fingerprint, FingerprintMatch};
use ambit_model::technology::Part;

/// A product that showed itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Product {
    /// Who makes it, as people write it.
    pub vendor: String,
    /// The name of the product, as people write it.
    pub product: String,
    /// Its version, if it is known.
    pub version: Option<String>,
    /// Vendor and product as CPE writes them: `openbsd:openssh`.
    pub cpe: Option<String>,
    /// What sort of product.
    pub tag: String,
    /// What showed it, and where. There is at least one, and the first of them describes it.
    pub shown: Vec<Shown>,
    /// What CPE calls its part: application, operating system or hardware.
    pub part: Part,
    /// One of several signs was enough; otherwise all that a rule asks for were there.
    pub by_any: bool,
}

/// What showed a product.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shown {
    /// Where it showed: `banner`, `content_headers`, `content_body`, `content_cookies`, `content_title` and others.
    pub place: String,
    /// The sign that identified it, without anything that changes from probe to probe.
    pub text: String,
}

impl Shown {
    /// Makes what showed a product, cut to the characters that are kept.
    pub(crate) fn new(place: &str, text: &str) -> Self {
        Self { place: place.to_owned(), text: text.chars().take(SHOWN_CHARS_MAX).collect() }
    }
}

impl Product {
    /// Makes a product, from its vendor and name, the names that CPE has for both, the text that begins with its
    /// version, its sort, and the place where which text showed it.
    pub fn new(
        names: (&str, &str),
        cpe: Option<&str>,
        version: Option<&str>,
        tag: &str,
        (place, shown): (&str, &str),
    ) -> Self {
        Self {
            vendor: names.0.to_owned(),
            product: names.1.to_owned(),
            version: version.map(clean_version).filter(|version| !version.is_empty()),
            cpe: cpe.map(str::to_owned),
            tag: tag.to_owned(),
            shown: vec![Shown::new(place, shown)],
            part: Part::Application,
            by_any: false,
        }
    }

    /// Returns the contract's fingerprint item.
    pub fn item(&self) -> Fingerprint {
        let cpe = self.cpe.as_ref().map(|names| {
            let version = self.version.as_deref().map_or("*".to_owned(), cpe_version);
            format!("cpe:2.3:{}:{names}:{version}:*:*:*:*:*:*:*", self.part.letter())
        });
        let place = self.shown.first().map_or("", |shown| &shown.place);
        let matched =
            |shown: &Shown| FingerprintMatch { match_type: shown.place.clone(), match_content: shown.text.clone() };
        Fingerprint {
            cpe,
            tags: vec![self.tag.clone()],
            kind: "fingerprint".to_owned(),
            method: "ident".to_owned(),
            vendor: self.vendor.clone(),
            product: self.product.clone(),
            version: self.version.clone(),
            inference: self.version.is_some(),
            description: format!("{} ({})", self.product, place.replace('_', " ")),
            match_logic: if self.by_any { "any" } else { "all" }.to_owned(),
            positive_matches: self.shown.iter().map(matched).collect(),
            ..Fingerprint::default()
        }
    }
}

/// Characters of the text that showed a product.
const SHOWN_CHARS_MAX: usize = 120;
/// Characters of a version; longer ones are no version.
const VERSION_CHARS_MAX: usize = 32;

/// Returns the items of products, sorted and without duplicates.
pub fn items(mut products: Vec<Product>) -> Vec<Fingerprint> {
    products.sort();
    products.dedup();
    products.iter().map(Product::item).collect()
}

/// Letters, digits and the signs that versions are made of, up to the first other one.
pub(crate) fn clean_version(text: &str) -> String {
    let good = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '~');
    let version: String = text.trim().chars().take_while(good).take(VERSION_CHARS_MAX).collect();
    version.trim_matches(['.', '-', '_', '+', '~']).to_owned()
}

/// `9.2p1` → `9.2:p1` would be another field; here a version is one field, its special characters escaped as CPE wants.
fn cpe_version(version: &str) -> String {
    let mut escaped = String::new();
    for c in version.to_ascii_lowercase().chars() {
        if !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_every_member_of_the_contract() {
        let product = Product::new(
            ("OpenBSD", "OpenSSH"),
            Some("openbsd:openssh"),
            Some("9.2p1"),
            "SSH",
            ("banner", "SSH-2.0-OpenSSH_9.2p1"),
        );
        let item = serde_json::to_value(product.item()).unwrap();
        for member in [
            "cpe",
            "hide",
            "tags",
            "type",
            "tasks",
            "issues",
            "method",
            "update",
            "vendor",
            "product",
            "version",
            "inference",
            "description",
            "match_logic",
            "positive_matches",
        ] {
            assert!(item.get(member).is_some(), "{member}");
        }
        assert_eq!(item["cpe"], "cpe:2.3:a:openbsd:openssh:9.2p1:*:*:*:*:*:*:*");
        let system = Product { part: Part::OperatingSystem, ..product };
        assert!(system.item().cpe.unwrap().starts_with("cpe:2.3:o:"));
    }

    #[test]
    fn a_version_of_a_stranger_is_cut_to_what_versions_are_made_of() {
        assert_eq!(clean_version("1.2.3 (Debian)"), "1.2.3");
        assert_eq!(clean_version("\u{1b}[31m"), "");
        assert_eq!(cpe_version("1.0+deb"), "1.0\\+deb");
    }
}
