//! The client commands: over a server and over the server's own folder they print the same, end with the same codes,
//! and nothing is lost between.

use crate::program::{Database, Folder, Server, ambit, command, succeed};
use serde_json::Value;
use std::process::Output;

/// A server on a folder that holds a small inventory.
pub(crate) struct Served {
    folder: Folder,
    server: Server,
    key: String,
}

impl Served {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        let path = folder.path().to_str().expect("UTF-8").to_owned();
        let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
        succeed(&["scan", "-y", "--silent", "--world", world, "--data", &path]);
        let server = Server::start(&["serve", "--no-engine", "--data", &path, "--listen", "127.0.0.1:0"], &[]);
        let key = succeed(&["key", "create", "--data", &path]).trim().to_owned();
        Self { folder, server, key }
    }

    pub(crate) fn path(&self) -> &str {
        self.folder.path().to_str().expect("UTF-8")
    }

    pub(crate) fn url(&self) -> &str {
        &self.server.url
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Over the network.
    fn ask(&self, arguments: &[&str]) -> Output {
        self.ask_by(&self.key, arguments)
    }

    fn ask_by(&self, key: &str, arguments: &[&str]) -> Output {
        let mut command = command(arguments);
        command.env("AMBIT_SERVER", &self.server.url).env("AMBIT_API_KEY", key);
        command.output().expect("the binary starts")
    }

    pub(crate) fn answer(&self, arguments: &[&str]) -> String {
        let output = self.ask(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// The same over server and folder.
    pub(crate) fn both(&self, arguments: &[&str]) -> String {
        let answer = self.answer(arguments);
        let mut local = arguments.to_vec();
        local.extend(["--data", self.path()]);
        assert_eq!(answer, succeed(&local), "{arguments:?} differs between server and folder");
        answer
    }
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

fn refused(output: &Output, code: i32, words: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    let line =
        text.lines().find(|line| line.starts_with("ambit: ")).unwrap_or_else(|| panic!("no line of ours: {text}"));
    for word in words {
        assert!(line.contains(word), "{word:?} is not in {line:?}");
    }
}

#[test]
fn login_prints_a_link_to_the_server_that_a_browser_finds() {
    let served = Served::new("login");
    let asked = served.answer(&["login"]);
    let (root, token) = asked.trim().split_once("/sign_in#").expect("a link");
    assert_eq!((root, token.len()), (served.server.url.as_str(), 64));
    let local = succeed(&["login", "--data", served.path()]);
    assert!(local.starts_with("http://127.0.0.1:8080/sign_in#"), "{local}");
    let elsewhere = succeed(&["login", "--url", "https://asm.test/", "--data", served.path()]);
    assert!(elsewhere.starts_with("https://asm.test/sign_in#"), "{elsewhere}");
    refused(&served.ask(&["login", "--url", "asm.test"]), 2, &["--url", "asm.test"]);
}

#[test]
fn searches_print_the_same_over_server_and_folder() {
    let served = Served::new("client-search");
    let all = rows(&served.both(&["entities", "--jsonl"]));
    assert!(all.len() > 3 && all.iter().all(|row| row["record"] == "entity"));
    let count: usize = served.both(&["entities", "--count"]).trim().parse().expect("a number");
    assert_eq!(count, all.len());
    assert_eq!(served.both(&["entities", "--limit", "2"]).lines().count(), 2);
    let csv = served.both(&["entities", "--csv", "--fields", "name,type", "type:domain"]);
    assert_eq!(csv.lines().next(), Some("name,type"));
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",Platform::Entity::Domain")), "{csv}");
    let facet = served.both(&["entities", "--facet", "entity_type"]);
    let counted: usize = facet.lines().filter_map(|line| line.split('\t').next()?.parse::<usize>().ok()).sum();
    assert_eq!(counted, all.len(), "every entity has one kind: {facet}");
    let first = served.both(&["entities", "--facet", "entity_type", "--limit", "1"]);
    assert_eq!(Some(first.trim_end()), facet.lines().next(), "the most frequent");
    assert_eq!(served.both(&["entities", "--count", "--as-of", "2999-01-01"]), format!("{count}\n"));
    assert_eq!(served.both(&["entities", "--count", "--as-of", "2001-01-01"]), "0\n");
    assert_eq!(
        served.both(&["entities", "--between", "2001-01-01,2999-01-01", "change:appeared"]).lines().count(),
        all.len()
    );
    served.both(&["issues"]);
    served.both(&["technologies", "--jsonl"]);
    let changes = rows(&served.both(&["changes", "--jsonl", "record:entity", "what:appeared"]));
    assert!(changes.len() >= all.len());
    assert!(
        changes.iter().all(|row| row["record"] == "change" && row["noun"] == "entity" && row["what"] == "appeared")
    );
    for (limit, most) in [("0", 0), ("1", 1), ("3", 3), ("1000000", changes.len())] {
        let some = served.both(&["changes", "--jsonl", "record:entity", "what:appeared", "--limit", limit]);
        assert_eq!(rows(&some), changes[..most], "the first {limit}");
    }

    let domain = all.iter().find(|row| row["type"] == "Platform::Entity::Domain").expect("there is a domain");
    let (uid, name) = (domain["id"].as_str().expect("text"), domain["name"].as_str().expect("text"));
    let shown = served.both(&["entity", "show", name]);
    assert!(shown.contains(uid), "{shown}");
    assert_eq!(shown, served.both(&["entity", "show", uid]));
    served.both(&["entity", "path", uid, "--jsonl"]);
    assert!(served.both(&["entity", "history", uid]).lines().count() >= 1);
    let asked = served.ask(&["entity", "history", uid]);
    let said = String::from_utf8_lossy(&asked.stderr);
    assert!(!said.contains("are gone"), "every version is kept: {said}");
    let tomorrow = served.both(&["entity", "show", uid, "--jsonl", "--as-of", "2999-01-01"]);
    assert_eq!(rows(&tomorrow)[0]["uid"], uid);
    refused(&served.ask(&["entity", "show", uid, "--as-of", "2001-01-01"]), 4, &["first seen"]);
}

