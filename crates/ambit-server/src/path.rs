//! Parameters of paths that are more than text. Each has a type, which says how it is read, and what is not found where
//! that fails. The others are names, and whoever looks them up says that there is no such thing.

use crate::call::Call;
use ambit_api::{ApiError, Result};
use ambit_model::id::RunId;
use ambit_model::{Item, Uid};
use std::str::FromStr;
use uuid::Uuid;

/// Makes the types: under which names the table of endpoints has it, what it is read as, and its noun in a 404.
macro_rules! path {
    ($($name:ident: $($parameter:literal)|+ as $value:ident by $read:path, $noun:literal;)*) => {$(
        pub(crate) enum $name {}

        impl $name {
            pub(crate) fn of(call: &Call) -> Result<$value> {
                $read(call.parameter_of(&[$($parameter),+])).ok_or_else(|| ApiError::not_found($noun))
            }
        }
    )*};
}

path! {
    CollectionUuid: "collection_uuid" | "uuid" as Uuid by parsed, "Collection";
    IntegrationUseUuid: "uuid" as Uuid by parsed, "Integration collection";
    IntegrationUuid: "uuid" as Uuid by parsed, "Integration";
    InvitationId: "id" as i64 by parsed, "Invitation";
    ItemType: "item_type" as Item by Item::from_name, "Item type";
    KeyId: "id" as i64 by parsed, "Key";
    NoteUid: "note_uid" as Uid by parsed, "Note";
    ProjectUserId: "project_user_id" as i64 by parsed, "Project user";
    ProjectUuid: "uuid" as Uuid by parsed, "Project";
    ReceiverUuid: "uuid" as Uuid by parsed, "Receiver";
    RunName: "id" as UuidOrId by UuidOrId::read, "Collection run";
    SeedId: "entity_uid" as i64 by parsed, "Seed";
    UidNoun: "noun" as Item by Item::from_name, "Item";
}

/// A run is named by its uuid or by its integer id.
pub(crate) enum UuidOrId {
    Uuid(Uuid),
    Id(RunId),
}

impl UuidOrId {
    fn read(text: &str) -> Option<Self> {
        parsed(text).map(Self::Uuid).or_else(|| parsed(text).map(Self::Id))
    }
}

fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}
