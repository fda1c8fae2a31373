//! The rows of hunting in the wider API (docs/contract/hunting.md §1): rule sets, what they find, and jobs over what is stored.

use super::wider::{ATTRIBUTES, CURSOR, EMPTY, LIMIT, PAGE, READ, RELATIONSHIPS, metered, text};
use crate::endpoint::Method::{Delete, Get, Patch, Post};
use crate::endpoint::{Endpoint, Parameter, as_type, with_body, with_query};
use crate::quota::rules;
use crate::rights::Right::{Any, OwnRuleset};
use crate::routes::wider::{hunting_notifications, hunting_rulesets, operations, retrohunt_jobs};
use ambit_api::objects::{COLLECTION, NEW, ONE, RELATED, WHETHER};
use ambit_api::shape::ANY;

const RULESETS: &[Parameter] = &[
    text(
        "filter",
        "enabled:true, name:, rules:, tag: with whole words, or beginnings with * behind them; all must hold.",
    ),
    text(
        "order",
        "name, creation_date or modification_date; - behind it reverses; creation_date- by default.",
    ),
    LIMIT,
    CURSOR,
    RELATIONSHIPS,
    ATTRIBUTES,
];
const NOTIFICATIONS: &[Parameter] = &[
    text("filter", "tag:, owner:, date: with a day or seconds and + or - behind it; all must hold."),
    text("order", "date- by default, or date+."),
    LIMIT,
    CURSOR,
    RELATIONSHIPS,
    ATTRIBUTES,
];
const TAGGED: &[Parameter] = &[text("tag", "Only those with this tag."), text("filter", "As in the list.")];
const STREAM: &[Parameter] = &[
    text(
        "filter",
        "date:, origin:, entity_type:, entity_id:, source_type:, source_id:, notification_tag:, owner:; all must hold.",
    ),
    text("order", "date- by default, or date+."),
    text("descriptors_only", "true: only type and id of each, with its context."),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
];
const STREAM_FILTER: &[Parameter] = &[text("filter", "As in the list.")];
const JOBS: &[Parameter] = &[
    text("filter", "status: with one of starting, running, aborting, aborted, finished."),
    LIMIT,
    CURSOR,
    ATTRIBUTES,
];
const RULESET_MEMBER: &str = "/intelligence/hunting_rulesets/{id}/relationships/editors/{member}";

