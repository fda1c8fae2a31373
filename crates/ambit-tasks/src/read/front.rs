//! Reads a front page into what two of them are compared by. Pure.

use super::default_pages::default_page;
use super::page::Page;
use ambit_model::entity::front_page::{FrontPage, Notice};
use ambit_net::http::Url;
use regex::Regex;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words of the shortest text that can be compared: shorter ones are alike by chance.
const WORDS_MIN: usize = 12;
/// Words of the longest text that may be a notice: an article about parked domains is none.
const NOTICE_WORDS_MAX: usize = 250;
/// Identifiers of one page.
const TRACKERS_MAX: usize = 20;

/// Identifiers of services for statistics and advertising.
static TRACKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:UA-\d{5,10}-\d{1,4}|G-[A-Z0-9]{9,12}|GTM-[A-Z0-9]{5,9}|AW-\d{8,12}|(?:ca-)?pub-\d{14,18})\b")
        .expect("constant")
});

/// What a page says where its domain is for sale, lower case.
const FOR_SALE: &[&str] = &[
    "domain is for sale",
    "domain name is for sale",
    "domain may be for sale",
    "buy this domain",
    "make an offer on this domain",
    "domain is available for purchase",
    "domain steht zum verkauf",
    "domaine est à vendre",
];
/// Texts of pages of domains that nobody uses.
const PARKED: &[&str] = &[
    "domain is parked",
    "domain has been parked",
    "parked free, courtesy of",
    "parked domain",
    "domain has been registered",
    "domain has recently been registered",
    "domain was recently registered",
    "sponsored listings",
    "diese domain wurde registriert",
];
/// Where those who sell domains send visitors.
const MARKETS: &[&str] = &["afternic.com", "dan.com", "hugedomains.com", "sedo.com", "undeveloped.com"];

/// Reads the content of the page. Its address and its protection are recorded by the visit.
pub(crate) fn read(page: &Page, host: &str, body: &str) -> FrontPage {
    let hosts = |urls: &BTreeSet<String>| -> BTreeSet<String> {
        urls.iter().filter_map(|url| Url::parse(url).ok()).map(|url| url.host).collect()
    };
    let asking = page.forms.iter().filter(|form| form.password);
    let mut loads_from = hosts(&page.assets);
    loads_from.remove(host);
    FrontPage {
        title: page.title.clone(),
        likeness: likeness(&page.text),
        login: page.loose_password || asking.clone().next().is_some(),
        posts_to: asking.filter_map(|form| Url::parse(&form.action).ok()).map(|url| url.host).collect(),
        loads_from,
        trackers: TRACKER.find_iter(body).map(|found| found.as_str().to_owned()).take(TRACKERS_MAX).collect(),
        ..FrontPage::default()
    }
}

/// Whether the page is no site of somebody's.
pub(crate) fn notice(page: &Page, body: &str, leads_to: Option<&str>) -> Option<Notice> {
    let is_market = |host: &str| MARKETS.iter().any(|market| host == *market || host.ends_with(&format!(".{market}")));
    if leads_to.is_some_and(is_market) {
        return Some(Notice::ForSale);
    }
    if default_page(page.title.as_deref(), body).is_some() {
        return Some(Notice::Fresh);
    }
    if page.text.split_whitespace().count() > NOTICE_WORDS_MAX {
        return None;
    }
    let said = format!("{} {}", page.title.as_deref().unwrap_or(""), page.text).to_lowercase();
    let says = |texts: &[&str]| texts.iter().any(|text| said.contains(text));
    if says(FOR_SALE) { Some(Notice::ForSale) } else { says(PARKED).then_some(Notice::Parked) }
}

/// The simhash of a text: each bit is what most of its runs of words have. Numbers change with the day, and do not
/// count.
fn likeness(text: &str) -> Option<String> {
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty() && !word.chars().any(|letter| letter.is_ascii_digit()))
        .map(str::to_lowercase)
        .collect();
    if words.len() < WORDS_MIN {
        return None;
    }
    let mut votes = [0_i64; 64];
    // Words by themselves and in pairs, so that their order counts a little.
    for run in words.windows(1).chain(words.windows(2)) {
        let digest = Sha256::digest(run.join(" ").as_bytes());
        let bits = u64::from_be_bytes(digest[..8].try_into().expect("a digest has 32 bytes"));
        for (at, vote) in votes.iter_mut().enumerate() {
            *vote += if bits >> at & 1 == 1 { 1 } else { -1 };
        }
    }
    let hash = votes.iter().enumerate().filter(|(_, vote)| **vote > 0).fold(0_u64, |hash, (at, _)| hash | 1 << at);
    Some(format!("{hash:016x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Harbour Tools makes tools for harbours: cranes, winches, bollards and fenders. Our customers \
                        in forty countries moor with them every day. Sign in to see your orders, or call our desk.";

    fn page(html: &str) -> (Page, FrontPage) {
        let page = Page::parse(html, &Url::parse("https://www.acme.test/").unwrap());
        let read = read(&page, "www.acme.test", html);
        (page, read)
    }

    #[test]
    fn texts_that_differ_in_little_are_near_and_others_are_not() {
        let of = |text: &str| page(&format!("<p>{text}</p>")).1;
        let one = of(TEXT);
        assert!(one.reads_like(&of(&format!("{TEXT} 2026"))));
        assert!(one.reads_like(&of(&TEXT.replace("call our desk", "ring our desk"))));
        let other = "The village fair opens on Saturday with a parade, a market of the farmers and music until late. \
                     Bring your family, your dog and good shoes, and park your car at the school behind the church.";
        assert!(!one.reads_like(&of(other)));
        assert_eq!(of("Sign in").likeness, None, "too short");
    }

    #[test]
    fn a_page_says_where_passwords_go_what_it_loads_and_who_counts_its_visitors() {
        let (_, read) = page(
            "<link rel=stylesheet href='https://static.acme.test/a.css'><script src='/own.js'></script><a \
             href='https://linked.test/'>x</a><img src='https://pictures.test/logo.png'><script>gtag('G-ABC1234567')\
             </script><form action='https://collect.test/in.php' method=post><input type=password></form>",
        );
        assert!(read.login);
        assert_eq!(read.posts_to.iter().collect::<Vec<_>>(), ["collect.test"]);
        assert_eq!(read.loads_from.iter().collect::<Vec<_>>(), ["pictures.test", "static.acme.test"]);
        assert_eq!(read.trackers.iter().collect::<Vec<_>>(), ["G-ABC1234567"]);
        let (_, search) = page("<form action='https://search.test/'><input name=q></form>");
        assert!(!search.login && search.posts_to.is_empty());
    }

    #[test]
    fn notices_are_told_from_pages_about_them() {
        let of = |html: &str, leads_to: Option<&str>| {
            let (page, _) = page(html);
            notice(&page, html, leads_to)
        };
        assert_eq!(of("<title>acrne.test</title><h1>This domain is for sale!</h1>", None), Some(Notice::ForSale));
        assert_eq!(of("<p>acrne.test - this domain is parked", None), Some(Notice::Parked));
        assert_eq!(of("<p>Moved", Some("www.sedo.com")), Some(Notice::ForSale));
        assert_eq!(of("<p>Moved", Some("notsedo.com")), None);
        assert_eq!(of("<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1>", None), Some(Notice::Fresh));
        assert_eq!(of(&format!("<p>What to do when a domain is parked: {}", TEXT.repeat(10)), None), None);
        assert_eq!(of("<p>Our house is for sale", None), None);
    }
}
