//! The icon of a site. Its hashes identify products and related sites, in addition to what the page shows.

use crate::ask::{bindings, web};
use crate::read::technology;
use crate::task::OF_SITES;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::{network, uri};
use ambit_model::{Kind, TaskName};
use ambit_net::http::Url;
use base64::Engine;
use md5::{Digest, Md5};
use serde_json::json;
use sha1::Sha1;
use sha2::Sha256;

pub(crate) const TASK: Task = Task {
    name: TaskName::Favicon,
    pretty_name: "Favicon",
    description: "Fetches the icon that a site names, or the usual one, and hashes it.",
    workflows: OF_SITES,
    watches: &[Kind::Uri],
    cost: 2,
    gain: 3,
    plan: |facts, _| Plan::bound(bindings::of_root_site(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Bytes of an icon; larger ones are no icons.
pub(crate) const ICON_BYTES: usize = 512 * 1_024;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = web::site(cx)?;
    let Some(visit) = web::answered(web::visit(cx, &url).await)? else { return Ok(Answer::Absent) };
    let named = visit.exchanges.first().and_then(|first| web::page(&visit, first)?.icon.as_deref());
    // An icon on another host is that host's.
    let named = named
        .and_then(|icon| Url::parse(icon).ok())
        .filter(|icon| icon.host == url.host && icon.port == url.port && icon.https == url.https);
    for icon in named.into_iter().chain([url.with_path("/favicon.ico")]) {
        let exchange = match web::get(cx, &icon, ICON_BYTES).await {
            Err(error) if web::is_closed(&error) => continue,
            exchange => exchange?.available()?,
        };
        if exchange.status == 200 && !exchange.truncated && is_image(&exchange.body) {
            observe(cx, &exchange.body);
            return Ok(Answer::Found);
        }
    }
    Ok(Answer::Absent)
}

fn observe(cx: &Context<'_>, bytes: &[u8]) {
    let (md5, sha1) = (hex::encode(Md5::digest(bytes)), hex::encode(Sha1::digest(bytes)));
    let murmur = mmh3(wrapped_base64(bytes).as_bytes());
    let products = technology::of_icon(&cx.settings.fingerprints, &md5, &sha1, murmur);
    cx.observe(network::FINGERPRINT, ambit_fingerprints::items(products));
    cx.observe(uri::FAVICON_MD5, json!(md5));
    cx.observe(uri::FAVICON_SHA1, json!(sha1));
    cx.observe(uri::FAVICON_SHA256, json!(hex::encode(Sha256::digest(bytes))));
    cx.observe(uri::FAVICON_MMH3, json!(murmur));
    cx.evidence("favicon", bytes);
}

/// By its first bytes: what a server calls an icon may be an error page.
pub(crate) fn is_image(bytes: &[u8]) -> bool {
    let starts: &[&[u8]] = &[b"\x00\x00\x01\x00", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"BM"];
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).to_ascii_lowercase();
    let drawing = text.contains("<svg") && !text.contains("<html");
    starts.iter().any(|start| bytes.starts_with(start)) || drawing
}

/// Base64 in lines of 76, each ended: what the indexers hash.
fn wrapped_base64(bytes: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    let mut wrapped = String::with_capacity(text.len() + text.len() / 76 + 1);
    for line in text.as_bytes().chunks(76) {
        wrapped.push_str(&String::from_utf8_lossy(line));
        wrapped.push('\n');
    }
    wrapped
}

/// MurmurHash3, 32 bits, seed 0, as a signed number.
fn mmh3(bytes: &[u8]) -> i32 {
    const C1: u32 = 0xcc9e_2d51;
    const C2: u32 = 0x1b87_3593;
    let scramble = |block: u32| block.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let mut hash = 0_u32;
    let mut blocks = bytes.chunks_exact(4);
    for block in blocks.by_ref() {
        let block = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        hash = (hash ^ scramble(block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let tail = blocks.remainder().iter().rev().fold(0_u32, |tail, byte| tail << 8 | u32::from(*byte));
    hash ^= scramble(tail);
    // The length counts modulo 2^32 by definition.
    hash ^= bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    (hash ^ hash >> 16).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_known_one() {
        assert_eq!(mmh3(b""), 0);
        assert_eq!(mmh3(b"foo"), -156_908_512);
        assert_eq!(mmh3(b"hello"), 613_153_351);
    }

    #[test]
    fn an_error_page_is_no_icon() {
        assert!(is_image(b"GIF89a\x01"));
        assert!(is_image(b"<?xml version='1.0'?><svg xmlns='x'>"));
        assert!(!is_image(b"<html><svg></svg></html>"));
        assert!(!is_image(b""));
    }

    #[test]
    fn base64_is_wrapped_as_the_indexers_do() {
        assert_eq!(wrapped_base64(&[0; 57]).len(), 77);
        assert!(wrapped_base64(b"x").ends_with("eA==\n"));
    }
}
