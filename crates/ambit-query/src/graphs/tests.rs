//! What each modifier and operator finds, what is refused, and that no text breaks the reader.

use super::parse::MODIFIERS;
use super::*;
use proptest::prelude::*;

fn url_names(url: &str) -> Vec<String> {
    vec![format!("sha256 of {url}"), format!("base64 of {url}")]
}

fn read(text: &str) -> Result<GraphQuery, GraphQueryError> {
    parse_graph_query(text, &url_names)
}

fn node(kind: &str, entity_id: &str, text: &str) -> NodeFacts {
    NodeFacts { kind: kind.to_owned(), entity_id: entity_id.to_owned(), text: text.to_owned(), ..NodeFacts::default() }
}

/// 2018-11-05T12:00:00Z.
const CREATED: i64 = 1_541_419_200;

fn wannacry() -> GraphFacts {
    let mut custom = node("custom", "badguy", "The Lazarus group");
    custom.custom_type = "actor".to_owned();
    GraphFacts {
        number: 7,
        id: "gABC".to_owned(),
        name: "WannaCry attack graph".to_owned(),
        owner: "alice".to_owned(),
        group: Some("piedpiper".to_owned()),
        private: true,
        creation_date: CREATED,
        last_modified_date: CREATED + 86_400,
        comments_count: 2,
        views_count: 10,
        users: vec!["bob".to_owned()],
        groups: vec!["hooli".to_owned()],
        total_nodes: 6,
        nodes: vec![
            node("file", "ED01EBFBC9EB5BBEA545AF4D01BF5F1071661840480439C6E5BABE8E080E41AA", "dropper.exe"),
            node("domain", "www.Example.com", "Kill switch"),
            node("ip_address", "2001:db8::1", ""),
            node("url", "sha256 of https://piedpiper.com/the-box/", ""),
            custom,
            node("email", "eve@example.com", ""),
        ],
        comments: vec!["Seen again in Madrid".to_owned()],
        more: ["drops the key".to_owned()].into(),
    }
}

fn finds(text: &str) -> bool {
    let groups = |user: &str| if user == "carol" { vec!["hooli".to_owned()] } else { Vec::new() };
    read(text).unwrap_or_else(|error| panic!("{text}: {error}")).matches(&wannacry(), &groups)
}

#[test]
fn every_modifier_finds_what_it_names_and_nothing_else() {
    let table = [
        ("id", "gabc", "gab"),
        ("name", "attack", "attac"),
        ("owner", "alice", "alic"),
        ("group", "piedpiper", "hooli"),
        ("visible_to_user", "carol", "dave"),
        ("visible_to_group", "hooli", "piedpiper"),
        ("private", "true", "false"),
        ("creation_date", "2018-11-5", "2018-11-6"),
        ("last_modified_date", "2018-11-06", "2018-11-05"),
        ("total_nodes", "6", "5"),
        ("comments_count", "2", "3"),
        ("views_count", "10", "1"),
        ("label", "switch", "witch"),
        ("file", "ed01ebfbc9eb5bbea545af4d01bf5f1071661840480439c6e5babe8e080e41aa", "ed01"),
        ("domain", "WWW.example.com", "example.com"),
        ("ip_address", "2001:0db8:0::1", "2001:db8::2"),
        ("url", "https://piedpiper.com/the-box/", "https://piedpiper.com/"),
        ("actor", "lazarus", "wannacry"),
        ("victim", "x", "badguy"),
        ("email", "eve@example.com", "bob@example.com"),
        ("department", "x", "eve@example.com"),
    ];
    assert_eq!(table.map(|(modifier, _, _)| modifier), MODIFIERS);
    for (modifier, yes, no) in table {
        let none = modifier == "victim" || modifier == "department";
        assert_eq!(finds(&format!("{modifier}:{yes}")), !none, "{modifier}:{yes}");
        assert!(!finds(&format!("{modifier}:{no}")), "{modifier}:{no}");
        assert!(finds(&format!("NOT {modifier}:{no}")) && finds(&format!("-{modifier}:{no}")), "{modifier}");
    }
}

#[test]
fn suffixes_compare_and_repetition_makes_ranges() {
    for text in [
        "creation_date:2018-11-1+ creation_date:2018-11-12-",
        "creation_date:2018-11-05+",
        "creation_date:2018-11-6-",
        "creation_date:1541419200 creation_date:2018-11-05T12:00:00",
        "views_count:9+ views_count:11-",
        "total_nodes:5+",
        "comments_count:3-",
    ] {
        assert!(finds(text), "{text}");
    }
    for text in [
        "creation_date:2018-11-6+",
        "creation_date:2018-11-5-",
        "views_count:10+",
        "views_count:10-",
        "views_count:1+ views_count:10-",
    ] {
        assert!(!finds(text), "{text}");
    }
}

