//! What the accounts of a collection hold at each provider: public addresses, and load balancers by their names. Where
//! one of the accounts there cannot be read whole, that is not known: what it does not show may be held by it.

use super::account::Caller as AnyCaller;
use super::provider::denied;
use super::{aws, cloud};
use crate::holdings::{Held, Holding};
use crate::{Account, Context, Result, TaskError};
use ambit_cloud::aws as amazon;
use ambit_cloud::form::{Asset, Form, Place};
use ambit_cloud::provider::Provider;
use ambit_model::Kind;
use ambit_model::entity::aws as known;
use ipnet::IpNet;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Accounts of one collection at AWS that are read at most: each is asked for hundreds of pages.
const ACCOUNTS_MAX: usize = 20;
/// The same at another provider, where each is asked for a few.
const OTHER_ACCOUNTS_MAX: usize = 500;
/// Lists of AWS that show what an account holds in a region.
const OF_REGION: &[&str] = &[
    "ec2:DescribeAddresses",
    "ec2:DescribeInstances",
    "ec2:DescribeNetworkInterfaces",
    "elasticloadbalancing:DescribeLoadBalancers",
    "elasticloadbalancing:DescribeLoadBalancers.classic",
];
/// The same of services that do not stand in every region: where one does not answer, nothing of it is there.
const SOMEWHERE: &[&str] = &["lightsail:GetInstances", "lightsail:GetStaticIps"];
/// The same of the account as a whole, with its region.
const OF_ACCOUNT: (&str, &str) = ("globalaccelerator:ListAccelerators", "us-west-2");
/// The list of the accounts of an organisation.
const ORGANIZATION: &str = "organizations:ListAccounts";
/// The owner of the addresses of AWS, as it is called.
pub(crate) const AMAZON: &str = "Amazon Web Services";

/// Accounts of a collection by their names.
type Accounts<'a> = Vec<(&'a String, &'a Account)>;

/// What all accounts of the collection hold, at each provider where it has some.
pub(crate) async fn held(cx: &Context<'_>) -> Arc<Held> {
    let read = async { Arc::new(read_all(cx).await) };
    match cx.memory {
        Some(memory) => memory.holdings.held(read).await,
        None => read.await,
    }
}

async fn read_all(cx: &Context<'_>) -> Held {
    let (mut at_aws, mut elsewhere) = (Accounts::new(), BTreeMap::<&str, (&'static Provider, Accounts<'_>)>::new());
    for (name, account) in &cx.settings.accounts {
        let provider = account.kind.and_then(|kind| cloud::provider_by(kind, Some(&account.settings)));
        if account.kind == Some(Kind::AwsCredential) {
            at_aws.push((name, account));
        } else if let Some((provider, owner)) = provider.and_then(|known| Some((known, known.owner.as_deref()?))) {
            elsewhere.entry(owner).or_insert_with(|| (provider, Accounts::new())).1.push((name, account));
        }
    }
    let mut held = Held::new();
    if !at_aws.is_empty() {
        held.insert(AMAZON, of_aws_accounts(cx, &at_aws).await.ok());
    }
    for (owner, (provider, accounts)) in elsewhere {
        held.insert(owner, of_others(cx, provider, &accounts).await.ok());
    }
    held
}

/// What accounts at another provider hold.
async fn of_others(cx: &Context<'_>, provider: &'static Provider, accounts: &Accounts<'_>) -> Result<Holding> {
    let mut holding = Holding::default();
    holding.addresses.extend(&provider.fronts);
    let mut count = 0;
    for (name, account) in accounts {
        let first = cloud::Caller::named(cx, provider, name).await?;
        let mut callers = vec![first.clone()];
        if let Some(members) = &provider.members {
            if account.settings.contains_key(&members.list) {
                return Err(denied("its integration names what is looked at"));
            }
            let ids = AnyCaller::Other(first.clone()).members(cx).await?;
            callers.extend(ids.iter().map(|id| first.of_member(id)));
        }
        count += callers.len();
        if count > OTHER_ACCOUNTS_MAX {
            return Err(TaskError::OutOfBudget(format!("more than {OTHER_ACCOUNTS_MAX} accounts")));
        }
        for caller in callers {
            let account = caller.account.clone();
            let caller = AnyCaller::Other(caller);
            for list in provider.lists.iter().filter(|list| list.shows_addresses()) {
                for region in provider.places(list) {
                    let place = Place { account: &account, region, ..Place::default() };
                    add(&mut holding, caller.all(cx, list, &place).await?);
                }
            }
        }
    }
    Ok(holding)
}

