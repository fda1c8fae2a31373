//! Providers that throttle whatever they are asked: how often rows of one run ask them, and what the rows are told.

use super::explorer::empty_facts;
use super::faulty::Anything;
use ambit_model::entity::aws;
use ambit_model::{Clearance, Facts, Kind, Timestamp};
use ambit_net::{Grants, Net, NetOptions, Pace, PaceLimits, Wire};
use ambit_tasks::{Account, Answer, Context, Memory, Settings, TaskError};
use ambit_world::{SimulatedWire, World};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);
/// Times that one row sends a request which is throttled.
const TRIES: u64 = 5;

const MINUTE: Duration = Duration::from_secs(60);

/// How rows ended that were asked for at once, how many requests there were by then, and how long all took.
type Wave = (Vec<Result<Answer, TaskError>>, u64, Duration);

/// Asks for the same lists of an account at once, again and again: so long after the wave before.
fn waves(
    account: (Kind, &str, &[&str]),
    (settings, details): (Value, Facts),
    lists: &[&str],
    waits: &[Duration],
) -> Vec<Wave> {
    let (kind, provider, lines) = account;
    let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    let text = format!(
        "world throttled \"Throttled\"\nseeds acme.test\norg acme \"Acme Corp\" ours\nblock 203.0.113.0/26 of acme \
         asn AS64500 named ACME-NET\nzone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\naccount {provider} \"A\" \
         of acme\n  shown \"acme-first\"\n{lines}"
    );
    let world = World::parse(&text, "throttled.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let wire = world.wire(EPOCH, 1);
    wire.keep_requests();
    let secrets =
        json!({"token": "acme-first", "aws_access_key_id": "acme-first", "aws_secret_access_key": "not-a-secret"});
    let account = Account {
        kind: Some(kind),
        secrets: secrets.as_object().cloned(),
        settings: settings.as_object().cloned().unwrap(),
    };
    let mut known = Settings::default();
    known.accounts.insert(details.name.clone(), account);
    let (send, receive) = std::sync::mpsc::channel();
    let tracked: Arc<SimulatedWire> = wire.clone();
    let lists: Vec<String> = lists.iter().map(|&list| list.to_owned()).collect();
    let waits = waits.to_vec();
    let name = if kind == Kind::AwsCredential { "aws_account" } else { "cloud_account" };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(wire.track(Box::pin(async move {
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(tracked.clone(), Arc::new(Anything), pace, NetOptions::default());
        let (task, memory) = (ambit_tasks::find(name).unwrap(), Memory::default());
        for wait in waits {
            net.session(Grants::task(Clearance::L1, &[])).sleep(wait).await;
            let begun = tracked.now();
            let rows = lists.iter().map(async |list| {
                let sources: Vec<&'static str> = task.provider(list).into_iter().collect();
                let session = net.session(Grants::task(Clearance::L3, &sources));
                let context = Context::new(&session, &details, list, &known).beside(&memory);
                (task.run)(&context).await
            });
            let answers = futures::future::join_all(rows).await;
            let asked = tracked.requests().into_iter().filter(|one| one.asked.starts_with(['G', 'P']));
            send.send((answers, asked.map(|one| one.count).sum(), tracked.now() - begun)).unwrap();
        }
    })));
    receive.iter().collect()
}

/// Waves of a whole account at Hetzner that answers so.
fn hetzner(answers: &[&str], waits: &[Duration]) -> Vec<Wave> {
    const LISTS: &[&str] = &["firewalls", "floating_ips", "load_balancers", "primary_ips", "zones", "servers"];
    let facts = empty_facts(Kind::CloudCredential, "a");
    waves((Kind::CloudCredential, "hetzner", answers), (json!({"provider": "hetzner"}), facts), LISTS, waits)
}

#[test]
fn an_account_that_is_throttled_to_the_end_is_not_asked_list_by_list() {
    let waves = hetzner(&["answers api.hetzner.cloud status 429 json \"{}\""], &[Duration::ZERO, MINUTE, 11 * MINUTE]);
    let rows = waves[0].0.len() as u64;
    assert!(rows < waves[0].1 && waves[0].1 <= rows + 2 * TRIES, "{waves:#?}");
    assert!(waves[0].2 < 3 * MINUTE && waves[1].2 == Duration::ZERO, "{waves:#?}");
    for answer in waves.iter().flat_map(|(answers, ..)| answers) {
        assert!(matches!(answer, Err(TaskError::SourceDown(why)) if why.starts_with("Hetzner Cloud, ")), "{answer:?}");
    }
    let why = "Hetzner Cloud, servers: not asked, since api.hetzner.cloud throttled everything that was asked before";
    assert_eq!(waves[1].0.last(), Some(&Err(TaskError::SourceDown(why.to_owned()))));
    assert_eq!(waves[1].1, waves[0].1, "nothing is asked then");
    assert!(waves[1].1 < waves[2].1 && waves[2].1 <= waves[1].1 + TRIES, "after a rest one row asks for all");
}

const REGIONS: &[&str] = &["ap-south-1", "eu-central-1", "eu-west-1", "us-east-1", "us-west-2"];

/// A wave of lists in all these regions at AWS, where the account is answered so.
fn amazon(answers: &[String], permissions: &[&str]) -> Wave {
    let mut facts = empty_facts(Kind::AwsCredential, "a");
    let regions: Vec<String> = REGIONS.iter().map(|&region| region.to_owned()).collect();
    facts.details.extend([aws::ACCOUNT_ID.is("123456789012".to_owned()), aws::REGIONS.is(regions)]);
    let of = |region: &&str| permissions.iter().map(move |list| format!("{list} {region}")).collect::<Vec<_>>();
    let lists: Vec<String> = REGIONS.iter().flat_map(of).collect();
    let lists: Vec<&str> = lists.iter().map(String::as_str).collect();
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let account = (Kind::AwsCredential, "aws", answers.as_slice());
    waves(account, (json!({"region": "eu-west-1"}), facts), &lists, &[Duration::ZERO]).remove(0)
}

const THROTTLED: &str = "status 400 xml \"<R><Errors><Error><Code>RequestLimitExceeded</Code></Error></Errors></R>\"";
const LISTS: &[&str] = &[
    "ec2:DescribeAddresses",
    "ec2:DescribeImages",
    "ec2:DescribeInstances",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSnapshots",
];

#[test]
fn regions_that_throttle_are_asked_by_one_row_after_another_and_silence_no_other_region() {
    let empty = "xml \"<R><addressesSet/><imagesSet/><reservationSet/><securityGroupInfo/><snapshotSet/></R>\"";
    let answers: Vec<String> = REGIONS
        .iter()
        .map(|region| {
            let answer = if *region == "eu-west-1" { THROTTLED } else { empty };
            format!("answers ec2.{region}.amazonaws.com {answer}")
        })
        .collect();
    let (rows, count, took) = amazon(&answers, LISTS);
    let found = rows.iter().filter(|answer| **answer == Ok(Answer::Found)).count();
    let down = rows.iter().filter(|answer| matches!(answer, Err(TaskError::SourceDown(_)))).count();
    assert_eq!((found, down), (LISTS.len() * (REGIONS.len() - 1), LISTS.len()), "{rows:#?}");
    assert!(count <= rows.len() as u64 + 2 * TRIES && took < MINUTE, "{count} requests, {took:?}");

    let answers: Vec<String> =
        REGIONS.iter().map(|region| format!("answers ec2.{region}.amazonaws.com {THROTTLED}")).collect();
    let (rows, count, took) = amazon(&answers, LISTS);
    assert!(rows.iter().all(|answer| matches!(answer, Err(TaskError::SourceDown(_)))), "{rows:#?}");
    let count_max = rows.len() as u64 + 2 * TRIES * REGIONS.len() as u64;
    assert!(count <= count_max && took < MINUTE, "{count} requests, {took:?}");
}
