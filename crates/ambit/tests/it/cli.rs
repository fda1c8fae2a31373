//! Wrong input: one line that names the thing and the remedy, the right exit code, nothing lost.

use crate::program::{Database, Folder, ambit, command, demo, succeed};
use std::process::Stdio;

/// Runs, and demands the code and one line that holds the words.
fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let output = ambit(arguments);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?}: results on a refusal");
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("ambit: ")).collect();
    assert_eq!(lines.len(), 1, "{arguments:?}: {text}");
    for word in words {
        assert!(lines[0].contains(word), "{arguments:?}: {word:?} is not in {:?}", lines[0]);
    }
}

#[test]
fn wrong_words_are_named() {
    refused(&["demo", "--frobnicate"], 2, &["--frobnicate", "--help"]);
    refused(&["scan", "-y", "exa mple..org"], 2, &["exa mple..org"]);
    refused(&["scan", "-y", "localhost"], 2, &["localhost", "dot"]);
    refused(&["scan", "-y", "acme.test", "--resolver", "nonsense"], 2, &["nonsense", "192.0.2.53"]);
    refused(&["scan", "-y", "10.1.2.3-20"], 2, &["10.1.2.3-20", "range of addresses", "192.0.2.0/28"]);
    refused(&["scan", "-y", "co.uk"], 2, &["co.uk", "public suffix"]);
    refused(&["scan", "-y", "64500"], 2, &["64500", "give AS64500"]);
    for (flag, list, why) in [
        ("--ports", "80,http", "expected ports such as 80,443,8000-8100"),
        ("--ports", "70000", "70000 is no port: ports are numbers from 1 to 65535"),
        ("--ports", "90-80", "the range 90-80 is backwards"),
        ("--top-ports", "0", "expected a number from 1 to 65535, or all"),
        ("--top-ports", "many", "expected a number from 1 to 65535, or all"),
    ] {
        refused(&["scan", "-y", "acme.test", flag, list], 2, &[flag, why]);
    }
    refused(&["scan", "-y", "acme.test", "--ports", "80", "--top-ports", "9"], 2, &["--top-ports"]);
    refused(&["scan", "-y", "acme.test", "--words", "/nowhere/words"], 2, &["/nowhere/words"]);
    refused(&["scan", "-y", "acme.test", "--skip", "udp"], 2, &["no task is named \"udp\"", "udp_sweep"]);
    refused(&["scan", "-y", "acme.test", "--skip", "udp_sweep", "--only", "resolve"], 2, &["--only"]);
    refused(&["scan", "-l", "/nowhere/list"], 2, &["/nowhere/list"]);
    refused(&["scan", "-y", "--world", "/nowhere/a.world"], 2, &["/nowhere/a.world"]);
    refused(&["serve", "--listen", "here"], 2, &["here", "127.0.0.1:8080"]);
    refused(&["entities", "--config", "/nowhere/ambit.toml"], 2, &["/nowhere/ambit.toml"]);
}

