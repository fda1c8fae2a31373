//! Looks at repositories that a server on loopback hands out by their files.

use super::facts;
use super::walk::{Application, nothing};
use crate::Answer;
use ambit_model::Kind;
use serde_json::json;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=A", "-c", "user.email=a@acme.test"]).args(arguments);
    assert!(command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().expect("git is installed").status.success());
}

/// A site that hands out the `.git` of a folder, without the file that is kept.
fn handed_out(folder: &Path, kept: &'static str) -> Application {
    let folder = folder.to_owned();
    Application::start(move |target, _| match std::fs::read(folder.join(target.trim_start_matches('/'))) {
        Ok(bytes) if !target.ends_with(kept) => (200, "Content-Type: text/plain\r\n".to_owned(), bytes),
        _ => nothing(),
    })
}

#[test]
fn objects_are_put_together_where_one_file_alone_tells_by_what_they_are_named() {
    for format in ["sha1", "sha256"] {
        for (is_packed, told) in [(false, "index"), (true, "objects/info/packs")] {
            let folder = tempfile::tempdir().unwrap();
            git(folder.path(), &["init", "-q", &format!("--object-format={format}"), "."]);
            std::fs::write(folder.path().join("app.env"), "API=https://api.acme.test/v1").unwrap();
            git(folder.path(), &["add", "."]);
            git(folder.path(), &["commit", "-q", "-m", "x"]);
            if is_packed {
                git(folder.path(), &["repack", "-q", "-a", "-d"]);
                git(folder.path(), &["update-server-info"]);
            }
            let path = folder.path().to_owned();
            let site = Application::start(move |target, _| {
                let file = target.trim_start_matches("/.git/");
                let is_object = file.starts_with("objects/") && !file.starts_with("objects/info/");
                match std::fs::read(path.join(".git").join(file)) {
                    Ok(bytes) if is_object || file == told => (200, "Content-Type: text/plain\r\n".to_owned(), bytes),
                    _ => nothing(),
                }
            });
            let repository = facts(Kind::GitRepository, &format!("{}/.git", site.url()), json!({}));
            let (answer, found) = site.look_at("exposed_repository", repository, None, &[]);
            assert_eq!(answer, Ok(Answer::Found), "{format} {told}");
            let served = &found.details["hidden_served"];
            let (objects, packs) = if is_packed { (0, 1) } else { (1, 0) };
            let came = ["objects", "packs"].map(|count| served[count].as_u64());
            assert_eq!(came, [Some(objects), Some(packs)], "{format} {told}: {served}");
        }
    }
}

#[test]
fn a_repository_is_put_together_whatever_hash_names_its_objects() {
    for format in ["sha1", "sha256"] {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", &format!("--object-format={format}"), "."]);
        std::fs::write(folder.path().join("app.env"), "API=https://api.acme.test/v1").unwrap();
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "-q", "-m", "x"]);
        for (is_packed, kept) in [(false, "/none"), (false, "/config"), (false, "/index"), (true, "/none")] {
            if is_packed {
                git(folder.path(), &["repack", "-q", "-a", "-d"]);
                git(folder.path(), &["update-server-info"]);
            }
            let site = handed_out(folder.path(), kept);
            let repository = facts(Kind::GitRepository, &format!("{}/.git", site.url()), json!({}));
            let (answer, found) = site.look_at("exposed_repository", repository, None, &[]);
            assert_eq!(answer, Ok(Answer::Found), "{format} {kept}");
            let served = &found.details["hidden_served"];
            let (objects, packs) = if is_packed { (0, 1) } else { (3, 0) };
            let came = ["objects", "packs", "missing"].map(|count| served[count].as_u64());
            assert_eq!(came, [Some(objects), Some(packs), Some(0)], "{format} {kept}: {served}");
            assert!(found.edges.iter().any(|edge| edge.name.contains("api.acme.test")), "{:?}", found.edges);
        }
    }
}
