//! What stands in an account at AWS, by the account's own keys: machines with public addresses, elastic addresses,
//! buckets, in every region that it may use.

use crate::ask::aws::{Caller, PROVIDER};
use crate::{Answer, Contacts, Context, Plan, Settings, Sights, Task, TaskError};
use ambit_cloud::aws::{self, Asset, Instance};
use ambit_model::entity::{aws as known, bucket};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, Details, EdgeKind, Facts, Kind, TaskName, workflow};
use serde_json::json;

pub(crate) const TASK: Task = Task {
    name: TaskName::AwsAccount,
    pretty_name: "AWS Account",
    description: "Asks AWS, by the keys of an integration, for the machines, addresses and buckets of an account in \
                  every region that it may use.",
    workflows: &[workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::AwsCredential],
    produces: &[Kind::AwsEC2Instance, Kind::AwsS3Bucket, Kind::CloudStorageBucket, Kind::IpAddress],
    footprint: Clearance::L1,
    ttl_ms: DAY_MS,
    cost: 2,
    gain: 50,
    volatile: &[],
    contacts: Contacts::Provider(PROVIDER),
    sights: Sights::All(Sighting::Entity),
    plan,
    run: |cx| Box::pin(run(cx)),
};

/// The argument under which it is asked whose keys they are, and which regions there are.
const ACCOUNT: &str = "account";

/// First the account, then each list in each region: one that is denied says nothing of the others.
fn plan(facts: &Facts, _: &Settings) -> Plan {
    let regions = known::REGIONS.of(&facts.details).unwrap_or_default();
    if regions.is_empty() {
        return Plan::Each(vec![ACCOUNT.to_owned()]);
    }
    let lists = aws::LISTS.iter().flat_map(|list| {
        let places = if list.is_regional { regions.iter().map(String::as_str).collect() } else { vec![""] };
        places.into_iter().map(|region| format!("{} {region}", list.permission).trim_end().to_owned())
    });
    Plan::bound(lists.chain([ACCOUNT.to_owned()]))
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let caller = Caller::of(cx).await?;
    if cx.argument == ACCOUNT {
        return account(cx, &caller).await;
    }
    let (permission, region) = cx.argument.split_once(' ').unwrap_or((cx.argument, &caller.region));
    let list = aws::list(permission).filter(|_| aws::is_region(region));
    let list = list.ok_or_else(|| TaskError::Failed(format!("no list is named {:?}", cx.argument)))?;
    for asset in caller.all(cx, list, region).await? {
        say(cx, region, asset);
    }
    Ok(Answer::Found)
}

/// Whose keys they are, and which regions there are.
async fn account(cx: &Context<'_>, caller: &Caller) -> Result<Answer, TaskError> {
    let region = caller.region.as_str();
    let identity = caller.ask(cx, ("sts", region), &aws::ask_identity(), aws::identity).await?;
    let read = |status: u16, body: &[u8]| aws::regions(identity.partition(), status, body);
    let regions = caller.ask(cx, ("ec2", region), &aws::list_regions(), read).await?;
    cx.observe(known::ACCOUNT_ID, identity.account);
    cx.observe(known::ARN, identity.arn);
    cx.observe(known::REGIONS, regions);
    Ok(Answer::Found)
}

fn say(cx: &Context<'_>, region: &str, asset: Asset) {
    let edge = EdgeKind::CloudAccount;
    let account = known::ACCOUNT_ID.of(&cx.facts.details).unwrap_or_default();
    match asset {
        Asset::Address(address) => cx.found(Kind::IpAddress, &address.to_string(), edge),
        Asset::Instance(found) => {
            for address in &found.addresses {
                cx.found(Kind::IpAddress, &address.to_string(), edge);
            }
            let host = found.host.clone();
            cx.found_with(Kind::AwsEC2Instance, &host, edge, instance(account, region, *found));
        }
        Asset::Bucket { name, region } => {
            let members = [
                known::ACCOUNT_ID.is(account),
                bucket::BUCKET_NAME.is(json!(name)),
                bucket::REGION.is(region.map(|region| json!(region))),
            ];
            cx.found_with(Kind::AwsS3Bucket, &name, edge, Details::from_iter(members));
            let arn = known::ARN.of(&cx.facts.details).unwrap_or_default();
            let partition = arn.split(':').nth(1).unwrap_or_default();
            cx.found(Kind::CloudStorageBucket, &aws::bucket_host(&name, partition), edge);
        }
    }
}

fn instance(account: String, region: &str, found: Instance) -> Details {
    let addresses: Vec<String> = found.addresses.iter().map(ToString::to_string).collect();
    Details::from_iter([
        known::ACCOUNT_ID.is(account),
        known::INSTANCE_ID.is(found.id),
        known::IMAGE_ID.is(found.image),
        known::INSTANCE_TYPE.is(found.size),
        known::STATE.is(found.state),
        known::INSTANCE_REGION.is(region.to_owned()),
        known::VPC_ID.is(found.network),
        known::PUBLIC_IPS.is(addresses),
        known::PRIVATE_IP.is(found.private_address),
        known::SECURITY_GROUPS.is(found.security_groups),
        known::LAUNCH_TIME.is(found.launched_at),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;

    #[test]
    fn the_account_is_asked_first_and_then_each_list_in_each_region() {
        let planned = |details| plan(&facts(Kind::AwsCredential, "a", details), &Settings::default());
        assert_eq!(planned(json!({})), Plan::Each(vec!["account".to_owned()]));
        let Plan::Bound { asked, .. } = planned(json!({"regions": ["eu-west-1", "us-east-1"]})) else {
            panic!("what holds is bound");
        };
        let wanted = [
            "account",
            "ec2:DescribeAddresses eu-west-1",
            "ec2:DescribeAddresses us-east-1",
            "ec2:DescribeInstances eu-west-1",
            "ec2:DescribeInstances us-east-1",
            "s3:ListAllMyBuckets",
        ];
        assert_eq!(asked, wanted);
    }
}
