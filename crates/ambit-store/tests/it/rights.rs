//! Who may do what: a row is a method of the store and what it says to a stranger, to a member of the project without a
//! role in the collection, to its viewer, its analyst and its admin, to an owner of the project, and to the
//! administrator of the installation, who owns it as well, in this order; of objects that belong to no project, to
//! those whom [`circle`] makes. `ok`, or why not: `none` is "not found", exactly like what does not exist.

use crate::lab::{Lab, both, new_collection};
use crate::people::user;
use crate::receivers::new_receiver;
use crate::retests::with_issue;
use ambit_model::entity::EntityRecord;
use ambit_model::id::RunId;
use ambit_model::issue::{IssueRecord, Status};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::{DueDays, Item, Kind, TaskName};
use ambit_store::{
    BulkChange, Caller, Collaborator, CollectedItem, CollectionSettings, CollectionText, EntityFlags, NewGraph,
    NewIntegration, NewKey, NewUser, Principal, ProjectSettings, Role, RulesetChange, StoreError, TagChange,
};
use serde_json::Map;
use uuid::Uuid;

/// The project's uuid, one of its entities, an issue of it, and who asks.
struct People {
    project: Uuid,
    entity: String,
    issue: String,
    run: RunId,
    run_uuid: Uuid,
    callers: Vec<Caller>,
}

async fn people(lab: &Lab) -> People {
    let (issue, _) = with_issue(lab).await;
    let run = lab.run().await;
    let project = lab.store.list_projects(&lab.me).await.unwrap()[0].project.uuid;
    let mut keys = Vec::new();
    for name in ["eve", "max", "vic", "ann", "adam", "olga"] {
        keys.push(user(lab, &format!("{name}@acme.test")).await.0);
    }
    let add = async |name: &str, role| {
        let names = [format!("{name}@acme.test")];
        lab.store.add_members(&lab.caller(), project, &names, role, false).await.unwrap();
    };
    add("olga", ProjectRole::Owner).await;
    for (name, role) in [
        ("max", None),
        ("vic", Some(CollectionRole::Viewer)),
        ("ann", Some(CollectionRole::Analyst)),
        ("adam", Some(CollectionRole::Admin)),
    ] {
        add(name, ProjectRole::Member).await;
        if let Some(role) = role {
            lab.store.set_collection_role(&lab.caller(), lab.collection, name, role).await.unwrap();
        }
    }
    let mut callers = Vec::new();
    for key in keys {
        callers.push(lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap().at(lab.now()));
    }
    callers.push(lab.store.local_operator().await.unwrap().at(lab.now()));
    let entity = lab.uid(Kind::Domain, "acme.test").to_string();
    People { project, entity, issue: issue.to_string(), run: run.id, run_uuid: run.uuid, callers }
}

fn word<T>(outcome: Result<T, StoreError>) -> &'static str {
    match outcome {
        Ok(_) => "ok",
        Err(StoreError::NotFound) => "none",
        Err(StoreError::Forbidden(_)) => "no",
        Err(StoreError::Exists(_)) => "exists",
        Err(StoreError::Conflict(_)) => "conflict",
        Err(StoreError::Invalid(_)) => "invalid",
        Err(_) => "failed",
    }
}

/// What a list shows, where it shows anything: what a caller may not see is no row of it.
async fn some<T>(list: impl Future<Output = Result<Vec<T>, StoreError>>) -> Result<Vec<T>, StoreError> {
    list.await.and_then(|rows| if rows.is_empty() { Err(StoreError::NotFound) } else { Ok(rows) })
}

/// Asks as each caller, row by row, and tells the rows that are answered otherwise.
macro_rules! assert_rights {
    ($people:expr, $who:ident, $($name:ident: $call:expr => $expected:literal;)*) => {
        let mut others = Vec::new();
        $(
            let mut said = Vec::new();
            for $who in &$people.callers {
                said.push(word(Box::pin($call).await));
            }
            let said = said.join(" ");
            if said != $expected {
                others.push(format!("{}: {said}, and not {}", stringify!($name), $expected));
            }
        )*
        assert!(others.is_empty(), "{}", others.join("\n"));
    };
}

