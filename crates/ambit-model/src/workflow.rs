//! Workflows: the seven named sets of tasks of the contract (docs/contract/asm.md §3.2). Which tasks a set has is said
//! by each task; what a workflow begins with, and how loud it may be, stands here.

use crate::entity::{InvalidName, host_of, registrable};
use crate::{Clearance, Kind};
use serde_json::{Map, Value};
use uuid::Uuid;

/// A named set of tasks with its ceiling of clearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workflow {
    pub name: &'static str,
    pub pretty_name: &'static str,
    /// No task above this runs, whatever the level asked for.
    pub ceiling: Clearance,
    /// The kinds of seed that it begins with; a collection needs one of them, or of `credentials`.
    pub seeds: &'static [Kind],
    /// The types of integration that it begins with as well.
    pub credentials: &'static [&'static str],
    /// The types of integration that show it more than everybody sees; a collection needs none of them.
    pub helped_by: &'static [&'static str],
}

/// What an organisation exposes to the outside.
pub const EXTERNAL_DISCOVERY: Workflow = Workflow {
    name: "external_discovery_and_assessment",
    pretty_name: "External Discovery & Assessment",
    ceiling: Clearance::L4,
    seeds: &[
        Kind::ApiEndpoint,
        Kind::AppEndpoint,
        Kind::AutonomousSystem,
        Kind::AwsEC2Instance,
        Kind::AwsS3Bucket,
        Kind::AzureStorageAccount,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::EmailAddress,
        Kind::GcpStorageBucket,
        Kind::IpAddress,
        Kind::Mailserver,
        Kind::Nameserver,
        Kind::NetBlock,
        Kind::NetworkService,
        Kind::Organization,
        Kind::TerraformState,
        Kind::Uri,
    ],
    credentials: &[],
    helped_by: &[],
};

/// A type of integration, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegrationType(pub &'static str);

/// The types of integrations that a project can have. What no workflow uses yet is kept, and runs of collections that
/// are linked to it say that nothing looks at it.
pub const INTEGRATION_TYPES: [IntegrationType; 10] = [
    IntegrationType(SESSION),
    IntegrationType("AwsCredential"),
    IntegrationType("AzureCredential"),
    IntegrationType("BitbucketCredential"),
    IntegrationType("CloudCredential"),
    IntegrationType("GcpCredential"),
    IntegrationType("GiteaCredential"),
    IntegrationType("GithubCredential"),
    IntegrationType("GitlabCredential"),
    IntegrationType("JiraCredential"),
];

/// The provider of accounts that an integration of a type opens, as its settings name it; `None` where it opens no
/// account by a provider's own file.
pub fn cloud_provider<'a>(kind: &str, settings: &'a Map<String, Value>) -> Option<&'a str> {
    match kind {
        "AzureCredential" => Some("azure"),
        "GcpCredential" => Some("gcp"),
        "CloudCredential" => Some(settings.get("provider").and_then(Value::as_str).unwrap_or_default()),
        _ => None,
    }
}

/// The type of integration that opens a session of an application.
pub const SESSION: &str = "ApplicationCredential";

/// Reads the accounts at cloud providers.
pub const CLOUD_ACCOUNTS: Workflow = Workflow {
    name: "authenticated_cloud_discovery",
    pretty_name: "Authenticated Cloud Discovery",
    ceiling: Clearance::L4,
    seeds: &[Kind::TerraformState],
    credentials: &["AwsCredential", "AzureCredential", "CloudCredential", "GcpCredential"],
    helped_by: &[],
};

/// What repositories of code give away.
pub const CODE_REPOSITORIES: Workflow = Workflow {
    name: "code_repository_discovery_and_assessment",
    pretty_name: "Code Repository Discovery & Assessment",
    // What a history names is a candidate, and nobody contacts it for that.
    ceiling: Clearance::L1,
    seeds: Kind::CODE,
    credentials: &[],
    helped_by: &["BitbucketCredential", "GiteaCredential", "GithubCredential", "GitlabCredential"],
};

/// Domains of others that pass for the organisation's.
pub const SUSPICIOUS_DOMAINS: Workflow = Workflow {
    name: "suspicious_domain_discovery",
    pretty_name: "Suspicious Domain Discovery",
    ceiling: Clearance::L2,
    seeds: &[Kind::Domain, Kind::UniqueKeyword],
    credentials: &[],
    helped_by: &[],
};

/// Apps for telephones.
pub const MOBILE_APPS: Workflow = Workflow {
    name: "mobile_app_discovery",
    pretty_name: "Mobile App Discovery",
    ceiling: Clearance::L1,
    seeds: Kind::APPS,
    credentials: &[],
    helped_by: &[],
};

