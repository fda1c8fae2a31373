//! `ambit role`: who may do what in projects and collections.

use super::Data;
use crate::config::Settings;
use crate::discover::now;
use crate::failure::Failure;
use crate::output::Results;
use ambit_model::user::{CollectionRole, ProjectRole};
use uuid::Uuid;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Role {
    /// Add a person to a project as member or owner.
    Project {
        #[command(flatten)]
        data: Data,
        /// The project's uuid.
        project: Uuid,
        /// E-mail address of the user.
        email: String,
        #[arg(value_parser = project_role)]
        role: ProjectRole,
    },
    /// Give a member of the project a role in a collection: viewer, analyst or admin.
    Collection {
        #[command(flatten)]
        data: Data,
        /// The collection's uuid.
        collection: Uuid,
        /// The number of the member (`GET /projects/{uuid}/users` shows it).
        member: i64,
        #[arg(value_parser = collection_role)]
        role: CollectionRole,
    },
}

fn project_role(word: &str) -> Result<ProjectRole, String> {
    ProjectRole::from_name(word).ok_or_else(|| "expected member or owner".to_owned())
}

fn collection_role(word: &str) -> Result<CollectionRole, String> {
    CollectionRole::from_name(word).ok_or_else(|| "expected viewer, analyst or admin".to_owned())
}

/// Runs the command.
pub(crate) async fn run(role: &Role, settings: &Settings) -> Result<(), Failure> {
    let mut results = Results::open(None)?;
    match role {
        Role::Project { data, project, email, role } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            for member in store.add_members(&principal, *project, std::slice::from_ref(email), *role, now()).await? {
                results.line(&format!("{}  {}  {}", member.id, member.user.email, member.role.name()))?;
            }
        }
        Role::Collection {
            data,
            collection,
            member,
            role,
        } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            store.set_collection_role(&principal, *collection, *member, *role, now()).await?;
            results.line(&format!("member {member} is {} of {collection}", role.name()))?;
        }
    }
    results.finish()
}
