//! Services other than web servers: each sends the greeting of its protocol and answers the questions of probes.

use super::connection::{Connection, IDLE, Peer, gone, idle};
use super::{hostile, mongodb, tls};
use crate::draft::{Alpn, Service};
use crate::pki::{Certificate, derive};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// One byte of a tarpit.
const TARPIT_STEP: Duration = Duration::from_secs(10);

/// Longest line of a client, in bytes.
const LINE_BYTES_MAX: usize = 4_096;
/// Commands on one connection.
const COMMANDS_MAX: usize = 200;

/// Serves one connection of a service.
pub(super) async fn serve(
    connection: &Connection,
    service: &Service,
    certificate: Option<&Arc<Certificate>>,
    mut stream: DuplexStream,
) {
    match (service, certificate) {
        (Service::Smtp { name, .. }, Some(certificate)) => {
            smtp(connection, &connection.filled(name), certificate, stream).await
        }
        (Service::Tls { service, alpn, .. }, Some(certificate)) => {
            if let Some(mut stream) = tls::upgrade(connection, certificate, *alpn, stream).await {
                speak(connection, service, &mut stream).await;
                let _ = stream.shutdown().await;
            }
        }
        _ => speak(connection, service, &mut stream).await,
    }
}

/// Speaks a protocol that does not change its transport.
async fn speak(connection: &Connection, service: &Service, stream: &mut impl Peer) {
    let filled = |text: &str| connection.filled(text).into_owned();
    let service = match service {
        Service::InTurn(services) => &services[connection.turn % services.len()],
        service => service,
    };
    match service {
        Service::Ssh(version) => {
            say_and_wait(connection, stream, format!("SSH-2.0-{}\r\n", filled(version)).as_bytes()).await
        }
        Service::Ftp { banner, anonymous } => ftp(connection, stream, &filled(banner), *anonymous).await,
        Service::Smtp { name, .. } => {
            let name = &filled(name);
            if say(stream, format!("220 {name}\r\n").as_bytes()).await {
                smtp_dialogue(connection, stream, name, false).await;
            }
        }
        Service::Imap(banner) => lines(connection, stream, &format!("* OK {}\r\n", filled(banner)), imap).await,
        Service::Pop3(banner) => lines(connection, stream, &format!("+OK {}\r\n", filled(banner)), pop3).await,
        Service::Redis { open } => redis(connection, stream, *open).await,
        Service::Telnet(prompt) => {
            let text =
                [&[0xff, 0xfd, 0x18, 0xff, 0xfd, 0x20, 0xff, 0xfb, 0x01][..], filled(prompt).as_bytes()].concat();
            say_and_wait(connection, stream, &text).await;
        }
        Service::Mysql(version) => {
            let greeting = mysql_greeting(connection, version);
            say_and_wait(connection, stream, &greeting).await;
        }
        Service::Postgres => postgres(connection, stream).await,
        Service::Mongodb { open, old } => mongodb::serve(connection, stream, *open, *old).await,
        Service::Rdp => rdp(connection, stream).await,
        Service::Smb => smb(connection, stream).await,
        Service::Vnc(version) => say_and_wait(connection, stream, format!("{version}\n").as_bytes()).await,
        Service::Banner(text) => say_and_wait(connection, stream, filled(text).as_bytes()).await,
        Service::Silent => idle(connection, stream).await,
        Service::Tarpit => tarpit(connection, stream).await,
        Service::Hostile(behaviour) => hostile::serve(connection, *behaviour, stream).await,
        // These are web ports, never accept, or stand around other services.
        Service::Http
        | Service::Https
        | Service::Filtered
        | Service::Closed
        | Service::InTurn(_)
        | Service::Tls { .. } => {}
    }
}

async fn say(stream: &mut impl Peer, bytes: &[u8]) -> bool {
    stream.write_all(bytes).await.is_ok() && stream.flush().await.is_ok()
}

