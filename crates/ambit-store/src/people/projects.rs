//! Projects: where tenancy ends, and who is in them. What goes with one that is deleted is in `project_deletion.rs`.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::feed;
use crate::people::audit;
use crate::people::invitations::{self};
use crate::people::names::{clean_email, clean_name, clean_title};
use crate::people::users::find;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::feed::{Noun, What};
use ambit_model::project::Project;
use ambit_model::user::{InvitedTo, ProjectRole, User};
use serde_json::json;
use uuid::Uuid;

/// Characters of a description.
const DESCRIPTION_CHARS_MAX: usize = 10_000;
/// Addresses in one call at most.
const MEMBERS_IN_CALL_MAX: usize = 1_000;

/// A project as a caller sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectView {
    pub project: Project,
    /// The caller's; `None` in the record of a deleted project.
    pub role: Option<ProjectRole>,
    /// It is the one that is meant where the caller names none.
    pub primary: bool,
}

/// Changes of a project; `None` leaves a member as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectSettings {
    pub name: Option<String>,
    /// An empty one is none.
    pub description: Option<String>,
    /// It becomes the one that is meant where the caller names none.
    pub primary: bool,
}

columns! {
    /// A member of a project; the id is the contract's project user id.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Member of m {
        pub id: i64,
        pub user: User = User,
        pub role: ProjectRole,
        /// Invited and not a member yet: the role is the one that is offered.
        pub invited: bool,
    }
}

/// The result of adding people to a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// In the order of their project user ids.
    pub members: Vec<Member>,
    /// Addresses and usernames that nobody has.
    pub unknown: Vec<String>,
}

/// Inserts a project with its owner; the owner's first project becomes the primary one.
pub(crate) async fn insert(tx: &mut Tx, organization: i64, name: &str, owner: i64, now: Timestamp) -> Result<i64> {
    let row = named! {
        uuid: Uuid::new_v4(), organization_id: organization, name: clean_title(name)?, created_at: now,
    };
    let id: i64 = tx.insert_read("projects", row, "id").await?;
    put_member(tx, id, owner, ProjectRole::Owner, None, now).await?;
    Ok(id)
}

/// The next project user id. Those that invitations hold are taken, too.
async fn new_member_id(tx: &mut Tx) -> Result<i64> {
    let sql = if tx.is_postgres() {
        "SELECT nextval(pg_get_serial_sequence('members', 'id'))"
    } else {
        "SELECT COALESCE(MAX(n), 0) + 1 FROM (SELECT MAX(id) AS n FROM members UNION ALL SELECT MAX(member_id) AS n \
         FROM invitations)"
    };
    tx.read_one(sql, Vec::new()).await
}

/// Gives a user a role in a project, with the project user id that an invitation held, if there is one. The first
/// project that a user comes to is the primary one.
pub(crate) async fn put_member(
    tx: &mut Tx,
    project: i64,
    user: i64,
    role: ProjectRole,
    held: Option<i64>,
    now: Timestamp,
) -> Result<()> {
    let sql = "UPDATE members SET role = $1 WHERE project_id = $2 AND user_id = $3";
    if tx.run(sql, values![role.name(), project, user]).await? == 0 {
        let id = match held {
            Some(id) => id,
            None => new_member_id(tx).await?,
        };
        let row = named! { id, project_id: project, user_id: user, role: role.name(), created_at: now };
        tx.insert_one("members", row).await?;
    }
    let sql = "UPDATE users SET primary_project = $1 WHERE id = $2 AND primary_project IS NULL";
    tx.run(sql, values![project, user]).await.map(|_| ())
}

/// Brings one person in, or asks; false where nobody has the name, and an address makes no account.
async fn bring(
    tx: &mut Tx,
    caller: &Caller,
    project: i64,
    name: &str,
    role: ProjectRole,
    open_accounts: bool,
) -> Result<bool> {
    let user = match find(tx, name).await {
        Err(StoreError::NotFound) if name.contains('@') && open_accounts => {
            crate::people::users::insert_user(tx, name, None, false, caller.now).await?
        }
        Err(StoreError::NotFound) => return Ok(false),
        found => found?,
    };
    let is = "SELECT 1 FROM members WHERE project_id = $1 AND user_id = $2";
    if caller.administrator() || tx.exists(is, values![project, user.id]).await? {
        let held = invitations::end(tx, InvitedTo::Project, project, user.id).await?.flatten();
        put_member(tx, project, user.id, role, held, caller.now).await?;
    } else {
        let member = new_member_id(tx).await?;
        invitations::to_project(tx, caller, project, &user, role, member).await?;
    }
    Ok(true)
}

