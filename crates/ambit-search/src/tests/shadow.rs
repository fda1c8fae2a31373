//! What is found outside and stands in no account, and what stands in one and was never seen from outside: the two are
//! told across the collections that the caller may see.

use super::records::entity;
use super::{ACME, OTHER, Scratch, context, filled, found, request};
use crate::{Batch, IndexedRecord};
use ambit_model::Kind;
use ambit_model::entity::TaskResult;
use ambit_query::Noun;
use serde_json::json;

/// In the collection of external discovery.
fn outside(kind: Kind, name: &str) -> IndexedRecord {
    entity(OTHER, kind, name, |record| {
        record.summary.ports.count = i64::from(kind == Kind::IpAddress);
        if kind != Kind::IpAddress {
            record.task_results = vec![TaskResult {
                name: String::new(),
                task: if kind == Kind::CloudStorageBucket { "bucket_probe" } else { "resolve" }.to_owned(),
                depth: 1,
                entity_name: name.to_owned(),
                entity_type: kind,
            }];
        }
    })
}

/// In the collection of accounts, which names it and has no answer of its own.
fn held(kind: Kind, name: &str, member: &str) -> IndexedRecord {
    entity(ACME, kind, name, |record| {
        record.details.insert(member.to_owned(), json!("Production (1)"));
    })
}

#[test]
fn what_is_outside_and_what_stands_in_accounts_is_compared_across_collections() {
    let scratch = Scratch::new();
    let mut gone = held(Kind::IpAddress, "192.0.2.4", "hidden_aws_account");
    let crate::Record::Entity(record) = &mut gone.record else { panic!("it is one") };
    record.present = false;
    let index = filled(
        &scratch,
        vec![
            // Known on both sides.
            outside(Kind::IpAddress, "192.0.2.1"),
            held(Kind::IpAddress, "192.0.2.1", "hidden_aws_account"),
            outside(Kind::CloudStorageBucket, "https://acme.s3.amazonaws.com"),
            held(Kind::CloudStorageBucket, "https://acme.s3.amazonaws.com", "hidden_cloud_account"),
            outside(Kind::DnsRecord, "www.acme.test"),
            held(Kind::DnsRecord, "www.acme.test", "hidden_aws_account"),
            // Only outside: a name alone is no hint, what it stands on is.
            outside(Kind::IpAddress, "192.0.2.2"),
            outside(Kind::DnsRecord, "old.acme.test"),
            // Only in an account.
            held(Kind::IpAddress, "192.0.2.3", "hidden_aws_account"),
            held(Kind::DnsRecord, "new.acme.test", "hidden_cloud_account"),
            // In an account no more.
            outside(Kind::IpAddress, "192.0.2.4"),
            gone,
        ],
    );
    let told = |text: &str| {
        let mut names: Vec<String> = found(&index, Noun::Entities, text).split(' ').map(str::to_owned).collect();
        names.sort();
        names
    };
    assert_eq!(told("shadow:unmanaged"), ["192.0.2.2", "192.0.2.4"]);
    assert_eq!(told("shadow:unseen"), ["192.0.2.3", "new.acme.test"]);
    assert_eq!(told("shadow:unseen type:IpAddress"), ["192.0.2.3"]);

    // A block that an account holds has what is in it, in whichever segment of the index the two are.
    let blocks = ["192.0.2.0/30", "2001:db8::/56"].map(|block| held(Kind::NetBlock, block, "hidden_cloud_account"));
    let inside = outside(Kind::IpAddress, "2001:db8:0:ff::1");
    let beyond = outside(Kind::IpAddress, "2001:db8:0:100::1");
    let records = blocks.into_iter().chain([inside, beyond]).collect();
    index.apply(2, &Batch { records, ..Batch::default() }).unwrap();
    assert_eq!(told("shadow:unmanaged"), ["192.0.2.4", "2001:db8:0:100::1"]);
    assert_eq!(told("shadow:unseen"), ["192.0.2.3", "new.acme.test"], "a block answers nobody");

    // Whoever may not see the accounts is not told what stands in them.
    let mut asked = request(Noun::Entities, "shadow:unmanaged");
    let mut narrow = context();
    narrow.whole_project = false;
    narrow.collections.retain(|collection| collection.uuid == OTHER);
    asked.context = narrow;
    assert_eq!(index.search_blocking(&asked).unwrap().total_hits, 6);
}
