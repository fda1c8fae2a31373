//! Histories of repositories, looked through.

use super::unread::{FOLDERS_LEFT_OUT, kept_elsewhere, lacks};
use super::*;
use crate::read::lockfiles;
use ambit_git::{FILE_BYTES_MAX, Folder};
use ambit_model::entity::repository::Package;
use ambit_secrets::Findings;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A key of this form that nobody gave out.
fn key(number: usize) -> String {
    format!("ghp_{number:05}{}", "q7W2eR9tY4uI1oP8aS5dF0gH3jK6lZx".get(..31).expect("it is as long"))
}

/// What is looked for where an earlier look kept these.
fn sought_beside(kept: impl IntoIterator<Item = String>) -> Sought {
    let kept = Arc::new(kept.into_iter().collect());
    Sought { rules: ambit_secrets::own(), tokens: SeedTokens::default(), kept }
}

/// Looks through a repository of one commit with these files and a tag with this message.
fn looked(folder: &Path, files: &[(&str, Vec<u8>)], message: &str) -> Looked {
    looked_for(&sought_beside([]), folder, files, message)
}

fn looked_for(sought: &Sought, folder: &Path, files: &[(&str, Vec<u8>)], message: &str) -> Looked {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").stdin(Stdio::piped());
        command.spawn().expect("git is installed")
    };
    assert!(git(&["init", "-q", "--bare", "."]).wait().expect("it ends").success());
    let mut stream = b"commit refs/heads/main\ncommitter A <a@acme.test> 100 +0000\ndata 1\nx\n".to_vec();
    for (path, text) in files {
        stream.extend(format!("M 100644 inline {path}\ndata {}\n", text.len()).into_bytes());
        stream.extend(text);
        stream.push(b'\n');
    }
    let tagger = "from refs/heads/main\ntagger T <t@acme.test> 200 +0000";
    stream.extend(format!("tag v1\n{tagger}\ndata {}\n{message}\n", message.len()).into_bytes());
    let mut child = git(&["fast-import", "--quiet"]);
    child.stdin.take().expect("piped").write_all(&stream).expect("it reads");
    assert!(child.wait().expect("it ends").success());
    let found = Folder::open(folder).unwrap();
    let tips = found.beside().unwrap().tips;
    let begin = Begin { tips: &tips, known: &[], staged: &[] };
    let objects = Objects::open(&found.objects()).unwrap();
    look_through(&objects, sought, &begin, &AtomicBool::new(false)).unwrap()
}

#[test]
fn secrets_stand_in_messages_of_tags_and_in_texts_of_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let wide = |number: usize| format!("GITHUB_TOKEN={}\r\n", key(number)).encode_utf16().collect::<Vec<u16>>();
    let little = wide(1).into_iter().flat_map(u16::to_le_bytes);
    let big = [0xfe, 0xff].into_iter().chain(wide(2).into_iter().flat_map(u16::to_be_bytes));
    let files = [("little.ini", little.collect()), ("big.ini", big.collect())];
    let looked = looked(folder.path(), &files, &format!("use {}", key(3)));
    let mut shown: Vec<String> =
        looked.leaks.values().map(|leak| format!("{} {} {} {}", leak.path, leak.tag, leak.author, leak.date)).collect();
    shown.sort();
    assert_eq!(
        shown,
        [
            " v1 T <t@acme.test> 1970-01-01T00:03:20.000Z",
            "big.ini  A <a@acme.test> 1970-01-01T00:01:40.000Z",
            "little.ini  A <a@acme.test> 1970-01-01T00:01:40.000Z",
        ]
    );
    assert_eq!(unread(&Known::default(), &looked), [""; 0]);
}