/// Applications at known addresses.
pub const APPLICATIONS: Workflow = Workflow {
    name: "external_application_assessment",
    pretty_name: "External Application Assessment",
    ceiling: Clearance::L4,
    seeds: &[Kind::Uri],
    credentials: &[],
    helped_by: &[SESSION],
};

/// Suppliers, who gave nobody leave to search them: nothing is swept.
pub const THIRD_PARTIES: Workflow = Workflow {
    name: "third_party_workflow",
    pretty_name: "Third Party Monitoring",
    ceiling: Clearance::L2,
    seeds: &[Kind::DnsRecord, Kind::Domain, Kind::Uri],
    credentials: &[],
    helped_by: &[],
};

/// The workflows, in the order of the contract.
pub const ALL: &[Workflow] = &[
    EXTERNAL_DISCOVERY,
    CLOUD_ACCOUNTS,
    CODE_REPOSITORIES,
    SUSPICIOUS_DOMAINS,
    MOBILE_APPS,
    APPLICATIONS,
    THIRD_PARTIES,
];

/// The default of `scan`, `demo` and the API.
pub const DEFAULT: &str = EXTERNAL_DISCOVERY.name;

impl Workflow {
    /// Returns the kind and canonical name of what a person typed as a target of this workflow. Fails if the text is
    /// none.
    pub fn target(&self, text: &str) -> Result<(Kind, String), InvalidName> {
        if let Some(seed) = Kind::of_said(text) {
            return seed;
        }
        let own = match *self {
            CODE_REPOSITORIES | SUSPICIOUS_DOMAINS if is_word(text) => {
                Kind::UniqueKeyword.seed(text).ok().map(|name| (Kind::UniqueKeyword, name))
            }
            CODE_REPOSITORIES => Kind::of_code(text),
            _ => None,
        };
        // What begins with a forge and is none of its accounts and repositories is mistyped, and no site.
        let forge = if *self == CODE_REPOSITORIES { Kind::of_forge(text) } else { None };
        match (own, forge) {
            (Some(own), _) => Ok(own),
            (None, Some(kind)) => kind.canonical(text).map(|name| (kind, name)),
            (None, None) => Kind::of_target(text),
        }
    }

    /// Returns the kind and name of the account that an integration opens to this workflow; `None` where the workflow
    /// does not begin with integrations of this type. `title` is what people call the integration.
    pub fn account(&self, integration: &str, title: &str, uuid: Uuid) -> Option<(Kind, String)> {
        if !self.credentials.contains(&integration) {
            return None;
        }
        let kind = Kind::from_name(integration)?;
        let name = kind.canonical(&format!("{title} ({uuid})")).or_else(|_| kind.canonical(&uuid.to_string()));
        Some((kind, name.ok()?))
    }

    /// Returns whether a collection of this workflow has any use for integrations of a type.
    pub fn uses(&self, integration: &str) -> bool {
        self.credentials.contains(&integration) || self.helped_by.contains(&integration)
    }

    /// Returns what a collection lacks before a run of it can find anything, a phrase for each thing. `seeds` are the
    /// kinds of its seeds, `credentials` the types of the integrations that it uses.
    pub fn missing(&self, seeds: &[Kind], credentials: &[String]) -> Vec<String> {
        let is_linked = |kind: &&str| credentials.iter().any(|linked| linked == kind);
        if self.seeds.iter().any(|kind| seeds.contains(kind)) || self.credentials.iter().any(is_linked) {
            return Vec::new();
        }
        let kinds: Vec<&str> = self.seeds.iter().map(|kind| kind.name()).collect();
        let mut ways = Vec::new();
        if !self.credentials.is_empty() {
            ways.push(format!("an integration of the type {}", one_of(self.credentials)));
        }
        if !kinds.is_empty() {
            ways.push(format!("a seed of the kind {}", one_of(&kinds)));
        }
        let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
        vec![ways.join(", or ")]
    }
}

/// One word without a dot, as brands are.
fn is_word(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
}

