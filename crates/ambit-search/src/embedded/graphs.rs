//! The index of graphs: what searches can ask of a graph as terms, positions and columns. It holds no graph, only their
//! numbers.

use super::checked::{self, Expected, Reached};
use super::document_set::DocumentSet;
use super::graph_fields::{GraphFields, NUMBER};
use super::graph_order::GraphPages;
use super::graph_query::AskedGraphs;
use super::tokenizers;
use crate::error::{IndexError, Result};
use ambit_model::id::blob_hash;
use ambit_query::graphs::{GraphFacts, GraphQuery, GroupsOf, SortKey};
use std::path::Path;
use std::sync::LazyLock;
use tantivy::{IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, Term};

/// Raised when a document is made otherwise of the same graph.
const EDITION: u32 = 4;

/// Nothing but the lock is there.
fn is_empty(path: &Path) -> Result<bool> {
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
    ) -> Result<(usize, Vec<SortKey>)> {
        let (mut total, mut keys) = (0, Vec::new());
        for reader in self.searcher.segment_readers() {
            let asked =
                AskedGraphs { fields: &self.fields, searcher: &self.searcher, reader, groups_of, views: pages.views };
            let mut set = asked.visible_to(user, groups)?;
            set.intersect(&asked.matching(query)?);
            if let Some(alive) = DocumentSet::alive(reader) {
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
    pub(crate) fn in_memory() -> Result<Self> {
        Self::with(tantivy::Index::create_in_ram(GraphFields::new().schema), Path::new("memory"), Reached::default())
    }

    /// The index of a folder; one that is missing, damaged or of another shape begins empty.
    pub(crate) fn open(path: &Path) -> Result<Self> {
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
                    tracing::warn!(path = %path.display(), %error, "the index of graphs is rebuilt");
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

    fn with(index: tantivy::Index, path: &Path, reached: Reached) -> Result<Self> {
        tokenizers::register(index.tokenizers());
        Ok(Graphs {
            fields: GraphFields::new(),
            reader: index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?,
            writer: checked::writer(&index, path)?,
            reached,
        })
    }

    /// Writes a graph in place of its former state, without a commit.
    pub(crate) fn put(&mut self, graph: &GraphFacts) -> Result<()> {
        self.remove(graph.number);
        self.writer.add_document(self.fields.document(graph))?;
        Ok(())
    }

    /// Removes a graph, without a commit.
    pub(crate) fn remove(&mut self, number: i64) {
        self.writer.delete_term(Term::from_field_i64(self.fields.number, number));
    }

    /// Removes all of them: the next to follow begins at the start.
    pub(crate) fn clear(&mut self) -> Result<()> {
        self.writer.delete_all_documents()?;
        self.commit(Reached::default())
    }

    /// Makes what was written visible to later views.
    pub(crate) fn commit(&mut self, reached: Reached) -> Result<()> {
        checked::commit(&mut self.writer, &SHAPE, reached)?;
        self.reader.reload()?;
        self.reached = reached;
        Ok(())
    }

    /// What was committed last.
    pub(crate) fn moment(&self) -> GraphMoment {
        GraphMoment { fields: self.fields.clone(), searcher: self.reader.searcher() }
    }
}
