//! Rule sets of live hunting, as their editors see them.

use crate::call::Call;
use ambit_api::copied;
use ambit_api::hunting_rulesets::RulesetAttributes;
use ambit_api::objects::Object;
use ambit_store::Ruleset;

pub(crate) const NOUN: &str = "Hunting ruleset";
/// Where rule sets are.
const COLLECTION: &str = "intelligence/hunting_rulesets";

/// A set as an object.
pub(crate) fn shown(call: &Call, ruleset: &Ruleset) -> Object {
    let attributes = copied! {
        RulesetAttributes from ruleset {
            name, enabled, rules, rule_names, match_object_type, notification_emails, tags, rate_limited
        }
        limit: ruleset.daily_limit,
        number_of_rules: ruleset.rule_names.len(),
        creation_date: ruleset.created_at.into(),
        modification_date: ruleset.modified_at.into(),
    };
    Object::new(&call.base, COLLECTION, "hunting_ruleset", &ruleset.id, &attributes)
}
