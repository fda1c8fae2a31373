//! Rule sets of live hunting, as their editors see them.

use crate::call::Call;
use crate::page;
use ambit_api::objects::object;
use ambit_store::Ruleset;
use serde_json::{Map, Value, json};

pub(crate) const NOUN: &str = "Hunting ruleset";
/// Where rule sets are.
pub(crate) const COLLECTION: &str = "intelligence/hunting_rulesets";

/// A set as an object.
pub(crate) fn shown(call: &Call, ruleset: &Ruleset) -> Value {
    let attributes = Map::from_iter([
        ("name".to_owned(), json!(ruleset.name)),
        ("enabled".to_owned(), json!(ruleset.enabled)),
        ("limit".to_owned(), json!(ruleset.daily_limit)),
        ("rules".to_owned(), json!(ruleset.rules)),
        ("rule_names".to_owned(), json!(ruleset.rule_names)),
        ("number_of_rules".to_owned(), json!(ruleset.rule_names.len())),
        ("match_object_type".to_owned(), json!(ruleset.match_object_type)),
        ("notification_emails".to_owned(), json!(ruleset.notification_emails)),
        ("tags".to_owned(), json!(ruleset.tags)),
        ("rate_limited".to_owned(), json!(ruleset.rate_limited)),
        ("creation_date".to_owned(), page::seconds(ruleset.created_at)),
        ("modification_date".to_owned(), page::seconds(ruleset.modified_at)),
    ]);
    object(&call.base, COLLECTION, "hunting_ruleset", &ruleset.id, attributes)
}
