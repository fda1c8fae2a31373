//! The epoch of simulated internets: dates in their files are relative to it (design §4 "Two clocks").

use crate::{Store, StoreError};
use ambit_model::Timestamp;

impl Store {
    /// Midnight UTC of the day on which this installation was made.
    pub async fn epoch(&self) -> Result<Timestamp, StoreError> {
        let mut tx = self.read().await?;
        let made: Timestamp = tx.one("SELECT MIN(created_at) FROM organizations", Vec::new()).await?.get(0)?;
        Ok(made.day_start())
    }
}
