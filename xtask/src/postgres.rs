//! A private PostgreSQL for one command: made in a temporary folder, on a free loopback port with a password of its
//! own, gone afterwards, also when this program is killed. It never touches a server that is installed.

use crate::debian;
use anyhow::{Context as _, ensure};
use std::fs;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

/// What `AMBIT_TEST_POSTGRES` tells a test: the address of a server in which it may make databases.
const VARIABLE: &str = "AMBIT_TEST_POSTGRES";

/// The database's own account; it exists only inside the private server.
const ROLE: &str = "ambit";

/// A port that was free a moment ago can be taken by another process: that often we look for another one.
const PORT_ATTEMPTS_MAX: u32 = 5;

/// Runs `command` with the address of a private server in its environment, and answers with its exit code.
pub(crate) fn run_beside(command: &[&str]) -> anyhow::Result<ExitCode> {
    let programs = programs()?;
    let cluster = Cluster::start(&programs)?;
    let outcome = crate::run(command, VARIABLE, cluster.url.as_ref())?;
    cluster.stop()?;
    Ok(outcome)
}

/// A running server in a folder of its own.
struct Cluster {
    url: String,
    /// Waits until its input ends, then stops the server and removes the folder: that happens even if we are killed.
    keeper: Child,
}

impl Cluster {
    fn start(programs: &Path) -> anyhow::Result<Cluster> {
        let account = Account::choose()?;
        let folder = std::env::temp_dir().join(format!("ambit-postgres-{}", std::process::id()));
        fs::create_dir(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        let keeper = keeper(programs, &folder, &account)?;
        let password = password()?;
        let password_file = folder.join("password");
        fs::write(&password_file, &password)?;
        account.own(&folder)?;
        account.own(&password_file)?;
        account.run(&programs.join("initdb"), |initdb| {
            initdb.arg("--pgdata").arg(folder.join("data")).arg("--pwfile").arg(&password_file);
            initdb.args(["--username", ROLE, "--auth", "password", "--encoding", "UTF8", "--locale", "C", "--no-sync"]);
        })?;
        let port = start_server(programs, &folder, &account)?;
        let url = format!("postgres://{ROLE}:{password}@127.0.0.1:{port}/postgres");
        Ok(Cluster { url, keeper })
    }

    fn stop(mut self) -> anyhow::Result<()> {
        drop(self.keeper.stdin.take());
        let status = self.keeper.wait()?;
        ensure!(status.success(), "the private PostgreSQL did not stop: {status}");
        Ok(())
    }
}

/// Tests need no durability of the machine: a crash test kills our process, not the server.
const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
fsync = off
full_page_writes = off
synchronous_commit = off
max_connections = 400
shared_buffers = 128MB
max_wal_size = 2GB
autovacuum_naptime = 10min
log_min_messages = fatal
";

fn start_server(programs: &Path, folder: &Path, account: &Account) -> anyhow::Result<u16> {
    let mut settings = fs::OpenOptions::new().append(true).open(folder.join("data/postgresql.conf"))?;
    writeln!(settings, "{SETTINGS}unix_socket_directories = '{}'", folder.display())?;
    let mut last = None;
    for _ in 0..PORT_ATTEMPTS_MAX {
        let port = free_port()?;
        let started = account.run(&programs.join("pg_ctl"), |pg_ctl| {
            pg_ctl.arg("--pgdata").arg(folder.join("data")).arg("--log").arg(folder.join("log"));
            pg_ctl.arg("--options").arg(format!("-p {port}")).args(["--wait", "--silent", "start"]);
        });
        match started {
            Ok(()) => return Ok(port),
            Err(error) => last = Some(error),
        }
    }
    let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
    Err(last.expect("at least one attempt").context(log))
}

fn free_port() -> anyhow::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no loopback port is free")?;
    Ok(listener.local_addr()?.port())
}

