//! Which public addresses the accounts of a collection at AWS hold together. Where one of them cannot be read whole,
//! that is not known: what it does not show may be held there.

use super::account::Caller as AnyCaller;
use super::aws;
use super::provider::denied;
use crate::holdings::Held;
use crate::{Context, Settings, TaskError};
use ambit_cloud::aws as amazon;
use ambit_cloud::form::{Form, Place};
use ambit_model::entity::aws as known;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

/// Accounts of one collection that are read at most: each is asked for hundreds of pages.
const ACCOUNTS_MAX: usize = 20;
/// Lists of AWS that show the addresses of an account in a region.
const OF_REGION: &[&str] = &["ec2:DescribeAddresses", "ec2:DescribeInstances", "ec2:DescribeNetworkInterfaces"];
/// The same of services that do not stand in every region: where one does not answer, nothing of it is there.
const SOMEWHERE: &[&str] = &["lightsail:GetInstances", "lightsail:GetStaticIps"];
/// The same of the account as a whole, with its region.
const OF_ACCOUNT: (&str, &str) = ("globalaccelerator:ListAccelerators", "us-west-2");
/// The list of the accounts of an organisation.
const ORGANIZATION: &str = "organizations:ListAccounts";

/// The addresses that all accounts of the collection at AWS hold; `None` where one of them cannot be read whole.
pub(crate) async fn at_aws(cx: &Context<'_>) -> Held {
    let read = async { read_all(cx).await.ok().map(Arc::new) };
    match cx.memory {
        Some(memory) => memory.holdings.held(read).await,
        None => read.await,
    }
}

async fn read_all(cx: &Context<'_>) -> Result<BTreeSet<IpAddr>, TaskError> {
    let mut names: Vec<String> = aws_accounts(cx.settings);
    let mut held = BTreeSet::new();
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        if names.len() > ACCOUNTS_MAX {
            return Err(TaskError::OutOfBudget(format!("more than {ACCOUNTS_MAX} accounts")));
        }
        let is_first = known::of_organization(&name).1.is_none();
        let members = of_aws_account(cx, &name, &mut held).await?;
        names.extend(members.iter().filter(|_| is_first).filter_map(|number| known::in_organization(&name, number)));
        at += 1;
    }
    Ok(held)
}

/// The names of the accounts at AWS that integrations of the collection open.
fn aws_accounts(settings: &Settings) -> Vec<String> {
    let is_aws = |account: &crate::Account| {
        account.secrets.as_ref().is_none_or(|secrets| known::missing(secrets, settings.aws_keys.is_some()).is_none())
    };
    settings.accounts.iter().filter(|(_, account)| is_aws(account)).map(|(name, _)| name.clone()).collect()
}

/// Adds what one account holds; answers with the numbers of the other accounts of its organisation.
async fn of_aws_account(cx: &Context<'_>, name: &str, held: &mut BTreeSet<IpAddr>) -> Result<Vec<String>, TaskError> {
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
            held.extend(addresses(cx, &caller, of_aws(list)?, &place(region)).await?);
        }
        for list in SOMEWHERE {
            held.extend(if_there(addresses(cx, &caller, of_aws(list)?, &place(region)).await)?);
        }
    }
    let (list, region) = OF_ACCOUNT;
    held.extend(if_there(addresses(cx, &caller, of_aws(list)?, &place(region)).await)?);
    let listed = match caller.all(cx, of_aws(ORGANIZATION)?, &place(&first)).await {
        // One that is not the first of its organisation leads to no others.
        Err(TaskError::Denied(_)) => Vec::new(),
        listed => listed?,
    };
    let numbers = listed.iter().filter_map(|asset| asset.item["Id"].as_str());
    Ok(numbers.filter(|number| *number != identity.account).map(str::to_owned).collect())
}

fn of_aws(list: &str) -> Result<&'static Form, TaskError> {
    amazon::list(list).ok_or_else(|| TaskError::Failed(format!("no list is named {list}")))
}

async fn addresses(
    cx: &Context<'_>,
    caller: &AnyCaller,
    list: &'static Form,
    place: &Place<'_>,
) -> Result<Vec<IpAddr>, TaskError> {
    let assets = caller.all(cx, list, place).await?;
    Ok(assets.into_iter().flat_map(|asset| asset.addresses).collect())
}

/// What a service shows that need not be there; one that denies is there.
fn if_there(answer: Result<Vec<IpAddr>, TaskError>) -> Result<Vec<IpAddr>, TaskError> {
    match answer {
        Err(TaskError::SourceDown(_)) => Ok(Vec::new()),
        answer => answer,
    }
}
