//! From the tree of a graph search to the graphs of a segment that it finds. Every condition is answered from terms,
//! positions and columns alone.

use super::document_set::DocumentSet;
use super::graph_fields::{
    COMMENTS_COUNT, CREATION_DATE, GraphFields, LAST_MODIFIED_DATE, NUMBER, TOTAL_NODES, URL_NAME, URL_TEXT, named,
};
use super::query::{add_all, add_column_range, add_term, add_terms_where};
use ambit_query::Range;
use ambit_query::graphs::{Figure, GraphQuery, GroupsOf, Leaf, Phrase};
use std::collections::HashMap;
use tantivy::query::{EnableScoring, PhrasePrefixQuery, PhraseQuery, Query};
use tantivy::schema::Field;
use tantivy::{Searcher, SegmentReader, Term};

/// A segment that is asked.
pub(crate) struct AskedGraphs<'a> {
    pub(crate) fields: &'a GraphFields,
    pub(crate) searcher: &'a Searcher,
    pub(crate) reader: &'a SegmentReader,
    pub(crate) groups_of: GroupsOf<'a>,
    /// Views by the number of the graph; one that is missing has none.
    pub(crate) views: &'a HashMap<i64, i64>,
}

impl AskedGraphs<'_> {
    /// The graphs that the query finds, deleted ones included.
    pub(crate) fn matching(&self, query: &GraphQuery) -> tantivy::Result<DocumentSet> {
        let documents = self.reader.max_doc();
        Ok(match query {
            GraphQuery::And(all) => self.joined(all, DocumentSet::intersect, DocumentSet::all(documents))?,
            GraphQuery::Or(any) => self.joined(any, DocumentSet::unite, DocumentSet::empty(documents))?,
            GraphQuery::Not(one) => {
                let mut set = self.matching(one)?;
                set.complement(documents);
                set
            }
            GraphQuery::Leaf(leaf) => self.of_leaf(leaf)?,
        })
    }

    fn joined(
        &self,
        parts: &[GraphQuery],
        join: fn(&mut DocumentSet, &DocumentSet),
        mut joined: DocumentSet,
    ) -> tantivy::Result<DocumentSet> {
        for part in parts {
            join(&mut joined, &self.matching(part)?);
        }
        Ok(joined)
    }

    fn of_leaf(&self, leaf: &Leaf) -> tantivy::Result<DocumentSet> {
        let fields = self.fields;
        match leaf {
            Leaf::Id(id) => self.with(fields.id, [id.to_ascii_lowercase()]),
            Leaf::Name(phrase) => self.with_phrase(fields.name, phrase),
            Leaf::Owner(owner) => self.with(fields.owner, [owner]),
            Leaf::Group(group) => self.with(fields.group, [group]),
            Leaf::VisibleToUser(user) => self.visible_to(user, &(self.groups_of)(user)),
            Leaf::VisibleToGroup(group) => self.visible_to_group(group),
            Leaf::Private(private) => self.private(*private),
            Leaf::Figure(figure, range) => self.within(*figure, *range),
            Leaf::Label(phrase) => self.with_phrase(fields.label, phrase),
            Leaf::File(hashes) => {
                self.with(fields.node, hashes.iter().map(|hash| named("file", &hash.to_ascii_lowercase())))
            }
            Leaf::Domain(domain) => self.with(fields.node, [named("domain", &domain.to_ascii_lowercase())]),
            Leaf::IpAddress(address) => self.with(fields.node, [named("ip_address", address)]),
            Leaf::Url(names) => {
                let text = names.first().map(|text| named(URL_TEXT, text));
                self.with(fields.node, names.iter().map(|name| named(URL_NAME, name)).chain(text))
            }
            Leaf::Node(word, value, phrase) => {
                let mut set = self.with(fields.node, [named(word.name(), &value.to_ascii_lowercase())])?;
                set.unite(&self.with_phrase(fields.of_word(*word), phrase)?);
                Ok(set)
            }
            Leaf::Free(phrase) => self.with_phrase(fields.all, phrase),
        }
    }

    /// Graphs with any of some terms.
    fn with(&self, field: Field, terms: impl IntoIterator<Item = impl AsRef<str>>) -> tantivy::Result<DocumentSet> {
        let mut set = DocumentSet::empty(self.reader.max_doc());
        for term in terms {
            add_term(&mut set, self.reader, &Term::from_field_text(field, term.as_ref()))?;
        }
        Ok(set)
    }

    fn private(&self, private: bool) -> tantivy::Result<DocumentSet> {
        let mut set = DocumentSet::empty(self.reader.max_doc());
        add_term(&mut set, self.reader, &Term::from_field_bool(self.fields.private, private))?;
        Ok(set)
    }

    /// As `GraphFacts::is_visible_to` says.
    pub(crate) fn visible_to(&self, user: &str, groups: &[String]) -> tantivy::Result<DocumentSet> {
        let mut set = self.private(false)?;
        set.unite(&self.with(self.fields.owner, [user])?);
        set.unite(&self.with(self.fields.users, [user])?);
        set.unite(&self.with(self.fields.groups, groups)?);
        Ok(set)
    }

    fn visible_to_group(&self, group: &str) -> tantivy::Result<DocumentSet> {
        let mut set = self.private(false)?;
        set.unite(&self.with(self.fields.groups, [group])?);
        Ok(set)
    }

    fn within(&self, figure: Figure, range: Range) -> tantivy::Result<DocumentSet> {
        let mut set = DocumentSet::empty(self.reader.max_doc());
        let column = match figure {
            Figure::CreationDate => CREATION_DATE,
            Figure::LastModifiedDate => LAST_MODIFIED_DATE,
            Figure::TotalNodes => TOTAL_NODES,
            Figure::CommentsCount => COMMENTS_COUNT,
            Figure::ViewsCount => {
                let numbers = self.reader.fast_fields().i64(NUMBER)?;
                for doc in 0..self.reader.max_doc() {
                    let views =
                        numbers.first(doc).and_then(|number| self.views.get(&number)).copied().unwrap_or_default();
                    if range.holds(views) {
                        set.insert(doc);
                    }
                }
                return Ok(set);
            }
        };
        let from = range.from.unwrap_or(i64::MIN);
        // Nothing is less than the least number.
        let Some(until) = range.until.map_or(Some(i64::MAX), |until| until.checked_sub(1)) else {
            return Ok(set);
        };
        add_column_range(&mut set, self.reader, column, from..=until)?;
        Ok(set)
    }

    /// Graphs with a text in which the words stand, one after the other. Without any word there is none.
    fn with_phrase(&self, field: Field, phrase: &Phrase) -> tantivy::Result<DocumentSet> {
        let mut set = DocumentSet::empty(self.reader.max_doc());
        let terms = || phrase.words.iter().map(|word| Term::from_field_text(field, word)).collect::<Vec<_>>();
        match (phrase.words.as_slice(), phrase.prefix) {
            ([], _) => {}
            ([word], true) => add_terms_where(&mut set, self.reader, field, word, |_| true)?,
            ([word], false) => add_term(&mut set, self.reader, &Term::from_field_text(field, word))?,
            (_, true) => {
                let mut query = PhrasePrefixQuery::new(terms());
                query.set_max_expansions(u32::MAX);
                self.add_found(&mut set, &query)?;
            }
            (_, false) => self.add_found(&mut set, &PhraseQuery::new(terms()))?,
        }
        Ok(set)
    }

    fn add_found(&self, set: &mut DocumentSet, query: &dyn Query) -> tantivy::Result<()> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(self.searcher))?;
        add_all(set, weight.scorer(self.reader, 1.0)?);
        Ok(())
    }
}
