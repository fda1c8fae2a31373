//! Invitations: a person comes to a project or group when that person accepts, and the one in between is a row of its
//! own, so that nothing that reads memberships can take it for one. The administrator of the installation brings people
//! in without asking. What an answer does is in `invitation_answers.rs`.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, values};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::user::{InvitedTo, ProjectRole, User};
use uuid::Uuid;

/// The most open invitations of one person, so that nobody can be flooded.
const INVITATIONS_OF_USER_MAX: i64 = 1_000;
/// Rows of one list at most.
const LISTED_MAX: i64 = 10_000;

columns! {
    /// An invitation that was not answered yet.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Invitation of i {
        pub id: i64,
        pub kind: InvitedTo,
        /// Of the project or group.
        pub uuid: Uuid = "COALESCE(p.uuid, g.uuid)",
        pub name: String = "COALESCE(p.name, g.name)",
        /// `owner` or `member`; `administrator` or `user`.
        pub role: String,
        pub user: User = User,
        /// Username.
        pub invited_by: String = "b.username",
        pub created_at: Timestamp,
    }
}

/// What a group's administrators are, and who is none, in an invitation.
pub(crate) const ADMINISTRATOR: &str = "administrator";
const MEMBER: &str = "user";

/// Selects invitations to what is still there.
const FROM: &str = "FROM invitations i JOIN users u ON u.id = i.user_id JOIN users b ON b.id = i.invited_by
         LEFT JOIN projects p ON i.kind = 'project' AND p.id = i.target_id AND p.deleted_at IS NULL
         LEFT JOIN user_groups g ON i.kind = 'group' AND g.id = i.target_id
         WHERE (p.id IS NOT NULL OR g.id IS NOT NULL)";

/// Invites somebody; a repeated invitation changes the role that is offered. `member` is the project user id that it
/// becomes.
async fn insert(
    tx: &mut Tx,
    caller: &Caller,
    to: (InvitedTo, i64),
    user: &User,
    role: &str,
    member: Option<i64>,
) -> Result<()> {
    let (kind, target) = to;
    let sql = "UPDATE invitations SET role = $1, invited_by = $2 WHERE kind = $3 AND target_id = $4 AND user_id = $5";
    if tx.run(sql, values![role, caller.user_id(), kind.name(), target, user.id]).await? > 0 {
        return Ok(());
    }
    let open = "SELECT COUNT(*) FROM invitations WHERE user_id = $1";
    if tx.read_one::<i64>(open, values![user.id]).await? >= INVITATIONS_OF_USER_MAX {
        return Err(StoreError::Invalid(format!(
            "{} has {INVITATIONS_OF_USER_MAX} unanswered invitations: no more are sent",
            user.username
        )));
    }
    let row = named! {
        kind: kind.name(),
        target_id: target,
        user_id: user.id,
        role,
        member_id: member,
        invited_by: caller.user_id(),
        created_at: caller.now,
    };
    tx.insert_one("invitations", row).await
}

/// Asks somebody into a project. `member` is the project user id, which is given out now, so that roles in collections
/// can be given with it.
pub(crate) async fn to_project(
    tx: &mut Tx,
    caller: &Caller,
    project: i64,
    user: &User,
    role: ProjectRole,
    member: i64,
) -> Result<()> {
    insert(tx, caller, (InvitedTo::Project, project), user, role.name(), Some(member)).await
}

/// Invites somebody into a group. An earlier invitation to administer it stays in force.
pub(crate) async fn to_group(tx: &mut Tx, caller: &Caller, group: i64, user: &User, administrator: bool) -> Result<()> {
    let sql = "SELECT 1 FROM invitations WHERE kind = 'group' AND target_id = $1 AND user_id = $2 AND role = $3";
    let administrator = administrator || tx.exists(sql, values![group, user.id, ADMINISTRATOR]).await?;
    let role = if administrator { ADMINISTRATOR } else { MEMBER };
    insert(tx, caller, (InvitedTo::Group, group), user, role, None).await
}

/// Ends the invitation of a user, if there is one; gives the project user id that it held.
pub(crate) async fn end(tx: &mut Tx, kind: InvitedTo, target: i64, user: i64) -> Result<Option<Option<i64>>> {
    let sql = "DELETE FROM invitations WHERE kind = $1 AND target_id = $2 AND user_id = $3 RETURNING member_id";
    tx.read_first(sql, values![kind.name(), target, user]).await
}

impl Store {
    /// The caller's unanswered invitations, oldest first.
    pub async fn list_invitations(&self, principal: &Principal) -> Result<Vec<Invitation>> {
        let sql = select::<Invitation>(&format!("{FROM} AND i.user_id = $1 ORDER BY i.id LIMIT {LISTED_MAX}"));
        self.read().await?.read_all(&sql, values![principal.user_id()]).await
    }

    /// The unanswered invitations to the caller's own projects and to the groups that the caller administers, oldest
    /// first.
    pub async fn list_sent_invitations(&self, principal: &Principal) -> Result<Vec<Invitation>> {
        let sql = select::<Invitation>(&format!(
            "{FROM} AND ((i.kind = 'project' AND i.target_id IN
                 (SELECT m.project_id FROM members m WHERE m.user_id = $1 AND m.role = 'owner'))
             OR (i.kind = 'group' AND i.target_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = $2 AND \
             m.administrator = 1))
             OR (i.kind = 'group' AND $3 = 1)) ORDER BY i.id LIMIT {LISTED_MAX}"
        ));
        let caller = values![principal.user_id(), principal.user_id(), principal.administrator()];
        self.read().await?.read_all(&sql, caller).await
    }
}
