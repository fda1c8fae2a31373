//! The kinds of entity (docs/contract/asm.md §4.1) and the questions that every kind answers.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// What sort of entity, in alphabetical order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
pub enum Kind {
    AndroidApp,
    ApiEndpoint,
    AppEndpoint,
    AutonomousSystem,
    AwsCredential,
    AwsEC2Instance,
    AwsRdsDbInstance,
    AwsResource,
    AwsS3Bucket,
    AzureCredential,
    AzureStorageAccount,
    AzureVirtualMachine,
    CloudCredential,
    CloudResource,
    CloudStorageBucket,
    CodeAccount,
    DnsRecord,
    Domain,
    EmailAddress,
    GcpApiGateway,
    GcpAppEngineApplication,
    GcpCloudFunction,
    GcpCloudSQLInstance,
    GcpComputeEngineInstance,
    GcpCredential,
    GcpStorageBucket,
    GitRepository,
    GithubAccount,
    GithubRepository,
    GitlabAccount,
    GitlabProject,
    IosApp,
    IpAddress,
    Mailserver,
    Nameserver,
    NetBlock,
    NetworkService,
    Organization,
    PreCertificate,
    SslCertificate,
    UniqueKeyword,
    UniqueToken,
    Uri,
}

/// What the names of a kind are, for documents that write names of one form alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameForm {
    /// A URL, or a name within a service that has URLs.
    Url,
    /// A host name.
    Host,
    /// An IP address, or a block of them.
    Address,
    /// An e-mail address.
    Mailbox,
    /// A port of an address.
    Port,
    /// The subject of a certificate, and what tells it from others of that subject.
    Certificate,
    /// A name of another form.
    Other,
}

impl Kind {
    /// Every kind, in alphabetical order.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// What people give as seeds most often.
    pub const LIKELY_SEEDS: [Self; 4] = [Self::Domain, Self::DnsRecord, Self::IpAddress, Self::NetBlock];

    /// The last part of its type name: `Domain`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// `Platform::Entity::Domain`.
    pub fn type_name(self) -> String {
        format!("Platform::Entity::{}", self.name())
    }

    /// The kind of a name in any letter case, with or without a prefix that ends in `::` (docs/contract/asm.md §2.2).
    pub fn from_name(text: &str) -> Option<Self> {
        let last = text.rsplit("::").next().unwrap_or(text);
        Self::ALL.iter().copied().find(|kind| kind.name().eq_ignore_ascii_case(last))
    }

