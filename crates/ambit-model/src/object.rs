//! Types of object of the wider API (docs/contract/wider.md §4), and which kinds of entity each shows.

use crate::Kind;
use crate::names::names;

names! {
    /// A type of object that graphs and clients name.
    pub enum ObjectType {
        Domain,
        File,
        IpAddress,
        Url,
    }

    /// How far an archive of files is.
    pub enum ArchiveStatus {
        Starting,
        Creating,
        Finished,
        /// The files could not be read or packed.
        #[strum(serialize = "error-creating")]
        Failed,
    }
}

impl ObjectType {
    /// The name in paths.
    pub fn collection(self) -> &'static str {
        match self {
            Self::Domain => "domains",
            Self::File => "files",
            Self::IpAddress => "ip_addresses",
            Self::Url => "urls",
        }
    }

    /// The type with a path.
    pub fn from_collection(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.collection() == name)
    }

    /// The kinds of entity that are such objects.
    pub fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Domain => &[Kind::Domain, Kind::DnsRecord],
            Self::File => &[],
            Self::IpAddress => &[Kind::IpAddress],
            Self::Url => &[Kind::Uri],
        }
    }

    /// The type that shows a kind.
    pub fn of_kind(kind: Kind) -> Option<Self> {
        Self::ALL.iter().copied().find(|object| object.kinds().contains(&kind))
    }

    /// The type of a node that stands for an entity of a kind: `custom` for those that the wider API has no type for.
    pub fn node_type(kind: Kind) -> &'static str {
        match (Self::of_kind(kind), kind) {
            (Some(object), _) => object.name(),
            (None, Kind::SslCertificate | Kind::PreCertificate) => "ssl_cert",
            (None, _) => "custom",
        }
    }

    /// Every kind with the canonical name that a text has as such.
    pub fn names(self, text: &str) -> Vec<(Kind, String)> {
        let names = self.kinds().iter().map(|kind| (*kind, kind.canonical(text)));
        names.filter_map(|(kind, name)| Some((kind, name.ok()?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_found_by_its_words() {
        for kind in ObjectType::ALL.iter().copied() {
            assert_eq!(ObjectType::from_name(kind.name()), Some(kind));
            assert_eq!(ObjectType::from_collection(kind.collection()), Some(kind));
            assert!(kind.kinds().iter().all(|entity| ObjectType::of_kind(*entity) == Some(kind)));
        }
        assert_eq!(ObjectType::of_kind(Kind::NetBlock), None);
        let types = [Kind::DnsRecord, Kind::Uri, Kind::SslCertificate, Kind::NetBlock].map(ObjectType::node_type);
        assert_eq!(types, ["domain", "url", "ssl_cert", "custom"]);
    }

    #[test]
    fn names_are_canonical_as_each_kind_says() {
        let names = ObjectType::Domain.names("WWW.Acme.test");
        assert!(names.iter().all(|(_, name)| name == "www.acme.test") && !names.is_empty());
        assert_eq!(ObjectType::IpAddress.names("2001:DB8:0::1"), [(Kind::IpAddress, "2001:db8::1".to_owned())]);
        assert!(ObjectType::IpAddress.names("acme.test").is_empty());
        assert!(ObjectType::File.names("x").is_empty());
    }
}
