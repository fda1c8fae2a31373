//! Which protocol and product a service speaks, and whether it serves without asking who is there. Reads only.

use crate::dialogue::{Dialogue, is_whole_listing, is_whole_reply};
use crate::identify::{Identity, identify};
use crate::{Answer, Contacts, Context, Plan, Task, TaskError, bindings, fingerprint};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, Kind};
use ambit_net::tcp::BannerOptions;
use ambit_net::{NetError, Untrusted};
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;

pub(crate) const TASK: Task = Task {
    name: "service_identify",
    pretty_name: "Service identification",
    description: "Listens to a service and asks small questions: protocol, product, STARTTLS, anonymous FTP, open Redis.",
    watches: &[Kind::NetworkService],
    produces: &[],
    footprint: Clearance::L3,
    ttl_ms: DAY_MS,
    cost: 4,
    gain: 8,
    owns: &[(
        Kind::NetworkService,
        &[
            "service",
            "ssl",
            "fingerprint",
            "hidden_port_open_confirmed",
            "hidden_banner",
            "hidden_starttls",
            "hidden_anonymous_ftp",
            "hidden_open_redis",
            "hidden_no_authentication",
            "hide_value",
            "hide_reason",
        ],
    )],
    // Banners hold dates, salts and counters.
    volatile: &["hidden_banner"],
    contacts: Contacts::Address,
    plan: |_, _| Plan::Once,
    run: |cx| Box::pin(run(cx)),
};

/// Characters of a banner that are kept in the details; all of it is evidence.
const BANNER_CHARS_MAX: usize = 512;
/// How long Redis may take for its description.
const INFO_TIMEOUT: Duration = Duration::from_secs(4);

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let socket = bindings::socket(cx.facts.kind, &cx.facts.name, "").ok_or_else(|| TaskError::Failed("not a TCP service".into()))?;
    let identity = match identify(cx, socket).await {
        Ok(identity) => identity,
        Err(TaskError::Failed(why)) if why == NetError::ConnectionRefused.to_string() => return Ok(Answer::Absent),
        Err(error) => return Err(error),
    };
    cx.observe("service", json!(identity.service));
    cx.observe("ssl", json!(identity.ssl));
    cx.observe("hidden_port_open_confirmed", json!(identity.service.is_some()));
    cx.observe("hide_value", json!(false));
    if !identity.said.is_empty() {
        let banner: String = Untrusted::from_bytes(&identity.said).stored().chars().take(BANNER_CHARS_MAX).collect();
        cx.observe("hidden_banner", json!(banner));
        cx.evidence("banner", &identity.said);
    }
    if identity.no_authentication && identity.service != Some("REDIS") {
        cx.observe("hidden_no_authentication", json!(true));
    }
    ask_further(cx, socket, &identity).await?;
    cx.observe("fingerprint", fingerprint::items(identity.products));
    Ok(Answer::Found)
}

/// What only the protocol's own words tell.
async fn ask_further(cx: &Context<'_>, socket: SocketAddr, identity: &Identity) -> Result<(), TaskError> {
    let told = match identity.service {
        Some("FTP") => anonymous(cx, socket).await,
        Some("REDIS") if identity.no_authentication => redis(cx, socket).await,
        Some("MONGODB") => mongodb(cx, socket).await,
        Some("SMTP") => starttls(cx, socket, "EHLO ambit.invalid\r\n", "STARTTLS", is_whole_reply).await,
        Some("IMAP") => starttls(cx, socket, "a1 CAPABILITY\r\n", "STARTTLS", is_whole_listing).await,
        Some("POP3") => starttls(cx, socket, "CAPA\r\n", "STLS", is_whole_listing).await,
        Some("POSTGRESQL") => {
            cx.observe("hidden_starttls", json!(identity.said == b"S"));
            Ok(())
        }
        _ => Ok(()),
    };
    match told {
        // Whether TLS is offered is a courtesy; whether anybody is let in must be known, or the look has failed.
        Err(NetError::Timeout(_) | NetError::Reset(_) | NetError::Closed(_)) if !matches!(identity.service, Some("FTP" | "MONGODB" | "REDIS")) => {
            Ok(())
        }
        told => told.map_err(TaskError::from),
    }
}