#[test]
fn a_pointer_to_what_git_lfs_keeps_is_said_and_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12\n", "4d".repeat(32));
    let files = [("b/model.bin", pointer.clone()), ("c.bin", pointer.replace("12", "13"))];
    let files = files.map(|(path, text)| (path, text.into_bytes()));
    let looked = looked(folder.path(), &files, "none");
    let said = "Git LFS keeps 2 files elsewhere, which are not looked at: b/model.bin the first";
    let kept = looked.elsewhere_beside(&Known::default());
    assert_eq!(kept.as_ref().map(kept_elsewhere).as_deref(), Some(said));
    // Where no branch has moved nothing is looked at, and where one has what is new alone.
    let known = |is_anew| Known { elsewhere: kept.clone(), is_anew, ..Known::default() };
    assert_eq!(Looked::default().elsewhere_beside(&known(false)), kept);
    assert_eq!(looked.elsewhere_beside(&known(false)).map(|kept| kept.files), Some(4));
    assert_eq!(looked.elsewhere_beside(&known(true)), kept, "what is looked at anew is counted once");
    assert!(looked.named.hosts.is_empty(), "{:?}", looked.named.hosts);
    assert_eq!(unread(&Known::default(), &looked), [""; 0], "it hides nothing of what is there");
}

#[test]
fn a_text_that_begins_as_a_pointer_does_and_is_none_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let begin = "version https://git-lfs.github.com/spec/v1\n";
    let pointer = format!("{begin}oid sha256:{}\nsize 12\n", "4d".repeat(32));
    let texts = [
        format!("{pointer}GITHUB_TOKEN={}\n", key(1)),
        format!("{pointer}token {}\n", key(2)),
        format!("{begin}size 12\nGITHUB_TOKEN={}\n", key(3)),
        format!("{pointer}{}\nGITHUB_TOKEN={}\n", "#".repeat(2_000), key(4)),
    ];
    let files = ["a", "b", "c", "d"].into_iter().zip(texts.map(String::into_bytes)).collect::<Vec<_>>();
    let looked = looked(folder.path(), &files, "none");
    let mut paths: Vec<&str> = looked.leaks.values().map(|leak| leak.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!((paths, looked.elsewhere), (vec!["a", "b", "c", "d"], None));
}

#[test]
fn what_a_limit_keeps_from_being_looked_at_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (secrets, _) = Findings::LIMIT;
    let many = |from: usize| (0..=secrets).map(|at| format!("T={}\n", key(from + at))).collect::<String>();
    let large = "INSERT INTO t VALUES (1);\n".repeat(FILE_BYTES_MAX / 26 + 1).into_bytes();
    let files = [("a.txt", many(0).into_bytes()), ("b.txt", many(1_000).into_bytes()), ("c.sql", large)];
    let looked = looked(folder.path(), &files, "none");
    let said = unread(&Known::default(), &looked);
    let expected = [
        "of 1 file, c.sql the first, no more than 10 MiB were looked at",
        "of 2 files, a.txt the first, no more than 200 secrets and 1000 encoded texts were looked at",
    ];
    assert_eq!(said, expected);
    let known = Known { unread: vec![said[0].clone(), "before".to_owned()], ..Known::default() };
    assert_eq!(unread(&known, &looked), [expected[0], expected[1], "before"]);
    assert_eq!(unread(&known, &Looked::default()), [expected[0], "before"], "where nothing moved it stands");
}

#[test]
fn of_more_secrets_than_are_kept_those_that_are_known_stay() {
    let folder = tempfile::tempdir().unwrap();
    let many = |from: usize| (0..150).map(|at| format!("T={}\n", key(from + at))).collect::<String>().into_bytes();
    let names: Vec<String> = (0..8).map(|file| format!("{file}.txt")).collect();
    let files: Vec<(&str, Vec<u8>)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), many(at * 150))).collect();
    let all = looked(folder.path(), &files, "none");
    assert_eq!(all.leaks.len(), LEAKS_MAX);
    let last = ambit_secrets::own().find_at(&format!("T={}\n", key(1_199)), Look::Code, At::default());
    let known = last.into_iter().next().expect("it is one").name;
    assert!(!all.leaks.contains_key(&known), "it stands behind a thousand others");
    let again = tempfile::tempdir().unwrap();
    let found = looked_for(&sought_beside([known.clone()]), again.path(), &files, "none");
    assert!(found.leaks.contains_key(&known), "it was known, and is not gone");
    assert_eq!(found.leaks.len(), LEAKS_MAX + 1);
}

