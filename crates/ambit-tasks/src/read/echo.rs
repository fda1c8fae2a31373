//! What an answer makes of the values that it was asked with. Nothing is sent for it: the values are those of links
//! that the application itself has. Pure.

use super::defect::{Shown, searched};
use crate::ask::web;
use ambit_model::entity::{registrable, uri};
use ambit_net::http::url::percent_decode;
use ambit_net::http::{HttpExchange, Url};

/// Characters of a value that is looked for: shorter ones stand in pages by chance.
const VALUE_CHARS: std::ops::RangeInclusive<usize> = 4..=200;
/// Letters and digits among them.
const LETTERS_MIN: usize = 3;
/// Parameters of one URL.
const VALUES_MAX: usize = 30;
/// Places of one value in one page.
const PLACES_MAX: usize = 5;

/// Where in a page a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkupContext {
    Text,
    /// In an attribute that this character ends.
    Attribute(char),
    Tag,
    /// In a text of a script that this character ends; `true`: behind a backslash.
    Script(char, bool),
}

/// What one answer shows of the values in its URL.
pub(crate) fn defects(exchange: &HttpExchange) -> Vec<Shown> {
    let mut found = Vec::new();
    let target = web::header(exchange, "location").and_then(|target| exchange.url.join(target).ok());
    if let Some(target) = target.filter(|_| (300..400).contains(&exchange.status)) {
        found.extend(led_away(&exchange.url, &target).map(|proof| (uri::OPEN_REDIRECT, proof)));
    }
    if web::is_html(exchange) {
        let text = searched(exchange);
        found.extend(reflected(&exchange.url, &text).map(|proof| ("reflected_input", proof)));
    }
    found
}

/// A parameter whose value stands in the page with a character that a page must escape there.
fn reflected(url: &Url, html: &str) -> Option<String> {
    let lower = html.to_ascii_lowercase();
    values(url).find_map(|(name, value)| {
        let letters = value.chars().filter(|letter| letter.is_alphanumeric()).count();
        if !VALUE_CHARS.contains(&value.chars().count())
            || letters < LETTERS_MIN
            || !value.contains(['<', '"', '\'', '`'])
        {
            return None;
        }
        let places = html.match_indices(&value).take(PLACES_MAX);
        let mut places = places.map(|(at, _)| in_script(html, &lower, at).unwrap_or_else(|| place(html, at)));
        places.find_map(|place| match place {
            MarkupContext::Text if value.contains('<') => {
                Some(format!("parameter {name} stands unescaped in the page"))
            }
            MarkupContext::Attribute(end) if value.contains(end) => {
                Some(format!("parameter {name} stands unescaped in an attribute"))
            }
            MarkupContext::Script(end, escaped) if value.contains('<') || ends(&value, end, escaped) => {
                Some(format!("parameter {name} stands unescaped in a script"))
            }
            MarkupContext::Text | MarkupContext::Attribute(_) | MarkupContext::Tag | MarkupContext::Script(..) => None,
        })
    })
}

/// In which text of a script a byte of a page stands; `None` outside of scripts and of their texts.
fn in_script(html: &str, lower: &str, at: usize) -> Option<MarkupContext> {
    let open = lower[..at].rfind("<script")?;
    let begin = open + lower[open..at].find('>')? + 1;
    // What browsers do not run is text.
    let is_run = !["json", "template", "text/x-"].iter().any(|media| lower[open..begin].contains(media));
    if !is_run || lower[begin..at].contains("</script") {
        return None;
    }
    let mut quote = None;
    let mut escaped = false;
    let mut rest = html[begin..at].chars().peekable();
    while let Some(letter) = rest.next() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if letter == '\\' => escaped = true,
            // No text but that of a template goes on in the next line.
            Some(end) if letter == end || (letter == '\n' && end != '`') => quote = None,
            None if matches!(letter, '"' | '\'' | '`') => quote = Some(letter),
            None if letter == '/' && rest.peek() == Some(&'/') => {
                while rest.next_if(|letter| *letter != '\n').is_some() {}
            }
            None if letter == '/' && rest.peek() == Some(&'*') => {
                let mut before = ' ';
                rest.next();
                while rest
                    .next()
                    .is_some_and(|letter| !(std::mem::replace(&mut before, letter) == '*' && letter == '/'))
                {
                }
            }
            _ => {}
        }
    }
    quote.map(|end| MarkupContext::Script(end, escaped))
}

/// True where a value, put into a text of a script as it is, ends that text.
fn ends(value: &str, end: char, mut escaped: bool) -> bool {
    value.chars().any(|letter| {
        let ends = letter == end && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })
}

/// Where a byte of a page stands.
fn place(html: &str, at: usize) -> MarkupContext {
    let Some(open) = html[..at].rfind('<') else { return MarkupContext::Text };
    let tag = &html[open + 1..at];
    if !tag.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/') {
        return MarkupContext::Text;
    }
    let mut quote = None;
    for letter in tag.chars() {
        match quote {
            Some(end) if letter == end => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter == '>' => return MarkupContext::Text,
            _ => {}
        }
    }
    quote.map_or(MarkupContext::Tag, MarkupContext::Attribute)
}

