//! The data folder: made so that a start after a kill at any instant completes it, closed to other people, its engine's
//! place held by one process.

use crate::{Result, StoreError};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

/// The database's file.
pub(crate) const DATABASE: &str = "ambit.db";
/// The master secret's file.
pub(crate) const SECRET: &str = "secret.key";
/// The file whose lock is the engine's place.
const ENGINE_LOCK: &str = "engine.lock";
/// The folder of the search index, and the file in it that names the one that counts.
const INDEX: &str = "index";
const INDEX_NAME: &str = "current";
/// The folder of what was contacted when, which the program writes.
const LEDGER: &str = "ledger";
/// What a fresh file system has in its root.
const LOST: &str = "lost+found";
/// Between two tries for the lock.
const LOCK_RETRY: Duration = Duration::from_millis(50);
/// Bytes that are written to find out whether a disk has room: as much as SQLite allocates at once.
const SPACE_BYTES: usize = 64 << 10;
/// What is read of the holder's note.
const NOTE_BYTES_MAX: u64 = 256;

/// Makes the folder with mode 0700, and sets that mode on an existing one that is empty or holds our data. Any other
/// folder keeps its mode, and each file that we put there is closed to others.
pub(crate) fn create(path: &Path) -> Result<()> {
    let named = |error: io::Error| match StoreError::from(error) {
        StoreError::Unavailable(why) => {
            let what = if path.is_dir() { "cannot be used" } else { "cannot be made" };
            StoreError::Unavailable(format!("the data folder {} {what}: {why}", path.display()))
        }
        other => other.in_place(&format!("the data folder {}", path.display())),
    };
    match is_foreign(path) {
        Ok(false) => {}
        Ok(true) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => private(path).map_err(named)?,
        Err(error) => return Err(named(error)),
    }
    let permissions = fs::metadata(path).map_err(named)?.permissions();
    if permissions.mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(named)?;
    }
    Ok(())
}

fn private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes the folder of the index, closed to other people also where the data folder is shared.
pub(crate) fn create_index(folder: &Path) -> Result<()> {
    let index = folder.join(INDEX);
    private(&index).map_err(|error| StoreError::from(error).in_place(&index.display().to_string()))
}

/// Returns true for a folder that is not empty and holds nothing that a data folder has, not even the remains of an
/// interrupted creation.
fn is_foreign(path: &Path) -> io::Result<bool> {
    let mut foreign = false;
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let begins = |own: &str| name.trim_start_matches('.').starts_with(own);
        if begins(DATABASE) || begins(SECRET) || name == ENGINE_LOCK {
            return Ok(false);
        }
        // With a PostgreSQL database and the secret elsewhere, the index is all there is.
        if name == INDEX && path.join(INDEX).join(INDEX_NAME).try_exists()? {
            return Ok(false);
        }
        // A file system of its own is empty and has this.
        foreign |= name != LOST;
    }
    Ok(foreign)
}

/// Refuses a folder that held an installation whose database is missing or empty.
///
/// A first making that was cut off is none of these: it writes the first page of the database before it makes the
/// secret, and the index and the ledger get their files later still. So a secret beside no database was never left by a
/// making. A secret that is kept elsewhere (`own_secret` is false) may be there first and says nothing.
pub(crate) fn refuse_lost(folder: &Path, own_secret: bool) -> Result<()> {
    let database = folder.join(DATABASE);
    let state = match fs::metadata(&database) {
        Ok(file) if file.len() > 0 => return Ok(()),
        Ok(_) => "is empty",
        Err(error) if error.kind() == io::ErrorKind::NotFound => "is missing",
        // Whoever opens the file reports why it cannot be read.
        Err(_) => return Ok(()),
    };
    let named = folder.join(INDEX).join(INDEX_NAME);
    let beside = if own_secret && has(&folder.join(SECRET))? {
        SECRET
    } else if has(&named)? {
        INDEX
    } else if has(&folder.join(LEDGER))? {
        LEDGER
    } else {
        return Ok(());
    };
    // A first making beside this may have come to its secret since the first look, and its database is there then.
    if fs::metadata(&database).is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    Err(StoreError::Lost { database: database.display().to_string(), state, beside })
}

/// Returns whether there is such a file; an error if that cannot be found out.
pub(crate) fn has(path: &Path) -> Result<bool> {
    path.try_exists().map_err(|error| StoreError::Unavailable(format!("{} cannot be read: {error}", path.display())))
}