/// Makes a user owner of the projects that another alone owns; gives their names.
pub(crate) async fn inherit(tx: &mut Tx, from: i64, to: i64, now: Timestamp) -> Result<Vec<String>> {
    let sql = "SELECT p.id, p.name FROM projects p JOIN members m ON m.project_id = p.id
               WHERE m.user_id = $1 AND m.role = 'owner' AND p.deleted_at IS NULL AND NOT EXISTS
               (SELECT 1 FROM members o WHERE o.project_id = p.id AND o.role = 'owner' AND o.user_id <> $1) ORDER BY \
               p.id";
    let mut names = Vec::new();
    for (project, name) in tx.read_all(sql, values![from]).await? {
        put_member(tx, project, to, ProjectRole::Owner, None, now).await?;
        names.push(name);
    }
    Ok(names)
}

columns! {
    Project of p {
        id,
        uuid,
        name,
        description,
        organization_name: "o.name",
        organization_uuid: "o.uuid",
        created_at,
        deleted_at,
        owner_email: "(SELECT u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.project_id = p.id AND \
                      m.role = 'owner' ORDER BY m.id LIMIT 1)",
    }
}

/// Selects projects.
const FROM: &str = "FROM projects p JOIN organizations o ON o.id = p.organization_id";

fn view(project: Project, principal: &Principal) -> ProjectView {
    ProjectView { role: principal.project_role(project.id), primary: principal.primary() == Some(project.id), project }
}

/// The project of a uuid, if the caller is in it.
pub(crate) async fn find_project(tx: &mut Tx, principal: &Principal, uuid: Uuid) -> Result<ProjectView> {
    let sql = select::<Project>(&format!("{FROM} WHERE p.uuid = $1 AND p.deleted_at IS NULL"));
    let view = view(tx.find(&sql, values![uuid]).await?, principal);
    principal.require_project(view.project.id, ProjectRole::Member)?;
    Ok(view)
}

/// The integer id of a project in which the caller has at least this role.
pub(crate) async fn require(tx: &mut Tx, principal: &Principal, uuid: Uuid, role: ProjectRole) -> Result<i64> {
    let id = find_project(tx, principal, uuid).await?.project.id;
    principal.require_project(id, role)?;
    Ok(id)
}

/// Makes those who change who is in a project wait for each other, so that two owners who leave at once do not both
/// find another one.
pub(crate) async fn lock(tx: &mut Tx, project: i64) -> Result<()> {
    if tx.is_postgres() {
        tx.run("SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE", values![project]).await?;
    }
    Ok(())
}

/// Refuses a change that would leave a project without an owner.
pub(crate) async fn keep_an_owner(tx: &mut Tx, project: i64) -> Result<()> {
    let owners = "SELECT COUNT(*) FROM members WHERE project_id = $1 AND role = 'owner'";
    if tx.read_one::<i64>(owners, values![project]).await? == 0 {
        return Err(StoreError::Conflict("a project keeps at least one owner".to_owned()));
    }
    Ok(())
}

/// Members and those who were asked, as one table.
pub(crate) const PEOPLE: &str = "(SELECT id, project_id, user_id, role, CAST(0 AS BIGINT) AS invited FROM members
    UNION ALL SELECT member_id, target_id, user_id, role, CAST(1 AS BIGINT) FROM invitations WHERE kind = 'project') \
    AS m";

async fn members(tx: &mut Tx, project: i64) -> Result<Vec<Member>> {
    let sql = select::<Member>(&format!(
        "FROM {PEOPLE} JOIN users u ON u.id = m.user_id WHERE m.project_id = $1 ORDER BY m.id"
    ));
    tx.read_all(&sql, values![project]).await
}

