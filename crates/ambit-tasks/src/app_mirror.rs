//! Where the operator says that packages of apps lie: a URL with places for what names an app and its version.

use ambit_model::Kind;
use ambit_model::entity::app::Listing;
use ambit_net::http::Url;
use std::str::FromStr;

/// The place of the app's name.
const ID: &str = "{id}";
/// The place of the version that a store gives out.
const VERSION: &str = "{version}";
/// The place of its number (Android).
const VERSION_CODE: &str = "{version_code}";

/// How packages for Android end.
const OF_ANDROID: &[&str] = &[".aab", ".apk", ".apkm", ".apks", ".xapk"];
/// How those for iOS end.
const OF_IOS: &[&str] = &[".ipa"];
/// Letters of a version in a URL: longer ones are made up.
const VERSION_CHARS_MAX: usize = 64;

/// Where packages of apps lie: `https://mirror.example/apps/{id}.apk`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppMirror(String);

impl FromStr for AppMirror {
    type Err = String;

    /// Reads the template of a URL. Fails with what is wrong with it, in a phrase.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let filled = [ID, VERSION, VERSION_CODE].iter().fold(text.to_owned(), |text, place| text.replace(place, "1"));
        if !text.contains(ID) {
            return Err(format!("it has no {ID} for the name of the app"));
        }
        if filled.contains(['{', '}']) {
            return Err(format!("it has other places than {ID}, {VERSION} and {VERSION_CODE}"));
        }
        let host = |url: &str| Some(url.split_once("://")?.1.split('/').next()?.to_owned());
        // What stands for the app is no part of the host: a name of an app opens no other one.
        match (Url::parse(&filled), host(text)) {
            (Ok(_), Some(host)) if !host.contains(['{', '@', '?', '#']) => Ok(Self(text.to_owned())),
            _ => Err("it is no URL with a host of its own and without credentials".to_owned()),
        }
    }
}

impl AppMirror {
    /// Returns whether it has packages for the system of this kind: the end of its path says so, and what has no such
    /// end may have any.
    pub(crate) fn serves(&self, kind: Kind) -> bool {
        let path = without_query(&self.0).to_ascii_lowercase();
        let ends = |with: &[&str]| with.iter().any(|end| path.ends_with(end));
        match kind {
            Kind::AndroidApp => !ends(OF_IOS),
            _ => !ends(OF_ANDROID),
        }
    }

    /// Returns where the package of an app lies; `None` where that wants a version that no store tells.
    pub(crate) fn url(&self, id: &str, listings: &[Listing]) -> Option<String> {
        let mut url = self.0.replace(ID, id);
        if url.contains(VERSION) {
            url = url.replace(VERSION, told(listings, |listing| listing.version.as_deref(), is_version)?);
        }
        if url.contains(VERSION_CODE) {
            let is_number = |code: &str| code.bytes().all(|byte| byte.is_ascii_digit());
            url = url.replace(VERSION_CODE, told(listings, |listing| listing.version_code.as_deref(), is_number)?);
        }
        Some(url)
    }
}

impl std::fmt::Display for AppMirror {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(without_query(&self.0))
    }
}

/// A URL as it is stored and shown: what opens a mirror may stand in its query.
pub(crate) fn without_query(url: &str) -> &str {
    url.split_once('?').map_or(url, |(place, _)| place)
}

/// What the first store says that says something fit for a URL.
fn told<'a>(
    listings: &'a [Listing],
    said: impl Fn(&'a Listing) -> Option<&'a str>,
    is_fit: impl Fn(&str) -> bool,
) -> Option<&'a str> {
    let is_short = |text: &&str| (1..=VERSION_CHARS_MAX).contains(&text.len());
    listings.iter().filter_map(said).filter(is_short).find(|text| is_fit(text))
}

/// A version that stands in a path as it is, and leads nowhere else.
fn is_version(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte)) && !text.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirror(text: &str) -> AppMirror {
        text.parse().unwrap()
    }

    #[test]
    fn a_mirror_is_a_url_with_a_place_for_the_app() {
        for good in [
            "https://mirror.example/apps/{id}.apk",
            "http://127.0.0.1:8080/{id}/{version}.ipa",
            "https://f-droid.org/repo/{id}_{version_code}.apk",
        ] {
            assert_eq!(mirror(good).to_string(), good);
        }
        let closed = mirror("https://mirror.example/apps?app={id}&token=sesame");
        assert_eq!(closed.to_string(), "https://mirror.example/apps", "what opens it is not shown");
        let asked = closed.url("test.acme.shop", &[]);
        assert_eq!(asked.as_deref(), Some("https://mirror.example/apps?app=test.acme.shop&token=sesame"));
        for bad in [
            "https://mirror.example/apps/app.apk",
            "https://mirror.example/{id}/{name}.apk",
            "https://{id}.mirror.example/app.apk",
            "https://mirror.example{id}",
            "https://me:pass@mirror.example/{id}",
            "https://mirror.example?{id}",
            "ftp://mirror.example/{id}",
            "/apps/{id}.apk",
            "{id}",
            "",
        ] {
            assert!(bad.parse::<AppMirror>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_package_is_asked_for_by_what_a_store_says_where_that_is_fit_for_a_url() {
        let listing = |version: &str, code: &str| Listing {
            version: Some(version.to_owned()),
            version_code: Some(code.to_owned()),
            ..Listing::default()
        };
        let plain = mirror("https://m.example/{id}.apk");
        let exact = mirror("https://m.example/{id}_{version}_{version_code}.apk");
        assert_eq!(plain.url("test.acme.shop", &[]).as_deref(), Some("https://m.example/test.acme.shop.apk"));
        assert_eq!(exact.url("test.acme.shop", &[Listing::default()]), None);
        let told = exact.url("test.acme.shop", &[Listing::default(), listing("2.1-rc1", "21")]);
        assert_eq!(told.as_deref(), Some("https://m.example/test.acme.shop_2.1-rc1_21.apk"));
        for (version, code) in [("../../x", "21"), ("2.1", "21/x"), ("", "21"), ("2 1", "21"), ("..", "21")] {
            assert_eq!(exact.url("test.acme.shop", &[listing(version, code)]), None, "{version} {code}");
        }
        assert_eq!((plain.serves(Kind::AndroidApp), plain.serves(Kind::IosApp)), (true, false));
        let ios = mirror("https://m.example/{id}.IPA?x=.apk");
        assert_eq!((ios.serves(Kind::AndroidApp), ios.serves(Kind::IosApp)), (false, true));
        let any = mirror("https://m.example/?app={id}");
        assert_eq!((any.serves(Kind::AndroidApp), any.serves(Kind::IosApp)), (true, true));
    }
}
