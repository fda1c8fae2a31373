//! A file that comes in a form: it goes to the store while it comes, a piece at a time, and its hashes are made on the
//! way. Nothing of it is kept unless a handler refers to it.

use crate::body::{Arriving, PARAMETER_BYTES_MAX, UPLOAD_BYTES_MAX};
use crate::failure::About;
use crate::form::{self, Field, Parts, Piece};
use crate::state::ServerState;
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::Timestamp;
use ambit_store::{FileType, NewFile, Staged, Visibility};
use bytes::Bytes;
use md5::{Digest, Md5};
use sha1::Sha1;

/// The field of the file.
const FILE: &str = "file";
/// Bytes of a form without parts: it holds no file, or a small one.
const PAIRS_BYTES_MAX: usize = 1024 * 1024;
/// A form with its file, which is in the store but referred to by nothing yet.
#[derive(Default)]
pub(crate) struct Upload {
    /// `None`: the form has no field of that name.
    pub(crate) file: Option<NewFile>,
    fields: Vec<(String, String)>,
}

impl Upload {
    /// The other fields.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        self.fields.clone()
    }
}

/// Receives a form with a file.
pub(crate) async fn receive(
    state: &ServerState,
    arriving: &mut Arriving,
    content_type: &str,
    now: Timestamp,
) -> Result<Upload> {
    if !form::is_multipart(content_type) {
        let bytes = arriving.whole(PAIRS_BYTES_MAX).await?;
        return without_parts(state, content_type, &bytes, now).await;
    }
    let mut parts = Parts::new(content_type)?;
    let mut form = Form::default();
    while let Some(bytes) = arriving.next(UPLOAD_BYTES_MAX).await? {
        for piece in parts.push(&bytes)? {
            form.take(state, piece, now).await?;
        }
    }
    parts.finish()?;
    Ok(form.upload)
}

/// A form of pairs: small enough to be in memory.
async fn without_parts(state: &ServerState, content_type: &str, bytes: &Bytes, now: Timestamp) -> Result<Upload> {
    let mut form = Form::default();
    for field in form::fields(content_type, bytes)? {
        let Field { name, file_name, bytes } = field;
        form.take(state, Piece::Begin { name, file_name }, now).await?;
        form.take(state, Piece::Data(bytes), now).await?;
        form.take(state, Piece::End, now).await?;
    }
    Ok(form.upload)
}

/// A form as far as it has come.
#[derive(Default)]
struct Form {
    upload: Upload,
    part: Part,
}

/// The part that comes now.
#[derive(Default)]
enum Part {
    #[default]
    None,
    File(Box<Coming>),
    /// Its name, and what it says as long as that may be a parameter.
    Field(String, Option<Vec<u8>>),
}

impl Form {
    async fn take(&mut self, state: &ServerState, piece: Piece, now: Timestamp) -> Result<()> {
        match (piece, &mut self.part) {
            (Piece::Begin { name, file_name }, part) => {
                *part = if name == FILE {
                    if self.upload.file.is_some() {
                        let message = "The form has more than one field named file: send one file at a time";
                        return Err(ApiError::bad(message));
                    }
                    Part::File(Box::new(Coming::new(state, file_name.as_deref().and_then(kept_name))))
                } else {
                    Part::Field(name, file_name.is_none().then(Vec::new))
                };
            }
            (Piece::Data(bytes), Part::File(coming)) => coming.take(&bytes, now).await?,
            (Piece::Data(bytes), Part::Field(_, said)) => match said {
                Some(so_far) if so_far.len() + bytes.len() <= PARAMETER_BYTES_MAX => so_far.extend_from_slice(&bytes),
                _ => *said = None,
            },
            (Piece::Data(_), Part::None) => {}
            (Piece::End, part) => match std::mem::take(part) {
                Part::File(coming) => self.upload.file = Some(coming.finish(now).await?),
                Part::Field(name, Some(said)) => {
                    self.upload.fields.push((name, String::from_utf8_lossy(&said).into_owned()))
                }
                Part::Field(_, None) | Part::None => {}
            },
        }
        Ok(())
    }
}

/// The name that is kept of a file: the last part of a path, without control characters, so that whoever saves the file
/// under it stays in the folder. Returns `None` where nothing is left.
fn kept_name(sent: &str) -> Option<String> {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).collect();
    let clean = clean.trim();
    (!["", ".", ".."].contains(&clean)).then(|| clean.to_owned())
}

/// The file as far as it has come.
struct Coming {
    name: Option<String>,
    staging: ambit_store::Upload,
    hashes: Option<Hashes>,
    /// What has come of the next piece.
    piece: Vec<u8>,
}

impl Coming {
    fn new(state: &ServerState, name: Option<String>) -> Self {
        Self {
            name,
            staging: ambit_store::Upload::begin(&state.store),
            hashes: Some(Hashes::default()),
            piece: Vec::new(),
        }
    }

    async fn take(&mut self, mut bytes: &[u8], now: Timestamp) -> Result<()> {
        while !bytes.is_empty() {
            // A full piece is written when it is known that it is not the last.
            if self.piece.len() == ambit_store::Upload::PIECE_BYTES {
                let piece = self.hashed().await?;
                self.piece = self.staging.write(piece, now).await.about("File")?;
            }
            let (these, rest) = bytes.split_at(bytes.len().min(ambit_store::Upload::PIECE_BYTES - self.piece.len()));
            self.piece.extend_from_slice(these);
            bytes = rest;
        }
        Ok(())
    }

    /// Adds the piece to the hashes, and gives it on.
    async fn hashed(&mut self) -> Result<Vec<u8>> {
        let (mut hashes, piece) = (self.hashes.take().unwrap_or_default(), std::mem::take(&mut self.piece));
        let work = tokio::task::spawn_blocking(move || {
            hashes.add(&piece);
            (hashes, piece)
        });
        let (hashes, piece) = work.await.map_err(|_| ApiError::new(ErrorCode::Internal))?;
        self.hashes = Some(hashes);
        Ok(piece)
    }

    async fn finish(mut self, now: Timestamp) -> Result<NewFile> {
        let last = self.hashed().await?;
        let content: Staged = self.staging.finish(last, now).await.about("File")?;
        let hashes = self.hashes.unwrap_or_default();
        Ok(NewFile {
            content,
            type_tag: hashes.type_tag(),
            sha1: hex::encode(hashes.sha1.finalize()),
            md5: hex::encode(hashes.md5.finalize()),
            name: self.name,
            // Other fields may come behind it: the handler says whose it is.
            visibility: Visibility::Installation,
        })
    }
}

/// What is found out of a file while it goes by.
#[derive(Default)]
struct Hashes {
    sha1: Sha1,
    md5: Md5,
    kind: FileType,
}

impl Hashes {
    fn add(&mut self, bytes: &[u8]) {
        self.sha1.update(bytes);
        self.md5.update(bytes);
        self.kind.add(bytes);
    }

    fn type_tag(&self) -> Option<&'static str> {
        self.kind.tag()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_lead_nowhere() {
        for (sent, kept) in [
            ("a b.exe", Some("a b.exe")),
            ("../../etc/passwd", Some("passwd")),
            ("C:\\Users\\ann\\a.exe", Some("a.exe")),
            ("a\0b\r\n.txt", Some("ab.txt")),
            ("..", None),
            ("x/..", None),
            ("dir/", None),
            (" \0 ", None),
            ("..a", Some("..a")),
        ] {
            assert_eq!(kept_name(sent).as_deref(), kept, "{sent:?}");
        }
    }
}
