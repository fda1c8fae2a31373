//! Feeds (docs/contract/wider.md §7): what changed in a minute or an hour, as compressed lines of objects. Files and
//! URLs that were submitted then, and domains, addresses and URLs of the caller's projects that changed then; each as
//! it is now. A minute in which nothing changed is an empty batch: readers that count missing minutes do not stop at
//! it.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::present::{files, objects};
use crate::signature::{File, Reply};
use crate::tokens;
use ambit_api::files::{FeedContext, Submitter};
use ambit_api::objects::Object;
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::Timestamp;
use ambit_model::moment::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS};
use ambit_model::object::ObjectType;
use bzip2::Compression;
use bzip2::write::BzEncoder;
use std::io::Write;

const NOUN: &str = "Feed";
/// Minutes of an hour.
const MINUTES: i64 = 60;
/// A batch is there so long after its minute began (docs/contract/wider.md §7).
const DELAY_MS: i64 = HOUR_MS;
/// And until so long after it: changes that only say "seen again" live as long.
const KEPT_MS: i64 = 7 * DAY_MS;
/// Objects of one batch: about 60 MB of lines before they are compressed.
const OBJECTS_MAX: usize = 100_000;
/// Objects that are looked up together.
const CHUNK: usize = 500;
/// What addresses of downloads in a batch are sealed for.
const DOWNLOAD: &str = "feed download";
/// There is a feed of what programs do when they run, which Ambit does not know: its batches are empty.
const BEHAVIOURS: &str = "file_behaviours";

/// What a feed has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feed {
    Objects(ObjectType),
    Behaviours,
}

fn feed(call: &Call) -> Result<Feed> {
    let name = call.parameter("feed").replace('-', "_");
    if name == BEHAVIOURS {
        return Ok(Feed::Behaviours);
    }
    let kind = ObjectType::from_collection(&name);
    kind.map(Feed::Objects).ok_or_else(|| ApiError::with(ErrorCode::NotFound, format!("There is no feed {name:?}")))
}

/// The beginning of a minute `YYYYMMDDhhmm`, or of an hour `YYYYMMDDhh`.
fn beginning(text: &str, digits: usize) -> Option<Timestamp> {
    if text.len() != digits || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let minute = text.get(10..12).unwrap_or("00");
    Timestamp::parse(&format!("{}-{}-{}T{}:{minute}:00Z", &text[..4], &text[4..6], &text[6..8], &text[8..10]))
}

fn name_of(minute: Timestamp) -> String {
    minute.to_string()[..16].chars().filter(char::is_ascii_digit).collect()
}

/// The first of so many minutes, all of which must be there. Minutes before the installation began are there and
/// empty: clients begin an hour and more ago, and would stop at a batch that is missing.
fn available(call: &Call, digits: usize, minutes: i64) -> Result<Timestamp> {
    let text = call.parameter("time");
    let missing = || ApiError::with(ErrorCode::NotFound, format!("There is no batch {text:?}"));
    let first = beginning(text, digits).ok_or_else(missing)?;
    let last = first.plus_ms((minutes - 1) * MINUTE_MS);
    if last.plus_ms(DELAY_MS) > call.now {
        return Err(ApiError::with(
            ErrorCode::NotAvailableYet,
            format!("The batch {text:?} is not available yet: batches are there an hour after their minute"),
        ));
    }
    if first.plus_ms(KEPT_MS) < call.now {
        return Err(missing());
    }
    Ok(first)
}

/// Lines of the objects that changed in a stretch of time.
struct Lines {
    bytes: Vec<u8>,
    /// How many more may come.
    left: usize,
    /// Some did not find room.
    cut: bool,
}

impl Lines {
    fn push(&mut self, object: &Object) {
        if self.left == 0 {
            self.cut = true;
            return;
        }
        self.left -= 1;
        serde_json::to_writer(&mut self.bytes, object).expect("a JSON value has only text keys");
        self.bytes.push(b'\n');
    }

    async fn read(&mut self, call: &Call, feed: Feed, minute: Timestamp) -> Result<()> {
        let until = minute.plus_ms(MINUTE_MS);
        match feed {
            Feed::Behaviours => Ok(()),
            Feed::Objects(ObjectType::File) => self.read_files(call, minute, until).await,
            Feed::Objects(kind) => {
                if kind == ObjectType::Url {
                    self.read_urls(call, minute, until).await?;
                }
                self.read_inventory(call, kind, minute, until).await
            }
        }
    }

    /// SHA-256 of what was submitted, files and URLs alike.
    async fn submitted(&self, call: &Call, from: Timestamp, until: Timestamp) -> Result<Vec<String>> {
        call.store().submitted_between(from, until, self.left + 1).await.about(NOUN)
    }

    async fn read_files(&mut self, call: &Call, from: Timestamp, until: Timestamp) -> Result<()> {
        let root = format!("{}/feeds/files", call.base);
        for sha256 in self.submitted(call, from, until).await? {
            let Some(mut found) = files::shown_if_known(call, &sha256).await? else {
                continue;
            };
            objects::count_votes(call, ObjectType::File, &mut found).await?;
            let token = tokens::sealed(call, DOWNLOAD, &sha256, KEPT_MS);
            let download_url = format!("{root}/{token}/download");
            self.push(&found.in_context(&FeedContext { download_url, submitter: Submitter { method: "api" } }));
        }
        Ok(())
    }

    async fn read_urls(&mut self, call: &Call, from: Timestamp, until: Timestamp) -> Result<()> {
        for sha256 in self.submitted(call, from, until).await? {
            let Some(mut found) = objects::submitted_url(call, &sha256).await? else {
                continue;
            };
            objects::count_votes(call, ObjectType::Url, &mut found).await?;
            self.push(&found);
        }
        Ok(())
    }

