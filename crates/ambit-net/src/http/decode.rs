//! Content codings, undone while the body comes in. Every layer is metered, so that a small body cannot become a large
//! one anywhere in the stack.

use super::BodySink;
use crate::limits::{BROTLI_WINDOW_MAX, ENCODINGS_MAX, RATIO_GRACE_BYTES, RATIO_MAX, ZSTD_WINDOW_LOG_MAX};
use ring::digest::{Context, SHA256};
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the decoded body goes.
pub(super) struct Decoder {
    layers: Box<dyn Write + Send>,
    sunk: Arc<Mutex<Sunk>>,
    wire_bytes: Arc<AtomicUsize>,
    /// The codings are not known to us, or too many: the body is kept as it comes.
    pub(super) opaque: bool,
    stopped: Option<Stop>,
    pub(super) kept_max: usize,
    read_max: usize,
    window_bytes: usize,
}

/// Why decoding ended before the body did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// More decoded bytes than [`Decoder::read_max`].
    TooLarge,
    /// More than `RATIO_MAX` times the wire's bytes.
    Bomb,
    /// The data is broken.
    Broken,
    /// The coding's own end came; what follows is ignored.
    Ended,
}

/// What came out.
pub(super) struct Decoded {
    pub(super) kept: Vec<u8>,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

struct Sunk {
    /// Where the body goes in place of being kept.
    sink: Option<BodySink>,
    kept: Vec<u8>,
    kept_max: usize,
    bytes: u64,
    hash: Context,
}

impl Decoder {
    /// `encodings` in the order in which they were applied. A body with a `sink` is written there, and not kept.
    pub(super) fn new(encodings: &[String], kept_max: usize, read_max: usize, sink: Option<BodySink>) -> Self {
        let kept_max = if sink.is_some() { 0 } else { kept_max };
        let read_max = sink.as_ref().map_or(kept_max.max(read_max), |sink| sink.bytes_max);
        let sunk =
            Arc::new(Mutex::new(Sunk { sink, kept: Vec::new(), kept_max, bytes: 0, hash: Context::new(&SHA256) }));
        let wire_bytes = Arc::new(AtomicUsize::new(0));
        let meter = |next| {
            Box::new(Meter { next, bytes: 0, bytes_max: read_max, wire_bytes: wire_bytes.clone() })
                as Box<dyn Write + Send>
        };
        let mut layers = meter(Box::new(Sink(sunk.clone())) as Box<dyn Write + Send>);
        let opaque = encodings.len() > ENCODINGS_MAX || !encodings.iter().all(|coding| is_known(coding));
        if !opaque {
            for (index, coding) in encodings.iter().enumerate() {
                layers = layer(coding, layers);
                if index + 1 < encodings.len() {
                    layers = meter(layers);
                }
            }
        }
        Self {
            layers,
            sunk,
            wire_bytes,
            opaque,
            stopped: None,
            kept_max,
            read_max,
            window_bytes: if opaque { 0 } else { encodings.iter().map(|coding| window_bytes(coding)).sum() },
        }
    }

    /// Bytes of the body that are read from the wire, and bytes that it may decode to.
    pub(super) fn read_max(&self) -> usize {
        self.read_max
    }

    /// Memory that the body may take: the kept bytes, and the windows that a peer can make the codings grow to.
    pub(super) fn memory_bytes(&self) -> usize {
        self.kept_max + self.window_bytes
    }

    /// Takes a part of the body; `Some` where decoding ends here.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<Stop> {
        if self.stopped.is_none() {
            self.wire_bytes.fetch_add(bytes.len(), Ordering::Relaxed);
            self.stopped = self.layers.write_all(bytes).err().map(|error| stop_of(&error));
        }
        self.stopped
    }

    /// Bytes kept so far.
    pub(super) fn kept_bytes(&self) -> usize {
        self.sunk.lock().unwrap_or_else(PoisonError::into_inner).kept.len()
    }

    /// Takes what is still inside the layers, and ends.
    pub(super) fn finish(mut self) -> (Decoded, Option<Stop>) {
        if self.stopped.is_none() {
            self.stopped = self.layers.flush().err().map(|error| stop_of(&error));
        }
        let mut sunk = self.sunk.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = std::mem::replace(&mut sunk.hash, Context::new(&SHA256)).finish();
        let decoded = Decoded { kept: std::mem::take(&mut sunk.kept), bytes: sunk.bytes, sha256: hex::encode(hash) };
        (decoded, self.stopped)
    }
}

