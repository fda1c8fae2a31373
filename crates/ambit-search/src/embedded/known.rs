//! What searches learned of a segment, kept beside it: the sets that they asked for, since searches share their
//! demands, and what its documents are assets of.

use super::assets::Assets;
use super::document_set::DocumentSet;
use crate::condition::Condition;
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::SegmentReader;

/// Sets kept beside a segment; the one that was asked for least recently goes first. Each is a bit for each document:
/// all of them are four bytes for each document.
const SETS_MAX: usize = 32;

/// What is known of a segment, which never changes.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) sets: KeptSets,
    /// Read when a search asks for them.
    assets: Mutex<Option<Arc<Assets>>>,
}

/// The same at a moment of the index.
#[derive(Clone, Copy)]
pub(crate) struct KnownSegment<'a> {
    pub(crate) known: &'a Known,
    /// `None`: all documents are alive.
    pub(crate) alive: Option<&'a DocumentSet>,
}

impl Known {
    /// What the documents of the segment are assets of.
    pub(crate) fn assets(&self, reader: &SegmentReader) -> tantivy::Result<Arc<Assets>> {
        let mut assets = self.assets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(assets) = &*assets {
            return Ok(assets.clone());
        }
        let read = Arc::new(Assets::of(reader)?);
        *assets = Some(read.clone());
        Ok(read)
    }
}

/// The sets that are kept beside a segment.
#[derive(Default)]
pub(crate) struct KeptSets {
    /// The most recently used one is at the end.
    sets: Mutex<Vec<(Condition, Arc<DocumentSet>)>>,
}

impl KeptSets {
    pub(crate) fn find(&self, condition: &Condition) -> Option<Arc<DocumentSet>> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let place = sets.iter().position(|(of, _)| of == condition)?;
        let kept = sets.remove(place);
        sets.push(kept);
        sets.last().map(|(_, set)| set.clone())
    }

    pub(crate) fn keep(&self, condition: &Condition, set: &Arc<DocumentSet>) {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.retain(|(of, _)| of != condition);
        if sets.len() >= SETS_MAX {
            sets.remove(0);
        }
        sets.push((condition.clone(), set.clone()));
    }
}
