//! A MongoDB: says to everybody what it is, and lists its databases to whom it lets in. A new one (5.1 and later) takes
//! commands only as OP_MSG, but for the first hello; an old one (before 3.6) knows only OP_QUERY and hangs up on
//! anything else.

use super::connection::{Connection, IDLE, Peer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const OP_REPLY: u32 = 1;
const OP_QUERY: u32 = 2004;
const OP_MSG: u32 = 2013;
/// Bytes of a message's head: length, id, answered id, opcode.
const HEAD_BYTES: usize = 16;
/// Longest message of a client, in bytes.
const MESSAGE_BYTES_MAX: usize = 64 * 1024;
/// Messages on one connection.
const MESSAGES_MAX: usize = 200;

/// Answers until the client goes.
pub(super) async fn serve(connection: &Connection, stream: &mut impl Peer, open: bool, old: bool) {
    let conversation = async {
        for _ in 0..MESSAGES_MAX {
            let Some((id, opcode, body)) = message(stream).await else { return };
            let reply = match opcode {
                // Flags, the collection's name, numbers to skip and to return.
                OP_QUERY => after_name(body.get(4..).unwrap_or_default()).and_then(|rest| command(rest.get(8..)?)),
                // Flags, and a section that is the command itself.
                OP_MSG if !old => body.get(5..).and_then(command),
                _ => None,
            };
            let Some(command) = reply else { return };
            let document = answer(&command, opcode == OP_QUERY && !old, open);
            if stream.write_all(&framed(id, opcode, &document)).await.is_err() || stream.flush().await.is_err() {
                return;
            }
        }
    };
    connection.within(IDLE, conversation).await;
}

/// Id, opcode and body of the next message; `None` at the end, or where it is none.
async fn message(stream: &mut impl Peer) -> Option<(u32, u32, Vec<u8>)> {
    let mut head = [0; HEAD_BYTES];
    stream.read_exact(&mut head).await.ok()?;
    let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let length = usize::try_from(number(0)).ok().filter(|length| (HEAD_BYTES..=MESSAGE_BYTES_MAX).contains(length))?;
    let mut body = vec![0; length - HEAD_BYTES];
    stream.read_exact(&mut body).await.ok()?;
    Some((number(4), number(12), body))
}

fn after_name(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    bytes.get(end + 1..)
}

/// The name of a document's first element.
fn command(document: &[u8]) -> Option<String> {
    let name = document.get(5..)?;
    let end = name.iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&name[..end]).into_owned())
}

fn answer(command: &str, refuses_queries: bool, open: bool) -> Vec<u8> {
    match command {
        "isMaster" | "ismaster" | "hello" => {
            document(&[boolean("ismaster", true), integer("maxBsonObjectSize", 16 * 1024 * 1024), double("ok", 1.0)])
        }
        _ if refuses_queries => {
            refusal(352, "UnsupportedOpQueryCommand", &format!("Unsupported OP_QUERY command: {command}"))
        }
        _ if !open => refusal(13, "Unauthorized", &format!("command {command} requires authentication")),
        "listDatabases" => {
            let admin = document(&[text("name", "admin"), double("sizeOnDisk", 40_960.0), boolean("empty", false)]);
            let list = document(&[element(0x03, "0", &admin)]);
            document(&[element(0x04, "databases", &list), double("totalSize", 40_960.0), double("ok", 1.0)])
        }
        _ => refusal(59, "CommandNotFound", &format!("no such command: '{command}'")),
    }
}

fn refusal(code: u32, name: &str, words: &str) -> Vec<u8> {
    document(&[double("ok", 0.0), text("errmsg", words), integer("code", code), text("codeName", name)])
}

fn framed(id: u32, opcode: u32, document: &[u8]) -> Vec<u8> {
    // Flags, cursor, first and number of documents; or flags and the kind of the section.
    let (opcode, before) = match opcode {
        OP_QUERY => (OP_REPLY, [&8_u32.to_le_bytes()[..], &[0; 12], &1_u32.to_le_bytes()].concat()),
        _ => (OP_MSG, vec![0; 5]),
    };
    let length = u32::try_from(HEAD_BYTES + before.len() + document.len()).expect("answers are short");
    let head = [length, 1, id, opcode].map(u32::to_le_bytes).concat();
    [head, before, document.to_vec()].concat()
}

fn document(elements: &[Vec<u8>]) -> Vec<u8> {
    let elements = elements.concat();
    let length = u32::try_from(elements.len() + 5).expect("answers are short");
    [&length.to_le_bytes()[..], &elements, &[0]].concat()
}

fn element(kind: u8, name: &str, value: &[u8]) -> Vec<u8> {
    [&[kind][..], name.as_bytes(), &[0], value].concat()
}

fn double(name: &str, value: f64) -> Vec<u8> {
    element(0x01, name, &value.to_le_bytes())
}

fn text(name: &str, value: &str) -> Vec<u8> {
    let length = u32::try_from(value.len() + 1).expect("answers are short");
    element(0x02, name, &[&length.to_le_bytes()[..], value.as_bytes(), &[0]].concat())
}

fn boolean(name: &str, value: bool) -> Vec<u8> {
    element(0x08, name, &[u8::from(value)])
}

fn integer(name: &str, value: u32) -> Vec<u8> {
    element(0x10, name, &value.to_le_bytes())
}
