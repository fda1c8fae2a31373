//! What a UDP port says to the questions of its protocol.

use crate::read::datagram::{Chance, Proof, QUESTIONS, Question};
use crate::{Context, TaskError};
use ambit_model::entity::network_service::Service;
use ambit_net::PortAnswer;
use futures::future::join_all;
use std::net::SocketAddr;
use std::time::Duration;

/// How long an answer may take: a slow host's round trip, and SSDP's delay of up to a second.
const WAIT: Duration = Duration::from_secs(3);

/// What came of the questions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It spoke its protocol.
    Spoke(Service, Proof),
    /// The host says that nothing listens there.
    Closed,
    /// Nothing that proves anything.
    Nothing,
}

/// Asks a port every question of its protocol at the same time, each once. What one answer proves holds; a refusal
/// counts where nothing is proven.
pub(crate) async fn ask(cx: &Context<'_>, socket: SocketAddr) -> Result<Heard, TaskError> {
    let questions = QUESTIONS.iter().filter(|question| question.port == socket.port());
    let mut result = Heard::Nothing;
    // In the order of the list: of two proofs the first holds, whichever came first.
    for heard in join_all(questions.map(|question| ask_one(cx, socket, question))).await {
        match heard? {
            spoke @ Heard::Spoke(..) if !matches!(result, Heard::Spoke(..)) => result = spoke,
            Heard::Closed if result == Heard::Nothing => result = Heard::Closed,
            _ => {}
        }
    }
    Ok(result)
}

async fn ask_one(cx: &Context<'_>, socket: SocketAddr, question: &Question) -> Result<Heard, TaskError> {
    let mut chance = Chance::default();
    cx.net.random(&mut chance);
    match cx.net.ask_port(socket, &(question.asks)(&chance), question.answers, WAIT).await? {
        PortAnswer::Said(bytes) => Ok(match (question.proof)(&chance, &bytes) {
            Some(proof) => {
                cx.evidence("answer", &bytes);
                Heard::Spoke(question.service, proof)
            }
            None => Heard::Nothing,
        }),
        PortAnswer::Closed => Ok(Heard::Closed),
        PortAnswer::Silent => Ok(Heard::Nothing),
    }
}
