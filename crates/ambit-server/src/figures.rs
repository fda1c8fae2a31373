//! All figures for monitors: what was answered, what runs and waits, how far index and outbox are, and the process.

use crate::metrics::Text;
use crate::state::ServerState;
use ambit_store::{Gauges, StoreError};

/// Bytes of a page of memory, as `/proc` counts it on the machines that we build for.
const PAGE_BYTES: u64 = 4_096;

/// Returns all figures. What cannot be read of the store is left out, and `ambit_store_up` is 0.
pub(crate) async fn text(state: &ServerState) -> String {
    let mut text = Text::default();
    text.family("ambit_build_info", "gauge", "The version of the program.");
    text.sample("ambit_build_info", &format!("version=\"{}\"", env!("CARGO_PKG_VERSION")), 1);
    state.metrics.write(&mut text);
    let gauges = state.store.gauges().await;
    text.gauge("ambit_store_up", "Whether the database could be read.", i64::from(gauges.is_ok()));
    // Where the last write failed for want of room, one is tried, at most once a second, as readiness does.
    let writable = state.store.ready().await.is_ok();
    text.gauge("ambit_store_writable", "Whether the database has room and may be written.", i64::from(writable));
    match gauges {
        Ok(gauges) => of_store(&mut text, &gauges, state),
        Err(error) => warn(&error),
    }
    of_process(&mut text);
    text.0
}

fn warn(error: &StoreError) {
    tracing::warn!(%error, "figures of the store could not be read");
}

fn of_store(text: &mut Text, gauges: &Gauges, state: &ServerState) {
    text.gauge("ambit_store_revision", "The newest revision of the database.", gauges.revision);
    if let Ok(index) = state.index() {
        let lag = (gauges.revision - index.reached()).max(0);
        text.gauge("ambit_index_lag_revisions", "Revisions that searches do not show yet.", lag);
        text.gauge("ambit_index_documents", "Documents in the search index.", index.documents());
    }
    text.family("ambit_runs", "gauge", "Runs by state.");
    for (run_state, count) in &gauges.runs {
        text.sample("ambit_runs", &format!("state=\"{}\"", run_state.name()), count);
    }
    text.gauge("ambit_work_waiting", "Probes of open runs that wait.", gauges.work_waiting);
    text.gauge("ambit_work_leased", "Probes of open runs that are in progress.", gauges.work_leased);
    text.gauge("ambit_outbox_lag_revisions", "Revisions that notifications have not processed yet.", gauges.outbox_lag);
    text.gauge("ambit_outbox_notices", "Events that are not in a message yet.", gauges.notices);
    text.gauge("ambit_outbox_deliveries_waiting", "Messages that wait to be sent.", gauges.deliveries_waiting);
}

/// What Linux says of this process; nothing where it does not.
fn of_process(text: &mut Text) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut pages = pages.split_whitespace().map(str::parse::<u64>);
    if let (Some(Ok(virtual_pages)), Some(Ok(resident))) = (pages.next(), pages.next()) {
        text.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", virtual_pages * PAGE_BYTES);
        text.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", resident * PAGE_BYTES);
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        text.gauge("process_open_fds", "Number of open file descriptors.", files.count());
    }
}
