//! Lock files and the files by which software is built, as they stand at the tips of a history: what is built today,
//! and not what was built once.

use super::Files;
use super::submodules;
use crate::read::mentions::is_in_folder_of_others;
use crate::read::{build_files, lockfiles};
use ambit_git::served::Staged;
use ambit_git::{GitError, ObjectId, Objects, Placed, file, placed};
use ambit_model::entity::repository::Submodule;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// The content of the files at the tips.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    files: Files,
    /// Files that are not among the objects or cannot be read, and folders, whose paths end in a slash.
    missing: BTreeMap<String, Option<ObjectId>>,
    /// Files that are not what their names say, such as one in which a merge was left half done.
    unreadable: Vec<String>,
    /// Files that name more packages than are kept of one.
    larger: Vec<String>,
    /// There are more folders than are gone through.
    is_cut: bool,
    /// Repositories that are nested in this one.
    pub(super) submodules: Vec<Submodule>,
    /// Paths at HEAD of files that hold secrets.
    pub(super) placed: Placed,
}

/// The state of the repository today.
pub(crate) struct Today<'a> {
    pub(crate) tips: &'a [ObjectId],
    pub(crate) head: Option<ObjectId>,
    /// Files that an index names.
    pub(crate) staged: &'a [Staged],
    /// Files that hold secrets.
    pub(crate) holders: &'a HashSet<ObjectId>,
}

/// Reads the files at the tips. What an index names stands before them. Fails if nobody waits any more.
pub(crate) fn standing(objects: &Objects, today: &Today<'_>, stop: &AtomicBool) -> Result<Standing, GitError> {
    let is_wanted = |path: &str| {
        let is_read = lockfiles::is_one(path) || build_files::is_one(path);
        path == submodules::NAMED_IN || (is_read && !is_in_folder_of_others(path))
    };
    let mut found = ambit_git::standing(objects, today.tips, today.staged, &is_wanted, stop)?;
    let named = found.files.remove(submodules::NAMED_IN).and_then(|id| file(objects, &id)).unwrap_or_default();
    let submodules = submodules::of(&found.submodules, &String::from_utf8_lossy(&named));
    let missing = found.missing.into_iter().map(|folder| (folder, None)).collect();
    let placed = today.head.map(|head| placed(objects, head, today.holders, stop)).transpose()?.unwrap_or_default();
    let mut standing = Standing { missing, is_cut: found.is_cut, submodules, placed, ..Standing::default() };
    for (path, id) in found.files {
        if stop.load(Ordering::Relaxed) {
            return Err(GitError::Stopped);
        }
        match file(objects, &id) {
            Some(bytes) => standing.read(path, &String::from_utf8_lossy(&bytes)),
            None => drop(standing.missing.insert(path, Some(id))),
        }
    }
    let is_locked = |path: &String| lockfiles::lock_beside(path).is_some_and(|lock| standing.files.contains_key(&lock));
    let locked: Vec<String> = standing.files.keys().filter(|path| is_locked(path)).cloned().collect();
    locked.iter().for_each(|path| drop(standing.files.remove(path)));
    Ok(standing)
}

impl Standing {
    fn read(&mut self, path: String, text: &str) {
        let (packages, flaws) = (lockfiles::packages(&path, text), build_files::flaws(&path, text));
        if packages.is_none() && lockfiles::is_one(&path) {
            self.unreadable.push(path);
            return;
        }
        let mut packages = packages.unwrap_or_default();
        if packages.len() > lockfiles::PACKAGES_MAX {
            packages.truncate(lockfiles::PACKAGES_MAX);
            self.larger.push(path.clone());
        }
        self.files.insert(path, (packages, flaws.unwrap_or_default()));
    }

