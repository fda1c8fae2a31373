//! The kinds of entity (docs/contract/asm.md §4.1) and the questions that every kind answers.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

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
    /// The subject of a certificate, and a hash that distinguishes it from others of that subject.
    Certificate,
    /// A name of another form.
    Other,
}

/// Makes the enumeration of a table. Of each kind it says what its names are, one of them, and what the kind is, in a
/// sentence for the library.
macro_rules! kinds {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($kind:ident = ($form:ident, $example:literal, $description:literal $(,)?),)* }
    ) => {
        $(#[$meta])*
        pub enum $name {
            $(#[doc = $description] $kind,)*
        }

        impl $name {
            /// Returns what it is, in a sentence for the library.
            pub fn description(self) -> &'static str {
                match self {
                    $(Self::$kind => $description,)*
                }
            }

            /// Returns what names of this kind are.
            pub fn form(self) -> NameForm {
                match self {
                    $(Self::$kind => NameForm::$form,)*
                }
            }

            /// Returns a name of this kind.
            pub fn example(self) -> &'static str {
                match self {
                    $(Self::$kind => $example,)*
                }
            }
        }
    };
}

kinds! {
    /// What sort of entity, in alphabetical order.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
    )]
    pub enum Kind {
        AndroidApp = (Other, "org.example.app", "An app for Android, by the name of its package"),
        ApiEndpoint = (Url, "https://api.example.org:443/v1", "The address of an HTTP interface for programs"),
        AppEndpoint = (Url, "https://api.example.org:443/v1/orders", "An address that the package of an app names"),
        AutonomousSystem = (Other, "AS64500", "A network that announces routes under its number"),
        AwsCredential = (
            Other,
            "Production (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)",
            "An account at AWS, by the integration that opens it",
        ),
        AwsEC2Instance = (Host, "ec2-192-0-2-1.compute-1.amazonaws.com", "A machine at AWS with a public address"),
        AwsRdsDbInstance = (
            Other,
            "arn:aws:rds:eu-west-1:123456789012:db:example",
            "A database that AWS runs, by its ARN",
        ),
        AwsResource = (
            Other,
            "arn:aws:lambda:eu-west-1:123456789012:function:example",
            "Any other resource in an account at AWS, by its ARN",
        ),
        AwsS3Bucket = (Other, "example-backup", "A storage bucket at AWS, by its name"),
        AzureCredential = (
            Other,
            "Azure (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)",
            "The subscriptions that an application may read at Azure, by the integration that opens it",
        ),
        AzureStorageAccount = (Other, "examplefiles", "A storage account at Azure, by its name"),
        AzureVirtualMachine = (
            Other,
            "/subscriptions/1/resourceGroups/a/providers/Microsoft.Compute/virtualMachines/web",
            "A machine at Azure, by its resource id",
        ),
        CloudCredential = (
            Other,
            "Cloudflare (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)",
            "An account at another provider, by the integration that opens it",
        ),
        CloudResource = (
            Other,
            "cloudflare:zone:0a1b2c3d",
            "Any other resource in an account, by the name that the provider gives it",
        ),
        CloudStorageBucket = (
            Url,
            "https://example-backup.s3.amazonaws.com",
            "A storage bucket at a cloud provider, or what a project of Firebase keeps",
        ),
        CodeAccount = (
            Url,
            "https://codeberg.org/example",
            "The account of an organisation or a person at another forge of code",
        ),
        DnsRecord = (Host, "www.example.org", "A host name below a registrable domain"),
        Domain = (Host, "example.org", "A registrable domain"),
        EmailAddress = (Mailbox, "security@example.org", "An e-mail address"),
        GcpApiGateway = (
            Other,
            "//apigateway.googleapis.com/projects/a/gateways/b",
            "A gateway to interfaces at Google Cloud",
        ),
        GcpAppEngineApplication = (Other, "//appengine.googleapis.com/apps/example", "An application of App Engine"),
        GcpCloudFunction = (
            Other,
            "//cloudfunctions.googleapis.com/projects/a/functions/b",
            "A function at Google Cloud",
        ),
        GcpCloudSQLInstance = (
            Other,
            "//cloudsql.googleapis.com/projects/a/instances/b",
            "A database that Google Cloud runs",
        ),
        GcpComputeEngineInstance = (
            Other,
            "//compute.googleapis.com/projects/a/zones/b/instances/c",
            "A machine at Google Cloud",
        ),
        GcpCredential = (
            Other,
            "Google (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)",
            "A project of Google Cloud, by the integration that opens it",
        ),
        GcpStorageBucket = (Other, "example-backup", "A storage bucket at Google Cloud, by its name"),
        GitRepository = (Url, "https://code.example.org:443/app.git", "A repository of git at a URL of its own"),
        GithubAccount = (Url, "https://github.com/example", "The account of an organisation or a person at GitHub"),
        GithubRepository = (Url, "https://github.com/example/app", "A repository of code at GitHub"),
        GitlabAccount = (Url, "https://gitlab.com/example", "A group or a person at GitLab"),
        GitlabProject = (Url, "https://gitlab.com/example/app", "A project with its code at a GitLab"),
        IosApp = (Other, "org.example.app", "An app for iOS, by the identifier of its bundle"),
        IpAddress = (Address, "192.0.2.1", "An IPv4 or IPv6 address"),
        Mailserver = (Host, "mx1.example.org", "A host that accepts mail for a domain"),
        Nameserver = (Host, "ns1.example.org", "A host that answers for a zone"),
        NetBlock = (Address, "192.0.2.0/24", "A registered block of addresses"),
        NetworkService = (Port, "192.0.2.1:22/tcp", "A port of an address that answers"),
        Organization = (Other, "Example Ltd", "An organisation that registered a name or a block"),
        PreCertificate = (Certificate, "www.example.org (0a1b2c)", "A certificate seen in a public log"),
        SslCertificate = (Certificate, "www.example.org (0a1b2c)", "A certificate that a service serves"),
        TerraformState = (
            Other,
            "terraform:5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55",
            "A state of Terraform, which is the account of what it manages, by its lineage",
        ),
        UniqueKeyword = (Other, "exampletools", "A word that belongs to one organisation alone"),
        UniqueToken = (Other, "UA-1234567-1", "A key or tracking identifier found in content"),
        Uri = (Url, "https://www.example.org:443", "A web site, or a page of one"),
    }
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
