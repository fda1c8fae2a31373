//! `ambit packs`: what the operator loads. Rules in the language YARA and lists of hashes judge files: each is an
//! engine in the results of analyses, from the next analysis on. Files of recog and webappanalyzer and templates of
//! nuclei tell products, anew out of what is stored too. Files of gitleaks tell secrets. Lists of platforms say which
//! addresses many customers share. Feeds of vulnerabilities say what is known of products: what is stored is judged
//! again at once.

mod download;
mod feeds;
mod fingerprints;
mod judging;
mod platforms;
mod secrets;
mod update;

use crate::args::Data;
use crate::clock::now;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::output::{Results, hint, plain};
use ambit_store::{PackContent, StoreError};
use ambit_yara::{PACK, Rules, Source};
use fingerprints::{Fingerprints, fingerprints, tells_products};
use platforms::{Platforms, lists_platforms, platforms};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Endings of files with rules.
const RULE_ENDINGS: [&str; 4] = ["yar", "yara", "rule", "rules"];
/// Folders inside each other that are searched for rules.
const DEPTH_MAX: usize = 8;
/// Files of one pack.
const FILES_MAX: usize = 20_000;
/// Bytes of a list of hashes: some millions of them.
const LIST_BYTES_MAX: u64 = 512 << 20;
/// Characters of a pack's name, and of what is known of a hash.
const NAME_CHARS_MAX: usize = 64;
const LABEL_CHARS_MAX: usize = 200;
/// Characters of a version.
const VERSION_CHARS: usize = 8;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Packs {
    /// Load packs; one of the same name is replaced. Can be used while a server is running.
    Add {
        #[command(flatten)]
        data: Data,
        /// A file (its type is detected) or a folder of files: a vulnerability feed (answers of NVD 2.0, CVE 5 records,
        /// the KEV catalogue, EPSS scores, OSV records, the list of retire.js, files of endoflife.date; plain, or
        /// compressed as .gz, .zst or .zip), a bundle of packs, rules that detect products (recog, webappanalyzer,
        /// technology templates of nuclei), rules that detect secrets (gitleaks, .toml), ranges and names of CDNs and
        /// clouds (data of cdncheck, ranges that Amazon and Google publish), YARA rules (.yar, .yara), or a list of
        /// hashes (SHA-256, SHA-1 or MD5, one per line, each followed by what is known about it). In a folder of rules
        /// that detect products, broken files are named and skipped.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// The pack's name (default: that of the file or folder).
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Download vulnerability feeds and load those that changed: kev (CISA), epss (FIRST.org), endoflife
    /// (endoflife.date), retire (retire.js), osv (one pack per package registry), nvd (one pack per year) and cve5 (all
    /// CVE 5 records). Default: all feeds, except cve5, which needs `packs_mirror` (a server with the same files).
    /// Interrupted downloads are resumed.
    Update {
        #[command(flatten)]
        data: Data,
        /// Feeds to load: kev, epss, endoflife, retire, osv, osv-REGISTRY, nvd, nvd-YEAR, or cve5.
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Write all vulnerability packs into one file, which `ambit packs add` loads on a machine without a network.
    Bundle {
        #[command(flatten)]
        data: Data,
        /// The file to write.
        file: PathBuf,
    },
    /// List the packs.
    List {
        #[command(flatten)]
        data: Data,
    },
    /// Remove a pack.
    Remove {
        #[command(flatten)]
        data: Data,
        /// The pack's name.
        name: String,
    },
}

/// Runs the command.
pub(crate) async fn run(packs: &Packs, settings: &Settings) -> Result<()> {
    let mut results = Results::open(None)?;
    match packs {
        Packs::Add { data, paths, name } => add(data, settings, paths, name.as_deref(), &mut results).await?,
        Packs::Update { data, names } => update::update(data, settings, names, &mut results).await?,
        Packs::Bundle { data, file } => {
            let packs = feeds::of(data, settings)?;
            if packs.list().map_err(feeds::refused)?.is_empty() {
                let remedy = "`ambit packs update` or `ambit packs add PATH` loads feeds";
                return Err(Failure::usage(format!("there is no pack of vulnerabilities to bundle: {remedy}")));
            }
            let count = packs.bundle(file).map_err(feeds::refused)?;
            results.line(&format!("{}  {count} packs", file.display()))?;
        }
        Packs::List { data } => {
            let (store, _) = crate::local_store::folder(data, settings).await?;
            let packs = store.list_packs().await?;
            let vulnerabilities = feeds::of(data, settings)?.list().map_err(feeds::refused)?;
            if packs.is_empty() && vulnerabilities.is_empty() {
                hint("no packs: ambit packs add PATH loads one");
            }
            for pack in packs {
                results.line(&format!(
                    "{}  {} {}  version {}  loaded {}",
                    pack.name,
                    pack.entries,
                    pack.kind,
                    pack.version,
                    pack.loaded_at.date()
                ))?;
            }
            for pack in vulnerabilities {
                results.line(&feeds::line(&pack))?;
            }
        }
        Packs::Remove { data, name } => {
            let (store, principal) = crate::local_store::folder(data, settings).await?;
            let vulnerabilities = feeds::of(data, settings)?;
            if vulnerabilities.remove(name).map_err(feeds::refused)? {
                vulnerabilities.rebuild().map_err(feeds::refused)?;
                judging::judge_again(data, settings, &store).await?;
            } else {
                store.remove_pack(&principal, name).await.map_err(|error| match error {
                    StoreError::NotFound => {
                        Failure::not_found(format!("no pack is named {}; `ambit packs list` shows them", plain(name)))
                    }
                    error => error.into(),
                })?;
                judging::judge_again(data, settings, &store).await?;
            }
            results.line(&format!("{name} is removed"))?;
        }
    }
    results.finish()
}

/// Loads packs, each under its name, and makes the index of vulnerabilities anew where one of them has any.
async fn add(
    data: &Data,
    settings: &Settings,
    paths: &[PathBuf],
    name: Option<&str>,
    results: &mut Results,
) -> Result<()> {
    if name.is_some() && paths.len() > 1 {
        return Err(Failure::usage("--name is for one pack: add the paths one at a time"));
    }
    if name.is_none() {
        refuse_one_name(paths)?;
    }
    let (store, principal) = crate::local_store::folder(data, settings).await?;
    let (known, vulnerabilities) = (store.list_packs().await?, feeds::of(data, settings)?);
    let (mut loaded, mut judged, mut refused) = (false, false, 0);
    for path in paths {
        if feeds::is_bundle(path)? {
            loaded = true;
            feeds::unbundle(&vulnerabilities, path, results)?;
            continue;
        }
        let name = name.map_or_else(|| name_of(path), |name| Ok(name.to_owned()))?;
        check_name(&name)?;
        let files = feed_files(path)?;
        let is_known = if files.is_empty() {
            vulnerabilities.list().map_err(feeds::refused)?.iter().any(|pack| pack.name == name)
        } else {
            known.iter().any(|pack| pack.name == name)
        };
        if is_known {
            let remedy = "choose another with --name, or remove the existing one";
            return Err(Failure::usage(format!("a pack of another type is named {name}: {remedy}")));
        }
        let said = if files.is_empty() {
            let ((version, content, said), left_out) = content_of(path, &name)?;
            refused += left_out;
            judged |= matches!(content, PackContent::Fingerprints { .. });
            store.load_pack(&principal.at(now()), &name, &version, content).await?;
            said
        } else {
            loaded = true;
            feeds::add(&vulnerabilities, &name, &files)?
        };
        results.line(&format!("{name}  {said}"))?;
    }
    if loaded {
        vulnerabilities.rebuild().map_err(feeds::refused)?;
    }
    if loaded || judged {
        judging::judge_again(data, settings, &store).await?;
    }
    match refused {
        0 => Ok(()),
        1 => Err(Failure::partial("1 file was left out, as reported above; the others are loaded".to_owned())),
        _ => Err(Failure::partial(format!("{refused} files were left out, as reported above; the others are loaded"))),
    }
}

/// Returns version and content of a pack of rules, lists or hashes, what is said of it, and how many of its files are
/// left out. Fails where it is none, or where it holds two sorts.
fn content_of(path: &Path, name: &str) -> Result<((String, PackContent, String), usize)> {
    match (secrets::secrets(path)?, fingerprints(path)?, platforms(path)?) {
        (Some(found), None, None) => Ok((leaked(found), 0)),
        (None, Some(found), None) => {
            let left_out = found.refused;
            Ok((told(found), left_out))
        }
        (None, None, Some(found)) => Ok((listed(found), 0)),
        (None, None, None) => Ok((read(path, name)?, 0)),
        _ => {
            let why = "holds more than one of rules that detect secrets, rules that detect products, and lists of \
                       platforms: add them one by one";
            Err(Failure::usage(format!("{} {why}", path.display())))
        }
    }
}

/// Refuses paths that would replace one another, since each gives its pack its name.
fn refuse_one_name(paths: &[PathBuf]) -> Result<()> {
    let mut names = BTreeSet::new();
    for path in paths {
        if !feeds::is_bundle(path)? && !names.insert(name_of(path)?) {
            let remedy = "add them one by one, with --name for the second";
            return Err(Failure::usage(format!(
                "{} would have the same name as another of these paths: {remedy}",
                path.display()
            )));
        }
    }
    Ok(())
}

/// The feeds that a path holds; none where it holds something else. A folder with rules is none of feeds; else its
/// first file tells what all are.
fn feed_files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_dir() && fingerprints::holds_rules(path)? {
        return Ok(Vec::new());
    }
    let files = if path.is_dir() { feeds::feeds(path)? } else { vec![path.to_owned()] };
    let Some(first) = files.first() else { return Ok(files) };
    let may_be_feed = !has_rules(first) && !secrets::may_hold(first) && feeds::is_feed(first)?;
    let is_feed = may_be_feed && !tells_products(first)? && !lists_platforms(first)?;
    Ok(if is_feed { files } else { Vec::new() })
}

/// Returns the version and content of rules that detect products, and a description of them.
fn told(found: Fingerprints) -> (String, PackContent, String) {
    let Fingerprints { sources, rules, .. } = found;
    let said = format!("{rules} fingerprints of {} files", sources.len());
    let version = version(sources.iter().map(|(_, text)| text.as_str()));
    (version, PackContent::Fingerprints { sources, rules }, said)
}

/// Returns the version and content of rules that detect secrets, and a description of them.
fn leaked(found: secrets::Secrets) -> (String, PackContent, String) {
    let secrets::Secrets { sources, rules } = found;
    let said = format!("{rules} rules for secrets of {} files", sources.len());
    let version = version(sources.iter().map(|(_, text)| text.as_str()));
    (version, PackContent::Secrets { sources, rules }, said)
}

/// Returns the version and content of lists of platforms, and a description of them.
fn listed(found: Platforms) -> (String, PackContent, String) {
    let Platforms { sources, entries } = found;
    let said = format!("{entries} ranges and names of platforms in {} files", sources.len());
    let version = version(sources.iter().map(|(_, text)| text.as_str()));
    (version, PackContent::Platforms { sources, entries }, said)
}

fn name_of(path: &Path) -> Result<String> {
    let stem = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let name = stem.and_then(|stem| stem.to_str()).map(str::to_owned);
    name.ok_or_else(|| Failure::usage(format!("no name follows from {}: choose one with --name", path.display())))
}

fn check_name(name: &str) -> Result<()> {
    let good = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    if !name.is_empty() && name.len() <= NAME_CHARS_MAX && name.chars().all(good) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "a pack cannot be named {name:?}: at most {NAME_CHARS_MAX} letters, digits and . _ - +; \
         choose another with --name"
    )))
}

