//! From a condition to the documents of a segment that fulfil it. Each demand is a set of documents, read from the
//! lists of its terms or from its column; sets are intersected and united word by word. Sets are kept beside their
//! segment, since searches share their demands.

use super::assets::FoundAssets;
use super::document_set::DocumentSet;
use super::known::KnownSegment;
use super::schema::{Fields, column_name};
use super::tokenizers::{GRAM_CHARS, WORDS, fold_case, gram_chars};
use crate::condition::Condition;
use crate::fields::{RUNNING, Shape, VALUE_CHARS_MAX};
use crate::running::runs;
use ambit_model::Uid;
use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;
use tantivy::query::{EnableScoring, PhraseQuery, Query as _};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocSet, Searcher, SegmentReader, TERMINATED, TantivyError, Term};

/// Documents of a column that are compared at once; their numbers fit the processor's cache.
const COLUMN_BLOCK: u32 = 16_384;

/// Candidates of a phrase that are looked at rather than made fewer by one more list.
const CANDIDATES_FEW: usize = 4_096;

/// Candidates looked at between two looks at the clock: a millisecond's work.
const CANDIDATES_PER_CLOCK_LOOK: usize = 4_096;

/// Why there is no set.
pub(crate) enum Stop {
    /// The deadline came first.
    Deadline,
    Engine(TantivyError),
}

impl From<TantivyError> for Stop {
    fn from(error: TantivyError) -> Self {
        Stop::Engine(error)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Stop::Engine(error.into())
    }
}

/// A segment that is asked.
pub(crate) struct Asked<'a> {
    pub(crate) fields: &'a Fields,
    pub(crate) searcher: &'a Searcher,
    pub(crate) reader: &'a SegmentReader,
    /// What is known of that segment, and of all of them.
    pub(crate) of: KnownSegment<'a>,
    pub(crate) all: &'a [KnownSegment<'a>],
    /// What this search looked for in all segments already.
    pub(crate) found: &'a FoundBefore,
    pub(crate) deadline: Instant,
}

/// Assets that a search looked for in all segments, which every segment asks for: they are found once.
#[derive(Default)]
pub(crate) struct FoundBefore {
    of: RefCell<Vec<(Condition, Arc<FoundAssets>)>>,
}