async fn say_and_wait(connection: &Connection, stream: &mut impl Peer, bytes: &[u8]) {
    connection.tell(None, "", || String::from_utf8_lossy(bytes).into_owned());
    if say(stream, bytes).await {
        connection.within(IDLE, gone(stream)).await;
    }
}

/// The next line without its end; `None` at the end, or after the usual patience.
async fn line(connection: &Connection, stream: &mut impl Peer) -> Option<String> {
    let read = async {
        let mut line = Vec::new();
        loop {
            match stream.read_u8().await {
                Ok(b'\n') => break,
                Ok(byte) if line.len() < LINE_BYTES_MAX => line.push(byte),
                Ok(_) | Err(_) => return None,
            }
        }
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    };
    connection.within(IDLE, read).await.flatten()
}

/// A protocol of lines: what to say first, and an answer to each line with whether to go on.
async fn lines(connection: &Connection, stream: &mut impl Peer, greeting: &str, answer: fn(&str) -> (String, bool)) {
    if !say(stream, greeting.as_bytes()).await {
        return;
    }
    for _ in 0..COMMANDS_MAX {
        let Some(line) = line(connection, stream).await else { return };
        let (text, more) = answer(&line);
        if !say(stream, text.as_bytes()).await || !more {
            return;
        }
    }
}

fn imap(line: &str) -> (String, bool) {
    let (tag, command) = line.split_once(' ').unwrap_or((line, ""));
    match command.to_ascii_uppercase().as_str() {
        "CAPABILITY" => (format!("* CAPABILITY IMAP4rev1 LOGINDISABLED\r\n{tag} OK done\r\n"), true),
        "LOGOUT" => (format!("* BYE\r\n{tag} OK done\r\n"), false),
        _ => (format!("{tag} BAD not here\r\n"), true),
    }
}

fn pop3(line: &str) -> (String, bool) {
    match line.to_ascii_uppercase().as_str() {
        "CAPA" => ("+OK\r\nUSER\r\nUIDL\r\n.\r\n".to_owned(), true),
        "QUIT" => ("+OK bye\r\n".to_owned(), false),
        _ => ("-ERR not here\r\n".to_owned(), true),
    }
}

async fn ftp(connection: &Connection, stream: &mut impl Peer, banner: &str, anonymous: bool) {
    if !say(stream, format!("220 {banner}\r\n").as_bytes()).await {
        return;
    }
    let (mut is_anonymous, mut inside) = (false, false);
    for _ in 0..COMMANDS_MAX {
        let Some(line) = line(connection, stream).await else { return };
        let mut words = line.split(' ');
        let command = words.next().unwrap_or_default().to_ascii_uppercase();
        let text = match command.as_str() {
            "USER" => {
                (is_anonymous, inside) = (anonymous && matches!(words.next(), Some("anonymous" | "ftp")), false);
                if is_anonymous { "331 Please specify the password." } else { "331 Password required." }
            }
            "PASS" if is_anonymous => {
                inside = true;
                "230 Login successful."
            }
            "PASS" => "530 Login incorrect.",
            "SYST" => "215 UNIX Type: L8",
            "FEAT" => "211-Features:\r\n UTF8\r\n211 End",
            "PWD" if inside => "257 \"/\" is the current directory",
            "QUIT" => {
                say(stream, b"221 Goodbye.\r\n").await;
                return;
            }
            "AUTH" => "502 Not here.",
            _ if inside => "502 Not here.",
            _ => "530 Please login with USER and PASS.",
        };
        if !say(stream, format!("{text}\r\n").as_bytes()).await {
            return;
        }
    }
}

async fn smtp(connection: &Connection, name: &str, certificate: &Certificate, mut stream: DuplexStream) {
    if !say(&mut stream, format!("220 {name}\r\n").as_bytes()).await {
        return;
    }
    if !smtp_dialogue(connection, &mut stream, name, true).await {
        return;
    }
    if let Some(mut stream) = tls::upgrade(connection, certificate, Alpn::One, stream).await {
        smtp_dialogue(connection, &mut stream, name, false).await;
    }
}

