//! The web interface that was built into the program, and the link that signs a browser in to it.

use crate::clock::now;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use ambit_server::Interface;
use ambit_store::Store;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The files of `web/dist/` when this program was built, by their paths below it.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/interface.rs"));

/// The interface; without files where none was built.
pub(crate) fn interface() -> Interface {
    Interface::of(FILES)
}

/// A link that signs the owner of a data folder in once, at the address where a browser on this machine finds the
/// server.
pub(crate) async fn link_of_owner(store: &Store, root: &str) -> Result<String> {
    let owner = store.local_operator().await?;
    Ok(link(root, &store.make_sign_in_link(&owner.at(now())).await?.token))
}

/// The link of a token. The token stands behind `#`, which browsers send to nobody.
pub(crate) fn link(root: &str, token: &str) -> String {
    format!("{}/sign_in#{token}", root.trim_end_matches('/'))
}

/// Where a browser on this machine finds a server that listens at `bound`. Fails where `public_url` is no root.
pub(crate) fn root(settings: &Settings, secure: bool, bound: SocketAddr) -> Result<String> {
    if let Some(url) = public_url(settings)? {
        return Ok(url);
    }
    let scheme = if secure { "https" } else { "http" };
    let address = if bound.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { bound.ip() };
    Ok(format!("{scheme}://{}", SocketAddr::new(address, bound.port())))
}

/// The setting, as the root of every link.
pub(crate) fn public_url(settings: &Settings) -> Result<Option<String>> {
    let url = settings.get("public_url").map(ambit_server::public_url).transpose();
    url.map_err(|why| Failure::usage(format!("setting public_url {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_where_a_browser_finds_the_server() {
        let settings = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            Settings::load(None, &pairs).unwrap()
        };
        let here = settings(&[]);
        for (secure, bound, expected) in [
            (false, "127.0.0.1:8080", "http://127.0.0.1:8080/sign_in#t"),
            (true, "[::1]:443", "https://[::1]:443/sign_in#t"),
            (false, "0.0.0.0:80", "http://127.0.0.1:80/sign_in#t"),
            (false, "[::]:80", "http://127.0.0.1:80/sign_in#t"),
        ] {
            assert_eq!(link(&root(&here, secure, bound.parse().unwrap()).unwrap(), "t"), expected);
        }
        let public = settings(&[("AMBIT_PUBLIC_URL", "https://asm.test/")]);
        let root_of = |settings| root(settings, false, "127.0.0.1:1".parse().unwrap());
        assert_eq!(link(&root_of(&public).unwrap(), "t"), "https://asm.test/sign_in#t");
        let below = settings(&[("AMBIT_PUBLIC_URL", "https://asm.test/ambit")]);
        assert!(root_of(&below).is_err(), "the page is at the root of a host");
    }
}