/// Would an FTP server let anybody in? Asks, and leaves at once.
async fn anonymous(cx: &Context<'_>, socket: SocketAddr) -> Result<(), NetError> {
    let mut dialogue = Dialogue::open(cx, socket).await?;
    dialogue.say("", is_whole_reply).await?;
    let features = dialogue.say("FEAT\r\n", is_whole_reply).await?;
    cx.observe("hidden_starttls", json!(features.to_ascii_uppercase().contains("AUTH TLS")));
    let mut reply = dialogue.say("USER anonymous\r\n", is_whole_reply).await?;
    if reply.starts_with("331") {
        reply = dialogue.say("PASS guest@ambit.invalid\r\n", is_whole_reply).await?;
    }
    if reply.starts_with("230") {
        cx.observe("hidden_anonymous_ftp", json!(true));
    }
    // Politeness only: the connection closes either way.
    let _ = dialogue.say("QUIT\r\n", is_whole_reply).await;
    Ok(())
}

async fn redis(cx: &Context<'_>, socket: SocketAddr) -> Result<(), NetError> {
    let options = BannerOptions {
        send: b"INFO server\r\n".to_vec(),
        bytes_max: 4_096,
        timeout: INFO_TIMEOUT,
    };
    let info = cx.net.read_banner(socket, None, &options).await?;
    let text = info.text().stored();
    let version = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("redis_version:").map(str::to_owned));
    if version.is_some() || text.starts_with('$') {
        cx.observe("hidden_open_redis", json!({"version": version}));
        cx.evidence("redis_info", &info.bytes);
    }
    Ok(())
}

/// Asks for the names of databases, which a server that asks who is there refuses to strangers.
async fn mongodb(cx: &Context<'_>, socket: SocketAddr) -> Result<(), NetError> {
    let options = BannerOptions {
        send: LIST_DATABASES.to_vec(),
        bytes_max: 4_096,
        timeout: INFO_TIMEOUT,
    };
    let answer = cx.net.read_banner(socket, None, &options).await?;
    if answer.bytes.is_empty() {
        return Err(NetError::Timeout("answer"));
    }
    if lists_databases(&answer.bytes) {
        cx.observe("hidden_no_authentication", json!(true));
        cx.evidence("databases", &answer.bytes);
    }
    Ok(())
}

/// OP_QUERY `admin.$cmd {listDatabases: 1}`.
const LIST_DATABASES: &[u8] = b"\x3f\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\xd4\x07\x00\x00\x00\x00\x00\x00admin.$cmd\x00\x00\x00\x00\x00\xff\xff\xff\xff\x18\x00\x00\x00\x10listDatabases\x00\x01\x00\x00\x00\x00";

fn lists_databases(answer: &[u8]) -> bool {
    let holds = |text: &[u8]| answer.windows(text.len()).any(|window| window == text);
    holds(b"totalSize") && holds(b"databases") && !holds(b"errmsg")
}

async fn starttls(cx: &Context<'_>, socket: SocketAddr, ask: &str, word: &str, whole: fn(&[u8]) -> bool) -> Result<(), NetError> {
    let mut dialogue = Dialogue::open(cx, socket).await?;
    dialogue.say("", |heard| heard.ends_with(b"\n")).await?;
    let answer = dialogue.say(ask, whole).await?;
    let offered = answer.to_ascii_uppercase().contains(word);
    cx.observe("hidden_starttls", json!(offered));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_lists_no_databases() {
        assert!(lists_databases(b"\x03databases\x00...\x01totalSize\x00"));
        assert!(!lists_databases(b"\x02errmsg\x00command listDatabases requires authentication\x00"));
        assert!(!lists_databases(b""));
        assert_eq!(LIST_DATABASES.len(), usize::from(LIST_DATABASES[0]));
    }
}
