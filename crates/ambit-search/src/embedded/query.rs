//! From a condition to a Tantivy query.

use std::collections::BTreeSet;
use std::ops::Bound;

use ambit_model::Uid;
use tantivy::query::{AllQuery, BooleanQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery, TermQuery, TermSetQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use super::excluded::Excluded;
use super::schema::Fields;
use super::tokenizers::{GRAM_CHARS, WORDS, fold_case, gram_chars};
use crate::condition::Condition;
use crate::fields::Shape;

pub(crate) fn compile(condition: &Condition, fields: &Fields, searcher: &Searcher) -> tantivy::Result<Box<dyn Query>> {
    let compile = |condition: &Condition| compile(condition, fields, searcher);
    Ok(match condition {
        Condition::Nothing => Box::new(EmptyQuery),
        Condition::And(all) => {
            let mut clauses = Vec::with_capacity(all.len());
            for part in all {
                clauses.push(match part {
                    Condition::Not(one) => (Occur::MustNot, Box::new(Excluded(compile(one)?)) as Box<dyn Query>),
                    other => (Occur::Must, compile(other)?),
                });
            }
            Box::new(BooleanQuery::new(clauses))
        }
        Condition::Or(any) => Box::new(BooleanQuery::union(any.iter().map(compile).collect::<Result<_, _>>()?)),
        Condition::Not(one) => {
            let all: Box<dyn Query> = Box::new(AllQuery);
            Box::new(BooleanQuery::new(vec![
                (Occur::Must, all),
                (Occur::MustNot, Box::new(Excluded(compile(one)?)) as Box<dyn Query>),
            ]))
        }
        Condition::Space(noun, project) => term(fields.space_term(*noun, *project, false)),
        Condition::SpaceAt(noun, project, moment) => {
            let spaces = [false, true].map(|past| term(fields.space_term(*noun, *project, past)));
            let bound = |member, moment: i64| Term::from_field_i64(fields.of(member).main, moment);
            let begun = RangeQuery::new(Bound::Unbounded, Bound::Included(bound("valid_from", *moment)));
            let ended = RangeQuery::new(Bound::Unbounded, Bound::Included(bound("valid_to", *moment)));
            Box::new(BooleanQuery::new(vec![
                (Occur::Must, Box::new(BooleanQuery::union(spaces.into())) as Box<dyn Query>),
                (Occur::Must, Box::new(begun)),
                (Occur::MustNot, Box::new(Excluded(Box::new(ended)))),
            ]))
        }
        Condition::Collections(uuids) => {
            let field = fields.of("collection_uuid").main;
            let mut terms: Vec<Term> = uuids.iter().map(|uuid| Term::from_field_text(field, &uuid.to_string())).collect();
            if terms.len() == 1 {
                term(terms.remove(0))
            } else {
                Box::new(TermSetQuery::new(terms))
            }
        }
        Condition::EqualText(member, text) => equal_text(fields, member, text),
        Condition::EqualKind(member, kind) => term(Term::from_field_text(fields.of(member).main, kind)),
        Condition::EqualInteger(member, number) => term(Term::from_field_i64(fields.of(member).main, *number)),
        Condition::EqualBool(member, flag) => term(Term::from_field_bool(fields.of(member).main, *flag)),
        Condition::Contains(member, text) => contains(fields, member, text, searcher)?,
        Condition::AtLeast(member, number) => {
            let bound = Term::from_field_i64(fields.of(member).main, *number);
            Box::new(RangeQuery::new(Bound::Included(bound), Bound::Unbounded))
        }
        Condition::AtMost(member, number) => {
            let bound = Term::from_field_i64(fields.of(member).main, *number);
            Box::new(RangeQuery::new(Bound::Unbounded, Bound::Included(bound)))
        }
    })
}

fn term(term: Term) -> Box<dyn Query> {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}

fn equal_text(fields: &Fields, member: &str, text: &str) -> Box<dyn Query> {
    let of = fields.of(member);
    match of.member.shape {
        // What is no uid is the uid of nothing.
        Shape::Uid => match text.to_lowercase().parse::<Uid>() {
            Ok(uid) => term(fields.uid_term(uid.bytes())),
            Err(_) => Box::new(EmptyQuery),
        },
        _ => term(Term::from_field_text(of.main, &fold_case(text))),
    }
}

/// The text occurs in the value: of a text as its characters in sequence or as its words in sequence, of a member of
/// few distinct values by reading them all.
fn contains(fields: &Fields, member: &str, text: &str, searcher: &Searcher) -> tantivy::Result<Box<dyn Query>> {
    let of = fields.of(member);
    let (Some(words), Some(grams)) = (of.words, of.grams) else {
        let needle = fold_case(text);
        return terms_where(of.main, "", |term| term.contains(&needle), searcher);
    };
    let by_grams = grams_in_sequence(grams, text, searcher)?;
    match words_in_sequence(words, text, searcher)? {
        None => Ok(by_grams),
        Some(by_words) => Ok(Box::new(BooleanQuery::union(vec![by_grams, by_words]))),
    }
}

fn grams_in_sequence(field: Field, text: &str, searcher: &Searcher) -> tantivy::Result<Box<dyn Query>> {
    let chars = gram_chars(text);
    if chars.is_empty() {
        return Ok(Box::new(EmptyQuery));
    }
    if chars.len() < GRAM_CHARS {
        let start: String = chars.iter().collect();
        return terms_where(field, &start, |_| true, searcher);
    }
    let last = chars.len() - GRAM_CHARS;
    let gram = |at: usize| Term::from_field_text(field, &chars[at..at + GRAM_CHARS].iter().collect::<String>());
    if last == 0 {
        return Ok(term(gram(0)));
    }
    // Every third gram and the last one cover all characters.
    let mut offsets: Vec<usize> = (0..last).step_by(GRAM_CHARS).collect();
    offsets.push(last);
    Ok(Box::new(PhraseQuery::new_with_offset(
        offsets.into_iter().map(|at| (at, gram(at))).collect(),
    )))
}

/// `None` for a text without words, such as `://`.
fn words_in_sequence(field: Field, text: &str, searcher: &Searcher) -> tantivy::Result<Option<Box<dyn Query>>> {
    let mut analyzer = searcher.index().tokenizers().get(WORDS).expect("registered when the index was opened");
    let folded: String = text.chars().take(crate::fields::VALUE_CHARS_MAX).collect();
    let mut stream = analyzer.token_stream(&folded);
    let mut terms = Vec::new();
    while let Some(token) = stream.next() {
        terms.push(Term::from_field_text(field, &token.text));
    }
    Ok(match terms.len() {
        0 => None,
        1 => Some(term(terms.remove(0))),
        _ => Some(Box::new(PhraseQuery::new(terms))),
    })
}

/// Documents with a term that begins with `start` and fulfils `wanted`.
fn terms_where(field: Field, start: &str, wanted: impl Fn(&str) -> bool, searcher: &Searcher) -> tantivy::Result<Box<dyn Query>> {
    let mut found = BTreeSet::new();
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(field)?;
        let mut stream = index.terms().range().ge(start.as_bytes()).into_stream()?;
        while stream.advance() {
            if !stream.key().starts_with(start.as_bytes()) {
                break;
            }
            let text = std::str::from_utf8(stream.key()).unwrap_or_default();
            if wanted(text) && !found.contains(text) {
                found.insert(text.to_owned());
            }
        }
    }
    Ok(match found.is_empty() {
        true => Box::new(EmptyQuery),
        false => Box::new(TermSetQuery::new(found.iter().map(|text| Term::from_field_text(field, text)))),
    })
}
