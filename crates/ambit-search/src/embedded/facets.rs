//! Counting values of many documents at once. Of a segment it is worked out once which values each document counts for,
//! and documents that count for the same ones share a number: to count a million documents is a million increments of a
//! few places, and then one look at each of the places.

use super::document_set::DocumentSet;
use super::query::add_terms_where;
use super::schema::{Fields, column_name, space_of_noun};
use crate::aggregations::{self, Aggregation, Count, Counted};
use crate::fields::{self, Shape};
use ambit_query::Noun;
use std::collections::HashMap;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentReader, u64_to_i64};

/// One value that is counted: which aggregation of its noun, and what of it.
struct Counter {
    aggregation: usize,
    value: Value,
}

enum Value {
    Key(String),
    Amount(i64),
}

/// What the documents of a segment count for.
#[derive(Default)]
pub(crate) struct Facets {
    counters: Vec<Counter>,
    groups: Vec<Group>,
}

/// Aggregations of a noun that share their numbers.
struct Group {
    noun: Noun,
    /// For each document the number of its combination of values; 0 counts for nothing.
    combination_of: Vec<u32>,
    /// The counters of each combination, one after the other, and where those of each end.
    raised: Vec<u32>,
    ends: Vec<usize>,
}

/// Aggregations that go together: the combinations of few values are few, but lists combine to many, and sums with
/// anything.
fn group_of(aggregation: &Aggregation) -> usize {
    let member = fields::member(aggregation.member).expect("aggregations read members of the table");
    match aggregation.count {
        Count::Sum => 0,
        Count::Terms(_) if member.many => 1,
        Count::Terms(_) => 2,
    }
}

impl Facets {
    pub(crate) fn of(fields: &Fields, reader: &SegmentReader) -> tantivy::Result<Self> {
        let mut facets = Facets::default();
        for noun in Noun::ALL {
            let mut documents = DocumentSet::empty(reader.max_doc());
            add_terms_where(&mut documents, reader, fields.space(), &space_of_noun(noun), |_| true)?;
            for group in 0..=2 {
                let aggregations = aggregations::of_noun(noun).iter().enumerate();
                let of_group = aggregations.filter(|(_, aggregation)| group_of(aggregation) == group);
                let sources = of_group.map(|(number, aggregation)| Source::of(number, aggregation, reader));
                let sources: Vec<Source> = sources.filter_map(Result::transpose).collect::<tantivy::Result<_>>()?;
                if !sources.is_empty() {
                    let group = Group::of(noun, &documents, sources, reader, &mut facets.counters)?;
                    facets.groups.push(group);
                }
            }
        }
        Ok(facets)
    }

    /// Adds the documents of a set to what was counted of other segments.
    pub(crate) fn count(&self, noun: Noun, set: &DocumentSet, totals: &mut Totals) {
        let mut counts = vec![0_u64; self.counters.len()];
        for group in self.groups.iter().filter(|group| group.noun == noun) {
            group.count(set, &mut counts);
        }
        for (count, counter) in counts.into_iter().zip(&self.counters).filter(|(count, _)| *count > 0) {
            totals.add(counter, count);
        }
    }
}

impl Group {
    fn of(
        noun: Noun,
        documents: &DocumentSet,
        mut sources: Vec<Source>,
        reader: &SegmentReader,
        counters: &mut Vec<Counter>,
    ) -> tantivy::Result<Self> {
        let mut group =
            Group { noun, combination_of: vec![0; reader.max_doc() as usize], raised: Vec::new(), ends: vec![0] };
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut raised = Vec::new();
        for doc in documents.iter() {
            raised.clear();
            for source in &mut sources {
                source.raise(doc, &mut raised, counters)?;
            }
            let combination = match known.get(&raised) {
                Some(combination) => *combination,
                None if raised.is_empty() => 0,
                None => {
                    let next = u32::try_from(group.ends.len()).expect("no more combinations than documents");
                    group.raised.extend(&raised);
                    group.ends.push(group.raised.len());
                    known.insert(raised.clone(), next);
                    next
                }
            };
            group.combination_of[doc as usize] = combination;
        }
        Ok(group)
    }

    fn count(&self, set: &DocumentSet, counts: &mut [u64]) {
        let mut documents = vec![0_u64; self.ends.len()];
        set.for_each(|doc| documents[self.combination_of[doc as usize] as usize] += 1);
        let mut start = 0;
        for (count, end) in documents.into_iter().zip(&self.ends) {
            if count > 0 {
                self.raised[start..*end].iter().for_each(|counter| counts[*counter as usize] += count);
            }
            start = *end;
        }
    }
}