#[test]
fn people_change_things_over_the_server() {
    let served = Served::new("client-change");
    let issues = rows(&served.both(&["issues", "--jsonl"]));
    let issue = issues.first().and_then(|row| row["id"].as_str()).expect("the small world has an issue");
    served.answer(&["issue", "status", issue, "open_triaged"]);
    assert!(served.both(&["issues", "status_detailed:triaged"]).contains("open_triaged"));
    assert!(served.both(&["issue", "show", issue]).contains("open_triaged"));
    assert_eq!(served.answer(&["issue", "tag", issue, "to do", "later"]), "later\nto do\n");
    assert_eq!(served.answer(&["issue", "tag", issue, "--remove", "to do"]), "later\n");
    served.answer(&["issue", "note", issue, "first look"]);
    let notes = served.both(&["issue", "note", issue]);
    assert!(notes.contains("  first look"), "{notes}");
    assert!(served.both(&["issue", "history", issue]).lines().count() >= 3);

    let key = served.answer(&["key", "create", "--label", "second", "--expires", "2999-01-01"]);
    assert_eq!(key.trim().len(), 64);
    let listed = served.both(&["key", "list"]);
    let row = listed.lines().find(|line| line.ends_with("  second")).expect("it is listed");
    assert!(row.contains("active  expires 2999-01-01") && !listed.contains(key.trim()), "{listed}");
    let number = row.split(' ').next().expect("begins with its number");
    served.answer(&["key", "revoke", number]);
    assert!(served.both(&["key", "list"]).contains("revoked"));

    refused(&served.ask(&["collection", "create", "Inside", "--seed", "10.0.0.0/8"]), 2, &["10.0.0.0/8", "reserved"]);
    assert!(
        !served.both(&["collection", "list"]).contains("Inside"),
        "one without its seeds is not what was asked for"
    );
    let project = served.answer(&["project", "create", "Second"]);
    let project = project.trim();
    let made = served.answer(&["collection", "create", "Outside", "--seed", "acme.test", "--project", project]);
    let made = made.trim();
    let shown = served.answer(&["collection", "show", made]);
    assert!(shown.contains("seed      Domain acme.test"), "{shown}");
    let listed = served.both(&["collection", "list"]);
    assert!(!listed.contains(made), "it is in another project: {listed}");
    assert!(served.both(&["collection", "list", "--project", project]).contains(made));
    let started = served.answer(&["run", "start", made]);
    let run = started.split(' ').nth(1).expect("run N is …").to_owned();
    assert_eq!(served.answer(&["run", "pause", &run]), format!("run {run} is paused\n"));
    assert_eq!(served.answer(&["run", "cancel", &run]), format!("run {run} is cancelled\n"));
    refused(&served.ask(&["run", "watch", &run]), 5, &["cancelled"]);
    served.answer(&["collection", "archive", made]);
    served.answer(&["collection", "unarchive", made]);
    refused(&served.ask(&["collection", "delete", made]), 2, &["-y"]);
    served.answer(&["collection", "delete", made, "-y"]);
    refused(&served.ask(&["collection", "show", made]), 4, &[]);
    served.answer(&["project", "delete", project, "-y"]);
    assert!(!served.both(&["project", "list"]).contains(project));
}