impl Asked<'_> {
    /// The documents that fulfil a condition, deleted ones included.
    pub(crate) fn matching(&self, condition: &Condition) -> Result<Arc<DocumentSet>, Stop> {
        let documents = self.reader.max_doc();
        match condition {
            Condition::Nothing => Ok(Arc::new(DocumentSet::empty(documents))),
            Condition::And(all) => self.joined(all, DocumentSet::intersect, DocumentSet::all(documents)),
            Condition::Or(any) => self.joined(any, DocumentSet::unite, DocumentSet::empty(documents)),
            Condition::Not(one) => {
                let mut set = self.matching(one)?;
                Arc::make_mut(&mut set).complement(documents);
                Ok(set)
            }
            // Its matches depend on other segments, so that the set is not cached with this segment.
            Condition::SameAsset(of) => {
                let found = self.assets(of)?;
                Ok(Arc::new(self.of.known.assets(self.reader)?.holding(self.reader, &found)?))
            }
            demand => {
                if let Some(set) = self.of.known.sets.find(demand) {
                    return Ok(set);
                }
                self.check_clock()?;
                let mut set = DocumentSet::empty(documents);
                self.fill(&mut set, demand)?;
                let set = Arc::new(set);
                self.of.known.sets.keep(demand, &set);
                Ok(set)
            }
        }
    }

    fn joined(
        &self,
        parts: &[Condition],
        join: fn(&mut DocumentSet, &DocumentSet),
        of_none: DocumentSet,
    ) -> Result<Arc<DocumentSet>, Stop> {
        let mut joined: Option<Arc<DocumentSet>> = None;
        for part in parts {
            let set = self.matching(part)?;
            match &mut joined {
                None => joined = Some(set),
                Some(joined) => join(Arc::make_mut(joined), &set),
            }
        }
        Ok(joined.unwrap_or_else(|| Arc::new(of_none)))
    }

    /// The assets of what fulfils a condition in any segment.
    fn assets(&self, condition: &Condition) -> Result<Arc<FoundAssets>, Stop> {
        if let Some((_, found)) = self.found.of.borrow().iter().find(|(of, _)| of == condition) {
            return Ok(found.clone());
        }
        let mut found = FoundAssets::default();
        for (reader, of) in self.searcher.segment_readers().iter().zip(self.all) {
            let there = Asked { reader, of: *of, ..*self };
            let mut documents = there.matching(condition)?;
            if let Some(alive) = of.alive {
                Arc::make_mut(&mut documents).intersect(alive);
            }
            of.known.assets(reader)?.tell(reader, &documents, &mut found)?;
            self.check_clock()?;
        }
        let found = Arc::new(found);
        self.found.of.borrow_mut().push((condition.clone(), found.clone()));
        Ok(found)
    }

    /// Whether there is time left.
    pub(crate) fn check_clock(&self) -> Result<(), Stop> {
        if Instant::now() < self.deadline { Ok(()) } else { Err(Stop::Deadline) }
    }

    /// Adds the documents that fulfil one demand to the empty set.
    fn fill(&self, set: &mut DocumentSet, demand: &Condition) -> Result<(), Stop> {
        let main = |member: &str| self.fields.of(member).main;
        let mut add = |term: Term| Ok(add_term(set, self.reader, &term)?);
        match demand {
            Condition::Space(noun, project) => add(self.fields.space_term(*noun, *project, false)),
            Condition::SpaceAt(noun, project, moment) => {
                add(self.fields.space_term(*noun, *project, false))?;
                add(self.fields.space_term(*noun, *project, true))?;
                self.keep_in_force(set, *moment)
            }
            Condition::Collections(uuids) => {
                let field = main("collection_uuid");
                uuids.iter().try_for_each(|uuid| add(Term::from_field_text(field, &uuid.to_string())))
            }
            Condition::EqualText(member, text) => match self.fields.of(member).member.shape {
                // What is no uid is the uid of nothing.
                Shape::Uid => match text.to_lowercase().parse::<Uid>() {
                    Ok(uid) => add(self.fields.uid_term(uid.bytes())),
                    Err(_) => Ok(()),
                },
                _ => add(Term::from_field_text(main(member), &fold_case(text))),
            },
            Condition::EqualKind(member, kind) => add(Term::from_field_text(main(member), kind)),
            Condition::EqualInteger(member, number) => add(Term::from_field_i64(main(member), *number)),
            Condition::EqualBool(member, flag) => add(Term::from_field_bool(main(member), *flag)),
            Condition::Contains(member, text) => self.add_containing(set, member, text),
            Condition::Runs(range) => {
                Ok(add_terms_where(set, self.reader, main(RUNNING), "", |term| runs(range, term))?)
            }
            Condition::AtLeast(member, number) => self.add_between(set, member, *number..=i64::MAX),
            Condition::AtMost(member, number) => self.add_between(set, member, i64::MIN..=*number),
            // Made of other demands, not read from the segment.
            Condition::Nothing | Condition::And(_) | Condition::Or(_) | Condition::Not(_) | Condition::SameAsset(_) => {
                let made = self.matching(demand)?;
                set.unite(&made);
                Ok(())
            }
        }
    }

    /// Leaves the versions that were in force at a moment.
    fn keep_in_force(&self, set: &mut DocumentSet, moment: i64) -> Result<(), Stop> {
        let until = |member| {
            let mut until = DocumentSet::empty(self.reader.max_doc());
            self.add_between(&mut until, member, i64::MIN..=moment).map(|()| until)
        };
        set.intersect(&until("valid_from")?);
        set.subtract(&until("valid_to")?);
        Ok(())
    }

    fn add_between(&self, set: &mut DocumentSet, member: &str, bounds: RangeInclusive<i64>) -> Result<(), Stop> {
        Ok(add_column_range(set, self.reader, &column_name(member), bounds)?)
    }

    /// The text occurs in the value: of a text as its characters in sequence or as its words in sequence, of a member
    /// of few distinct values by reading them all.
    fn add_containing(&self, set: &mut DocumentSet, member: &str, text: &str) -> Result<(), Stop> {
        let of = self.fields.of(member);
        let (Some(words), Some(grams)) = (of.words, of.grams) else {
            let needle = fold_case(text);
            return Ok(add_terms_where(set, self.reader, of.main, "", |term| term.contains(&needle))?);
        };
        self.add_words(set, words, text)?;
        self.add_grams(set, grams, text)
    }

    /// Nothing for a text without words, such as `://`.
    fn add_words(&self, set: &mut DocumentSet, field: Field, text: &str) -> Result<(), Stop> {
        let tokenizers = self.searcher.index().tokenizers();
        let mut analyzer = tokenizers.get(WORDS).expect("registered when the index was opened");
        let folded: String = text.chars().take(VALUE_CHARS_MAX).collect();
        let mut stream = analyzer.token_stream(&folded);
        let mut terms = Vec::new();
        while let Some(token) = stream.next() {
            terms.push((terms.len(), Term::from_field_text(field, &token.text)));
        }
        self.add_sequence(set, terms)
    }

    fn add_grams(&self, set: &mut DocumentSet, field: Field, text: &str) -> Result<(), Stop> {
        let chars = gram_chars(text);
        if chars.len() < GRAM_CHARS {
            let start: String = chars.iter().collect();
            return match start.is_empty() {
                true => Ok(()),
                false => Ok(add_terms_where(set, self.reader, field, &start, |_| true)?),
            };
        }
        let last = chars.len() - GRAM_CHARS;
        let gram = |at: usize| Term::from_field_text(field, &chars[at..at + GRAM_CHARS].iter().collect::<String>());
        // Every third gram and the last one cover all characters.
        let offsets = (0..last).step_by(GRAM_CHARS).chain([last]);
        self.add_sequence(set, offsets.map(|at| (at, gram(at))).collect())
    }

    /// Adds the documents that hold terms at these distances. Positions cost far more than lists, so they are read only
    /// of documents that hold all terms and are not in the set yet.
    fn add_sequence(&self, set: &mut DocumentSet, terms: Vec<(usize, Term)>) -> Result<(), Stop> {
        let [(_, first), others @ ..] = terms.as_slice() else {
            return Ok(());
        };
        if others.is_empty() {
            return Ok(add_term(set, self.reader, first)?);
        }
        let index = self.reader.inverted_index(first.field())?;
        let mut lists = Vec::with_capacity(terms.len());
        for (_, term) in &terms {
            let Some(postings) = index.read_postings(term, IndexRecordOption::Basic)? else {
                return Ok(());
            };
            lists.push(postings);
        }
        lists.sort_by_key(tantivy::postings::SegmentPostings::doc_freq);
        let mut candidates: Option<DocumentSet> = None;
        for list in lists {
            let mut holding = DocumentSet::empty(self.reader.max_doc());
            add_all(&mut holding, list);
            match &mut candidates {
                None => {
                    holding.subtract(set);
                    candidates = Some(holding);
                }
                Some(candidates) => candidates.intersect(&holding),
            }
            if candidates.as_ref().is_some_and(|candidates| candidates.len() <= CANDIDATES_FEW) {
                break;
            }
        }
        let weight =
            PhraseQuery::new_with_offset(terms).weight(EnableScoring::disabled_from_searcher(self.searcher))?;
        let mut phrase = weight.scorer(self.reader, 1.0)?;
        for (looked, doc) in candidates.iter().flat_map(DocumentSet::iter).enumerate() {
            if looked % CANDIDATES_PER_CLOCK_LOOK == 0 {
                self.check_clock()?;
            }
            if phrase.doc() < doc {
                phrase.seek(doc);
            }
            match phrase.doc() {
                TERMINATED => break,
                found if found == doc => set.insert(doc),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Adds the documents whose number in a column is within bounds.
pub(crate) fn add_column_range(
    set: &mut DocumentSet,
    reader: &SegmentReader,
    column: &str,
    bounds: RangeInclusive<i64>,
) -> tantivy::Result<()> {
    let Some(column) = reader.fast_fields().column_opt::<i64>(column)? else {
        return Ok(());
    };
    // A column does not know what lies outside of it.
    if *bounds.start() > column.max_value() || *bounds.end() < column.min_value() {
        return Ok(());
    }
    let mut found = Vec::new();
    let mut start = 0;
    while start < reader.max_doc() {
        let end = (start + COLUMN_BLOCK).min(reader.max_doc());
        found.clear();
        column.get_docids_for_value_range(bounds.clone(), start..end, &mut found);
        found.iter().for_each(|doc| set.insert(*doc));
        start = end;
    }
    Ok(())
}

/// Adds the documents with a term.
pub(crate) fn add_term(set: &mut DocumentSet, reader: &SegmentReader, term: &Term) -> tantivy::Result<()> {
    let index = reader.inverted_index(term.field())?;
    if let Some(postings) = index.read_postings(term, IndexRecordOption::Basic)? {
        add_all(set, postings);
    }
    Ok(())
}

/// Adds the documents with a term that begins with `start` and fulfils `wanted`.
pub(crate) fn add_terms_where(
    set: &mut DocumentSet,
    reader: &SegmentReader,
    field: Field,
    start: &str,
    wanted: impl Fn(&str) -> bool,
) -> tantivy::Result<()> {
    let index = reader.inverted_index(field)?;
    let mut stream = index.terms().range().ge(start.as_bytes()).into_stream()?;
    while stream.advance() && stream.key().starts_with(start.as_bytes()) {
        if std::str::from_utf8(stream.key()).is_ok_and(&wanted) {
            add_all(set, index.read_postings_from_terminfo(stream.value(), IndexRecordOption::Basic)?);
        }
    }
    Ok(())
}

/// Adds the documents of a list.
pub(crate) fn add_all(set: &mut DocumentSet, mut documents: impl DocSet) {
    let mut block = [0; COLLECT_BLOCK_BUFFER_LEN];
    loop {
        let filled = documents.fill_buffer(&mut block);
        block[..filled].iter().for_each(|doc| set.insert(*doc));
        if filled < block.len() {
            return;
        }
    }
}
