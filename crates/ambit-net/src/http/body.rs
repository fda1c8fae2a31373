//! The body of a response: delimited by length, by chunks, or by the end of the connection, and read under every limit
//! at once.

use super::BodyEnd;
use super::decode::{Decoded, Decoder, Stop};
use super::head::Framing;
use crate::door::Door;
use crate::error::{NetError, Result};
use crate::limits::{BODIES_IN_FLIGHT_MAX, CHUNK_LINE_MAX, IDLE_TIMEOUT, RATE_GRACE, RATE_MIN};
use crate::wire::{WireTime, read_more};
use std::io::ErrorKind;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::Semaphore;

/// Bytes of a body that are not counted against `BODIES_IN_FLIGHT_MAX`: most bodies are smaller and need not wait.
const SMALL_BODY: usize = 64 * 1024;
/// Memory for bodies in flight, in KiB, of the whole process.
static IN_FLIGHT_KIB: Semaphore = Semaphore::const_new(BODIES_IN_FLIGHT_MAX / 1024);
/// Bytes read at once.
const READ_BYTES: usize = 32 * 1024;

/// What was read of a body, and how it ended.
pub(super) struct Body {
    pub(super) decoded: Decoded,
    pub(super) end: BodyEnd,
    /// True if the body ended where its framing says, in the plainest encoding, and no bytes followed.
    pub(super) clean: bool,
}