#[tokio::test]
async fn rights_in_a_collection() {
    both(async |lab| {
        let people = people(&lab).await;
        let (store, collection) = (&lab.store, lab.collection);
        let settings = CollectionSettings::default();
        let seeds = [(Kind::Domain, "more.test".to_owned())];
        assert_rights! {
            people, who,
            find_collection: store.find_collection(who, collection) => "none none ok ok ok ok ok";
            list_seeds: store.list_seeds(who, collection) => "none none ok ok ok ok ok";
            list_runs: store.list_runs(who, collection) => "none none ok ok ok ok ok";
            seed_entities: store.seed_entities(who, collection, None) => "none none ok ok ok ok ok";
            list_collection_roles: store.list_collection_roles(who, collection) => "none none no no ok ok ok";
            preview_scope: store.preview_scope(who, collection, None, None) => "none none no no ok ok ok";
            change_settings: store.change_settings(who, collection, &settings) => "none none no no ok ok ok";
            add_seeds: store.add_seeds(who, collection, &seeds) => "none none no no ok ok ok";
            name_seeds: store.name_seeds(who, collection, &seeds) => "none none no no ok ok ok";
            confirm_large_blocks: store.confirm_large_blocks(who, collection, 10)
                => "none none no no ok ok ok";
            start_run: store.start_run(who, collection, false) => "none none no no ok ok ok";
            find_run: store.find_run(who, people.run) => "none none ok ok ok ok ok";
            find_run_by_uuid: store.find_run_by_uuid(who, people.run_uuid) => "none none ok ok ok ok ok";
            find_run_report: store.find_run_report(who, people.run) => "none none ok ok ok ok ok";
            list_not_done: store.list_not_done(who, people.run) => "none none ok ok ok ok ok";
            pause_run: store.pause_run(who, people.run) => "none none no no ok ok ok";
            resume_run: store.resume_run(who, people.run) => "none none no no ok ok ok";
            cancel_run: store.cancel_run(who, people.run) => "none none no no ok ok ok";
            archive_collection: store.archive_collection(who, collection) => "none none no no ok ok ok";
            unarchive_collection: store.unarchive_collection(who, collection) => "none none no no ok ok ok";
            set_collection_role: store.set_collection_role(who, collection, "vic", CollectionRole::Viewer)
                => "none none no no no ok ok";
            delete_collection: store.delete_collection(who, collection) => "none none no no ok none none";
        }
    })
    .await;
}

#[tokio::test]
async fn rights_over_what_was_found() {
    both(async |lab| {
        let people = people(&lab).await;
        let (store, entity, issue) = (&lab.store, people.entity.as_str(), people.issue.as_str());
        let flags = EntityFlags { hidden: Some(false), ..EntityFlags::default() };
        let tags = TagChange { add: vec!["seen".to_owned()], remove: Vec::new() };
        let own = |who: &Principal| vec![who.username().to_owned()];
        let change = BulkChange { status: Some(Status::OpenTriaged), ..BulkChange::default() };
        let now = lab.now();
        let (_, theirs) =
            store.add_note(&lab.me.at(now), (Item::Entity, entity), None, "the administrator's").await.unwrap();
        assert_rights! {
            people, who,
            find_entity: store.find_record::<EntityRecord>(who, entity, None) => "none none ok ok ok ok ok";
            find_issue: store.find_record::<IssueRecord>(who, issue, None) => "none none ok ok ok ok ok";
            find_item: store.find_item(who, Item::Issue, issue, None) => "none none ok ok ok ok ok";
            entity_at: store.record_at::<EntityRecord>(who, entity, None, now) => "none none ok ok ok ok ok";
            issue_at: store.record_at::<IssueRecord>(who, issue, None, now) => "none none ok ok ok ok ok";
            points_in_time: store.points_in_time(who, (Item::Entity, entity), None, None) => "none none ok ok ok ok ok";
            issue_history: store.issue_history(who, issue, None, None) => "none none ok ok ok ok ok";
            member_history: store.member_history(who, entity, None, "spf_record") => "none none ok ok ok ok ok";
            entity_probes: store.entity_probes(who, entity, None, TaskName::Resolve) => "none none ok ok ok ok ok";
            last_retest: store.last_retest(who, issue, None) => "none none ok ok ok ok ok";
            list_notes: store.list_notes(who, (Item::Entity, entity), None) => "none none ok ok ok ok ok";
            set_entity_flags: store.set_entity_flags(who, entity, None, &flags)
                => "none none no ok ok ok ok";
            change_tags: store.change_tags(who, (Item::Issue, issue), None, &tags)
                => "none none no ok ok ok ok";
            change_items: store.change_items(who, (Item::Issue, &[issue.to_owned()]), None, &change)
                => "none none no ok ok ok ok";
            add_note: store.add_note(who, (Item::Issue, issue), None, &own(who).remove(0))
                => "none none no ok ok ok ok";
            edit_note: store.edit_note(who, (Item::Entity, entity, theirs.uid), None, "another's")
                => "none none no no ok ok ok";
            delete_note: store.delete_note(who, (Item::Entity, entity, theirs.uid), None)
                => "none none no no ok none none";
            start_retest: store.start_retest(who, issue, None)
                => "none none no no conflict conflict conflict";
        }
    })
    .await;
}

