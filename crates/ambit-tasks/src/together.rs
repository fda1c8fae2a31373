//! Several questions of one look at once, within a limit.

use futures::StreamExt;

/// Runs the questions, at most so many at once; answers in the order in which they came, which callers must not let show.
pub(crate) async fn together<F: Future>(questions: Vec<F>, at_once: usize) -> Vec<F::Output> {
    futures::stream::iter(questions).buffer_unordered(at_once).collect().await
}
