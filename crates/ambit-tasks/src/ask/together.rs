//! Several questions of one look at once, within a limit.

use futures::StreamExt;

/// Runs the questions, at most so many at once, each made when its turn comes: one that waits takes kilobytes. Answers in the order in which they came,
/// which callers must not let show.
pub(crate) async fn together<F: Future>(questions: impl IntoIterator<Item = F>, at_once: usize) -> Vec<F::Output> {
    futures::stream::iter(questions).buffer_unordered(at_once).collect().await
}
