//! Who there is and who may do what: users, keys, projects, groups, invitations, what was changed by whom.

pub(crate) mod access;
pub(crate) mod access_cache;
pub(crate) mod account_creation;
pub(crate) mod account_deletion;
pub(crate) mod accounts;
pub(crate) mod audit;
pub(crate) mod first_key;
pub(crate) mod groups;
pub(crate) mod identities;
pub(crate) mod install;
pub(crate) mod invitation_answers;
pub(crate) mod invitations;
pub(crate) mod keys;
pub(crate) mod limits;
pub(crate) mod names;
pub(crate) mod principal;
pub(crate) mod project_deletion;
pub(crate) mod projects;
pub(crate) mod roles;
pub(crate) mod sessions;
pub(crate) mod users;