#[test]
fn secrets_above_the_limit_are_said() {
    let leaks = |from: usize| {
        let leak = |at: usize| {
            let leak = serde_json::json!({"token": format!("t{at}"), "provider": "p", "rule": "r", "commit": "c",
                "by_context": false, "author": "", "date": "", "path": "", "line": 1});
            (format!("t{at}"), serde_json::from_value(leak).expect("it is one"))
        };
        (from..from + 600).map(leak).collect()
    };
    let known = Known { leaks: leaks(0), ..Known::default() };
    let said = unread(&known, &Looked { leaks: leaks(600), ..Looked::default() });
    assert_eq!(said, ["1200 secrets were found in its history over time, and no more are kept than 1000"]);
    let before = Known { unread: said.clone(), leaks: leaks(0), ..Known::default() };
    assert_eq!(unread(&before, &Looked::default()), said, "where nothing moved it stands");
    let said = unread(&before, &Looked { leaks: leaks(500), ..Looked::default() });
    assert_eq!(said.len(), 1, "{said:?}");
}

#[test]
fn packages_above_the_limit_are_said_while_there_are_so_many() {
    let package = |at: usize| Package {
        ecosystem: "npm".to_owned(),
        name: format!("p{at}"),
        version: "1.0.0".to_owned(),
        path: "package-lock.json".to_owned(),
    };
    let files = |count: usize| Looked {
        files: Some(Files::from([("package-lock.json".to_owned(), ((0..count).map(package).collect(), Vec::new()))])),
        ..Looked::default()
    };
    let said = unread(&Known::default(), &files(PACKAGES_MAX + 1));
    assert_eq!(said, ["2001 packages stand in its lock files, and no more are looked up than 2000"]);
    let known = Known { unread: said.clone(), ..Known::default() };
    assert_eq!(unread(&known, &Looked::default()), said, "where nothing moved it stands");
    assert_eq!(unread(&known, &files(PACKAGES_MAX)), [""; 0], "where some went, it does not");
    let larger = vec!["package-lock.json".to_owned()];
    let said = unread(&Known::default(), &Looked { larger, ..files(lockfiles::PACKAGES_MAX) });
    assert_eq!(said, ["at least 5000 packages stand in its lock files, and no more are looked up than 2000"]);
    let cut = Looked { is_cut_at_tips: true, ..files(1) };
    let said = unread(&Known::default(), &cut);
    assert_eq!(said, [format!("{FOLDERS_LEFT_OUT} 1000000")]);
    let known = Known { unread: said, ..Known::default() };
    assert_eq!(unread(&known, &files(1)), [""; 0]);
    let broken = Looked { unreadable: vec!["a/yarn.lock".to_owned(), "b.lock".to_owned()], ..files(1) };
    let said = unread(&Known::default(), &broken);
    assert_eq!(said, ["2 lock files in a form that is not read: a/yarn.lock the first"]);
    let known = Known { unread: said, ..Known::default() };
    assert_eq!(unread(&known, &files(1)), [""; 0], "they were mended");
}

#[test]
fn what_changes_beside_the_objects_is_seen_and_what_it_gave_away_is_forgotten() {
    let password = |fill: usize| format!("[remote \"origin\"]\n\turl = https://x:{}@git.acme.test/x\n", key(fill));
    let beside = |text: String| Beside { settings: vec![(".git/config".to_owned(), text)], ..Beside::default() };
    let (one, two) = (beside(password(1)), beside(password(2)));
    assert_ne!(written_beside(&one), written_beside(&two));
    assert_eq!(written_beside(&Beside::default()), [""; 0], "as of a server");
    let sought = sought_beside([]);
    let mut looked = Looked::default();
    looked.see_folder(&sought, &one);
    assert!(looked.has_leaks());
    let mut known = Known { leaks: looked.leaks, ..Known::default() };
    known.forget_beside();
    assert!(known.leaks.is_empty());
}

