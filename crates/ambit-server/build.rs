//! Collects what each handler says of itself: the first paragraph of its documentation is what its row says.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    // Read when the script runs: a checkout may have been moved since it was compiled.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let folder = Path::new(&root).join("src/routes");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut list = String::from("&[\n");
    collect(&folder, "", &mut list)?;
    list.push_str("]\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("summaries.rs"), list)
}

/// Adds the functions of the files of a folder, whose path in the crate stands before their names.
fn collect(folder: &Path, prefix: &str, list: &mut String) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        let name = format!("{prefix}{}", path.file_stem().unwrap_or_default().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&path, &format!("{name}::"), list)?;
            continue;
        }
        let mut paragraphs = vec![String::new()];
        for line in std::fs::read_to_string(&path)?.lines() {
            if let Some(text) = line.strip_prefix("///") {
                match paragraphs.last_mut().filter(|_| !text.trim().is_empty()) {
                    Some(last) => last.push_str(text),
                    None => paragraphs.push(String::new()),
                }
                continue;
            }
            let function = line.split_once("async fn ").and_then(|(_, rest)| rest.split_once('('));
            let summary = paragraphs[0].trim();
            if let Some((function, _)) = function.filter(|_| !summary.is_empty()) {
                writeln!(list, "    (\"::{name}::{function}\", {summary:?}),").expect("a text takes text");
            }
            paragraphs = vec![String::new()];
        }
    }
    Ok(())
}
