//! Rule sets of live hunting (docs/contract/hunting.md §1): compiled when they are saved, with the compiler's message
//! where that fails. What they find is in `hunting_notifications.rs`.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::header::{headers, text};
use crate::mount::WIDER;
use crate::object_body::{body_attributes, text_of};
use crate::page::{self, Attributes, Cursor, Limit, One, Page, Relationships};
use crate::present::hunting_rulesets::{NOUN, shown};
use crate::present::{accounts, collaborators, operations};
use crate::query::query;
use crate::rules::rule_names;
use crate::signature::Empty;
use ambit_api::objects::{NewObject, Object, ObjectCollection, OneObject, Related, RelatedObjects, Whether, data};
use ambit_api::{ApiError, Maybe, Result};
use ambit_query::hunting::{Condition, RULESET_MODIFIERS, Wanted, parse_conditions, parse_order};
use ambit_store::{Collaborator, Ruleset, RulesetChange};
use ambit_yara::LIVE;
use serde_json::{Map, Value};

/// Characters of the name of a set.
const NAME_CHARS_MAX: usize = 200;
/// Notifications of a day where the client names no limit (docs/contract/hunting.md §1), and at most.
const LIMIT_DEFAULT: i64 = 100;
const LIMIT_MAX: i64 = 10_000;
/// Tags, and addresses, of one set.
const WORDS_MAX: usize = 100;
/// Characters of one of them.
const WORD_CHARS_MAX: usize = 254;
/// What a set can look at: files and bodies of pages, or the latter alone.
const OBJECT_TYPES: [&str; 2] = ["file", "url"];
const ORDERS: [&str; 3] = ["name", "creation_date", "modification_date"];

query! { Filtered:
    filter: Text =
        "enabled:true, name:, rules:, tag: with whole words, or beginnings with * behind them; all must hold.",
    order: Text = "name, creation_date or modification_date; - behind it reverses; creation_date- by default.",
}

type Listed = (Filtered, ((Limit, Cursor), One));

fn words_of(attributes: &Map<String, Value>, name: &str) -> Result<Option<Vec<String>>> {
    let bad = || {
        ApiError::invalid(format!(
            "The attribute {name} must be a list of at most {WORDS_MAX} texts of at most {WORD_CHARS_MAX} characters"
        ))
    };
    let Some(value) = attributes.get(name).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let words = value.as_array().filter(|words| words.len() <= WORDS_MAX).ok_or_else(bad)?;
    let word = |word: &Value| word.as_str().filter(|word| word.chars().count() <= WORD_CHARS_MAX).map(str::to_owned);
    words.iter().map(|one| word(one).ok_or_else(bad)).collect::<Result<_, _>>().map(Some)
}

/// Reads the attributes of a body; the rules are compiled.
async fn checked(attributes: &Map<String, Value>) -> Result<RulesetChange> {
    let name = text_of(attributes, "name")?.map(str::trim);
    if name.is_some_and(|name| name.is_empty() || name.chars().count() > NAME_CHARS_MAX) {
        return Err(ApiError::invalid(format!("The attribute name must have 1 to {NAME_CHARS_MAX} characters")));
    }
    let rules = match text_of(attributes, "rules")? {
        None => None,
        Some(rules) => Some((rules.to_owned(), rule_names(rules, &LIVE).await?)),
    };
    let enabled = match attributes.get("enabled") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(enabled)) => Some(*enabled),
        Some(_) => return Err(ApiError::invalid("The attribute enabled must be true or false")),
    };
    let daily_limit = match attributes.get("limit").filter(|limit| !limit.is_null()) {
        None => None,
        Some(limit) => {
            let limit = limit.as_i64().filter(|limit| (1..=LIMIT_MAX).contains(limit));
            Some(limit.ok_or_else(|| {
                ApiError::invalid(format!("The attribute limit must be a whole number from 1 to {LIMIT_MAX}"))
            })?)
        }
    };
    let match_object_type = text_of(attributes, "match_object_type")?;
    if let Some(other) = match_object_type.filter(|kind| !OBJECT_TYPES.contains(kind)) {
        let known = OBJECT_TYPES.join(" or ");
        return Err(ApiError::invalid(format!(
            "The attribute match_object_type must be {known}, not {other:?}: rules look at bytes here"
        )));
    }
    Ok(RulesetChange {
        name: name.map(str::to_owned),
        rules,
        enabled,
        daily_limit,
        match_object_type: match_object_type.map(str::to_owned),
        tags: words_of(attributes, "tags")?,
        notification_emails: words_of(attributes, "notification_emails")?,
    })
}