#[test]
fn workflows_are_listed_and_a_collection_says_what_its_own_needs() {
    let served = Served::new("client-workflows");
    let listed = served.both(&["workflow", "list"]);
    let part = |name: &str| -> String {
        let rest = listed.split_once(&format!("{name}  ")).expect("is listed").1;
        rest.lines().skip(1).take_while(|line| line.starts_with("  ")).collect::<Vec<_>>().join("\n")
    };
    let quiet = part("third_party_workflow");
    for words in ["at most      polite", "seeds        DnsRecord, Domain, Uri", "mail_policy"] {
        assert!(quiet.contains(words), "{words}: {quiet}");
    }
    assert!(!quiet.contains("sweep") && part("external_discovery_and_assessment").contains("port_sweep"), "{listed}");
    let jsonl = served.both(&["workflow", "list", "--jsonl"]);
    assert_eq!(rows(&jsonl).len(), 7, "{jsonl}");
    let make = |workflow: &str| {
        served.answer(&["collection", "create", workflow, "--workflow", workflow, "--seed", "acme.test"])
    };
    let shown = |workflow: &str| served.both(&["collection", "show", make(workflow).trim()]);
    let lacking = shown("external_application_assessment");
    assert!(lacking.contains("missing   a seed of the kind Uri") && !lacking.contains("nothing looks"), "{lacking}");
    let unopened = shown("authenticated_cloud_discovery");
    assert!(unopened.contains("missing   an integration of the type AwsCredential, AzureCredential"), "{unopened}");
    let unnamed = shown("mobile_app_discovery");
    assert!(unnamed.contains("missing   a seed of the kind AndroidApp or IosApp"), "{unnamed}");
    let whole = shown("external_discovery_and_assessment");
    assert!(!whole.contains("missing") && !whole.contains("nothing looks"), "{whole}");
}

#[test]
fn collections_are_made_and_changed_by_name_and_start_nothing() {
    let served = Served::new("client-collections");
    let project = "second";
    served.answer(&["project", "create", "Second"]);
    let made = served.ask(&[
        "collection",
        "create",
        "Outside",
        "--seed",
        "acme.test",
        "--exclude",
        "pay.acme.test",
        "--project",
        "second",
    ]);
    assert_eq!(made.status.code(), Some(0), "a project has a name");
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(said.contains("runs on demand: nothing starts until `ambit run start outside_"), "{said}");
    let made = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    let made = made.as_str();
    let shown = served.answer(&["collection", "show", made]);
    for line in ["seed      Domain acme.test", "schedule  on_demand", "level     normal", "never     pay.acme.test"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains("next run"), "{shown}");
    let outside = |words: &[&str]| served.answer(&[words, &["--project", project]].concat());
    assert_eq!(outside(&["run", "list", "outside"]), "", "nothing started");
    let changed = outside(&[
        "collection",
        "update",
        "Outside",
        "--schedule",
        "weekly",
        "--level",
        "polite",
        "--exclude",
        "*.dev.acme.test",
    ]);
    for line in ["schedule  weekly", "next run  2", "level     polite", "never     *.dev.acme.test, pay.acme.test"] {
        assert!(changed.contains(line), "{line}: {changed}");
    }
    let changed = outside(&["collection", "update", "Outside", "--name", "Inside", "--unexclude", "pay.acme.test"]);
    assert!(changed.contains("never     *.dev.acme.test\n") && changed.contains("called    Inside"), "{changed}");
    refused(&served.ask(&["collection", "update", made]), 2, &["--schedule"]);
    refused(&served.ask(&["collection", "update", made, "--unexclude", "x.test"]), 4, &["x.test"]);
    refused(&served.ask(&["collection", "show", "nowhere"]), 4, &["nowhere", "ambit collection list"]);
    let seeds = outside(&["collection", "seed", "add", "inside", "203.0.113.0/28", "https://shop.acme.test"]);
    assert_eq!(seeds.lines().count(), 3, "{seeds}");
    refused(&served.ask(&["collection", "seed", "add", made, "co.uk"]), 2, &["co.uk", "public suffix"]);
    outside(&["collection", "seed", "remove", "inside", "203.0.113.0/28"]);
    assert!(!outside(&["collection", "seed", "list", "inside"]).contains("203.0.113.0"));
    assert_eq!(outside(&["run", "list", "inside"]), "", "nothing started");
}

