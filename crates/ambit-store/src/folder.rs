//! The data folder: made so that a start after a kill at any instant completes it, closed to other people, its engine's place held by one process.

use crate::StoreError;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

/// The database's file.
pub(crate) const DATABASE: &str = "ambit.db";
/// The file whose lock is the engine's place.
const ENGINE_LOCK: &str = "engine.lock";
/// Between two tries for the lock.
const LOCK_RETRY: Duration = Duration::from_millis(50);
/// What is read of the holder's note.
const NOTE_BYTES_MAX: u64 = 256;

/// Makes the folder, or takes the one that is there and closes it to other people.
pub(crate) fn create(path: &Path) -> Result<(), StoreError> {
    let named = |error: std::io::Error| match StoreError::from(error) {
        StoreError::Unavailable(why) => StoreError::Unavailable(format!("the data folder {} cannot be made: {why}", path.display())),
        other => other,
    };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(named)?;
    let permissions = fs::metadata(path)?.permissions();
    if permissions.mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(named)?;
    }
    Ok(())
}

/// Makes a file of mode 0600 before anybody else writes it with theirs; SQLite gives its companions the mode of the database.
pub(crate) fn create_private(path: &Path) -> Result<(), StoreError> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    Ok(())
}

/// The held lock; dropping it frees the engine's place, and so does the end of the process, whatever ends it.
pub(crate) struct EngineLock(#[expect(dead_code, reason = "the lock lives as long as the open file")] File);

/// Takes the lock, waiting up to `wait`. The note in the file is for the message only: the lock alone decides.
pub(crate) async fn lock_engine(folder: &Path, name: &str, wait: Duration) -> Result<EngineLock, StoreError> {
    let deadline = Instant::now() + wait;
    let path = folder.join(ENGINE_LOCK);
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => tokio::time::sleep(LOCK_RETRY).await,
            Err(TryLockError::WouldBlock) => {
                let mut note = String::new();
                (&file).take(NOTE_BYTES_MAX).read_to_string(&mut note)?;
                let holder = match note.trim() {
                    "" => "another process".to_owned(),
                    note => note.to_owned(),
                };
                return Err(StoreError::Busy { holder });
            }
        }
    }
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{name} (process {})", std::process::id())?;
    Ok(EngineLock(file))
}
