//! Integrations of a project and the collections that may use them. What is secret of one is sealed before it reaches
//! the database (docs/architecture.md §1.6) and is given to nobody but the engine.

use crate::db::rows::{columns, list, named, select};
use crate::db::secret::debug_by;
use crate::db::sql::{Tx, from_json, to_json, values};
use crate::db::writer::transaction;
use crate::inventory::{collections, feed};
use crate::people::audit;
use crate::people::names::clean_title;
use crate::people::projects;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::feed::{Noun, What};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::workflow::INTEGRATION_TYPES;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// Integrations of a project at most.
const INTEGRATIONS_MAX: i64 = 1_000;
/// Bytes of secrets and of settings: a service account's key file has about 3 KiB.
const DOCUMENT_BYTES_MAX: usize = 64 * 1024;

/// An integration to be made.
#[derive(Clone, PartialEq)]
pub struct NewIntegration {
    pub name: String,
    /// One of [`INTEGRATION_TYPES`].
    pub kind: String,
    /// What only the engine may read.
    pub secrets: Map<String, Value>,
    /// What everybody in the project may read.
    pub settings: Map<String, Value>,
}

debug_by! { NewIntegration { kind } }

/// What of an integration is to be changed; `None` stays as it is.
#[derive(Clone, Default, PartialEq)]
pub struct IntegrationChange {
    pub name: Option<String>,
    /// In place of all secrets that it has.
    pub secrets: Option<Map<String, Value>>,
    /// In place of all settings that it has.
    pub settings: Option<Map<String, Value>>,
}

debug_by! { IntegrationChange { name } }

columns! {
    /// An integration as people see it: of its secrets the names only.
    #[derive(Clone, Debug, PartialEq)]
    pub struct IntegrationView of i {
        pub id: i64,
        pub uuid: Uuid,
        pub project: i64 = "p.id",
        pub project_uuid: Uuid = "p.uuid",
        pub name: String,
        pub kind: String,
        pub settings: Map<String, Value> = (json),
        pub secret_names: Vec<String> = (json),
        pub created_at: Timestamp,
        /// Address of who made it.
        pub created_by: Option<String> = "u.email",
    }
}

columns! {
    /// That a collection may use an integration.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct IntegrationUse of x {
        pub id: i64,
        pub uuid: Uuid,
        pub integration_uuid: Uuid = "i.uuid",
        pub integration_name: String = "i.name",
        pub integration_kind: String = "i.kind",
        pub collection_uuid: Uuid = "c.uuid",
        pub collection_name: String = "c.name",
        pub created_at: Timestamp,
    }
}

/// An integration with its secrets, for the engine.
#[derive(Clone, PartialEq)]
pub struct Credential {
    pub integration: Uuid,
    /// What people call the integration.
    pub name: String,
    pub kind: String,
    /// `None` where they were sealed with another secret than that of this installation, as after a move without it.
    pub secrets: Option<Map<String, Value>>,
    pub settings: Map<String, Value>,
}

debug_by! { Credential { integration, kind } }

/// Sealed bytes open for their own integration only.
fn purpose(integration: Uuid) -> String {
    format!("integration {integration}")
}

/// Selects integrations.
const FROM: &str = "FROM integrations i JOIN projects p ON p.id = i.project_id LEFT JOIN users u ON u.id = \
         i.created_by WHERE p.deleted_at IS NULL";

/// Selects uses of integrations, each with the integer ids of its collection and project.
fn select_use() -> String {
    format!(
        "SELECT {}, c.id, c.project_id
         FROM integration_collections x JOIN integrations i ON i.id = x.integration_id JOIN collections c ON c.id = \
         x.collection_id
         JOIN projects p ON p.id = c.project_id WHERE c.deleted_at IS NULL AND p.deleted_at IS NULL",
        list::<IntegrationUse>()
    )
}

/// A row of `select_use`.
type Use = (IntegrationUse, i64, i64);