    async fn read_inventory(&mut self, call: &Call, kind: ObjectType, from: Timestamp, until: Timestamp) -> Result<()> {
        let store = call.store();
        let changed = store.changed_between(call.caller(), kind.kinds(), (from, until), self.left + 1).await;
        for names in changed.about(NOUN)?.chunks(CHUNK) {
            let all: Vec<_> = names.iter().flat_map(|name| kind.names(name)).collect();
            let known = store.known_objects(call.caller(), &all).await.about(NOUN)?;
            for name in names {
                let same: Vec<_> = known.iter().filter(|one| one.record.name == *name).cloned().collect();
                let Some(mut found) = objects::shown(call, kind, &same) else { continue };
                objects::count_votes(call, kind, &mut found).await?;
                self.push(&found);
            }
        }
        Ok(())
    }
}

/// The lines of each minute.
type Parts = Vec<(Timestamp, Vec<u8>)>;

/// A batch of some minutes; `pack` makes what is sent of the lines of each. Few are made at once, the others wait.
async fn batch(
    call: &Call,
    first: Timestamp,
    minutes: i64,
    pack: fn(Parts) -> std::io::Result<Vec<u8>>,
) -> Result<Answer> {
    let feed = feed(call)?;
    let _turn = call.state.batches.acquire().await.expect("the semaphore is never closed");
    let mut lines = Lines { bytes: Vec::new(), left: OBJECTS_MAX, cut: false };
    let mut parts = Vec::new();
    for number in 0..minutes {
        let minute = first.plus_ms(number * MINUTE_MS);
        lines.read(call, feed, minute).await?;
        parts.push((minute, std::mem::take(&mut lines.bytes)));
    }
    let packed = tokio::task::spawn_blocking(move || pack(parts)).await;
    let packed = packed.map_err(|_| ApiError::new(ErrorCode::Internal))?.map_err(|error| {
        tracing::error!(%error, "a batch could not be packed");
        ApiError::new(ErrorCode::Internal)
    })?;
    let answer = Answer::bytes(File::CONTENT_TYPE, packed.into());
    Ok(if lines.cut {
        answer.saying(format!("More changed than the {OBJECTS_MAX} objects that a batch holds"))
    } else {
        answer
    })
}

fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The lines themselves.
fn pack_minute(parts: Parts) -> std::io::Result<Vec<u8>> {
    let lines: Vec<u8> = parts.into_iter().flat_map(|(_, lines)| lines).collect();
    compress(&lines)
}

/// An archive with a file for each minute.
fn pack_hour(parts: Parts) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(BzEncoder::new(Vec::new(), Compression::default()));
    for (minute, lines) in parts {
        let mut header = tar::Header::new_gnu();
        header.set_size(lines.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(u64::try_from(minute.0.div_euclid(SECOND_MS)).unwrap_or_default());
        archive.append_data(&mut header, name_of(minute), lines.as_slice())?;
    }
    archive.into_inner()?.finish()
}

/// What a batch is saved as. Feed and time are words that were checked.
fn file_name(call: &Call, ending: &str) -> String {
    format!("{}-{}.{ending}", call.parameter("feed"), call.parameter("time"))
}

/// Read what changed in the minute YYYYMMDDhhmm: bzip2 of one object a line. The feeds are files, urls, domains,
/// ip_addresses and file_behaviours.
pub(crate) async fn minute(call: Call) -> Result<File> {
    const DIGITS: usize = 12;
    feed(&call)?;
    let first = available(&call, DIGITS, 1)?;
    Ok(File(batch(&call, first, 1, pack_minute).await?.saved_as(file_name(&call, "bz2"))))
}

/// Read what changed in the hour YYYYMMDDhh: bzip2 of an archive (tar) with a file for each minute.
pub(crate) async fn hour(call: Call) -> Result<File> {
    const DIGITS: usize = 10;
    feed(&call)?;
    let first = available(&call, DIGITS, MINUTES)?;
    Ok(File(batch(&call, first, MINUTES, pack_hour).await?.saved_as(file_name(&call, "tar.bz2"))))
}

/// Download a file of a batch.
pub(crate) async fn download(call: Call) -> Result<File> {
    let hash = tokens::opened(&call, DOWNLOAD, call.parameter("token"))?;
    files::bytes(&call, &hash).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn minutes_and_hours_have_names() {
        let minute = beginning("202601311205", 12).unwrap();
        assert_eq!(minute.to_string(), "2026-01-31T12:05:00.000Z");
        assert_eq!(name_of(minute), "202601311205");
        assert_eq!(beginning("2026013112", 10).unwrap().to_string(), "2026-01-31T12:00:00.000Z");
        for text in ["", "2026013112", "202613311205", "202601312505", "2026-1-31205", "20260131120５"] {
            assert_eq!(beginning(text, 12), None, "{text}");
        }
    }

    #[test]
    fn an_hour_is_an_archive_with_a_file_for_each_minute() {
        let parts = vec![(Timestamp(0), b"a\n".to_vec()), (Timestamp(MINUTE_MS), Vec::new())];
        let packed = pack_hour(parts).unwrap();
        let mut plain = Vec::new();
        bzip2::read::BzDecoder::new(packed.as_slice()).read_to_end(&mut plain).unwrap();
        let mut archive = tar::Archive::new(plain.as_slice());
        let found: Vec<(String, String)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let mut entry = entry.unwrap();
                let mut text = String::new();
                entry.read_to_string(&mut text).unwrap();
                (entry.path().unwrap().display().to_string(), text)
            })
            .collect();
        let wanted = [("197001010000", "a\n"), ("197001010001", "")];
        assert_eq!(found, wanted.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }
}
