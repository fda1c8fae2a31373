//! Answers in fewer bytes, for clients that say that they can read them: zstd, brotli, gzip. What is small or packed
//! already stays as it is.

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderMap;
use http::header::ACCEPT_ENCODING;
use std::io::{self, Write};

/// Answers below this fit into a packet or two as they are.
const BYTES_MIN: usize = 1_024;
/// Larger answers are packed beside the tasks that answer others.
const BYTES_HERE: usize = 32 * 1024;
/// Levels that cost less than the search behind the answer: a megabyte in about 5, 20 and 20 ms.
const ZSTD_LEVEL: i32 = 3;
const BROTLI_QUALITY: i32 = 4;
const GZIP_LEVEL: u32 = 4;
/// Brotli's window: 4 MiB, as browsers have it.
const BROTLI_WINDOW: i32 = 22;

/// How the bytes of an answer are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

/// In the order in which they are chosen where the client has no wish.
pub(crate) const ALL: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];

impl Coding {
    /// Returns the name in `Content-Encoding`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The bytes, coded.
    pub(crate) fn pack(self, bytes: &[u8]) -> io::Result<Bytes> {
        self.pack_at(bytes, ZSTD_LEVEL, BROTLI_QUALITY, GZIP_LEVEL)
    }

    /// The same with more work, for what is packed once and sent often.
    pub(crate) fn pack_well(self, bytes: &[u8]) -> io::Result<Bytes> {
        self.pack_at(bytes, 15, 9, 9)
    }

    fn pack_at(self, bytes: &[u8], zstd_level: i32, brotli_quality: i32, gzip_level: u32) -> io::Result<Bytes> {
        let packed = match self {
            Self::Zstd => zstd::bulk::compress(bytes, zstd_level)?,
            Self::Brotli => {
                let parameters = brotli::enc::BrotliEncoderParams {
                    quality: brotli_quality,
                    lgwin: BROTLI_WINDOW,
                    ..Default::default()
                };
                let mut out = Vec::new();
                brotli::BrotliCompress(&mut io::Cursor::new(bytes), &mut out, &parameters)?;
                out
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::new(gzip_level));
                encoder.write_all(bytes)?;
                encoder.finish()?
            }
        };
        Ok(packed.into())
    }
}

/// The coding that the client likes best of those that there are; `None`: the bytes as they are.
pub(crate) fn chosen(headers: &HeaderMap) -> Option<Coding> {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut wishes: Vec<(String, f32)> = Vec::new();
    for item in values.flat_map(|value| value.split(',')) {
        let mut parts = item.split(';');
        let name = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let quality = parts.find_map(|part| part.trim().strip_prefix("q=").map(str::to_owned));
        wishes.push((name, quality.and_then(|text| text.trim().parse().ok()).unwrap_or(1.0)));
    }
    let wish = |name: &str| wishes.iter().find(|(known, _)| known == name).map(|(_, quality)| *quality);
    let wanted = |coding: &Coding| wish(coding.name()).or_else(|| wish("*")).unwrap_or(0.0);
    let best = ALL
        .iter()
        .copied()
        .max_by(|one, other| wanted(one).total_cmp(&wanted(other)).then_with(|| order(*other).cmp(&order(*one))))?;
    (wanted(&best) > 0.0 && wanted(&best) >= wish("identity").unwrap_or(0.0)).then_some(best)
}

fn order(coding: Coding) -> usize {
    ALL.iter().position(|one| *one == coding).unwrap_or(ALL.len())
}

/// True for types that shrink.
pub(crate) fn shrinks(content_type: &str) -> bool {
    content_type.starts_with("application/json") || content_type.starts_with("text/")
}

/// Packs the body of an answer; what does not shrink stays as it is.
pub(crate) async fn packed(coding: Option<Coding>, content_type: &str, bytes: Bytes) -> (Bytes, Option<Coding>) {
    let Some(coding) = coding.filter(|_| shrinks(content_type) && bytes.len() >= BYTES_MIN) else {
        return (bytes, None);
    };
    let whole = bytes.clone();
    let packed = if bytes.len() <= BYTES_HERE {
        coding.pack(&whole).ok()
    } else {
        let packed = tokio::task::spawn_blocking(move || coding.pack(&whole)).await;
        packed.ok().and_then(Result::ok)
    };
    match packed {
        Some(packed) if packed.len() < bytes.len() => (packed, Some(coding)),
        _ => (bytes, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use std::io::Read;

    fn asked(value: &'static str) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
        chosen(&headers).map(Coding::name)
    }

    #[test]
    fn the_client_s_wish_counts() {
        assert_eq!(asked("gzip, deflate"), Some("gzip"));
        assert_eq!(asked("gzip, deflate, br, zstd"), Some("zstd"));
        assert_eq!(asked("gzip;q=1.0, zstd;q=0.2"), Some("gzip"));
        assert_eq!(asked("BR"), Some("br"));
        assert_eq!(asked("*"), Some("zstd"));
        assert_eq!(asked("*, zstd;q=0"), Some("br"));
        for none in ["", "identity", "deflate", "gzip;q=0", "identity, gzip;q=0.5"] {
            assert_eq!(asked(none), None, "{none}");
        }
        assert_eq!(chosen(&HeaderMap::new()), None);
    }

    fn unpacked(coding: Coding, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match coding {
            Coding::Zstd => out = zstd::bulk::decompress(bytes, 1 << 20).unwrap(),
            Coding::Brotli => drop(brotli::Decompressor::new(bytes, 4096).read_to_end(&mut out).unwrap()),
            Coding::Gzip => drop(flate2::read::GzDecoder::new(bytes).read_to_end(&mut out).unwrap()),
        }
        out
    }

    #[tokio::test]
    async fn what_is_packed_can_be_read_and_what_is_small_or_packed_stays() {
        let text: Bytes = "all the same ".repeat(10_000).into();
        for coding in ALL {
            let (sent, as_what) = packed(Some(coding), "application/json", text.clone()).await;
            assert_eq!(as_what, Some(coding));
            assert!(sent.len() < text.len() / 20 && unpacked(coding, &sent) == text);
            assert_eq!(unpacked(coding, &coding.pack_well(&text).unwrap()), text);
            assert_eq!(packed(Some(coding), "application/octet-stream", text.clone()).await.1, None);
            assert_eq!(packed(Some(coding), "application/json", text.slice(..1_000)).await.1, None);
        }
        assert_eq!(packed(None, "application/json", text.clone()).await, (text, None));
    }
}
