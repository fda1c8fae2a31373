//! Reads an HTML page into what matters: title, forms, scripts, links, the shape of its tree. The page is hostile;
//! every list has a limit.

use ambit_net::http::Url;
use regex::Regex;
use scraper::{ElementRef, Html, Selector};
use sha1::{Digest, Sha1};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What a page holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Page {
    pub(crate) title: Option<String>,
    pub(crate) generator: Option<String>,
    /// Names and contents of its meta elements.
    pub(crate) metas: Vec<(String, String)>,
    /// Its inline scripts, one below the other.
    pub(crate) inline: String,
    /// The text that it shows.
    pub(crate) text: String,
    pub(crate) forms: Vec<Form>,
    /// Sources of scripts, absolute, sorted.
    pub(crate) scripts: BTreeSet<String>,
    /// Everything that the page points to or loads, absolute, sorted.
    pub(crate) links: BTreeSet<String>,
    /// Those of them that are not links: the request sends data, as that of a form with the method `post` does.
    pub(crate) sent: BTreeSet<String>,
    /// Pictures, styles and scripts that it loads, absolute, sorted.
    pub(crate) assets: BTreeSet<String>,
    /// Those of them that may do what the page may: scripts, styles, frames and what is embedded; absolute, sorted.
    pub(crate) active: BTreeSet<String>,
    /// `mailto:` addresses.
    pub(crate) mailboxes: BTreeSet<String>,
    /// Where its icon is.
    pub(crate) icon: Option<String>,
    /// The content policies that it holds in `<meta>`, one by one. Browsers heed them like those of the header, but for
    /// framing, reporting and sandboxes.
    pub(crate) policies: Vec<String>,
    /// It asks for a password outside of any form: a script sends it.
    pub(crate) loose_password: bool,
    /// Where `<meta http-equiv=refresh>` leads.
    pub(crate) refresh: Option<String>,
    /// SHA-1 over the tags in document order: the same for pages that differ only in text.
    pub(crate) dom_sha1: String,
}

/// A form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Form {
    /// Absolute, without the query.
    pub(crate) action: String,
    pub(crate) method: String,
    pub(crate) password: bool,
    /// It asks for a code of a second factor.
    pub(crate) code: bool,
    pub(crate) fields: BTreeSet<String>,
}

/// Links of a page.
const LINKS_MAX: usize = 2_000;
/// Forms of a page.
const FORMS_MAX: usize = 50;
/// Fields of a form.
const FIELDS_MAX: usize = 100;
/// Content policies of a page.
const POLICIES_MAX: usize = 10;
/// Characters of a content policy.
const POLICY_CHARS_MAX: usize = 4_096;
/// Meta elements of a page.
const METAS_MAX: usize = 200;
/// Bytes of its scripts, and of its text.
const TEXT_BYTES_MAX: usize = 512 * 1_024;
/// Characters of a title.
const TITLE_CHARS_MAX: usize = 300;
/// Elements that the shape is made of; a page with more is a trap.
const ELEMENTS_MAX: usize = 50_000;

/// Elements that may be open at once; browsers stop at 512. The parser's time grows with elements times depth.
const DEPTH_MAX: usize = 512;
/// Elements without content, and those that the next of their kind closes: they never nest.
const FLAT: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
    "param", "source", "td", "th", "tr", "track", "wbr",
];

/// The front of a page up to where it nests too deep or has too many tags: a trap for parsers beyond it. An end tag
/// closes only what is open.
pub(super) fn bounded(html: &str) -> &str {
    let mut open: Vec<&str> = Vec::new();
    let mut tags = 0usize;
    for (at, _) in html.match_indices('<') {
        let rest = &html[at + 1..];
        let ends = rest.starts_with('/');
        let rest = rest.trim_start_matches('/');
        let name = &rest[..rest.bytes().take(16).take_while(u8::is_ascii_alphanumeric).count()];
        if name.is_empty() {
            continue;
        }
        tags += 1;
        if ends {
            if let Some(opened) = open.iter().rposition(|known| known.eq_ignore_ascii_case(name)) {
                open.truncate(opened);
            }
        } else if !FLAT.iter().any(|flat| flat.eq_ignore_ascii_case(name)) {
            open.push(name);
        }
        if open.len() > DEPTH_MAX || tags > 2 * ELEMENTS_MAX {
            return &html[..at];
        }
    }
    html
}

