//! Documents of the program, which never change while it runs: made and packed once, and named by their state.

use crate::encoding::{self, Coding};
use bytes::Bytes;
use sha1::{Digest, Sha1};

/// A document of the program, as it is and packed, with the name of its state.
pub(crate) struct Document {
    pub(crate) content_type: &'static str,
    plain: Bytes,
    packed: Vec<(Coding, Bytes)>,
    hash: String,
}

impl Document {
    pub(crate) fn new(content_type: &'static str, plain: Bytes) -> Self {
        let packed = encoding::ALL.into_iter().filter_map(|coding| Some((coding, coding.pack_well(&plain).ok()?)));
        Self {
            content_type,
            packed: packed.filter(|(_, packed)| packed.len() < plain.len()).collect(),
            hash: hex::encode(&Sha1::digest(&plain)[..8]),
            plain,
        }
    }

    /// Its bytes in the coding that is wanted, where there is one.
    pub(crate) fn coded(&self, wanted: Option<Coding>) -> (Bytes, Option<Coding>) {
        let packed = self.packed.iter().find(|(coding, _)| Some(*coding) == wanted);
        packed.map_or((self.plain.clone(), None), |(coding, bytes)| (bytes.clone(), Some(*coding)))
    }

    /// The name of its state in a coding.
    pub(crate) fn tag(&self, coding: Option<Coding>) -> String {
        format!("\"{}{}{}\"", self.hash, if coding.is_some() { "-" } else { "" }, coding.map_or("", Coding::name))
    }

    /// True where one of the names that a client has is of this state, in any coding.
    pub(crate) fn is_among(&self, tags: &str) -> bool {
        let mut tags = tags.split(',').map(str::trim);
        tags.any(|tag| {
            tag == "*" || tag.trim_start_matches("W/").trim_matches('"').split('-').next() == Some(&self.hash)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_one_state_in_every_coding() {
        let document = Document::new("text/html; charset=utf-8", "the same words again, ".repeat(200).into());
        let plain = document.coded(None);
        assert_eq!((plain.0.len(), plain.1), (4_400, None));
        for coding in encoding::ALL {
            let (bytes, found) = document.coded(Some(coding));
            assert!(found == Some(coding) && bytes.len() < 200);
            assert!(document.is_among(&document.tag(found)));
        }
        assert!(document.is_among("\"x\", W/\"y\", *"));
        assert!(document.is_among(&format!("\"x\", W/{}", document.tag(None))));
        assert!(!document.is_among("\"x\""));
        let small = Document::new("text/html; charset=utf-8", Bytes::from_static(b"x"));
        assert_eq!(small.coded(Some(Coding::Gzip)).1, None, "what does not shrink stays");
    }
}
