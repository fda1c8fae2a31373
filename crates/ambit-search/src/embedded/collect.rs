//! The first documents of each segment in an order, and of all segments together.

use super::document_set::DocumentSet;
use super::schema::{UID_HIGH, UID_LOW, column_name};
use crate::fields::{self, Member, Shape};
use serde::{Deserialize, Serialize};
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocAddress, DocId, SegmentOrdinal, SegmentReader};

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
    /// The default order.
    pub(crate) fn usual() -> Self {
        Order { member: fields::member("last_seen").expect("stands in the table"), descending: false }
    }

    /// Whether it is the default order.
    pub(crate) fn is_usual(self) -> bool {
        self.member.path == "last_seen" && !self.descending
    }

    fn compare(&self, left: &Key, right: &Key) -> std::cmp::Ordering {
        let by_value = match (&left.value, &right.value) {
            (Some(left), Some(right)) if self.descending => right.cmp(left),
            (Some(left), Some(right)) => left.cmp(right),
            (left, right) => left.is_none().cmp(&right.is_none()),
        };
        by_value.then_with(|| left.uid.cmp(&right.uid))
    }
}

/// The first `limit` hits behind `after`.
pub(crate) struct Pages {
    pub(crate) order: Order,
    pub(crate) limit: usize,
    pub(crate) after: Option<Key>,
}

/// Hits in order.
pub(crate) type Ordered = Vec<(Key, DocAddress)>;

impl Pages {
    /// All hits.
    pub(crate) fn all(order: Order) -> Self {
        Pages { order, limit: usize::MAX, after: None }
    }

    pub(crate) fn of_segment(&self, ordinal: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<PageOfSegment> {
        let columns = reader.fast_fields();
        let name = column_name(self.order.member.path);
        let column = match self.order.member.shape {
            Shape::Text | Shape::Word | Shape::Kind => columns.str(&name)?.map_or(SortColumn::None, SortColumn::Text),
            Shape::Integer | Shape::Time | Shape::Bool | Shape::Uid => {
                columns.u64_lenient(&name)?.map_or(SortColumn::None, |(column, _)| SortColumn::Number(column))
            }
        };
        let from = self.after.as_ref().map(|after| column.rank_after(after, self.order.descending)).transpose()?;
        Ok(PageOfSegment {
            ordinal,
            descending: self.order.descending,
            column,
            uid_high: columns.u64(UID_HIGH)?,
            uid_low: columns.u64(UID_LOW)?,
            from,
            limit: self.limit,
        })
    }

    /// The first hits of all segments.
    pub(crate) fn merge(&self, segments: Vec<Ordered>) -> Ordered {
        let mut all: Ordered = segments.into_iter().flatten().collect();
        all.sort_unstable_by(|left, right| self.order.compare(&left.0, &right.0));
        all.truncate(self.limit);
        all
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
type Rank = (bool, u64, u128);

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
                let (bound, _) = dictionary
                    .term_bounds_to_ord(std::ops::Bound::Included(text.as_bytes()), std::ops::Bound::Unbounded)?;
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

/// The page as far as one segment has part in it.
pub(crate) struct PageOfSegment {
    ordinal: SegmentOrdinal,
    descending: bool,
    column: SortColumn,
    uid_high: Column<u64>,
    uid_low: Column<u64>,
    from: Option<Rank>,
    limit: usize,
}

impl PageOfSegment {
    fn uid(&self, doc: DocId) -> u128 {
        let half = |column: &Column<u64>| u128::from(column.first(doc).unwrap_or_default());
        half(&self.uid_high) << 64 | half(&self.uid_low)
    }

    /// The order by the member alone.
    fn place(&self, doc: DocId) -> (bool, u64) {
        match self.column.first(doc) {
            None => (true, 0),
            Some(value) => (false, if self.descending { !value } else { value }),
        }
    }

    /// Where a document stands.
    fn rank(&self, doc: DocId) -> Rank {
        let (missing, value) = self.place(doc);
        (missing, value, self.uid(doc))
    }

    /// So many documents of the segment in this order.
    pub(crate) fn order(&self, documents: DocId) -> Vec<DocId> {
        let mut placed: Vec<_> = (0..documents).map(|doc| (self.place(doc), doc)).collect();
        placed.sort_unstable();
        // Few share a place: only those are worth their uids.
        for same in placed.chunk_by_mut(|left, right| left.0 == right.0).filter(|same| same.len() > 1) {
            same.sort_by_cached_key(|(_, doc)| self.uid(*doc));
        }
        placed.into_iter().map(|(_, doc)| doc).collect()
    }

    /// The first documents of a set; `order` is the segment's where it is known in this order.
    pub(crate) fn first(&self, set: &DocumentSet, hits: usize, order: Option<&[DocId]>) -> tantivy::Result<Ordered> {
        match order {
            // Of many hits some stand early in the order; few are sooner sorted than met.
            Some(order) if self.limit.saturating_mul(order.len()) < hits.saturating_mul(hits) => self.walk(order, set),
            _ => self.select(set),
        }
    }

    /// Goes along the order until there are enough.
    fn walk(&self, order: &[DocId], set: &DocumentSet) -> tantivy::Result<Ordered> {
        let start = self.from.map_or(0, |from| order.partition_point(|doc| self.rank(*doc) < from));
        let wanted = order[start..].iter().copied().filter(|doc| set.contains(*doc));
        wanted.take(self.limit).map(|doc| self.hit(self.rank(doc), doc)).collect()
    }

    /// Looks at all documents of the set and keeps the first ones.
    fn select(&self, set: &DocumentSet) -> tantivy::Result<Ordered> {
        // At most twice the limit; the better half is kept when it is full.
        let mut kept: Vec<(Rank, DocId)> = Vec::new();
        let mut worst: Option<Rank> = None;
        for doc in set.iter() {
            let place = self.place(doc);
            let too_early = self.from.is_some_and(|from| place < (from.0, from.1));
            let too_late = worst.is_some_and(|worst| place > (worst.0, worst.1));
            if too_early || too_late {
                continue;
            }
            // Only now is the uid worth its two reads.
            let rank = (place.0, place.1, self.uid(doc));
            if self.from.is_none_or(|from| rank >= from) && worst.is_none_or(|worst| rank < worst) {
                kept.push((rank, doc));
                if kept.len() == self.limit.saturating_mul(2) {
                    worst = Some(kept.select_nth_unstable(self.limit - 1).1.0);
                    kept.truncate(self.limit);
                }
            }
        }
        if kept.len() > self.limit {
            kept.select_nth_unstable(self.limit - 1);
            kept.truncate(self.limit);
        }
        kept.into_iter().map(|(rank, doc)| self.hit(rank, doc)).collect()
    }

    fn hit(&self, (missing, value, uid): Rank, doc: DocId) -> tantivy::Result<(Key, DocAddress)> {
        let first = if self.descending { !value } else { value };
        let value = if missing { None } else { Some(self.column.value(first)?) };
        Ok((Key { value, uid }, DocAddress::new(self.ordinal, doc)))
    }
}
