//! The members of each kind's details: those that the contract lists (docs/contract/asm.md §4.5), every one always
//! there, and what tasks see beyond it. A member has one owner per kind: its row names it.

use super::row::{Empty, Row};
use super::{
    Kind, app, autonomous_system, aws, bucket, certificate, cloud, code_account, domain, ip_address, mentioned,
    net_block, network_service, repository, uri,
};
use crate::{Details, TaskName};
use serde_json::{Value, json};

impl Kind {
    /// The members that the contract lists for this kind.
    pub fn members(self) -> impl Iterator<Item = &'static str> {
        self.rows().iter().filter(|row| row.empty.is_some()).map(|row| row.name)
    }

    /// Returns the task that says this member of the kind; `None` for one that no task says.
    pub fn owner(self, member: &str) -> Option<TaskName> {
        self.rows().iter().find(|row| row.name == member)?.owner
    }

    fn rows(self) -> &'static [Row] {
        match self {
            Self::AndroidApp | Self::IosApp => app::MEMBERS,
            Self::IpAddress => ip_address::MEMBERS,
            Self::Uri => uri::MEMBERS,
            Self::Domain => domain::DOMAIN,
            Self::DnsRecord => domain::DNS_RECORD,
            Self::NetBlock => net_block::MEMBERS,
            Self::NetworkService => network_service::MEMBERS,
            Self::ApiEndpoint => mentioned::API_ENDPOINT,
            Self::AppEndpoint => app::ENDPOINT,
            Self::SslCertificate => certificate::SERVED,
            Self::PreCertificate => certificate::LOGGED,
            Self::Nameserver | Self::Mailserver => domain::SERVER,
            Self::EmailAddress => mentioned::EMAIL_ADDRESS,
            Self::UniqueToken => mentioned::TOKEN,
            Self::AwsCredential => aws::CREDENTIAL,
            Self::AwsEC2Instance => aws::INSTANCE,
            Self::AwsRdsDbInstance => aws::DATABASE,
            Self::AwsResource => aws::RESOURCE,
            Self::AwsS3Bucket => aws::S3_BUCKET,
            Self::AzureCredential | Self::CloudCredential | Self::GcpCredential | Self::TerraformState => &[],
            Self::AzureStorageAccount
            | Self::AzureVirtualMachine
            | Self::CloudResource
            | Self::GcpApiGateway
            | Self::GcpAppEngineApplication
            | Self::GcpCloudFunction
            | Self::GcpCloudSQLInstance
            | Self::GcpComputeEngineInstance
            | Self::GcpStorageBucket => cloud::MEMBERS,
            Self::CloudStorageBucket => bucket::MEMBERS,
            Self::CodeAccount | Self::GithubAccount | Self::GitlabAccount => code_account::MEMBERS,
            Self::GitRepository | Self::GithubRepository | Self::GitlabProject => repository::MEMBERS,
            Self::Organization => mentioned::ORGANIZATION,
            Self::AutonomousSystem => autonomous_system::MEMBERS,
            Self::UniqueKeyword => mentioned::WITH_ORIGIN,
        }
    }

    /// Adds the members of the contract that were not observed, with their empty value.
    pub fn complete(self, details: &mut Details) {
        for (name, empty) in self.rows().iter().filter_map(|row| Some((row.name, row.empty?))) {
            let value = details.entry(name.to_owned()).or_insert(Value::Null);
            if value.is_null() {
                *value = match empty {
                    Empty::Null => Value::Null,
                    Empty::False => json!(false),
                    Empty::List => json!([]),
                    Empty::Zero => json!(0),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_member_of_a_kind_is_listed_once_and_marked_where_it_is_beyond_the_contract() {
        for kind in Kind::ALL {
            let rows = kind.rows();
            let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
            assert_eq!(names.len(), rows.len(), "{}", kind.name());
            for row in rows {
                let marked = ["hidden_", "extended_"].iter().any(|mark| row.name.starts_with(mark));
                assert!(marked || row.empty.is_some(), "{} of {}", row.name, kind.name());
            }
        }
    }
}
