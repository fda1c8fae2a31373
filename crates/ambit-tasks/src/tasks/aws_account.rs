//! What stands in an account at AWS, by the account's own keys: what its services list, in every region that it may
//! use. What is asked for and what is made of it is data (`ambit-cloud/src/aws/lists/`).

use crate::ask::aws::{Caller, PROVIDER};
use crate::ask::{account, origins, prefix_lists, zones};
use crate::{Answer, Contacts, Context, Plan, Result, Settings, Task, TaskError};
use ambit_cloud::aws;
use ambit_cloud::form::{Asset, Form, Place};
use ambit_model::entity::aws as known;
use ambit_model::entity::in_account;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, workflow};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::AwsAccount,
    pretty_name: "AWS Account",
    description: "Lists what is in an AWS account with the keys of an integration, service by service in every region \
                  that the account may use, and the other accounts of its organisation, which are read through a role \
                  in each.",
    workflows: &[workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::AwsCredential],
    produces: &[
        Kind::AwsCredential,
        Kind::AwsEC2Instance,
        Kind::AwsRdsDbInstance,
        Kind::AwsResource,
        Kind::AwsS3Bucket,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::IpAddress,
        Kind::NetBlock,
        Kind::Uri,
    ],
    cost: 2,
    gain: 50,
    contacts: Contacts::Provider(PROVIDER),
    plan,
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// The argument under which it is asked whose keys they are, and which regions there are.
const ACCOUNT: &str = "account";
/// The list of the accounts of an organisation.
const ORGANIZATION: &str = "organizations:ListAccounts";

/// First the account, then each list in each region: one that is denied says nothing of the others.
fn plan(facts: &Facts, settings: &Settings) -> Plan {
    let (_, member) = known::of_organization(&facts.name);
    let mut regions = known::REGIONS.of(&facts.details).unwrap_or_default();
    if regions.is_empty() {
        return Plan::Each(vec![ACCOUNT.to_owned()]);
    }
    let (is_region_wanted, is_service_wanted) =
        (wanted(facts, settings, "regions"), wanted(facts, settings, "services"));
    let kept: Vec<String> = of_lost_regions(facts, settings, &regions)
        .map(|(list, region)| format!("{} {region}", list.permission))
        .collect();
    regions.retain(|region| is_region_wanted(region));
    let lists = aws::lists().iter().filter(|list| !list.named && is_service_wanted(&list.service));
    // An account that its organisation named has no other accounts.
    let lists = lists.filter(|list| member.is_none() || list.permission != ORGANIZATION).flat_map(|list| {
        let places = match &list.only_in {
            Some(only) => vec![only.as_str()],
            None if list.of_account => vec![""],
            None => regions.iter().map(String::as_str).collect(),
        };
        places.into_iter().map(|region| format!("{} {region}", list.permission).trim_end().to_owned())
    });
    let asked: BTreeSet<String> = lists.chain([ACCOUNT.to_owned()]).collect();
    let bound: BTreeSet<String> = asked.iter().cloned().chain(kept).collect();
    Plan::Bound { asked: asked.into_iter().collect(), bound: bound.into_iter().collect() }
}

/// Lists that were asked in regions which the account may not use any more, as far as the integration still wants both.
/// That ends nothing that stands there, and nobody can ask for it.
fn of_lost_regions<'a>(
    facts: &'a Facts,
    settings: &'a Settings,
    regions: &'a [String],
) -> impl Iterator<Item = (&'static Form, &'a str)> {
    let (is_region_wanted, is_service_wanted) =
        (wanted(facts, settings, "regions"), wanted(facts, settings, "services"));
    let asked = facts.probes_of(TASK.name).filter_map(|(argument, _)| argument.split_once(' '));
    let listed = asked.filter_map(|(permission, region)| Some((aws::list(permission)?, region)));
    listed.filter(move |(list, region)| {
        let is_lost = list.only_in.is_none() && !regions.iter().any(|known| known == region);
        is_lost && is_region_wanted(region) && is_service_wanted(&list.service)
    })
}

/// Says what stays as it was in regions that the account may not use any more.
fn said_of_lost(facts: &Facts, settings: &Settings, regions: &[String]) -> Option<String> {
    let lost: BTreeSet<&str> = of_lost_regions(facts, settings, regions).map(|(_, region)| region).collect();
    let which = if lost.len() == 1 { "that region" } else { "those regions" };
    let lost = (!lost.is_empty()).then(|| lost.into_iter().collect::<Vec<_>>().join(", "));
    lost.map(|lost| format!("what stood in {lost} stays as it was: the account may not use {which} any more"))
}

