//! A client that sends exactly the bytes it is told to and reads one answer: requests that no library would send are
//! part of the contract too.

use crate::part;
use anyhow::{Context, bail};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// Names in lower case, in the order of the answer.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// The first header of a name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body of an answer that has this status and at least this part (`part.rs`).
    ///
    /// # Panics
    /// If the status is another one or something of the part is missing; the message says each place and shows the
    /// body.
    #[track_caller]
    pub fn shows(&self, status: u16, part: &Value) -> Value {
        let body = self.json();
        assert_eq!(self.status, status, "{}", self.text());
        let differences = part::differences(part, &body);
        assert!(differences.is_empty(), "{}\nin {}", differences.join("\n"), self.text());
        body
    }

    /// Returns the value at a JSON pointer in the body of a successful answer.
    ///
    /// # Panics
    /// If the answer is an error, or nothing is there; the message shows the answer.
    #[track_caller]
    pub fn at(&self, pointer: &str) -> Value {
        assert!((200..300).contains(&self.status), "{}: {}", self.status, self.text());
        let found = self.json().pointer(pointer).cloned();
        found.unwrap_or_else(|| panic!("{pointer} is not in {}", self.text()))
    }

    /// Returns one member of each item of a list, both by JSON pointers, in the order of the list.
    ///
    /// # Panics
    /// If the answer is an error, no list is there, or an item lacks the member.
    #[track_caller]
    pub fn each(&self, list: &str, member: &str) -> Vec<Value> {
        let Value::Array(items) = self.at(list) else { panic!("{list} is no list in {}", self.text()) };
        let member_of = |item: &Value| item.pointer(member).cloned();
        items.iter().map(|item| member_of(item).unwrap_or_else(|| panic!("{member} is not in {item}"))).collect()
    }

    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// A request, with everything as it goes over the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    pub method: String,
    /// Path and query, escaped.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
}

/// Sends a request to `host:port` and reads the answer.
pub async fn ask(address: &str, request: &Ask) -> anyhow::Result<Reply> {
    let mut bytes =
        format!("{} {} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n", request.method, request.target)
            .into_bytes();
    for (name, value) in &request.headers {
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    let announced = request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    if let Some(body) = request.body.as_ref().filter(|_| !announced) {
        bytes.extend_from_slice(format!("content-length: {}\r\n", body.len()).as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(request.body.as_deref().unwrap_or_default());
    ask_bytes(address, &bytes).await
}

/// Sends bytes as they are and reads the answer until the connection ends.
pub async fn ask_bytes(address: &str, bytes: &[u8]) -> anyhow::Result<Reply> {
    let mut stream = TcpStream::connect(address).await.with_context(|| format!("cannot connect to {address}"))?;
    // The server may answer and close before it has read everything (413): the answer counts.
    let sent = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer).await;
    if answer.is_empty() {
        sent.context("cannot send the request")?;
        read.context("cannot read the answer")?;
    }
    parse(&answer)
}

fn parse(answer: &[u8]) -> anyhow::Result<Reply> {
    let end =
        answer.windows(4).position(|window| window == b"\r\n\r\n").context("the answer has no end of its head")?;
    let head = std::str::from_utf8(&answer[..end]).context("the head of the answer is not text")?;
    let mut lines = head.split("\r\n");
    let status =
        lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).context("the answer has no status")?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let body = &answer[end + 4..];
    let has = |wanted: &str, said: &str| headers.iter().any(|(name, value)| name == wanted && value.contains(said));
    let grows = has("content-type", "text/event-stream") || has("content-disposition", "attachment");
    let body = match (has("transfer-encoding", ""), grows) {
        (false, _) => body.to_vec(),
        (true, true) => joined(body).context("the chunks of the answer do not fit")?,
        (true, false) => bail!("the answer is chunked: all but events and documents have a length"),
    };
    Ok(Reply { status, headers, body })
}

/// What the chunks of a body hold.
fn joined(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(end + 2..end + 2 + size)?);
        rest = rest.get(end + 2 + size + 2..)?;
    }
}
