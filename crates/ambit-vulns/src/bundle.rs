//! All packs of a folder in one file, to be carried to where no network is. Each stands in it with its name, its length
//! and a checksum; reading one takes over all of its packs or none.
//!
//! The file begins with a word of its own. Then comes each pack: the length of its name (2 bytes, little-endian), the
//! name, the length of its content (8 bytes), the content, its SHA-256. A name of no length ends the file.

use crate::packs::{Pack, PackError, Packs};
use crate::records::Records;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"AMBITPK1";
/// Bytes of a pack's name.
const NAME_BYTES_MAX: usize = 64;
/// Bytes of one pack: the whole of NVD has some hundred million.
const PACK_BYTES_MAX: u64 = 16 << 30;
/// Bytes that are copied at once.
const PIECE: usize = 1 << 16;

/// Returns whether the beginning of a file is that of a bundle.
pub fn is_bundle(beginning: &[u8]) -> bool {
    beginning.starts_with(MAGIC)
}

impl Packs {
    /// Writes every pack of the folder into one file, in place of one that is there. Returns how many there are.
    pub fn bundle(&self, file: &Path) -> Result<usize, PackError> {
        let _lock = self.lock()?;
        let packs = self.list()?;
        let new = file.with_extension("new");
        let at = |path: &Path| self.at(path.to_owned());
        let written = || -> io::Result<()> {
            let mut out = BufWriter::new(File::create(&new)?);
            out.write_all(MAGIC)?;
            for pack in &packs {
                write_pack(&mut out, &pack.name, &self.path(&pack.name))?;
            }
            out.write_all(&[0, 0])?;
            out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
        };
        written().map_err(at(&new))?;
        fs::rename(&new, file).map_err(at(file))?;
        Ok(packs.len())
    }

    /// Takes over every pack of a bundle, each in place of one of the same name. The index stays as it is until
    /// `rebuild`. A bundle that is cut, or of which a pack is not what its checksum says, changes nothing.
    pub fn unbundle(&self, file: &Path) -> Result<Vec<Pack>, PackError> {
        let _lock = self.lock()?;
        let mut taken = Vec::new();
        let read = self.read_bundle(file, &mut taken);
        if read.is_err() {
            for (new, _) in &taken {
                fs::remove_file(new).ok();
            }
        }
        read.map_err(self.at(file.to_owned()))?;
        let mut packs = Vec::new();
        for (new, pack) in taken {
            let path = self.path(&pack.name);
            fs::rename(new, &path).map_err(self.at(path))?;
            packs.push(pack);
        }
        Ok(packs)
    }

    fn read_bundle(&self, file: &Path, taken: &mut Vec<(PathBuf, Pack)>) -> io::Result<()> {
        let mut bundle = BufReader::new(File::open(file)?);
        let mut magic = [0; MAGIC.len()];
        bundle.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(wrong("it is no bundle of packs"));
        }
        loop {
            let mut length = [0; 2];
            bundle.read_exact(&mut length)?;
            let length = usize::from(u16::from_le_bytes(length));
            if length == 0 {
                return Ok(());
            }
            let name = read_name(&mut bundle, length)?;
            let new = self.path(&name).with_extension("bundled");
            if taken.iter().any(|(_, pack)| pack.name == name) {
                return Err(wrong("a pack stands in it twice"));
            }
            // Named before it is written, so that it goes away with the others.
            taken.push((new.clone(), Pack::unread(&name)));
            read_content(&mut bundle, &new)?;
            let pack: Pack = Records::open(&new)?.about()?;
            if pack.name != name {
                return Err(wrong("a pack in it has another name than it says"));
            }
            taken.pop();
            taken.push((new, pack));
        }
    }
}

fn wrong(problem: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, problem)
}

fn write_pack(out: &mut impl Write, name: &str, path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    let length = u16::try_from(name.len()).map_err(|_| wrong("a name is too long"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(name.as_bytes())?;
    out.write_all(&file.metadata()?.len().to_le_bytes())?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; PIECE]);
    loop {
        match file.read(&mut buffer)? {
            0 => return out.write_all(&hash.finalize()),
            read => {
                hash.update(&buffer[..read]);
                out.write_all(&buffer[..read])?;
            }
        }
    }
}

/// A name that is no path.
fn read_name(bundle: &mut impl Read, length: usize) -> io::Result<String> {
    let mut name = vec![0; length.min(NAME_BYTES_MAX)];
    bundle.read_exact(&mut name)?;
    let good = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+".contains(byte);
    if length > NAME_BYTES_MAX || !name.iter().all(good) || name[0] == b'.' {
        return Err(wrong("a pack in it has a name that no pack can have"));
    }
    String::from_utf8(name).map_err(|_| wrong("a pack in it has a name that no pack can have"))
}

fn read_content(bundle: &mut impl Read, path: &Path) -> io::Result<()> {
    let mut length = [0; 8];
    bundle.read_exact(&mut length)?;
    let mut left = u64::from_le_bytes(length);
    if left > PACK_BYTES_MAX {
        return Err(wrong("a pack in it is longer than any"));
    }
    let (mut out, mut hash, mut buffer) = (File::create(path)?, Sha256::new(), vec![0; PIECE]);
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
        bundle.read_exact(&mut buffer[..most])?;
        hash.update(&buffer[..most]);
        out.write_all(&buffer[..most])?;
        left -= most as u64;
    }
    let mut said = [0; 32];
    bundle.read_exact(&mut said)?;
    if said[..] != hash.finalize()[..] {
        return Err(wrong("a pack in it is not what its checksum says"));
    }
    out.sync_all()
}