/// 128 bits from the system: other people of the machine reach the port, too.
fn password() -> anyhow::Result<String> {
    let mut bytes = [0u8; 16];
    std::io::Read::read_exact(&mut fs::File::open("/dev/urandom")?, &mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn keeper(programs: &Path, folder: &Path, account: &Account) -> anyhow::Result<Child> {
    // After the program and the folder come the words that make us the other account.
    let script = r#"
        pg_ctl=$1; folder=$2; shift 2
        while read -r _; do :; done
        if [ -f "$folder/data/postmaster.pid" ]; then
            "$@" "$pg_ctl" --pgdata "$folder/data" --mode immediate --wait --silent stop
        fi
        rm -rf "$folder""#;
    let mut keeper = Command::new("sh");
    keeper.args(["-c", script, "keeper"]).arg(programs.join("pg_ctl")).arg(folder).args(account.prefix());
    // A group of its own, so that an interrupt at the terminal ends us and not the one that cleans up.
    let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).current_dir("/").process_group(0);
    keeper.spawn().context("sh cannot be started")
}

/// Whom the server runs as: PostgreSQL refuses root.
struct Account {
    /// User and group ids, where we are root and become somebody else.
    other: Option<(u32, u32)>,
}

impl Account {
    fn choose() -> anyhow::Result<Account> {
        if id(&["-u"])? != 0 {
            return Ok(Account { other: None });
        }
        let names = ["postgres", "nobody"];
        let found = names.iter().find_map(|name| Some((id(&["-u", name]).ok()?, id(&["-g", name]).ok()?)));
        Ok(Account { other: Some(found.context("PostgreSQL does not run as root, and there is no user `nobody`")?) })
    }

    fn prefix(&self) -> Vec<String> {
        let Some((user, group)) = self.other else { return Vec::new() };
        vec!["setpriv".into(), format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".into()]
    }

    fn own(&self, path: &Path) -> anyhow::Result<()> {
        let Some((user, group)) = self.other else { return Ok(()) };
        chown(path, Some(user), Some(group)).with_context(|| format!("{} cannot be given away", path.display()))
    }

    /// Runs a program as this account; it must succeed.
    fn run(&self, program: &Path, arguments: impl Fn(&mut Command)) -> anyhow::Result<()> {
        let prefix = self.prefix();
        let mut command = match prefix.split_first() {
            None => Command::new(program),
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        arguments(&mut command);
        // The server inherits these: a pipe would stay open as long as it runs.
        command.stdin(Stdio::null()).stdout(Stdio::null()).current_dir("/");
        let status = command.status().with_context(|| format!("{} cannot be started", program.display()))?;
        ensure!(status.success(), "{}: {status}", program.display());
        Ok(())
    }
}

fn id(arguments: &[&str]) -> anyhow::Result<u32> {
    let answer = Command::new("id").args(arguments).stderr(Stdio::null()).output().context("id cannot be started")?;
    Ok(String::from_utf8(answer.stdout)?.trim().parse()?)
}

/// The folder of PostgreSQL's programs; installs the package where that is possible.
fn programs() -> anyhow::Result<PathBuf> {
    if let Some(folder) = find_programs() {
        return Ok(folder);
    }
    debian::install(&["postgresql"], "the tests need the server of PostgreSQL")?;
    find_programs().context("the package postgresql brought no initdb")
}

/// On the search path, else where Debian keeps the newest.
fn find_programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut versions: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|entries| entries.flatten().map(|entry| entry.path().join("bin")).collect())
        .unwrap_or_default();
    versions.sort_by_key(|folder| std::cmp::Reverse(version_of(folder)));
    folders.extend(versions);
    folders.into_iter().find(|folder| folder.join("initdb").is_file() && folder.join("pg_ctl").is_file())
}

fn version_of(folder: &Path) -> u32 {
    let name = folder.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    name.and_then(|name| name.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_versions_come_first() {
        assert!(
            version_of(Path::new("/usr/lib/postgresql/15/bin")) > version_of(Path::new("/usr/lib/postgresql/9/bin"))
        );
        assert_eq!(version_of(Path::new("/usr/lib/postgresql/x/bin")), 0);
    }

    #[test]
    fn a_password_is_never_the_same() {
        assert_ne!(password().unwrap(), password().unwrap());
        assert_eq!(password().unwrap().len(), 32);
    }
}
