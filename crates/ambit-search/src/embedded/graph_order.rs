//! The first graphs of a segment in an order, and of all segments together.

use super::document_set::DocumentSet;
use super::graph_fields::{COMMENTS_COUNT, CREATION_DATE, LAST_MODIFIED_DATE, NAME_ORDER, NUMBER, OWNER_ORDER};
use ambit_query::graphs::{GraphOrder, OrderField, SortKey};
use std::collections::HashMap;
use std::ops::Bound;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentReader};

/// A page of graphs: the first `limit` behind `after`.
pub(crate) struct GraphPages<'a> {
    pub(crate) order: GraphOrder,
    pub(crate) limit: usize,
    pub(crate) after: Option<&'a SortKey>,
    /// Views by the number of the graph; one that is missing has none.
    pub(crate) views: &'a HashMap<i64, i64>,
}

/// Place by the field alone, and the number of the graph: as `SortKey`, with texts as their places in the dictionary of
/// the segment.
type Rank = (i64, i64);

enum Places<'a> {
    Numbers(Column<i64>),
    Texts(StrColumn),
    Views(&'a HashMap<i64, i64>),
    /// No graph of the segment has a text: all are the empty one.
    Nothing,
}

impl Places<'_> {
    fn of(&self, doc: DocId, number: i64) -> i64 {
        match self {
            Self::Numbers(column) => column.first(doc).unwrap_or_default(),
            Self::Texts(column) => column.ords().first(doc).map_or(-1, u64::cast_signed),
            Self::Views(views) => views.get(&number).copied().unwrap_or_default(),
            Self::Nothing => -1,
        }
    }

    fn key(&self, (place, number): Rank) -> tantivy::Result<SortKey> {
        let mut text = String::new();
        Ok(match self {
            Self::Numbers(_) | Self::Views(_) => SortKey::Number(place, number),
            Self::Texts(column) => {
                if let Ok(ord) = u64::try_from(place) {
                    column.ord_to_str(ord, &mut text)?;
                }
                SortKey::Text(text, number)
            }
            Self::Nothing => SortKey::Text(text, number),
        })
    }

    /// The rank that a key of any segment has here, or would have: what is behind the one is behind the other.
    fn rank(&self, key: &SortKey, descending: bool) -> tantivy::Result<Rank> {
        let (text, number) = match key {
            SortKey::Number(place, number) => return Ok((*place, *number)),
            SortKey::Text(text, number) => (text.as_bytes(), *number),
        };
        let Self::Texts(column) = self else {
            return Ok((if text.is_empty() { -1 } else { 0 }, number));
        };
        let dictionary = column.dictionary();
        if let Some(ord) = dictionary.term_ord(text)? {
            return Ok((ord.cast_signed(), number));
        }
        let next = match dictionary.term_bounds_to_ord(Bound::Included(text), Bound::Unbounded)?.0 {
            Bound::Included(ord) => ord.cast_signed(),
            Bound::Excluded(ord) => ord.cast_signed() + 1,
            Bound::Unbounded => 0,
        };
        // It would stand just before the next text.
        Ok(if descending { (next, i64::MIN) } else { (next - 1, i64::MAX) })
    }
}

impl GraphPages<'_> {
    /// The first graphs of a set of a segment.
    pub(crate) fn of_segment(&self, reader: &SegmentReader, set: &DocumentSet) -> tantivy::Result<Vec<SortKey>> {
        let numbers = reader.fast_fields().i64(NUMBER)?;
        let places = self.places(reader)?;
        let after = self.after.map(|key| places.rank(key, self.order.descending)).transpose()?;
        let ranks = set.iter().map(|doc| {
            let number = numbers.first(doc).unwrap_or_default();
            (places.of(doc, number), number)
        });
        let behind =
            |rank: &Rank| after.is_none_or(|after| if self.order.descending { *rank < after } else { *rank > after });
        let mut ranks: Vec<Rank> = ranks.filter(behind).collect();
        if ranks.len() > self.limit {
            let compare =
                |one: &Rank, other: &Rank| if self.order.descending { other.cmp(one) } else { one.cmp(other) };
            ranks.select_nth_unstable_by(self.limit, compare);
            ranks.truncate(self.limit);
        }
        ranks.into_iter().map(|rank| places.key(rank)).collect()
    }

    fn places(&self, reader: &SegmentReader) -> tantivy::Result<Places<'_>> {
        let columns = reader.fast_fields();
        let number = |name| columns.i64(name).map(Places::Numbers);
        let text = |name| Ok(columns.str(name)?.map_or(Places::Nothing, Places::Texts));
        match self.order.field {
            OrderField::Name => text(NAME_ORDER),
            OrderField::Owner => text(OWNER_ORDER),
            OrderField::CreationDate => number(CREATION_DATE),
            OrderField::LastModifiedDate => number(LAST_MODIFIED_DATE),
            OrderField::CommentsCount => number(COMMENTS_COUNT),
            OrderField::ViewsCount => Ok(Places::Views(self.views)),
        }
    }

    /// The first of all segments.
    pub(crate) fn merge(&self, mut keys: Vec<SortKey>) -> Vec<SortKey> {
        keys.sort_unstable();
        if self.order.descending {
            keys.reverse();
        }
        keys.truncate(self.limit);
        keys
    }
}
