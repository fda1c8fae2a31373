//! What a site says to a request: its stated pages, its exposures and their safe twins, its front page, and its way of
//! saying no.

use super::checkout;
use super::connection::Connection;
use super::request::{Request, Response};
use crate::draft::{Page, Site};
use crate::exposure::{Answer, UNKNOWN_PATH};
use crate::internet::Virtual;
use crate::pki::derive;
use sha2::{Digest, Sha256};

const HTML: &str = "text/html; charset=utf-8";

/// The answer of a site.
pub(crate) fn respond(connection: &Connection, virtual_host: &Virtual, request: &Request) -> Response {
    let site = &virtual_host.site;
    if virtual_host.to_https {
        let port = if site.port == 443 { String::new() } else { format!(":{}", site.port) };
        let location = format!("https://{}{port}{}", site.host, request.target);
        return with_server(site, Response::new(301, HTML, "<h1>Moved Permanently</h1>").header("Location", location));
    }
    let mut response = content(connection, virtual_host, request);
    response.compress = site.compress;
    let mut response = with_server(site, response);
    for (name, value) in &site.headers {
        response.headers.push((name.clone(), connection.filled(value).into_owned()));
    }
    if !site.bare {
        security_headers(site.https && connection.to.port() != 80, &mut response);
    }
    for cookie in &site.cookies {
        let value = connection.fresh("cookie", &format!("{} {}", virtual_host.key, cookie.name));
        let flags = if cookie.careful { "; Path=/; Secure; HttpOnly; SameSite=Lax" } else { "; Path=/" };
        response.headers.push(("Set-Cookie".to_owned(), format!("{}={value}{flags}", cookie.name)));
    }
    response
}

fn with_server(site: &Site, mut response: Response) -> Response {
    if let Some(server) = &site.server {
        response.headers.insert(0, ("Server".to_owned(), server.clone()));
    }
    response
}

fn security_headers(tls: bool, response: &mut Response) {
    let usual = [
        ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
        ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
    ];
    for (name, value) in usual.into_iter().skip(usize::from(!tls)) {
        // A header that the file states replaces the usual one.
        if !response.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            response.headers.push((name.to_owned(), value.to_owned()));
        }
    }
}

fn content(connection: &Connection, virtual_host: &Virtual, request: &Request) -> Response {
    let site = &virtual_host.site;
    if request.method == "OPTIONS" {
        return Response::new(200, HTML, "").header("Allow", "GET, HEAD, POST, OPTIONS");
    }
    if let Some(realm) = &site.basic {
        let refusal = Response::new(401, HTML, document(site, "401 Authorization Required", ""));
        return refusal.header("WWW-Authenticate", format!("Basic realm=\"{}\"", realm.replace('"', "")));
    }
    if let Some((user, password)) = site.guarded.as_ref().filter(|(_, password)| !is_signed_in(request, password)) {
        return sign_in(site, request, user, password);
    }
    // A page with a parameter in its path is shown to those who ask with it.
    let asked_with = |page: &&Page| {
        let (path, name) = page.path.split_once('?').unwrap_or((&page.path, ""));
        path == request.path() && !name.is_empty() && request.parameter(name).is_some()
    };
    let with = site.pages.iter().find(asked_with);
    if let Some(page) = with.or_else(|| site.pages.iter().find(|page| page.path == request.path())) {
        return Response::new(page.status, &page.media, connection.filled(&page.body).into_owned());
    }
    if let Some(file) = checkout::respond(connection, site, request) {
        return file;
    }
    if let Some(answer) = planted(site, request.path()) {
        return exposed(answer, site, request);
    }
    let mut leads = site.leads.iter().filter(|(path, _)| path == request.path());
    if let Some(target) = leads.find_map(|(_, name)| request.parameter(name)) {
        return Response::new(302, HTML, "<h1>Moved</h1>").header("Location", target);
    }
    if let Some((status, target)) = &site.redirect {
        return Response::new(*status, HTML, "<h1>Moved</h1>").header("Location", target.clone());
    }
    match request.path() {
        "/" => front(connection, virtual_host),
        "/favicon.ico" if site.favicon.is_some() => {
            let word = site.favicon.as_deref().unwrap_or_default();
            Response::new(200, "image/gif", picture(word))
        }
        "/login" if site.login => front(connection, virtual_host),
        _ if site.soft_404 => Response::new(200, HTML, document(site, &site.title, &body(site))),
        _ => match planted(site, UNKNOWN_PATH) {
            Some(answer) => exposed(answer, site, request),
            None => Response::new(
                404,
                HTML,
                "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
            ),
        },
    }
}