/// True when the client asked for TLS and was promised it.
async fn smtp_dialogue(connection: &Connection, stream: &mut impl Peer, name: &str, offers_tls: bool) -> bool {
    let host = name.split(' ').next().unwrap_or_default();
    for _ in 0..COMMANDS_MAX {
        let Some(line) = line(connection, stream).await else { return false };
        let command = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        let text = match command.as_str() {
            "EHLO" if offers_tls => {
                format!("250-{host}\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n250-STARTTLS\r\n250 8BITMIME\r\n")
            }
            "EHLO" => format!("250-{host}\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n250 8BITMIME\r\n"),
            "HELO" => format!("250 {host}\r\n"),
            "NOOP" | "RSET" => "250 2.0.0 Ok\r\n".to_owned(),
            "STARTTLS" if offers_tls => {
                return say(stream, b"220 2.0.0 Ready to start TLS\r\n").await;
            }
            "MAIL" if offers_tls => "530 5.7.0 Must issue a STARTTLS command first\r\n".to_owned(),
            "MAIL" => "530 5.7.0 Authentication required\r\n".to_owned(),
            "QUIT" => {
                say(stream, b"221 2.0.0 Bye\r\n").await;
                return false;
            }
            _ => "502 5.5.2 Error: command not recognized\r\n".to_owned(),
        };
        if !say(stream, text.as_bytes()).await {
            return false;
        }
    }
    false
}

async fn redis(connection: &Connection, stream: &mut impl Peer, open: bool) {
    for _ in 0..COMMANDS_MAX {
        let Some(line) = line(connection, stream).await else { return };
        // Inline commands, and the words of `*N $L` arrays as they come line by line.
        let command = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        let info =
            "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nos:Linux 6.1.0 x86_64\r\ntcp_port:6379\r\n";
        let text = match command.as_str() {
            "" => continue,
            word if word.starts_with(['*', '$']) => continue,
            "QUIT" => {
                say(stream, b"+OK\r\n").await;
                return;
            }
            "PING" | "INFO" | "CLIENT" | "CONFIG" | "KEYS" | "DBSIZE" if !open => {
                "-NOAUTH Authentication required.\r\n".to_owned()
            }
            "PING" => "+PONG\r\n".to_owned(),
            "INFO" => format!("${}\r\n{info}\r\n", info.len()),
            "DBSIZE" => ":42\r\n".to_owned(),
            "SERVER" | "DEFAULT" => continue,
            _ if !open => "-NOAUTH Authentication required.\r\n".to_owned(),
            _ => format!("-ERR unknown command '{}'\r\n", command.chars().take(32).collect::<String>()),
        };
        connection.tell(None, &line, || text.clone());
        if !say(stream, text.as_bytes()).await {
            return;
        }
    }
}

/// Protocol 10 with a salt that changes on every connection.
fn mysql_greeting(connection: &Connection, version: &str) -> Vec<u8> {
    let salt: Vec<u8> = derive(&connection.internet.world, "salt", &connection.now_ms().to_string())
        .iter()
        .map(|byte| byte % 94 + 33)
        .collect();
    let mut body = vec![10];
    body.extend(version.as_bytes());
    body.push(0);
    body.extend(u32::try_from(connection.now_ms() % 100_000).unwrap_or(8).to_le_bytes());
    body.extend(&salt[..8]);
    body.extend([0, 0xff, 0xff, 0xff, 0x02, 0x00, 0xff, 0xdf, 21]);
    body.extend([0; 10]);
    body.extend(&salt[8..20]);
    body.push(0);
    body.extend(b"caching_sha2_password\0");
    let length = u32::try_from(body.len()).unwrap_or(0).to_le_bytes();
    [&length[..3], &[0], &body].concat()
}