#[test]
fn operators_parentheses_quotes_and_free_text() {
    for text in [
        "",
        "  ",
        "wannacry",
        "piedpiper",
        "madrid owner:alice",
        "\"drops the key\"",
        "owner:bob OR owner:alice",
        "owner:bob OR (wannacry AND NOT private:false)",
        "(owner:bob or owner:alice)",
        "NOT(owner:bob)",
        "label:Kill switch",
        "label:\"Kill switch\"",
        "\"kill switch\"",
        "name:\"wannacry attack\" AND label:kill",
        "name:wanna*",
        "www.example.com",
        "unknown:wannacry OR wannacry",
        "actor:\"the lazarus\"",
        "-(owner:bob OR owner:carol)",
        "NOT owner:bob AND NOT owner:carol",
    ] {
        assert!(finds(text), "{text}");
    }
    for text in [
        "\"switch kill\"",
        "name:\"attack wannacry\"",
        "name:\"wanna*\"",
        "owner:alice AND owner:bob",
        "NOT (owner:alice OR owner:bob)",
        "kill or switch or nothing",
        "wannac",
        "\"!!!\"",
        "owner:ALICE",
    ] {
        assert!(!finds(text), "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    for (text, position) in [
        ("owner:", 6),
        ("label:\"kill", 6),
        ("(owner:a", 0),
        ("owner:a)", 7),
        ("()", 1),
        ("owner:a OR", 10),
        ("AND owner:a", 0),
        ("owner:a AND AND b", 12),
        ("creation_date:yesterday", 14),
        ("creation_date:2018-13-1", 14),
        ("views_count:-5", 12),
        ("views_count:99999999999999999999", 12),
        ("private:maybe", 8),
        ("NOT", 0),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.position == position || text == "NOT", "{text}: {error}");
    }
    for (text, position, said) in [
        ("name:(", 5, "an opening parenthesis without a closing one"),
        ("a name:x(y owner:b", 8, "an opening parenthesis without a closing one"),
        ("name:\"a\"b", 8, "a blank is needed behind the closing quote"),
        ("-NOT x", 1, "a negation stands directly behind another one"),
        ("NOT -(a b)", 4, "a negation stands directly behind another one"),
        ("NOT NOT x", 4, "a negation stands directly behind another one"),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!((error.position, error.message.contains(said)), (position, true), "{text}: {error}");
    }
    for text in ["name:x(y)", "name:\"x(y\"", "(name:\"a\")", "name:\"a\" b", "--x"] {
        assert!(read(text).is_ok(), "{text}");
    }
    assert!(read(&"(".repeat(100)).is_err());
    assert!(read(&"a ".repeat(10_000)).is_err());
}

#[test]
fn orders_are_read_and_decide_ties_too() {
    let order = |text: &str| GraphOrder::parse(text).unwrap();
    let (one, other) = (wannacry(), GraphFacts { number: 8, ..wannacry() });
    for field in ["name", "owner", "creation_date", "last_modified_date", "views_count", "comments_count"] {
        for (suffix, descending) in [("", false), ("+", false), (" ", false), ("-", true)] {
            let order = order(&format!("{field}{suffix}"));
            assert_eq!(order.descending, descending, "{field}{suffix}");
            assert!(order.key(&one) < order.key(&other), "{field}{suffix}");
        }
    }
    assert!(GraphOrder::parse("size").unwrap_err().contains("views_count"));
}

/// Words, operators and values that meet each other in all ways.
fn anything() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(vec!["AND", "OR", "NOT", "or", "(", ")", "-", "\"", ":", " ", "*", "+"])
            .prop_map(str::to_owned),
        prop::sample::select(MODIFIERS.to_vec()).prop_map(|modifier| format!("{modifier}:")),
        "[a-c0-9é:/.-]{0,4}",
        ".{0,6}",
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in anything()) {
        if let Ok(query) = read(&text) {
            let _ = query.matches(&wannacry(), &|_| Vec::new());
        }
    }

    #[test]
    fn a_query_and_its_contrary_never_agree(text in anything()) {
        let (query, contrary) = (read(&text), read(&format!("NOT ({text})")));
        if let (Ok(query), Ok(contrary)) = (query, contrary) {
            // The lower-case operator is one only in parentheses; empty ones are refused.
            let same = read(&format!("({text})")).ok();
            if same.as_ref() == Some(&query) {
                let matches = |query: &GraphQuery| query.matches(&wannacry(), &|_| Vec::new());
                prop_assert_ne!(matches(&query), matches(&contrary));
            }
        }
    }
}
