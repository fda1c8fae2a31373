//! Sites: what a web server says for one scheme, name and port.

use super::cursor::{Below, Cursor};
use super::{Reader, estate, exposure};
use crate::draft::{Alpn, Checkout, Cookie, Draft, Hostile, Layout, Page, Plain, Site, TlsVersions};
use crate::exposure::Exposure;
use crate::fresh;
use crate::problem::Fault;
use ambit_model::Kind;
use std::collections::BTreeSet;

/// Longest body of a page in a file, in bytes.
const BODY_BYTES_MAX: usize = 128 << 10;

/// Stands for the exposures that no site names, so that a new one is planted somewhere.
const REST: &str = "rest";

const WORDS: &str = "at, server, status, header, bare, cookie, login, guarded, basic, favicon, page, robots, \
                     links, loads, redirect, leads, soft-404, exposes, twin, checkout, fresh, explains, body, \
                     generator, nonce, compress, cert, tls, alpn, plain, hostile, default, hidden, next";

impl Reader {
    pub(super) fn site(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let key = key(cursor)?;
        self.once(cursor, format!("site {key}"))?;
        let (scheme, authority) = key.split_once("://").expect("a canonical URL has a scheme");
        let (host, port) = authority.rsplit_once(':').expect("a canonical URL has a port");
        let mut site = Site {
            line: cursor.line,
            https: scheme == "https",
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: port.parse().expect("a canonical URL has a port"),
            title: cursor.next_quoted().unwrap_or("").to_owned(),
            server: Some("nginx".to_owned()),
            status: 200,
            plain: if port == "443" { Plain::Redirect } else { Plain::None },
            ..Site::default()
        };
        cursor.read_into(&mut site, below, site_words)?;
        self.draft().sites.insert(key, site);
        Ok(())
    }
}