#[test]
fn a_collection_runs_by_a_cron_expression_and_rests_in_windows() {
    let served = Served::new("client-timing");
    let all = served.answer(&["collection", "list"]);
    let of = all.split_whitespace().next().expect("there is one");
    let update = |words: &[&str]| served.answer(&[&["collection", "update", of], words].concat());
    let timed = ["--cron", "30 2 * * MON-fri", "--zone", "Europe/Berlin", "--rest", "sat,sun 8:00-18:00"];
    let changed = update(&[&timed[..], &["--jitter", "15"]].concat());
    for line in [
        "cron      30 2 * * mon-fri",
        "zone      Europe/Berlin",
        "rests     sun,sat 08:00-18:00",
        "jitter    up to 15 minutes",
        "next run  2",
    ] {
        assert!(changed.contains(line), "{line}: {changed}");
    }
    assert!(!changed.contains("schedule  "), "the expression stands in its place: {changed}");
    let changed = update(&["--rest", "none", "--jitter", "0"]);
    assert!(
        changed.contains("cron      30 2") && !changed.contains("rests") && !changed.contains("jitter"),
        "{changed}"
    );
    let made = served.answer(&[&["collection", "create", "Timed"], &timed[..], &["--jitter", "5"]].concat());
    let shown = served.answer(&["collection", "show", made.trim()]);
    for line in [
        "cron      30 2 * * mon-fri",
        "zone      Europe/Berlin",
        "rests     sun,sat",
        "jitter    up to 5",
        "next run  2",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let both = ["collection", "create", "Both", "--cron", "@daily", "--schedule", "weekly"];
    refused(&served.ask(&both), 2, &["--cron", "--schedule"]);
    let changed = update(&["--schedule", "on_demand"]);
    assert!(!changed.contains("cron") && !changed.contains("next run"), "{changed}");
    for (words, why) in [
        (["--cron", "30 25 * * *"], "is no hour from 0 to 23"),
        (["--zone", "Mars/Olympus"], "is no time zone"),
        (["--rest", "weekends"], "is no window"),
        (["--jitter", "900"], "720 minutes at most"),
    ] {
        refused(&served.ask(&[&["collection", "update", of], &words[..]].concat()), 2, &[why]);
    }
}

#[test]
fn the_admins_of_a_collection_say_who_hears_of_its_new_entities() {
    let served = Served::new("client-notify");
    let all = served.answer(&["collection", "list"]);
    let of = all.split_whitespace().next().expect("there is one");
    let update = |words: &[&str]| served.answer(&[&["collection", "update", of], words].concat());
    assert!(!served.answer(&["collection", "show", of]).contains("notified of"), "at first, rules decide");
    let changed = update(&["--notify-emails", "always", "--notify-webhooks", "never"]);
    assert!(changed.contains("emails    always notified of new entities"), "{changed}");
    assert!(changed.contains("webhooks  never notified of new entities"), "{changed}");
    let changed = update(&["--notify-emails", "by-rule"]);
    assert!(!changed.contains("emails ") && changed.contains("webhooks  never"), "{changed}");
}

#[test]
fn a_run_says_what_it_will_ask_and_a_large_block_needs_a_yes() {
    let served = Served::new("client-plans");
    let outside = |words: &[&str]| served.answer(words);
    let made = outside(&[
        "collection",
        "create",
        "Inside",
        "--seed",
        "https://shop.acme.test",
        "--level",
        "polite",
        "--seed",
        "acme.test",
    ]);
    let made = made.trim();
    let plan = outside(&["run", "plan", "inside"]);
    assert!(plan.starts_with("level polite\nfor 1 domain, 1 site: "), "{plan}");
    outside(&["collection", "seed", "add", "inside", "198.18.0.0/15"]);
    let waiting = served.ask(&["run", "start", made]);
    refused(&waiting, 2, &["131,072 addresses of 198.18.0.0/15", "--yes-large"]);
    assert_eq!(outside(&["run", "list", "inside"]), "", "nothing started");
    assert!(outside(&["run", "start", "inside", "--yes-large"]).ends_with(" is scheduled\n"));
    assert!(
        outside(&["run", "plan", "inside"])
            .contains("198.18.0.0/15 has 131,072 addresses: swept, as somebody confirmed")
    );
}

#[test]
fn what_is_denied_is_not_ours_at_once_and_comes_back() {
    let served = Served::new("client-deny");
    let host = "www.harbour.test";
    let denied = served.answer(&["entity", "deny", host]);
    assert!(denied.contains("clearance L0, deny_list_override"), "{denied}");
    assert!(served.both(&["entity", "path", host]).ends_with(&denied));
    assert!(served.answer(&["entity", "allow", host]).contains("allow_list_override"));
    let reset = served.answer(&["entity", "reset", host]);
    assert!(!reset.contains("override") && reset.contains("clearance L3"), "{reset}");
}

#[test]
fn an_administrator_keeps_people_over_the_server() {
    let served = Served::new("client-people");
    assert_eq!(served.answer(&["user", "create", "--email", "ann@acme.test"]), "ann\n");
    assert_eq!(served.answer(&["user", "create", "--email", "ann@b.test", "--name", "bob"]), "bob\n");
    refused(&served.ask(&["user", "create", "--email", "ANN@acme.test"]), 2, &["ann@acme.test"]);
    refused(&served.ask(&["user", "create", "--email", "ann"]), 2, &["ann"]);
    let users = served.both(&["user", "list"]);
    for lists in ["user", "key", "group", "project"] {
        let rows = served.both(&[lists, "list", "--jsonl"]);
        for row in rows.lines() {
            let row: serde_json::Value = serde_json::from_str(row).expect("each line is an object");
            assert!(row.is_object(), "{row}");
        }
        assert_eq!(rows.lines().count(), served.both(&[lists, "list"]).lines().count(), "{lists}");
    }
    assert_eq!(users.lines().count(), 3, "{users}");
    assert!(users.contains("\nbob  ann@b.test  user  since "), "{users}");

    assert_eq!(served.answer(&["group", "create", "--name", "red", "--member", "ann"]), "red\n");
    refused(&served.ask(&["group", "create", "--name", "blue", "--member", "nobody"]), 4, &["User"]);
    refused(&served.ask(&["group", "create", "--name", "red"]), 2, &["red"]);
    assert_eq!(served.both(&["group", "list"]), "red  ann\n");
    served.answer(&["group", "add", "red", "bob"]);
    refused(&served.ask(&["group", "add", "none", "bob"]), 4, &["Group"]);
    assert_eq!(served.both(&["group", "list"]), "red  ann, bob\n");
    served.answer(&["group", "remove", "red", "ann"]);
    refused(&served.ask(&["group", "remove", "red", "ann"]), 4, &["member"]);
    assert_eq!(served.both(&["group", "list"]), "red  bob\n");

    served.answer(&["user", "grant", "ann", "feeds", "--expires", "2999-01-31"]);
    served.answer(&["user", "grant", "red", "intelligence"]);
    refused(&served.ask(&["user", "grant", "ann", "feeds", "--expires", "2001-01-31"]), 2, &["future"]);
    refused(&served.ask(&["user", "grant", "nobody", "feeds"]), 4, &[]);
    served.answer(&["user", "revoke", "ann", "feeds"]);
    assert_eq!(
        served.answer(&["quota", "set", "red", "api_requests_daily", "7"]),
        "red may use 7 of api_requests_daily\n"
    );
    refused(&served.ask(&["quota", "set", "red", "apples", "7"]), 2, &["apples", "api_requests_daily"]);
    refused(&served.ask(&["quota", "set", "nobody", "api_requests_daily", "7"]), 4, &[]);
    assert_eq!(served.both(&["quota", "list", "red"]), "api_requests_daily  7\n");

    let key = served.answer(&["key", "create", "--user", "bob"]);
    let as_bob = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.env("AMBIT_SERVER", &served.server.url).env("AMBIT_API_KEY", key.trim());
        command.output().expect("starts")
    };
    refused(&as_bob(&["user", "list"]), 3, &[]);
    refused(&as_bob(&["quota", "set", "bob", "api_requests_daily", "7"]), 3, &[]);
    refused(&as_bob(&["quota", "list", "ann"]), 4, &[]);
    let own = as_bob(&["quota", "list", "red"]);
    assert_eq!(String::from_utf8_lossy(&own.stdout), "api_requests_daily  7\n");

    refused(&served.ask(&["group", "delete", "red"]), 2, &["-y"]);
    served.answer(&["group", "delete", "red", "-y"]);
    assert_eq!(served.both(&["group", "list"]), "");
    served.answer(&["user", "delete", "bob", "-y"]);
    refused(&as_bob(&["group", "list"]), 3, &["AMBIT_API_KEY"]);
    // The same on the folder, beside the server.
    succeed(&["user", "delete", "ann@acme.test", "-y", "--data", served.path()]);
    assert_eq!(served.both(&["user", "list"]).lines().count(), 1);
    refused(&served.ask(&["user", "delete", "ann", "-y"]), 4, &["User"]);
}

