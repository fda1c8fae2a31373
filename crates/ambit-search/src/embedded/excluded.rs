//! A query that may stand behind a NOT. Tantivy asks an excluded set about documents that lie before the set's first
//! one, which the phrase scorer of 0.27 does not allow (its debug build panics): this wrapper answers those itself.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, TantivyError};

#[derive(Debug)]
pub(crate) struct Excluded(pub(crate) Box<dyn Query>);

impl Clone for Excluded {
    fn clone(&self) -> Self {
        Excluded(self.0.box_clone())
    }
}

impl Query for Excluded {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(ExcludedWeight(self.0.weight(scoring)?)))
    }
}

struct ExcludedWeight(Box<dyn Weight>);

impl Weight for ExcludedWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(ExcludedScorer(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, _reader: &SegmentReader, _doc: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("nothing is scored here".to_owned()))
    }
}

struct ExcludedScorer(Box<dyn Scorer>);

/// `seek_danger` is left to the trait: its own form looks at the current document before it seeks.
impl DocSet for ExcludedScorer {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }

    fn cost(&self) -> u64 {
        self.0.cost()
    }
}

impl Scorer for ExcludedScorer {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}
