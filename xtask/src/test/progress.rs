//! How far a test program has come: which tests have ended, which run, and for how long. The harness says when a test
//! ends and not when one begins; it takes them in the order of its list, so many at a time.

use std::collections::BTreeMap;
use std::time::Duration;

/// What became of a test, in the words of the harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed,
}

/// A test that runs.
#[derive(Debug)]
struct Running {
    name: String,
    /// Time that counts, see [`Progress::pass`].
    quiet: Duration,
    wall: Duration,
}

#[derive(Debug)]
pub(crate) struct Progress {
    running: Vec<Running>,
    /// In the order in which they will begin, the next one last.
    waiting: Vec<String>,
    at_once: usize,
    pub(crate) ended: BTreeMap<String, (Verdict, Duration)>,
}

impl Progress {
    /// Of tests in the order of the harness, which runs so many at once.
    pub(crate) fn new(tests: &[String], at_once: usize) -> Self {
        let mut progress = Progress {
            running: Vec::new(),
            waiting: tests.iter().rev().cloned().collect(),
            at_once,
            ended: BTreeMap::new(),
        };
        progress.begin();
        progress
    }

    fn begin(&mut self) {
        while self.running.len() < self.at_once {
            let Some(name) = self.waiting.pop() else { return };
            self.running.push(Running { name, quiet: Duration::ZERO, wall: Duration::ZERO });
        }
    }

    /// Time goes by. `share`: how much of a processor each thread gets, 1 on a quiet machine.
    pub(crate) fn pass(&mut self, wall: Duration, share: f64) {
        for running in &mut self.running {
            running.wall += wall;
            running.quiet += wall.mul_f64(share);
        }
    }

    /// Takes a line of the harness, if it says that a test has ended.
    pub(crate) fn read(&mut self, line: &str) {
        let Some((name, verdict)) = ended(line) else { return };
        let place = self.running.iter().position(|running| running.name == name);
        let wall = match place {
            Some(place) => self.running.remove(place).wall,
            // Begun before its turn: the order is the harness's own.
            None => match self.waiting.iter().position(|waiting| waiting == name) {
                Some(place) => {
                    self.waiting.remove(place);
                    Duration::ZERO
                }
                None => return,
            },
        };
        self.ended.insert(name.to_owned(), (verdict, wall));
        self.begin();
    }

    /// The tests that run for longer than a time.
    pub(crate) fn overdue(&self, limit: Duration) -> Vec<String> {
        let overdue = self.running.iter().filter(|running| running.quiet >= limit);
        overdue.map(|running| running.name.clone()).collect()
    }

    pub(crate) fn running(&self) -> Vec<String> {
        self.running.iter().map(|running| running.name.clone()).collect()
    }

    pub(crate) fn all_passed(&self) -> bool {
        self.ended.values().all(|(verdict, _)| *verdict == Verdict::Passed)
    }

    /// What has not ended, in the order of the harness.
    pub(crate) fn open(&self) -> Vec<String> {
        let mut open = self.running();
        open.extend(self.waiting.iter().rev().cloned());
        open.sort();
        open
    }
}

/// `test a::b ... ok`: the test and what became of it.
fn ended(line: &str) -> Option<(&str, Verdict)> {
    let (name, verdict) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    match verdict.trim_end() {
        "ok" => Some((name, Verdict::Passed)),
        "FAILED" => Some((name, Verdict::Failed)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(at_once: usize) -> Progress {
        Progress::new(&["a", "b", "c", "d"].map(str::to_owned), at_once)
    }

    #[test]
    fn lines_of_the_harness() {
        for (line, expected) in [
            ("test a::b ... ok", Some(("a::b", Verdict::Passed))),
            ("test a::b - should panic ... ok", Some(("a::b", Verdict::Passed))),
            ("test a::b ... FAILED", Some(("a::b", Verdict::Failed))),
            ("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s", None),
            ("running 3 tests", None),
            ("---- a::b stdout ----", None),
        ] {
            assert_eq!(ended(line), expected, "{line}");
        }
    }

    #[test]
    fn a_test_begins_when_another_ends() {
        let mut progress = progress(2);
        let second = Duration::from_secs(1);
        progress.pass(second, 1.0);
        progress.read("test b ... ok");
        progress.pass(second, 1.0);
        assert_eq!(progress.running(), ["a", "c"]);
        assert_eq!(progress.overdue(2 * second), ["a"]);
        progress.read("test c ... FAILED");
        progress.read("test d ... ok");
        assert_eq!(progress.open(), ["a"]);
        assert_eq!(progress.ended["b"], (Verdict::Passed, second));
        assert_eq!(progress.ended["c"], (Verdict::Failed, second));
    }

    #[test]
    fn a_busy_machine_gives_more_time() {
        let mut progress = progress(1);
        progress.pass(Duration::from_secs(100), 0.125);
        assert!(progress.overdue(Duration::from_secs(13)).is_empty());
        progress.pass(Duration::from_secs(8), 0.125);
        assert_eq!(progress.overdue(Duration::from_secs(13)), ["a"]);
    }
}