/// An integer of nothing as columns have it.
const ZERO: u64 = 1 << 63;

/// One aggregation's column of a segment.
struct Source {
    aggregation: usize,
    shape: Shape,
    sum: bool,
    values: Column<u64>,
    texts: Option<StrColumn>,
    /// Counters by the value as the column has it.
    counter_of: HashMap<u64, u32>,
}

impl Source {
    /// `None` where no document of the segment has a value.
    fn of(number: usize, aggregation: &Aggregation, reader: &SegmentReader) -> tantivy::Result<Option<Self>> {
        let member = fields::member(aggregation.member).expect("aggregations read members of the table");
        let (columns, name) = (reader.fast_fields(), column_name(member.path));
        let texts = match member.shape {
            Shape::Text | Shape::Word | Shape::Kind => columns.str(&name)?,
            Shape::Integer | Shape::Time | Shape::Bool | Shape::Uid => None,
        };
        let values = match &texts {
            Some(texts) => Some(texts.ords().clone()),
            None => columns.u64_lenient(&name)?.map(|(column, _)| column),
        };
        Ok(values.map(|values| Source {
            aggregation: number,
            shape: member.shape,
            sum: aggregation.count == Count::Sum,
            values,
            texts,
            counter_of: HashMap::new(),
        }))
    }

    /// Adds the counters that a document raises, each once.
    fn raise(&mut self, doc: DocId, raised: &mut Vec<u32>, counters: &mut Vec<Counter>) -> tantivy::Result<()> {
        let first = raised.len();
        for value in self.values.values_for_doc(doc) {
            let counter = match self.counter_of.get(&value) {
                Some(counter) => *counter,
                None => {
                    let next = u32::try_from(counters.len()).expect("no more counters than values");
                    counters.push(Counter { aggregation: self.aggregation, value: self.value(value)? });
                    self.counter_of.insert(value, next);
                    next
                }
            };
            // A sum of nothing is nothing.
            let counts = !self.sum || value != ZERO;
            if counts && !raised[first..].contains(&counter) {
                raised.push(counter);
            }
        }
        Ok(())
    }

    fn value(&self, stored: u64) -> tantivy::Result<Value> {
        Ok(match (&self.texts, self.shape) {
            (Some(texts), _) => {
                let mut text = String::new();
                texts.ord_to_str(stored, &mut text)?;
                Value::Key(text)
            }
            (None, Shape::Bool) => Value::Key((stored != 0).to_string()),
            (None, _) if self.sum => Value::Amount(u64_to_i64(stored)),
            (None, _) => Value::Key(u64_to_i64(stored).to_string()),
        })
    }
}

/// What was counted of the segments so far.
pub(crate) struct Totals(Vec<Total>);

enum Total {
    Terms(HashMap<String, u64>),
    Sum(i64),
}

impl Totals {
    /// Nothing yet, of all aggregations of a noun.
    pub(crate) fn of(noun: Noun) -> Self {
        let none = |aggregation: &Aggregation| match aggregation.count {
            Count::Terms(_) => Total::Terms(HashMap::new()),
            Count::Sum => Total::Sum(0),
        };
        Totals(aggregations::of_noun(noun).iter().map(none).collect())
    }

    fn add(&mut self, counter: &Counter, documents: u64) {
        match (&mut self.0[counter.aggregation], &counter.value) {
            (Total::Terms(counts), Value::Key(key)) => match counts.get_mut(key) {
                Some(count) => *count += documents,
                None => {
                    counts.insert(key.clone(), documents);
                }
            },
            (Total::Sum(sum), Value::Amount(amount)) => {
                let documents = i64::try_from(documents).unwrap_or(i64::MAX);
                *sum = sum.saturating_add(amount.saturating_mul(documents));
            }
            (Total::Terms(_), Value::Amount(_)) | (Total::Sum(_), Value::Key(_)) => {
                unreachable!("a counter is of its aggregation's sort")
            }
        }
    }

    /// The counts in the order of the table.
    pub(crate) fn counted(self) -> Vec<Counted> {
        let counted = |total| match total {
            Total::Terms(counts) => Counted::terms(counts.into_iter().collect()),
            Total::Sum(sum) => Counted::Sum(sum),
        };
        self.0.into_iter().map(counted).collect()
    }
}
