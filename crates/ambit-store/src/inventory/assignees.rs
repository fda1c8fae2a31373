//! Who sees to issues, and how many are overdue.

use crate::db::rows::select;
use crate::db::sql::{Tx, values};
use crate::inventory::collections::CollectionRef;
use crate::inventory::turning::turned_at;
use crate::people::{access, users};
use crate::{Caller, Store};
use crate::{Result, StoreError};
use ambit_model::DueDays;
use ambit_model::user::ProjectRole;
use std::collections::BTreeMap;

/// The username of who was named by username or address, and who must see the collection.
pub(super) async fn known(
    tx: &mut Tx,
    named: &Option<Option<String>>,
    project: i64,
    collection: i64,
) -> Result<Option<Option<String>>> {
    let Some(Some(name)) = named else { return Ok(named.clone()) };
    let nobody = || {
        StoreError::Invalid(format!(
            "no user {name:?} can see this collection: give the username or address of one who can"
        ))
    };
    let user = match users::find(tx, name.trim()).await {
        Err(StoreError::NotFound) => return Err(nobody()),
        user => user?,
    };
    let person = access::load(tx, user.id, None).await?;
    match person.active && person.collection_role(project, collection).is_some() {
        true => Ok(Some(Some(person.username().to_owned()))),
        false => Err(nobody()),
    }
}

/// The open issues of a collection that are overdue.
#[derive(Clone, Debug, PartialEq)]
pub struct Overdue {
    pub collection: CollectionRef,
    /// By when they were to be closed.
    pub due_days: DueDays,
    /// How many, by severity.
    pub count: BTreeMap<i64, i64>,
}

impl Store {
    /// Counts what is overdue in each collection of a project that the caller may read, by its own due dates or those
    /// of the installation.
    pub async fn list_overdue(&self, caller: &Caller, project: i64, of_installation: DueDays) -> Result<Vec<Overdue>> {
        caller.require_project(project, ProjectRole::Member)?;
        let mut tx = self.read().await?;
        let sql = select::<CollectionRef>(
            "FROM collections c JOIN projects p ON p.id = c.project_id JOIN organizations o ON o.id = \
             p.organization_id WHERE c.project_id = $1 AND c.deleted_at IS NULL AND p.deleted_at IS NULL ORDER BY c.id",
        );
        let mut collections: Vec<CollectionRef> = tx.read_all(&sql, values![project]).await?;
        collections.retain(|collection| caller.collection_role(project, collection.id).is_some());
        let found = turned_at("", "t.opened_at");
        let sql = format!(
            "SELECT COUNT(*) FROM issues t WHERE t.collection_id = $1 AND t.open = 1 AND t.severity = $2 AND {found} \
             <= $3"
        );
        let mut all = Vec::new();
        for collection in collections {
            let due_days = collection.due_days.unwrap_or(of_installation);
            let mut count = BTreeMap::new();
            for (severity, since) in due_days.overdue_since(caller.now) {
                count.insert(severity, tx.read_one(&sql, values![collection.id, severity, since]).await?);
            }
            all.push(Overdue { collection, due_days, count });
        }
        Ok(all)
    }
}
