//! The language of graph search (docs/contract/graphs.md §4): `modifier:value` and free text, AND, OR, NOT, parentheses
//! and quotes. Text to tree;
//! `matches` says what a tree means, word by word, and is what every faster execution is compared with.

mod facts;
mod order;
mod parse;
#[cfg(test)]
mod tests;

pub use facts::{GraphFacts, NodeFacts};
pub use order::{GraphOrder, OrderField, SortKey};
pub use parse::{GraphQueryError, parse_graph_query};

use crate::boolean::Boolean;
use crate::range::Range;

/// A query as a tree.
pub type GraphQuery = Boolean<Leaf>;

/// Words that must follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// In lower case.
    pub words: Vec<String>,
    /// The last one is only the beginning of a word.
    pub prefix: bool,
}

/// A moment or number of a graph that can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// In seconds since 1970.
    CreationDate,
    /// In seconds since 1970.
    LastModifiedDate,
    TotalNodes,
    CommentsCount,
    ViewsCount,
}

/// A name by which nodes are told apart that no kind of object of ours has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeWord {
    Actor,
    Victim,
    Email,
    Department,
}

impl NodeWord {
    /// As it stands in `type` or `custom_type` of a node.
    pub fn name(self) -> &'static str {
        match self {
            Self::Actor => "actor",
            Self::Victim => "victim",
            Self::Email => "email",
            Self::Department => "department",
        }
    }

    /// True of a node that is one.
    pub fn is_of(self, node: &NodeFacts) -> bool {
        node.kind == self.name() || (node.kind == "custom" && node.custom_type == self.name())
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    Id(String),
    Name(Phrase),
    Owner(String),
    Group(String),
    /// Graphs that a user can see, directly or through a group: `GraphSearchers` knows the groups.
    VisibleToUser(String),
    VisibleToGroup(String),
    Private(bool),
    /// In the unit of the figure.
    Figure(Figure, Range),
    Label(Phrase),
    /// A hash in lower case, and the SHA-256 that is known for it.
    File(Vec<String>),
    Domain(String),
    /// In its canonical form, where it is an address.
    IpAddress(String),
    /// The URL and the other names that nodes may have for it.
    Url(Vec<String>),
    Node(NodeWord, String, Phrase),
    Free(Phrase),
}

/// Words of a text: runs of letters and digits, in lower case.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

impl Phrase {
    /// The phrase of a text; a trailing `*` makes its last word a beginning.
    pub fn new(text: &str) -> Self {
        let trimmed = text.trim_end();
        Self { words: words(trimmed).collect(), prefix: trimmed.ends_with('*') }
    }

    /// True if the words stand in a text, one after the other. Without any word it is nowhere.
    pub(crate) fn stands_in(&self, text: &str) -> bool {
        let Some((last, first)) = self.words.split_last() else { return false };
        let found: Vec<String> = words(text).collect();
        found.windows(self.words.len()).any(|window| {
            let end = &window[first.len()];
            window[..first.len()] == *first && if self.prefix { end.starts_with(last.as_str()) } else { end == last }
        })
    }
}

/// The groups of the users whom a query names.
pub type GroupsOf<'a> = &'a dyn Fn(&str) -> Vec<String>;

impl GraphQuery {
    /// True for a graph that the query finds. Whether the caller may see it is another question.
    pub fn matches(&self, graph: &GraphFacts, groups: GroupsOf<'_>) -> bool {
        self.holds(&|leaf| leaf.matches(graph, groups))
    }
}

impl Leaf {
    fn matches(&self, graph: &GraphFacts, groups: GroupsOf<'_>) -> bool {
        let nodes = |kind: &str, test: &dyn Fn(&NodeFacts) -> bool| {
            graph.nodes.iter().any(|node| node.kind == kind && test(node))
        };
        match self {
            Self::Id(id) => graph.id.eq_ignore_ascii_case(id),
            Self::Name(phrase) => phrase.stands_in(&graph.name),
            Self::Owner(owner) => graph.owner == *owner,
            Self::Group(group) => graph.group.as_ref() == Some(group),
            Self::VisibleToUser(user) => graph.is_visible_to(user, &groups(user)),
            Self::VisibleToGroup(group) => graph.is_visible_to_group(group),
            Self::Private(private) => graph.private == *private,
            Self::Figure(figure, range) => range.holds(graph.figure(*figure)),
            Self::Label(phrase) => graph.nodes.iter().any(|node| phrase.stands_in(&node.text)),
            Self::File(hashes) => {
                nodes("file", &|node| hashes.iter().any(|hash| node.entity_id.eq_ignore_ascii_case(hash)))
            }
            Self::Domain(domain) => nodes("domain", &|node| node.entity_id.eq_ignore_ascii_case(domain)),
            Self::IpAddress(address) => nodes("ip_address", &|node| canonical_address(&node.entity_id) == *address),
            Self::Url(names) => nodes("url", &|node| {
                let is_named = |name| name == &node.entity_id || node.url_ids.contains(name);
                names.iter().any(is_named) || names.first() == Some(&node.text)
            }),
            Self::Node(word, value, phrase) => graph.nodes.iter().any(|node| {
                let texts = [&node.entity_id, &node.text];
                word.is_of(node) && texts.iter().any(|text| text.eq_ignore_ascii_case(value) || phrase.stands_in(text))
            }),
            Self::Free(phrase) => graph.texts().any(|text| phrase.stands_in(text)),
        }
    }
}

/// An address in its shortest form; other text in lower case.
pub fn canonical_address(text: &str) -> String {
    text.trim().parse::<std::net::IpAddr>().map_or_else(|_| text.trim().to_lowercase(), |address| address.to_string())
}