macro_rules! selector {
    ($name:ident, $text:literal) => {
        static $name: LazyLock<Selector> = LazyLock::new(|| Selector::parse($text).expect("the selector is constant"));
    };
}
selector!(TITLE, "title");
selector!(META, "meta");
selector!(FORM, "form");
selector!(FIELD, "input, select, textarea, button");
selector!(SENDER, "button[formaction], input[formaction]");
selector!(PASSWORD, "input[type=password i]");
selector!(SCRIPT, "script[src]");
selector!(
    LINKED,
    "a[href], link[href], img[src], iframe[src], script[src], source[src], video[src], audio[src], form[action], \
     area[href]"
);
selector!(ICON, "link[rel~=icon], link[rel~=ICON]");
selector!(ASSET, "img[src], script[src], source[src], video[src], audio[src], iframe[src], link[rel~=stylesheet]");
selector!(ACTIVE, "script[src], iframe[src], frame[src], embed[src], object[data], link[href]");
selector!(STYLE, "style");
selector!(BASE, "base[href]");

/// What a style takes in, without the blanks and quotes around it.
static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?is)/\*.*?\*/|@import\s*(?:url\(\s*)?["']?\s*([^\s"'();]{1,2000})"#)
        .expect("the expression is constant")
});

impl Page {
    /// Reads a page that was fetched from a URL.
    pub(crate) fn parse(html: &str, url: &Url) -> Self {
        let document = Html::parse_document(bounded(html));
        let base =
            document.select(&BASE).next().and_then(|element| element.attr("href")).and_then(|href| url.join(href).ok());
        let base = base.unwrap_or_else(|| url.clone());
        let absolute = |reference: &str| base.join(reference).ok().map(|url| url.to_string());
        let mut page = Self {
            title: document.select(&TITLE).next().map(|element| text_of(&element)).filter(|title| !title.is_empty()),
            forms: forms(&document, &base),
            scripts: attributes(&document, &SCRIPT, "src")
                .filter_map(|source| absolute(&source))
                .take(LINKS_MAX)
                .collect(),
            icon: attributes(&document, &ICON, "href").next().and_then(|href| absolute(&href)),
            loose_password: document.select(&PASSWORD).any(|field| !is_in_form(&field)),
            dom_sha1: shape(&document),
            ..Self::default()
        };
        for element in document.select(&ASSET).take(LINKS_MAX) {
            let reference = ["src", "href"].into_iter().find_map(|name| element.attr(name)).unwrap_or("");
            page.assets.extend(absolute(reference.trim()));
        }
        page.active = active(&document).iter().filter_map(|reference| absolute(reference)).collect();
        page.read_text(&document);
        for element in document.select(&META) {
            page.read_meta(&element, &absolute);
        }
        let mut followed = BTreeSet::new();
        for element in document.select(&LINKED).take(LINKS_MAX) {
            let reference = ["href", "src", "action"].into_iter().find_map(|name| element.attr(name)).unwrap_or("");
            page.read_link(reference, &absolute);
            let into = if is_sent(&element) { &mut page.sent } else { &mut followed };
            into.extend(absolute(reference.trim()));
        }
        page.sent.retain(|link| !followed.contains(link));
        page
    }

    fn read_meta(&mut self, element: &ElementRef<'_>, absolute: &dyn Fn(&str) -> Option<String>) {
        let content = element.attr("content").unwrap_or("").trim();
        if element.attr("name").is_some_and(|name| name.eq_ignore_ascii_case("generator")) && !content.is_empty() {
            self.generator = Some(content.chars().take(TITLE_CHARS_MAX).collect());
        }
        let name = element.attr("name").or_else(|| element.attr("property"));
        if let Some(name) = name.filter(|_| self.metas.len() < METAS_MAX) {
            self.metas.push((name.to_owned(), content.to_owned()));
        }
        let directive = element.attr("http-equiv").unwrap_or("").trim();
        if directive.eq_ignore_ascii_case("refresh") {
            let target = content.split_once(['=']).map(|(_, target)| target.trim().trim_matches(['"', '\'']));
            self.refresh = target.and_then(absolute);
        } else if directive.eq_ignore_ascii_case("content-security-policy")
            && !content.is_empty()
            && self.policies.len() < POLICIES_MAX
        {
            self.policies.push(content.chars().take(POLICY_CHARS_MAX).collect());
        }
    }