#[test]
fn a_plan_has_numbers_and_a_large_block_needs_a_yes_of_its_own() {
    let folder = Folder::new("plan");
    let path = folder.join("data");
    let data = path.to_str().expect("UTF-8");
    let planned = |more: &[&str]| {
        let output = ambit(&[&["scan", "--dry-run", "--data", data], more].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let host = planned(&["198.51.100.7"]);
    assert!(host.contains("for 1 address: 1 DNS question, ") && !host.contains("blocks"), "{host}");
    let block = planned(&["198.18.0.0/15"]);
    for words in [
        "for 1 block: 131,072 DNS questions, 1,179,648 connections",
        "198.18.0.0/15 has 131,072 addresses: swept only with --yes-large",
    ] {
        assert!(block.contains(words), "{words}: {block}");
    }
    let chosen = planned(&["198.51.100.0/28", "--ports", "443,9000-9098"]);
    assert!(chosen.contains("1,600 connections") && chosen.contains("up to 100 ports"), "{chosen}");
    let top = planned(&["198.51.100.7", "--top-ports", "1000"]);
    assert!(top.contains("port_sweep: 1 address × up to 1,000 ports, 1,000 connections, about 2,000 packets"), "{top}");
    for task in ["udp_sweep: 1 address, 15 UDP datagrams", "registration: 1 address, 3 requests to data providers"] {
        assert!(top.contains(task), "{task}: {top}");
    }
    let all = planned(&["198.51.100.0/24", "--top-ports", "all"]);
    assert!(all.contains("16,776,960 connections") && all.contains("swept only with --yes-large"), "{all}");
    let list = path.with_extension("words");
    std::fs::write(&list, "zq81-unguessable\nzq82-unguessable\n").expect("is written");
    let listed = planned(&["acme.test", "--words", list.to_str().expect("UTF-8")]);
    let ours = planned(&["acme.test"]);
    let tried = |text: &str| -> u64 {
        let (before, _) = text.split_once(" names tried").expect("says how many");
        before.rsplit(' ').next().expect("a number").replace(',', "").parse().expect("a number")
    };
    assert_eq!(tried(&listed), tried(&ours) + 2, "{listed}");
    let without = planned(&["198.51.100.7", "--skip", "port_sweep,tls_grab"]);
    assert!(without.contains(" 0 connections") && !without.contains("address that responds"), "{without}");
    let quiet = planned(&["acme.test", "--workflow", "third_party_workflow"]);
    assert!(quiet.contains("the workflow third_party_workflow allows no more") && !quiet.contains("sweeps"), "{quiet}");
    assert!(!quiet.contains("names tried"), "{quiet}");
    let questions = |text: &str| -> usize {
        let (before, _) = text.split_once(" DNS questions").expect("says how many");
        before.rsplit(' ').next().expect("a number").replace(',', "").parse().expect("a number")
    };
    let alike = |more: &[&str]| questions(&planned(&[&["--workflow", "suspicious_domain_discovery"], more].concat()));
    let names = |kind, name| ambit_model::lookalike::lookalikes_of_seed(kind, name).len();
    let word = names(ambit_model::Kind::UniqueKeyword, "harbour");
    assert_eq!(alike(&["harbour"]), word, "each name that bears a word is one question");
    let both = word + names(ambit_model::Kind::Domain, "acme.test");
    assert!((both..both + 100).contains(&alike(&["harbour", "acme.test"])), "{both}");
    for (workflow, lacking) in [
        ("external_application_assessment", "needs a seed of the kind Uri"),
        (
            "authenticated_cloud_discovery",
            "needs an integration of the type AwsCredential, AzureCredential, CloudCredential or GcpCredential",
        ),
    ] {
        refused(&["scan", "-y", "--data", data, "acme.test", "--workflow", workflow], 2, &[workflow, lacking]);
    }
    refused(
        &["scan", "-y", "--data", data, "198.18.0.0/15"],
        2,
        &["131,072 addresses of 198.18.0.0/15", "--yes-large"],
    );
    assert!(!path.exists(), "nothing began");
}

#[test]
fn a_plan_is_a_document_for_programs() {
    let folder = Folder::new("plan-document");
    let data = folder.join("data");
    let planned = ambit(&["scan", "--dry-run", "--jsonl", "--data", data.to_str().expect("UTF-8"), "198.51.100.7"]);
    let document: serde_json::Value = serde_json::from_slice(&planned.stdout).expect("a document on standard output");
    let of = |task: &str| document["tasks"].as_array().and_then(|tasks| tasks.iter().find(|row| row["task"] == task));
    assert_eq!(of("udp_sweep").map(|row| &row["datagrams"]), Some(&serde_json::json!(15)), "{document}");
    assert_eq!(of("port_sweep").map(|row| &row["addresses"]), Some(&serde_json::json!(1)), "{document}");
}

#[test]
fn a_folder_without_an_installation_is_named() {
    let folder = Folder::new("empty");
    let path = folder.join("none");
    refused(&["entities", "--data", path.to_str().expect("UTF-8")], 1, &["none"]);
}

#[test]
fn a_problem_in_a_world_is_named_with_its_line() {
    let folder = Folder::new("world");
    let file = folder.join("bad.world");
    std::fs::write(&file, "world bad \"Bad\"\nfrobnicate x\n").expect("is written");
    refused(&["scan", "-y", "--world", file.to_str().expect("UTF-8")], 2, &["bad.world:2", "frobnicate"]);
}

#[test]
fn every_problem_of_a_world_is_told() {
    let folder = Folder::new("world");
    let file = folder.join("bad.world");
    std::fs::write(&file, "world bad \"Bad\"\nfrobnicate x\nexplode y\n").expect("is written");
    let output = ambit(&["scan", "-y", "--world", file.to_str().expect("UTF-8")]);
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("ambit: ") && lines[0].contains("more)"), "{text}");
    assert!(lines[1..].iter().any(|line| line.starts_with("bad.world:3") && line.contains("explode")), "{text}");
}

#[test]
fn a_shared_folder_keeps_its_mode_and_what_is_put_there_is_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("shared");
    let home = folder.join("home");
    std::fs::create_dir(&home).expect("can be made");
    std::fs::write(home.join("letter.txt"), "dear").expect("can be written");
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o755)).expect("can be set");
    let path = home.to_str().expect("UTF-8");
    succeed(&["init", "--data", path, "--email", "a@acme.test"]);
    succeed(&["entities", "--data", path]);
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("is there").permissions().mode() & 0o077;
    assert_eq!(mode(&home), 0o055, "others go on using it");
    let ours = std::fs::read_dir(&home).expect("is there").map(|entry| entry.expect("is there").path());
    for path in ours.filter(|path| !path.ends_with("letter.txt")) {
        assert_eq!(mode(&path), 0, "{}", path.display());
    }
    refused(&["entities", "--data", &format!("{path}/letter.txt")], 1, &["letter.txt", "ambit.db"]);
}