/// Version and content of a pack, and what is said of it.
fn read(path: &Path, name: &str) -> Result<(String, PackContent, String)> {
    let files = if path.is_dir() { some_rule_files(path)? } else { vec![path.to_owned()] };
    if !path.is_dir() && !has_rules(path) {
        if fingerprints::may_hold(path) {
            let why = "no known rules: expected a file of recog or webappanalyzer, a template of nuclei, or a list of \
                       platforms";
            return Err(Failure::usage(format!("{}: {why}", path.display())));
        }
        let text = text_of(path, LIST_BYTES_MAX)?;
        let hashes = hashes(&text, path, name)?;
        let said = format!("{} hashes", hashes.len());
        return Ok((version([text.as_str()]), PackContent::Hashes(hashes), said));
    }
    let mut sources = Vec::new();
    for file in &files {
        let below = file.strip_prefix(path).ok().filter(|below| !below.as_os_str().is_empty());
        let name = below.unwrap_or(Path::new(file.file_name().unwrap_or_default())).display().to_string();
        sources.push((name, text_of(file, PACK.source_bytes as u64)?));
    }
    let texts: Vec<Source<'_>> = sources.iter().map(|(name, text)| Source { name, text }).collect();
    let rules = compiled(&texts).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let count = rules.count();
    let version = version(sources.iter().map(|(_, text)| text.as_str()));
    let rules = i64::try_from(count).unwrap_or(i64::MAX);
    Ok((version, PackContent::Rules { sources, rules }, format!("{count} rules of {} files", files.len())))
}

