//! Walks the matching documents of each segment: counts them, keeps the first ones of an order, hands them to
//! another collector, and stops at a deadline.

use std::sync::atomic::{AtomicBool, Ordering as Atomic};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::{Column, StrColumn};
use tantivy::query::Weight;
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocAddress, DocId, DocSet as _, Score, SegmentOrdinal, SegmentReader};

use super::schema::{UID_HIGH, UID_LOW, column_name};
use crate::fields::{Member, Shape};

/// Blocks of documents between two looks at the clock: some thousand documents, far below a millisecond.
const BLOCKS_PER_CLOCK_LOOK: u32 = 64;

/// The order of hits: by a member, then by uid. Records without the member come last in both directions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    pub(crate) member: &'static Member,
    pub(crate) descending: bool,
}

/// The value that a hit is ordered by; `None` is a record without it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum KeyValue {
    Number(u64),
    Text(String),
}

/// Where a hit stands in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) value: Option<KeyValue>,
    pub(crate) uid: u128,
}

impl Order {
    fn compare(&self, left: &Key, right: &Key) -> std::cmp::Ordering {
        let by_value = match (&left.value, &right.value) {
            (Some(left), Some(right)) if self.descending => right.cmp(left),
            (Some(left), Some(right)) => left.cmp(right),
            (left, right) => left.is_none().cmp(&right.is_none()),
        };
        by_value.then_with(|| left.uid.cmp(&right.uid))
    }
}

/// Counts all matches and keeps the first `limit` behind `after`.
pub(crate) struct PageCollector {
    pub(crate) order: Order,
    pub(crate) limit: usize,
    pub(crate) after: Option<Key>,
}

/// What was found, in order.
pub(crate) struct Ordered {
    pub(crate) count: u64,
    pub(crate) hits: Vec<(Key, DocAddress)>,
}

impl Collector for PageCollector {
    type Fruit = Ordered;
    type Child = PageOfSegment;

    fn for_segment(&self, ordinal: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<PageOfSegment> {
        let columns = reader.fast_fields();
        let name = column_name(self.order.member.path);
        let column = match self.order.member.shape {
            Shape::Text | Shape::Word | Shape::Kind => columns.str(&name)?.map_or(SortColumn::None, SortColumn::Text),
            Shape::Integer | Shape::Time | Shape::Bool | Shape::Uid => columns
                .u64_lenient(&name)?
                .map_or(SortColumn::None, |(column, _)| SortColumn::Number(column)),
        };
        let from = self
            .after
            .as_ref()
            .map(|after| column.rank_after(after, self.order.descending))
            .transpose()?;
        Ok(PageOfSegment {
            ordinal,
            descending: self.order.descending,
            column,
            uid_high: columns.u64(UID_HIGH)?,
            uid_low: columns.u64(UID_LOW)?,
            from,
            limit: self.limit,
            count: 0,
            kept: Vec::new(),
            worst: None,
        })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<tantivy::Result<Ordered>>) -> tantivy::Result<Ordered> {
        let mut all = Ordered { count: 0, hits: Vec::new() };
        for segment in segments {
            let segment = segment?;
            all.count += segment.count;
            all.hits.extend(segment.hits);
        }
        all.hits.sort_unstable_by(|left, right| self.order.compare(&left.0, &right.0));
        all.hits.truncate(self.limit);
        Ok(all)
    }
}

enum SortColumn {
    Number(Column<u64>),
    Text(StrColumn),
    /// No document of the segment has a value.
    None,
}

/// A document's place within its segment: missing values last, then the value (bits turned over for descending
/// order), then the uid.
pub(crate) type Rank = (bool, u64, u128);

impl SortColumn {
    fn first(&self, doc: DocId) -> Option<u64> {
        match self {
            SortColumn::Number(column) => column.first(doc),
            SortColumn::Text(column) => column.ords().first(doc),
            SortColumn::None => None,
        }
    }

    /// The lowest rank behind a key that another segment may have given.
    fn rank_after(&self, after: &Key, descending: bool) -> tantivy::Result<Rank> {
        let turn = |value: u64| if descending { !value } else { value };
        let next_uid = after.uid.saturating_add(1);
        Ok(match (&after.value, self) {
            (None, _) => (true, 0, next_uid),
            (Some(KeyValue::Number(number)), _) => (false, turn(*number), next_uid),
            (Some(KeyValue::Text(text)), SortColumn::Text(column)) => {
                let dictionary = column.dictionary();
                if let Some(ord) = dictionary.term_ord(text.as_bytes())? {
                    return Ok((false, turn(ord), next_uid));
                }
                let (bound, _) = dictionary.term_bounds_to_ord(std::ops::Bound::Included(text.as_bytes()), std::ops::Bound::Unbounded)?;
                let next = match bound {
                    std::ops::Bound::Included(ord) => ord,
                    std::ops::Bound::Excluded(ord) => ord + 1,
                    std::ops::Bound::Unbounded => 0,
                };
                match (descending, next) {
                    (false, _) => (false, next, 0),
                    // Nothing in this segment is less than the text.
                    (true, 0) => (true, 0, 0),
                    (true, _) => (false, !(next - 1), 0),
                }
            }
            (Some(KeyValue::Text(_)), _) => (true, 0, 0),
        })
    }