#[tokio::test]
async fn rights_in_a_project() {
    both(async |lab| {
        let people = people(&lab).await;
        let (store, project, uuid) = (&lab.store, lab.project, people.project);
        let receiver = store.create_receiver(&lab.caller(), project, &new_receiver("told")).await.unwrap().uuid;
        let new = NewIntegration {
            name: "Cloud".to_owned(),
            kind: "AwsCredential".to_owned(),
            secrets: Map::from_iter([("aws_role_arn".to_owned(), "arn".into())]),
            settings: Map::new(),
        };
        let integration = store.create_integration(&lab.caller(), uuid, &new).await.unwrap().uuid;
        let together = std::slice::from_ref(&new);
        let names = ["eve@acme.test".to_owned()];
        let settings = ProjectSettings { description: Some("x".to_owned()), ..Default::default() };
        let chosen = ProjectSettings { primary: true, ..Default::default() };
        let days = "none".parse::<DueDays>().unwrap();
        let empty = new_collection(&[]);
        let header = project.to_string();
        assert_rights! {
            people, who,
            choose_project: store.choose_project(who, Some(header.as_str())) => "none ok ok ok ok ok ok";
            find_project: store.find_project(who, uuid) => "none ok ok ok ok ok ok";
            list_members: store.list_members(who, uuid) => "none ok ok ok ok ok ok";
            changes: store.changes(who, project, 0, 10) => "none ok ok ok ok ok ok";
            list_newest_runs: store.list_newest_runs(who, project) => "none ok ok ok ok ok ok";
            list_overdue: store.list_overdue(who, project, days) => "none ok ok ok ok ok ok";
            uids_beginning: some(store.uids_beginning(who, project, Item::Entity, "", 10))
                => "none none ok ok ok ok ok";
            collection_contexts: some(store.collection_contexts(who, project, 0)) => "none none ok ok ok ok ok";
            create_collection: store.create_collection(who, project, &empty) => "none no no no no ok ok";
            choose_primary: store.change_project(who, uuid, &chosen) => "none ok ok ok ok ok ok";
            change_project: store.change_project(who, uuid, &settings) => "none no no no no ok ok";
            add_members: store.add_members(who, uuid, &names, ProjectRole::Member, false)
                => "none no no no no ok ok";
            create_integration: store.create_integration(who, uuid, &new) => "none no no no no ok ok";
            create_integrations_for: store.create_integrations_for(who, lab.collection, together)
                => "none none no no no ok ok";
            list_integrations: store.list_integrations(who, uuid) => "none ok ok ok ok ok ok";
            add_integration_use: store.add_integration_use(who, lab.collection, integration)
                => "none none no no ok ok ok";
            list_integration_uses: some(store.list_integration_uses(who, project)) => "none none ok ok ok ok ok";
            delete_integration: store.delete_integration(who, integration) => "none no no no no ok none";
            create_receiver: store.create_receiver(who, project, &new_receiver("told"))
                => "none no no no no ok ok";
            list_receivers: store.list_receivers(who, project) => "none no no no no ok ok";
            find_receiver: store.find_receiver(who, receiver) => "none no no no no ok ok";
            list_deliveries: store.list_deliveries(who, receiver, 10) => "none no no no no ok ok";
            test_receiver: store.test_receiver(who, receiver) => "none no no no no ok ok";
            replay_deliveries: store.replay_deliveries(who, receiver, None) => "none no no no no ok ok";
            delete_receiver: store.delete_receiver(who, receiver) => "none no no no no ok none";
            delete_project: store.delete_project(who, uuid) => "none no no no no ok none";
        }
    })
    .await;
}

