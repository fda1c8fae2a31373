//! A database that was put back to an earlier state, by our own backup or by its own tools, while the index beside it
//! stayed: searches are right, and `doctor` says what it finds.

use crate::program::{Database, Folder, command, succeed};
use std::process::Stdio;

/// A domain and two addresses.
const WORLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");

/// A data folder, and the database that the settings name, where that is another one.
struct House<'a> {
    data: String,
    database: Option<&'a Database>,
}

impl House<'_> {
    /// Exit code, standard output and standard error.
    fn ask(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = command(&[arguments, &["--data", &self.data]].concat());
        if let Some(database) = self.database {
            command.env("AMBIT_DATABASE", database.url());
        }
        let output = command.output().expect("the binary starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn answer(&self, arguments: &[&str]) -> String {
        let (code, answer, said) = self.ask(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        answer
    }

    fn hits(&self, search: &str) -> usize {
        self.answer(&["entities", search]).lines().count()
    }

    fn tag(&self, tag: &str) {
        self.answer(&["entity", "tag", "harbour.test", tag]);
    }

    /// Before `put_back` the entity was tagged `before`, after that `after`.
    fn is_right_once_put_back(&self, put_back: impl FnOnce()) {
        assert_eq!((self.hits("tag:before"), self.hits("tag:after")), (1, 1));
        put_back();
        let (code, looked, _) = self.ask(&["doctor"]);
        assert!(
            code == Some(5)
                && looked
                    .contains("index      wrong: it is older than the changes that the database keeps, or belongs to"),
            "{looked}"
        );
        // Beyond the revision of the index: that alone tells nothing.
        for round in 0..5 {
            self.tag(&format!("new{round}"));
        }
        assert_eq!((self.hits("tag:before"), self.hits("tag:after"), self.hits("tag:new4")), (1, 0, 1));
        assert!(self.answer(&["doctor"]).contains("index      ok"));
    }
}

#[test]
fn a_folder_that_was_searched_before_anything_was_found_is_in_order() {
    let folder = Folder::new("searched-empty");
    let house = House { data: folder.join("data").to_str().expect("UTF-8").to_owned(), database: None };
    house.answer(&["init", "--email", "ann@example.org"]);
    let unbuilt = house.answer(&["doctor"]);
    assert!(unbuilt.contains("index      not built yet"), "{unbuilt}");
    assert_eq!(house.hits("type:domain"), 0);
    assert!(house.answer(&["doctor"]).contains("index      ok"));
}

#[test]
fn a_folder_whose_database_was_restored_beside_its_index_is_searched_as_it_is() {
    let folder = Folder::new("restored");
    let (data, backup) = (folder.join("data"), folder.join("backup"));
    let house = House { data: data.to_str().expect("UTF-8").to_owned(), database: None };
    house.answer(&["scan", "--world", WORLD, "-y", "--silent"]);
    house.tag("before");
    succeed(&["backup", backup.to_str().expect("UTF-8"), "--data", &house.data]);
    house.tag("after");
    house.is_right_once_put_back(|| {
        for entry in std::fs::read_dir(&data).expect("is there").flatten() {
            if entry.file_name() != "index" {
                std::fs::remove_file(entry.path()).expect("can be removed");
            }
        }
        succeed(&["restore", backup.to_str().expect("UTF-8"), "--data", &house.data]);
    });
}

#[test]
fn a_postgres_database_that_was_put_back_beside_its_index_is_searched_as_it_is() {
    let (folder, database) = (Folder::new("restored-postgres"), Database::create());
    let house = House { data: folder.join("data").to_str().expect("UTF-8").to_owned(), database: Some(&database) };
    house.answer(&["scan", "--world", WORLD, "-y", "--silent"]);
    house.tag("before");
    let copy = folder.join("dump.sql");
    let copy = copy.to_str().expect("UTF-8");
    database.dump(copy);
    house.tag("after");
    house.is_right_once_put_back(|| {
        database.run(&["-c", "set client_min_messages = warning; drop schema public cascade; create schema public"]);
        database.run(&["-o", "/dev/null", "-f", copy]);
    });
}

#[test]
fn a_folder_is_searched_beside_its_first_run() {
    let folder = Folder::new("beside_the_first");
    let data = folder.join("data");
    let data = data.to_str().expect("UTF-8");
    let mut scan = command(&["scan", "-y", "--silent", "--world", WORLD, "--data", data])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    // Each search is beside the run or right after it, once the folder is there.
    loop {
        let found = command(&["entities", "type:Domain", "--data", data]).output().expect("starts");
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        if found.status.success() {
            break;
        }
        assert!(said.contains("holds no data yet"), "{said}");
    }
    assert!(scan.wait().expect("ends").success());
}
