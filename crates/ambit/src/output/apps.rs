//! What is known of a mobile app, in lines for people: what its package says, and which stores have it.

use super::plain;
use super::table::text;
use ambit_model::Details;
use ambit_model::entity::app::{self, Listing};
use serde_json::Value;

/// Permissions and links that a line names; `ambit entity raw` has all.
const NAMED_MAX: usize = 8;

/// The lines of what the raw details hold of an app; none of any other entity.
pub(crate) fn lines(details: &Details) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(package) = app::PACKAGE.raw(details) {
        let format = app::FORMAT.text(details).unwrap_or_default();
        lines.push(format!("  package     {}", plain(&described(package, format))));
        lines.extend(signed(package).map(|signed| format!("  signed by   {}", plain(&signed))));
        for (word, names) in [("permissions", texts(&package["permissions"])), ("opens", opened(package))] {
            lines.extend(named(&names).map(|names| format!("  {word:<11} {}", plain(&names))));
        }
    }
    lines.extend(app::STORES.items(details).map(|listing| format!("  store       {}", plain(&listed(&listing)))));
    lines.extend(app::SKIPPED.texts(details).map(|what| format!("  left out    {}", plain(what))));
    lines
}

/// `Acme Shop 4.3.0 (42), apk, for Android API 19 to 28`.
fn described(package: &Value, format: &str) -> String {
    let said = |members: &[&str]| members.iter().map(|member| text(&package[*member])).find(|said| !said.is_empty());
    let build = said(&["version_code", "build"]).map(|build| format!("({build})"));
    let name = [said(&["label"]), said(&["version_name", "version"]), build].into_iter().flatten();
    let name = name.collect::<Vec<_>>().join(" ");
    let system = match (said(&["min_sdk"]), said(&["target_sdk"]), said(&["min_os"])) {
        (Some(least), Some(target), _) => Some(format!("for Android API {least} to {target}")),
        (Some(one), None, _) | (None, Some(one), _) => Some(format!("for Android API {one}")),
        (None, None, system) => system.map(|least| format!("for iOS from {least}")),
    };
    let parts = [Some(name), Some(format.to_owned()), system].into_iter().flatten();
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Who signed a package for Android, and by which schemes; `None` of one for iOS, whose signature is not read.
fn signed(package: &Value) -> Option<String> {
    let signatures = package.get("signatures")?;
    let schemes = texts(&signatures["schemes"]).join(", ");
    let certificates = signatures["certificates"].as_array().into_iter().flatten();
    let subjects: Vec<String> = certificates.map(|certificate| text(&certificate["subject"])).collect();
    Some(if schemes.is_empty() { "nobody".to_owned() } else { format!("{} ({schemes})", subjects.join("; ")) })
}

/// The hosts and schemes whose links open the app.
fn opened(package: &Value) -> Vec<String> {
    let links = package["components"].as_array().into_iter().flatten();
    let links = links.flat_map(|component| component["links"].as_array().into_iter().flatten());
    let links = links.map(|link| format!("{}://{}", text(&link["scheme"]), text(&link["host"])));
    let schemes = texts(&package["schemes"]).into_iter().map(|scheme| format!("{scheme}://"));
    let mut all: Vec<String> = links.chain(schemes).chain(texts(&package["associated_domains"])).collect();
    all.sort();
    all.dedup();
    all
}

fn named(names: &[String]) -> Option<String> {
    let more = names.len().saturating_sub(NAMED_MAX);
    let shown = names.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| if more > 0 { format!("{shown} and {more} more") } else { shown })
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(text).collect()
}

/// `google_play: 2.1 by Acme Corp, https://play.google.com/…`.
fn listed(listing: &Listing) -> String {
    let version = listing.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let by = listing.developer.as_ref().map(|developer| format!(" by {developer}")).unwrap_or_default();
    let page = listing.url.as_ref().map(|url| format!(", {url}")).unwrap_or_default();
    format!("{}:{version}{by}{page}", listing.store)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(details: Value) -> Vec<String> {
        lines(details.as_object().expect("an object"))
    }

    #[test]
    fn an_app_is_shown_with_its_version_signers_links_and_stores() {
        let android = json!({
            "hidden_format": "apk",
            "hidden_package": {
                "label": "Acme Shop", "version_name": "4.3.0", "version_code": 42, "min_sdk": 19, "target_sdk": 28,
                "permissions": ["android.permission.INTERNET"],
                "components": [{"links": [{"scheme": "https", "host": "shop.acme.test"}]}, {"links": []}],
                "signatures": {"schemes": ["v2"], "certificates": [{"subject": "CN=Acme"}]},
            },
            "hidden_stores": [{"store": "f_droid", "url": "https://f-droid.org/packages/x", "version": "4.3.0"}],
            "hidden_skipped": ["1 file of the package too large"],
        });
        assert_eq!(
            shown(android),
            [
                "  package     Acme Shop 4.3.0 (42), apk, for Android API 19 to 28",
                "  signed by   CN=Acme (v2)",
                "  permissions android.permission.INTERNET",
                "  opens       https://shop.acme.test",
                "  store       f_droid: 4.3.0, https://f-droid.org/packages/x",
                "  left out    1 file of the package too large",
            ]
        );
        let ios = json!({
            "hidden_format": "ipa",
            "hidden_package": {"label": null, "version": "4.2", "build": "420", "min_os": "11.0", "schemes": ["acme"]},
        });
        assert_eq!(shown(ios), ["  package     4.2 (420), ipa, for iOS from 11.0", "  opens       acme://"]);
        let unsigned = json!({"hidden_package": {"package": "a.b", "signatures": {"schemes": [], "certificates": []}}});
        assert_eq!(shown(unsigned)[1], "  signed by   nobody");
        assert_eq!(shown(json!({"nameservers": []})), [""; 0]);
    }
}