    /// What it is, in a sentence for the library.
    pub fn description(self) -> &'static str {
        match self {
            Self::AndroidApp => "An app for Android, by the name of its package",
            Self::ApiEndpoint => "The address of an HTTP interface for programs",
            Self::AppEndpoint => "An address that the package of an app names",
            Self::AutonomousSystem => "A network that announces routes under its number",
            Self::AwsCredential => "An account at AWS, by the integration that opens it",
            Self::AwsEC2Instance => "A machine at AWS with a public address",
            Self::AwsRdsDbInstance => "A database that AWS runs, by its ARN",
            Self::AwsResource => "What else stands in an account at AWS, by its ARN",
            Self::AwsS3Bucket => "A storage bucket at AWS, by its name",
            Self::AzureCredential => "What an application may read at Azure, by the integration that opens it",
            Self::AzureStorageAccount => "A storage account at Azure, by its name",
            Self::AzureVirtualMachine => "A machine at Azure, by its resource id",
            Self::CloudCredential => "An account at another provider, by the integration that opens it",
            Self::CloudResource => "What else stands in an account, by the provider's name of it",
            Self::CloudStorageBucket => "A storage bucket at a cloud provider",
            Self::CodeAccount => "The account of an organisation or a person at another forge of code",
            Self::DnsRecord => "A host name below a registrable domain",
            Self::Domain => "A registrable domain",
            Self::EmailAddress => "An e-mail address",
            Self::GcpApiGateway => "A gateway to interfaces at Google Cloud",
            Self::GcpAppEngineApplication => "An application of App Engine",
            Self::GcpCloudFunction => "A function at Google Cloud",
            Self::GcpCloudSQLInstance => "A database that Google Cloud runs",
            Self::GcpComputeEngineInstance => "A machine at Google Cloud",
            Self::GcpCredential => "A project of Google Cloud, by the integration that opens it",
            Self::GcpStorageBucket => "A storage bucket at Google Cloud, by its name",
            Self::GitRepository => "A repository of git at a URL of its own",
            Self::GithubAccount => "The account of an organisation or a person at GitHub",
            Self::GithubRepository => "A repository of code at GitHub",
            Self::GitlabAccount => "A group or a person at GitLab",
            Self::GitlabProject => "A project with its code at a GitLab",
            Self::IosApp => "An app for iOS, by the identifier of its bundle",
            Self::IpAddress => "An IPv4 or IPv6 address",
            Self::Mailserver => "A host that accepts mail for a domain",
            Self::Nameserver => "A host that answers for a zone",
            Self::NetBlock => "A registered block of addresses",
            Self::NetworkService => "A port of an address that answers",
            Self::Organization => "An organisation that registered a name or a block",
            Self::PreCertificate => "A certificate seen in a public log",
            Self::SslCertificate => "A certificate that a service serves",
            Self::UniqueKeyword => "A word that belongs to one organisation alone",
            Self::UniqueToken => "A key or tracking identifier found in content",
            Self::Uri => "A web site, or a page of one",
        }
    }

    /// Returns what names of this kind are.
    pub fn form(self) -> NameForm {
        match self {
            Self::ApiEndpoint
            | Self::AppEndpoint
            | Self::CloudStorageBucket
            | Self::CodeAccount
            | Self::GitRepository
            | Self::GithubAccount
            | Self::GithubRepository
            | Self::GitlabAccount
            | Self::GitlabProject
            | Self::Uri => NameForm::Url,
            Self::AwsEC2Instance | Self::DnsRecord | Self::Domain | Self::Mailserver | Self::Nameserver => {
                NameForm::Host
            }
            Self::IpAddress | Self::NetBlock => NameForm::Address,
            Self::EmailAddress => NameForm::Mailbox,
            Self::NetworkService => NameForm::Port,
            Self::PreCertificate | Self::SslCertificate => NameForm::Certificate,
            Self::AndroidApp
            | Self::AutonomousSystem
            | Self::AwsCredential
            | Self::AwsRdsDbInstance
            | Self::AwsResource
            | Self::AwsS3Bucket
            | Self::AzureCredential
            | Self::AzureStorageAccount
            | Self::AzureVirtualMachine
            | Self::CloudCredential
            | Self::CloudResource
            | Self::GcpApiGateway
            | Self::GcpAppEngineApplication
            | Self::GcpCloudFunction
            | Self::GcpCloudSQLInstance
            | Self::GcpComputeEngineInstance
            | Self::GcpCredential
            | Self::GcpStorageBucket
            | Self::IosApp
            | Self::Organization
            | Self::UniqueKeyword
            | Self::UniqueToken => NameForm::Other,
        }
    }

    /// A name of this kind.
    pub fn example(self) -> &'static str {
        match self {
            Self::AndroidApp => "org.example.app",
            Self::ApiEndpoint => "https://api.example.org:443/v1",
            Self::AppEndpoint => "https://api.example.org:443/v1/orders",
            Self::AutonomousSystem => "AS64500",
            Self::AwsCredential => "Production (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)",
            Self::AwsEC2Instance => "ec2-192-0-2-1.compute-1.amazonaws.com",
            Self::AwsRdsDbInstance => "arn:aws:rds:eu-west-1:123456789012:db:example",
            Self::AwsResource => "arn:aws:lambda:eu-west-1:123456789012:function:example",
            Self::AwsS3Bucket => "example-backup",
            Self::AzureCredential => "Azure (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)",
            Self::AzureStorageAccount => "examplefiles",
            Self::AzureVirtualMachine => {
                "/subscriptions/1/resourceGroups/a/providers/Microsoft.Compute/virtualMachines/web"
            }
            Self::CloudCredential => "Cloudflare (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)",
            Self::CloudResource => "cloudflare:zone:0a1b2c3d",
            Self::CloudStorageBucket => "https://example-backup.s3.amazonaws.com",
            Self::CodeAccount => "https://codeberg.org/example",
            Self::DnsRecord => "www.example.org",
            Self::Domain => "example.org",
            Self::EmailAddress => "security@example.org",
            Self::GcpApiGateway => "//apigateway.googleapis.com/projects/a/gateways/b",
            Self::GcpAppEngineApplication => "//appengine.googleapis.com/apps/example",
            Self::GcpCloudFunction => "//cloudfunctions.googleapis.com/projects/a/functions/b",
            Self::GcpCloudSQLInstance => "//cloudsql.googleapis.com/projects/a/instances/b",
            Self::GcpComputeEngineInstance => "//compute.googleapis.com/projects/a/zones/b/instances/c",
            Self::GcpCredential => "Google (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)",
            Self::GcpStorageBucket => "example-backup",
            Self::GitRepository => "https://code.example.org:443/app.git",
            Self::GithubAccount => "https://github.com/example",
            Self::GithubRepository => "https://github.com/example/app",
            Self::GitlabAccount => "https://gitlab.com/example",
            Self::GitlabProject => "https://gitlab.com/example/app",
            Self::IosApp => "org.example.app",
            Self::IpAddress => "192.0.2.1",
            Self::Mailserver => "mx1.example.org",
            Self::Nameserver => "ns1.example.org",
            Self::NetBlock => "192.0.2.0/24",
            Self::NetworkService => "192.0.2.1:22/tcp",
            Self::Organization => "Example Ltd",
            Self::PreCertificate => "www.example.org (0a1b2c)",
            Self::SslCertificate => "www.example.org (0a1b2c)",
            Self::UniqueKeyword => "exampletools",
            Self::UniqueToken => "UA-1234567-1",
            Self::Uri => "https://www.example.org:443",
        }
    }

    /// Returns true if a person may give one as a seed. Certificates are only ever discovered, and accounts come from
    /// the integrations that a collection uses, with what stands in them.
    pub fn is_seedable(self) -> bool {
        !matches!(
            self,
            Self::AwsCredential
                | Self::AwsResource
                | Self::AzureCredential
                | Self::CloudCredential
                | Self::CloudResource
                | Self::GcpCredential
                | Self::SslCertificate
                | Self::PreCertificate
        )
    }

    /// Returns how many addresses a seed of this name adds: all of a block, one for an address, none for a name. Blocks
    /// of IPv6 that are too large to be probed address by address add none, because as seeds they only establish
    /// ownership.
    pub fn addresses(self, name: &str) -> i64 {
        /// Addresses of the largest IPv6 block that is asked one by one.
        const V6_ASKED_MAX: u128 = 1 << 24;
        match (self, name.parse::<ipnet::IpNet>()) {
            (Self::IpAddress, _) => 1,
            (Self::NetBlock, Ok(block)) => {
                let bits = u32::from(block.max_prefix_len() - block.prefix_len());
                let size = 1_u128.checked_shl(bits).unwrap_or(u128::MAX);
                match block {
                    ipnet::IpNet::V6(_) if size > V6_ASKED_MAX => 0,
                    _ => i64::try_from(size).unwrap_or(i64::MAX),
                }
            }
            _ => 0,
        }
    }

    /// Returns true if a page, an app or a forge that mentions one makes it known without saying whose it is, because
    /// its names are unique on the whole internet.
    pub fn is_known_by_mention(self) -> bool {
        matches!(
            self,
            Self::AppEndpoint
                | Self::CloudStorageBucket
                | Self::CodeAccount
                | Self::GithubAccount
                | Self::GitlabAccount
        )
    }

    /// Returns true if a name of this kind is a place on the network. Mailboxes and numbers of networks, which stand
    /// beside places in tables, are none.
    pub fn is_place(self) -> bool {
        !matches!(self, Self::AutonomousSystem | Self::EmailAddress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_every_spelling_of_their_name() {
        for kind in Kind::ALL {
            for text in [
                kind.name().to_owned(),
                kind.type_name(),
                kind.name().to_lowercase(),
                format!("Intrigue::Entity::{}", kind.name()),
            ] {
                assert_eq!(Kind::from_name(&text), Some(*kind), "{text}");
            }
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        for text in ["", "Platform::Entity::", "Domains", "Platform::Entity::Hostname"] {
            assert_eq!(Kind::from_name(text), None, "{text}");
        }
    }

    #[test]
    fn seeds_give_as_many_addresses_as_would_be_asked() {
        for (kind, name, expected) in [
            (Kind::NetBlock, "192.0.2.0/24", 256),
            (Kind::NetBlock, "0.0.0.0/0", 1 << 32),
            (Kind::NetBlock, "2001:db8::/104", 1 << 24),
            (Kind::NetBlock, "2001:db8::/64", 0),
            (Kind::NetBlock, "::/0", 0),
            (Kind::IpAddress, "192.0.2.1", 1),
            (Kind::Domain, "example.org", 0),
        ] {
            assert_eq!(kind.addresses(name), expected, "{name}");
        }
    }

    #[test]
    fn what_is_named_by_urls_says_so() {
        for kind in Kind::ALL {
            assert_eq!(kind.form() == NameForm::Url, kind.example().contains("://"), "{}", kind.name());
        }
    }

    #[test]
    fn all_is_alphabetical() {
        assert!(Kind::ALL.is_sorted_by_key(|kind| kind.name()));
    }
}