/// A request that shows the session of who signed in, or the password as a token.
fn is_signed_in(request: &Request, password: &str) -> bool {
    let shows = |name: &str, text: String| request.header(name).is_some_and(|value| value.contains(&text));
    shows("cookie", session(password)) || shows("authorization", format!("Bearer {password}"))
}

fn session(password: &str) -> String {
    format!("session={}", hex::encode(&Sha256::digest(password.as_bytes())[..16]))
}

/// The form, or the session for who fills it in rightly.
fn sign_in(site: &Site, request: &Request, user: &str, password: &str) -> Response {
    let body = String::from_utf8_lossy(&request.body);
    let has = |field: String| body.split('&').any(|known| known == field);
    if request.method == "POST" && has(format!("user={user}")) && has(format!("password={password}")) {
        let cookie = format!("{}; Path=/; Secure; HttpOnly; SameSite=Lax", session(password));
        return Response::new(302, HTML, "").header("Location", "/").header("Set-Cookie", cookie);
    }
    let form = "<form action=\"/login\" method=\"post\"><input name=\"user\"><input type=\"password\" \
                name=\"password\"><button>Sign in</button></form>";
    Response::new(200, HTML, document(site, &site.title, form))
}

/// What an exposure of the site, or the twin of one, says on a path.
fn planted(site: &Site, path: &str) -> Option<&'static Answer> {
    let open = site.exposes.iter().find_map(|exposure| exposure.answer(true, path));
    open.or_else(|| site.twins.iter().find_map(|exposure| exposure.answer(false, path)))
}

/// The answer of an exposure, or of its twin, on this site.
fn exposed(answer: &Answer, site: &Site, request: &Request) -> Response {
    let body = answer.body.replace("{host}", &site.host).replace("{path}", &escape(request.path()));
    let body = match &answer.frame {
        Some(title) => document(site, &title.replace("{title}", &site.title), &body),
        None => body,
    };
    Response::new(answer.status, &answer.media, body)
}

fn front(connection: &Connection, virtual_host: &Virtual) -> Response {
    let site = &virtual_host.site;
    let mut inner = connection.filled(&body(site)).into_owned();
    if site.nonce {
        let nonce = connection.fresh("nonce", &virtual_host.key);
        inner.push_str(&format!("<input type=\"hidden\" name=\"csrf_token\" value=\"{nonce}\">"));
    }
    Response::new(site.status, HTML, document(site, &site.title, &inner))
}

fn body(site: &Site) -> String {
    let mut inner = site.body.clone().unwrap_or_else(|| format!("<p>This is {}.</p>", escape(&site.host)));
    for link in &site.links {
        inner.push_str(&format!("<p><a href=\"{}\">{}</a></p>", escape(link), escape(link)));
    }
    if site.login {
        inner.push_str(
            "<form action=\"/login\" method=\"post\"><input name=\"user\"><input type=\"password\" \
             name=\"password\"><button>Sign in</button></form>",
        );
    }
    inner
}

/// A page in its frame.
pub(super) fn document(site: &Site, title: &str, inner: &str) -> String {
    let mut head = format!("<meta charset=\"utf-8\"><title>{}</title>", escape(title));
    if let Some(generator) = &site.generator {
        head.push_str(&format!("<meta name=\"generator\" content=\"{}\">", escape(generator)));
    }
    if site.favicon.is_some() {
        head.push_str("<link rel=\"icon\" href=\"/favicon.ico\">");
    }
    for script in &site.loads {
        head.push_str(&format!("<script src=\"{}\"></script>", escape(script)));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head>{head}</head><body><h1>{}</h1>{inner}</body></html>\n",
        escape(title)
    )
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A GIF of one pixel, in the colours that belong to a word.
fn picture(word: &str) -> Vec<u8> {
    let colours = derive("", "favicon", word);
    let head: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0";
    let tail: &[u8] = b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    [head, &colours[..6], tail].concat()
}