/// Reads a body. `begun`: what came behind the head.
pub(super) async fn read_body(
    door: &Door,
    stream: &mut (impl AsyncRead + Unpin),
    begun: Vec<u8>,
    framing: Framing,
    mut decoder: Decoder,
    mut limit: WireTime,
) -> Body {
    let mut frame = Frame::new(framing);
    let mut started = door.now();
    let mut read = 0;
    let mut place = None;
    let memory = decoder.memory_bytes();
    let needs_windows = memory > decoder.kept_max;
    let mut buffer = begun;
    let mut length = buffer.len();
    let end = loop {
        read += length;
        if place.is_none() && (needs_windows || decoder.kept_bytes() + length > SMALL_BODY) {
            let before = door.now();
            let kib = u32::try_from(memory.min(BODIES_IN_FLIGHT_MAX) / 1024).expect("the limit is small");
            place = Some(IN_FLIGHT_KIB.acquire_many(kib).await.expect("the semaphore is never closed"));
            // Our own waiting is not the peer's slowness.
            let waited = door.now() - before;
            started += waited;
            limit += waited;
        }
        if let Some(end) = frame.take(&buffer[..length], &mut decoder) {
            break end;
        }
        if read >= decoder.read_max() {
            break BodyEnd::TooLarge;
        }
        let lasted = door.now() - started;
        if lasted > RATE_GRACE && (read as u64) < RATE_MIN * lasted.as_secs() {
            break BodyEnd::TooSlow;
        }
        // What is read of a body that does not end, and so its hash, must not depend on how its bytes arrive.
        buffer.resize(READ_BYTES.min(decoder.read_max() - read), 0);
        let idle = door.now() + IDLE_TIMEOUT;
        length = match door.until(idle.min(limit), "body", stream.read(&mut buffer)).await {
            Err(_) if idle < limit => break BodyEnd::TooSlow,
            Err(_) => break BodyEnd::Timeout,
            Ok(Ok(0)) => break frame.at_close(),
            Ok(Ok(length)) => length,
            // TLS peers that close without `close_notify`: this ends a body that is delimited by the close, and
            // truncates any other.
            Ok(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => break frame.at_close(),
            Ok(Err(_)) => break BodyEnd::Reset,
        };
    };
    let opaque = decoder.opaque;
    let (decoded, stop) = decoder.finish();
    let end = match (end, stop) {
        (BodyEnd::Complete, Some(Stop::Broken)) => BodyEnd::Broken("content coding"),
        (BodyEnd::Complete, Some(Stop::TooLarge)) => BodyEnd::TooLarge,
        (BodyEnd::Complete, Some(Stop::Bomb)) => BodyEnd::Bomb,
        (BodyEnd::Complete, _) if opaque => BodyEnd::Opaque,
        (end, _) => end,
    };
    drop(place);
    let clean = frame.clean && end == BodyEnd::Complete;
    Body { decoded, end, clean }
}

/// Follows the framing through the bytes.
struct Frame {
    at: BodyState,
    /// The framing itself has ended the body, and the bytes given ended with it.
    clean: bool,
    /// Every chunk used the plainest encoding: digits, CR LF, no extension, no trailer.
    plain: bool,
}

/// Where in a body the bytes are.
enum BodyState {
    Rest(u64),
    UntilClose,
    Chunk(ChunkState),
}

enum ChunkState {
    Size(Vec<u8>),
    Data(u64),
    /// The line break behind a chunk's data, and its CRs so far.
    DataEnd(usize),
    /// Trailers, by the bytes of their current line.
    Trailer {
        line_bytes: usize,
        bytes: usize,
    },
    Ended,
}

impl Frame {
    fn new(framing: Framing) -> Self {
        let at = match framing {
            Framing::None => BodyState::Rest(0),
            Framing::Length(length) => BodyState::Rest(length),
            Framing::Chunked => BodyState::Chunk(ChunkState::Size(Vec::new())),
            Framing::UntilClose => BodyState::UntilClose,
        };
        Self { at, clean: false, plain: true }
    }

    /// Gives the body's bytes to the decoder; `Some` where the body ends.
    fn take(&mut self, bytes: &[u8], decoder: &mut Decoder) -> Option<BodyEnd> {
        match &mut self.at {
            BodyState::Rest(rest) => {
                let own = bytes.len().min(usize::try_from(*rest).unwrap_or(usize::MAX));
                *rest -= own as u64;
                self.clean = *rest == 0 && own == bytes.len();
                push(&bytes[..own], decoder).or((*rest == 0).then_some(BodyEnd::Complete))
            }
            BodyState::UntilClose => push(bytes, decoder),
            BodyState::Chunk(state) => {
                let end = take_chunks(state, bytes, decoder, &mut self.plain);
                self.clean = self.plain && matches!(state, ChunkState::Ended);
                end
            }
        }
    }

    /// Returns how the body ended, now that the connection is closed.
    fn at_close(&self) -> BodyEnd {
        match self.at {
            BodyState::UntilClose | BodyState::Chunk(ChunkState::Trailer { .. } | ChunkState::Ended) => {
                BodyEnd::Complete
            }
            BodyState::Rest(_) | BodyState::Chunk(_) => BodyEnd::Short,
        }
    }
}

fn push(bytes: &[u8], decoder: &mut Decoder) -> Option<BodyEnd> {
    match decoder.push(bytes)? {
        Stop::TooLarge => Some(BodyEnd::TooLarge),
        Stop::Bomb => Some(BodyEnd::Bomb),
        Stop::Broken => Some(BodyEnd::Broken("content coding")),
        Stop::Ended => Some(BodyEnd::Complete),
    }
}

/// Follows chunks through the bytes; `plain` stays true while there is but one way to read them.
fn take_chunks(state: &mut ChunkState, mut bytes: &[u8], decoder: &mut Decoder, plain: &mut bool) -> Option<BodyEnd> {
    while let Some((&byte, rest)) = bytes.split_first() {
        match state {
            ChunkState::Size(line) if byte == b'\n' => {
                let Some(size) = chunk_size(line) else {
                    return Some(BodyEnd::Broken("chunk size"));
                };
                *plain &= line.strip_suffix(b"\r").is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
                *state =
                    if size == 0 { ChunkState::Trailer { line_bytes: 0, bytes: 0 } } else { ChunkState::Data(size) };
                bytes = rest;
            }
            ChunkState::Size(line) => {
                if line.len() == CHUNK_LINE_MAX {
                    return Some(BodyEnd::Broken("chunk size"));
                }
                line.push(byte);
                bytes = rest;
            }
            ChunkState::Data(left) => {
                let own = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                if let Some(end) = push(&bytes[..own], decoder) {
                    return Some(end);
                }
                *left -= own as u64;
                bytes = &bytes[own..];
                if *left == 0 {
                    *state = ChunkState::DataEnd(0);
                }
            }
            ChunkState::DataEnd(returns) => {
                match byte {
                    b'\r' => *returns += 1,
                    b'\n' => {
                        *plain &= *returns == 1;
                        *state = ChunkState::Size(Vec::new());
                    }
                    _ => return Some(BodyEnd::Broken("chunk end")),
                }
                bytes = rest;
            }
            ChunkState::Trailer { line_bytes, bytes: all } => {
                *all += 1;
                match byte {
                    b'\n' if *line_bytes == 0 => {
                        *plain &= *all == 2 && rest.is_empty();
                        *state = ChunkState::Ended;
                        return Some(BodyEnd::Complete);
                    }
                    b'\n' => *line_bytes = 0,
                    b'\r' => {}
                    _ => *line_bytes += 1,
                }
                if *all > CHUNK_LINE_MAX {
                    return Some(BodyEnd::Broken("trailers"));
                }
                bytes = rest;
            }
            ChunkState::Ended => return Some(BodyEnd::Complete),
        }
    }
    None
}

/// The hexadecimal number at the beginning of a chunk's line; extensions behind `;` are ignored.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?.split(';').next()?.trim();
    u64::from_str_radix(text, 16).ok().filter(|_| !text.starts_with('+'))
}

/// Reads bytes until the limit; `Ok(0)` at the end.
pub(super) async fn read_some(
    door: &Door,
    stream: &mut (impl AsyncRead + Unpin),
    bytes: &mut Vec<u8>,
    limit: WireTime,
    what: &'static str,
) -> Result<usize> {
    match door.until(limit, what, read_more(stream, bytes)).await? {
        Ok(length) => Ok(length),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(0),
        Err(error) => Err(NetError::from_io(&error, what)),
    }
}