    /// Separates the text of scripts from the text that the page shows.
    fn read_text(&mut self, document: &Html) {
        for node in document.tree.nodes() {
            let Some(text) = node.value().as_text() else { continue };
            let holder = node.parent().and_then(|parent| parent.value().as_element().map(|element| element.name()));
            let (into, end) = match holder {
                Some("script") => (&mut self.inline, "\n"),
                Some("style" | "template" | "noscript" | "title") => continue,
                _ => (&mut self.text, ""),
            };
            if into.len() + text.len() <= TEXT_BYTES_MAX {
                into.push_str(text);
                into.push_str(end);
            }
        }
    }

    fn read_link(&mut self, reference: &str, absolute: &dyn Fn(&str) -> Option<String>) {
        let reference = reference.trim();
        if let Some(address) =
            reference.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:")).and(reference.get(7..))
        {
            self.mailboxes.extend(address.split(['?', ',']).next().map(str::to_owned));
        } else {
            self.links.extend(absolute(reference));
        }
    }
}

/// What the page runs, shows as a page or draws itself by. What stands in a template is not loaded.
fn active(document: &Html) -> Vec<String> {
    let is_loaded = |element: &ElementRef<'_>| {
        let mut around = element.ancestors().filter_map(|node| node.value().as_element());
        !around.any(|element| element.name() == "template")
    };
    let elements = document.select(&ACTIVE).filter(is_loaded).filter(is_active).take(LINKS_MAX);
    let mut found = Vec::new();
    for element in elements {
        let reference = ["src", "data", "href"].into_iter().find_map(|name| element.attr(name));
        found.extend(reference.map(|reference| reference.trim().to_owned()));
    }
    for style in document.select(&STYLE).filter(is_loaded).take(LINKS_MAX) {
        let text: String = style.text().collect();
        found.extend(IMPORT.captures_iter(&text).filter_map(|found| Some(found.get(1)?.as_str().to_owned())));
    }
    found
}

fn is_active(element: &ElementRef<'_>) -> bool {
    let said = |name: &str| element.attr(name).unwrap_or("").trim().to_ascii_lowercase();
    match element.value().name() {
        // What a browser cannot run it does not load.
        "script" => {
            let media = said("type");
            media.is_empty() || media == "module" || media.contains("javascript") || media.contains("ecmascript")
        }
        "link" => said("rel").split_ascii_whitespace().any(|word| word == "stylesheet"),
        _ => true,
    }
}

/// True for a form that is sent, and for a link that a script sends as one.
fn is_sent(element: &ElementRef<'_>) -> bool {
    let method = match element.value().name() {
        "form" => element.attr("method"),
        _ => element.attr("data-method").or_else(|| element.attr("data-turbo-method")),
    };
    method.is_some_and(|method| !method.trim().eq_ignore_ascii_case("get"))
}

fn attributes<'a>(document: &'a Html, selector: &'a Selector, name: &'a str) -> impl Iterator<Item = String> + 'a {
    document.select(selector).filter_map(move |element| element.attr(name)).map(str::to_owned)
}

/// Text of an element, blanks run together.
fn text_of(element: &ElementRef<'_>) -> String {
    let text: String = element.text().collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(TITLE_CHARS_MAX).collect()
}

fn forms(document: &Html, base: &Url) -> Vec<Form> {
    let mut forms: Vec<Form> = document.select(&FORM).take(FORMS_MAX).flat_map(|form| read_form(&form, base)).collect();
    forms.sort();
    forms.truncate(FORMS_MAX);
    forms.dedup();
    forms
}

