//! Runs several questions of one probe concurrently, within a limit.

use futures::StreamExt;

/// Runs the questions, at most `at_once` at the same time. Each is created only when it starts, because a waiting one
/// takes kilobytes. The answers come in the order of completion, on which callers must not depend.
pub(crate) async fn together<F: Future>(questions: impl IntoIterator<Item = F>, at_once: usize) -> Vec<F::Output> {
    futures::stream::iter(questions).buffer_unordered(at_once).collect().await
}