/// Adds what a list shows.
fn add(holding: &mut Holding, assets: Vec<Asset>) {
    for asset in assets {
        holding.addresses.extend(asset.addresses.into_iter().chain(asset.shared));
        holding.blocks.extend(asset.blocks.iter().filter_map(|block| block.parse::<IpNet>().ok()));
        if asset.what == BALANCER {
            holding.balancers.extend(asset.says.get("host").and_then(Value::as_str).map(balancer));
        }
    }
}

/// What lists call a load balancer.
const BALANCER: &str = "load balancer";
/// What names of load balancers at AWS begin with for addresses of both families.
const BOTH_FAMILIES: &str = "dualstack.";

/// The name of a load balancer as all write it.
pub(crate) fn balancer(name: &str) -> String {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name.strip_prefix(BOTH_FAMILIES).map_or(name.clone(), str::to_owned)
}

/// What accounts at AWS hold, with the others of their organisations.
async fn of_aws_accounts(cx: &Context<'_>, accounts: &Accounts<'_>) -> Result<Holding> {
    let mut names: Vec<String> = accounts.iter().map(|(name, _)| (*name).clone()).collect();
    let mut holding = Holding::default();
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        if names.len() > ACCOUNTS_MAX {
            return Err(TaskError::OutOfBudget(format!("more than {ACCOUNTS_MAX} accounts")));
        }
        let is_first = known::of_organization(&name).1.is_none();
        let members = of_aws_account(cx, &name, &mut holding).await?;
        names.extend(members.iter().filter(|_| is_first).filter_map(|number| known::in_organization(&name, number)));
        at += 1;
    }
    Ok(holding)
}

/// Adds what one account holds; answers with the numbers of the other accounts of its organisation.
async fn of_aws_account(cx: &Context<'_>, name: &str, holding: &mut Holding) -> Result<Vec<String>> {
    let caller = aws::Caller::named(cx, name).await?;
    let settings = cx.settings.accounts.get(known::of_organization(name).0).map(|account| &account.settings);
    if settings.is_some_and(|settings| settings.contains_key("regions") || settings.contains_key("accounts")) {
        return Err(denied("its integration names the regions or accounts that are looked at"));
    }
    let first = caller.region.clone();
    let identity = caller.ask_service(cx, ("sts", first.as_str()), &amazon::ask_identity(), amazon::identity).await?;
    let partition = amazon::partition(&first);
    let read = |status: u16, body: &[u8]| amazon::regions(partition, status, body);
    let regions = caller.ask_service(cx, ("ec2", first.as_str()), &amazon::list_regions(), read).await?;
    let caller = AnyCaller::Aws(caller);
    let place = |region| Place { region, partition, domain: amazon::domain(partition), ..Place::default() };
    for region in &regions {
        for list in OF_REGION {
            add(holding, caller.all(cx, of_aws(list)?, &place(region)).await?);
        }
        for list in SOMEWHERE {
            add(holding, if_there(caller.all(cx, of_aws(list)?, &place(region)).await)?);
        }
    }
    let (list, region) = OF_ACCOUNT;
    add(holding, if_there(caller.all(cx, of_aws(list)?, &place(region)).await)?);
    let listed = match caller.all(cx, of_aws(ORGANIZATION)?, &place(&first)).await {
        // One that is not the first of its organisation leads to no others.
        Err(TaskError::Denied(_)) => Vec::new(),
        listed => listed?,
    };
    let numbers = listed.iter().filter_map(|asset| asset.item["Id"].as_str());
    Ok(numbers.filter(|number| *number != identity.account).map(str::to_owned).collect())
}

fn of_aws(list: &str) -> Result<&'static Form> {
    amazon::list(list).ok_or_else(|| TaskError::Failed(format!("no list is named {list}")))
}

/// What a service shows that need not be there; one that denies is there.
fn if_there(answer: Result<Vec<Asset>>) -> Result<Vec<Asset>> {
    match answer {
        Err(TaskError::SourceDown(_)) => Ok(Vec::new()),
        answer => answer,
    }
}
