//! Identifies the protocol and product of a service, and whether it serves without authentication. Reads only.

use crate::ask::bindings;
use crate::ask::datagram::{self, Heard};
use crate::ask::dialogue::{Dialogue, is_whole_listing, is_whole_reply};
use crate::ask::identify::{Identity, Layer, identify, read_banner};
use crate::read::normal;
use crate::told;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::network_service::{OpenRedis, Service};
use ambit_model::entity::{network, network_service};
use ambit_model::{Kind, TaskName, workflow};
use ambit_net::tcp::BannerOptions;
use ambit_net::{NetError, Untrusted};
use std::net::SocketAddr;
use std::time::Duration;

pub(crate) const TASK: Task = Task {
    name: TaskName::ServiceIdentify,
    pretty_name: "Service identification",
    description: "Listens to a service and sends small requests: protocol, product, STARTTLS, anonymous FTP, open \
                  Redis.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::NetworkService],
    cost: 4,
    gain: 8,
    // Banners hold dates, salts and counters.
    volatile: &[network_service::BANNER.name()],
    plan: |_, _| Plan::Once,
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Characters of a banner that are kept in the details; all of it is evidence.
const BANNER_CHARS_MAX: usize = 512;
/// How long Redis may take for its description.
const INFO_TIMEOUT: Duration = Duration::from_secs(4);

async fn run(cx: &Context<'_>) -> Result<Answer> {
    if let Some(socket) = bindings::datagram_socket(&cx.facts.name) {
        return over_datagrams(cx, socket).await;
    }
    let socket = bindings::socket(cx.facts.kind, &cx.facts.name, "")
        .ok_or_else(|| TaskError::Failed("not a TCP service".into()))?;
    let identity = match identify(cx, socket).await {
        Ok(identity) => identity,
        Err(NetError::ConnectionRefused) => return Ok(Answer::Absent),
        Err(error) => return Err(error.into()),
    };
    cx.observe(network_service::SERVICE, identity.service);
    cx.observe(network_service::SSL, identity.ssl);
    cx.observe(network_service::OPEN_CONFIRMED, identity.service.is_some());
    cx.observe(network_service::HIDE_VALUE, false);
    if !identity.said.is_empty() {
        let banner: String = Untrusted::from_bytes(&identity.said).stored().chars().take(BANNER_CHARS_MAX).collect();
        cx.observe(network_service::BANNER, banner);
        cx.evidence(told::BANNER, &normal::answer(&identity.said));
    }
    if identity.no_authentication && identity.service != Some(Service::Redis) {
        cx.observe(network_service::NO_AUTHENTICATION, true);
    }
    ask_further(cx, socket, &identity).await?;
    cx.observe(network::FINGERPRINT, ambit_fingerprints::items(identity.products));
    Ok(Answer::Found)
}

/// A service that speaks over UDP.
async fn over_datagrams(cx: &Context<'_>, socket: SocketAddr) -> Result<Answer> {
    let (service, proof) = match datagram::ask(cx, socket).await? {
        Heard::Spoke(service, proof) => (service, proof),
        Heard::Closed => return Ok(Answer::Absent),
        Heard::Nothing => return Err(TaskError::Failed("no answer over UDP".into())),
    };
    cx.observe(network_service::SERVICE, service);
    cx.observe(network_service::SSL, false);
    cx.observe(network_service::OPEN_CONFIRMED, true);
    cx.observe(network_service::HIDE_VALUE, false);
    if !proof.says.is_empty() {
        cx.observe(network_service::BANNER, proof.says);
    }
    if proof.is_open {
        cx.observe(network_service::NO_AUTHENTICATION, true);
    }
    Ok(Answer::Found)
}

/// Asks further questions that only the protocol allows.
async fn ask_further(cx: &Context<'_>, socket: SocketAddr, identity: &Identity) -> Result<()> {
    let layer = identity.layer();
    let told = match identity.service {
        Some(Service::Ftp) => anonymous(cx, socket, layer).await,
        Some(Service::Redis) if identity.no_authentication => redis(cx, socket, layer).await,
        Some(Service::Mongodb) => mongodb(cx, socket, layer).await,
        // A service that begins with TLS does not offer STARTTLS.
        _ if layer == Layer::Tls => Ok(()),
        Some(Service::Smtp) => starttls(cx, socket, "EHLO ambit.invalid\r\n", "STARTTLS", is_whole_reply).await,
        Some(Service::Imap) => starttls(cx, socket, "a1 CAPABILITY\r\n", "STARTTLS", is_whole_listing).await,
        Some(Service::Pop3) => starttls(cx, socket, "CAPA\r\n", "STLS", is_whole_listing).await,
        Some(Service::Postgresql) => {
            cx.observe(network_service::STARTTLS, identity.said == b"S");
            Ok(())
        }
        _ => Ok(()),
    };
    match told {
        // Whether TLS is offered is a courtesy; whether anybody is let in must be known, or the look has failed.
        Err(NetError::Timeout(_) | NetError::Reset(_) | NetError::Closed(_))
            if !matches!(identity.service, Some(Service::Ftp | Service::Mongodb | Service::Redis)) =>
        {
            Ok(())
        }
        told => told.map_err(TaskError::from),
    }
}

/// Tests whether an FTP server accepts anonymous users, and leaves at once.
async fn anonymous(cx: &Context<'_>, socket: SocketAddr, layer: Layer) -> Result<(), NetError> {
    let mut dialogue = Dialogue::open(cx, socket, layer).await?;
    dialogue.say("", is_whole_reply).await?;
    if layer == Layer::Plain {
        let features = dialogue.say("FEAT\r\n", is_whole_reply).await?;
        cx.observe(network_service::STARTTLS, features.to_ascii_uppercase().contains("AUTH TLS"));
    }
    let mut reply = dialogue.say("USER anonymous\r\n", is_whole_reply).await?;
    if reply.starts_with("331") {
        reply = dialogue.say("PASS guest@ambit.invalid\r\n", is_whole_reply).await?;
    }
    if reply.starts_with("230") {
        cx.observe(network_service::ANONYMOUS_FTP, true);
    }
    // Politeness only: the connection closes either way.
    let _ = dialogue.say("QUIT\r\n", is_whole_reply).await;
    Ok(())
}

async fn redis(cx: &Context<'_>, socket: SocketAddr, layer: Layer) -> Result<(), NetError> {
    let options = BannerOptions { send: b"INFO server\r\n".to_vec(), bytes_max: 4_096, timeout: INFO_TIMEOUT };
    let info = read_banner(cx, socket, layer, &options).await?;
    let text = info.text().stored();
    let version = text.lines().find_map(|line| line.trim().strip_prefix("redis_version:").map(str::to_owned));
    if version.is_some() || text.starts_with('$') {
        cx.observe(network_service::OPEN_REDIS, OpenRedis { version });
        cx.evidence("redis_info", &info.bytes);
    }
    Ok(())
}

/// Asks for the names of databases, which a server with authentication refuses: first in the form of servers since 3.6,
/// then in that of older ones.
async fn mongodb(cx: &Context<'_>, socket: SocketAddr, layer: Layer) -> Result<(), NetError> {
    let mut failure = NetError::Timeout("answer".into());
    for question in [LIST_DATABASES, LIST_DATABASES_OLD] {
        let options = BannerOptions { send: question.to_vec(), bytes_max: DATABASES_BYTES_MAX, timeout: INFO_TIMEOUT };
        match read_banner(cx, socket, layer, &options).await {
            // An old server hangs up on the newer question.
            Ok(answer) if answer.bytes.is_empty() => {}
            Ok(answer) => {
                if lists_databases(&answer.bytes) {
                    cx.observe(network_service::NO_AUTHENTICATION, true);
                    cx.evidence("databases", &answer.bytes);
                }
                return Ok(());
            }
            Err(error @ (NetError::Timeout(_) | NetError::Reset(_) | NetError::Closed(_))) => failure = error,
            Err(error) => return Err(error),
        }
    }
    Err(failure)
}

/// Bytes of a list of databases that are read: the beginning tells.
const DATABASES_BYTES_MAX: usize = 4_096;

/// OP_MSG `{listDatabases: 1, $db: "admin"}`: since 5.1 only hello is answered as OP_QUERY.
const LIST_DATABASES: &[u8] = b"\x3c\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00\x27\x00\x00\x00\x10listDatabases\x00\x01\x00\x00\x00\x02$db\x00\x06\x00\x00\x00admin\x00\x00";

/// OP_QUERY `admin.$cmd {listDatabases: 1}`.
const LIST_DATABASES_OLD: &[u8] = b"\x3f\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\xd4\x07\x00\x00\x00\x00\x00\x00admin.$cmd\x00\x00\x00\x00\x00\xff\xff\xff\xff\x18\x00\x00\x00\x10listDatabases\x00\x01\x00\x00\x00\x00";

/// An array of that name, and no word of a refusal. What follows a long list may be cut.
fn lists_databases(answer: &[u8]) -> bool {
    let holds = |text: &[u8]| answer.windows(text.len()).any(|window| window == text);
    holds(b"\x04databases\0") && !holds(b"errmsg")
}

async fn starttls(
    cx: &Context<'_>,
    socket: SocketAddr,
    ask: &str,
    word: &str,
    whole: fn(&[u8]) -> bool,
) -> Result<(), NetError> {
    let mut dialogue = Dialogue::open(cx, socket, Layer::Plain).await?;
    dialogue.say("", |heard| heard.ends_with(b"\n")).await?;
    let answer = dialogue.say(ask, whole).await?;
    let offered = answer.to_ascii_uppercase().contains(word);
    cx.observe(network_service::STARTTLS, offered);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_lists_no_databases() {
        assert!(lists_databases(b"\x04databases\x00...\x01totalSize\x00"));
        assert!(lists_databases(b"\x04databases\x00\xff\x7f\x00\x00\x030\x00"), "cut in its middle");
        assert!(!lists_databases(b"\x02errmsg\x00command listDatabases requires authentication\x00"));
        assert!(!lists_databases(
            b"\x02errmsg\x00Unsupported OP_QUERY command: listDatabases\x00\x10code\x00\x60\x01\x00\x00"
        ));
        assert!(!lists_databases(b""));
        for question in [LIST_DATABASES, LIST_DATABASES_OLD] {
            assert_eq!(question.len(), usize::from(question[0]));
        }
        assert_eq!(LIST_DATABASES.len() - 21, usize::from(LIST_DATABASES[21]), "the document's own length");
    }
}