async fn postgres(connection: &Connection, stream: &mut impl Peer) {
    let conversation = async {
        for _ in 0..COMMANDS_MAX {
            let Ok(length) = stream.read_u32().await else { return };
            if !(8..=10_000).contains(&length) {
                say(stream, &postgres_error("invalid length of startup packet")).await;
                return;
            }
            let mut body = vec![0; usize::try_from(length).unwrap_or(8) - 4];
            if stream.read_exact(&mut body).await.is_err() {
                return;
            }
            match u32::from_be_bytes([body[0], body[1], body[2], body[3]]) {
                // SSLRequest and GSSENCRequest: not here.
                80_877_103 | 80_877_104 => {
                    if !say(stream, b"N").await {
                        return;
                    }
                }
                196_608 => {
                    // AuthenticationSASL with SCRAM-SHA-256.
                    let body = [&10u32.to_be_bytes()[..], b"SCRAM-SHA-256\0\0"].concat();
                    let length = u32::try_from(body.len() + 4).unwrap_or(4).to_be_bytes();
                    say(stream, &[&b"R"[..], &length, &body].concat()).await;
                    gone(stream).await;
                    return;
                }
                _ => {
                    say(stream, &postgres_error("unsupported frontend protocol")).await;
                    return;
                }
            }
        }
    };
    connection.within(IDLE, conversation).await;
}

fn postgres_error(text: &str) -> Vec<u8> {
    let body = format!("SFATAL\0VFATAL\0C0A000\0M{text}\0\0");
    let length = u32::try_from(body.len() + 4).unwrap_or(4).to_be_bytes();
    [&b"E"[..], &length, body.as_bytes()].concat()
}

/// Confirms the X.224 connection request with enhanced security.
async fn rdp(connection: &Connection, stream: &mut impl Peer) {
    let conversation = async {
        let mut head = [0; 4];
        if stream.read_exact(&mut head).await.is_err() || head[0] != 3 {
            return;
        }
        let length = usize::from(u16::from_be_bytes([head[2], head[3]])).clamp(4, 1_024);
        let mut body = vec![0; length - 4];
        if stream.read_exact(&mut body).await.is_err() || body.get(1) != Some(&0xe0) {
            return;
        }
        let confirm = [3, 0, 0, 19, 14, 0xd0, 0, 0, 0x12, 0x34, 0, 2, 0x1f, 8, 0, 2, 0, 0, 0];
        say(stream, &confirm).await;
        gone(stream).await;
    };
    connection.within(IDLE, conversation).await;
}

/// Answers any negotiation with SMB 2.1.
async fn smb(connection: &Connection, stream: &mut impl Peer) {
    let conversation = async {
        let Ok(length) = stream.read_u32().await else { return };
        let mut body = vec![0; usize::try_from(length & 0xffff).unwrap_or(0)];
        if stream.read_exact(&mut body).await.is_err() || body.get(1..4).is_none_or(|magic| magic != b"SMB") {
            return;
        }
        let mut answer = b"\xfeSMB".to_vec();
        answer.extend([64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0]);
        answer.resize(64, 0);
        answer.extend([65, 0, 1, 0, 0x10, 0x02, 0, 0]);
        answer.extend(derive(&connection.internet.world, "smb", &connection.to.to_string()).iter().take(16));
        answer.extend([7, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0x10, 0, 0, 0, 0x10, 0]);
        answer.resize(64 + 64, 0);
        answer.push(0);
        let length = u32::try_from(answer.len()).unwrap_or(0).to_be_bytes();
        say(stream, &[&length[..], &answer].concat()).await;
        gone(stream).await;
    };
    connection.within(IDLE, conversation).await;
}

/// One byte at a time, for ever.
async fn tarpit(connection: &Connection, stream: &mut impl Peer) {
    loop {
        if !say(stream, b"x").await || !connection.pause(TARPIT_STEP, stream).await {
            return;
        }
    }
}
