//! Sets of live rules: stored with who may see and change them, and with the gauge of active rules that their owners
//! pay (docs/contract/hunting.md §1). The rules were compiled before they come here. What a caller may not see is
//! `NotFound`.

use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, to_json, values, whole};
use crate::db::writer::transaction;
use crate::people::users::DELETED;
use crate::wider::graphs;
use crate::wider::operations::{self, Operation};
use crate::wider::quota::{Cost, charge_units, free_units, quota_groups};
use crate::{Caller, Collaborator, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ambit_model::quota::Family;

/// Sets of one owner.
const RULESETS_MAX: i64 = 1_000;
/// Editors of one set.
const EDITORS_MAX: i64 = 1_000;
/// A set that took too long this often looks no more, until its rules change: each time costs what a hundred other sets
/// do.
pub(crate) const TIMEOUTS_MAX: i64 = 3;

/// What a set is made of, and what of it can be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesetChange {
    pub name: Option<String>,
    /// Source, and the names of its rules.
    pub rules: Option<(String, Vec<String>)>,
    pub enabled: Option<bool>,
    /// Notifications of a UTC day at most.
    pub daily_limit: Option<i64>,
    pub match_object_type: Option<String>,
    pub tags: Option<Vec<String>>,
    pub notification_emails: Option<Vec<String>>,
}

columns! {
    /// A set of rules.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Ruleset of r {
        pub number: i64,
        /// Digits.
        pub id: String,
        /// Username.
        pub owner: String = "u.username",
        pub owner_id: i64,
        pub name: String,
        pub rules: String,
        pub rule_names: Vec<String> = (json),
        pub enabled: bool,
        pub daily_limit: i64,
        pub match_object_type: String,
        pub tags: Vec<String> = (json),
        pub notification_emails: Vec<String> = (json),
        pub created_at: Timestamp,
        pub modified_at: Timestamp,
        /// It looks no more today, or no more until its rules change.
        pub rate_limited: bool = { false },
    }
}

/// What says whether a set is rate limited: time-outs, the day of its last report, and its reports on that day.
const USED: &str = "r.timeouts, r.reported_day, r.reported";
/// A row of `Ruleset` and `USED`.
type UsedRuleset = (Ruleset, i64, i64, i64);
const JOINS: &str = "FROM hunting_rulesets r JOIN users u ON u.id = r.owner_id";
/// The sets that a user may see; the value of each place is the user's id. What a deleted user left is the
/// administrator's of the installation.
pub(crate) const VISIBLE: &str =
    "(r.owner_id = $1 OR EXISTS (SELECT 1 FROM hunting_editors e WHERE e.ruleset = r.number
     AND ((e.subject = 'user' AND e.subject_id = $2)
     OR (e.subject = 'group' AND e.subject_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = $3))))
     OR EXISTS (SELECT 1 FROM users me JOIN users gone ON gone.id = r.owner_id WHERE me.id = $1 AND me.administrator = \
     1 AND gone.status = 'deleted'))";

/// The number of the UTC day of a moment.
pub(crate) fn day(now: Timestamp) -> i64 {
    now.0.div_euclid(DAY_MS)
}

fn ruleset((mut ruleset, timeouts, reported_day, reported): UsedRuleset, now: Timestamp) -> Ruleset {
    let is_full = reported_day == day(now) && reported >= ruleset.daily_limit;
    ruleset.rate_limited = is_full || timeouts >= TIMEOUTS_MAX;
    ruleset
}

async fn visible(tx: &mut Tx, user: i64, id: &str, now: Timestamp) -> Result<Ruleset> {
    let sql = format!("SELECT {}, {USED} {JOINS} WHERE {VISIBLE} AND r.id = $4", list::<Ruleset>());
    Ok(ruleset(tx.find(&sql, values![user, user, user, id]).await?, now))
}