/// On a thread with the stack that the compiler needs.
fn compiled(sources: &[Source<'_>]) -> Result<Rules, String> {
    let bytes = sources.iter().map(|source| source.text.len()).sum();
    let thread = std::thread::Builder::new().stack_size(PACK.stack_bytes(bytes));
    std::thread::scope(|scope| {
        let compiling = thread.spawn_scoped(scope, || ambit_yara::compile(sources, &PACK));
        let ended =
            compiling.map_err(|error| format!("no thread could be started to compile the rules: {error}"))?.join();
        let ended = ended.map_err(|_| "the compiler failed on these rules".to_owned())?;
        ended.map_err(|error| error.to_string())
    })
}

fn version<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.as_bytes());
    }
    hex::encode(hash.finalize())[..VERSION_CHARS].to_owned()
}

fn has_rules(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    ending.is_some_and(|ending| RULE_ENDINGS.contains(&ending.as_str()))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::run_time(format!("{} cannot be read: {error}", path.display()))
}

/// A file as text; bytes that are no UTF-8 become signs that say so, as in comments of old rules.
fn text_of(path: &Path, most: u64) -> Result<String> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    // What is no file on a disk may never end.
    if read.map_err(|error| unreadable(path, &error))? as u64 > most {
        return Err(Failure::usage(format!("{} is larger than the limit of {most} bytes", path.display())));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Every file with rules in a folder and below it; there must be one.
fn some_rule_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = files_below(folder, FILES_MAX, &has_rules)?;
    if files.is_empty() {
        return Err(Failure::usage(format!("{} has no file with rules (.yar, .yara)", folder.display())));
    }
    Ok(files)
}

