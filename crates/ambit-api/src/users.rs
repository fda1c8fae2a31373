//! People of a project on the wire (docs/contract/asm.md §3.5).

use crate::contract::{Maybe, contract, words};
use crate::request::{Addresses, Text};
use crate::words::Word;
use ambit_model::user::{CollectionRole, ProjectRole, User};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

words! {
    /// What became of somebody who was to come into a project.
    pub enum MembershipState {
        Active = "active",
        Invited = "invited",
        Unknown = "unknown",
    }

    /// Who was asked and has not accepted yet is invited: the role is what is offered.
    pub enum MemberState {
        Active = "active",
        Invited = "invited",
    }
}

contract! {
    /// A user of a project; `id` is that of the membership. We keep one name, so first and last name are null.
    #[derive(Debug, Serialize)]
    pub struct ProjectUser {
        pub id: i64,
        pub uuid: Uuid,
        pub email: String,
        pub role: Word<ProjectRole>,
        pub name: String,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub state: MemberState,
    }

    /// The result for users who were added to a project: members, invitations, and unknown addresses.
    #[derive(Debug, Serialize)]
    pub struct AddedProjectUser {
        pub id: Option<i64>,
        pub uuid: Option<Uuid>,
        pub email: String,
        pub role: Option<Word<ProjectRole>>,
        pub name: Option<String>,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub state: MembershipState,
    }

    /// The body that brings people into a project.
    #[derive(Debug, Deserialize)]
    pub struct NewProjectUsers {
        pub emails: Addresses,
        pub role: Word<ProjectRole>,
        pub project_group_uuid: Maybe<Option<String>>,
    }

    /// A user with the role in a collection.
    #[derive(Debug, Serialize)]
    pub struct CollectionUser {
        pub project_user_id: i64,
        pub role: Word<CollectionRole>,
        pub user: ProjectUser,
    }

    /// The body that gives somebody of the project a role in a collection: by project user id or, ours, by address or
    /// username as `user`.
    #[derive(Debug, Deserialize)]
    pub struct NewCollectionUser {
        pub project_user_id: Maybe<i64>,
        pub user: Maybe<Text>,
        pub role: Word<CollectionRole>,
    }
}

impl ProjectUser {
    /// A user with the role in the project.
    pub fn of(id: i64, user: &User, role: ProjectRole, invited: bool) -> Self {
        Self {
            id,
            uuid: user.uuid,
            email: user.email.clone(),
            role: Word(role),
            name: user.username.clone(),
            first_name: None,
            last_name: None,
            state: if invited { MemberState::Invited } else { MemberState::Active },
        }
    }
}

impl AddedProjectUser {
    /// An address, or username, that nobody has.
    pub fn unknown(email: &str) -> Self {
        Self {
            id: None,
            uuid: None,
            email: email.to_owned(),
            role: None,
            name: None,
            first_name: None,
            last_name: None,
            state: MembershipState::Unknown,
        }
    }
}

impl From<ProjectUser> for AddedProjectUser {
    fn from(user: ProjectUser) -> Self {
        Self {
            id: Some(user.id),
            uuid: Some(user.uuid),
            email: user.email,
            role: Some(user.role),
            name: Some(user.name),
            first_name: user.first_name,
            last_name: user.last_name,
            state: match user.state {
                MemberState::Active => MembershipState::Active,
                MemberState::Invited => MembershipState::Invited,
            },
        }
    }
}

impl CollectionUser {
    /// A user with the role in a collection.
    pub fn of(id: i64, user: &User, project_role: ProjectRole, role: CollectionRole, invited: bool) -> Self {
        Self { project_user_id: id, role: Word(role), user: ProjectUser::of(id, user, project_role, invited) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Timestamp;
    use uuid::Uuid;

    #[test]
    fn an_added_user_is_known_or_not() {
        let user = User {
            id: 2,
            uuid: Uuid::nil(),
            username: "ann".to_owned(),
            email: "ann@acme.test".to_owned(),
            administrator: false,
            created_at: Timestamp(0),
        };
        let value = CollectionUser::of(9, &user, ProjectRole::Member, CollectionRole::Analyst, false);
        assert_eq!((value.role.0, value.user.role.0), (CollectionRole::Analyst, ProjectRole::Member));
        let rows = [AddedProjectUser::unknown("x@acme.test"), value.user.into()];
        assert_eq!(rows.map(|row| row.state), [MembershipState::Unknown, MembershipState::Active]);
    }
}