/// `Domain`, `DnsRecord or Domain`, `DnsRecord, Domain or Uri`.
fn one_of(words: &[&str]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// The workflow of a name.
pub fn find(name: &str) -> Option<Workflow> {
    ALL.iter().copied().find(|workflow| workflow.name == name)
}

/// How loud a run of a collection may be: the level asked for, under the ceiling of its workflow.
pub fn ceiling(workflow: &str, level: Clearance) -> Clearance {
    find(workflow).map_or(level, |workflow| workflow.ceiling.min(level))
}

/// Returns the domain of a supplier that is named by a host or a page of it: how well that is protected is what is
/// asked. `None` for anything else.
pub fn supplier((kind, name): &(Kind, String)) -> Option<(Kind, String)> {
    let is_in_a_domain = matches!(kind, Kind::DnsRecord | Kind::Uri);
    registrable(host_of(name)).filter(|_| is_in_a_domain).map(|domain| (Kind::Domain, domain.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_workflow_and_names_are_unique() {
        assert!(find(DEFAULT).is_some());
        assert!(find("External_Discovery").is_none());
        assert_eq!(ceiling("third_party_workflow", Clearance::L3), Clearance::L2);
        assert_eq!(ceiling(DEFAULT, Clearance::L3), Clearance::L3);
        for workflow in ALL {
            assert_eq!(find(workflow.name), Some(*workflow));
            assert_eq!(ALL.iter().filter(|other| other.name == workflow.name).count(), 1);
            assert!(workflow.seeds.iter().all(|kind| kind.is_seedable()), "{}", workflow.name);
        }
    }

    #[test]
    fn an_integration_is_an_account_to_the_workflow_that_begins_with_its_type() {
        let uuid = Uuid::nil();
        let name = format!("Pro duction ({uuid})");
        let account = CLOUD_ACCOUNTS.account("AwsCredential", " Pro\tduction", uuid);
        assert_eq!(account, Some((Kind::AwsCredential, name)));
        assert_eq!(CLOUD_ACCOUNTS.account("JiraCredential", "x", uuid), None);
        assert_eq!(EXTERNAL_DISCOVERY.account("AwsCredential", "x", uuid), None);
        for kind in ALL.iter().flat_map(|workflow| workflow.credentials) {
            assert!(Kind::from_name(kind).is_some_and(|kind| !kind.is_seedable()), "{kind} is a kind of account");
        }
    }

    #[test]
    fn a_word_is_a_target_where_what_bears_it_is_searched_for() {
        let target =
            |workflow: Workflow, text: &str| workflow.target(text).map(|(kind, name)| (kind.name(), name)).ok();
        assert_eq!(target(SUSPICIOUS_DOMAINS, " harbour "), Some(("UniqueKeyword", "harbour".to_owned())));
        assert_eq!(target(SUSPICIOUS_DOMAINS, "harbour.test"), Some(("Domain", "harbour.test".to_owned())));
        assert_eq!(target(CODE_REPOSITORIES, "harbour"), Some(("UniqueKeyword", "harbour".to_owned())));
        let account = Some(("GithubAccount", "https://github.com/harbour".to_owned()));
        assert_eq!(target(CODE_REPOSITORIES, "https://github.com/Harbour/"), account);
        assert_eq!(target(CODE_REPOSITORIES, "https://github.com/-harbour"), None);
        assert_eq!(target(EXTERNAL_DISCOVERY, "harbour"), None);
        let token = Some(("UniqueToken", "UA-1234567-1".to_owned()));
        assert_eq!(target(CODE_REPOSITORIES, "UniqueToken:UA-1234567-1"), token);
    }

    #[test]
    fn what_a_collection_lacks_is_named() {
        let aws = ["AwsCredential".to_owned()];
        for (workflow, seeds, credentials, missing) in [
            (EXTERNAL_DISCOVERY, &[Kind::Domain][..], &[][..], vec![]),
            (EXTERNAL_DISCOVERY, &[Kind::UniqueKeyword, Kind::Uri], &[], vec![]),
            (EXTERNAL_DISCOVERY, &[Kind::AwsS3Bucket], &[], vec![]),
            (CODE_REPOSITORIES, &[Kind::UniqueToken], &[], vec![]),
            (CODE_REPOSITORIES, &[Kind::GithubAccount], &[], vec![]),
            (SUSPICIOUS_DOMAINS, &[], &[], vec!["a seed of the kind Domain or UniqueKeyword".to_owned()]),
            (MOBILE_APPS, &[Kind::Domain], &[], vec!["a seed of the kind AndroidApp or IosApp".to_owned()]),
            (APPLICATIONS, &[Kind::Domain], &aws, vec!["a seed of the kind Uri".to_owned()]),
            (THIRD_PARTIES, &[Kind::NetBlock], &[], vec!["a seed of the kind DnsRecord, Domain or Uri".to_owned()]),
            (CLOUD_ACCOUNTS, &[], &aws, vec![]),
            (CLOUD_ACCOUNTS, &[Kind::TerraformState], &[], vec![]),
            (
                CLOUD_ACCOUNTS,
                &[Kind::Domain],
                &[],
                vec![
                    "an integration of the type AwsCredential, AzureCredential, CloudCredential or GcpCredential, or a \
                     seed of the kind TerraformState"
                        .to_owned(),
                ],
            ),
            (
                CODE_REPOSITORIES,
                &[Kind::Uri],
                &[],
                vec![
                    "a seed of the kind CodeAccount, GitRepository, GithubAccount, GithubRepository, GitlabAccount, \
                     GitlabProject, UniqueKeyword or UniqueToken"
                        .to_owned(),
                ],
            ),
        ] {
            assert_eq!(workflow.missing(seeds, credentials), missing, "{} {seeds:?}", workflow.name);
        }
    }
}
