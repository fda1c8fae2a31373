//! Reads an account at a provider other than AWS, with its credentials. How each is queried, and what becomes of its
//! lists, is data (`ambit-cloud/src/providers/`).

use crate::ask::cloud::{Caller, PROVIDER, is_unfit, provider_by, provider_of};
use crate::ask::{account, node_ports, zones};
use crate::{Answer, Contacts, Context, Plan, Result, Settings, Task, TaskError};
use ambit_cloud::form::Place;
use ambit_model::entity::{cloud as known, in_account};
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, workflow};
use serde_json::json;

pub(crate) const TASK: Task = Task {
    name: TaskName::CloudAccount,
    pretty_name: "Cloud Account",
    description: "Lists what is in an account at a cloud provider other than AWS with the secrets of an integration, \
                  at Google Cloud in every project that the same service account may list.",
    workflows: &[workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::AzureCredential, Kind::CloudCredential, Kind::GcpCredential],
    produces: &[
        Kind::AzureStorageAccount,
        Kind::AzureVirtualMachine,
        Kind::CloudResource,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::GcpApiGateway,
        Kind::GcpAppEngineApplication,
        Kind::GcpCloudFunction,
        Kind::GcpCloudSQLInstance,
        Kind::GcpComputeEngineInstance,
        Kind::GcpCredential,
        Kind::GcpStorageBucket,
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

/// Further accounts that are looked through at most, each by some twenty questions.
const MEMBERS_MAX: usize = 500;
/// The argument under which an account fails that nothing opens.
const ACCOUNT: &str = "account";

/// Each list, in each region where the provider has some: one that is denied says nothing of the others.
fn plan(facts: &Facts, settings: &Settings) -> Plan {
    let (first, member) = known::of_organization(&facts.name);
    let account = settings.accounts.get(first).map(|account| &account.settings);
    let Some(provider) = provider_by(facts.kind, account) else {
        return Plan::Each(vec![ACCOUNT.to_owned()]);
    };
    // Said once, and not of each list.
    if settings.accounts.get(first).is_some_and(|account| is_unfit(provider, account)) {
        return Plan::Each(vec![ACCOUNT.to_owned()]);
    }
    let wants_no_others = account.is_some_and(|settings| {
        provider.members.as_ref().is_some_and(|members| settings.get(&members.list) == Some(&json!([])))
    });
    let lists = provider.lists_of(member.is_some() || wants_no_others);
    Plan::bound(lists.flat_map(|list| {
        let places = provider.places(list).into_iter();
        places.map(|region| format!("{} {region}", list.permission).trim_end().to_owned())
    }))
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let caller = Caller::of(cx).await?;
    let provider = provider_of(cx)?;
    let (permission, region) = cx.argument.split_once(' ').unwrap_or((cx.argument, ""));
    let list = provider.list(permission);
    let list = list.ok_or_else(|| TaskError::Failed(format!("no list is named {:?}", cx.argument)))?;
    let name = caller.account.clone();
    let caller = account::Caller::Other(caller);
    if provider.members.as_ref().is_some_and(|members| members.list == permission) {
        return members(cx, &caller).await;
    }
    let place = Place { account: &name, region, ..Place::default() };
    let own = in_account::CLOUD.is(cx.facts.name.clone());
    let account::Listed { mut assets, unread } = caller.listed(cx, list, &place).await?;
    let answer = account::ended(cx, TASK.name, unread);
    node_ports::fill(cx, &caller, &place, &mut assets).await;
    if list.has_records() {
        zones::tell(cx, &assets, &own, in_account::CLOUD_ZONE_TARGETS).await;
        return Ok(answer);
    }
    for asset in assets {
        let what = asset.what;
        account::tell(cx, asset, &own, |_| {
            Details::from_iter([
                known::PROVIDER.is(provider.pretty_name.clone()),
                known::ACCOUNT_ID.is(Some(name.clone()).filter(|name| !name.is_empty())),
                known::RESOURCE_TYPE.is(what.to_owned()),
            ])
        });
    }
    Ok(answer)
}

/// Leads to the further accounts that the same secrets open: all, or those that the integration names.
async fn members(cx: &Context<'_>, caller: &account::Caller) -> Result<Answer> {
    let named = cx.settings.accounts.get(&cx.facts.name).and_then(|account| account.named(cx.argument));
    let is_wanted = |id: &String| named.as_ref().is_none_or(|named| named.contains(&id.as_str()));
    let ids: Vec<String> = caller.members(cx).await?.into_iter().filter(is_wanted).collect();
    if ids.len() > MEMBERS_MAX {
        return Err(TaskError::OutOfBudget(format!(
            "there are more than {MEMBERS_MAX} {0}: name those that are meant in the setting {0} of the integration",
            cx.argument
        )));
    }
    for name in ids.iter().filter_map(|id| known::in_organization(&cx.facts.name, id)) {
        cx.found(cx.facts.kind, &name, EdgeKind::CloudAccount);
    }
    Ok(Answer::Found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Account;
    use crate::tests::facts;
    use ambit_cloud::provider;
    use serde_json::Value;

    #[test]
    fn each_list_of_the_provider_is_asked_and_an_account_without_one_is_told() {
        let account = facts(Kind::CloudCredential, "a", json!({}));
        let with = |provider: &str| {
            let mut settings = Settings::default();
            let said = json!({"provider": provider}).as_object().cloned().unwrap();
            settings
                .accounts
                .insert("a".to_owned(), Account { kind: Some(Kind::CloudCredential), secrets: None, settings: said });
            settings
        };
        assert_eq!(plan(&account, &with("moon")), Plan::Each(vec!["account".to_owned()]));
        let asked = |provider: &str| match plan(&account, &with(provider)) {
            Plan::Bound { asked, .. } => asked,
            other => panic!("what holds is bound: {other:?}"),
        };
        assert!(asked("cloudflare").contains(&"records".to_owned()));
        let scaleway = asked("scaleway");
        assert!(
            scaleway.contains(&"servers fr-par-1".to_owned()) && scaleway.contains(&"zones".to_owned()),
            "{scaleway:?}"
        );
        let azure = facts(Kind::AzureCredential, "b", json!({}));
        assert!(matches!(plan(&azure, &Settings::default()), Plan::Bound { .. }));
    }

    #[test]
    fn a_cluster_whose_file_opens_nothing_is_told_once() {
        let account = facts(Kind::CloudCredential, "a", json!({}));
        let with = |user: &str| {
            let file = format!(
                "current-context: p\ncontexts:\n- name: p\n  context: {{cluster: c, user: u}}\nclusters:\n- name: c\n  \
                 cluster: {{server: 'https://k8s.acme.test'}}\nusers:\n- name: u\n  user: {{{user}}}\n"
            );
            let secrets = json!({"kubeconfig": file}).as_object().cloned();
            let named = json!({"provider": "kubernetes"}).as_object().cloned().unwrap();
            let mut settings = Settings::default();
            let opened = Account { kind: Some(Kind::CloudCredential), secrets, settings: named };
            settings.accounts.insert("a".to_owned(), opened);
            settings
        };
        assert_eq!(plan(&account, &with("exec: {command: aws}")), Plan::Each(vec!["account".to_owned()]));
        assert!(matches!(plan(&account, &with("token: t")), Plan::Bound { .. }));
    }

    #[test]
    fn projects_are_listed_by_the_first_account_alone_unless_nobody_wants_others() {
        let asked = |name: &str, settings: Value| {
            let mut given = Settings::default();
            let settings = settings.as_object().cloned().unwrap();
            given.accounts.insert("G".to_owned(), Account { kind: Some(Kind::GcpCredential), secrets: None, settings });
            match plan(&facts(Kind::GcpCredential, name, json!({})), &given) {
                Plan::Bound { asked, .. } => asked,
                other => panic!("what holds is bound: {other:?}"),
            }
        };
        let projects = "projects".to_owned();
        assert!(asked("G", json!({})).contains(&projects));
        assert!(asked("G", json!({"projects": ["acme-data"]})).contains(&projects));
        let others = asked("G / acme-data", json!({}));
        assert!(!others.contains(&projects) && others.contains(&"machines".to_owned()), "{others:?}");
        assert_eq!(asked("G", json!({"projects": []})), others);
    }

    #[test]
    fn lists_lead_to_kinds_that_the_task_produces() {
        for list in provider::all().iter().flat_map(|provider| &provider.lists) {
            for kind in list.kinds() {
                let found = Kind::from_name(kind).unwrap_or_else(|| panic!("{}: {kind}", list.permission));
                assert!(TASK.produces.contains(&found), "{}: {kind}", list.permission);
            }
            assert_eq!(list.members().count(), 0, "{}: what a thing says is its configuration", list.permission);
        }
    }
}
