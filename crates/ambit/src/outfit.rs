//! What settings and flags give to runs: how the live network is asked, and what tasks are given beside facts.

use crate::config::Settings;
use crate::failure::Failure;
use crate::output::hint;
use ambit_net::live::LiveOptions;
use std::io::Read as _;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// Longest list of labels, in bytes.
const WORDS_BYTES_MAX: u64 = 16 << 20;
/// Largest database of places: it is held in memory.
const GEO_BYTES_MAX: u64 = 512 << 20;

/// The resolvers to ask (`resolver`) and the authorities to trust besides the system's (`ca`).
///
/// # Errors
/// A resolver that is no address.
pub(crate) fn live(settings: &Settings) -> Result<LiveOptions, Failure> {
    let mut options = LiveOptions::default();
    for text in list(settings, "resolver") {
        options.resolvers.push(resolver(text)?);
    }
    options.authorities.extend(list(settings, "ca").map(PathBuf::from));
    Ok(options)
}

/// What tasks are given: the databases of places (`geo`) and more labels for the name sweep (`words`).
///
/// # Errors
/// A file that cannot be read, that is too large or that is not what it should be.
pub(crate) fn tasks(settings: &Settings) -> Result<ambit_tasks::Settings, Failure> {
    let mut given = ambit_tasks::Settings::default();
    for path in list(settings, "geo") {
        let bytes = read_bytes(Path::new(path), GEO_BYTES_MAX)?;
        given
            .add_geo(bytes)
            .map_err(|error| Failure::usage(format!("setting geo: {path} {error}")))?;
    }
    for path in list(settings, "words") {
        let text = read_text(Path::new(path), WORDS_BYTES_MAX)?;
        let refused = given
            .add_words(&text)
            .map_err(|error| Failure::usage(format!("setting words: {path} {error}")))?;
        if let Some(first) = refused.first() {
            hint(&format!(
                "ambit: {path}: {} lines hold no label and are left out, the first is line {first}",
                refused.len()
            ));
        }
    }
    Ok(given)
}

/// The parts of a setting that is a list by commas.
fn list<'a>(settings: &'a Settings, name: &str) -> impl Iterator<Item = &'a str> {
    let parts = settings.get(name).into_iter().flat_map(|list| list.split(','));
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// Reads a resolver's address; the port is 53 where none is given.
pub(crate) fn resolver(text: &str) -> Result<SocketAddr, Failure> {
    const PORT: u16 = 53;
    let parsed = text
        .parse::<SocketAddr>()
        .ok()
        .or_else(|| text.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, PORT)));
    parsed.ok_or_else(|| Failure::usage(format!("resolver {text:?}: expected an address such as 192.0.2.53 or 192.0.2.53:5353")))
}

/// Reads a text file of at most so many bytes.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, Failure> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|_| Failure::usage(format!("{} is not UTF-8 text", path.display())))
}

fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: std::io::Error| Failure::usage(format!("cannot read {}: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(Failure::usage(format!("{} is larger than {} MiB", path.display(), limit >> 20)));
    }
    Ok(bytes)
}