/// Create a rule set. Its rules are compiled; an enabled set is matched against every new file and page body.
pub(crate) async fn create(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let mut new = checked(&body_attributes(&call, "hunting_ruleset", None)?).await?;
    for (name, given) in [("name", new.name.is_some()), ("rules", new.rules.is_some())] {
        if !given {
            return Err(ApiError::invalid(format!("The attribute {name} is needed")));
        }
    }
    new.daily_limit.get_or_insert(LIMIT_DEFAULT);
    new.match_object_type.get_or_insert_with(|| OBJECT_TYPES[0].to_owned());
    let made = call.store().create_ruleset(call.caller(), &new).await.about(NOUN)?;
    Ok(page::one(&call, shown(&call, &made)))
}

async fn found(call: &Call) -> Result<Ruleset> {
    call.store().find_ruleset(call.caller(), call.id()).await.about_named(NOUN, call.id())
}

/// Read a rule set.
pub(crate) async fn find(call: Asking<One>) -> Result<OneObject> {
    let ruleset = found(&call).await?;
    let shown = with_relationships(&call, &ruleset).await?;
    Ok(page::one(&call, shown))
}

/// Change attributes of a rule set.
pub(crate) async fn change(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let attributes = body_attributes(&call, "hunting_ruleset", Some(call.id()))?;
    // What the caller cannot see is not compiled for it.
    found(&call).await?;
    let wanted = checked(&attributes).await?;
    let changed = call.store().change_ruleset(call.caller(), call.id(), &wanted).await;
    Ok(page::one(&call, shown(&call, &changed.about_named(NOUN, call.id())?)))
}

/// Delete a rule set. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Empty> {
    call.store().delete_ruleset(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    Ok(Empty)
}

headers! { Confirmed:
    username "x-confirm-delete" required = "Your username, which confirms that all are to be deleted.",
}

/// Delete all rule sets that the caller owns.
pub(crate) async fn delete_all(call: Asking<Confirmed>) -> Result<OneObject> {
    if Confirmed::username(&call).and_then(text) != Some(call.caller().username()) {
        return Err(ApiError::bad("Send a x-confirm-delete header with your username as a confirmation"));
    }
    let done = call.store().delete_rulesets(call.caller()).await.about(NOUN)?;
    Ok(data(operations::shown(&call, &done)))
}

/// List the rule sets of live hunting that the caller may change.
///
/// Its links lead to the same list below the user, as the contract has it.
pub(crate) async fn list(mut call: Asking<Listed>) -> Result<ObjectCollection> {
    call.path = format!("{WIDER}/users/{}/hunting_rulesets", call.caller().username());
    list_in(&call, false).await
}

/// List the rule sets that a user may change, in full or as descriptors, for that user alone.
pub(crate) async fn of_user(mut call: Asking<Listed>, described: bool) -> Result<ObjectCollection> {
    accounts::require_oneself(&call).await?;
    let below = if described { "relationships/" } else { "" };
    call.path = format!("{WIDER}/users/{}/{below}hunting_rulesets", call.caller().username());
    list_in(&call, described).await
}

