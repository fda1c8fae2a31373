//! One test program: its list of tests, and a run of it that ends.

use super::Outcome;
use super::progress::{Progress, Verdict};
use anyhow::{Context as _, ensure};
use std::io::{BufRead as _, BufReader, Read};
use std::num::NonZeroUsize;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a test may take, in time of a quiet machine: several times the longest, as a slow machine needs for that
/// nearly three times as long as another. Where more threads want to run than there are processors, time counts as
/// little as each of them gets of it, so that no test fails because others are busy.
pub(crate) const QUIET_TIME_MAX: Duration = Duration::from_secs(900);

/// Tests of a program that run at once, for each processor: they wait for clocks, disks and each other for half of
/// their time.
const AT_ONCE: usize = 2;

/// Between two looks at the time.
const LOOK: Duration = Duration::from_millis(200);

/// How long a program may take from the end of its output to its own, and the other way round.
const EXIT_TIME_MAX: Duration = Duration::from_secs(10);

/// Times that a program is begun again after it was killed or fell; what has not ended by then has failed. Where
/// everything hangs, that bounds the wait.
const AGAIN_MAX: usize = 3;

/// A program that cargo built for tests.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// The folder of its package, in which its tests run.
    pub(crate) folder: PathBuf,
    pub(crate) name: String,
}

/// Bytes that must be free in memory for the files of tests.
const MEMORY_MIN: u64 = 4 << 30;

/// Where files of tests are kept in memory, where there is enough: databases wait for the disk at each commit, and a
/// test has nothing from it that its files survive the machine. A folder that somebody chose stays.
fn folder_in_memory() -> Option<&'static str> {
    static FOLDER: LazyLock<Option<&str>> = LazyLock::new(|| {
        let shown = Command::new("df").args(["--output=avail", "--block-size=1", MEMORY]).output().ok()?;
        let free: u64 = String::from_utf8(shown.stdout).ok()?.lines().nth(1)?.trim().parse().ok()?;
        (free >= MEMORY_MIN && std::env::var_os("TMPDIR").is_none()).then_some(MEMORY)
    });
    *FOLDER
}

/// The file in which tests note what they ask of PostgreSQL, for the test that looks at its plans afterwards.
pub(crate) fn statements() -> PathBuf {
    std::env::temp_dir().join(format!("ambit-statements-{}", std::process::id()))
}

/// Files here are in memory on Linux.
const MEMORY: &str = "/dev/shm";

/// How a run of a program ended.
enum Ending {
    /// By itself.
    Exit(ExitStatus),
    /// It was killed, as these tests did not end.
    Overdue(Vec<String>),
}