/// An integration of a project in which the caller has at least this role.
async fn require(tx: &mut Tx, principal: &Principal, uuid: Uuid, role: ProjectRole) -> Result<IntegrationView> {
    let view: IntegrationView =
        tx.find(&select::<IntegrationView>(&format!("{FROM} AND i.uuid = $1")), values![uuid]).await?;
    principal.require_project(view.project, role)?;
    Ok(view)
}

fn check(new: &NewIntegration) -> Result<NewIntegration> {
    if !INTEGRATION_TYPES.iter().any(|known| known.0 == new.kind) {
        let names = INTEGRATION_TYPES.map(|known| known.0).join(", ");
        return Err(StoreError::Invalid(format!("the type must be one of {names}")));
    }
    check_sizes([&new.secrets, &new.settings])?;
    Ok(NewIntegration { name: clean_title(&new.name)?, ..new.clone() })
}

fn check_sizes<'a>(documents: impl IntoIterator<Item = &'a Map<String, Value>>) -> Result<()> {
    if documents.into_iter().any(|document| to_json(document).len() > DOCUMENT_BYTES_MAX) {
        return Err(StoreError::Invalid(format!("secrets and settings have at most {DOCUMENT_BYTES_MAX} bytes each")));
    }
    Ok(())
}

fn names(secrets: &Map<String, Value>) -> String {
    to_json(&secrets.keys().collect::<Vec<_>>())
}

impl Store {
    /// Makes an integration of a project; for its owners. Fails with `Invalid` for an unknown type and for secrets or
    /// settings that are too large, and with `Conflict` where the project has as many integrations as one may.
    pub async fn create_integration(
        &self,
        caller: &Caller,
        project: Uuid,
        new: &NewIntegration,
    ) -> Result<IntegrationView> {
        let (caller, new) = (caller.clone(), self.sealed(new)?);
        transaction!(self, Person, async |tx| insert(tx, &caller, project, new).await)
    }

    /// Makes integrations in a collection's project and lets the collection use them, all or none; for the project's
    /// owners who are admins of the collection. Fails as [`Store::create_integration`] does.
    pub async fn create_integrations_for(
        &self,
        caller: &Caller,
        collection: Uuid,
        new: &[NewIntegration],
    ) -> Result<()> {
        let caller = caller.clone();
        let new = new.iter().map(|new| self.sealed(new)).collect::<Result<Vec<_>, _>>()?;
        transaction!(self, Person, async |tx| {
            let of = collections::require(tx, &caller, collection, CollectionRole::Admin).await?.collection;
            for new in new {
                let made = insert(tx, &caller, of.project_uuid, new).await?;
                insert_use(tx, &caller, collection, made.uuid).await?;
            }
            Ok(())
        })
    }

    /// Checks an integration that is to be made, and seals what is secret of it.
    fn sealed(&self, new: &NewIntegration) -> Result<Sealed> {
        let (new, uuid) = (check(new)?, Uuid::new_v4());
        let secrets = self.seal(&purpose(uuid), to_json(&new.secrets).as_bytes());
        Ok(Sealed { uuid, new, secrets })
    }

    /// The integrations of a project, by id.
    pub async fn list_integrations(&self, principal: &Principal, project: Uuid) -> Result<Vec<IntegrationView>> {
        let mut tx = self.read().await?;
        let project = projects::require(&mut tx, principal, project, ProjectRole::Member).await?;
        let sql =
            select::<IntegrationView>(&format!("{FROM} AND i.project_id = $1 ORDER BY i.id LIMIT {INTEGRATIONS_MAX}"));
        tx.read_all(&sql, values![project]).await
    }

    /// An integration that the caller may see.
    pub async fn find_integration(&self, principal: &Principal, uuid: Uuid) -> Result<IntegrationView> {
        let mut tx = self.read().await?;
        require(&mut tx, principal, uuid, ProjectRole::Member).await
    }