columns! {
    /// What a change needs to know of the set as it is.
    pub(crate) struct Held of r {
        number: i64,
        owner: i64 = "r.owner_id",
        /// Its owner was deleted: who may see it may delete it or give it away, and nobody enables it.
        orphaned: bool = ("u.status", |status: String| status == DELETED),
        enabled: bool,
        names: Vec<String> = (json "r.rule_names"),
        paying_group: Option<i64>,
    }
}

impl Held {
    /// How many rules it has.
    fn rules(&self) -> i64 {
        count(&self.names)
    }
}

/// The set of an id that the caller may see.
async fn held(tx: &mut Tx, user: i64, id: &str, lock: &str) -> Result<Held> {
    let sql = select::<Held>(&format!("{JOINS} WHERE {VISIBLE} AND r.id = $4{lock}"));
    tx.find(&sql, values![user, user, user, id]).await
}

/// The row of a set that the caller may see, held until the transaction ends.
async fn hold(tx: &mut Tx, user: i64, id: &str) -> Result<Held> {
    let lock = for_update(tx);
    held(tx, user, id, lock).await
}

/// The end of a statement that locks the sets it reads; SQLite has one writer.
fn for_update(tx: &Tx) -> &'static str {
    if tx.is_postgres() { " FOR UPDATE OF r" } else { "" }
}

fn count(names: &[String]) -> i64 {
    whole(names.len())
}

/// Whoever sees what nobody owns is the administrator of the installation, or an editor, who may not.
fn require_owner(held: &Held, principal: &Principal) -> Result<()> {
    if held.owner == principal.user_id() || (held.orphaned && principal.administrator()) {
        return Ok(());
    }
    Err(StoreError::Forbidden("this needs the owner of the rules".to_owned()))
}

/// Moves the gauge of active rules from what a set has to `wanted`; gives the group that pays then.
async fn move_gauge(tx: &mut Tx, held: &Held, wanted: i64, now: Timestamp) -> Result<Option<i64>> {
    let active = if held.enabled { held.rules() } else { 0 };
    if wanted <= active {
        free_units(tx, held.owner, held.paying_group, Family::HuntingRules, active - wanted, now).await?;
        return Ok(held.paying_group);
    }
    let payer = quota_groups(tx, held.owner, true).await?.payer(Family::HuntingRules);
    let same = active == 0 || payer == held.paying_group;
    if !same {
        free_units(tx, held.owner, held.paying_group, Family::HuntingRules, active, now).await?;
    }
    let units = if same { wanted - active } else { wanted };
    charge_units(tx, held.owner, Cost::HuntingRules(units), now).await
}

/// The enabled sets that a condition names, held until the transaction ends.
async fn enabled(tx: &mut Tx, condition: &str, values: Vec<crate::db::sql::Value>) -> Result<Vec<Held>> {
    let (held, lock) = (list::<Held>(), for_update(tx));
    let sql = format!("SELECT {held} {JOINS} WHERE r.enabled = 1 AND {condition} ORDER BY r.number{lock}");
    tx.read_all(&sql, values).await
}

/// Stops every set of a user who goes; the gauges of the user and of the groups that paid are free again.
pub(crate) async fn stop_all(tx: &mut Tx, owner: i64, now: Timestamp) -> Result<()> {
    for held in enabled(tx, "r.owner_id = $1", values![owner]).await? {
        stop(tx, &held, now).await?;
    }
    Ok(())
}

async fn stop(tx: &mut Tx, held: &Held, now: Timestamp) -> Result<()> {
    move_gauge(tx, held, 0, now).await?;
    let sql = "UPDATE hunting_rulesets SET enabled = 0, paying_group = NULL, modified_at = $1 WHERE number = $2";
    tx.run(sql, values![now, held.number]).await.map(|_| ())
}

/// The enabled sets that a group pays for, or those of one owner, held until the transaction ends. To be asked before
/// the payers change: sets are locked before payers.
pub(crate) async fn paid_by(tx: &mut Tx, group: i64, owner: Option<i64>) -> Result<Vec<Held>> {
    match owner {
        Some(owner) => enabled(tx, "r.paying_group = $1 AND r.owner_id = $2", values![group, owner]).await,
        None => enabled(tx, "r.paying_group = $1", values![group]).await,
    }
}