/// A form, once for each place that its buttons send it to.
fn read_form(form: &ElementRef<'_>, base: &Url) -> Vec<Form> {
    let action = |reference: &str| {
        let action = base.join(reference.trim()).map(|url| url.to_string()).unwrap_or_default();
        action.split('?').next().unwrap_or("").to_owned()
    };
    let method = form.attr("method").unwrap_or("get").trim().to_ascii_uppercase();
    let mut read =
        Form { action: action(form.attr("action").unwrap_or("")), method: method.clone(), ..Form::default() };
    for field in form.select(&FIELD).take(FIELDS_MAX) {
        let (name, kind) = (field.attr("name").unwrap_or(""), field.attr("type").unwrap_or(""));
        read.password |= kind.eq_ignore_ascii_case("password");
        let is_button = field.value().name() == "button";
        read.code |= (!is_button && is_code(name))
            || field.attr("autocomplete").is_some_and(|value| value.eq_ignore_ascii_case("one-time-code"));
        if !name.is_empty() {
            read.fields.insert(name.chars().take(TITLE_CHARS_MAX).collect());
        }
    }
    let elsewhere = form.select(&SENDER).take(FIELDS_MAX).map(|button| Form {
        action: action(button.attr("formaction").unwrap_or("")),
        method: button.attr("formmethod").map_or(method.clone(), |method| method.trim().to_ascii_uppercase()),
        ..read.clone()
    });
    let mut all: Vec<Form> = elsewhere.collect();
    all.push(read);
    all
}

/// True for a field of a form, which it may also name.
fn is_in_form(field: &ElementRef<'_>) -> bool {
    let mut around = field.ancestors().filter_map(|node| node.value().as_element());
    field.attr("form").is_some() || around.any(|element| element.name() == "form")
}

/// Names of fields for a second factor, in whole words: `otp_attempt` and `userOtp`, but no `footprint`.
fn is_code(name: &str) -> bool {
    let (mut words, mut before) = (Vec::<String>::new(), ' ');
    for letter in name.chars() {
        if letter.is_alphanumeric() {
            if !before.is_alphanumeric() || (letter.is_uppercase() && before.is_lowercase()) {
                words.push(String::new());
            }
            words.last_mut().expect("begun by the first letter").extend(letter.to_lowercase());
        }
        before = letter;
    }
    let is_short = |word: &String| matches!(word.as_str(), "otp" | "totp" | "mfa" | "2fa" | "tfa");
    let name = words.concat();
    words.iter().any(is_short)
        || ["twofactor", "onetimecode", "verificationcode"].iter().any(|long| name.contains(long))
}

