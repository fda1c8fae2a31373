//! The fields of a graph in the index, and the document that they make of it.

use super::schema::terms;
use super::tokenizers::{GRAPH_WORDS, bounded};
use ambit_query::graphs::{GraphFacts, NodeWord, canonical_address};
use tantivy::TantivyDocument;
use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextOptions};
use tantivy::tokenizer::RAW_TOKENIZER_NAME;

/// Characters of a name that count for its place in an order.
const ORDER_CHARS_MAX: usize = 1_000;
/// Columns, by the names that orders and figures have for them.
pub(crate) const NUMBER: &str = "number";
pub(crate) const CREATION_DATE: &str = "creation_date";
pub(crate) const LAST_MODIFIED_DATE: &str = "last_modified_date";
pub(crate) const COMMENTS_COUNT: &str = "comments_count";
pub(crate) const TOTAL_NODES: &str = "total_nodes";
pub(crate) const NAME_ORDER: &str = "name_order";
pub(crate) const OWNER_ORDER: &str = "owner_order";
/// Prefixes of the names of nodes, by the way in which they are searched.
pub(crate) const URL_NAME: &str = "url";
pub(crate) const URL_TEXT: &str = "url text";

/// The fields of a graph.
#[derive(Clone, Debug)]
pub(crate) struct GraphFields {
    pub(crate) schema: Schema,
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
    pub(crate) fn new() -> Self {
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

    pub(crate) fn document(&self, graph: &GraphFacts) -> TantivyDocument {
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
                    node.url_ids.iter().for_each(|id| add(self.node, &named(URL_NAME, id)));
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