#[tokio::test]
async fn rights_in_the_installation() {
    both(async |lab| {
        let lab = &lab;
        let people = people(lab).await;
        let store = &lab.store;
        store.create_group(&lab.caller(), "red", &[]).await.unwrap();
        let eve = people.callers[0].user_id();
        let new = |who: &Principal| NewUser { email: format!("of-{}@acme.test", who.username()), ..NewUser::default() };
        let theirs = NewKey { user: Some("eve@acme.test".to_owned()), ..NewKey::default() };
        let group = |who: &Principal| format!("of-{}", who.username());
        let members = ["eve".to_owned()];
        let (caps, none) = ([("api_requests_daily".to_owned(), 10)], Map::new());
        assert_rights! {
            people, who,
            list_users: store.list_users(who) => "no no no no no no ok";
            find_user: store.find_user(who, "eve") => "ok none none none none none ok";
            create_user: { let new = new(who); async move { store.create_user(who, &new).await } }
                => "no no no no no no ok";
            create_key_for_another: store.create_key(who, &theirs) => "ok no no no no no ok";
            list_keys: store.list_keys(who) => "ok ok ok ok ok ok ok";
            create_group: { let name = group(who); async move { store.create_group(who, &name, &[]).await } }
                => "no no no no no no ok";
            list_groups: some(store.list_groups(who)) => "none none none none none none ok";
            add_to_group: store.add_to_group(who, "red", &members, false)
                => "no no no no no no ok";
            change_group: store.change_group(who, "red", &none) => "no no no no no no ok";
            create_service_account: {
                let name = format!("bot{}", who.user_id());
                async move { store.create_service_account(who, "red", &name).await }
            } => "no no no no no no ok";
            grant_privilege: store.grant_privilege(who, "eve", "feeds", None) => "no no no no no no ok";
            list_privileges: store.list_privileges(who, "eve") => "ok none none none none none ok";
            revoke_privilege: store.revoke_privilege(who, "eve", "feeds") => "no no no no no no ok";
            set_quota: store.set_quota(who, "eve", "api_requests_daily", 5) => "no no no no no no ok";
            list_quotas: store.list_quotas(who, "eve") => "ok none none none none none ok";
            cap_user: store.cap_user(who, eve, &caps) => "no no no no no no ok";
            change_profile: store.change_profile(who, eve, &none) => "ok no no no no no ok";
            list_audit: some(store.list_audit(who, None, 10)) => "none none none none none ok ok";
            remove_pack: store.remove_pack(who, "none") => "no no no no no no none";
            set_status: store.set_status(who, eve, "suspended") => "no no no no no no ok";
            delete_group: store.delete_group(who, "red") => "no no no no no no ok";
            delete_user: store.delete_user(who, "eve") => "ok none none none none none none";
        }
    })
    .await;
}

/// Who asks for an object of somebody: a stranger, one who may look at it, one who may edit it, its maker, and the
/// administrator of the installation.
struct Circle {
    callers: Vec<Caller>,
}

async fn circle(lab: &Lab) -> Circle {
    let mut callers = Vec::new();
    for name in ["eve", "vic", "ed", "mia"] {
        callers.push(user(lab, &format!("{name}@acme.test")).await.1.at(lab.now()));
    }
    callers.push(lab.store.local_operator().await.unwrap().at(lab.now()));
    for quota in ["intelligence_graphs_private", "intelligence_hunting_rules"] {
        lab.store.set_quota(&lab.caller(), "mia", quota, 10).await.unwrap();
    }
    Circle { callers }
}

fn named(name: &str) -> Vec<Collaborator> {
    vec![Collaborator::User(name.to_owned())]
}