/// Returns what tells which regions, or services, the integration wants to be asked for.
fn wanted<'a>(facts: &Facts, settings: &'a Settings, what: &str) -> impl Fn(&str) -> bool + use<'a> {
    let (first, _) = known::of_organization(&facts.name);
    let named = settings.accounts.get(first).and_then(|account| account.named(what));
    move |name| named.as_ref().is_none_or(|wanted| wanted.contains(&name))
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let caller = Caller::of(cx).await?;
    if cx.argument == ACCOUNT {
        return whose(cx, &caller).await;
    }
    let first = caller.region.clone();
    let (permission, region) = cx.argument.split_once(' ').unwrap_or((cx.argument, &first));
    let list = aws::list(permission).filter(|_| aws::is_region(region));
    let list = list.ok_or_else(|| TaskError::Failed(format!("no list is named {:?}", cx.argument)))?;
    let number = known::ACCOUNT_ID.of(&cx.facts.details).unwrap_or_default();
    let arn = known::ARN.of(&cx.facts.details).unwrap_or_default();
    let partition = arn.split(':').nth(1).unwrap_or(aws::FIRST_PARTITION);
    let place = Place { account: &number, region, partition, domain: aws::domain(partition) };
    let caller = account::Caller::Aws(caller);
    let account::Listed { mut assets, unread } = caller.listed(cx, list, &place).await?;
    let mut answer = account::ended(cx, TASK.name, unread);
    let unfilled = match permission {
        prefix_lists::OF => prefix_lists::fill(cx, &caller, &place, &mut assets).await,
        origins::OF => origins::fill(cx, &caller, &mut assets).await,
        _ => None,
    };
    if let Some(error) = unfilled {
        answer = Answer::InPart(error);
    }
    if permission == ORGANIZATION {
        organization(cx, &assets);
        return Ok(answer);
    }
    let own = in_account::AWS.is(cx.facts.name.clone());
    if list.has_records() {
        zones::tell(cx, &assets, &own, in_account::AWS_ZONE_TARGETS).await;
        return Ok(answer);
    }
    for asset in assets {
        let what = asset.what;
        account::tell(cx, asset, &own, |kind| {
            let mut details = Details::from_iter([known::ACCOUNT_ID.is(number.clone())]);
            if kind == Kind::AwsResource {
                details.extend([known::RESOURCE_TYPE.is(what.to_owned())]);
                details.extend([known::INSTANCE_REGION.is(region.to_owned())]);
            }
            details
        });
    }
    Ok(answer)
}

/// Leads to the other accounts of the organisation: all, or those that the integration names.
fn organization(cx: &Context<'_>, assets: &[Asset]) {
    let own = known::ACCOUNT_ID.of(&cx.facts.details);
    let named = cx.settings.accounts.get(&cx.facts.name).and_then(|account| account.named("accounts"));
    for item in assets.iter().map(|asset| &asset.item) {
        let Some(number) = item["Id"].as_str().filter(|number| Some(*number) != own.as_deref()) else { continue };
        let is_wanted = named.as_ref().is_none_or(|named| named.contains(&number));
        if let Some(name) = known::in_organization(&cx.facts.name, number).filter(|_| is_wanted) {
            let title = known::ACCOUNT_NAME.is(item["Name"].as_str().map(str::to_owned));
            cx.found_with(Kind::AwsCredential, &name, EdgeKind::CloudAccount, Details::from_iter([title]));
        }
    }
}

/// Whose keys they are, and which regions there are.
async fn whose(cx: &Context<'_>, caller: &Caller) -> Result<Answer> {
    let region = caller.region.as_str();
    let identity = caller.ask_service(cx, ("sts", region), &aws::ask_identity(), aws::identity).await?;
    let read = |status: u16, body: &[u8]| aws::regions(identity.partition(), status, body);
    let regions = caller.ask_service(cx, ("ec2", region), &aws::list_regions(), read).await;
    let (regions, answer) = match (regions, named_regions(cx, identity.partition())) {
        (Err(TaskError::Denied(why)), named) if !named.is_empty() => (named, Answer::InPart(TaskError::Denied(why))),
        (regions, _) => (regions?, Answer::Found),
    };
    said_of_lost(cx.facts, cx.settings, &regions).into_iter().for_each(|what| cx.leave_out(what));
    cx.observe(known::ACCOUNT_ID, identity.account);
    cx.observe(known::ARN, identity.arn);
    cx.observe(known::REGIONS, regions);
    Ok(answer)
}