#[test]
fn what_cannot_be_asked_is_one_line_with_the_remedy() {
    let served = Served::new("client-refused");
    let wrong = |key: &str, url: &str| {
        let mut command = command(&["entities"]);
        command.env("AMBIT_SERVER", url).env("AMBIT_API_KEY", key);
        command.output().expect("starts")
    };
    refused(&wrong(&"0".repeat(64), &served.server.url), 3, &["AMBIT_API_KEY"]);
    refused(&wrong("", &served.server.url), 3, &["ambit key create"]);
    refused(&wrong(&served.key, "ftp://here"), 2, &["ftp://here", "https://"]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let nowhere = format!("http://{}", listener.local_addr().expect("has an address"));
    drop(listener);
    refused(&wrong(&served.key, &nowhere), 1, &["AMBIT_SERVER"]);
    refused(&served.ask(&["entities", "hidden:perhaps"]), 2, &["hidden"]);
    refused(&served.ask(&["packs", "list"]), 2, &["--data"]);
    refused(&served.ask(&["entities", "--fields", "nonsense"]), 2, &["nonsense", "summary"]);
    refused(&served.ask(&["entities", "--facet", "nonsense"]), 2, &["nonsense", "entity_type"]);
    refused(&served.ask(&["issue", "show", "nonsense"]), 2, &["nonsense", "ambit issues"]);
    refused(&served.ask(&["entity", "show", "nowhere.test"]), 4, &["nowhere.test", "ambit entities"]);
    refused(&served.ask(&["entities", "--project", "12345"]), 4, &["Project"]);
    refused(&ambit(&["entities", "--server", &served.server.url, "--data", served.path()]), 2, &["--server", "--data"]);
}

#[test]
fn a_served_folder_is_looked_after_copied_and_brought_back() {
    let served = Served::new("client-maintenance");
    let data = served.path();
    let looked = succeed(&["doctor", "--data", data]);
    assert!(
        looked.contains("database   ok") && looked.contains("index      ok") && looked.contains("serve"),
        "{looked}"
    );
    let current =
        || std::fs::read_to_string(served.folder.join("index").join("current")).expect("the index has a name");
    let before = current();
    succeed(&["doctor", "--rebuild-index", "--data", data]);
    assert_ne!(current(), before, "the server built another one");
    let all = served.answer(&["entities"]);
    assert!(!all.is_empty());

    let place = Folder::new("client-backup");
    let (copy, back) = (place.join("copy"), place.join("back"));
    let (copy, back) = (copy.to_str().expect("UTF-8"), back.to_str().expect("UTF-8"));
    succeed(&["backup", copy, "--data", data]);
    refused(&ambit(&["backup", copy, "--data", data]), 2, &["ambit.db"]);
    succeed(&["restore", copy, "--data", back]);
    refused(&ambit(&["restore", copy, "--data", back]), 2, &["ambit.db"]);
    refused(&ambit(&["restore", data, "--data", data]), 2, &["ambit.db"]);
    assert_eq!(succeed(&["entities", "--data", back]), all);
    let looked = succeed(&["doctor", "--rebuild-index", "--data", back]);
    assert!(looked.contains("engine     free"), "{looked}");
}

/// On PostgreSQL no lock says that a server of this machine writes the index in this folder.
#[test]
fn a_folder_is_searched_and_scanned_beside_a_server_on_postgres() {
    let (folder, database) = (Folder::new("client-postgres"), Database::create());
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let run = |arguments: &[&str]| {
        let mut command = command(&[arguments, &["--data", path]].concat());
        command.env("AMBIT_DATABASE", database.url());
        command
    };
    let serve = ["serve", "--no-engine", "--listen", "127.0.0.1:0", "--data", path];
    let server = Server::start(&serve, &[("AMBIT_DATABASE", &database.url())]);
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let scanned =
        run(&["scan", "--world", world, "-y", "--silent", "--jsonl", "--fail-on", "info"]).output().expect("starts");
    assert_eq!(scanned.status.code(), Some(10), "{}", String::from_utf8_lossy(&scanned.stderr));
    let found = rows(&String::from_utf8_lossy(&scanned.stdout));
    let found = found.iter().filter(|row| row["record"] == "entity").count();
    let shown = |arguments: &[&str]| {
        let output = run(arguments).output().expect("starts");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(shown(&["entities", "--jsonl"]).lines().count(), found);
    assert!(shown(&["entity", "show", "harbour.test"]).contains("harbour.test"));
    assert_eq!(shown(&["graph", "search", "type:domain"]).lines().count(), 1);
    assert!(shown(&["doctor", "--rebuild-index"]).contains("index      ok"));
    drop(server);
}

#[test]
fn a_server_that_is_asked_to_end_does() {
    let mut served = Served::new("client-end");
    // The shell has the word built in; the program of that name is not on every machine.
    let told = std::process::Command::new("sh").args(["-c", &format!("kill {}", served.server.child.id())]).status();
    assert!(told.is_ok_and(|status| status.success()));
    assert_eq!(served.server.child.wait().expect("ends").code(), Some(0));
    assert!(succeed(&["doctor", "--data", served.path()]).contains("engine     free"));
}

#[test]
fn a_key_may_do_less_than_its_user() {
    let served = Served::new("scoped-key");
    let project = served.answer(&["project", "list"]);
    let project = project.split_whitespace().find(|word| word.len() == 36).expect("a uuid").to_owned();
    let made = ["key", "create", "--read-only", "--project", &project, "--expires", "2999-01-31", "--label", "monitor"];
    let key = served.answer(&made).trim().to_owned();
    let listed = served.both(&["key", "list"]);
    let line = listed.lines().next().expect("the newest first");
    assert!(line.contains("expires 2999-01-31  read only  project ") && line.ends_with("monitor"), "{line}");
    let read = served.ask_by(&key, &["entities", "name:harbour.test"]);
    assert!(String::from_utf8_lossy(&read.stdout).contains("harbour.test"), "{read:?}");
    for refused in [&["entity", "tag", "harbour.test", "x"][..], &["user", "list"], &["key", "create"]] {
        let output = served.ask_by(&key, refused);
        assert_eq!(output.status.code(), Some(3), "{refused:?}: {output:?}");
    }
}
