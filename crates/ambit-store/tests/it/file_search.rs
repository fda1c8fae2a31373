//! Searches over uploaded files: every condition, and walks through pages while files arrive and are submitted again.

use crate::lab::{BEGIN, Lab, both};
use ambit_model::Timestamp;
use ambit_model::id::{BlobHash, blob_hash};
use ambit_query::intelligence::{Query, parse_intelligence_query};
use ambit_store::{FileSearch, FilesAfter, FoundOrder, NewFile, Staged, WalkBegin};
use std::collections::BTreeSet;

const MINUTE_MS: i64 = 60_000;

fn query(text: &str) -> Query {
    parse_intelligence_query(text).unwrap().query
}

async fn submit(lab: &Lab, minute: i64, content: &str, name: Option<&str>, type_tag: Option<&'static str>) -> BlobHash {
    let hash = blob_hash(content.as_bytes());
    let new = NewFile {
        content: Staged::of(content.as_bytes()).unwrap(),
        sha1: hash.to_string()[..40].to_owned(),
        md5: hash.to_string()[..32].to_owned(),
        type_tag,
        name: name.map(str::to_owned),
    };
    lab.store.submit_file(&lab.me, new, "files", Timestamp(BEGIN + minute * MINUTE_MS)).await.unwrap();
    hash
}

async fn found(lab: &Lab, text: &str) -> BTreeSet<BlobHash> {
    let begin = lab.store.begin_walk(lab.now()).await.unwrap();
    let query = query(text);
    let (count, _) = lab.store.count_files(&query, begin).await.unwrap();
    let search =
        FileSearch { query: &query, order: FoundOrder::Name, descending: false, begin, after: None, limit: 100 };
    let files = lab.store.search_files(&search).await.unwrap();
    assert_eq!(i64::try_from(files.len()).unwrap(), count, "{text}");
    files.into_iter().map(|(_, file)| file).collect()
}

#[tokio::test]
async fn each_condition_finds_its_files() {
    both(async |lab| {
        let setup = submit(&lab, 0, "setup content", Some("Großer SETUP.exe"), Some("peexe")).await;
        let note = submit(&lab, 1, "note", Some("note_100%.txt"), None).await;
        submit(&lab, 9, "note", Some("Other"), None).await;
        let bare = submit(&lab, 2, "bare", None, None).await;
        let analysed = lab.store.last_analysis(setup).await.unwrap();
        assert!(analysed.is_some_and(|one| one.finished));
        let sha1 = note.to_string()[..40].to_owned();
        for (text, wanted) in [
            ("entity:file".to_owned(), vec![setup, note, bare]),
            ("entity:url".to_owned(), vec![]),
            ("tag:x".to_owned(), vec![]),
            ("name:setup".to_owned(), vec![setup]),
            ("name:GROßER".to_owned(), vec![setup]),
            ("name:0%.t".to_owned(), vec![note]),
            ("name:_1".to_owned(), vec![note]),
            ("name:other".to_owned(), vec![note]),
            ("name:txtother".to_owned(), vec![]),
            ("NOT name:t".to_owned(), vec![bare]),
            ("type:PEEXE".to_owned(), vec![setup]),
            ("NOT type:peexe".to_owned(), vec![note, bare]),
            ("size:5+".to_owned(), vec![setup]),
            ("size:4".to_owned(), vec![note, bare]),
            ("submissions:2".to_owned(), vec![note]),
            ("p:1+".to_owned(), vec![]),
            ("p:0".to_owned(), vec![setup, note, bare]),
            (sha1.clone(), vec![note]),
            (format!("md5:{}", &sha1[..32]), vec![note]),
            (format!("NOT sha256:{note}"), vec![setup, bare]),
            (format!("fs:{}+", BEGIN / 1_000 + 60), vec![note, bare]),
            (format!("ls:{}+", BEGIN / 1_000 + 300), vec![note]),
            ("(size:4 OR type:peexe) NOT name:note".to_owned(), vec![setup, bare]),
        ] {
            assert_eq!(found(&lab, &text).await, wanted.into_iter().collect(), "{text} on {}", lab.database);
        }
        let long = vec!["size:4"; 1_100].join(" ");
        assert_eq!(found(&lab, &long).await.len(), 2, "as many conditions as a query holds");
    })
    .await;
}

/// A walk through pages of two; `between` happens behind each page.
async fn walk(lab: &Lab, order: FoundOrder, descending: bool, between: impl AsyncFn(i64)) -> Vec<BlobHash> {
    let query = query("entity:file");
    let begin: WalkBegin = lab.store.begin_walk(lab.now()).await.unwrap();
    let (mut out, mut after) = (Vec::new(), None);
    for page in 0.. {
        let search = FileSearch { query: &query, order, descending, begin, after, limit: 2 };
        let files = lab.store.search_files(&search).await.unwrap();
        let Some((value, file)) = files.last().cloned() else { break };
        after = Some(FilesAfter { value, file: Some(file) });
        out.extend(files.into_iter().map(|(_, file)| file));
        between(page).await;
    }
    out
}

#[tokio::test]
async fn walks_show_each_file_once_while_files_arrive() {
    both(async |lab| {
        let mut minute = 0;
        for order in [
            FoundOrder::Name,
            FoundOrder::First,
            FoundOrder::Last,
            FoundOrder::Positives,
            FoundOrder::Size,
            FoundOrder::Submissions,
        ] {
            for descending in [false, true] {
                let mut known = BTreeSet::new();
                for number in 0..7 {
                    minute += 1;
                    let name = (number % 3 != 0).then(|| format!("n{}", number % 2));
                    known.insert(submit(&lab, minute, &format!("file {number}"), name.as_deref(), None).await);
                }
                let before: Vec<BlobHash> = walk(&lab, order, descending, async |_| {}).await;
                let begin = minute;
                let beside = walk(&lab, order, descending, async |page| {
                    // Behind the first pages: a walk is as long as all that arrived before.
                    if page > 3 {
                        return;
                    }
                    let at = begin + page + 1;
                    submit(&lab, at, &format!("new {order:?} {descending} {page}"), Some("a"), None).await;
                    submit(&lab, at, &format!("file {page}"), Some("a"), None).await;
                    submit(&lab, at, &format!("file {}", 6 - page), Some("zz"), None).await;
                })
                .await;
                minute += 100;
                assert_eq!(beside, before, "{order:?} {descending} on {}", lab.database);
                let distinct: BTreeSet<BlobHash> = beside.iter().copied().collect();
                assert_eq!(distinct.len(), beside.len());
                assert!(known.is_subset(&distinct));
            }
        }
    })
    .await;
}
