//! The characters of an answer, by what it says of them: a mark at its front, its head, its meta element. Pure.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Bytes in which a page says how it is written, as browsers look for it.
const LOOKED_BYTES: usize = 1_024;

/// `<meta charset=…>`, and the older form that repeats the head of the answer.
static META: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i-u)<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([a-z0-9_:-]{2,40})"#).expect("constant")
});
static PARAMETER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?i-u);\s*charset\s*=\s*["']?\s*([a-z0-9_:-]{2,40})"#).expect("constant"));

/// The text of a body with this `Content-Type`. What stands for no character becomes U+FFFD.
pub(crate) fn text(body: &[u8], content_type: &str) -> String {
    if let Some((marked, length)) = Encoding::for_bom(body) {
        return marked.decode_without_bom_handling(&body[length..]).0.into_owned();
    }
    let head = named(&PARAMETER, content_type.as_bytes());
    let said = head.or_else(|| {
        let said = named(&META, &body[..body.len().min(LOOKED_BYTES)])?;
        // Where the element can be read, the page is written in no units of two bytes.
        Some(if said.is_ascii_compatible() { said } else { UTF_8 })
    });
    match said {
        // Servers say so of all that they hold. UTF-8 that holds more than ASCII is nothing else by chance.
        Some(said) if said == WINDOWS_1252 && std::str::from_utf8(body).is_ok() => lossy(body),
        Some(said) => said.decode_without_bom_handling(body).0.into_owned(),
        None => lossy(body),
    }
}

fn named(by: &Regex, bytes: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(by.captures(bytes)?.get(1)?.as_bytes())
}

fn lossy(body: &[u8]) -> String {
    String::from_utf8_lossy(body).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_in_the_characters_in_which_it_is_written() {
        let units = |text: &str, big: bool| -> Vec<u8> {
            text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
        };
        let page = "<a href='/ä'>";
        let latin = b"<a href='/\xe4'>".to_vec();
        let with_meta = |meta: &str, body: &[u8]| [meta.as_bytes(), body].concat();
        for (body, media, ends) in [
            (page.as_bytes().to_vec(), "text/html", page),
            (page.as_bytes().to_vec(), "text/html; charset=iso-8859-1", page),
            (latin.clone(), "text/html; charset=iso-8859-1", page),
            (latin.clone(), "text/html;Charset=\"Windows-1252\"", page),
            (with_meta("<meta charset=latin1>", &latin), "text/html", page),
            (with_meta("<META http-equiv=x content='text/html; charset=ISO-8859-1'>", &latin), "text/html", page),
            (with_meta("<meta charset=utf-16>", page.as_bytes()), "text/html", page),
            (latin, "text/html; charset=nothing", "<a href='/\u{fffd}'>"),
            ([vec![0xff, 0xfe], units(page, false)].concat(), "text/html; charset=utf-8", page),
            ([vec![0xfe, 0xff], units(page, true)].concat(), "text/html", page),
            (units(page, false), "text/html; charset=utf-16", page),
            (units(page, true), "text/html; charset=utf-16be", page),
            (b"\xef\xbb\xbf<p>".to_vec(), "text/html; charset=iso-8859-1", "<p>"),
            (b"\x93\xfa\x96\x7b".to_vec(), "text/html; charset=shift_jis", "日本"),
            (b"\xff\xfe\xff".to_vec(), "text/html", "\u{fffd}"),
            (Vec::new(), "", ""),
        ] {
            let read = text(&body, media);
            assert!(read.ends_with(ends) && read.len() < body.len() + 8, "{media} {body:?}: {read}");
        }
    }
}
