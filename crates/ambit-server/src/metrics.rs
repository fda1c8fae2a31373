//! What was answered, counted by the template of its path and its status, and the text format of Prometheus, version
//! 0.0.4. No label holds a name of anybody or anything found.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::time::Duration;

/// Upper bounds of the times that are told apart, in milliseconds: from an answer that is ready to the time limit.
const BOUNDS_MS: [u64; 8] = [5, 25, 100, 250, 1_000, 2_500, 10_000, 30_000];

/// What was answered since the process began.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<BTreeMap<Option<Route>, Answered>>);

/// Where a request went: a row of the table, below one of its mounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Route {
    pub(crate) prefix: &'static str,
    pub(crate) path: &'static str,
    pub(crate) method: &'static str,
}

/// The answers of one row of the table.
#[derive(Default)]
struct Answered {
    by_status: BTreeMap<u16, u64>,
    /// How many took at most as long as each bound, the shorter ones included.
    within: [u64; BOUNDS_MS.len()],
    count: u64,
    time: Duration,
}

impl Metrics {
    /// Counts an answer. `route`: `None` where the path leads nowhere.
    pub(crate) fn count(&self, route: Option<Route>, status: u16, time: Duration) {
        let mut all = self.0.lock();
        let answered = all.entry(route).or_default();
        *answered.by_status.entry(status).or_default() += 1;
        answered.count += 1;
        answered.time += time;
        for (within, bound) in answered.within.iter_mut().zip(BOUNDS_MS) {
            *within += u64::from(time <= Duration::from_millis(bound));
        }
    }

    pub(crate) fn write(&self, text: &mut Text) {
        let all = self.0.lock();
        let answered: Vec<(String, &Answered)> =
            all.iter().map(|(route, answered)| (labels(*route), answered)).collect();
        text.family("ambit_http_requests_total", "counter", "Answers by endpoint and status.");
        for (labels, answered) in &answered {
            for (status, count) in &answered.by_status {
                text.sample("ambit_http_requests_total", &format!("{labels},status=\"{status}\""), count);
            }
        }
        let name = "ambit_http_request_duration_seconds";
        text.family(name, "histogram", "Time from the head of a request to the head of its answer.");
        for (labels, answered) in &answered {
            for (bound, count) in BOUNDS_MS.iter().zip(answered.within) {
                let bound = Duration::from_millis(*bound).as_secs_f64();
                text.sample(&format!("{name}_bucket"), &format!("{labels},le=\"{bound}\""), count);
            }
            text.sample(&format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), answered.count);
            text.sample(&format!("{name}_sum"), labels, answered.time.as_secs_f64());
            text.sample(&format!("{name}_count"), labels, answered.count);
        }
    }
}

fn labels(route: Option<Route>) -> String {
    match route {
        Some(Route { prefix, path, method }) => format!("method=\"{method}\",endpoint=\"{prefix}{path}\""),
        None => "method=\"\",endpoint=\"none\"".to_owned(),
    }
}

/// A text in the format.
#[derive(Default)]
pub(crate) struct Text(pub(crate) String);

impl Text {
    pub(crate) fn family(&mut self, name: &str, kind: &str, help: &str) {
        // A text takes all that is written to it.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    pub(crate) fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{{{labels}}} {value}");
    }

    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        let _ = writeln!(self.0, "{name} {value}");
    }
}