fn shape(document: &Html) -> String {
    let mut hash = Sha1::new();
    let elements = document.tree.nodes().filter_map(|node| node.value().as_element());
    for element in elements.take(ELEMENTS_MAX) {
        hash.update(element.name().as_bytes());
        hash.update(b">");
    }
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Page {
        Page::parse(html, &Url::parse("https://www.acme.test/a/").unwrap())
    }

    #[test]
    fn fields_for_a_second_factor_are_told_by_whole_words() {
        for (name, is_code) in [
            ("otp", true),
            ("user[otp_attempt]", true),
            ("userOtp", true),
            ("twoFactorCode", true),
            ("two_factor", true),
            ("verification_code", true),
            ("footprint", false),
            ("rootPath", false),
            ("notPaid", false),
            ("code", false),
        ] {
            assert_eq!(super::is_code(name), is_code, "{name}");
        }
        assert!(!page("<form><button name=enable_2fa>On</button></form>").forms[0].code);
    }

    #[test]
    fn a_page_that_nests_too_deep_is_read_as_far_as_it_is_sane() {
        let deep = "<div>".repeat(500_000);
        assert_eq!(super::bounded(&deep).len(), 512 * 5);
        let evasive = "<div></p></x>".repeat(100_000);
        assert!(super::bounded(&evasive).len() < 10_000);
        let flat = "<p>text<br><li>".repeat(5_000);
        assert_eq!(super::bounded(&flat), flat);
        let closed = "<div><b>x</b></div>".repeat(10_000);
        assert_eq!(super::bounded(&closed), closed);
    }

    #[test]
    fn a_page_is_read() {
        let page = page(
            "<html><head><title> Acme \n Corp </title><meta name=Generator content='WordPress 6.4'><link rel='shortcut \
             icon' href=/i.ico>\
             <script src='js/app.js'></script></head><body><a href='//cdn.acme.test/x'>x</a><a \
             href='mailto:Info@acme.test?subject=x'>m</a>\
             <form action='/login?state=1' method=post><input name=user><input type=password name=pw><input \
             name=otp_code></form></body></html>",
        );
        assert_eq!(page.title.as_deref(), Some("Acme Corp"));
        assert_eq!(page.generator.as_deref(), Some("WordPress 6.4"));
        assert_eq!(page.scripts.iter().collect::<Vec<_>>(), ["https://www.acme.test/a/js/app.js"]);
        assert!(page.links.contains("https://cdn.acme.test/x"));
        assert_eq!(page.mailboxes.iter().collect::<Vec<_>>(), ["Info@acme.test"]);
        assert_eq!(page.icon.as_deref(), Some("https://www.acme.test/i.ico"));
        let form = &page.forms[0];
        assert_eq!(
            (form.action.as_str(), form.method.as_str(), form.password, form.code),
            ("https://www.acme.test/login", "POST", true, true)
        );
    }

    #[test]
    fn what_is_sent_is_told_from_what_is_followed() {
        let page = page(
            "<form action='/wipe?all=1' method=post></form><form action=/pay method=' POST '></form>\
             <form action=/find></form><form action=/list method=GET></form><form action=/login method=post></form>\
             <a href=/login>in</a><a href=/posts/3 data-method=delete>x</a><a href=/about>x</a>",
        );
        let paths = |links: &BTreeSet<String>| -> Vec<String> {
            links.iter().map(|link| link.replace("https://www.acme.test", "")).collect()
        };
        assert_eq!(paths(&page.sent), ["/pay", "/posts/3", "/wipe?all=1"], "the sign-in is linked as well");
        assert_eq!(page.links.len(), 7, "all are known: {:?}", page.links);
        assert_eq!(page.forms.len(), 5);
    }

    #[test]
    fn a_form_counts_once_for_each_place_that_its_buttons_send_it_to() {
        let page = page(
            "<form action='/save' method=post><input name=id><button>Save</button>\
             <button formaction='/drop?x=1'>Drop</button><input type=submit formaction=look formmethod=get></form>",
        );
        let seen: Vec<String> = page.forms.iter().map(|form| format!("{} {}", form.method, form.action)).collect();
        for sent in ["POST /save", "POST /drop", "GET /a/look"] {
            let (method, path) = sent.split_once(' ').unwrap();
            let at = page.forms.iter().filter(|form| form.method == method && form.action.ends_with(path));
            assert_eq!(at.count(), 1, "{sent} {seen:?}");
        }
        assert_eq!(seen.len(), 3);
        assert!(page.forms.iter().all(|form| form.fields.contains("id")));
    }

    #[test]
    fn a_password_outside_of_forms_is_asked_for_as_well() {
        for (html, is_loose) in [
            ("<div><input type=Password></div>", true),
            ("<form><input type=password></form>", false),
            ("<form id=in></form><input type=password form=in>", false),
            ("<input type=text name=password>", false),
        ] {
            assert_eq!(page(html).loose_password, is_loose, "{html}");
        }
    }

    #[test]
    fn the_shape_is_that_of_the_tags() {
        assert_eq!(page("<p>one</p><b>x</b>").dom_sha1, page("<p>two</p><b>y</b>").dom_sha1);
        assert_ne!(page("<p>one</p>").dom_sha1, page("<div>one</div>").dom_sha1);
    }

    #[test]
    fn hostile_pages_are_survived() {
        let deep = "<div>".repeat(2_000);
        for html in [
            "",
            "\0\0<",
            "<title>\u{1b}[31m",
            "<form action='javascript:alert(1)'>",
            "<a href='data:text/html,x'>",
            deep.as_str(),
        ] {
            let page = page(html);
            assert!(page.links.iter().all(|link| link.starts_with("http")), "{html}");
        }
        assert_eq!(page("<title></title>").title, None);
    }
}
