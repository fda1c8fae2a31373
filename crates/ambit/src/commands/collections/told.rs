//! What is typed and shown of who hears of the new entities of a collection.

use serde_json::{Value, json};

/// The members of a collection, each with the word before what it says.
const MEMBERS: [(&str, &str); 2] =
    [("emails", "notify_emails_new_entities"), ("webhooks", "notify_webhooks_new_entities")];

/// When receivers of one channel hear of new entities.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum NewEntities {
    Always,
    Never,
    ByRule,
}

impl NewEntities {
    /// As a body has it; null leaves it to the rules.
    fn value(self) -> Value {
        match self {
            Self::Always => json!(true),
            Self::Never => json!(false),
            Self::ByRule => Value::Null,
        }
    }
}

/// What was typed, as members of a body.
pub(super) fn members(
    emails: Option<NewEntities>,
    webhooks: Option<NewEntities>,
) -> impl Iterator<Item = (String, Value)> {
    let typed = MEMBERS.into_iter().zip([emails, webhooks]);
    typed.filter_map(|((_, member), when)| Some((member.to_owned(), when?.value())))
}

/// What is said of it, each with the word before it; nothing where the rules of receivers decide.
pub(super) fn lines(found: &Value) -> impl Iterator<Item = (&'static str, String)> {
    MEMBERS.into_iter().filter_map(|(word, member)| {
        let when = if found[member].as_bool()? { "always" } else { "never" };
        Some((word, format!("{when} notified of new entities")))
    })
}