async fn list_in(call: &Call, described: bool) -> Result<ObjectCollection> {
    let conditions = parse_conditions(Filtered::filter(call).or_empty(), RULESET_MODIFIERS);
    let conditions = conditions.map_err(|error| ApiError::bad(format!("Filter: {error}")))?;
    let order = Filtered::order(call).text.filter(|order| !order.trim().is_empty()).unwrap_or("creation_date-");
    let (field, descending) = parse_order(order, &ORDERS).map_err(|error| ApiError::bad(format!("Order: {error}")))?;
    let paging = page::paging(call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let all = call.store().list_rulesets(call.caller()).await;
    let mut kept = Vec::new();
    for ruleset in all.about(NOUN)? {
        if holds(call, &conditions, &ruleset).await? {
            kept.push(ruleset);
        }
    }
    kept.sort_by(|one, other| match field {
        "name" => one.name.to_lowercase().cmp(&other.name.to_lowercase()),
        "creation_date" => one.created_at.cmp(&other.created_at),
        _ => one.modified_at.cmp(&other.modified_at),
    });
    if descending {
        kept.reverse();
    }
    let total = kept.len();
    let (kept, next) = page::slice(&paging, kept)?;
    let mut items = Vec::new();
    for ruleset in &kept {
        if let Some(whole) = whole(call, ruleset).await? {
            let shown = with_relationships(call, &whole).await?;
            items.push(if described { shown.described() } else { shown });
        }
    }
    Ok(page::answer(call, items, paging.limit, next, Some(total)))
}

/// A set of a list with its rules; `None`: it went away meanwhile.
async fn whole(call: &Call, ruleset: &Ruleset) -> Result<Option<Ruleset>> {
    call.store().find_ruleset(call.caller(), &ruleset.id).await.if_found()
}

async fn holds(call: &Call, conditions: &[Condition], ruleset: &Ruleset) -> Result<bool> {
    for condition in conditions {
        let holds = match (condition.modifier, &condition.wanted) {
            ("enabled", Wanted::Flag(enabled)) => ruleset.enabled == *enabled,
            ("name", words) => words.is_in(&ruleset.name),
            ("tag", words) => ruleset.tags.iter().any(|tag| words.is_in(tag)),
            ("rules", words) => whole(call, ruleset).await?.is_some_and(|whole| words.is_in(&whole.rules)),
            _ => false,
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A set as an object with the relationships that are asked for.
async fn with_relationships(call: &Call, ruleset: &Ruleset) -> Result<Object> {
    let mut out = shown(call, ruleset);
    for name in page::names(Relationships::relationships(call)).unwrap_or_default() {
        out.relate(&name, &related(call, ruleset, &name).await?, true);
    }
    Ok(out)
}

/// What a set is related to: its owner, or the list of its editors.
async fn related(call: &Call, ruleset: &Ruleset, name: &str) -> Result<Related> {
    match name {
        "owner" => Ok(accounts::brief_by_id(call, ruleset.owner_id).await?.into()),
        "editors" => Ok(Related::Many(editors_of(call, ruleset).await?)),
        _ => Err(ApiError::not_found(&format!("Relationship {name}"))),
    }
}

async fn editors_of(call: &Call, ruleset: &Ruleset) -> Result<Vec<Object>> {
    let editors = call.store().ruleset_editors(call.caller(), &ruleset.id).await.about(NOUN)?;
    collaborators::as_objects(call, editors).await
}

/// Returns the owner of a set, in full or as a descriptor.
pub(crate) async fn owner(call: Call, described: bool) -> Result<RelatedObjects> {
    let ruleset = found(&call).await?;
    let owner = accounts::brief_by_id(&call, ruleset.owner_id).await?;
    page::answer_related(&call, owner.into(), described)
}

/// Lists the editors of a set, in full or as descriptors.
pub(crate) async fn editors(call: Asking<Page>, described: bool) -> Result<ObjectCollection> {
    let editors = editors_of(&call, &found(&call).await?).await?;
    page::of_list_as(&call, editors, described)
}

/// Let users or groups see and change a rule set.
pub(crate) async fn add_editors(call: CallWith<Maybe<NewObject>, Page>) -> Result<ObjectCollection> {
    let ruleset = found(&call).await?;
    let editors = collaborators::body_collaborators(&call)?;
    let counted = call.count_addresses(collaborators::users(&editors))?;
    call.store().add_ruleset_editors(call.caller(), &ruleset.id, &editors).await.about("User or group")?;
    call.give_back_addresses(counted);
    let all = editors_of(&call, &ruleset).await?;
    page::of_list(&call, all, page::LIMIT_DEFAULT)
}

/// Transfer a rule set to another user. It arrives disabled: its new owner decides whether to pay for its rules.
///
/// The owner gives the set away: `{"data": {"type": "user", "id": username}}`.
pub(crate) async fn give(call: CallWith<Maybe<NewObject>>) -> Result<OneObject> {
    let ruleset = found(&call).await?;
    let to = match collaborators::body_collaborators(&call)?.as_slice() {
        [Collaborator::User(name)] => name.clone(),
        _ => return Err(ApiError::invalid("The owner must be one user")),
    };
    let account = accounts::named(&call, &to).await?;
    call.store().give_ruleset(call.caller(), &ruleset.id, &to).await.about_named(NOUN, call.id())?;
    Ok(data(accounts::brief(&call, &account)))
}

async fn editor(call: &Call) -> Result<Option<Collaborator>> {
    let list = call.store().ruleset_editors(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    Ok(collaborators::member(call, list))
}

/// Say whether a user or group is an editor.
pub(crate) async fn has_editor(call: Call) -> Result<Whether> {
    let found = editor(&call).await?;
    Ok(data(found.is_some()))
}

/// Remove an editor of a rule set. The answer is empty.
pub(crate) async fn remove_editor(call: Call) -> Result<Empty> {
    let missing = || ApiError::not_found("User or group");
    let found = editor(&call).await?.ok_or_else(missing)?;
    call.store().remove_ruleset_editor(call.caller(), call.id(), &found).await.about("User or group")?;
    Ok(Empty)
}