    /// Changes an integration, for owners of its project: runs that begin from then on use what is new. The accounts
    /// that it opened stay known. Fails with `Invalid` where secrets or settings are too large.
    pub async fn change_integration(
        &self,
        caller: &Caller,
        uuid: Uuid,
        change: &IntegrationChange,
    ) -> Result<IntegrationView> {
        check_sizes(change.secrets.iter().chain(&change.settings))?;
        let (caller, settings) = (caller.clone(), change.settings.as_ref().map(to_json));
        let name = change.name.as_deref().map(clean_title).transpose()?;
        let secret_names = change.secrets.as_ref().map(names);
        let sealed = change.secrets.as_ref().map(|secrets| self.seal(&purpose(uuid), to_json(secrets).as_bytes()));
        transaction!(self, Person, async |tx| {
            let view = require(tx, &caller, uuid, ProjectRole::Owner).await?;
            let details = json!({"name": name, "secrets": sealed.is_some(), "settings": settings.is_some()});
            let sql = "UPDATE integrations SET name = COALESCE($1, name), settings = COALESCE($2, settings), \
                       secret_names = COALESCE($3, secret_names), secrets = COALESCE($4, secrets) WHERE id = $5";
            tx.run(sql, values![name, settings, secret_names, sealed, view.id]).await?;
            audit::insert(tx, &caller, Some(view.project), "integration.change", uuid, details).await?;
            require(tx, &caller, uuid, ProjectRole::Owner).await
        })
    }

    /// Removes an integration, its secrets and its uses; for owners of its project.
    pub async fn delete_integration(&self, caller: &Caller, uuid: Uuid) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let view = require(tx, &caller, uuid, ProjectRole::Owner).await?;
            tx.run("DELETE FROM integration_collections WHERE integration_id = $1", values![view.id]).await?;
            tx.run("DELETE FROM integrations WHERE id = $1", values![view.id]).await?;
            let details = json!({"name": view.name, "type": view.kind});
            audit::insert(tx, &caller, Some(view.project), "integration.delete", uuid, details).await
        })
    }

    /// Lets a collection use an integration of its project; for admins of the collection. Saying it twice is harmless.
    /// An integration of another project is `NotFound`.
    pub async fn add_integration_use(
        &self,
        caller: &Caller,
        collection: Uuid,
        integration: Uuid,
    ) -> Result<IntegrationUse> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| insert_use(tx, &caller, collection, integration).await)
    }

    /// Which collections of a project use which integrations, as far as the caller may see the collections; by id.
    pub async fn list_integration_uses(&self, principal: &Principal, project: i64) -> Result<Vec<IntegrationUse>> {
        let sql = format!("{} AND c.project_id = $1 ORDER BY x.id", select_use());
        let mut uses: Vec<Use> = self.read().await?.read_all(&sql, values![project]).await?;
        uses.retain(|(_, collection, _)| principal.collection_role(project, *collection).is_some());
        Ok(uses.into_iter().map(|(of, _, _)| of).collect())
    }

    /// Ends the use of an integration in a collection; for admins of the collection.
    pub async fn delete_integration_use(&self, caller: &Caller, uuid: Uuid) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let sql = format!("{} AND x.uuid = $1", select_use());
            let (of, collection, in_project): Use = tx.find(&sql, values![uuid]).await?;
            caller.require_collection(in_project, collection, CollectionRole::Admin)?;
            collections::lock(tx, collection).await?;
            tx.run("DELETE FROM integration_collections WHERE id = $1", values![of.id]).await?;
            let details = json!({"integration": of.integration_uuid});
            let object = of.collection_uuid.to_string();
            audit::insert(tx, &caller, Some(in_project), "collection.integration.remove", &object, details).await?;
            let note =
                feed::Note::person(in_project, Noun::Collection, of.collection_uuid, What::Changed).of(collection);
            feed::note(tx, &note, caller.now).await
        })
    }

    /// The integrations that a collection uses, with their secrets; for the engine, never for an answer to people.
    pub async fn list_credentials(&self, collection: Uuid) -> Result<Vec<Credential>> {
        let mut tx = self.read().await?;
        let sql =
            "SELECT i.uuid, i.name, i.kind, i.settings, i.secrets FROM integration_collections x JOIN integrations i \
                   ON i.id = x.integration_id
                   JOIN collections c ON c.id = x.collection_id WHERE c.uuid = $1 AND c.deleted_at IS NULL ORDER BY \
                   i.id";
        let mut credentials = Vec::new();
        let rows: Vec<(Uuid, String, String, String, Vec<u8>)> = tx.read_all(sql, values![collection]).await?;
        for (uuid, name, kind, settings, sealed) in rows {
            let plain = self.unseal(&purpose(uuid), &sealed);
            let plain = plain.and_then(|plain| String::from_utf8(plain).ok());
            credentials.push(Credential {
                integration: uuid,
                name,
                kind,
                settings: from_json(&settings)?,
                secrets: plain.map(|plain| from_json(&plain)).transpose()?,
            });
        }
        Ok(credentials)
    }
}