impl Program {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        crate::forget_ourselves(&mut command);
        // A statement of the store that reads more the more there is fails the test that asks it.
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).env("AMBIT_TEST_PLANS", "refuse");
        if let Some(folder) = folder_in_memory() {
            command.env("TMPDIR", folder);
        }
        command.env("AMBIT_TEST_STATEMENTS", statements()).stdin(Stdio::null());
        command
    }

    /// The tests whose names contain one of the filters (all, where there is none), in the order in which they will
    /// begin.
    pub(crate) fn tests(&self, filters: &[&str]) -> anyhow::Result<Vec<String>> {
        let listed = self.command().args(["--list", "--format", "terse"]).stderr(Stdio::inherit()).output();
        let listed = listed.with_context(|| format!("{} cannot be started", self.path.display()))?;
        ensure!(listed.status.success(), "{} --list: {}", self.path.display(), listed.status);
        let text = String::from_utf8(listed.stdout).context("names of tests are text")?;
        let tests = text.lines().filter_map(|line| line.strip_suffix(": test"));
        let wanted = |name: &&str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter));
        let mut tests: Vec<String> = tests.filter(wanted).map(str::to_owned).collect();
        tests.sort();
        Ok(tests)
    }

    /// Runs tests and says what became of each. `limit`: the time of a quiet machine that each has.
    pub(crate) fn run(&self, tests: &[String], limit: Duration, outcome: &mut Outcome) -> anyhow::Result<()> {
        let at_once = AT_ONCE * std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut open = tests.to_vec();
        for _ in 0..=AGAIN_MAX {
            let mut progress = Progress::new(&open, at_once);
            let ending = self.run_once(&open, at_once, limit, &mut progress)?;
            self.count(&progress, outcome);
            open = progress.open();
            let (lost, reason) = match ending {
                Ending::Exit(status) if open.is_empty() => {
                    if !status.success() && progress.all_passed() {
                        outcome.failed.push(format!(
                            "{}: all tests passed, but the program did not end well: {status}",
                            self.name
                        ));
                    }
                    return Ok(());
                }
                Ending::Exit(status) => (progress.running(), format!("its program fell while it ran: {status}")),
                Ending::Overdue(tests) => {
                    (tests, format!("did not end within {} s of a quiet machine", limit.as_secs()))
                }
            };
            println!("== {}: {reason}: {}", self.name, lost.join(", "));
            open.retain(|test| !lost.contains(test));
            outcome.failed.extend(lost.iter().map(|test| format!("{} {test}: {reason}", self.name)));
            if open.is_empty() {
                return Ok(());
            }
        }
        let reason = "not run: its program did not end, time and again";
        outcome.failed.extend(open.iter().map(|test| format!("{} {test}: {reason}", self.name)));
        Ok(())
    }

    fn count(&self, progress: &Progress, outcome: &mut Outcome) {
        for (test, (verdict, time)) in &progress.ended {
            let test = format!("{} {test}", self.name);
            match verdict {
                Verdict::Passed => outcome.passed += 1,
                Verdict::Failed => outcome.failed.push(test.clone()),
            }
            outcome.times.push((*time, test));
        }
    }

    fn run_once(
        &self,
        tests: &[String],
        at_once: usize,
        limit: Duration,
        progress: &mut Progress,
    ) -> anyhow::Result<Ending> {
        let mut command = self.command();
        command.arg(format!("--test-threads={at_once}")).arg("--exact").args(tests);
        let mut running = Group::start(command)?;
        let lines = lines(running.child.stdout.take().expect("it is a pipe"));
        let mut looked = Instant::now();
        loop {
            let line = lines.recv_timeout(LOOK);
            progress.pass(looked.elapsed(), share());
            looked = Instant::now();
            match line {
                Ok(line) => {
                    show(&line);
                    progress.read(&line);
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Its output has ended: so has the program, as a rule.
                Err(RecvTimeoutError::Disconnected) => return Ok(Ending::Exit(running.end_soon()?)),
            }
            if let Some(status) = running.child.try_wait()? {
                // What it left behind may hold its output open.
                running.end()?;
                while let Ok(line) = lines.recv_timeout(EXIT_TIME_MAX) {
                    show(&line);
                    progress.read(&line);
                }
                return Ok(Ending::Exit(status));
            }
            let overdue = progress.overdue(limit);
            if !overdue.is_empty() {
                running.end()?;
                return Ok(Ending::Overdue(overdue));
            }
        }
    }
}

/// The harness's own counts are left out: each test is counted once.
fn show(line: &str) {
    let counts = line.starts_with("test result: ") || (line.starts_with("running ") && line.ends_with("tests"));
    if !counts && !line.is_empty() {
        println!("{line}");
    }
}

/// The lines of an output, read by a thread that ends with it.
fn lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            if send.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    receive
}

/// How much of a processor each thread of this machine gets that wants one; 1 where nobody says how many do.
fn share() -> f64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as f64;
    if load > processors { processors / load } else { 1.0 }
}

/// A program in a group of processes that ends as a whole: when it is told to, or when we end, however that is.
struct Group {
    child: Child,
    /// Kills the group when its input ends.
    keeper: Child,
}

impl Group {
    fn start(mut command: Command) -> anyhow::Result<Self> {
        let child = command.stdout(Stdio::piped()).process_group(0).spawn();
        let child = child.with_context(|| format!("{} cannot be started", command.get_program().to_string_lossy()))?;
        let script = "while read -r _; do :; done; kill -s KILL -- -$1 2>/dev/null";
        let mut keeper = Command::new("sh");
        keeper.args(["-c", script, "keeper", &child.id().to_string()]);
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
        let keeper = keeper.spawn().context("sh cannot be started")?;
        Ok(Group { child, keeper })
    }

