//! Lists the files of the built web interface, `web/dist/`, which `make` fills. Without them the program has no
//! interface, and its page says so.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    // Read when the script runs: a checkout may have been moved since it was compiled.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let folder = Path::new(&root).join("../../web/dist");
    // A folder that is not there would make cargo run this at each build. Where it cannot be made, cargo does.
    std::fs::create_dir_all(&folder).ok();
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, &mut files).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&folder).expect("it was found there").to_string_lossy().replace('\\', "/");
        writeln!(list, "    ({name:?}, include_bytes!({file:?})),").expect("a text takes text");
    }
    list.push_str("]\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("interface.rs"), list)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
