//! Seeds on the wire (docs/contract/asm.md §3.4): their type stands there without its prefix.

use crate::shape::{BOOLEAN, INTEGER, MOMENT, NAME, NULL, Object, Shape, TEXT, member, optional};
use ambit_model::collection::Seed;
use serde_json::{Value, json};

/// A seed.
pub fn seed(seed: &Seed) -> Value {
    json!({
        "id": seed.id,
        "name": seed.name,
        "type": seed.kind.name(),
        "seed": true,
        "claimed": false,
        "details": null,
        "created_at": seed.created_at,
        "updated_at": seed.created_at,
        "last_modified": null,
    })
}

/// Its members.
pub static SEED: Shape = Shape::Object(&Object {
    name: "Seed",
    members: &[
        member("id", INTEGER),
        member("name", TEXT),
        member("type", TEXT),
        member("seed", BOOLEAN),
        member("claimed", BOOLEAN),
        member("details", NULL),
        member("created_at", MOMENT),
        member("updated_at", MOMENT),
        member("last_modified", NULL),
    ],
    open: false,
});

/// A list of them.
pub static SEEDS: Shape = Shape::List(&SEED);

/// The kinds by name, the likeliest seed first; a test compares them with the model's. Any letter case and prefix is read.
const KINDS: &[&str] = &[
    "Domain",
    "DnsRecord",
    "IpAddress",
    "NetBlock",
    "ApiEndpoint",
    "AutonomousSystem",
    "CloudStorageBucket",
    "EmailAddress",
    "Mailserver",
    "Nameserver",
    "NetworkService",
    "Organization",
    "PreCertificate",
    "SslCertificate",
    "UniqueKeyword",
    "UniqueToken",
    "Uri",
];

static NEW_SEED: Shape = Shape::Object(&Object {
    name: "NewSeed",
    members: &[member("name", NAME), member("type", &Shape::OneOf(KINDS))],
    open: true,
});

/// The body of an addition: one seed, or a list of them.
pub static NEW_SEEDS: Shape = Shape::Object(&Object {
    name: "NewSeeds",
    members: &[
        optional("name", TEXT),
        optional("type", TEXT),
        optional("entities", &Shape::List(&NEW_SEED)),
    ],
    open: true,
});

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Kind, Timestamp};

    #[test]
    fn the_kinds_are_those_of_the_model() {
        let mut names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        let mut listed = KINDS.to_vec();
        names.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, names);
    }

    #[test]
    fn a_seed_has_every_member_and_a_type_without_prefix() {
        let value = seed(&Seed {
            id: 4_726_210,
            kind: Kind::IpAddress,
            name: "203.0.113.7".to_owned(),
            confirmed: false,
            created_at: Timestamp(0),
        });
        assert_eq!(SEED.differences(&value), Vec::<String>::new());
        assert_eq!(value["type"], "IpAddress");
    }
}