/// An integration that is to be made, checked, under the uuid that its secrets are sealed for.
struct Sealed {
    uuid: Uuid,
    new: NewIntegration,
    secrets: Vec<u8>,
}

async fn insert(
    tx: &mut Tx,
    caller: &Caller,
    project: Uuid,
    Sealed { uuid, new, secrets }: Sealed,
) -> Result<IntegrationView> {
    let project = projects::require(tx, caller, project, ProjectRole::Owner).await?;
    let sql = "SELECT COUNT(*) FROM integrations WHERE project_id = $1";
    if tx.read_one::<i64>(sql, values![project]).await? >= INTEGRATIONS_MAX {
        return Err(StoreError::Conflict(format!("a project has at most {INTEGRATIONS_MAX} integrations")));
    }
    let row = named! {
        uuid,
        project_id: project,
        name: &new.name,
        kind: &new.kind,
        settings: to_json(&new.settings),
        secret_names: names(&new.secrets),
        secrets,
        created_by: caller.user_id(),
        created_at: caller.now,
    };
    tx.insert_one("integrations", row).await?;
    let details = json!({"name": new.name, "type": new.kind});
    audit::insert(tx, caller, Some(project), "integration.create", uuid, details).await?;
    require(tx, caller, uuid, ProjectRole::Owner).await
}

async fn insert_use(tx: &mut Tx, caller: &Caller, collection: Uuid, integration: Uuid) -> Result<IntegrationUse> {
    let of = collections::require(tx, caller, collection, CollectionRole::Admin).await?.collection;
    let view = require(tx, caller, integration, ProjectRole::Member).await?;
    if view.project != of.project {
        return Err(StoreError::NotFound);
    }
    collections::lock(tx, of.id).await?;
    let row = named! {
        uuid: Uuid::new_v4(), integration_id: view.id, collection_id: of.id, created_at: caller.now,
    };
    if tx.insert_new("integration_collections", "integration_id, collection_id", row).await? {
        let details = json!({"integration": integration});
        let object = collection.to_string();
        audit::insert(tx, caller, Some(of.project), "collection.integration.add", &object, details).await?;
        let note = feed::Note::person(of.project, Noun::Collection, collection, What::Changed).of(of.id);
        feed::note(tx, &note, caller.now).await?;
    }
    let sql = format!("{} AND x.integration_id = $1 AND x.collection_id = $2", select_use());
    let (of_integration, _, _): Use = tx.read_one(&sql, values![view.id, of.id]).await?;
    Ok(of_integration)
}

/// Removes the integrations of a project that is being deleted, with their secrets.
pub(crate) async fn forget(tx: &mut Tx, project: i64) -> Result<()> {
    let sql = "DELETE FROM integration_collections WHERE integration_id IN (SELECT id FROM integrations WHERE \
               project_id = $1)";
    tx.run(sql, values![project]).await?;
    tx.run("DELETE FROM integrations WHERE project_id = $1", values![project]).await?;
    Ok(())
}
