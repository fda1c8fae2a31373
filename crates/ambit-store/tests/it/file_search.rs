//! Searches over uploaded files: every condition, and walks through pages while files arrive and are submitted again.

use crate::lab::{BEGIN, Lab, both};
use crate::quotas::{again, user};
use ambit_model::Timestamp;
use ambit_model::id::{BlobHash, blob_hash};
use ambit_query::intelligence::{Query, parse_intelligence_query};
use ambit_store::{
    FileSearch, FilesAfter, FoundOrder, NewFile, OrderValue, Principal, Staged, StoreError, Visibility, WalkBegin,
};
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
        visibility: Visibility::Installation,
    };
    lab.store.submit_file(&lab.me.at(Timestamp(BEGIN + minute * MINUTE_MS)), None, new, "files").await.unwrap();
    hash
}

async fn found(lab: &Lab, text: &str) -> BTreeSet<BlobHash> {
    let begin = lab.store.begin_walk(lab.now()).await.unwrap();
    let query = query(text);
    let (count, _) = lab.store.count_files(&lab.me, &query, begin).await.unwrap();
    let search = FileSearch {
        principal: &lab.me,
        query: &query,
        order: FoundOrder::Name,
        descending: false,
        begin,
        after: None,
        limit: 100,
    };
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
        let search = FileSearch { principal: &lab.me, query: &query, order, descending, begin, after, limit: 2 };
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

async fn upload(lab: &Lab, who: &Principal, content: &str, name: &str, visibility: Visibility) -> (BlobHash, bool) {
    let hash = blob_hash(content.as_bytes());
    let new = NewFile {
        content: Staged::of(content.as_bytes()).unwrap(),
        sha1: hash.to_string()[..40].to_owned(),
        md5: hash.to_string()[..32].to_owned(),
        type_tag: None,
        name: Some(name.to_owned()),
        visibility,
    };
    let (file, new) = lab.store.submit_file(&who.at(lab.now()), None, new, "files").await.unwrap().unwrap();
    assert_eq!(file.visibility, visibility);
    (hash, new)
}

/// What somebody sees of a file: its name and submissions by hash, in the search, and in a list.
async fn seen(lab: &Lab, who: &Principal, hash: BlobHash) -> Option<(Vec<String>, i64)> {
    let text = hash.to_string();
    let mut by_hash = Vec::new();
    for name in [&text[..], &text[..40], &text[..32]] {
        match lab.store.file(who, name).await {
            Ok(file) => by_hash.push((file.names, file.submissions)),
            Err(StoreError::NotFound) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let listed = lab.store.files_of(who, &[hash]).await.unwrap();
    let begin = lab.store.begin_walk(lab.now()).await.unwrap();
    let query = query(&format!("entity:file {text}"));
    let (count, _) = lab.store.count_files(who, &query, begin).await.unwrap();
    let search = FileSearch {
        principal: who,
        query: &query,
        order: FoundOrder::Name,
        descending: false,
        begin,
        after: None,
        limit: 9,
    };
    let found = lab.store.search_files(&search).await.unwrap();
    let Some(first) = by_hash.first().cloned() else {
        assert_eq!((listed.len(), count, found.len()), (0, 0, 0), "seen in one way and not in another");
        return None;
    };
    assert_eq!(by_hash, vec![first.clone(); 3]);
    let listed: Vec<_> = listed.into_iter().map(|file| (file.names, file.submissions)).collect();
    assert_eq!(listed, std::slice::from_ref(&first));
    assert_eq!((count, found), (1, vec![(OrderValue::Text(first.0[0].clone()), hash)]));
    Some(first)
}

#[tokio::test]
async fn an_upload_for_a_project_is_seen_by_its_people_alone() {
    both(async |lab| {
        let stranger = user(&lab, "ann").await;
        let project = lab.me.primary().unwrap();
        let private = Visibility::Project(project);
        let (hash, new) = upload(&lab, &lab.me, "secret", "plan.pdf", private).await;
        assert!(new);
        assert_eq!(seen(&lab, &lab.me, hash).await, Some((vec!["plan.pdf".to_owned()], 1)));
        assert_eq!(seen(&lab, &stranger, hash).await, None);
        let all = (Timestamp(0), Timestamp(i64::MAX));
        assert!(lab.store.submitted_between(all.0, all.1, 9).await.unwrap().is_empty(), "feeds do not tell of it");
        // Whoever cannot see it has it as a file that nobody had, and tells of it whom she likes.
        let (_, new) = upload(&lab, &stranger, "secret", "found.bin", Visibility::Installation).await;
        assert!(new, "a charge would say that somebody has it");
        assert_eq!(seen(&lab, &stranger, hash).await, Some((vec!["found.bin".to_owned()], 1)));
        assert_eq!(seen(&lab, &lab.me, hash).await, Some((vec!["plan.pdf".to_owned()], 1)));
        let (_, new) = upload(&lab, &lab.me, "secret", "again.pdf", private).await;
        assert!(!new);
        let names = vec!["plan.pdf".to_owned(), "again.pdf".to_owned()];
        assert_eq!(seen(&lab, &lab.me, hash).await, Some((names, 2)));
        assert_eq!(seen(&lab, &stranger, hash).await, Some((vec!["found.bin".to_owned()], 1)));
        // Live rules of both look at each: what they report says whose it is.
        let waiting = lab.engine.waiting_specimens(9).await.unwrap();
        let owners: BTreeSet<i64> = waiting.iter().map(|one| one.collection).collect();
        assert_eq!(owners, BTreeSet::from([0, -project]));
        assert!(lab.engine.owners_seen_by(lab.me.user_id()).await.unwrap().contains(&-project));
        assert!(!lab.engine.owners_seen_by(stranger.user_id()).await.unwrap().contains(&-project));
        let new = NewFile {
            content: Staged::of(b"mine").unwrap(),
            sha1: String::new(),
            md5: String::new(),
            type_tag: None,
            name: None,
            visibility: private,
        };
        let refused = lab.store.submit_file(&stranger.at(lab.now()), None, new, "files").await;
        assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
        // With the project go its files, and nothing of others.
        let view = lab.store.list_projects(&lab.me).await.unwrap().remove(0);
        lab.store.delete_project(&lab.caller(), view.project.uuid).await.unwrap();
        let me = again(&lab, &lab.me).await;
        assert_eq!(seen(&lab, &me, hash).await, Some((vec!["found.bin".to_owned()], 1)));
        let (_, new) = upload(&lab, &me, "secret", "late.bin", Visibility::Installation).await;
        assert!(!new);
    })
    .await;
}
