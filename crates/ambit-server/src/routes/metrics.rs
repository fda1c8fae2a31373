//! Figures for monitors, for whoever administers the installation.

use crate::answer::Answer;
use crate::call::Call;
use crate::figures;
use crate::signature::{Exposition, Reply};
use ambit_api::Result;

/// Report the state of the installation to monitoring systems, in the text format of Prometheus.
pub(crate) async fn read(call: Call) -> Result<Exposition> {
    Ok(Exposition(Answer::text(Exposition::CONTENT_TYPE, figures::text(&call.state).await)))
}
