//! How long what is over is kept: nothing goes without being asked for, what is shown now always stays, and the past
//! before that is refused rather than answered in part.

use crate::lab::{Lab, both, found, with_evidence};
use ambit_model::entity::EntityRecord;
use ambit_model::moment::DAY_MS;
use ambit_model::{Item, Kind, Timestamp, Uid};
use ambit_store::{At, Retention, StoreError};
use serde_json::json;

/// A domain whose title changes in each of these runs, a day after one another. Answers with when each run was over.
async fn titles(lab: &Lab, titles: &[&str]) -> (Uid, Vec<Timestamp>) {
    let domain = lab.uid(Kind::Domain, "acme.test");
    let mut over = Vec::new();
    for title in titles {
        let run = lab.run().await;
        let look = with_evidence(found(json!({"title": title}), &[]), title.as_bytes());
        lab.probe(&run, "zone", domain, 0, look).await;
        lab.decide(&run, domain, 1000, true).await;
        lab.finish(&run).await;
        over.push(lab.now());
        lab.pass(DAY_MS);
    }
    (domain, over)
}

async fn title_at(lab: &Lab, domain: Uid, moment: Timestamp) -> Result<String, StoreError> {
    let at = lab.store.record_at::<EntityRecord>(&lab.caller(), &domain.to_string(), None, moment).await?;
    let At::Then(view) = at else { panic!("it was seen before") };
    Ok(view.record.details["title"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn versions_go_when_their_days_are_over_and_the_present_stays() {
    both(async |lab| {
        let (domain, over) = titles(&lab, &["one", "two", "three", "four"]).await;
        lab.store.tidy(lab.now()).await.unwrap();
        assert_eq!(title_at(&lab, domain, over[0]).await.unwrap(), "one", "without a policy everything stays");
        assert_eq!(lab.store.kept_since().await.unwrap(), None);

        lab.store.set_retention(Retention { versions_days: Some(3), evidence_days: None });
        lab.store.tidy(lab.now()).await.unwrap();
        let since = lab.store.kept_since().await.unwrap().expect("something went");
        assert!(over[0] < since && since <= lab.now().plus_ms(-3 * DAY_MS), "{since}");
        let refused = title_at(&lab, domain, over[0]).await.unwrap_err().to_string();
        assert!(refused.contains(&since.to_string()) && !refused.contains('\n'), "{refused}");
        assert!(lab.store.require_kept(over[0]).await.is_err());
        lab.store.require_kept(since).await.unwrap();
        // Each moment that is listed can be asked for.
        let named = domain.to_string();
        let points = lab.store.points_in_time(&lab.me, (Item::Entity, &named), None, None).await.unwrap();
        assert!(points.first() == Some(&since) && points.len() == 3, "{points:?} since {since}");
        for point in points {
            title_at(&lab, domain, point).await.unwrap();
        }
        assert_eq!(title_at(&lab, domain, over[1]).await.unwrap(), "two");
        assert_eq!(title_at(&lab, domain, over[3]).await.unwrap(), "four");

        lab.pass(400 * DAY_MS);
        lab.store.tidy(lab.now()).await.unwrap();
        assert_eq!(
            title_at(&lab, domain, lab.now()).await.unwrap(),
            "four",
            "it was not seen for a year, and is shown"
        );
        let named = domain.to_string();
        let points = lab.store.points_in_time(&lab.me, (Item::Entity, &named), None, None).await.unwrap();
        assert_eq!(points.len(), 1);

        // What went does not come back with another policy.
        lab.store.set_retention(Retention::default());
        lab.store.tidy(lab.now()).await.unwrap();
        assert!(title_at(&lab, domain, over[1]).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn evidence_goes_when_nobody_saw_it_again_and_is_evidence_anew_when_it_comes_again() {
    both(async |lab| {
        let (domain, _) = titles(&lab, &["same", "same"]).await;
        let hash = ambit_model::id::blob_hash(b"same");
        lab.store.set_retention(Retention { versions_days: None, evidence_days: Some(5) });
        lab.store.tidy(lab.now()).await.unwrap();
        assert!(lab.store.blob(hash).await.unwrap().is_some(), "it was seen a day ago");
        lab.pass(5 * DAY_MS);
        lab.store.tidy(lab.now()).await.unwrap();
        assert!(lab.store.blob(hash).await.unwrap().is_none());
        assert_eq!(title_at(&lab, domain, lab.now()).await.unwrap(), "same", "what was read of it stays");

        titles(&lab, &["same"]).await;
        lab.pass(2 * DAY_MS);
        lab.store.tidy(lab.now()).await.unwrap();
        assert!(lab.store.blob(hash).await.unwrap().is_some());
    })
    .await;
}