/// Every row.
#[rustfmt::skip]
pub(super) const ROWS: &[Endpoint] = &[
    with_query(RULESETS, metered(Get, "/intelligence/hunting_rulesets", &rules::RULESETS, Any, "List the rule sets of live hunting that the caller may change.", &COLLECTION, |call| Box::pin(hunting_rulesets::list(call)))),
    with_body(&NEW, metered(Post, "/intelligence/hunting_rulesets", &rules::RULESET_POST, Any, "Make a rule set. Its rules are compiled; an enabled one looks at every new file and page body.", &ONE, |call| Box::pin(hunting_rulesets::create(call)))),
    metered(Delete, "/intelligence/hunting_rulesets", &rules::RULESET_DELETE, Any, "Delete every rule set of the caller's own; the header x-confirm-delete has the caller's username.", &ONE, |call| Box::pin(hunting_rulesets::delete_all(call))),
    with_query(READ, metered(Get, "/intelligence/hunting_rulesets/{id}", &rules::RULESETS, Any, "Read a rule set.", &ONE, |call| Box::pin(hunting_rulesets::find(call)))),
    with_body(&NEW, metered(Patch, "/intelligence/hunting_rulesets/{id}", &rules::RULESET_PATCH, Any, "Change attributes of a rule set.", &ONE, |call| Box::pin(hunting_rulesets::change(call)))),
    as_type(EMPTY, metered(Delete, "/intelligence/hunting_rulesets/{id}", &rules::RULESET_DELETE, OwnRuleset, "Delete a rule set. The answer is empty.", ANY, |call| Box::pin(hunting_rulesets::delete(call)))),
    metered(Get, "/intelligence/hunting_rulesets/{id}/owner", &rules::RULESETS, Any, "Read the owner of a rule set.", &RELATED, |call| Box::pin(hunting_rulesets::relationship(call, "owner", false))),
    metered(Get, "/intelligence/hunting_rulesets/{id}/relationships/owner", &rules::RULESETS, Any, "Read the descriptor of the owner.", &RELATED, |call| Box::pin(hunting_rulesets::relationship(call, "owner", true))),
    with_query(PAGE, metered(Get, "/intelligence/hunting_rulesets/{id}/editors", &rules::RULESETS, Any, "List who else may see and change a rule set.", &COLLECTION, |call| Box::pin(hunting_rulesets::relationship(call, "editors", false)))),
    with_query(PAGE, metered(Get, "/intelligence/hunting_rulesets/{id}/relationships/editors", &rules::RULESETS, Any, "List their descriptors.", &COLLECTION, |call| Box::pin(hunting_rulesets::relationship(call, "editors", true)))),
    with_body(&NEW, metered(Post, "/intelligence/hunting_rulesets/{id}/relationships/editors", &rules::RULESETS, Any, "Let users or groups see and change a rule set.", &COLLECTION, |call| Box::pin(hunting_rulesets::add_editors(call)))),
    with_body(&NEW, metered(Post, "/intelligence/hunting_rulesets/{id}/relationships/owner", &rules::RULESET_PATCH, OwnRuleset, "Give a rule set to another user. It arrives disabled: its new owner decides whether to pay for its rules.", &ONE, |call| Box::pin(hunting_rulesets::give(call)))),
    metered(Get, RULESET_MEMBER, &rules::RULESETS, Any, "Say whether a user or group is an editor.", &WHETHER, |call| Box::pin(hunting_rulesets::has_editor(call))),
    as_type(EMPTY, metered(Delete, RULESET_MEMBER, &rules::RULESETS, Any, "Take an editor off. The answer is empty.", ANY, |call| Box::pin(hunting_rulesets::remove_editor(call)))),
    with_query(RULESETS, metered(Get, "/users/{id}/hunting_rulesets", &rules::RULESETS, Any, "The same list below the user; for oneself.", &COLLECTION, |call| Box::pin(hunting_rulesets::of_user(call)))),
    with_query(NOTIFICATIONS, metered(Get, "/intelligence/hunting_rulesets/{id}/hunting_notifications", &rules::NOTIFICATIONS, Any, "List what a rule set reported, newest first.", &COLLECTION, |call| Box::pin(hunting_notifications::of_ruleset(call)))),

    with_query(NOTIFICATIONS, metered(Get, "/intelligence/hunting_notifications", &rules::NOTIFICATIONS, Any, "List what live rules reported to the caller, newest first.", &COLLECTION, |call| Box::pin(hunting_notifications::list(call)))),
    with_query(TAGGED, metered(Delete, "/intelligence/hunting_notifications", &rules::NOTIFICATIONS, Any, "Delete the caller's notifications, or those with a tag.", &ONE, |call| Box::pin(hunting_notifications::delete_all(call)))),
    with_query(READ, metered(Get, "/intelligence/hunting_notifications/{id}", &rules::NOTIFICATIONS, Any, "Read a notification.", &ONE, |call| Box::pin(hunting_notifications::find(call)))),
    as_type(EMPTY, metered(Delete, "/intelligence/hunting_notifications/{id}", &rules::NOTIFICATIONS, Any, "Delete a notification. The answer is empty.", ANY, |call| Box::pin(hunting_notifications::delete(call)))),
    metered(Get, "/intelligence/hunting_notifications/{id}/file", &rules::NOTIFICATIONS, Any, "Read the file that a notification is about.", &ONE, |call| Box::pin(hunting_notifications::file(call))),
    with_query(NOTIFICATIONS, metered(Get, "/intelligence/hunting_notification_files", &rules::NOTIFICATIONS, Any, "List the files that live rules found, with the notification beside each.", &COLLECTION, |call| Box::pin(hunting_notifications::list_files(call)))),
    with_query(NOTIFICATIONS, metered(Get, "/users/{id}/hunting_notifications", &rules::NOTIFICATIONS, Any, "The list of notifications below the user; for oneself.", &COLLECTION, |call| Box::pin(hunting_notifications::of_user(call)))),
    with_query(NOTIFICATIONS, metered(Get, "/users/{id}/hunting_notification_files", &rules::NOTIFICATIONS, Any, "The list of their files below the user; for oneself.", &COLLECTION, |call| Box::pin(hunting_notifications::files_of_user(call)))),
    with_query(STREAM, metered(Get, "/ioc_stream", &rules::STREAM, Any, "List the files that live rules found, as the stream of indicators.", &COLLECTION, |call| Box::pin(hunting_notifications::stream(call)))),
    with_query(STREAM_FILTER, metered(Delete, "/ioc_stream", &rules::STREAM, Any, "Delete the caller's entries of the stream that a filter leaves.", &ONE, |call| Box::pin(hunting_notifications::delete_stream(call)))),
    metered(Get, "/ioc_stream_notifications/{id}", &rules::STREAM, Any, "Read an entry of the stream.", &ONE, |call| Box::pin(hunting_notifications::find_in_stream(call))),
    as_type(EMPTY, metered(Delete, "/ioc_stream_notifications/{id}", &rules::STREAM, Any, "Delete an entry of the stream. The answer is empty.", ANY, |call| Box::pin(hunting_notifications::delete(call)))),

    with_query(JOBS, metered(Get, "/intelligence/retrohunt_jobs", &rules::RETROHUNT, Any, "List the caller's jobs over what is stored, newest first.", &COLLECTION, |call| Box::pin(retrohunt_jobs::list(call)))),
    with_body(&NEW, metered(Post, "/intelligence/retrohunt_jobs", &rules::RETROHUNT_POST, Any, "Let rules look at every file and page body that is stored.", &ONE, |call| Box::pin(retrohunt_jobs::create(call)))),
    with_query(PAGE, metered(Get, "/intelligence/retrohunt_jobs/{id}", &rules::RETROHUNT, Any, "Read a job.", &ONE, |call| Box::pin(retrohunt_jobs::find(call)))),
    as_type(EMPTY, metered(Delete, "/intelligence/retrohunt_jobs/{id}", &rules::RETROHUNT, Any, "Delete a job and what it found. The answer is empty.", ANY, |call| Box::pin(retrohunt_jobs::delete(call)))),
    as_type(EMPTY, metered(Post, "/intelligence/retrohunt_jobs/{id}/abort", &rules::RETROHUNT, Any, "Ask a job to end. The answer is empty.", ANY, |call| Box::pin(retrohunt_jobs::abort(call)))),
    with_query(PAGE, metered(Get, "/intelligence/retrohunt_jobs/{id}/matching_files", &rules::RETROHUNT, Any, "List the files that a job found, with the rule beside each.", &COLLECTION, |call| Box::pin(retrohunt_jobs::matching_files(call)))),
    with_query(JOBS, metered(Get, "/users/{id}/retrohunt_jobs", &rules::RETROHUNT, Any, "The list of jobs below the user; for oneself.", &COLLECTION, |call| Box::pin(retrohunt_jobs::of_user(call)))),

    metered(Get, "/operations/{id}", &rules::OPERATIONS, Any, "Read what was asked for many objects at once.", &ONE, |call| Box::pin(operations::find(call))),
];