/// Makes a file of mode 0600 before anybody else writes it with theirs; SQLite gives its companions the mode of the
/// database.
pub(crate) fn create_private(path: &Path) -> Result<()> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).map_err(|error| {
        match StoreError::from(error) {
            StoreError::Unavailable(why) => StoreError::Unavailable(format!("{}: {why}", path.display())),
            other => other.in_place(&path.display().to_string()),
        }
    })?;
    Ok(())
}

/// Why nothing can be written in a folder: its disk is full, or can only be read. `None`: a small file could be
/// written, or failed for another reason.
pub(crate) fn why_not_written(folder: &Path) -> Option<StoreError> {
    let path = folder.join(format!(".space.{:016x}", rand::random::<u64>()));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(&[0x55; SPACE_BYTES])?;
        file.sync_all()
    };
    let written: io::Result<()> = write();
    // Where it was not made there is nothing to remove.
    let _ = fs::remove_file(&path);
    match StoreError::from(written.err()?) {
        reason @ (StoreError::Full { .. } | StoreError::ReadOnly { .. }) => Some(reason),
        _ => None,
    }
}

/// Returns false if permissions forbid making files in the folder. Other failures, a full disk above all, are no matter
/// of permissions.
pub(crate) fn is_writable(folder: &Path) -> bool {
    let path = folder.join(format!(".write.{:016x}", rand::random::<u64>()));
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Ok(_) => {
            // A name that nothing else has.
            let _ = fs::remove_file(&path);
            true
        }
        Err(error) => !matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem),
    }
}

/// The held lock; dropping it frees the engine's place, and so does the end of the process, whatever ends it.
pub(crate) struct EngineLock(#[expect(dead_code, reason = "the lock lives as long as the open file")] File);

/// Takes the lock, waiting up to `wait`. The note in the file is for the message only: the lock alone decides.
pub(crate) async fn lock_engine(folder: &Path, name: &str, wait: Duration) -> Result<EngineLock> {
    let deadline = Instant::now() + wait;
    let path = folder.join(ENGINE_LOCK);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
    let mut file = file.map_err(|error| StoreError::from(error).in_place(&path.display().to_string()))?;
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
    let noted = file.set_len(0).and_then(|()| file.rewind());
    match noted.and_then(|()| write!(file, "{name} (process {})", std::process::id())).map_err(StoreError::from) {
        // The place is taken all the same: on a full disk there is much to look at.
        Ok(()) | Err(StoreError::Full { .. }) => Ok(EngineLock(file)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("is there").permissions().mode() & 0o777
    }

    #[test]
    fn a_folder_that_is_shared_keeps_its_mode_and_what_we_put_there_is_closed() {
        let root = std::env::temp_dir().join(format!("ambit-folder-{}", Uuid::new_v4()));
        let open = |name: &str, files: &[&str]| {
            let path = root.join(name);
            fs::create_dir_all(&path).expect("can be made");
            for file in files {
                let file = path.join(file);
                fs::create_dir_all(file.parent().expect("is below")).expect("can be made");
                fs::write(&file, "").expect("can be written");
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("can be set");
            path
        };
        for (name, files) in [
            ("empty", &[][..]),
            ("used", &["ambit.db", "notes.txt"][..]),
            ("cut", &[".secret.key.00ff", "notes.txt"][..]),
            ("shared", &["index/current", "ca.pem"][..]),
            ("volume", &["lost+found/x"][..]),
        ] {
            let path = open(name, files);
            create(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(mode(&path), 0o700, "{name}");
        }
        let path = open("home", &["notes.txt"]);
        create(&path).expect("is taken");
        create_index(&path).expect("is made");
        assert_eq!((mode(&path), mode(&path.join(INDEX))), (0o755, 0o700));
        create(&root.join("new/deep")).expect("is made");
        assert_eq!((mode(&root.join("new/deep")), mode(&root.join("new"))), (0o700, 0o700));
        fs::remove_dir_all(&root).expect("is ours");
    }

    #[test]
    fn what_cannot_be_looked_at_is_not_missing() {
        let file = std::env::temp_dir().join(format!("ambit-file-{}", Uuid::new_v4()));
        assert_eq!(has(&file), Ok(false));
        fs::write(&file, "").expect("can be written");
        assert_eq!(has(&file), Ok(true));
        let Err(StoreError::Unavailable(text)) = has(&file.join(DATABASE)) else { panic!("a file is no folder") };
        assert!(text.contains(&*file.to_string_lossy()), "{text}");
        fs::remove_file(&file).expect("is ours");
    }
}
