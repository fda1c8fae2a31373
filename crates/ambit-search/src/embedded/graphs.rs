//! The index of graphs: what searches can ask of a graph as terms, positions and columns. It holds no graph, only their numbers.

use std::path::Path;
use std::sync::LazyLock;

use ambit_model::id::blob_hash;
use ambit_query::graphs::{GraphFacts, GraphQuery, GroupsOf, NodeWord, SortKey, canonical_address};
use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextOptions};
use tantivy::tokenizer::RAW_TOKENIZER_NAME;
use tantivy::{IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, Term};

use super::checked::{self, Expected, Reached};
use super::graph_order::GraphPages;
use super::graph_query::AskedGraphs;
use super::schema::terms;
use super::set::Set;
use super::tokenizers::{self, GRAPH_WORDS, bounded};
use crate::error::IndexError;

/// Characters of a name that count for its place in an order.
const ORDER_CHARS_MAX: usize = 1_000;
/// Raised when a document is made otherwise of the same graph.
const EDITION: u32 = 2;

/// Columns, by the names that orders and figures have for them.
pub(crate) const NUMBER: &str = "number";
pub(crate) const CREATION_DATE: &str = "creation_date";
pub(crate) const LAST_MODIFIED_DATE: &str = "last_modified_date";
pub(crate) const COMMENTS_COUNT: &str = "comments_count";
pub(crate) const TOTAL_NODES: &str = "total_nodes";
pub(crate) const NAME_ORDER: &str = "name_order";
pub(crate) const OWNER_ORDER: &str = "owner_order";
/// What stands before the name of a node for the way that it is looked for.
pub(crate) const URL_NAME: &str = "url";
pub(crate) const URL_TEXT: &str = "url text";

/// The fields of a graph.
#[derive(Clone, Debug)]
pub(crate) struct GraphFields {
    schema: Schema,
    pub(crate) number: Field,
    pub(crate) private: Field,
    /// In lower case.
    pub(crate) id: Field,
    pub(crate) owner: Field,
    pub(crate) group: Field,
    /// Users and groups on its lists.
    pub(crate) users: Field,
    pub(crate) groups: Field,
    /// Kind and name of each node, see [`named`].
    pub(crate) node: Field,
    /// Words.
    pub(crate) name: Field,
    pub(crate) label: Field,
    pub(crate) all: Field,
    /// Words of the nodes that a word of the language is about.
    of_word: [(NodeWord, Field); 4],
    columns: [Field; 6],
}

impl GraphFields {
    fn new() -> Self {
        let mut builder = Schema::builder();
        let indexed = |tokenizer, option| TextOptions::default().set_indexing_options(terms(tokenizer, option));
        let whole = || indexed(RAW_TOKENIZER_NAME, IndexRecordOption::Basic);
        let words = || indexed(GRAPH_WORDS, IndexRecordOption::WithFreqsAndPositions);
        let text_column = || TextOptions::default().set_fast(RAW_TOKENIZER_NAME);
        let column = NumericOptions::default().set_fast();
        GraphFields {
            number: builder.add_i64_field(NUMBER, column.clone().set_indexed()),
            private: builder.add_bool_field("private", NumericOptions::default().set_indexed()),
            id: builder.add_text_field("id", whole()),
            owner: builder.add_text_field("owner", whole()),
            group: builder.add_text_field("group", whole()),
            users: builder.add_text_field("users", whole()),
            groups: builder.add_text_field("groups", whole()),
            node: builder.add_text_field("node", whole()),
            name: builder.add_text_field("name", words()),
            label: builder.add_text_field("label", words()),
            all: builder.add_text_field("all", words()),
            of_word: [NodeWord::Actor, NodeWord::Victim, NodeWord::Email, NodeWord::Department]
                .map(|word| (word, builder.add_text_field(word.name(), words()))),
            columns: [
                builder.add_i64_field(CREATION_DATE, column.clone()),
                builder.add_i64_field(LAST_MODIFIED_DATE, column.clone()),
                builder.add_i64_field(COMMENTS_COUNT, column.clone()),
                builder.add_i64_field(TOTAL_NODES, column),
                builder.add_text_field(NAME_ORDER, text_column()),
                builder.add_text_field(OWNER_ORDER, text_column()),
            ],
            schema: builder.build(),
        }
    }

    /// The words of the nodes that a word of the language is about.
    pub(crate) fn of_word(&self, word: NodeWord) -> Field {
        let found = self.of_word.iter().find(|(known, _)| *known == word);
        found.expect("each word has its field").1
    }

    fn document(&self, graph: &GraphFacts) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        let mut add = |field, text: &str| document.add_text(field, text);
        add(self.id, &graph.id.to_ascii_lowercase());
        add(self.owner, &graph.owner);
        graph.group.iter().for_each(|group| add(self.group, group));
        graph.users.iter().for_each(|user| add(self.users, user));
        graph.groups.iter().for_each(|group| add(self.groups, group));
        add(self.name, &graph.name);
        graph.texts().for_each(|text| add(self.all, text));
        for node in &graph.nodes {
            add(self.label, &node.text);
            match node.kind.as_str() {
                "ip_address" => add(self.node, &named("ip_address", &canonical_address(&node.entity_id))),
                kind @ ("file" | "domain") => add(self.node, &named(kind, &node.entity_id.to_ascii_lowercase())),
                "url" => {
                    add(self.node, &named(URL_NAME, &node.entity_id));
                    add(self.node, &named(URL_TEXT, &node.text));
                }
                _ => {}
            }
            for (word, field) in self.of_word.iter().filter(|(word, _)| word.is_of(node)) {
                for text in [&node.entity_id, &node.text] {
                    add(*field, text);
                    add(self.node, &named(word.name(), &text.to_ascii_lowercase()));
                }
            }
        }
        document.add_i64(self.number, graph.number);
        document.add_bool(self.private, graph.private);
        let [created, modified, comments, nodes, name, owner] = self.columns;
        document.add_i64(created, graph.creation_date);
        document.add_i64(modified, graph.last_modified_date);
        document.add_i64(comments, graph.comments_count);
        document.add_i64(nodes, graph.total_nodes);
        document.add_text(name, order_text(&graph.name));
        document.add_text(owner, order_text(&graph.owner));
        document
    }
}