fn window_bytes(coding: &str) -> usize {
    match coding {
        "br" => BROTLI_WINDOW_MAX,
        "zstd" => 1 << ZSTD_WINDOW_LOG_MAX,
        _ => 0,
    }
}

fn is_known(coding: &str) -> bool {
    matches!(coding, "gzip" | "x-gzip" | "deflate" | "br" | "zstd")
}

fn layer(coding: &str, next: Box<dyn Write + Send>) -> Box<dyn Write + Send> {
    match coding {
        "gzip" | "x-gzip" => Box::new(flate2::write::GzDecoder::new(next)),
        "deflate" => Box::new(Deflate::Unknown(Vec::new(), Some(next))),
        "br" => Box::new(brotli::DecompressorWriter::new(next, 16 * 1024)),
        _ => {
            let mut decoder = zstd::stream::write::Decoder::new(next).expect("a decoder needs only memory");
            decoder.window_log_max(ZSTD_WINDOW_LOG_MAX).expect("the limit lies in zstd's range");
            Box::new(decoder)
        }
    }
}

/// An error that says why the meter stopped.
#[derive(Debug, thiserror::Error)]
#[error("decoding stopped")]
struct Stopped(Stop);

fn stop_of(error: &io::Error) -> Stop {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Stopped>()) {
        Some(Stopped(stop)) => *stop,
        None if error.kind() == io::ErrorKind::WriteZero => Stop::Ended,
        None => Stop::Broken,
    }
}

/// Counts what a layer gives and stops it at the limits.
struct Meter {
    next: Box<dyn Write + Send>,
    bytes: usize,
    bytes_max: usize,
    wire_bytes: Arc<AtomicUsize>,
}

impl Write for Meter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.bytes_max - self.bytes;
        let taken = &bytes[..bytes.len().min(room)];
        if taken.is_empty() && !bytes.is_empty() {
            return Err(io::Error::other(Stopped(Stop::TooLarge)));
        }
        self.bytes += taken.len();
        if self.bytes > RATIO_GRACE_BYTES && self.bytes / RATIO_MAX > self.wire_bytes.load(Ordering::Relaxed) {
            return Err(io::Error::other(Stopped(Stop::Bomb)));
        }
        self.next.write_all(taken)?;
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.next.flush()
    }
}

/// The end of the stack: keeps the beginning, hashes and counts all.
struct Sink(Arc<Mutex<Sunk>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut sunk = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = sunk.kept_max - sunk.kept.len();
        let kept = &bytes[..bytes.len().min(room)];
        sunk.kept.extend_from_slice(kept);
        sunk.bytes += bytes.len() as u64;
        sunk.hash.update(bytes);
        sunk.sink.as_mut().map_or(Ok(()), |sink| sink.write(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `deflate` is a zlib stream by the book and a bare deflate stream by habit: the first two bytes tell.
enum Deflate {
    Unknown(Vec<u8>, Option<Box<dyn Write + Send>>),
    Zlib(flate2::write::ZlibDecoder<Box<dyn Write + Send>>),
    Bare(flate2::write::DeflateDecoder<Box<dyn Write + Send>>),
}

impl Write for Deflate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Zlib(decoder) => decoder.write(bytes),
            Self::Bare(decoder) => decoder.write(bytes),
            Self::Unknown(first, next) => {
                first.extend_from_slice(bytes);
                if first.len() < 2 {
                    return Ok(bytes.len());
                }
                let is_zlib = first[0] & 0x0f == 8 && u16::from_be_bytes([first[0], first[1]]).is_multiple_of(31);
                let first = std::mem::take(first);
                let next = next.take().expect("taken once, when the kind is known");
                *self = if is_zlib {
                    Self::Zlib(flate2::write::ZlibDecoder::new(next))
                } else {
                    Self::Bare(flate2::write::DeflateDecoder::new(next))
                };
                self.write_all(&first)?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Zlib(decoder) => decoder.flush(),
            Self::Bare(decoder) => decoder.flush(),
            Self::Unknown(..) => Ok(()),
        }
    }
}
