//! Hosts that an app names and that name it: which become theirs, and what is said where nobody could look.

use super::faulty::look_of;
use ambit_model::entity::app::PACKAGE;
use ambit_model::{EdgeKind, Kind, Timestamp};
use ambit_tasks::{Answer, Settings, TaskError};
use ambit_world::World;
use serde_json::{Value, json};

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);

const TEXT: &str = r#"
world links "Links"
seeds acme.test
org acme "Acme Corp" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
account hetzner "Statements" of acme
  shown "nobody"
  answers digitalassetlinks.googleapis.com when shop.acme.test freely json "{'statements':[{'target':{'androidApp':{'packageName':'test.acme.shop','certificate':{'sha256Fingerprint':'AA:BB'}}}}]}"
  answers digitalassetlinks.googleapis.com freely status 500 json "{}"
  answers app-site-association.cdn-apple.com when shop.acme.test freely json "{'applinks':{'details':[{'appID':'T1.test.acme.shop','paths':['*']}]}}"
"#;
/// Sites of which Apple has nothing: because it could not ask, because there is nothing, and without a word.
const UNSAID: &str = "  answers app-site-association.cdn-apple.com when slow.acme.test freely status 404 header \
                      Apple-Failure-Reason \"SWCERR00301 Timeout\" json \"{}\"\n  answers \
                      app-site-association.cdn-apple.com when gone.acme.test freely status 404 header \
                      Apple-Failure-Reason \"SWCERR00101 Bad HTTP Response: 404 Not Found\" json \"{}\"\n  answers \
                      app-site-association.cdn-apple.com freely status 404 json \"{}\"\n";

fn asked(kind: Kind, package: Value, host: &str) -> (Result<Answer, TaskError>, Vec<(EdgeKind, String)>) {
    let world =
        World::parse(&format!("{TEXT}{UNSAID}"), "links.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let looked =
        look_of(Settings::default(), &world, EPOCH, "app_links", (kind, "test.acme.shop", host), [PACKAGE.is(package)]);
    (looked.answer, looked.found.edges.into_iter().map(|edge| (edge.edge, edge.name)).collect())
}

#[test]
fn what_an_app_and_a_host_say_of_each_other_is_proven_and_a_look_that_fails_says_nothing() {
    let theirs = vec![(EdgeKind::AppLink, "shop.acme.test".to_owned())];
    let signed = |print: &str| json!({"signatures": {"certificates": [{"sha256": print}]}});
    assert_eq!(asked(Kind::AndroidApp, signed("aabb"), "shop.acme.test"), (Ok(Answer::Found), theirs.clone()));
    assert_eq!(asked(Kind::AndroidApp, signed("aacc"), "shop.acme.test"), (Ok(Answer::Absent), vec![]));
    let (failed, nothing) = asked(Kind::AndroidApp, signed("aabb"), "down.acme.test");
    assert!(matches!(failed, Err(TaskError::SourceDown(_))) && nothing.is_empty(), "{failed:?}");
    let ios = |team: &str| json!({"team": team});
    assert_eq!(asked(Kind::IosApp, ios("T1"), "shop.acme.test"), (Ok(Answer::Found), theirs));
    assert_eq!(asked(Kind::IosApp, ios("T2"), "shop.acme.test"), (Ok(Answer::Absent), vec![]));
    for silent in ["other.acme.test", "gone.acme.test"] {
        assert_eq!(asked(Kind::IosApp, ios("T1"), silent), (Ok(Answer::Absent), vec![]), "{silent}");
    }
    let why = "app-site-association.cdn-apple.com: it could not read what the site says: SWCERR00301 Timeout";
    let (failed, nothing) = asked(Kind::IosApp, ios("T1"), "slow.acme.test");
    assert_eq!((failed, nothing), (Err(TaskError::SourceDown(why.to_owned())), vec![]));
}