/// The term of a node: a kind and a name.
pub(crate) fn named(kind: &str, name: &str) -> String {
    format!("{kind}\0{}", bounded(name))
}

/// What a text counts for in an order.
fn order_text(text: &str) -> String {
    text.chars().take(ORDER_CHARS_MAX).flat_map(char::to_lowercase).collect()
}

/// Nothing but the lock is there.
fn is_empty(path: &Path) -> Result<bool, IndexError> {
    let entries = std::fs::read_dir(path).map_err(|error| IndexError::io("read", path, error))?;
    Ok(!entries.flatten().any(|entry| !entry.file_name().to_string_lossy().ends_with(".lock")))
}

static SHAPE: LazyLock<String> = LazyLock::new(|| {
    let schema = serde_json::to_string(&GraphFields::new().schema).expect("a schema is plain data");
    blob_hash(format!("{EDITION} {schema}").as_bytes()).to_string()[..8].to_owned()
});

/// The index with its writer.
pub(crate) struct Graphs {
    fields: GraphFields,
    reader: IndexReader,
    writer: IndexWriter,
    /// What the last commit reached.
    pub(crate) reached: Reached,
}

/// A moment of it, which stays as it is while writing goes on.
#[derive(Clone)]
pub(crate) struct GraphMoment {
    fields: GraphFields,
    searcher: Searcher,
}

impl GraphMoment {
    /// How many graphs a query finds among those that a user with some groups may see, and the first of them.
    pub(crate) fn find(
        &self,
        query: &GraphQuery,
        (user, groups): (&str, &[String]),
        groups_of: GroupsOf<'_>,
        pages: &GraphPages<'_>,
    ) -> Result<(usize, Vec<SortKey>), IndexError> {
        let (mut total, mut keys) = (0, Vec::new());
        for reader in self.searcher.segment_readers() {
            let asked = AskedGraphs {
                fields: &self.fields,
                searcher: &self.searcher,
                reader,
                groups_of,
                views: pages.views,
            };
            let mut set = asked.visible_to(user, groups)?;
            set.intersect(&asked.matching(query)?);
            if let Some(alive) = Set::alive(reader) {
                set.intersect(&alive);
            }
            total += set.len();
            keys.extend(pages.of_segment(reader, &set)?);
        }
        Ok((total, pages.merge(keys)))
    }
}

impl Graphs {
    /// An index in memory, empty.
    pub(crate) fn in_memory() -> Result<Self, IndexError> {
        Self::with(
            tantivy::Index::create_in_ram(GraphFields::new().schema),
            Path::new("memory"),
            Reached::default(),
        )
    }

    /// The index of a folder; one that is missing, damaged or of another shape begins empty.
    pub(crate) fn open(path: &Path) -> Result<Self, IndexError> {
        let expected = Expected {
            schema: GraphFields::new().schema,
            settings: IndexSettings::default(),
            shape: SHAPE.clone(),
            column: NUMBER,
        };
        let lock = checked::lock(path)?;
        let found = match is_empty(path)? {
            true => None,
            false => match checked::open(path, &expected) {
                Ok(found) => Some(found),
                Err(error @ (IndexError::Damaged(_) | IndexError::OtherShape { .. })) => {
                    tracing::warn!(path = %path.display(), %error, "the index of graphs is built anew");
                    std::fs::remove_dir_all(path).map_err(|error| IndexError::io("remove", path, error))?;
                    None
                }
                Err(error) => return Err(error),
            },
        };
        // The writer takes it again.
        drop(lock);
        if let Some((index, reached)) = found {
            return Self::with(index, path, reached);
        }
        let mut graphs = Self::with(checked::create(path, &expected)?, path, Reached::default())?;
        graphs.commit(Reached::default())?;
        Ok(graphs)
    }

    fn with(index: tantivy::Index, path: &Path, reached: Reached) -> Result<Self, IndexError> {
        tokenizers::register(index.tokenizers());
        Ok(Graphs {
            fields: GraphFields::new(),
            reader: index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?,
            writer: checked::writer(&index, path)?,
            reached,
        })
    }

    /// Writes a graph in place of its former state, without a commit.
    pub(crate) fn put(&mut self, graph: &GraphFacts) -> Result<(), IndexError> {
        self.remove(graph.number);
        self.writer.add_document(self.fields.document(graph))?;
        Ok(())
    }

    /// Removes a graph, without a commit.
    pub(crate) fn remove(&mut self, number: i64) {
        self.writer.delete_term(Term::from_field_i64(self.fields.number, number));
    }

    /// Removes all of them: the next to follow begins at the start.
    pub(crate) fn clear(&mut self) -> Result<(), IndexError> {
        self.writer.delete_all_documents()?;
        self.commit(Reached::default())
    }

    /// Makes what was written visible to later views.
    pub(crate) fn commit(&mut self, reached: Reached) -> Result<(), IndexError> {
        checked::commit(&mut self.writer, &SHAPE, reached)?;
        self.reader.reload()?;
        self.reached = reached;
        Ok(())
    }

    /// What was committed last.
    pub(crate) fn moment(&self) -> GraphMoment {
        GraphMoment {
            fields: self.fields.clone(),
            searcher: self.reader.searcher(),
        }
    }
}
