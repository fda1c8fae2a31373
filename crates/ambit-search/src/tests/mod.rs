//! Records in, queries in, names of hits out. Each test has an index in a folder of its own.

mod brute_force;
mod damage;
mod keywords;
mod paging;
mod past;
mod random;
mod records;
mod shadow;
mod store;

use crate::{Batch, CollectionContext, Index, IndexedRecord, Record, SearchAnswer, SearchContext, SearchRequest};
use ambit_model::Timestamp;
use ambit_query::{Noun, parse_search};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use uuid::Uuid;

pub(crate) const PROJECT: i64 = 7;
pub(crate) const ACME: Uuid = Uuid::from_u128(1);
pub(crate) const OTHER: Uuid = Uuid::from_u128(2);

/// A folder that goes with the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("ambit-search-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn context() -> SearchContext {
    let collection = |uuid, name: &str, starts: &[i64]| CollectionContext {
        uuid,
        name: name.to_owned(),
        printable_name: name.replace('_', " at "),
        last_refreshes: starts.iter().map(|start| Timestamp(*start)).collect(),
        configured_scan_count: 2,
        overdue_since: if uuid == ACME { vec![(2, Timestamp(1_500))] } else { Vec::new() },
    };
    SearchContext {
        project: PROJECT,
        collections: vec![collection(ACME, "acme_1", &[3_000, 2_000]), collection(OTHER, "other_2", &[])],
        whole_project: true,
    }
}

pub(crate) fn request(noun: Noun, text: &str) -> SearchRequest {
    SearchRequest::new(noun, parse_search(text, noun).unwrap(), context(), Timestamp(0))
}

pub(crate) fn filled(scratch: &Scratch, records: Vec<IndexedRecord>) -> Index {
    let index = Index::open(scratch.path()).unwrap();
    index.apply(1, &Batch { records, ..Batch::default() }).unwrap();
    index
}

pub(crate) fn name(hit: &IndexedRecord) -> String {
    match &hit.record {
        Record::Entity(entity) => entity.name.clone(),
        Record::Issue(issue) => format!("{}@{}", issue.name, issue.entity_name),
        Record::Technology(technology) => technology.product.clone(),
    }
}

pub(crate) fn names(answer: &SearchAnswer) -> String {
    answer.hits.iter().map(name).collect::<Vec<_>>().join(" ")
}

pub(crate) fn found(index: &Index, noun: Noun, text: &str) -> String {
    names(&index.search_blocking(&request(noun, text)).unwrap())
}
