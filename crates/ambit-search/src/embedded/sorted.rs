//! Documents in the default order, segment by segment: a segment never changes, so its order is worked out once, and a page begins where it begins
//! instead of after a look at every document.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::collector::Collector as _;
use tantivy::index::SegmentId;
use tantivy::query::{EnableScoring, Weight};
use tantivy::{DocId, DocSet as _, Searcher, SegmentReader, TERMINATED};

use super::collect::{Order, Ordered, PageCollector};
use crate::condition::Condition;
use crate::fields;

/// Sets of members kept at once, of all segments together: 128 kilobytes for a million documents each.
const SETS_MAX: usize = 256;

/// What is known of the segments of one index.
#[derive(Default)]
pub(crate) struct SortedSegments {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    orders: HashMap<SegmentId, Arc<Vec<DocId>>>,
    /// Which documents of a segment fulfil a condition, deleted ones included.
    members: Vec<(SegmentId, Condition, Arc<Members>)>,
}

/// A set of documents of a segment.
struct Members(Vec<u64>);

impl Members {
    fn of(weight: &dyn Weight, reader: &SegmentReader) -> tantivy::Result<Self> {
        let mut words = vec![0_u64; (reader.max_doc() as usize).div_ceil(64)];
        let mut documents = weight.scorer(reader, 1.0)?;
        let mut doc = documents.doc();
        while doc != TERMINATED {
            words[doc as usize / 64] |= 1 << (doc % 64);
            doc = documents.advance();
        }
        Ok(Self(words))
    }

    fn contains(&self, doc: DocId) -> bool {
        self.0[doc as usize / 64] >> (doc % 64) & 1 == 1
    }
}

impl SortedSegments {
    /// Whether an order is the one that is kept.
    pub(crate) fn has(order: Order) -> bool {
        order.member.path == "last_seen" && !order.descending
    }

    /// The first documents of a condition in the order that is kept. `query` is the condition's, compiled.
    pub(crate) fn first(
        &self,
        collector: &PageCollector,
        condition: &Condition,
        query: &dyn tantivy::query::Query,
        searcher: &Searcher,
    ) -> tantivy::Result<Ordered> {
        self.forget(searcher);
        let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
        let mut found = Vec::new();
        for (ordinal, reader) in searcher.segment_readers().iter().enumerate() {
            let order = self.order(reader)?;
            let members = self.members(condition, &*weight, reader)?;
            let page = collector.for_segment(u32::try_from(ordinal).expect("segments are few"), reader)?;
            let alive = reader.alive_bitset();
            let wanted = |doc: DocId| members.contains(doc) && alive.is_none_or(|alive| alive.is_alive(doc));
            found.push(page.walk(&order, wanted));
        }
        collector.merge_fruits(found)
    }

    /// Segments that were merged away need nothing any more.
    fn forget(&self, searcher: &Searcher) {
        let there = |id: &SegmentId| searcher.segment_readers().iter().any(|reader| reader.segment_id() == *id);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.orders.retain(|id, _| there(id));
        known.members.retain(|(id, ..)| there(id));
    }

    fn order(&self, reader: &SegmentReader) -> tantivy::Result<Arc<Vec<DocId>>> {
        let id = reader.segment_id();
        if let Some(order) = self.known.lock().unwrap_or_else(PoisonError::into_inner).orders.get(&id) {
            return Ok(order.clone());
        }
        let collector = PageCollector {
            order: Order {
                member: fields::member("last_seen").expect("stands in the table"),
                descending: false,
            },
            limit: 0,
            after: None,
        };
        let page = collector.for_segment(0, reader)?;
        let mut ranked: Vec<_> = (0..reader.max_doc()).map(|doc| (page.rank(doc), doc)).collect();
        ranked.sort_unstable();
        let order = Arc::new(ranked.into_iter().map(|(_, doc)| doc).collect::<Vec<_>>());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.orders.insert(id, order.clone());
        Ok(order)
    }

    fn members(&self, condition: &Condition, weight: &dyn Weight, reader: &SegmentReader) -> tantivy::Result<Arc<Members>> {
        let id = reader.segment_id();
        let same = |(known, of, _): &&(SegmentId, Condition, Arc<Members>)| *known == id && of == condition;
        if let Some((.., members)) = self.known.lock().unwrap_or_else(PoisonError::into_inner).members.iter().find(same) {
            return Ok(members.clone());
        }
        let members = Arc::new(Members::of(weight, reader)?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.members.len() >= SETS_MAX {
            known.members.remove(0);
        }
        known.members.push((id, condition.clone(), members.clone()));
        Ok(members)
    }
}