    /// Returns whether all of it could be looked at.
    pub(crate) fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }

    /// Returns whether there are more folders than are gone through.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the lock files that are not what their names say.
    pub(crate) fn unreadable(&self) -> &[String] {
        &self.unreadable
    }

    /// Returns the files that are not among the objects, or cannot be read.
    pub(crate) fn missing_files(&self) -> Vec<ObjectId> {
        self.missing.values().copied().flatten().collect()
    }

    /// Returns the lock files that name more packages than are kept of one.
    pub(crate) fn larger(&self) -> &[String] {
        &self.larger
    }

    /// Returns the content of the files. A file that could not be read keeps what was known of it.
    pub(crate) fn over(self, known: &Files) -> Files {
        let mut files = self.files;
        for path in &self.larger {
            let (Some((packages, _)), Some((before, _))) = (files.get_mut(path), known.get(path)) else { continue };
            // Those that are kept are the first: what stood in front of their last and is not among them is gone.
            let last = packages.last().cloned();
            packages.extend(before.iter().filter(|package| Some(*package) > last.as_ref()).cloned());
        }
        for (path, said) in known {
            let is_missing = |missing: &String| match missing.is_empty() || missing.ends_with('/') {
                true => path.starts_with(missing.as_str()),
                false => path == missing,
            };
            let is_unknown = self.is_cut || self.missing.keys().any(is_missing) || self.unreadable.contains(path);
            if !files.contains_key(path) && is_unknown {
                files.insert(path.clone(), said.clone());
            }
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_git::Folder;
    use ambit_model::entity::repository::Package;
    use std::io::Write as _;
    use std::path::Path;
    use std::process::{Command, Stdio};

    fn lock(version: &str) -> String {
        format!(r#"{{"lockfileVersion":3,"packages":{{"node_modules/lodash":{{"version":"{version}"}}}}}}"#)
    }

    const WORKFLOW: &str = "on: issues\njobs:\n  a:\n    steps:\n      - uses: acme/setup@v1\n";

    #[test]
    fn of_a_file_with_more_packages_than_are_kept_what_was_known_behind_them_stands() {
        let names = |from: usize| {
            let rows = (from..from + lockfiles::PACKAGES_MAX + 1)
                .map(|at| format!(r#""node_modules/m{at:05}":{{"version":"1.0.0"}}"#));
            format!(r#"{{"lockfileVersion":3,"packages":{{{}}}}}"#, rows.collect::<Vec<_>>().join(","))
        };
        let path = "package-lock.json".to_owned();
        let package = |name: &str| Package {
            ecosystem: "npm".to_owned(),
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            path: path.clone(),
        };
        let known =
            Files::from([(path.clone(), (vec![package("a-gone"), package("m00001"), package("z")], Vec::new()))]);
        let mut standing = Standing::default();
        standing.read(path.clone(), &names(0));
        assert_eq!(standing.larger(), std::slice::from_ref(&path));
        let (packages, _) = &standing.over(&known)[&path];
        assert_eq!(packages.len(), lockfiles::PACKAGES_MAX + 1);
        assert!(packages.contains(&package("z")), "it may stand behind those that are kept");
        assert!(!packages.contains(&package("a-gone")), "it would stand in front of them");
        let mut all = Standing::default();
        all.read(path.clone(), &names(0).replacen(r#""node_modules/m00000":{"version":"1.0.0"},"#, "", 1));
        assert_eq!((all.larger().len(), all.over(&known)[&path].0.len()), (0, lockfiles::PACKAGES_MAX));
    }

    /// What each commit writes and, where there is no text, takes away.
    type Commits<'a> = &'a [&'a [(&'a str, Option<&'a str>)]];

    /// Makes a repository of commits on `main`.
    fn repository(folder: &Path, commits: Commits<'_>) {
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").stdin(Stdio::piped());
            command.spawn().expect("git is installed")
        };
        assert!(git(&["init", "-q", "--bare", "."]).wait().expect("it ends").success());
        let mut stream = String::new();
        for (files, at) in commits.iter().zip(100..) {
            stream += &format!("commit refs/heads/main\ncommitter A <a@acme.test> {at} +0000\ndata 1\nx\n");
            for (path, text) in *files {
                stream += &match text {
                    Some(text) => format!("M 100644 inline {path}\ndata {}\n{text}\n", text.len()),
                    None => format!("D {path}\n"),
                };
            }
        }
        let mut child = git(&["fast-import", "--quiet"]);
        child.stdin.take().expect("piped").write_all(stream.as_bytes()).expect("it reads");
        assert!(child.wait().expect("it ends").success());
    }

    fn told(files: &Files) -> Vec<String> {
        let packages = |path: &str, (packages, flaws): &(Vec<_>, Vec<_>)| {
            let versions = packages.iter().map(|package: &Package| &package.version);
            let versions: Vec<&str> = versions.map(String::as_str).collect();
            format!("{path}: {}, {} flaws", versions.join(" "), flaws.len())
        };
        files.iter().map(|(path, said)| packages(path, said)).collect()
    }

    fn stands(folder: &Path) -> Standing {
        let found = Folder::open(folder).unwrap();
        let tips = found.beside().unwrap().tips;
        let today = Today { tips: &tips, head: None, staged: &[], holders: &HashSet::new() };
        standing(&Objects::open(&found.objects()).unwrap(), &today, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn files_that_were_moved_copied_or_brought_back_are_read_as_they_stand_today() {
        let (safe, vulnerable) = (lock("4.17.21"), lock("4.17.20"));
        let (safe, vulnerable) = (Some(safe.as_str()), Some(vulnerable.as_str()));
        let (old, new) = (".github/workflows/a.yml", ".github/workflows/b.yml");
        let (one, two) = ("a/package-lock.json", "b/package-lock.json");
        let project = Some("<Project><PackageReference Include=\"N\" Version=\"12.0.1\"/></Project>");
        let nuget = Some(r#"{"version":1,"dependencies":{"net8.0":{"N":{"resolved":"13.0.3"}}}}"#);
        let cases: &[(Commits<'_>, &[&str])] = &[
            (
                &[
                    &[("package-lock.json", vulnerable), (old, Some(WORKFLOW))],
                    &[("package-lock.json", None), (one, vulnerable), (old, None), (new, Some(WORKFLOW))],
                ],
                &[".github/workflows/b.yml: , 1 flaws", "a/package-lock.json: 4.17.20, 0 flaws"],
            ),
            (&[&[(one, vulnerable)], &[(one, safe)], &[(one, vulnerable)]], &["a/package-lock.json: 4.17.20, 0 flaws"]),
            (&[&[(one, safe)], &[(one, vulnerable)], &[(one, safe)]], &["a/package-lock.json: 4.17.21, 0 flaws"]),
            (
                &[&[(one, vulnerable), (two, vulnerable)], &[(one, safe)]],
                &["a/package-lock.json: 4.17.21, 0 flaws", "b/package-lock.json: 4.17.20, 0 flaws"],
            ),
            (
                &[&[("a/A.csproj", project), ("b/B.csproj", project), ("b/packages.lock.json", nuget)]],
                &["a/A.csproj: 12.0.1, 0 flaws", "b/packages.lock.json: 13.0.3, 0 flaws"],
            ),
            (&[&[(one, vulnerable)], &[(one, None), ("a/node_modules/x/package-lock.json", vulnerable)]], &[]),
        ];
        for (commits, expected) in cases {
            let folder = tempfile::tempdir().unwrap();
            repository(folder.path(), commits);
            let standing = stands(folder.path());
            assert!(standing.is_whole());
            assert_eq!(told(&standing.over(&Files::new())), *expected, "{commits:?}");
        }
    }

    #[test]
    fn of_a_file_that_cannot_be_read_what_was_known_stands() {
        let folder = tempfile::tempdir().unwrap();
        let vulnerable = lock("4.17.20");
        repository(folder.path(), &[&[("a/package-lock.json", Some(&vulnerable)), ("b/yarn.lock", Some(""))]]);
        let known = stands(folder.path()).over(&Files::new());
        let folder = tempfile::tempdir().unwrap();
        repository(folder.path(), &[&[("a/package-lock.json", Some("<<<<<<< HEAD")), ("b/yarn.lock", None)]]);
        let standing = stands(folder.path());
        assert_eq!(standing.unreadable(), ["a/package-lock.json"]);
        assert_eq!(told(&standing.over(&known)), ["a/package-lock.json: 4.17.20, 0 flaws"]);
        for (missing, expected) in [("", 2), ("a/", 1), ("b/yarn.lock", 1), ("b", 0), ("a/package", 0)] {
            let standing = Standing { missing: [(missing.to_owned(), None)].into(), ..Standing::default() };
            assert!(!standing.is_whole());
            assert_eq!(standing.over(&known).len(), expected, "{missing:?}");
        }
        let cut = Standing { is_cut: true, ..Standing::default() };
        assert_eq!(cut.over(&known).len(), 2, "of what was not gone through nothing is known");
    }
}