    fn value(&self, first: u64) -> tantivy::Result<KeyValue> {
        match self {
            SortColumn::Text(column) => {
                let mut text = String::new();
                column.ord_to_str(first, &mut text)?;
                Ok(KeyValue::Text(text))
            }
            SortColumn::Number(_) | SortColumn::None => Ok(KeyValue::Number(first)),
        }
    }
}

pub(crate) struct PageOfSegment {
    ordinal: SegmentOrdinal,
    descending: bool,
    column: SortColumn,
    uid_high: Column<u64>,
    uid_low: Column<u64>,
    from: Option<Rank>,
    limit: usize,
    count: u64,
    /// At most twice the limit; the better half is kept when it is full.
    kept: Vec<(Rank, DocId)>,
    worst: Option<Rank>,
}

impl PageOfSegment {
    fn uid(&self, doc: DocId) -> u128 {
        let half = |column: &Column<u64>| u128::from(column.first(doc).unwrap_or_default());
        half(&self.uid_high) << 64 | half(&self.uid_low)
    }

    /// Where a document stands.
    pub(crate) fn rank(&self, doc: DocId) -> Rank {
        match self.column.first(doc) {
            None => (true, 0, self.uid(doc)),
            Some(value) => (false, if self.descending { !value } else { value }, self.uid(doc)),
        }
    }

    /// The first wanted documents of a segment whose documents are given in this order. Nothing is counted.
    pub(crate) fn walk(mut self, order: &[DocId], wanted: impl Fn(DocId) -> bool) -> tantivy::Result<Ordered> {
        let start = self.from.map_or(0, |from| order.partition_point(|doc| self.rank(*doc) < from));
        for doc in order[start..].iter().copied().filter(|doc| wanted(*doc)).take(self.limit) {
            let rank = self.rank(doc);
            self.kept.push((rank, doc));
        }
        self.harvest_hits()
    }

    fn keep(&mut self, rank: Rank, doc: DocId) {
        self.kept.push((rank, doc));
        if self.kept.len() == 2 * self.limit {
            let (_, last, _) = self.kept.select_nth_unstable(self.limit - 1);
            self.worst = Some(last.0);
            self.kept.truncate(self.limit);
        }
    }

    fn harvest_hits(self) -> tantivy::Result<Ordered> {
        let mut hits = Vec::with_capacity(self.kept.len());
        for (rank, doc) in &self.kept {
            let (missing, value, uid) = *rank;
            let first = if self.descending { !value } else { value };
            let value = if missing { None } else { Some(self.column.value(first)?) };
            hits.push((Key { value, uid }, DocAddress::new(self.ordinal, *doc)));
        }
        Ok(Ordered { count: self.count, hits })
    }
}

impl SegmentCollector for PageOfSegment {
    type Fruit = tantivy::Result<Ordered>;

    fn collect(&mut self, doc: DocId, _score: Score) {
        self.count += 1;
        if self.limit == 0 {
            return;
        }
        let (missing, value) = match self.column.first(doc) {
            None => (true, 0),
            Some(value) => (false, if self.descending { !value } else { value }),
        };
        let too_early = self.from.is_some_and(|from| (missing, value) < (from.0, from.1));
        let too_late = self.worst.is_some_and(|worst| (missing, value) > (worst.0, worst.1));
        if too_early || too_late {
            return;
        }
        // Only now is the uid worth its two reads.
        let rank = (missing, value, self.uid(doc));
        if self.from.is_none_or(|from| rank >= from) && self.worst.is_none_or(|worst| rank < worst) {
            self.keep(rank, doc);
        }
    }

    fn harvest(mut self) -> Self::Fruit {
        if self.limit > 0 && self.kept.len() > self.limit {
            self.kept.select_nth_unstable(self.limit - 1);
            self.kept.truncate(self.limit);
        }
        self.harvest_hits()
    }
}

/// Runs another collector until the deadline; what was collected by then is harvested, and `hit` says so.
pub(crate) struct UntilDeadline<'a, C> {
    pub(crate) inner: C,
    pub(crate) deadline: Instant,
    pub(crate) hit: &'a AtomicBool,
}

impl<C: Collector> Collector for UntilDeadline<'_, C> {
    type Fruit = C::Fruit;
    type Child = C::Child;

    fn for_segment(&self, ordinal: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<C::Child> {
        self.inner.for_segment(ordinal, reader)
    }

    fn requires_scoring(&self) -> bool {
        self.inner.requires_scoring()
    }

    fn merge_fruits(&self, fruits: Vec<<C::Child as SegmentCollector>::Fruit>) -> tantivy::Result<C::Fruit> {
        self.inner.merge_fruits(fruits)
    }

    fn collect_segment(
        &self,
        weight: &dyn Weight,
        ordinal: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<<C::Child as SegmentCollector>::Fruit> {
        let mut collector = self.inner.for_segment(ordinal, reader)?;
        let mut documents = weight.scorer(reader, 1.0)?;
        let alive = reader.alive_bitset();
        let mut block = [0; COLLECT_BLOCK_BUFFER_LEN];
        let mut blocks = 0u32;
        loop {
            if blocks.is_multiple_of(BLOCKS_PER_CLOCK_LOOK) && Instant::now() >= self.deadline {
                self.hit.store(true, Atomic::Relaxed);
                break;
            }
            blocks = blocks.wrapping_add(1);
            let filled = documents.fill_buffer(&mut block);
            let mut live = filled;
            if let Some(alive) = alive {
                live = 0;
                for at in 0..filled {
                    let doc = block[at];
                    block[live] = doc;
                    live += usize::from(alive.is_alive(doc));
                }
            }
            collector.collect_block(&block[..live]);
            if filled < block.len() {
                break;
            }
        }
        Ok(collector.harvest())
    }
}
