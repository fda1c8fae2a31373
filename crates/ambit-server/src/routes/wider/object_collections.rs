//! Collections of objects that people make (docs/contract/wider.md §6.3): a name, a description, and files, domains,
//! addresses and URLs.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::indicators::indicator;
use crate::object_body::{body_attributes, body_data};
use crate::page::{self, Attributes, One, Page, RelatedPage};
use crate::present::object_collections::{NOUN, shown};
use crate::present::{accounts, relationships};
use crate::query::query;
use crate::signature::Empty;
use ambit_api::objects::{self, NewObject, Object, OneObject, Related, RelatedObjects};
use ambit_api::{ApiError, Maybe, Result};
use ambit_model::canonical_url::url_id;
use ambit_model::object::ObjectType;
use ambit_query::hunting::{COLLECTION_MODIFIERS, Condition, parse_conditions_and_text, parse_order};
use ambit_store::{CollectedItem, CollectionText, ObjectCollection};
use serde_json::{Map, Value};

/// What collections are, among the types that clients ask for; Ambit has none of the others.
const TYPE: &str = "collection";
/// The order that clients ask for by default. Nothing is weighed here: it is the newest first.
const RELEVANCE: &str = "relevance";
const ORDERS: [&str; 4] = ["creation_date", "last_modification_date", "name", RELEVANCE];

fn text(attributes: &Map<String, Value>) -> Result<CollectionText> {
    let texts = |name: &str| match attributes.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ApiError::invalid(format!("The attribute {name} must be text"))),
    };
    let private = match attributes.get("private") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(private)) => Some(*private),
        Some(_) => return Err(ApiError::invalid("The attribute private must be true or false")),
    };
    Ok(CollectionText { name: texts("name")?, description: texts("description")?, private })
}

/// The items of a relationship in a body: descriptors, or URLs that are only named.
fn items(kind: ObjectType, list: &Value) -> Result<Vec<CollectedItem>> {
    let list = list.as_array().ok_or_else(|| ApiError::bad(format!("The {} must be a list", kind.collection())))?;
    let item = |item: &Value| {
        if item.get("type").is_some_and(|said| said.as_str() != Some(kind.name())) {
            return Err(ApiError::bad(format!("The type must be {}", kind.name())));
        }
        let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let named = text("url").filter(|_| kind == ObjectType::Url).map(url_id);
        let id = text("id").map(str::to_owned).or(named);
        let id = id.ok_or_else(|| ApiError::bad("Each object must have an id"))?;
        Ok(CollectedItem { kind: kind.name(), id })
    };
    list.iter().map(item).collect()
}

/// The items of `raw_items`: hashes of files, URLs, addresses and names in one text, between blanks, commas or
/// semicolons. What is none of these is refused by name, so that nothing is lost.
fn raw_items(body: &Value) -> Result<Vec<CollectedItem>> {
    let text = match body.get("raw_items") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::String(text)) => text,
        Some(_) => return Err(ApiError::bad("raw_items must be text")),
    };
    let words = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|word| !word.is_empty());
    let item = |word: &str| {
        indicator(word).ok_or_else(|| ApiError::bad(format!("raw_items: {word:?} is not a hash, URL, address or name")))
    };
    words.map(item).collect()
}

/// Create a collection of files, URLs, domains and addresses.
pub(crate) async fn create(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let attributes = body_attributes(&call, "collection", None)?;
    let body = body_data(&call)?;
    let mut all = raw_items(&body)?;
    for kind in ObjectType::ALL.iter().copied() {
        if let Some(list) = body.pointer(&format!("/relationships/{}/data", kind.collection())) {
            all.extend(items(kind, list)?);
        }
    }
    let made = call.store().create_object_collection(call.caller(), text(&attributes)?, all).await.about(NOUN)?;
    let made = shown(&call, &made).await?;
    Ok(page::one(&call, made))
}

async fn named(call: &Call) -> Result<ObjectCollection> {
    call.store().object_collection(call.caller(), call.id()).await.about_named(NOUN, call.id())
}

/// Read a collection.
pub(crate) async fn find(call: Asking<One>) -> Result<OneObject> {
    let collection = named(&call).await?;
    let mut found = shown(&call, &collection).await?;
    embed(&call, &collection, &mut found).await?;
    Ok(page::one(&call, found))
}

/// Adds the relationships that the request asks for. One that collections do not have is empty.
async fn embed(call: &Call, collection: &ObjectCollection, object: &mut Object) -> Result<()> {
    for name in relationships::asked(call)? {
        let related = match (name.as_str(), ObjectType::from_collection(&name)) {
            ("owner", _) => accounts::brief_by_id(call, collection.owner_id).await?.into(),
            (_, Some(kind)) => {
                let ids = call.store().collected_items(call.caller(), &collection.id, kind.name()).await.about(NOUN)?;
                Related::Many(ids.iter().map(|id| Object::descriptor(kind.name(), id)).collect())
            }
            (_, None) => Related::Many(Vec::new()),
        };
        relationships::relate(call, object, &name, &related);
    }
    Ok(())
}

