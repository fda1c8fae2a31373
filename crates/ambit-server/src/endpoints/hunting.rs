//! The rows of hunting in the wider API (docs/contract/hunting.md §1): rule sets, what they find, and jobs over what is
//! stored.

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, delete, get, handler, patch, post};
use crate::quota::rules;
use crate::rights::Right::OwnRuleset;

const RULESET_MEMBER: &str = "/intelligence/hunting_rulesets/{id}/relationships/editors/{member}";

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/intelligence/hunting_rulesets", Key, handler!(wider::hunting_rulesets::list)).costs(&rules::RULESETS),
    post("/intelligence/hunting_rulesets", Key, handler!(wider::hunting_rulesets::create)).costs(&rules::RULESET_POST),
    delete("/intelligence/hunting_rulesets", Key, handler!(wider::hunting_rulesets::delete_all))
        .costs(&rules::RULESET_DELETE),
    get("/intelligence/hunting_rulesets/{id}", Key, handler!(wider::hunting_rulesets::find)).costs(&rules::RULESETS),
    patch("/intelligence/hunting_rulesets/{id}", Key, handler!(wider::hunting_rulesets::change))
        .costs(&rules::RULESET_PATCH),
    delete("/intelligence/hunting_rulesets/{id}", Key, handler!(wider::hunting_rulesets::delete))
        .costs(&rules::RULESET_DELETE)
        .needs(OwnRuleset),
    get("/intelligence/hunting_rulesets/{id}/owner", Key, handler!(wider::hunting_rulesets::owner, false))
        .says("Read the owner of a rule set.")
        .costs(&rules::RULESETS),
    get("/intelligence/hunting_rulesets/{id}/relationships/owner", Key, handler!(wider::hunting_rulesets::owner, true))
        .says("Read the descriptor of the owner of a rule set.")
        .costs(&rules::RULESETS),
    get("/intelligence/hunting_rulesets/{id}/editors", Key, handler!(wider::hunting_rulesets::editors, false))
        .says("List who else may see and change a rule set.")
        .costs(&rules::RULESETS),
    get(
        "/intelligence/hunting_rulesets/{id}/relationships/editors",
        Key,
        handler!(wider::hunting_rulesets::editors, true),
    )
    .says("List the descriptors of who else may see and change a rule set.")
    .costs(&rules::RULESETS),
    get(
        "/intelligence/hunting_rulesets/{id}/hunting_notification_files",
        Key,
        handler!(wider::hunting_notifications::files_of_ruleset, false),
    )
    .costs(&rules::NOTIFICATIONS),
    get(
        "/intelligence/hunting_rulesets/{id}/relationships/hunting_notification_files",
        Key,
        handler!(wider::hunting_notifications::files_of_ruleset, true),
    )
    .says("List the descriptors of the files that a rule set found, with the notification beside each.")
    .costs(&rules::NOTIFICATIONS),
    post(
        "/intelligence/hunting_rulesets/{id}/relationships/editors",
        Key,
        handler!(wider::hunting_rulesets::add_editors),
    )
    .costs(&rules::RULESETS),
    post("/intelligence/hunting_rulesets/{id}/relationships/owner", Key, handler!(wider::hunting_rulesets::give))
        .costs(&rules::RULESET_PATCH)
        .needs(OwnRuleset),
    get(RULESET_MEMBER, Key, handler!(wider::hunting_rulesets::has_editor)).costs(&rules::RULESETS),
    delete(RULESET_MEMBER, Key, handler!(wider::hunting_rulesets::remove_editor)).costs(&rules::RULESETS),
    get("/users/{id}/hunting_rulesets", Key, handler!(wider::hunting_rulesets::of_user, false))
        .says("List the rule sets of live hunting that a user may change, for that user alone.")
        .costs(&rules::RULESETS),
    get("/users/{id}/relationships/hunting_rulesets", Key, handler!(wider::hunting_rulesets::of_user, true))
        .says("List the descriptors of the rule sets that a user may change, for that user alone.")
        .costs(&rules::RULESETS),
    get(
        "/intelligence/hunting_rulesets/{id}/hunting_notifications",
        Key,
        handler!(wider::hunting_notifications::of_ruleset),
    )
    .costs(&rules::NOTIFICATIONS),
    get("/intelligence/hunting_notifications", Key, handler!(wider::hunting_notifications::list))
        .costs(&rules::NOTIFICATIONS),
    delete("/intelligence/hunting_notifications", Key, handler!(wider::hunting_notifications::delete_all))
        .costs(&rules::NOTIFICATIONS),
    get("/intelligence/hunting_notifications/{id}", Key, handler!(wider::hunting_notifications::find))
        .costs(&rules::NOTIFICATIONS),
    delete("/intelligence/hunting_notifications/{id}", Key, handler!(wider::hunting_notifications::delete))
        .costs(&rules::NOTIFICATIONS),
    get("/intelligence/hunting_notifications/{id}/file", Key, handler!(wider::hunting_notifications::file))
        .costs(&rules::NOTIFICATIONS),
    get("/intelligence/hunting_notification_files", Key, handler!(wider::hunting_notifications::list_files))
        .costs(&rules::NOTIFICATIONS),
    get("/users/{id}/hunting_notifications", Key, handler!(wider::hunting_notifications::of_user, false))
        .says("List what live rules reported to a user, newest first, for that user alone.")
        .costs(&rules::NOTIFICATIONS),
    get("/users/{id}/relationships/hunting_notifications", Key, handler!(wider::hunting_notifications::of_user, true))
        .says("List the descriptors of what live rules reported to a user, for that user alone.")
        .costs(&rules::NOTIFICATIONS),
    get("/users/{id}/hunting_notification_files", Key, handler!(wider::hunting_notifications::files_of_user))
        .costs(&rules::NOTIFICATIONS),
    get(
        "/users/{id}/relationships/hunting_notification_files",
        Key,
        handler!(wider::hunting_notifications::file_descriptors_of_user),
    )
    .costs(&rules::NOTIFICATIONS),
    get("/ioc_stream", Key, handler!(wider::hunting_notifications::stream)).costs(&rules::STREAM),
    delete("/ioc_stream", Key, handler!(wider::hunting_notifications::delete_stream)).costs(&rules::STREAM),
    get("/ioc_stream_notifications/{id}", Key, handler!(wider::hunting_notifications::find_in_stream))
        .costs(&rules::STREAM),
    delete("/ioc_stream_notifications/{id}", Key, handler!(wider::hunting_notifications::delete))
        .says("Delete an entry of the stream of indicators. The answer is empty.")
        .costs(&rules::STREAM),
    get("/intelligence/retrohunt_jobs", Key, handler!(wider::retrohunt_jobs::list)).costs(&rules::RETROHUNT),
    post("/intelligence/retrohunt_jobs", Key, handler!(wider::retrohunt_jobs::create)).costs(&rules::RETROHUNT_POST),
    get("/intelligence/retrohunt_jobs/{id}", Key, handler!(wider::retrohunt_jobs::find)).costs(&rules::RETROHUNT),
    delete("/intelligence/retrohunt_jobs/{id}", Key, handler!(wider::retrohunt_jobs::delete)).costs(&rules::RETROHUNT),
    post("/intelligence/retrohunt_jobs/{id}/abort", Key, handler!(wider::retrohunt_jobs::abort))
        .costs(&rules::RETROHUNT),
    get("/intelligence/retrohunt_jobs/{id}/matching_files", Key, handler!(wider::retrohunt_jobs::matching_files))
        .costs(&rules::RETROHUNT),
    get("/users/{id}/retrohunt_jobs", Key, handler!(wider::retrohunt_jobs::of_user, false))
        .says("List the retrohunt jobs of a user, newest first, for that user alone.")
        .costs(&rules::RETROHUNT),
    get("/users/{id}/relationships/retrohunt_jobs", Key, handler!(wider::retrohunt_jobs::of_user, true))
        .says("List the descriptors of the retrohunt jobs of a user, for that user alone.")
        .costs(&rules::RETROHUNT),
    get("/operations/{id}", Key, handler!(wider::operations::find)).costs(&rules::OPERATIONS),
];