    /// Ends it after a moment in which it may end by itself.
    fn end_soon(&mut self) -> anyhow::Result<ExitStatus> {
        let begun = Instant::now();
        while self.child.try_wait()?.is_none() && begun.elapsed() < EXIT_TIME_MAX {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.end()
    }

    /// Ends what is left of it.
    fn end(&mut self) -> anyhow::Result<ExitStatus> {
        let ended = self.child.try_wait()?;
        drop(self.keeper.stdin.take());
        self.keeper.wait()?;
        if let Some(status) = ended {
            return Ok(status);
        }
        // The keeper has killed it with its group; this is for a machine whose shell could not.
        self.child.kill()?;
        Ok(self.child.wait()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A program that behaves like a test harness: a script in a folder that goes with the test.
    struct Script(PathBuf);

    impl Script {
        fn new(name: &str, body: &str) -> (Self, Program) {
            let folder = std::env::temp_dir().join(format!("ambit-xtask-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            let path = folder.join("program");
            // Another process writes it: a program that a test beside us starts would inherit our file, open for
            // writing, for a moment, and nobody may start what somebody writes.
            let write = ["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod 755 \"$2\"", "write", body];
            assert!(Command::new("sh").args(write).arg(&path).status().unwrap().success());
            let program = Program { path, folder: folder.clone(), name: name.to_owned() };
            (Script(folder), program)
        }
    }

    impl Drop for Script {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn outcome(program: &Program, tests: &[&str]) -> (usize, Vec<String>) {
        let tests: Vec<String> = tests.iter().map(|test| (*test).to_owned()).collect();
        let mut outcome = Outcome::default();
        program.run(&tests, Duration::from_secs(1), &mut outcome).unwrap();
        (outcome.passed, outcome.failed)
    }

    #[test]
    fn tests_that_end_are_counted_once() {
        let body = "echo 'running 3 tests'; echo 'test a ... ok'; echo 'test b ... FAILED'; echo 'test c ... ok'; echo \
                    'test result: FAILED.'; exit 101";
        let (_script, program) = Script::new("ends", body);
        assert_eq!(outcome(&program, &["a", "b", "c"]), (2, vec!["ends b".to_owned()]));
    }

    #[test]
    fn a_test_that_does_not_end_is_named_and_killed_with_what_it_started() {
        // It hangs where `b` is among its tests, with a child that holds its output open.
        let body = "echo 'test a ... ok'
            case \"$*\" in *b*) sleep 1000 & echo $! > child; wait ;; esac
            echo 'test c ... ok'";
        let (script, program) = Script::new("hangs", body);
        let (passed, failed) = outcome(&program, &["a", "b"]);
        assert_eq!(passed, 1);
        assert_eq!(failed, ["hangs b: did not end within 1 s of a quiet machine"]);
        let child = fs::read_to_string(script.0.join("child")).unwrap();
        // What was killed is gone once it was scheduled again, which a busy machine may put off.
        let is_alive =
            || fs::read_to_string(format!("/proc/{}/stat", child.trim())).is_ok_and(|stat| !stat.contains(") Z "));
        let until = Instant::now() + Duration::from_secs(60);
        while is_alive() && Instant::now() < until {
            std::thread::yield_now();
        }
        assert!(!is_alive(), "{child}");
    }

    #[test]
    fn a_program_that_falls_fails_what_ran_and_goes_on_with_the_rest() {
        let body = "case \"$*\" in *\" x1\"*) kill -SEGV $$ ;; esac; for test in x3 x4 x5; do echo \"test $test ... \
                    ok\"; done";
        let (_script, program) = Script::new("falls", body);
        let (passed, failed) = outcome(&program, &["x1", "x3", "x4", "x5"]);
        let running = (AT_ONCE * std::thread::available_parallelism().map_or(1, NonZeroUsize::get)).min(4);
        assert_eq!((passed, failed.len()), (4 - running, running), "{failed:?}");
        assert!(failed.iter().all(|test| test.contains("fell while it ran")), "{failed:?}");
    }

    #[test]
    fn a_program_whose_tests_pass_and_that_falls_at_its_end_has_failed() {
        let (_script, program) = Script::new("ends_badly", "echo 'test a ... ok'; exit 3");
        let (passed, failed) = outcome(&program, &["a"]);
        assert_eq!((passed, failed.len()), (1, 1), "{failed:?}");
    }

    #[test]
    fn a_program_that_is_done_without_all_its_tests_has_failed() {
        let (_script, program) = Script::new("leaves", "exit 0");
        let (passed, failed) = outcome(&program, &["a"]);
        assert_eq!((passed, failed.len()), (0, 1), "{failed:?}");
    }
}