/// The regions of a partition that the integration names.
fn named_regions(cx: &Context<'_>, partition: &str) -> Vec<String> {
    let (first, _) = known::of_organization(&cx.facts.name);
    let named = cx.settings.accounts.get(first).and_then(|account| account.named("regions")).unwrap_or_default();
    let is_there = |name: &&str| aws::is_region(name) && aws::partition(name) == partition;
    let mut regions: Vec<String> = named.into_iter().filter(is_there).map(str::to_owned).collect();
    regions.sort();
    regions.dedup();
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Account;
    use crate::tests::facts;
    use ambit_model::Timestamp;
    use ambit_model::facts::{LastProbe, ProbeOutcome};
    use serde_json::json;

    #[test]
    fn the_account_is_asked_first_and_then_each_list_in_each_region() {
        let account = facts(Kind::AwsCredential, "a", json!({"regions": ["eu-west-1", "us-east-1"]}));
        let none = facts(Kind::AwsCredential, "a", json!({}));
        assert_eq!(plan(&none, &Settings::default()), Plan::Each(vec!["account".to_owned()]));
        let asked = |settings: &Settings| match plan(&account, settings) {
            Plan::Bound { asked, .. } => asked,
            other => panic!("what holds is bound: {other:?}"),
        };
        let all = asked(&Settings::default());
        for wanted in [
            "account",
            "cloudfront:ListDistributions us-east-1",
            "ec2:DescribeInstances eu-west-1",
            "ec2:DescribeInstances us-east-1",
            "s3:ListAllMyBuckets",
        ] {
            assert!(all.iter().any(|argument| argument == wanted), "{wanted}: {all:?}");
        }
        let mut settings = Settings::default();
        let named = json!({"regions": ["eu-west-1", "moon-1"], "services": ["cloudfront", "ec2"]})
            .as_object()
            .cloned()
            .unwrap();
        settings
            .accounts
            .insert("a".to_owned(), Account { kind: Some(Kind::AwsCredential), secrets: None, settings: named });
        let some = asked(&settings);
        assert!(some.iter().any(|argument| argument == "ec2:DescribeInstances eu-west-1"), "{some:?}");
        assert!(!some.iter().any(|argument| argument == "ec2:DescribeInstances us-east-1"), "{some:?}");
        assert!(some.iter().any(|argument| argument == "cloudfront:ListDistributions us-east-1"), "{some:?}");
        assert!(!some.iter().any(|argument| argument.starts_with("s3:")), "{some:?}");
        for account in settings.accounts.values_mut() {
            account.settings =
                json!({"regions": "eu-west-1", "services": "cloudfront, ec2"}).as_object().cloned().unwrap();
        }
        assert_eq!(asked(&settings), some, "a text lists what stands in it");
    }

    #[test]
    fn what_stood_in_a_region_that_may_not_be_used_any_more_is_left_as_it_was() {
        let mut account = facts(Kind::AwsCredential, "a", json!({"regions": ["us-east-1"]}));
        let probes = account.probes.entry(TASK.name).or_default();
        for argument in [
            "ec2:DescribeInstances eu-south-1",
            "ec2:DescribeInstances us-east-1",
            "gone:List eu-south-1",
            "rds:DescribeDBInstances me-south-1",
        ] {
            let at = Timestamp(0);
            let probe = LastProbe { confirmed: Some(at), ..LastProbe::new(ProbeOutcome::Found, at, 1) };
            probes.insert(argument.to_owned(), probe);
        }
        let has = |settings: &Settings, argument: &str| match plan(&account, settings) {
            Plan::Bound { asked, bound } => [asked, bound].map(|all| all.iter().any(|known| known == argument)),
            other => panic!("what holds is bound: {other:?}"),
        };
        let mut settings = Settings::default();
        assert_eq!(has(&settings, "ec2:DescribeInstances eu-south-1"), [false, true]);
        assert_eq!(has(&settings, "ec2:DescribeInstances us-east-1"), [true, true]);
        assert_eq!(has(&settings, "gone:List eu-south-1"), [false, false]);
        let use_of = ["us-east-1".to_owned()];
        let said = "what stood in eu-south-1, me-south-1 stays as it was: the account may not use those regions any \
                    more";
        assert_eq!(said_of_lost(&account, &settings, &use_of).as_deref(), Some(said));
        let only_me = "what stood in me-south-1 stays as it was: the account may not use that region any more";
        for (named, is_kept, said) in [
            (json!({"regions": ["us-east-1"]}), [false, false], None),
            (json!({"regions": ["us-east-1", "me-south-1"]}), [false, true], Some(only_me)),
            // The other region was asked only for a service that nobody wants any more.
            (json!({"services": ["rds"]}), [false, true], Some(only_me)),
            (json!({"services": ["s3"]}), [false, false], None),
        ] {
            let wanted = named.as_object().cloned().unwrap();
            let narrowed = Account { kind: Some(Kind::AwsCredential), secrets: None, settings: wanted };
            settings.accounts.insert("a".to_owned(), narrowed);
            let lost = ["ec2:DescribeInstances eu-south-1", "rds:DescribeDBInstances me-south-1"];
            assert_eq!(lost.map(|argument| has(&settings, argument)[1]), is_kept, "{named}");
            assert_eq!(said_of_lost(&account, &settings, &use_of).as_deref(), said, "{named}");
        }
    }

    #[test]
    fn lists_lead_to_kinds_that_the_task_produces_and_say_members_of_them() {
        for list in aws::lists() {
            for (kind, is_entity) in list.kinds().zip([true].into_iter().chain(std::iter::repeat(false))) {
                let found = Kind::from_name(kind).unwrap_or_else(|| panic!("{}: {kind}", list.permission));
                assert!(TASK.produces.contains(&found), "{}: {kind}", list.permission);
                for member in list.members().filter(|_| is_entity) {
                    assert_eq!(found.owner(member), Some(TaskName::AwsAccount), "{}: {member}", list.permission);
                }
            }
        }
    }
}
