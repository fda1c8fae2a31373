//! Stores of apps, which are data as forges of code are: a file for each in `app_stores/`. A store is asked for one app
//! by its name and says whether it has it.

use crate::Refusal;
use crate::form::{Asset, Form, Place, unreadable};
use crate::provider::{self, Provider};
use serde_json::Value;

/// What every store is asked: whether it has an app.
const APP: &str = "app";

impl Provider {
    /// Returns how a store is asked for one app.
    pub fn app_list(&'static self) -> Option<&'static Form> {
        self.list(APP)
    }
}

/// Reads what a store answers to the question for an app; `None` where it says that it has none of this name. Fails if
/// the answer is a refusal, nothing that can be read, or of another app.
pub fn app(list: &'static Form, id: &str, (status, body): (u16, &[u8])) -> Result<Option<Asset>, Refusal> {
    let place = Place { account: id, ..Place::default() };
    let answer = match provider::answer_to(list, status, body) {
        Err(refusal) if list.is_nothing(&refusal) => return Ok(None),
        answer => answer?,
    };
    let items = list.items(&answer, &Value::Null, &place).ok_or_else(|| unreadable(&list.permission))?;
    if items.is_empty() && list.is_of_several() {
        return Ok(None);
    }
    let mut apps = items.into_iter().filter_map(|item| list.asset(item, &Value::Null, &place));
    let is_it = |asset: &Asset| asset.entity.as_ref().is_some_and(|(_, name)| name.eq_ignore_ascii_case(id));
    apps.find(is_it).map(Some).ok_or_else(|| Refusal::Other("the answer is of no such app".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{app_store, app_stores};
    use serde_json::json;

    fn read(store: &str, id: &str, status: u16, body: &str) -> Result<Option<Asset>, Refusal> {
        app(app_store(store).unwrap().app_list().unwrap(), id, (status, body.as_bytes()))
    }

    const APPLE: &str = r#"


{"resultCount":1,
 "results":[{"bundleId":"test.acme.Shop","kind":"software","trackName":"Acme Shop","artistName":"Acme",
   "sellerName":"Acme Corp","sellerUrl":"https://www.acme.test/shop","version":"2.1","minimumOsVersion":"17.0",
   "currentVersionReleaseDate":"2026-10-04T07:00:00Z","trackViewUrl":"https://apps.apple.com/us/app/acme/id123"}]}"#;

    const GOOGLE: &str = r#"<!doctype html><html><head><script nonce="x">var a = "</p>";</script>
<SCRIPT nonce="y" type="application/ld+json">{"@context":"https://schema.org","@type":"BreadcrumbList"}</SCRIPT>
<script type='application/ld+json' nonce=z >{"@context":"https://schema.org","@type":"SoftwareApplication",
"name":"Acme Shop","url":"https://play.google.com/store/apps/details/Acme?id\u003dtest.acme.shop",
"operatingSystem":"ANDROID","author":{"@type":"Person","name":"Acme Corp","url":"https://www.acme.test/"},
"offers":[{"@type":"Offer","price":"0"}]}</script></head><body></body></html>"#;

    const F_DROID: &str = r#"{"packageName":"test.acme.shop","suggestedVersionCode":21,"packages":[
{"versionName":"2.2-rc1","versionCode":22},{"versionName":"2.1","versionCode":21}]}"#;

    #[test]
    fn what_a_store_says_of_an_app_is_read() {
        let found = read("apple_app_store", "test.acme.shop", 200, APPLE).unwrap().unwrap();
        assert_eq!(found.hosts, ["https://www.acme.test/shop"]);
        let wanted = json!({"title": "Acme Shop", "developer": "Acme Corp", "version": "2.1", "minimum_system": "17.0",
            "developer_site": "https://www.acme.test/shop", "released": "2026-10-04T07:00:00Z",
            "url": "https://apps.apple.com/us/app/acme/id123"});
        assert_eq!(Value::Object(found.says), wanted);
        let found = read("google_play", "test.acme.shop", 200, GOOGLE).unwrap().unwrap();
        assert_eq!(found.hosts, ["https://www.acme.test/"]);
        let wanted = json!({"title": "Acme Shop", "developer": "Acme Corp", "developer_site": "https://www.acme.test/",
            "url": "https://play.google.com/store/apps/details?id=test.acme.shop"});
        assert_eq!(Value::Object(found.says), wanted);
        let found = read("f_droid", "test.acme.shop", 200, F_DROID).unwrap().unwrap();
        let wanted = json!({"version": [{"name": "2.1"}], "version_code": "21",
            "url": "https://f-droid.org/packages/test.acme.shop"});
        assert_eq!((Value::Object(found.says), found.hosts), (wanted, Vec::new()));
        // A store that says less is read as well.
        let bare = r#"{"results":[{"bundleId":"test.acme.shop"}]}"#;
        let found = read("apple_app_store", "test.acme.shop", 200, bare).unwrap().unwrap();
        assert!(found.hosts.is_empty() && found.says.values().all(Value::is_null), "{:?}", found.says);
    }

    #[test]
    fn only_a_store_that_says_so_does_not_have_an_app() {
        let id = "test.acme.shop";
        for (store, status, body) in [
            ("apple_app_store", 200, r#"{"resultCount":0,"results":[]}"#),
            ("google_play", 404, "<html>not found</html>"),
            ("f_droid", 404, r#"{"error":"not found"}"#),
        ] {
            assert_eq!(read(store, id, status, body), Ok(None), "{store}");
        }
        let other = r#"{"results":[{"bundleId":"test.acme.other"}]}"#;
        assert!(read("apple_app_store", id, 200, other).is_err());
        for store in app_stores() {
            for (status, body) in [
                (200, ""),
                (200, "{}"),
                (200, "[]"),
                (200, "null"),
                (200, "<html><script type=\"application/ld+json\">{\"@type\":\"SoftwareApplication\""),
                (200, "<html><script type=\"application/ld+json\">{\"@type\":\"WebSite\",\"name\":\"x\"}</script>"),
                (200, "<html>Before you continue</html>"),
                (301, ""),
                (403, "{}"),
                (429, ""),
                (500, "{\"results\":[]}"),
                (503, ""),
            ] {
                let read = read(&store.name, id, status, body);
                assert!(read.is_err(), "{} {status} {body:?}: {read:?}", store.name);
            }
        }
    }

    #[test]
    fn every_store_is_asked_for_an_app_by_its_name() {
        let asked: Vec<String> = app_stores()
            .iter()
            .map(|store| {
                let place = Place { account: "test.acme_1.shop-2", ..Place::default() };
                let request = store.app_list().unwrap().request(None, &Value::Null, &place).unwrap();
                format!("{} {}{}", request.method, store.base(&Value::Null).unwrap(), request.target)
            })
            .collect();
        let wanted = [
            "GET https://itunes.apple.com/lookup?bundleId=test.acme_1.shop-2",
            "GET https://f-droid.org/api/v1/packages/test.acme_1.shop-2",
            "GET https://play.google.com/store/apps/details?id=test.acme_1.shop-2&hl=en",
        ];
        assert_eq!(asked, wanted);
    }
}