/// A project user of a project, whether in it or asked, by address, username or project user id.
pub(crate) async fn find_member(tx: &mut Tx, project: i64, name: &str) -> Result<Member> {
    let all = members(tx, project).await?;
    let is = |one: &Member| one.user.username == name || one.user.email.eq_ignore_ascii_case(name);
    let found = all.iter().find(|one| is(one)).or_else(|| {
        let id: i64 = name.parse().ok()?;
        all.iter().find(|one| one.id == id)
    });
    found.cloned().ok_or(StoreError::NotFound)
}

/// Refuses a name that another project of the caller has: clients choose a project by its name, some without looking at
/// the case (docs/contract/asm.md §1.3). A key of one project is not told of others.
async fn check_name(tx: &mut Tx, caller: &Principal, name: &str, except: Option<i64>) -> Result<()> {
    if caller.scope().project.is_some() {
        return Ok(());
    }
    let sql = "SELECT p.id, p.name FROM members m JOIN projects p ON p.id = m.project_id WHERE m.user_id = $1 AND \
               p.deleted_at IS NULL";
    let own: Vec<(i64, String)> = tx.read_all(sql, values![caller.user_id()]).await?;
    let is_same = |other: &str| other.to_lowercase() == name.to_lowercase();
    match own.iter().find(|(id, other)| Some(*id) != except && is_same(other)) {
        Some((_, other)) => {
            Err(StoreError::Exists(format!("you are in a project named \"{other}\" already: choose another name")))
        }
        None => Ok(()),
    }
}

impl Store {
    /// The caller's projects, by id.
    pub async fn list_projects(&self, principal: &Principal) -> Result<Vec<ProjectView>> {
        let ids: Vec<i64> = principal.projects().collect();
        let head = select::<Project>(&format!("{FROM} WHERE p.deleted_at IS NULL AND p.id IN"));
        let projects = self.read().await?.read_in(&head, Vec::new(), &ids, "").await?;
        let mut projects: Vec<ProjectView> = projects.into_iter().map(|project| view(project, principal)).collect();
        projects.sort_by_key(|view| view.project.id);
        Ok(projects)
    }

    /// A project of the caller by its uuid.
    pub async fn find_project(&self, principal: &Principal, uuid: Uuid) -> Result<ProjectView> {
        find_project(&mut self.read().await?, principal, uuid).await
    }

    /// Makes a project that the caller owns. Fails where the caller is in one of that name.
    pub async fn create_project(&self, caller: &Caller, name: &str) -> Result<ProjectView> {
        let primary = caller.primary().is_none();
        let (caller, name) = (caller.clone(), clean_title(name)?);
        let mut created = transaction!(self, Access, async |tx| {
            check_name(tx, &caller, &name, None).await?;
            let organization: i64 = tx.read_one("SELECT id FROM organizations ORDER BY id LIMIT 1", Vec::new()).await?;
            let id = insert(tx, organization, &name, caller.user_id(), caller.now).await?;
            let created =
                view(tx.read_one(&select::<Project>(&format!("{FROM} WHERE p.id = $1")), values![id]).await?, &caller);
            audit::insert(tx, &caller, Some(id), "project.create", created.project.uuid, json!({"name": name})).await?;
            feed::note(tx, &feed::Note::person(id, Noun::Project, created.project.uuid, What::Appeared), caller.now)
                .await?;
            Ok(created)
        })?;
        created.role = Some(ProjectRole::Owner);
        created.primary = primary;
        Ok(created)
    }

