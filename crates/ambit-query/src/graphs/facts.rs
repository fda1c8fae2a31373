//! What a query can ask of a graph.

use super::Figure;
use std::collections::BTreeSet;

/// A graph as searches see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphFacts {
    /// Counts graphs in the order in which they were made.
    pub number: i64,
    pub id: String,
    /// `graph_data.description`.
    pub name: String,
    pub owner: String,
    pub group: Option<String>,
    pub private: bool,
    /// Seconds since 1970.
    pub creation_date: i64,
    /// Seconds since 1970.
    pub last_modified_date: i64,
    pub comments_count: i64,
    pub views_count: i64,
    /// Users and groups on its lists of editors and viewers.
    pub users: Vec<String>,
    pub groups: Vec<String>,
    /// Entries of `nodes`, whatever they are.
    pub total_nodes: i64,
    pub nodes: Vec<NodeFacts>,
    /// Texts of its comments.
    pub comments: Vec<String>,
    /// Further texts of what it is made of: attributes of its nodes, sorts of its links, notes.
    pub more: BTreeSet<String>,
}

/// A node as searches see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFacts {
    pub kind: String,
    pub entity_id: String,
    pub text: String,
    /// `entity_attributes.custom_type`.
    pub custom_type: String,
    /// The ids of the URL that it stands for, by its entity id and by its text; none where it stands for no URL.
    pub url_ids: Vec<String>,
}

impl GraphFacts {
    /// True where everybody, the user, or one of the user's groups may see it.
    pub fn is_visible_to(&self, user: &str, groups: &[String]) -> bool {
        !self.private
            || self.owner == user
            || self.users.iter().any(|one| one == user)
            || groups.iter().any(|group| self.groups.contains(group))
    }

    /// True where everybody or the group may see it.
    pub(crate) fn is_visible_to_group(&self, group: &str) -> bool {
        !self.private || self.groups.iter().any(|one| one == group)
    }

    /// A moment or number that can be compared.
    pub fn figure(&self, figure: Figure) -> i64 {
        match figure {
            Figure::CreationDate => self.creation_date,
            Figure::LastModifiedDate => self.last_modified_date,
            Figure::TotalNodes => self.total_nodes,
            Figure::CommentsCount => self.comments_count,
            Figure::ViewsCount => self.views_count,
        }
    }

    /// Every text that free words are looked for in.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let own = [self.id.as_str(), &self.name, &self.owner, self.group.as_deref().unwrap_or_default()];
        let nodes = self.nodes.iter().flat_map(|node| [node.entity_id.as_str(), node.text.as_str()]);
        own.into_iter().chain(nodes).chain(self.comments.iter().chain(&self.more).map(String::as_str))
    }
}