query! { Listed:
    filter: Text = "name:, owner:, collection_type:, and free text in name or description; all must hold.",
    order: Text = "creation_date, last_modification_date, name or relevance (the newest first); - behind it reverses.",
}

/// List collections of objects that a filter finds, newest first.
pub(crate) async fn list(call: Asking<(Listed, RelatedPage)>) -> Result<objects::ObjectCollection> {
    let conditions = parse_conditions_and_text(Listed::filter(&call).or_empty(), COLLECTION_MODIFIERS);
    let conditions = conditions.map_err(|error| ApiError::bad(format!("Filter: {error}")))?;
    let order = Listed::order(&call).text.filter(|order| !order.trim().is_empty()).unwrap_or("creation_date-");
    let (field, descending) = parse_order(order, &ORDERS).map_err(|error| ApiError::bad(format!("Order: {error}")))?;
    let mut found = call.store().object_collections(call.caller(), None).await.about(NOUN)?;
    found.retain(|collection| conditions.iter().all(|condition| holds(condition, collection)));
    // They came newest first; those that are alike stay in the order in which they were made.
    found.reverse();
    match field {
        "creation_date" => found.sort_by_key(|collection| collection.created_at),
        "last_modification_date" => found.sort_by_key(|collection| collection.modified_at),
        "name" => found.sort_by_key(|collection| collection.name.to_lowercase()),
        _ => {}
    }
    if descending || field == RELEVANCE {
        found.reverse();
    }
    let call = &call;
    let shown = |collection: ObjectCollection| async move {
        let mut found = shown(call, &collection).await?;
        embed(call, &collection, &mut found).await?;
        Ok(found)
    };
    page::of_records(call, found, shown).await
}

fn holds(condition: &Condition, collection: &ObjectCollection) -> bool {
    let wanted = &condition.wanted;
    match condition.modifier {
        "name" => wanted.is_in(&collection.name),
        "owner" => wanted.is_in(&collection.owner),
        "collection_type" => wanted.is_in(TYPE),
        _ => wanted.is_in(&collection.name) || wanted.is_in(&collection.description),
    }
}

/// Change name, description or privacy of a collection.
///
/// What `raw_items` names is added.
pub(crate) async fn change(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let text = text(&body_attributes(&call, "collection", Some(call.id()))?)?;
    let more = raw_items(&body_data(&call)?)?;
    let changed = call.store().change_object_collection(call.caller(), call.id(), text, more).await;
    let changed = shown(&call, &changed.about_named(NOUN, call.id())?).await?;
    Ok(page::one(&call, changed))
}

/// Delete a collection. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Empty> {
    call.store().delete_object_collection(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    Ok(Empty)
}

fn relationship_named(call: &Call) -> Result<ObjectType> {
    let name = call.parameter("relationship");
    ObjectType::from_collection(name).ok_or_else(|| ApiError::not_found(&format!("Relationship {name}")))
}

/// List what is in a collection, or its owner.
pub(crate) async fn relationship(call: Asking<RelatedPage>) -> Result<RelatedObjects> {
    related(&call, false).await
}

/// List the descriptors of what is in a collection.
pub(crate) async fn descriptors(call: Asking<Page>) -> Result<RelatedObjects> {
    related(&call, true).await
}

async fn related(call: &Call, described: bool) -> Result<RelatedObjects> {
    if call.parameter("relationship") == "owner" {
        let owner = accounts::brief_by_id(call, named(call).await?.owner_id).await?;
        return page::answer_related(call, owner.into(), described);
    }
    // Clients ask for all that collections of other services are related to.
    let Ok(kind) = relationship_named(call) else {
        named(call).await?;
        return page::answer_related(call, Related::Many(Vec::new()), described);
    };
    listed(call, kind, described).await.map(Into::into)
}

async fn listed(call: &Call, kind: ObjectType, described: bool) -> Result<objects::ObjectCollection> {
    let ids = call.store().collected_items(call.caller(), call.id(), kind.name()).await;
    let shown = |id: String| async move {
        match described {
            true => Ok(Object::descriptor(kind.name(), &id)),
            false => relationships::listed(call, kind.name(), &id).await,
        }
    };
    page::of_records(call, ids.about_named(NOUN, call.id())?, shown).await
}

/// Add objects to a collection.
pub(crate) async fn add(call: CallWith<Maybe<NewObject>, Page>) -> Result<objects::ObjectCollection> {
    let kind = relationship_named(&call)?;
    let items = items(kind, &body_data(&call)?)?;
    let added = call.store().add_to_object_collection(call.caller(), call.id(), items).await;
    added.about_named(NOUN, call.id())?;
    listed(&call, kind, true).await
}

/// Remove objects from a collection.
pub(crate) async fn remove(call: CallWith<Maybe<NewObject>, Page>) -> Result<objects::ObjectCollection> {
    let kind = relationship_named(&call)?;
    let items = items(kind, &body_data(&call)?)?;
    let removed = call.store().remove_from_object_collection(call.caller(), call.id(), items).await;
    removed.about_named(NOUN, call.id())?;
    listed(&call, kind, true).await
}