/// Gives each site that has the rest of the exposures, or of their twins, those that no site names in any state.
pub(super) fn plant_rest(states: &mut [Draft]) {
    let rest = |of: fn(&Site) -> &[&'static Exposure]| -> Vec<&'static Exposure> {
        let sites = states.iter().flat_map(|state| state.sites.values());
        let named: BTreeSet<&str> = sites.flat_map(of).map(|exposure| exposure.issue.as_str()).collect();
        let all = exposure::words().iter().map(|(_, exposure)| *exposure);
        all.filter(|exposure| !named.contains(exposure.issue.as_str())).collect()
    };
    let (exposes, twins) = (rest(|site| &site.exposes), rest(|site| &site.twins));
    let plant = |site: &mut Site| {
        if site.exposes_rest {
            site.exposes.extend(&exposes);
        }
        if site.twins_rest {
            site.twins.extend(&twins);
        }
    };
    for site in states.iter_mut().flat_map(|state| state.sites.values_mut()) {
        plant(site);
        site.machines.iter_mut().for_each(plant);
    }
}

/// The canonical `scheme://host:port` of the next word.
pub(super) fn key(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    let word = cursor.word("a URL such as https://www.example.test")?;
    let url = Kind::Uri.canonical(word).map_err(|invalid| cursor.fault(format!("no URL: {}", invalid.why)))?;
    if url.matches('/').count() != 2 {
        return Err(cursor.fault("a site's URL has no path; put paths on `page` lines"));
    }
    Ok(url)
}

impl Site {
    /// The machine of the balancer whose words follow: as the last one until then.
    fn begin_machine(&mut self) {
        let last = self.machines.last().unwrap_or(self);
        let machine = Self { machines: Vec::new(), is_next: true, cert_is_copied: true, ..last.clone() };
        self.machines.push(machine);
    }
}

fn site_words(site: &mut Site, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some(word) = cursor.next() {
        if word == "next" {
            site.begin_machine();
        } else if let Some(machine) = site.machines.last_mut() {
            if matches!(word, "at" | "tls" | "alpn" | "plain" | "default" | "hidden" | "hostile" | "guarded") {
                return Err(cursor.fault("this is said of all machines; put it before `next`"));
            }
            site_word(machine, word, cursor)?;
        } else {
            site_word(site, word, cursor)?;
        }
    }
    Ok(())
}

fn versions(cursor: &mut Cursor<'_>) -> Result<TlsVersions, Fault> {
    cursor.choice(&[
        ("modern", TlsVersions::Modern),
        ("1.2", TlsVersions::Twelve),
        ("also-old", TlsVersions::AlsoOld),
        ("only-old", TlsVersions::OnlyOld),
    ])
}

fn site_word(site: &mut Site, word: &str, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    match word {
        "at" => {
            site.at.push(cursor.address()?);
            site.at.extend(std::iter::from_fn(|| cursor.next_address()));
        }
        "server" => {
            let server = cursor.word("the server's name, or none")?;
            site.server = (server != "none").then(|| server.to_owned());
        }
        "status" => site.status = cursor.status()?,
        "header" => header(site, cursor)?,
        "bare" => site.bare = true,
        "cookie" => {
            let name = cursor.header_name()?;
            let careful = cursor.choice(&[("careful", true), ("careless", false)])?;
            site.cookies.push(Cookie { name, careful });
        }
        "login" => site.login = true,
        "guarded" => {
            let user = cursor.word("who signs in")?.to_owned();
            site.guarded = Some((user, cursor.word("the password")?.to_owned()));
        }
        "basic" => site.basic = Some(cursor.word("the realm in quotes")?.to_owned()),
        "favicon" => site.favicon = Some(cursor.word("a word that stands for the picture")?.to_owned()),
        "page" => {
            let page = page(cursor)?;
            site.pages.retain(|known| !site.is_next || known.path != page.path);
            site.pages.push(page);
        }
        "robots" => {
            let body = format!("User-agent: *\n{}\n", cursor.word("lines of robots.txt in quotes")?);
            site.pages.push(text_page("/robots.txt", body));
        }
        "links" => site.links.extend(cursor.rest("URLs")?),
        "loads" => site.loads.extend(cursor.rest("URLs")?),
        "redirect" => site.redirect = Some(redirect(cursor)?),
        "leads" => site.leads.push(lead(cursor)?),
        "soft-404" => site.soft_404 = true,
        "exposes" | "twin" | "fresh" | "explains" => plant(site, word, cursor)?,
        "checkout" => site.checkout = Some(checkout(cursor)?),
        "body" => site.body = Some(body(cursor)?),
        "generator" => site.generator = Some(cursor.word("the generator's name in quotes")?.to_owned()),
        "nonce" => site.nonce = true,
        "compress" => site.compress = true,
        "cert" => {
            let is_copied = std::mem::take(&mut site.cert_is_copied);
            let earlier = site.cert.take().filter(|_| !is_copied);
            site.cert = Some(super::cert::more(earlier, cursor)?);
        }
        "tls" => site.versions = versions(cursor)?,
        "alpn" => {
            site.alpn = cursor.choice(&[("http/1.1", Alpn::One), ("h2,http/1.1", Alpn::Both), ("h2", Alpn::Two)])?;
        }
        "plain" => {
            site.plain =
                cursor.choice(&[("redirect", Plain::Redirect), ("none", Plain::None), ("same", Plain::Same)])?
        }
        "hostile" => site.hostile = Some(cursor.choice(Hostile::ALL)?),
        "default" => site.default = true,
        "hidden" => site.hidden = true,
        _ => return Err(cursor.unknown(WORDS)),
    }
    Ok(())
}

/// A header beside those that there are, or of a further machine instead of that of the one before.
fn header(site: &mut Site, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    let name = cursor.header_name()?;
    let value = cursor.word("the header's value in quotes")?.to_owned();
    site.headers.retain(|(known, _)| !site.is_next || !known.eq_ignore_ascii_case(&name));
    site.headers.push((name, value));
    Ok(())
}

/// What is planted on a site, or its safe twin.
fn plant(site: &mut Site, word: &str, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    match word {
        "exposes" if cursor.next_if_unquoted(REST) => site.exposes_rest = true,
        "exposes" => site.exposes.push(cursor.choice(exposure::words())?),
        "twin" if cursor.next_if_unquoted(REST) => site.twins_rest = true,
        "twin" => site.twins.push(cursor.choice(exposure::words())?),
        "fresh" => {
            site.fresh = true;
            site.pages.push(html_page(cursor.choice(fresh::ALL)?.page));
        }
        _ => site.pages.push(html_page(cursor.choice(fresh::ALL)?.twin)),
    }
    Ok(())
}

fn body(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    let body = cursor.word("a text in quotes")?;
    if body.len() > BODY_BYTES_MAX {
        return Err(cursor.fault("a body has at most 128 KiB"));
    }
    Ok(body.to_owned())
}

/// `page PATH [STATUS] [MEDIA/TYPE] "BODY"`.
fn page(cursor: &mut Cursor<'_>) -> Result<Page, Fault> {
    let path = cursor.word("a path such as /robots.txt")?.to_owned();
    if !path.starts_with('/') || path.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(cursor.fault("a path begins with `/` and has no blanks"));
    }
    let is_status = |word: &str| word.len() == 3 && word.bytes().all(|b| b.is_ascii_digit());
    let status = if cursor.peek_unquoted().is_some_and(is_status) { cursor.status()? } else { 200 };
    let media = match cursor.peek_unquoted() {
        Some(word) if word.contains('/') => cursor.next().unwrap_or_default().to_owned(),
        _ => "text/html; charset=utf-8".to_owned(),
    };
    Ok(Page { path, status, media, body: body(cursor)? })
}

/// `redirect URL [STATUS]`.
fn redirect(cursor: &mut Cursor<'_>) -> Result<(u16, String), Fault> {
    let target = cursor.word("a URL")?.to_owned();
    let status = if cursor.peek().is_some_and(|word| word.starts_with('3')) { cursor.status()? } else { 301 };
    Ok((status, target))
}

/// `checkout URL [LAYOUT]`.
fn checkout(cursor: &mut Cursor<'_>) -> Result<Checkout, Fault> {
    let (url, _, _) = estate::place(cursor)?;
    let is_layout = |word: &str| Layout::ALL.iter().any(|(name, _)| *name == word);
    let layout =
        if cursor.peek_unquoted().is_some_and(is_layout) { cursor.choice(Layout::ALL)? } else { Layout::Loose };
    Ok(Checkout { url, layout })
}

/// `leads PATH?NAME`.
fn lead(cursor: &mut Cursor<'_>) -> Result<(String, String), Fault> {
    let word = cursor.word("a path with the name of a parameter, such as /go?to")?;
    let pair = word.split_once('?').filter(|(path, name)| path.starts_with('/') && !name.is_empty());
    let (path, name) = pair.ok_or_else(|| cursor.fault("expected a path with a parameter, such as /go?to"))?;
    Ok((path.to_owned(), name.to_owned()))
}

/// A front page.
fn html_page(body: &str) -> Page {
    Page { path: "/".to_owned(), status: 200, media: "text/html; charset=utf-8".to_owned(), body: body.to_owned() }
}

fn text_page(path: &str, body: String) -> Page {
    Page { path: path.to_owned(), status: 200, media: "text/plain; charset=utf-8".to_owned(), body }
}