/// Charges enabled sets to whoever pays for their owners now; a set for which there is no room stops.
pub(crate) async fn change_payer(tx: &mut Tx, sets: Vec<Held>, now: Timestamp) -> Result<()> {
    for set in sets {
        move_gauge(tx, &set, 0, now).await?;
        let (enabled, payer) = match charge_units(tx, set.owner, Cost::HuntingRules(set.rules()), now).await {
            Ok(payer) => (true, payer),
            Err(StoreError::QuotaExceeded { .. } | StoreError::Forbidden(_)) => (false, None),
            Err(error) => return Err(error),
        };
        let sql = "UPDATE hunting_rulesets SET enabled = $1, paying_group = $2 WHERE number = $3";
        tx.run(sql, values![enabled, payer, set.number]).await?;
    }
    Ok(())
}

async fn remove(tx: &mut Tx, held: &Held, now: Timestamp) -> Result<()> {
    move_gauge(tx, held, 0, now).await?;
    tx.run("DELETE FROM hunting_editors WHERE ruleset = $1", values![held.number]).await?;
    tx.run("DELETE FROM hunting_rulesets WHERE number = $1", values![held.number]).await?;
    Ok(())
}

async fn require_room(tx: &mut Tx, owner: i64) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM hunting_rulesets WHERE owner_id = $1";
    if tx.read_one::<i64>(sql, values![owner]).await? >= RULESETS_MAX {
        return Err(StoreError::Invalid(format!("a user has at most {RULESETS_MAX} sets of rules")));
    }
    Ok(())
}

async fn insert(tx: &mut Tx, user: i64, new: &RulesetChange, now: Timestamp) -> Result<String> {
    require_room(tx, user).await?;
    let missing = || StoreError::Bug("a new set of rules has a name and rules".to_owned());
    let name = new.name.as_ref().ok_or_else(missing)?;
    let (rules, names) = new.rules.as_ref().ok_or_else(missing)?;
    let enabled = new.enabled.unwrap_or(false);
    let group = if enabled { charge_units(tx, user, Cost::HuntingRules(count(names)), now).await? } else { None };
    // Positive, and exact as a number in every client.
    let id = (rand::random::<u64>() >> 12).max(1).to_string();
    let row = named! {
        id: &id,
        owner_id: user,
        name,
        rules,
        rule_names: to_json(names),
        enabled,
        paying_group: group,
        daily_limit: new.daily_limit.unwrap_or_default(),
        match_object_type: new.match_object_type.clone().unwrap_or_default(),
        tags: to_json(&new.tags.clone().unwrap_or_default()),
        notification_emails: to_json(&new.notification_emails.clone().unwrap_or_default()),
        created_at: now,
        modified_at: now,
    };
    tx.insert_one("hunting_rulesets", row).await?;
    Ok(id)
}

async fn change(tx: &mut Tx, held: &Held, change: &RulesetChange, now: Timestamp) -> Result<()> {
    let rules = change.rules.as_ref().map_or(held.rules(), |(_, names)| count(names));
    let enabled = change.enabled.unwrap_or(held.enabled);
    if enabled && held.orphaned {
        return Err(StoreError::Forbidden("the owner of these rules is gone: give them to somebody first".to_owned()));
    }
    let group = move_gauge(tx, held, if enabled { rules } else { 0 }, now).await?;
    let sql = "UPDATE hunting_rulesets SET enabled = $1, paying_group = $2, modified_at = $3 WHERE number = $4";
    tx.run(sql, values![enabled, group.filter(|_| enabled), now, held.number]).await?;
    if let Some((rules, names)) = &change.rules {
        let sql = "UPDATE hunting_rulesets SET rules = $1, rule_names = $2, edition = edition + 1, timeouts = 0 WHERE \
                   number = $3";
        tx.run(sql, values![rules, to_json(names), held.number]).await?;
    }
    let texts = [
        ("name", change.name.clone()),
        ("match_object_type", change.match_object_type.clone()),
        ("tags", change.tags.as_ref().map(to_json)),
        ("notification_emails", change.notification_emails.as_ref().map(to_json)),
    ];
    for (column, value) in texts {
        if let Some(value) = value {
            let sql = format!("UPDATE hunting_rulesets SET {column} = $1 WHERE number = $2");
            tx.run(&sql, values![value, held.number]).await?;
        }
    }
    if let Some(limit) = change.daily_limit {
        tx.run("UPDATE hunting_rulesets SET daily_limit = $1 WHERE number = $2", values![limit, held.number]).await?;
    }
    Ok(())
}

