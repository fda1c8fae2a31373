//! Readiness: whether requests can be answered. After a write that failed for want of room, right or health it takes a
//! write that succeeds, larger than usual ones: small ones still find room on a full disk.

use crate::db::open::wall_now;
use crate::{Result, Store, Upload};
use rand::Rng as _;

impl Store {
    /// Whether requests can be answered: the database can be read, and the last write did not fail for want of room,
    /// right or health. Where it did, a write is tried here, at most once a second, and taken back, so that an
    /// installation which nobody writes to is seen to be well again. Fails with `Full`, `ReadOnly`, `Damaged` or
    /// `Unavailable`, with the file or database.
    pub async fn ready(&self) -> Result<()> {
        self.last_revision().await?;
        let Some((error, is_due)) = self.standing_trouble() else {
            return Ok(());
        };
        if !is_due {
            return Err(error);
        }
        let mut trial = vec![0; Upload::PIECE_BYTES];
        rand::rng().fill_bytes(&mut trial);
        Upload::begin(self).write(trial, wall_now()).await?;
        self.end_trouble();
        Ok(())
    }
}
