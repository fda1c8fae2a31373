//! Providers that throttle whatever they are asked: how often rows of one run ask them, and what the rows are told.

use super::explorer::empty_facts;
use super::faulty::{Anything, Fault, Faulty};
use ambit_model::entity::aws;
use ambit_model::{Clearance, Facts, Kind, Timestamp};
use ambit_net::{Grants, Net, NetOptions, Pace, PaceLimits, Wire};
use ambit_tasks::{Account, Answer, Context, Memory, Settings, TaskError};
use ambit_world::World;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::Duration;

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);
/// Times that one row sends a request which is throttled.
const TRIES: u64 = 5;

const MINUTE: Duration = Duration::from_secs(60);

/// How rows ended that were asked for at once, how many requests there were by then, and how long all took.
type Wave = (Vec<Result<Answer, TaskError>>, u64, Duration);

/// A row: the task, the entity, the argument.
type Row = (&'static str, Facts, String);

/// A world with an account at a provider that is answered so.
fn world(provider: &str, lines: &[&str]) -> World {
    let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    let text = format!(
        "world throttled \"Throttled\"\nseeds acme.test\norg acme \"Acme Corp\" ours\nblock 203.0.113.0/26 of acme \
         asn AS64500 named ACME-NET\nzone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\naccount {provider} \"A\" \
         of acme\n  shown \"acme-first\"\n{lines}"
    );
    World::parse(&text, "throttled.world").unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Asks for the same rows at once, again and again: so long after the wave before.
fn waves(world: &World, known: Settings, rows: Vec<Row>, waits: &[Duration], fault: Fault) -> Vec<Wave> {
    let wire = world.wire(EPOCH, 1);
    wire.keep_requests();
    let (send, receive) = std::sync::mpsc::channel();
    let (tracked, waits) = (Arc::new(Faulty { wire: wire.clone(), fault }), waits.to_vec());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(wire.clone().track(Box::pin(async move {
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(tracked, Arc::new(Anything), pace, NetOptions::default());
        let memory = Memory::default();
        for wait in waits {
            net.session(Grants::task(Clearance::L1, &[])).sleep(wait).await;
            let begun = wire.now();
            let rows = rows.iter().map(async |(task, facts, argument)| {
                let task = ambit_tasks::find(task).unwrap();
                let sources: Vec<&'static str> = task.provider(argument).into_iter().collect();
                let session = net.session(Grants::task(Clearance::L3, &sources));
                let context = Context::new(&session, facts, argument, &known).beside(&memory);
                (task.run)(&context).await
            });
            let answers = futures::future::join_all(rows).await;
            let asked = wire.requests().into_iter().filter(|one| one.asked.starts_with(['G', 'P']));
            send.send((answers, asked.map(|one| one.count).sum(), wire.now() - begun)).unwrap();
        }
    })));
    receive.iter().collect()
}

/// The settings that open an account.
fn opened(kind: Kind, settings: Value) -> Settings {
    let secrets =
        json!({"token": "acme-first", "aws_access_key_id": "acme-first", "aws_secret_access_key": "not-a-secret"});
    let account = Account {
        kind: Some(kind),
        secrets: secrets.as_object().cloned(),
        settings: settings.as_object().cloned().unwrap(),
    };
    let mut known = Settings::default();
    known.accounts.insert("a".to_owned(), account);
    known
}

/// Waves of lists of an account at Hetzner that answers so, on a wire that fails so.
fn hetzner(lists: &[&str], answers: &[&str], waits: &[Duration], fault: Fault) -> Vec<Wave> {
    let facts = || empty_facts(Kind::CloudCredential, "a");
    let rows = lists.iter().map(|&list| ("cloud_account", facts(), list.to_owned())).collect();
    let known = opened(Kind::CloudCredential, json!({"provider": "hetzner"}));
    waves(&world("hetzner", answers), known, rows, waits, fault)
}

#[test]
fn an_account_that_is_throttled_to_the_end_is_not_asked_list_by_list() {
    let lists = ["firewalls", "floating_ips", "load_balancers", "primary_ips", "zones", "servers"];
    let answers = ["answers api.hetzner.cloud status 429 json \"{}\""];
    let waves = hetzner(&lists, &answers, &[Duration::ZERO, MINUTE, 11 * MINUTE], |_, _| None);
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

#[test]
fn rows_whose_connections_fail_are_not_counted_as_throttled() {
    let answers = [
        "answers api.hetzner.cloud before 30s status 429 header Connection close json \"{}\"",
        "answers api.hetzner.cloud json \"{'servers':[],'zones':[]}\"",
    ];
    let fault: Fault = |to, now| {
        let is_down = to.port() == 443 && now > Duration::from_millis(900) && now < Duration::from_secs(30);
        is_down.then_some(io::ErrorKind::TimedOut)
    };
    let waves = hetzner(&["servers", "zones"], &answers, &[Duration::ZERO, MINUTE], fault);
    for answer in &waves[0].0 {
        assert!(matches!(answer, Err(TaskError::SourceDown(why)) if !why.contains("too many")), "{waves:#?}");
    }
    assert_eq!(waves[1].0, [Ok(Answer::Found), Ok(Answer::Found)], "{waves:#?}");
}

/// Waves of searches at GitHub for three words, and of the repositories of an account there.
fn github(answers: &[&str], waits: &[Duration]) -> Vec<Wave> {
    let word = |word: &str| ("code_account", empty_facts(Kind::UniqueKeyword, word), "github search".to_owned());
    let account = empty_facts(Kind::GithubAccount, "https://github.com/acme");
    let listed = ("code_account", account, "github repositories".to_owned());
    let rows = ["acmefiles", "acmeshop", "acmetools"].map(word).into_iter().chain([listed]).collect();
    let lines = ["answers api.github.com when /repos? freely json \"[]\""];
    let lines: Vec<&str> = lines.iter().chain(answers).copied().collect();
    waves(&world("hetzner", &lines), Settings::default(), rows, waits, |_, _| None)
}

#[test]
fn searches_that_a_forge_throttles_silence_none_of_its_lists() {
    let limited =
        "answers api.github.com when /search/ freely status 403 json \"{'message':'API rate limit exceeded.'}\"";
    let waves = github(&[limited], &[Duration::ZERO, MINUTE]);
    assert_eq!(waves.iter().map(|wave| &wave.0[3]).collect::<Vec<_>>(), [&Ok(Answer::Found); 2], "{waves:#?}");
    let why = "GitHub, search: not asked, since api.github.com (search) throttled everything that was asked before";
    assert_eq!(waves[1].0[..3], vec![Err(TaskError::SourceDown(why.to_owned())); 3]);
}

#[test]
fn searches_wait_for_the_moment_at_which_a_forge_says_that_its_limit_ends() {
    let second = EPOCH.0 / 1_000;
    for said in [format!("x-ratelimit-reset {}", second + 60), "retry-after 60".to_owned()] {
        let limited = format!(
            "answers api.github.com when /search/ freely before 60s status 403 header {said} json \
             \"{{'message':'API rate limit exceeded.'}}\""
        );
        let found = "answers api.github.com freely json \"{'incomplete_results':false,'items':[]}\"";
        let waves = github(&[&limited, found], &[Duration::ZERO]);
        assert_eq!(waves[0].0, vec![Ok(Answer::Found); 4], "{said}");
        assert!(waves[0].1 <= 8 && waves[0].2 < Duration::from_secs(70), "{said}: {waves:#?}");
    }
}

const REGIONS: &[&str] = &["ap-south-1", "eu-central-1", "eu-west-1", "us-east-1", "us-west-2"];

/// A wave of lists in all these regions at AWS, where the account is answered so.
fn amazon(answers: &[String], permissions: &[&str]) -> Wave {
    let mut facts = empty_facts(Kind::AwsCredential, "a");
    let regions: Vec<String> = REGIONS.iter().map(|&region| region.to_owned()).collect();
    facts.details.extend([aws::ACCOUNT_ID.is("123456789012".to_owned()), aws::REGIONS.is(regions)]);
    let row = |list: String| ("aws_account", facts.clone(), list);
    let of = |region: &&str| permissions.iter().map(move |list| format!("{list} {region}")).collect::<Vec<_>>();
    let rows = REGIONS.iter().flat_map(of).map(row).collect();
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let known = opened(Kind::AwsCredential, json!({"region": "eu-west-1"}));
    waves(&world("aws", &answers), known, rows, &[Duration::ZERO], |_, _| None).remove(0)
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