/// A parameter whose value names the host of others that the answer leads to. What leads to another name of the same
/// domain is a way through one's own applications.
fn led_away(url: &Url, target: &Url) -> Option<String> {
    let same_domain = registrable(&url.host).is_some_and(|own| registrable(&target.host) == Some(own));
    if target.host == url.host || same_domain {
        return None;
    }
    let mut leading = values(url).filter(|(_, value)| named_host(value).as_ref() == Some(&target.host));
    leading.next().map(|(name, _)| format!("parameter {name} leads to the host that it names, {}", target.host))
}

/// The host that a value names: as a URL, with or without its scheme, or as a name with a dot.
fn named_host(value: &str) -> Option<String> {
    let value = value.trim();
    if value.contains("://") {
        return Url::parse(value).ok().map(|url| url.host);
    }
    let rest = value.trim_start_matches(['/', '\\']);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_named = value.len() - rest.len() != 1 && host.contains('.');
    is_named.then(|| Url::parse(&format!("http://{rest}")).ok().map(|url| url.host)).flatten()
}

/// Names and values of the parameters in a URL, decoded.
fn values(url: &Url) -> impl Iterator<Item = (String, String)> {
    let query = url.path.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('=')).take(VALUES_MAX);
    pairs.map(|(name, value)| (decoded(name), decoded(value)))
}

/// A text as it was before it was put into a query; what no browser writes stays as it is.
fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode(&spaced).unwrap_or(spaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse(&format!("https://shop.acme.test{path}")).unwrap()
    }

    #[test]
    fn a_value_counts_where_a_character_stands_that_the_page_must_escape() {
        for (path, html, is_one) in [
            ("/s?q=lamp+%3Cnew%3E", "<p>Results for lamp <new></p>", true),
            ("/s?q=lamp+%3Cnew%3E", "<p>Results for lamp &lt;new&gt;</p>", false),
            ("/s?q=lamp+%3Cnew%3E", "<input value=\"lamp <new>\">", false),
            ("/s?q=lamp+%3Cnew%3E", "<p>Nothing was found</p>", false),
            ("/s?q=15%22+lamp", "<p>Results</p><input name='q' value=\"15\" lamp\">", true),
            ("/s?q=15%22+lamp", "<input name='q' value='15\" lamp'>", false),
            ("/s?q=15%22+lamp", "<p>Results for 15\" lamp</p>", false),
            ("/s?q=15%22+lamp", "<input name='q' value=\"15&quot; lamp\">", false),
            ("/s?q=lamp", "<p>Results for lamp</p>", false),
            ("/s?q=%3Cb%3E", "<p><b>Sale</b></p>", false),
            ("/s", "<p>lamp <new></p>", false),
            ("/s?x=abcd%27ef", "<script>var x='abcd'ef';</script>", true),
            ("/s?x=abcd%27ef", "<SCRIPT nonce=a>/* don't */ // it's\nf(\"it's\", 'abcd'ef');</SCRIPT>", true),
            ("/s?x=abcd%22ef", "<script>var x={\"q\":\"abcd\"ef\"};</script>", true),
            ("/s?x=abcd%60ef", "<script>var x=`abcd`ef`;</script>", true),
            ("/s?x=abcd%3Cef", "<script>var x='abcd<ef';</script>", true),
            ("/s?x=%27abcd", "<script>var x=''abcd';</script>", true),
            ("/s?x=abcd%27ef", "<script>var x='abcd\\'ef';</script>", false),
            ("/s?x=%27abcd", "<script>var x='\\'abcd';</script>", false),
            ("/s?x=abcd%27ef", "<script>var x=\"abcd'ef\";</script>", false),
            ("/s?x=abcd%27ef", "<script>var x='a'; // abcd'ef\n</script>", false),
            ("/s?x=abcd%27ef", "<script>var x='a';</script><p>'abcd'ef</p>", false),
            ("/s?x=abcd%22ef", "<script type='application/ld+json'>{\"q\":\"abcd\"ef\"}</script>", false),
        ] {
            assert_eq!(reflected(&url(path), html).is_some(), is_one, "{path} {html}");
        }
    }

    #[test]
    fn a_redirect_is_open_where_a_parameter_names_the_host_of_others_that_it_leads_to() {
        for (path, target, is_one) in [
            ("/go?to=https%3A%2F%2Fpartner.others.test%2Fx", "https://partner.others.test/x", true),
            ("/go?to=//partner.others.test/", "https://partner.others.test/", true),
            ("/go?host=partner.others.test", "https://partner.others.test/", true),
            ("/go?to=https://id.acme.test/", "https://id.acme.test/", false),
            ("/go?to=https://partner.others.test/", "https://shop.acme.test/login", false),
            ("/go?to=https://shop.acme.test/", "https://partner.others.test/", false),
            ("/go?to=/partner.others.test", "https://partner.others.test/", false),
            ("/go?to=7", "https://partner.others.test/", false),
            ("/go", "https://partner.others.test/", false),
        ] {
            assert_eq!(led_away(&url(path), &Url::parse(target).unwrap()).is_some(), is_one, "{path} {target}");
        }
    }
}