impl Store {
    /// Makes a set of the caller's; name and rules are there. An enabled one moves the gauge in the same transaction.
    /// Fails with `Invalid` where the caller has as many sets as a user may, and with `QuotaExceeded` where an enabled
    /// one has more rules than are left.
    pub async fn create_ruleset(&self, caller: &Caller, new: &RulesetChange) -> Result<Ruleset> {
        let (user, now, new) = (caller.user_id(), caller.now, new.clone());
        transaction!(self, Person, async |tx| {
            let id = insert(tx, user, &new, now).await?;
            visible(tx, user, &id, now).await
        })
    }

    /// A set that the caller may see.
    pub async fn find_ruleset(&self, caller: &Caller, id: &str) -> Result<Ruleset> {
        visible(&mut self.read().await?, caller.user_id(), id, caller.now).await
    }

    /// Whether a set is the caller's own; `None`: it is not there for this caller.
    pub async fn owns_ruleset(&self, principal: &Principal, id: &str) -> Result<Option<bool>> {
        match held(&mut self.read().await?, principal.user_id(), id, "").await {
            Ok(held) => Ok(Some(require_owner(&held, principal).is_ok())),
            Err(StoreError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Every set that the caller may see, in the order in which they were made, without their rules.
    pub async fn list_rulesets(&self, caller: &Caller) -> Result<Vec<Ruleset>> {
        let user = caller.user_id();
        let columns = list::<Ruleset>().replacen("r.rules", "''", 1);
        let sql = format!("SELECT {columns}, {USED} {JOINS} WHERE {VISIBLE} ORDER BY r.number");
        let rulesets: Vec<UsedRuleset> = self.read().await?.read_all(&sql, values![user, user, user]).await?;
        Ok(rulesets.into_iter().map(|row| ruleset(row, caller.now)).collect())
    }

    /// Changes what is given; for the owner and editors. More active rules are paid by the owner in the same
    /// transaction, fewer are given back. Fails with `QuotaExceeded` where those are more than are left to the owner,
    /// and with `Forbidden` where it would enable a set whose owner is gone.
    pub async fn change_ruleset(&self, caller: &Caller, id: &str, wanted: &RulesetChange) -> Result<Ruleset> {
        let (user, now, id, wanted) = (caller.user_id(), caller.now, id.to_owned(), wanted.clone());
        transaction!(self, Person, async |tx| {
            let held = hold(tx, user, &id).await?;
            change(tx, &held, &wanted, now).await?;
            visible(tx, user, &id, now).await
        })
    }

    /// Deletes a set; for its owner.
    pub async fn delete_ruleset(&self, caller: &Caller, id: &str) -> Result<()> {
        let (caller, id) = (caller.clone(), id.to_owned());
        transaction!(self, Person, async |tx| {
            let held = hold(tx, caller.user_id(), &id).await?;
            require_owner(&held, &caller)?;
            remove(tx, &held, caller.now).await
        })
    }

    /// Deletes every set that the caller owns.
    pub async fn delete_rulesets(&self, caller: &Caller) -> Result<Operation> {
        let (user, now) = (caller.user_id(), caller.now);
        transaction!(self, Person, async |tx| {
            let sql = "SELECT id FROM hunting_rulesets WHERE owner_id = $1 ORDER BY number";
            let ids: Vec<String> = tx.read_all(sql, values![user]).await?;
            for id in &ids {
                let held = hold(tx, user, id).await?;
                remove(tx, &held, now).await?;
            }
            operations::insert_finished(tx, user, "delete_hunting_rulesets", ids.len() as u64, now).await
        })
    }

    /// Who else may change a set, in the order in which they came.
    pub async fn ruleset_editors(&self, principal: &Principal, id: &str) -> Result<Vec<Collaborator>> {
        let mut tx = self.read().await?;
        let user = principal.user_id();
        let sql = format!("SELECT r.number FROM hunting_rulesets r WHERE {VISIBLE} AND r.id = $4");
        let number: i64 = tx.find(&sql, values![user, user, user, id]).await?;
        let sql =
            "SELECT u.username, o.name FROM hunting_editors e LEFT JOIN users u ON e.subject = 'user' AND u.id = \
             e.subject_id
             LEFT JOIN user_groups o ON e.subject = 'group' AND o.id = e.subject_id WHERE e.ruleset = $1 ORDER \
             BY e.id";
        let editors: Vec<(Option<String>, Option<String>)> = tx.read_all(sql, values![number]).await?;
        let editor =
            |(user, group): (Option<_>, Option<_>)| user.map(Collaborator::User).or(group.map(Collaborator::Group));
        Ok(editors.into_iter().filter_map(editor).collect())
    }

    /// Lets people and groups see and change a set; for the owner and editors. Those who may already still do. Fails
    /// with `NotFound`, and adds nobody, where one of them is not there, and with `Invalid` where there would be too
    /// many.
    pub async fn add_ruleset_editors(&self, principal: &Principal, id: &str, editors: &[Collaborator]) -> Result<()> {
        let (principal, id, editors) = (principal.clone(), id.to_owned(), editors.to_vec());
        transaction!(self, Person, async |tx| {
            let held = hold(tx, principal.user_id(), &id).await?;
            for editor in &editors {
                let (subject, subject_id) = graphs::known_subject(tx, &principal, editor).await?;
                let row = named! { ruleset: held.number, subject, subject_id };
                tx.insert_new("hunting_editors", "ruleset, subject, subject_id", row).await?;
            }
            let sql = "SELECT COUNT(*) FROM hunting_editors WHERE ruleset = $1";
            if tx.read_one::<i64>(sql, values![held.number]).await? > EDITORS_MAX {
                return Err(StoreError::Invalid(format!("at most {EDITORS_MAX} editors of a set of rules")));
            }
            Ok(())
        })
    }

    /// Takes an editor off; for the owner and editors. `NotFound` where there is no such editor.
    pub async fn remove_ruleset_editor(&self, principal: &Principal, id: &str, editor: &Collaborator) -> Result<()> {
        let (user, id, editor) = (principal.user_id(), id.to_owned(), editor.clone());
        transaction!(self, Person, async |tx| {
            let held = hold(tx, user, &id).await?;
            let (subject, subject_id) = graphs::subject(tx, &editor).await?;
            let sql = "DELETE FROM hunting_editors WHERE ruleset = $1 AND subject = $2 AND subject_id = $3";
            tx.change(sql, values![held.number, subject, subject_id]).await
        })
    }

    /// Gives a set to another user; for its owner. It arrives disabled: whoever gets it decides whether to pay for its
    /// rules. Fails with `NotFound` where there is no such user, and with `Invalid` where that user has as many sets as
    /// one may.
    pub async fn give_ruleset(&self, caller: &Caller, id: &str, to: &str) -> Result<()> {
        let (caller, id, to) = (caller.clone(), id.to_owned(), to.to_owned());
        transaction!(self, Person, async |tx| {
            let held = hold(tx, caller.user_id(), &id).await?;
            require_owner(&held, &caller)?;
            let (_, owner) = graphs::subject(tx, &Collaborator::User(to)).await?;
            if owner == held.owner {
                return Ok(());
            }
            require_room(tx, owner).await?;
            stop(tx, &held, caller.now).await?;
            let sql = "UPDATE hunting_rulesets SET owner_id = $1 WHERE number = $2";
            tx.run(sql, values![owner, held.number]).await.map(|_| ())
        })
    }
}
