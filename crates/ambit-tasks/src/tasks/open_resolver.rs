//! Checks whether a name server resolves names for anybody, which makes it usable for amplification attacks.

use crate::ask::bindings;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::network_service;
use ambit_model::{Kind, TaskName, workflow};
use ambit_net::PortAnswer;
use std::time::Duration;

pub(crate) const TASK: Task = Task {
    name: TaskName::OpenResolver,
    pretty_name: "Open resolver",
    description: "Asks a name server for the servers of the root, with recursion, over UDP.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::NetworkService],
    cost: 1,
    gain: 2,
    plan: |facts, _| {
        Plan::once_if(bindings::socket(facts.kind, &facts.name, "").is_some_and(|socket| socket.port() == PORT))
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Port of DNS.
const PORT: u16 = 53;
/// How long an answer may take; a resolver knows the root by heart.
const WAIT: Duration = Duration::from_secs(2);
/// `. NS`, recursion desired.
const QUESTION: &[u8] = b"\x61\x6d\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01";

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let socket =
        bindings::socket(cx.facts.kind, &cx.facts.name, "").ok_or_else(|| TaskError::Failed("not a service".into()))?;
    let answer = match cx.net.datagram(socket, QUESTION, WAIT).await? {
        PortAnswer::Said(answer) => answer,
        PortAnswer::Closed => return Ok(Answer::Absent),
        PortAnswer::Silent => return Err(TaskError::Failed("no answer over UDP".into())),
    };
    let open = is_recursive_answer(&answer);
    if open {
        cx.observe(network_service::OPEN_RESOLVER, true);
        cx.evidence("answer", &answer);
    }
    Ok(Answer::found_if(open))
}

/// An answer to our question with records, from a server that recurses and is no authority for the root.
fn is_recursive_answer(bytes: &[u8]) -> bool {
    let Some((head, _)) = bytes.split_at_checked(12) else { return false };
    let (flags, answers) = (u16::from_be_bytes([head[2], head[3]]), u16::from_be_bytes([head[6], head[7]]));
    let (response, authoritative, recursive, rcode) =
        (flags & 0x8000 != 0, flags & 0x0400 != 0, flags & 0x0080 != 0, flags & 0x000f);
    head[..2] == QUESTION[..2] && response && recursive && !authoritative && rcode == 0 && answers > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_recursive_answer_counts() {
        let answer = |flags: u16, answers: u8| {
            let mut bytes = QUESTION.to_vec();
            bytes[2..4].copy_from_slice(&flags.to_be_bytes());
            bytes[7] = answers;
            is_recursive_answer(&bytes)
        };
        assert!(answer(0x8180, 3));
        assert!(!answer(0x8105, 0), "REFUSED");
        assert!(!answer(0x8100, 0), "a referral upwards");
        assert!(!answer(0x8580, 3), "an authority for the root");
        assert!(!answer(0x8180, 0));
        assert!(!is_recursive_answer(b"short"));
    }
}
