//! Apps in stores and packages at mirrors: what is found, what is absent, and what is said where nobody could look.

use super::faulty::{Looked, look_of};
use ambit_model::entity::app::{FORMAT, Listing, MIRRORED, STORES};
use ambit_model::{Details, EdgeKind, Kind, Timestamp};
use ambit_tasks::{Answer, Settings, TaskError};
use ambit_world::World;
use std::time::Duration;

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);
/// Wire time within which a store is given up, its pace and the tries of one that asks for patience included.
const GIVEN_UP: Duration = Duration::from_secs(5 * 60);

const TEXT: &str = r#"
world stores "Stores"
seeds acme.test
org acme "Acme Corp" ours
org zoe  "Zoe" stranger
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
block 198.51.100.0/24 of zoe asn AS64501 named ZOE-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
app ios test.acme.shop "Acme Shop" of acme
  store apple_app_store by "Acme Corp" site https://www.acme.test/shop released 2026-03-02T08:00:00Z
  says CFBundleShortVersionString 2.1
  says MinimumOSVersion 17.0
app android test.acme.shop "Acme Shop </script> & more" of acme
  store google_play by "Acme Corp" site https://www.acme.test/shop
  store f_droid
  apk
  mirrored
  says versionName 2.1
  says versionCode 21
  member assets/settings.json "{\"orders\": \"https://till.acme.test/api/v2/orders\"}"
account hetzner "Mirrors" of acme
  shown "nobody"
  answers pages.example freely xml "<html>Sign in</html>"
  answers busy.example freely status 429 json "{}"
  answers closed.example freely status 403 json "{}"
"#;