    /// Changes a project's name or description, for its owners, and which one is the caller's primary one, for anybody
    /// in it. Fails with `Exists` where the caller is in another project of that name, and with `Invalid` where name or
    /// description is too long.
    pub async fn change_project(&self, caller: &Caller, uuid: Uuid, settings: &ProjectSettings) -> Result<()> {
        let name = settings.name.as_deref().map(clean_title).transpose()?;
        let description = settings.description.clone();
        if description.as_ref().is_some_and(|text| text.chars().count() > DESCRIPTION_CHARS_MAX) {
            return Err(StoreError::Invalid(format!("a description has at most {DESCRIPTION_CHARS_MAX} characters")));
        }
        let (caller, primary) = (caller.clone(), settings.primary);
        transaction!(self, Access, async |tx| {
            let id = find_project(tx, &caller, uuid).await?.project.id;
            let object = uuid.to_string();
            if name.is_some() || description.is_some() {
                caller.require_project(id, ProjectRole::Owner)?;
                if let Some(name) = &name {
                    check_name(tx, &caller, name, Some(id)).await?;
                }
                let sql = "UPDATE projects SET name = COALESCE($1, name), description = NULLIF(COALESCE($2, \
                           description), '') WHERE id = $3";
                tx.run(sql, values![name.clone(), description.clone(), id]).await?;
                let details = json!({"name": name, "description": description});
                audit::insert(tx, &caller, Some(id), "project.settings", &object, details).await?;
                feed::note(tx, &feed::Note::person(id, Noun::Project, uuid, What::Changed), caller.now).await?;
            }
            if primary {
                let sql = "UPDATE users SET primary_project = $1 WHERE id = $2";
                tx.run(sql, values![id, caller.user_id()]).await?;
                audit::insert(tx, &caller, Some(id), "user.primary_project", &object, json!({})).await?;
            }
            Ok(())
        })
    }

    /// The project that a request's header names: its integer id or uuid; absent, empty or the text `None`: the primary
    /// one.
    /// `None`: the caller is in no project. Unknown, malformed and foreign: `NotFound`.
    pub async fn choose_project(&self, principal: &Principal, header: Option<&str>) -> Result<Option<i64>> {
        let text = header.unwrap_or_default().trim();
        if text.is_empty() || text == "None" {
            return Ok(principal.primary());
        }
        if let Ok(id) = text.parse::<i64>() {
            return principal.project_role(id).map(|_| Some(id)).ok_or(StoreError::NotFound);
        }
        let uuid: Uuid = text.parse().map_err(|_| StoreError::NotFound)?;
        let view = find_project(&mut self.read().await?, principal, uuid).await?;
        Ok(Some(view.project.id))
    }

    /// Who is in a project.
    pub async fn list_members(&self, principal: &Principal, project: Uuid) -> Result<Vec<Member>> {
        let mut tx = self.read().await?;
        let view = find_project(&mut tx, principal, project).await?;
        members(&mut tx, view.project.id).await
    }

    /// Brings users into a project by address or username, or changes their role; for its owners. The administrator of
    /// the installation brings them in at once; other owners ask those who are not in it. Saying it twice is harmless.
    /// Fails with `Invalid`, and brings nobody, where a text is neither an address nor the username of anybody or there
    /// are too many of them, and with `Conflict` where no owner would be left.
    pub async fn add_members(
        &self,
        caller: &Caller,
        project: Uuid,
        names: &[String],
        role: ProjectRole,
        open_accounts: bool,
    ) -> Result<Added> {
        if names.len() > MEMBERS_IN_CALL_MAX {
            return Err(StoreError::Invalid(format!("at most {MEMBERS_IN_CALL_MAX} addresses in one call")));
        }
        let names = names.iter().map(|name| clean_address(name)).collect::<Result<Vec<_>, _>>()?;
        let caller = caller.clone();
        transaction!(self, Access, async |tx| {
            let id = require(tx, &caller, project, ProjectRole::Owner).await?;
            lock(tx, id).await?;
            let mut unknown = Vec::new();
            for name in &names {
                match bring(tx, &caller, id, name, role, open_accounts).await? {
                    true => {}
                    false if name.contains('@') => unknown.push(name.clone()),
                    false => return Err(neither(name)),
                }
            }
            keep_an_owner(tx, id).await?;
            let details = json!({"emails": names, "role": role.name()});
            audit::insert(tx, &caller, Some(id), "member.add", project, details).await?;
            let mut members = members(tx, id).await?;
            members.retain(|member| names.contains(&member.user.email) || names.contains(&member.user.username));
            Ok(Added { members, unknown })
        })
    }
}

/// An address in the one form that is stored, or a username as it is.
fn clean_address(name: &str) -> Result<String> {
    if name.contains('@') { clean_email(name) } else { clean_name(name).map_err(|_| neither(name)) }
}

fn neither(name: &str) -> StoreError {
    StoreError::Invalid(format!("{name:?} is neither an address, such as ann@example.org, nor the username of anybody"))
}
