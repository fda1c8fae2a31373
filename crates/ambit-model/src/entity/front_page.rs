//! What one visit of a domain's front page showed: enough to compare two of them, and to say how a site is protected.

use crate::moment::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The front page of a domain, as a browser sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FrontPage {
    /// Where the visit ended without leaving the domain.
    pub url: String,
    /// The status of that answer.
    pub status: u16,
    pub title: Option<String>,
    /// The simhash of its text in hexadecimal; `None` where the text is too short to be compared.
    pub likeness: Option<String>,
    /// SHA-256 of its icon.
    pub icon: Option<String>,
    /// A form asks for a password.
    pub login: bool,
    /// Hosts to which such forms send it.
    pub posts_to: BTreeSet<String>,
    /// Other hosts from which it loads pictures, styles and scripts.
    pub loads_from: BTreeSet<String>,
    /// Identifiers by which services for statistics and advertising know the site.
    pub trackers: BTreeSet<String>,
    /// Hosts that its content policy names.
    pub allows: BTreeSet<String>,
    /// The host to which it sends its visitors on, where they leave the domain.
    pub leads_to: Option<String>,
    /// It is no site of somebody's.
    pub notice: Option<Notice>,
    /// Headers that protect visitors, by name.
    pub protections: BTreeSet<String>,
    /// What its encryption showed; `None` where it has no https.
    pub https: Option<Https>,
    /// Plain HTTP answers, and does not send visitors to https.
    pub plain: bool,
}

/// Kinds of page that do not describe the holder of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// The domain is for sale.
    ForSale,
    /// A page of advertisements, or of a registrar.
    Parked,
    /// The page of a fresh server.
    Fresh,
}

/// Encryption of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Https {
    /// The version that was agreed on, as people write it.
    pub version: String,
    /// A browser would trust the certificate.
    pub trusted: bool,
    /// SHA-256 of the certificate.
    pub certificate: Option<String>,
    /// The last day of its validity.
    pub ends: Option<Timestamp>,
}

/// Bits in which the texts of two pages that are the same for people differ at most.
const NEAR_BITS_MAX: u32 = 12;

impl FrontPage {
    /// Returns true where both pages have a text, and nearly the same.
    pub fn reads_like(&self, other: &Self) -> bool {
        let bits = |page: &Self| page.likeness.as_deref().and_then(|text| u64::from_str_radix(text, 16).ok());
        match (bits(self), bits(other)) {
            (Some(a), Some(b)) => (a ^ b).count_ones() <= NEAR_BITS_MAX,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(likeness: Option<&str>) -> FrontPage {
        FrontPage { likeness: likeness.map(str::to_owned), ..FrontPage::default() }
    }

    #[test]
    fn pages_read_alike_where_few_bits_of_their_texts_differ() {
        let one = page(Some("00000000000000ff"));
        assert!(one.reads_like(&page(Some("0000000000000fff"))));
        assert!(!one.reads_like(&page(Some("0000000000ffffff"))));
        assert!(!one.reads_like(&page(None)) && !page(None).reads_like(&page(None)), "no text is like no other");
    }
}