/// Every file of a kind in a folder and below it, in the order of their names; `most` at most.
fn files_below(folder: &Path, most: usize, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))? {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(|error| unreadable(&folder, &error))?);
            // A link to a folder may lead back up. What is no file, such as a pipe, may never end.
            if kind.is_dir() && depth < DEPTH_MAX {
                folders.push((path, depth + 1));
            } else if path.is_file() && is_wanted(&path) {
                out.push(path);
            }
        }
    }
    out.sort();
    if out.len() > most {
        let count = out.len();
        return Err(Failure::usage(format!("{} has {count} files, at most {most} make a pack", folder.display())));
    }
    Ok(out)
}

/// Lines of a hash and what is known of it; `#` begins a comment.
fn hashes(text: &str, path: &Path, name: &str) -> Result<Vec<(String, String)>> {
    let mut out = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let end = line.find(|c: char| c.is_whitespace() || ",;".contains(c)).unwrap_or(line.len());
        let (hash, rest) = line.split_at(end);
        if ![32, 40, 64].contains(&hash.len()) || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let remedy = "expected a SHA-256, SHA-1 or MD5 in hexadecimal, then a blank and what is known of it";
            return Err(Failure::usage(format!(
                "{}, line {}: {hash:?} is no hash: {remedy}",
                path.display(),
                index + 1
            )));
        }
        let label = rest.trim_matches(|c: char| c.is_whitespace() || ",;\"".contains(c));
        let label = if label.is_empty() { name } else { label };
        out.push((hash.to_ascii_lowercase(), label.chars().take(LABEL_CHARS_MAX).collect()));
    }
    if out.is_empty() {
        return Err(Failure::usage(format!("{} has no hash", path.display())));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_a_hash_a_line() {
        let read = |text: &str| hashes(text, Path::new("bad.txt"), "bad").map_err(|failure| failure.to_string());
        let (md5, sha256) = ("9E107D9D372BB6826BD81D3542A419D6", "a".repeat(64));
        let text = format!("# known\n{md5}  Trojan.Test\n\n{sha256},\"Worm\"\n{sha256}\n");
        let expected = [(md5.to_lowercase(), "Trojan.Test"), (sha256.clone(), "Worm"), (sha256, "bad")];
        assert_eq!(read(&text).unwrap(), expected.map(|(hash, label)| (hash, label.to_owned())));
        assert!(read("# only\nxyz bad").unwrap_err().starts_with("bad.txt, line 2: \"xyz\" is no hash"));
        assert!(read("").is_err());
    }
}
