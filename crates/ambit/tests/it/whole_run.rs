//! A whole run on the simulated internet: everything planted is found, nothing else is, nobody else is touched; again gives the same.

use crate::program::{Discovery, Folder, demo, succeed};

#[test]
fn the_demo_finds_all_that_is_planted_and_touches_nobody_else() {
    let folder = Folder::new("demo");
    let first = demo(folder.path(), &[]);
    let differences = format!(
        "missed {}, unexpected {}, contacts {}",
        first.summary["missed_names"], first.summary["unexpected_names"], first.summary["contacts"]
    );
    assert_eq!(first.figure("missed"), 0, "{differences}");
    assert_eq!(first.figure("unexpected"), 0, "{differences}");
    assert_eq!(first.figure("contacts_outside_clearance"), 0, "{differences}");
    assert_eq!(first.figure("found"), first.figure("planted"));
    for (kinds, least) in [(&["Domain", "DnsRecord"][..], 400), (&["IpAddress"][..], 150), (&["Uri"][..], 60)] {
        let count: usize = kinds.iter().map(|kind| first.names(kind).len()).sum();
        assert!(count >= least, "{kinds:?}: {count}, at least {least} are promised");
    }
    assert!(first.issues.len() >= 40, "{} issues, at least 40 are promised", first.issues.len());

    // A second folder gives the same inventory under the same identifiers.
    let other = Folder::new("demo");
    first.assert_same(&demo(other.path(), &[]));

    // A refresh of an unchanged state changes nothing.
    let again = demo(folder.path(), &[]);
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure} after a refresh: {}", again.summary);
    }
    first.assert_same(&again);
}

#[test]
fn another_state_changes_what_it_concerns_and_the_past_stays_readable() {
    let folder = Folder::new("states");
    let path = folder.path().to_str().expect("UTF-8");
    let first = demo(folder.path(), &["--state", "1"]);
    let second = demo(folder.path(), &["--state", "2"]);
    assert_eq!(second.figure("missed"), 0, "{}", second.summary);
    assert_eq!(second.figure("unexpected"), 0, "{}", second.summary);
    assert!(second.figure("new") > 0 && second.figure("gone") > 0, "{}", second.summary);
    let gone = first
        .entities
        .keys()
        .find(|uid| !second.entities.contains_key(*uid))
        .expect("something is gone");
    let shown = succeed(&["entity", "show", gone, "--jsonl", "--data", path]);
    assert!(shown.contains(gone.as_str()));
    let back = demo(folder.path(), &["--state", "1"]);
    assert_eq!(back.figure("missed"), 0, "{}", back.summary);
}

#[test]
fn a_small_world_from_a_file_is_found_whole() {
    let folder = Folder::new("small");
    let path = folder.path().to_str().expect("UTF-8");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let found = Discovery::parse(&succeed(&["scan", "--world", world, "-y", "--jsonl", "--data", path]));
    assert_eq!(found.figure("missed"), 0, "{}", found.summary);
    assert_eq!(found.figure("unexpected"), 0, "{}", found.summary);
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
}

#[test]
fn a_hostile_world_ends_and_its_healthy_hosts_are_found() {
    let folder = Folder::new("hostile");
    let path = folder.path().to_str().expect("UTF-8");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/hostile.world");
    let found = Discovery::parse(&succeed(&["scan", "--world", world, "-y", "--jsonl", "--data", path]));
    assert_eq!(found.figure("missed"), 0, "{}", found.summary);
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
}