#[test]
fn a_secret_in_commits_of_no_branch_stays_until_a_person_closes_it() {
    let (one, two) = ("1".repeat(40), "2".repeat(40));
    let leak = |token: &str, commit: &str| Leak {
        token: token.to_owned(),
        commit: commit.to_owned(),
        provider: "GitHub".to_owned(),
        rule: "github-token".to_owned(),
        by_context: false,
        tag: String::new(),
        author: String::new(),
        date: String::new(),
        path: "a.env".to_owned(),
        line: 1,
        in_no_branch: false,
        commits: 1,
        last_commit: commit.to_owned(),
        last_date: String::new(),
        files: Vec::new(),
        at_head: None,
    };
    let leaks = |all: &[(&str, &str)]| -> BTreeMap<String, Leak> {
        all.iter().map(|(token, commit)| ((*token).to_owned(), leak(token, commit))).collect()
    };
    let known = || Known {
        leaks: leaks(&[("gone", &one), ("moved", &one), ("no secret by new rules", &two), ("of an index", "")]),
        ..Known::default()
    };
    let looked = Looked {
        leaks: leaks(&[("moved", &two)]),
        reached: HashSet::from([ObjectId::from_hex(two.as_bytes()).unwrap()]),
        ..Looked::default()
    };
    let stays = super::leaks::beside(looked.leaks.clone(), known().in_no_branch(&looked).leaks, false);
    let shown: Vec<_> = stays.values().map(|leak| (leak.token.as_str(), leak.in_no_branch)).collect();
    assert_eq!(shown, [("gone", true), ("moved", false)]);
    // A later look that finds it where a branch leads shows it there.
    let back = super::leaks::beside(leaks(&[("gone", &two)]), stays, false);
    assert!(!back["gone"].in_no_branch && back["gone"].commit == two);
}

#[test]
fn what_a_server_leaves_out_is_said_as_too_large_and_is_not_fetched_again() {
    let missing = Missing { files: 1, first: "film.mp4".to_owned(), ..Missing::default() };
    let mut looked = Looked { missing: missing.clone(), ..Looked::default() };
    looked.count_what_was_left_out();
    assert!(looked.is_whole());
    let said = ["more than 128 MiB in memory, and not looked at: 1 file, film.mp4 the first"];
    assert_eq!(unread(&Known::default(), &looked), said);
    let mut looked = Looked { missing: Missing { commits: 1, ..missing }, ..Looked::default() };
    looked.count_what_was_left_out();
    assert!(!looked.is_whole(), "what misses commits is a part of a history");
}

#[test]
fn what_is_missing_is_counted() {
    let missing = Missing { commits: 2, folders: 0, files: 1, first: "a.txt".to_owned() };
    let said = lacks(&missing).expect("something is");
    assert!(said.starts_with("not among its objects, and not looked at: 2 commits, 1 file, a.txt the first"), "{said}");
    assert_eq!(lacks(&Missing::default()), None);
    let mut looked = Looked {
        unread: Unread { broken: missing.clone(), too_large: missing.clone(), too_deep: missing },
        ..Looked::default()
    };
    assert!(!looked.is_whole());
    let expected = [
        "broken, and not looked at in full: 2 commits, 1 file, a.txt the first",
        "more than 128 MiB in memory, and not looked at: 2 commits, 1 file, a.txt the first",
        "in more than 128 folders or with too long a path, and not looked at: 2 commits, 1 file, a.txt the first",
    ];
    assert_eq!(unread(&Known::default(), &looked), expected);
    looked.unread.broken = Missing::default();
    assert!(looked.is_whole(), "what is too large will not be less");
    let unread_beside = vec!["refs/heads/broken: holds no id".to_owned(), "HEAD: is no file".to_owned()];
    let mut looked = Looked::default();
    let sought = sought_beside([]);
    looked.see_folder(&sought, &Beside { unread: unread_beside, unread_more: 2, ..Beside::default() });
    assert!(!looked.is_whole());
    let expected = ["cannot be read: refs/heads/broken: holds no id, HEAD: is no file, and 2 more"];
    assert_eq!(unread(&Known::default(), &looked), expected);
    looked.see_folder(&sought, &Beside::default());
    assert!(looked.is_whole());
}
