//! What is known against the products that entities show: ids of CVE, of which their records are folded.

use super::Changes;
use crate::StoreError;
use crate::db::rows::named;
use crate::db::sql::{Tx, from_json, to_json};
use ambit_model::Uid;
use std::collections::BTreeMap;

/// CVE ids that are known against what an entity shows, by the CPE of the product.
pub type Vulns = BTreeMap<String, Vec<String>>;

impl Changes {
    /// Stores what is known against the products of entities, which their records show.
    pub(crate) async fn write_vulns(&mut self, tx: &mut Tx, vulns: &[(Uid, Vulns)]) -> Result<(), StoreError> {
        let uids: Vec<Uid> = vulns.iter().map(|(uid, _)| *uid).collect();
        tx.run_in("DELETE FROM entity_vulns WHERE uid IN", Vec::new(), &uids, "").await?;
        let rows = vulns.iter().filter(|(_, vulns)| !vulns.is_empty());
        let rows = rows.map(|(uid, vulns)| named! { uid: uid, vulns: to_json(vulns) }).collect();
        tx.insert("entity_vulns", rows, "").await?;
        self.relate(&uids);
        self.refold.extend(uids);
        Ok(())
    }
}

/// What is known against the products of entities; those without any are left out.
pub(crate) async fn load_vulns(tx: &mut Tx, uids: &[Uid]) -> Result<BTreeMap<Uid, Vulns>, StoreError> {
    let rows: Vec<(Uid, String)> =
        tx.read_in("SELECT uid, vulns FROM entity_vulns WHERE uid IN", Vec::new(), uids, "").await?;
    rows.into_iter().map(|(uid, vulns)| Ok((uid, from_json(&vulns)?))).collect()
}