fn world(more: &str) -> World {
    World::parse(&format!("{TEXT}{more}"), "stores.world").unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn asked(world: &World, kind: Kind, app: &str, store: &str) -> Looked {
    look_of(Settings::default(), world, EPOCH, "app_store", (kind, app, store), [])
}

fn listing(looked: &Looked) -> Listing {
    let mut listings = STORES.items(&looked.found.details);
    let listing = listings.next().expect("a store says something");
    assert!(listings.next().is_none(), "one look asks one store");
    listing
}

#[test]
fn what_a_store_says_of_an_app_is_known_and_leads_to_the_site_of_who_makes_it() {
    let world = world("");
    let some = |text: &str| Some(text.to_owned());
    let site = some("https://www.acme.test/shop");
    let by_acme = Listing { developer: some("Acme Corp"), developer_site: site, ..Listing::default() };
    for (kind, store, wanted) in [
        (
            Kind::IosApp,
            "apple_app_store",
            Listing {
                title: some("Acme Shop"),
                url: some("https://apps.apple.com/us/app/test.acme.shop/id1"),
                version: some("2.1"),
                released: some("2026-03-02T08:00:00Z"),
                minimum_system: some("17.0"),
                ..by_acme.clone()
            },
        ),
        (
            Kind::AndroidApp,
            "google_play",
            Listing {
                title: some("Acme Shop </script> & more"),
                url: some("https://play.google.com/store/apps/details?id=test.acme.shop"),
                ..by_acme
            },
        ),
        (
            Kind::AndroidApp,
            "f_droid",
            Listing {
                url: some("https://f-droid.org/packages/test.acme.shop"),
                version: some("2.1"),
                version_code: some("21"),
                ..Listing::default()
            },
        ),
    ] {
        let looked = asked(&world, kind, "test.acme.shop", store);
        assert_eq!(looked.answer, Ok(Answer::Found), "{store}");
        let leads = wanted.developer_site.iter().map(|_| (EdgeKind::Link, "www.acme.test".to_owned()));
        assert_eq!(listing(&looked), Listing { store: store.to_owned(), ..wanted.clone() });
        let found: Vec<(EdgeKind, String)> =
            looked.found.edges.into_iter().map(|edge| (edge.edge, edge.name)).collect();
        assert_eq!(found, leads.collect::<Vec<_>>(), "{store}");
        let none = asked(&world, kind, "test.acme.none", store);
        assert_eq!((none.answer, none.found.details), (Ok(Answer::Absent), Details::new()), "{store}");
    }
}

#[test]
fn a_store_that_throttles_fails_or_says_something_else_is_unknown_and_never_absent() {
    for (answers, why) in [
        ("status 429 json \"{}\"", "too many requests"),
        ("status 403 json \"{}\"", "denied"),
        ("status 500 json \"{}\"", "status 500"),
        ("json \"{'resultCount':0}\"", "the answer"),
        ("xml \"Before you continue\"", ""),
    ] {
        for (kind, store, host) in [
            (Kind::IosApp, "apple_app_store", "itunes.apple.com"),
            (Kind::AndroidApp, "google_play", "play.google.com"),
            (Kind::AndroidApp, "f_droid", "f-droid.org"),
        ] {
            let account = format!("account hetzner \"Moods\" of acme\n  shown x\n  answers {host} freely {answers}\n");
            let looked = asked(&world(&account), kind, "test.acme.shop", store);
            let said = looked.answer.map_err(|error| error.to_string()).expect_err("it did not look");
            assert!(store == "google_play" || said.contains(why), "{store} {answers}: {said}");
            assert!(looked.found.edges.is_empty() && looked.took < GIVEN_UP, "{store} {answers}: {:?}", looked.took);
        }
    }
}

#[test]
fn a_hostile_store_ends_and_says_nothing() {
    for behaviour in [
        "bomb",
        "endless",
        "endless-length",
        "huge-header",
        "invalid-utf8",
        "nasty",
        "nested",
        "noise",
        "not-http",
        "redirect-loop",
        "redirect-metadata",
        "reset",
        "short-body",
        "silent",
        "slow-body",
        "slow-head",
    ] {
        let zone = "zone google.com of zoe\n  ns ns1.google.com 198.51.100.2\n";
        let more = format!(
            "{zone}name play.google.com A 198.51.100.9\nsite https://play.google.com \"Play\"\n  hostile {behaviour}\n"
        );
        let looked = asked(&world(&more), Kind::AndroidApp, "test.acme.shop", "google_play");
        assert!(looked.answer.is_err(), "{behaviour}: {:?}", looked.answer);
        assert!(looked.found.edges.is_empty() && looked.took < GIVEN_UP, "{behaviour}: {:?}", looked.took);
    }
}

const F_DROID: &str = "https://f-droid.org/repo/{id}_{version_code}.apk";

/// Reads the package from mirrors, of an app of which this is known.
fn mirrored(world: &World, mirrors: &[&str], known: Details) -> Looked {
    let app_mirrors = mirrors.iter().map(|mirror| mirror.parse().unwrap()).collect();
    let settings = Settings { app_mirrors, ..Settings::default() };
    look_of(settings, world, EPOCH, "app_package", (Kind::AndroidApp, "test.acme.shop", ""), known)
}

#[test]
fn a_package_is_read_from_the_first_mirror_that_has_it_and_again_only_where_it_is_another() {
    let world = world("");
    let listed = asked(&world, Kind::AndroidApp, "test.acme.shop", "f_droid").found.details;
    let looked = mirrored(&world, &["https://play.google.com/{id}.apk", F_DROID], listed.clone());
    assert_eq!(looked.answer, Ok(Answer::Found));
    let calls = looked.found.edges.iter().filter(|edge| edge.edge == EdgeKind::AppCall);
    let calls: Vec<&str> = calls.map(|edge| edge.name.as_str()).collect();
    assert_eq!(calls, ["https://till.acme.test:443/api/v2/orders"]);
    assert_eq!(FORMAT.text(&looked.found.details), Some("apk"));
    let from = MIRRORED.of(&looked.found.details).expect("where it came from");
    assert_eq!(from.url, "https://f-droid.org/repo/test.acme.shop_21.apk");
    assert!(from.etag.is_some() && from.versions == ["f_droid 2.1 21"], "{from:?}");

    // What is known stands beside what the store says, and the same package is not brought again.
    let mut known = listed;
    known.extend(looked.found.details.clone());
    let again = mirrored(&world, &[F_DROID], known.clone());
    assert_eq!((again.answer, again.found.details), (Ok(Answer::Found), looked.found.details));
    // Of a mirror that marks nothing the version of the store says whether there is another package.
    let unmarked = |versions: Vec<String>| {
        let from = ambit_model::entity::app::Mirrored { etag: None, versions, ..from.clone() };
        let mut known = known.clone();
        known.extend([MIRRORED.is(from)]);
        MIRRORED.of(&mirrored(&world, &[F_DROID], known).found.details).expect("where it came from").etag
    };
    assert_eq!(unmarked(from.versions.clone()), None, "the same version is not asked for");
    assert_eq!(unmarked(vec!["f_droid 2.0 20".to_owned()]), from.etag, "another one is");
}

#[test]
fn a_mirror_that_has_no_package_or_answers_something_else_is_told() {
    let world = world("");
    let listed = asked(&world, Kind::AndroidApp, "test.acme.shop", "f_droid").found.details;
    for (mirror, why) in [
        ("https://play.google.com/{id}.apk", "no mirror has its package and nobody gave its package: upload it"),
        ("https://pages.example/{id}.apk", "it sends something else than a package"),
        ("https://busy.example/{id}.apk", "status 429"),
        ("https://closed.example/{id}.apk", "status 403"),
        ("https://nowhere.example/{id}.apk", "nowhere.example"),
        ("https://f-droid.org/repo/{id}_{version}.ipa", "nobody gave its package: upload it"),
    ] {
        let looked = mirrored(&world, &[mirror], listed.clone());
        let said = looked.answer.map_err(|error| error.to_string()).expect_err("nothing was read");
        assert!(said.contains(why), "{mirror}: {said}");
        assert!(looked.found.edges.is_empty(), "{mirror}");
    }
    let untold = mirrored(&world, &[F_DROID], Details::new());
    let Err(TaskError::Failed(said)) = untold.answer else { panic!("{:?}", untold.answer) };
    assert!(said.contains("no store tells the version"), "{said}");
}