#[tokio::test]
async fn rights_over_a_private_graph() {
    both(async |lab| {
        let people = circle(&lab).await;
        let (store, mia) = (&lab.store, &people.callers[3]);
        let document = Map::from_iter([("nodes".to_owned(), serde_json::json!([]))]);
        let graph = store.create_graph(&mia.at(lab.now()), &NewGraph { document, private: true }).await.unwrap();
        let id = graph.id.as_str();
        store.add_collaborators(&mia.at(lab.now()), id, Role::Viewer, &named("vic")).await.unwrap();
        store.add_collaborators(&mia.at(lab.now()), id, Role::Editor, &named("ed")).await.unwrap();
        let (none, more) = (Map::new(), named("owner"));
        assert_rights! {
            people, who,
            find_graph: store.find_graph(who, id) => "none ok ok ok none";
            view_graph: store.view_graph(who, id) => "none ok ok ok none";
            collaborators: store.collaborators(who, id, Role::Viewer) => "none ok ok ok none";
            change_graph: store.change_graph(who, id, &none, None) => "none no ok ok none";
            make_public: store.change_graph(who, id, &none, Some(true)) => "none no ok ok none";
            add_collaborators: store.add_collaborators(who, id, Role::Viewer, &more) => "none no ok ok no";
            remove_collaborator: store.remove_collaborator(who, id, Role::Viewer, &more[0])
                => "none no ok none none";
            delete_graph: store.delete_graph(who, id) => "none no no ok none";
        }
    })
    .await;
}

#[tokio::test]
async fn rights_over_a_set_of_rules() {
    both(async |lab| {
        let people = circle(&lab).await;
        let (store, mia) = (&lab.store, &people.callers[3]);
        let new = RulesetChange {
            name: Some("Kept".to_owned()),
            rules: Some(("rule a { condition: true }".to_owned(), vec!["a".to_owned()])),
            ..RulesetChange::default()
        };
        let set = store.create_ruleset(&mia.at(lab.now()), &new).await.unwrap();
        let id = set.id.as_str();
        store.add_ruleset_editors(mia, id, &named("ed")).await.unwrap();
        let (change, more) = (RulesetChange { name: Some("Other".to_owned()), ..Default::default() }, named("vic"));
        assert_rights! {
            people, who,
            find_ruleset: store.find_ruleset(who, id) => "none none ok ok none";
            ruleset_editors: store.ruleset_editors(who, id) => "none none ok ok none";
            change_ruleset: store.change_ruleset(who, id, &change) => "none none ok ok none";
            add_ruleset_editors: store.add_ruleset_editors(who, id, &more) => "none none ok ok none";
            remove_ruleset_editor: store.remove_ruleset_editor(who, id, &more[0]) => "none ok none none none";
            give_ruleset: store.give_ruleset(who, id, "eve") => "none none no ok none";
            delete_ruleset: store.delete_ruleset(who, id) => "ok none none none none";
        }
    })
    .await;
}

#[tokio::test]
async fn rights_over_lists_and_comments() {
    both(async |lab| {
        let people = circle(&lab).await;
        let (store, mia) = (&lab.store, &people.callers[3]);
        let text =
            |private| CollectionText { name: Some("kept".to_owned()), private: Some(private), ..Default::default() };
        let item = || vec![CollectedItem { kind: "domain", id: "a.test".to_owned() }];
        let open = store.create_object_collection(&mia.at(lab.now()), text(false), item()).await.unwrap().id;
        let hidden = store.create_object_collection(&mia.at(lab.now()), text(true), item()).await.unwrap().id;
        let comment = store.add_comment(&mia.at(lab.now()), "domain", "a.test", "seen").await.unwrap().id;
        assert_rights! {
            people, who,
            object_collection: store.object_collection(who, &open) => "ok ok ok ok ok";
            private_collection: store.object_collection(who, &hidden) => "none none none ok none";
            collected_items: store.collected_items(who, &open, "domain") => "ok ok ok ok ok";
            items_of_a_private_one: store.collected_items(who, &hidden, "domain") => "none none none ok none";
            collected_counts: store.collected_counts(who, &hidden) => "none none none ok none";
            change_object_collection: store.change_object_collection(who, &open, text(false), Vec::new())
                => "no no no ok no";
            add_to_object_collection: store.add_to_object_collection(who, &open, item()) => "no no no ok no";
            remove_from_object_collection: store.remove_from_object_collection(who, &open, item())
                => "no no no ok no";
            delete_a_private_one: store.delete_object_collection(who, &hidden) => "none none none ok none";
            delete_object_collection: store.delete_object_collection(who, &open) => "no no no ok none";
            comment: store.comment(who, &comment) => "ok ok ok ok ok";
            add_comment: store.add_comment(who, "domain", "a.test", "seen as well") => "ok ok ok ok ok";
            vote: store.vote(who, "domain", "a.test", "harmless") => "ok ok ok ok ok";
            delete_comment: store.delete_comment(who, &comment) => "no no no ok none";
        }
    })
    .await;
}
