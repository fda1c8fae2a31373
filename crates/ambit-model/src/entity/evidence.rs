//! What shows that a domain which nobody named is theirs (docs/architecture.md §4).

use serde::{Deserialize, Serialize};

/// A piece of evidence that a domain is theirs, and the entity that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// The name of the entity that shows it: the registrant, the server, the mailbox, the certificate, the site.
    pub name: String,
    /// Log-odds in hundredths.
    pub weight: i32,
}

/// Kinds of evidence that a domain is theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Its registrant's mailbox is in a seed's domain.
    RegistrationMailbox,
    /// It is registered to the registrant of a seed.
    RegisteredAlike,
    /// A name of it leads to an address that is registered to a seed's registrant, or lies in a block that is a seed.
    OwnAddress,
    /// A name server in a seed's domain serves it.
    OwnNameServer,
    /// A mail server in a seed's domain takes its mail.
    OwnMailServer,
    /// Reports on its mail go to a mailbox in a seed's domain (DMARC).
    ReportMailbox,
    /// A seed's domain says who may send mail in its name (SPF).
    OwnSenders,
    /// A certificate of theirs names it.
    OwnCertificate,
    /// A site of theirs redirects to it.
    RedirectTarget,
    /// It is registered to somebody who registered no seed. Nothing that it shares with them says more of whose it is
    /// than that: they may serve it for a customer.
    RegisteredToOthers,
    /// A seed relies on it: it takes the seed's mail or reports, may send mail in its name, serves its zone, or has the
    /// mailbox of the seed's registrant. Whoever serves thousands is relied upon alike.
    ReliedUpon,
    /// The pointer of an address that is registered as theirs names a host of it, which leads back there.
    NamedByPointer,
    /// The same as [`RegisteredToOthers`](Self::RegisteredToOthers) of what neither certificates nor redirects of
    /// theirs lead to: it serves them, or they serve it.
    RegisteredApart,
    /// A newer version stored it.
    #[serde(other)]
    Unknown,
}

impl EvidenceKind {
    /// Log-odds in hundredths.
    pub fn weight(self) -> i32 {
        match self {
            Self::RegistrationMailbox => 400,
            Self::RegisteredAlike => 300,
            Self::OwnAddress => 200,
            Self::OwnNameServer
            | Self::OwnMailServer
            | Self::ReportMailbox
            | Self::OwnSenders
            | Self::OwnCertificate => 150,
            Self::RedirectTarget => 100,
            Self::ReliedUpon | Self::NamedByPointer => 50,
            Self::RegisteredApart => -300,
            Self::RegisteredToOthers | Self::Unknown => 0,
        }
    }

    /// Pieces of one group depend on one another: the strongest counts.
    pub(crate) fn group(self) -> u8 {
        match self {
            Self::RegistrationMailbox | Self::RegisteredAlike | Self::RegisteredToOthers | Self::RegisteredApart => 0,
            Self::OwnAddress => 1,
            Self::OwnNameServer => 2,
            Self::OwnMailServer | Self::ReportMailbox | Self::OwnSenders => 3,
            Self::OwnCertificate => 4,
            Self::RedirectTarget => 5,
            Self::Unknown => 6,
            Self::ReliedUpon | Self::NamedByPointer => 7,
        }
    }

    /// True for evidence beside which a domain is a candidate at most, however much more there is.
    pub fn is_for_a_person(self) -> bool {
        matches!(self, Self::RegisteredToOthers | Self::RegisteredApart | Self::ReliedUpon | Self::NamedByPointer)
    }

    /// What it says of the entity that shows it, for people: "registered to NAME, as a seed is".
    pub fn words(self) -> &'static str {
        match self {
            Self::RegistrationMailbox => "its registrant's mailbox is theirs:",
            Self::RegisteredAlike => "a seed is also registered to",
            Self::OwnAddress => "a name of it leads to their address",
            Self::OwnNameServer => "it is served by their name server",
            Self::OwnMailServer => "its mail is received by their mail server",
            Self::ReportMailbox => "reports on its mail go to their mailbox",
            Self::OwnSenders => "its SPF record refers to",
            Self::OwnCertificate => "it is named in their certificate",
            Self::RedirectTarget => "their site redirects to it:",
            Self::RegisteredToOthers => "evidence alone does not make it theirs: it is registered to",
            Self::ReliedUpon => "a seed relies on",
            Self::NamedByPointer => "a pointer of theirs names",
            Self::RegisteredApart => "neither certificates nor redirects of theirs lead to it, and it is registered to",
            Self::Unknown => "a newer version of the program knows more of",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_a_newer_version_stored_is_read_and_weighs_nothing() {
        let table = [
            ("own_address", EvidenceKind::OwnAddress, 200),
            ("registered_to_others", EvidenceKind::RegisteredToOthers, 0),
            ("of_tomorrow", EvidenceKind::Unknown, 0),
        ];
        for (kind, expected, weight) in table {
            let stored = format!(r#"{{"kind":"{kind}","name":"acme.test","weight":70}}"#);
            let piece: Evidence = serde_json::from_str(&stored).unwrap();
            assert_eq!((piece.kind, piece.kind.weight()), (expected, weight), "{kind}");
            assert_eq!((piece.name.as_str(), piece.weight), ("acme.test", 70), "{kind}");
            let again = serde_json::to_string(&piece).unwrap();
            assert_eq!(serde_json::from_str::<Evidence>(&again).unwrap(), piece, "{kind}");
        }
    }
}
