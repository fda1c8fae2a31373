//! Lists the files of `worlds/exposures/`, so that a new one needs no line anywhere.

use std::fmt::Write as _;
use std::path::Path;

fn main() -> std::io::Result<()> {
    // Read when the script runs: a checkout may have been moved since it was compiled.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let folder = Path::new(&root).join("../../worlds/exposures");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = std::fs::read_dir(&folder)?.map(|file| Ok(file?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let issue = file.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(list, "    ({issue:?}, include_str!({file:?})),").expect("a text takes text");
    }
    list.push_str("]\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("exposures.rs"), list)
}
