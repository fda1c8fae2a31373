//! What stands in an account at a provider beside AWS, by what opens it. How each is asked, and what is made of its
//! lists, is data (`ambit-cloud/src/providers/`).

use crate::ask::account;
use crate::ask::cloud::{Caller, PROVIDER, provider_by, provider_of};
use crate::{Answer, Contacts, Context, Plan, Settings, Sights, Task, TaskError};
use ambit_cloud::form::Place;
use ambit_model::entity::{cloud as known, in_account};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, Details, Facts, Kind, TaskName, Wave, workflow};

pub(crate) const TASK: Task = Task {
    name: TaskName::CloudAccount,
    pretty_name: "Cloud Account",
    description: "Asks a cloud provider beside AWS, by the secrets of an integration, for what stands in an account.",
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
        Kind::GcpStorageBucket,
        Kind::IpAddress,
        Kind::NetBlock,
        Kind::Uri,
    ],
    footprint: Clearance::L1,
    wave: Wave::Passive,
    ttl_ms: DAY_MS,
    cost: 2,
    gain: 50,
    slow: false,
    volatile: &[],
    contacts: Contacts::Provider(PROVIDER),
    sights: Sights::All(Sighting::Entity),
    plan,
    run: |cx| Box::pin(run(cx)),
};

/// The argument under which an account fails that nothing opens.
const ACCOUNT: &str = "account";

/// Each list, in each region where the provider has some: one that is denied says nothing of the others.
fn plan(facts: &Facts, settings: &Settings) -> Plan {
    let account = settings.accounts.get(&facts.name).map(|account| &account.settings);
    let Some(provider) = provider_by(facts.kind, account) else {
        return Plan::Each(vec![ACCOUNT.to_owned()]);
    };
    Plan::bound(provider.lists.iter().flat_map(|list| {
        let places = if list.of_account || provider.regions.is_empty() {
            vec![""]
        } else {
            provider.regions.iter().map(String::as_str).collect()
        };
        places.into_iter().map(|region| format!("{} {region}", list.permission).trim_end().to_owned())
    }))
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let caller = Caller::of(cx).await?;
    let provider = provider_of(cx)?;
    let (permission, region) = cx.argument.split_once(' ').unwrap_or((cx.argument, ""));
    let list = provider.list(permission);
    let list = list.ok_or_else(|| TaskError::Failed(format!("no list is named {:?}", cx.argument)))?;
    let name = caller.account.clone();
    let caller = account::Caller::Other(caller);
    let place = Place { account: &name, region, ..Place::default() };
    let own = in_account::CLOUD.is(cx.facts.name.clone());
    for asset in caller.all(cx, list, &place).await? {
        let what = asset.what;
        account::tell(cx, asset, &own, |_| {
            Details::from_iter([
                known::PROVIDER.is(provider.pretty_name.clone()),
                known::ACCOUNT_ID.is(Some(name.clone()).filter(|name| !name.is_empty())),
                known::RESOURCE_TYPE.is(what.to_owned()),
            ])
        });
    }
    Ok(Answer::Found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Account;
    use crate::tests::facts;
    use ambit_cloud::provider;
    use serde_json::json;

    #[test]
    fn each_list_of_the_provider_is_asked_and_an_account_without_one_is_told() {
        let account = facts(Kind::CloudCredential, "a", json!({}));
        let with = |provider: &str| {
            let mut settings = Settings::default();
            let said = json!({"provider": provider}).as_object().cloned().unwrap();
            settings.accounts.insert("a".to_owned(), Account { secrets: None, settings: said });
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
