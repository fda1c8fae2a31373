//! Events that MISP's export module sends: their indicators become a collection (docs/contract/wider.md §6.3).

use crate::call::CallWith;
use crate::failure::About;
use crate::indicators::indicator;
use crate::page::{self, Attributes};
use crate::present::object_collections::{NOUN, shown};
use ambit_api::objects::OneObject;
use ambit_api::{ApiError, Result, contract};
use ambit_store::{CollectedItem, CollectionText};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Types of attributes, or parts of composite ones such as `ip-dst|port`, that name what is collected.
const COLLECTED: [&str; 9] = ["domain", "hostname", "ip", "ip-dst", "ip-src", "md5", "sha1", "sha256", "url"];
/// Characters of a collection's name.
const NAME_CHARS_MAX: usize = 200;

contract! {
    /// An event with its attributes and objects; of its many members few are read.
    #[derive(Debug, Deserialize)]
    pub(crate) struct NewMispEvent {
        #[serde(rename = "Event")]
        event: Map<String, Value>,
    }
}

/// Create a private collection of the hashes, URLs, addresses and names in an event of MISP.
pub(crate) async fn create(call: CallWith<NewMispEvent, Attributes>) -> Result<OneObject> {
    let NewMispEvent { event } = call.read()?;
    let items = items(&event)?;
    if items.is_empty() {
        let message = format!("The event has no attribute of the types {}", COLLECTED.join(", "));
        return Err(ApiError::bad(message));
    }
    let made = call.store().create_object_collection(call.caller(), text(&event), items).await.about(NOUN)?;
    let made = shown(&call, &made).await?;
    Ok(page::one(&call, made))
}

/// The collection is called as the event is; who may see an event is MISP's to say, so that nobody else sees this.
fn text(event: &Map<String, Value>) -> CollectionText {
    let said = |name: &str| event.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let uuid = said("uuid").unwrap_or("without an identifier");
    let name: String = said("info").unwrap_or(uuid).chars().take(NAME_CHARS_MAX).collect();
    CollectionText { name: Some(name), description: Some(format!("MISP event {uuid}")), private: Some(true) }
}

/// What attributes of the event and of its objects name, the types aside that no collection takes.
fn items(event: &Map<String, Value>) -> Result<Vec<CollectedItem>> {
    let objects = list(event.get("Object"));
    let inside = objects.iter().flat_map(|object| list(object.get("Attribute")));
    let mut found = Vec::new();
    for attribute in list(event.get("Attribute")).iter().chain(inside) {
        let text = |name: &str| attribute.get(name).and_then(Value::as_str).unwrap_or_default();
        for (part, word) in text("type").split('|').zip(text("value").split('|').map(str::trim)) {
            if COLLECTED.contains(&part) {
                let bad = || ApiError::bad(format!("{word:?} is not a hash, URL, address or name"));
                found.push(indicator(word).ok_or_else(bad)?);
            }
        }
    }
    Ok(found)
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
