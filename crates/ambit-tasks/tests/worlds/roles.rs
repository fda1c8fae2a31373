//! Roles at AWS: rows of a run that need the same one take it once.

use super::explorer::empty_facts;
use super::faulty::Anything;
use ambit_model::entity::aws;
use ambit_model::{Clearance, Kind, Timestamp};
use ambit_net::{Grants, Net, NetOptions, Pace, PaceLimits, Wire};
use ambit_tasks::{Account, Answer, Context, Memory, Settings};
use ambit_world::{SimulatedWire, World};
use serde_json::json;
use std::sync::Arc;

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);
const STS: &str = "sts.eu-west-1.amazonaws.com";

const TEXT: &str = r#"
world roles "Roles"
seeds acme.test
org acme "Acme Corp" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
account aws "Roles" of acme
  secret aws_access_key_id acme-first
  secret aws_secret_access_key not-a-secret
  setting region eu-west-1
  shown "Credential=acme-"
  answers sts.eu-west-1.amazonaws.com when AssumeRole when Reader xml "<R><AssumeRoleResult><Credentials><AccessKeyId>acme-second</AccessKeyId><SecretAccessKey>not-a-secret</SecretAccessKey><SessionToken>t</SessionToken></Credentials></AssumeRoleResult></R>"
  answers sts.eu-west-1.amazonaws.com status 403 xml "<R><Error><Code>AccessDenied</Code></Error></R>"
  answers ec2.eu-west-1.amazonaws.com xml "<R><addressesSet/><imagesSet/><networkInterfaceSet/><reservationSet/><securityGroupInfo/><snapshotSet/></R>"
"#;

/// The answers to three lists that are asked for at once by a role, and how often it was taken.
fn asked_by(role: &str) -> (Vec<bool>, u64) {
    let world = World::parse(TEXT, "roles.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let wire = world.wire(EPOCH, 1);
    wire.keep_requests();
    let secrets = json!({
        "aws_access_key_id": "acme-first", "aws_secret_access_key": "not-a-secret",
        "aws_role_arn": format!("arn:aws:iam::210987654321:role/{role}"),
    });
    let said = json!({"region": "eu-west-1"});
    let account = Account {
        kind: Some(Kind::AwsCredential),
        secrets: secrets.as_object().cloned(),
        settings: said.as_object().cloned().unwrap(),
    };
    let mut settings = Settings::default();
    settings.accounts.insert("a".to_owned(), account);
    let mut facts = empty_facts(Kind::AwsCredential, "a");
    facts
        .details
        .extend([aws::ACCOUNT_ID.is("210987654321".to_owned()), aws::REGIONS.is(vec!["eu-west-1".to_owned()])]);
    let (send, receive) = std::sync::mpsc::channel();
    let tracked: Arc<SimulatedWire> = wire.clone();
    runtime.block_on(wire.track(Box::pin(async move {
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(tracked, Arc::new(Anything), pace, NetOptions::default());
        let (task, memory) = (ambit_tasks::find("aws_account").unwrap(), Memory::default());
        let rows = ["ec2:DescribeAddresses", "ec2:DescribeInstances", "ec2:DescribeSnapshots"].map(async |list| {
            let argument = format!("{list} eu-west-1");
            let sources: Vec<&'static str> = task.provider(&argument).into_iter().collect();
            let session = net.session(Grants::task(Clearance::L3, &sources));
            let context = Context::new(&session, &facts, &argument, &settings).beside(&memory);
            (task.run)(&context).await == Ok(Answer::Found)
        });
        send.send(futures::future::join_all(rows).await).unwrap();
    })));
    let taken =
        wire.requests().into_iter().filter(|one| one.name.as_deref() == Some(STS) && one.asked.starts_with("POST"));
    (receive.recv().unwrap(), taken.map(|one| one.count).sum())
}

#[test]
fn a_role_is_taken_once_and_a_refusal_is_told_to_all() {
    assert_eq!(asked_by("Reader"), (vec![true; 3], 1));
    assert_eq!(asked_by("Owner"), (vec![false; 3], 1));
}
