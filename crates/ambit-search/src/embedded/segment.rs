//! What is worked out of a segment before anybody searches it. A segment never changes but for its list of deleted
//! documents, so this is done once: its documents in the default order, what each counts for, and the sets that
//! searches asked for.

use super::collect::{Order, Pages};
use super::document_set::DocumentSet;
use super::facets::Facets;
use super::known::{Known, KnownSegment};
use super::schema::Fields;
use std::sync::Arc;
use tantivy::index::SegmentId;
use tantivy::{DocId, Opstamp, Searcher, SegmentReader};

pub(crate) struct Segment {
    id: SegmentId,
    /// Its documents in the default order, deleted ones included.
    pub(crate) order: Vec<DocId>,
    pub(crate) facets: Facets,
    pub(crate) known: Known,
}

/// A segment at a moment of the index.
#[derive(Clone)]
pub(crate) struct ReadSegment {
    pub(crate) segment: Arc<Segment>,
    deleted: Option<Opstamp>,
    /// `None`: all documents are alive.
    pub(crate) alive: Option<Arc<DocumentSet>>,
}

/// A moment of the index, with what is known of its segments, in their order.
pub(crate) struct Reading {
    pub(crate) searcher: Searcher,
    pub(crate) segments: Vec<ReadSegment>,
}

impl Reading {
    /// Works out what an earlier reading does not know already.
    pub(crate) fn of(searcher: Searcher, fields: &Fields, earlier: Option<&Reading>) -> tantivy::Result<Self> {
        let known = |reader: &SegmentReader| {
            let segments = earlier.map_or(&[][..], |earlier| &earlier.segments);
            segments.iter().find(|known| known.segment.id == reader.segment_id())
        };
        let mut segments = Vec::with_capacity(searcher.segment_readers().len());
        for reader in searcher.segment_readers() {
            segments.push(ReadSegment::of(reader, fields, known(reader))?);
        }
        Ok(Reading { searcher, segments })
    }
}

impl ReadSegment {
    /// What is known of it, for who asks it.
    pub(crate) fn known(&self) -> KnownSegment<'_> {
        KnownSegment { known: &self.segment.known, alive: self.alive.as_deref() }
    }

    fn of(reader: &SegmentReader, fields: &Fields, earlier: Option<&ReadSegment>) -> tantivy::Result<Self> {
        let deleted = reader.delete_opstamp();
        let segment = match earlier {
            Some(earlier) if earlier.deleted == deleted => return Ok(earlier.clone()),
            Some(earlier) => earlier.segment.clone(),
            None => Arc::new(Segment {
                id: reader.segment_id(),
                order: Pages::all(Order::usual()).of_segment(0, reader)?.order(reader.max_doc()),
                facets: Facets::of(fields, reader)?,
                known: Known::default(),
            }),
        };
        let alive = DocumentSet::alive(reader).map(Arc::new);
        Ok(ReadSegment { segment, deleted, alive })
    }
}