#[test]
fn workflows_are_listed_before_there_is_a_folder() {
    let folder = Folder::new("workflows");
    let data = folder.join("none");
    let listed = succeed(&["workflow", "list", "--data", data.to_str().expect("UTF-8")]);
    assert!(listed.contains("external_discovery_and_assessment  "), "{listed}");
    assert!(!data.exists(), "a list makes no folder");
}

#[test]
fn targets_that_are_all_excluded_are_refused_by_scope() {
    let folder = Folder::new("excluded");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let scan = ["scan", "-y", "--data", path, "www.acme.test", "203.0.113.7"];
    refused(&[&scan[..], &["--exclude", "*.acme.test", "--exclude", "203.0.113.0/28"]].concat(), 6, &["--exclude"]);
    assert!(!data.exists(), "nothing was begun");
}

#[test]
fn what_no_run_could_use_is_refused_before_anything_begins() {
    let folder = Folder::new("early");
    let (data, config) = (folder.join("data"), folder.join("ambit.toml"));
    let (path, file) = (data.to_str().expect("UTF-8"), config.to_str().expect("UTF-8"));
    let (none, out) = ("/nowhere/ca.pem", "/nowhere/out.jsonl");
    std::fs::write(&config, format!("ca = [{none:?}]\n")).expect("can be written");
    refused(&["scan", "-y", "acme.test", "--ca", none, "--data", path], 2, &[none]);
    refused(&["scan", "-y", "acme.test", "--config", file, "--data", path], 2, &["setting ca", none, "PEM"]);
    refused(&["serve", "--listen", "127.0.0.1:0", "--config", file, "--data", path], 2, &[none]);
    refused(&["demo", "--listen", "127.0.0.1:0", "--config", file, "--data", path], 2, &[none]);
    refused(&["demo", "--once", "-o", out, "--data", path], 1, &[out]);
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    refused(&["scan", "-y", "--world", world, "-o", out, "--data", path], 1, &[out]);
    let is_told = format!("--ca {none}: No such file");
    refused(&["scan", "-y", "--world", world, "--ca", none, "--data", path], 2, &[&is_told, "PEM"]);
    let is_told = format!("--ca {world}: no certificate in it");
    refused(&["scan", "-y", "--world", world, "--ca", world, "--data", path], 2, &[&is_told, "PEM"]);
    assert!(!data.exists(), "nothing was begun");
    let mut client = command(&["entities", "--server", "https://ambit.test", "--config", file]);
    let output = client.env("AMBIT_API_KEY", "0").output().expect("starts");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_is_not_there_is_named_with_what_shows_what_is() {
    let folder = Folder::new("nothing-there");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let made = ambit(&["init", "--email", "a@acme.test", "--data", path]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for (words, lister) in [
        (&["packs", "remove", "nope"][..], "ambit packs list"),
        (&["run", "show", "99"], "ambit run list"),
        (&["key", "revoke", "99"], "ambit key list"),
        (&["user", "suspend", "nope"], "ambit user list"),
        (&["group", "leave", "nope"], "ambit group list"),
        (&["invitation", "accept", "9"], "ambit invitation list"),
        (&["quota", "list", "nope"], "ambit group list"),
        (&["entity", "show", &"a".repeat(64)], "ambit entities"),
        (&["issue", "show", &"a".repeat(64)], "ambit issues"),
    ] {
        refused(&[words, &["--data", path]].concat(), 4, &[lister]);
    }
    refused(&["packs", "remove", "nope", "--data", path], 4, &["nope"]);
}

#[test]
fn the_secret_is_made_and_read_where_a_setting_says() {
    let folder = Folder::new("secret");
    let (data, secret) = (folder.join("data"), folder.join("elsewhere.key"));
    let run = |arguments: &[&str], secret: Option<&std::path::Path>| {
        let mut command = command(arguments);
        command.args(["--data", data.to_str().expect("UTF-8")]);
        secret.map(|path| command.env("AMBIT_SECRET_FILE", path));
        command.output().expect("starts")
    };
    let made = run(&["init", "--email", "a@acme.test"], Some(&secret));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(secret.exists() && !data.join("secret.key").exists());
    assert!(run(&["key", "list"], Some(&secret)).status.success());
    let without = run(&["key", "list"], None);
    let text = String::from_utf8_lossy(&without.stderr);
    assert!(without.status.code() == Some(2) && text.contains("secret.key is missing"), "{text}");
}

#[test]
fn the_first_key_and_the_way_to_the_next_are_said() {
    let folder = Folder::new("first");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let serve = |more: &[&str], last: &str| {
        let mut child = command(&[&["serve", "--no-engine", "--data", path, "--listen", "127.0.0.1:0"], more].concat())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("starts");
        let said = lines_until(&mut child, last);
        child.kill().expect("can be killed");
        child.wait().expect("ends");
        said.join("\n")
    };
    let said = serve(&["--silent"], "listening on");
    assert!(said.contains("a one-time token for the owner's API key is in "), "{said}");
    let said = serve(&[], "key create");
    assert!(said.contains("listening on") && said.contains(&format!("`ambit key create --data {path}`")), "{said}");
}

#[test]
fn the_demo_takes_its_port_from_the_settings() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("has an address").to_string();
    let folder = Folder::new("demo-settings");
    let mut command = command(&["demo", "--data", folder.join("data").to_str().expect("UTF-8")]);
    let output = command.env("AMBIT_LISTEN", &address).output().expect("starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains(&address), "{said}");
}

#[test]
fn the_demo_stays_out_of_a_database_that_holds_something_real() {
    let (folder, database) = (Folder::new("demo-database"), Database::create());
    let run = |arguments: &[&str]| {
        let mut command = command(arguments);
        let data = folder.join(arguments[0]);
        command
            .arg("--data")
            .arg(&data)
            .env("AMBIT_DATABASE", database.url())
            .env("AMBIT_SECRET_FILE", folder.join("secret.key"));
        let output = command.output().expect("starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let tiny = folder.join("tiny.world");
    let text = "world tiny \"T\"\nseeds acme.test\norg acme \"A\" ours\nblock 203.0.113.0/24 of acme\nzone acme.test \
                of acme\n  ns ns1.acme.test 203.0.113.2\n";
    std::fs::write(&tiny, text).expect("can be written");
    let (code, said) = run(&["scan", "--world", tiny.to_str().expect("UTF-8"), "-y", "--silent"]);
    assert_eq!(code, Some(0), "{said}");
    database.run(&["-c", "UPDATE collections SET wire = '\"live\"'"]);
    let (code, said) = run(&["demo", "--once", "--silent"]);
    assert!(code == Some(2) && said.lines().count() == 1 && said.contains("--database"), "{code:?} {said}");
}

#[test]
fn a_taken_port_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("has an address").to_string();
    let folder = Folder::new("port");
    refused(
        &["serve", "--listen", &address, "--data", folder.path().to_str().expect("UTF-8")],
        1,
        &[&address, "--listen"],
    );
}

#[test]
fn keys_are_made_once_and_work_alone_on_standard_output() {
    let folder = Folder::new("keys");
    let path = folder.join("data");
    let path = path.to_str().expect("UTF-8");
    let key = succeed(&["init", "--data", path, "--email", "a@acme.test"]);
    assert_eq!(key.lines().count(), 1);
    let again = succeed(&["key", "create", "--data", path, "--label", "second"]);
    assert_eq!(again.lines().count(), 1);
    assert_ne!(key, again);
    let listed = succeed(&["key", "list", "--data", path]);
    assert!(!listed.contains(key.trim()) && listed.contains("second"));
    refused(&["init", "--data", path, "--email", "a@acme.test"], 1, &["key create"]);
}

#[test]
fn without_a_terminal_and_without_consent_only_passive_work_runs() {
    let folder = Folder::new("passive");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let output = ambit(&["scan", "--world", world, "--jsonl", "--data", folder.path().to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains("Platform::Entity::NetworkService"), "a service was found without a sweep");
    assert!(text.contains("Platform::Entity::DnsRecord"));
}

#[test]
fn a_run_that_a_person_stopped_is_paused_and_no_server_goes_on_with_it() {
    let folder = Folder::new("stopped");
    let path = folder.path().to_str().expect("UTF-8");
    let mut stopped = command(&["demo", "--once", "--data", path])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("starts");
    lines_until(&mut stopped, " names ");
    let told = std::process::Command::new("sh").args(["-c", &format!("kill -INT {}", stopped.id())]).status();
    assert!(told.expect("a shell").success());
    assert_eq!(stopped.wait().expect("ends").code(), Some(130));
    let runs = succeed(&["run", "list", "--data", path]);
    assert!(runs.contains("paused"), "{runs}");
}

#[test]
fn a_list_from_standard_input_is_refused_where_it_is_too_long() {
    use std::io::Write as _;
    let mut scan = command(&["scan", "-l", "-", "--dry-run"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let line = format!("# {}\n", "x".repeat(1_021));
    let list = format!("{}www.acme.test\n", line.repeat(16 << 10));
    // What is not read any more cannot be written.
    scan.stdin.take().expect("is piped").write_all(list.as_bytes()).ok();
    let ended = scan.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(2) && said.contains("larger than 16 MiB"), "{said}");
}

#[test]
fn a_gate_holds_where_nobody_reads_the_results_and_where_a_query_has_a_typo() {
    let folder = Folder::new("gate");
    let path = folder.path().to_str().expect("UTF-8");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let mut scan = command(&["scan", "--world", world, "-y", "--silent", "--fail-on", "high", "--data", path])
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    drop(scan.stdout.take());
    assert_eq!(scan.wait().expect("ends").code(), Some(10));
    for (noun, query) in [("issues", "severty:1"), ("entities", "type:foo"), ("entities", "foo:bar")] {
        refused(&[noun, query, "--count", "--data", path], 2, &["query: unknown"]);
    }
}

#[test]
fn a_second_engine_is_told_who_holds_the_place() {
    let folder = Folder::new("held");
    let path = folder.path().to_str().expect("UTF-8");
    let mut holder = command(&["serve", "--data", path, "--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("starts");
    lines_until(&mut holder, "listening on");
    refused(&["demo", "--once", "--data", path], 1, &["serve"]);
    holder.kill().expect("can be killed");
    holder.wait().expect("ends");
}

/// Reads standard error until a line holds the words, and gives all lines until then.
pub(crate) fn lines_until(child: &mut std::process::Child, words: &str) -> Vec<String> {
    use std::io::BufRead as _;
    let stderr = child.stderr.as_mut().expect("is piped");
    let mut said = Vec::new();
    for line in std::io::BufReader::new(stderr).lines().map_while(Result::ok) {
        said.push(line);
        if said.last().is_some_and(|line| line.contains(words)) {
            return said;
        }
    }
    panic!("the program ended before it said {words:?}: {said:?}")
}

#[test]
fn the_inventory_can_be_asked_afterwards() {
    let folder = Folder::new("ask");
    let path = folder.path().to_str().expect("UTF-8");
    let found = demo(folder.path(), &[]);
    let count: usize = succeed(&["entities", "--count", "--data", path]).trim().parse().expect("a number");
    assert_eq!(count, found.entities.len());
    let uris = succeed(&["entities", "--jsonl", "--data", path, "type:uri"]);
    assert!(uris.lines().count() >= 60);
    assert!(uris.lines().all(|line| line.contains("Platform::Entity::Uri")));
    let issues = succeed(&["issues", "--data", path, "status_new:open"]);
    assert_eq!(issues.lines().count(), found.issues.len());
    let changes = succeed(&["changes", "--data", path]);
    assert!(changes.lines().count() >= count);
    refused(&["entity", "show", &"0".repeat(64), "--data", path], 4, &[]);
    refused(&["issues", "--data", path, "severity:often"], 2, &["severity"]);
}

#[test]
fn each_command_has_a_manual_page() {
    let page = succeed(&["man", "collection", "create"]);
    for words in [".TH ambit-collection-create 1", "\\-\\-cron", ".SH SYNOPSIS"] {
        assert!(page.contains(words), "{words:?} is not in {page}");
    }
    assert!(succeed(&["man"]).contains(".TH ambit 1"));
    refused(&["man", "colection"], 2, &["colection", "ambit help"]);
    refused(&["man", "--to", "/nowhere/at/all"], 1, &["/nowhere/at/all"]);
    let folder = Folder::new("man");
    succeed(&["man", "--to", folder.path().to_str().expect("UTF-8")]);
    for name in ["ambit.1", "ambit-scan.1", "ambit-issue-status.1"] {
        assert!(folder.join(name).is_file(), "{name}");
    }
}
