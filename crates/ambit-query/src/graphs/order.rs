//! In which order graphs are shown: one of six fields, then the order in which they were made; `-` reverses both.

use super::GraphFacts;

/// What graphs are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderField {
    Name,
    Owner,
    CreationDate,
    LastModifiedDate,
    ViewsCount,
    CommentsCount,
}

const FIELDS: [(&str, OrderField); 6] = [
    ("name", OrderField::Name),
    ("owner", OrderField::Owner),
    ("creation_date", OrderField::CreationDate),
    ("last_modified_date", OrderField::LastModifiedDate),
    ("views_count", OrderField::ViewsCount),
    ("comments_count", OrderField::CommentsCount),
];

/// An order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphOrder {
    pub field: OrderField,
    pub descending: bool,
}

/// Where a graph stands in an order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortKey {
    Text(String, i64),
    Number(i64, i64),
}

impl Default for GraphOrder {
    /// Newest first.
    fn default() -> Self {
        Self { field: OrderField::CreationDate, descending: true }
    }
}

impl GraphOrder {
    /// Reads `field`, `field+` or `field-`; an unescaped `+` arrives as a blank. The error names the fields.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (name, descending) = match text.strip_suffix('-') {
            Some(name) => (name, true),
            None => (text.strip_suffix('+').unwrap_or(text), false),
        };
        let found = FIELDS.iter().find(|(known, _)| *known == name);
        let known = || FIELDS.map(|(known, _)| known).join(", ");
        let (_, field) = found.ok_or_else(|| format!("unknown order {name:?}; known: {}", known()))?;
        Ok(Self { field: *field, descending })
    }

    /// Where a graph stands before it is reversed.
    pub fn key(self, graph: &GraphFacts) -> SortKey {
        match self.field {
            OrderField::Name => SortKey::Text(graph.name.to_lowercase(), graph.number),
            OrderField::Owner => SortKey::Text(graph.owner.to_lowercase(), graph.number),
            OrderField::CreationDate => SortKey::Number(graph.creation_date, graph.number),
            OrderField::LastModifiedDate => SortKey::Number(graph.last_modified_date, graph.number),
            OrderField::ViewsCount => SortKey::Number(graph.views_count, graph.number),
            OrderField::CommentsCount => SortKey::Number(graph.comments_count, graph.number),
        }
    }
}
