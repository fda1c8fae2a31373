//! Rules over bytes, as people write them: compiled before they are kept.

use ambit_api::{ApiError, ErrorCode, Result};
use ambit_yara::{Bounds, CompileError, Source};
use tokio::sync::oneshot;

/// Compiles on a thread of its own: rules from outside may take a while, and much stack. Returns the names of the
/// rules.
pub(crate) async fn rule_names(rules: &str, bounds: &'static Bounds) -> Result<Vec<String>> {
    let text = rules.to_owned();
    let (tell, told) = oneshot::channel();
    let thread = std::thread::Builder::new().stack_size(bounds.stack_bytes(text.len()));
    let compiling = thread.spawn(move || {
        let compiled = ambit_yara::compile(&[Source { name: "", text: &text }], bounds);
        let names = compiled.map(|rules| rules.rules().into_iter().map(|rule| rule.name).collect());
        // A request that was given up is told nothing.
        tell.send(names).ok();
    });
    compiling.map_err(|_| ApiError::new(ErrorCode::Transient))?;
    let compiled: Result<Vec<String>, CompileError> = told.await.map_err(|_| ApiError::new(ErrorCode::Internal))?;
    compiled.map_err(|error| ApiError::invalid(format!("The rules do not compile: {error}")))
}
