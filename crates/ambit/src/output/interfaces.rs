//! Lines for people about an application or interface: parameters and where they occur, targets of redirects, the
//! stores that have an app, and what imports reported.

use super::plain;
use ambit_model::Details;
use ambit_model::entity::app::{self, Listing};
use ambit_model::entity::imported::IMPORTED;
use ambit_model::entity::uri::{self, Parameter};

/// Rows of one sort that are printed; the raw form has all.
const ROWS_MAX: usize = 200;

/// The lines of what the raw details hold of parameters and stores; none where nothing is known.
pub(crate) fn lines(details: &Details) -> Vec<String> {
    let mut lines = Vec::new();
    let taken = uri::PARAMETERS.items(details).chain(uri::HIDDEN_PARAMETERS.items(details));
    add(&mut lines, "takes", taken.map(|parameter| taken_line(&parameter)));
    let led = uri::LED_AWAY.items(details);
    add(&mut lines, "leads away", led.map(|led| format!("{} by {}", plain(&led.path), plain(&led.parameter))));
    add(&mut lines, "in stores", app::STORES.items(details).map(|listing| listing_line(&listing)));
    lines
}

/// Returns the lines about imports.
pub(crate) fn said(details: &Details) -> Vec<String> {
    let mut lines = Vec::new();
    for said in IMPORTED.items(details) {
        let says = said.says.iter().map(|(word, text)| format!("{}: {}", plain(word), plain(text)));
        if said.says.is_empty() {
            lines.push(format!("  {} saw it, {}", plain(&said.source), said.seen_at));
        }
        add(&mut lines, &format!("{} says, seen {}", plain(&said.source), said.seen_at), says);
    }
    lines
}

/// `google_play: Shop 2.1, released 2026-10-01, by Acme Corp, whose site is https://www.acme.test, at https://play…`.
fn listing_line(listing: &Listing) -> String {
    let named = [
        ("", &listing.title),
        (" ", &listing.version),
        (", released ", &listing.released),
        (", by ", &listing.developer),
        (", whose site is ", &listing.developer_site),
        (", at ", &listing.url),
    ];
    let said = named.iter().filter_map(|(word, text)| Some(format!("{word}{}", plain(text.as_deref()?))));
    format!("{}: {}", plain(&listing.store), said.collect::<String>().trim_start_matches([',', ' ']))
}

fn taken_line(parameter: &Parameter) -> String {
    let seen = parameter.seen.iter().map(|place| plain(place)).collect::<Vec<_>>().join(", ");
    let paths = parameter.paths.iter().map(|path| plain(path)).collect::<Vec<_>>().join(", ");
    let seen = if seen.is_empty() { seen } else { format!(" ({seen})") };
    let paths = if paths.is_empty() { paths } else { format!(" at {paths}") };
    format!("{}{seen}{paths}", plain(&parameter.name))
}

/// Adds a head and its rows.
fn add(lines: &mut Vec<String>, head: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return;
    }
    lines.push(format!("  {head}"));
    let left_out = rows.len().saturating_sub(ROWS_MAX);
    lines.extend(rows.into_iter().take(ROWS_MAX).map(|row| format!("    {row}")));
    if left_out > 0 {
        lines.push(format!("    and {left_out} more, which `ambit entity raw` has"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_parameter_is_a_line_with_the_places_that_name_it() {
        let details = json!({
            "hidden_parameters": [{"name": "page", "seen": ["link", "query"], "paths": ["/items", "/list"]}],
            "hidden_guessed_parameters": [{"name": "debug", "seen": ["guess"], "paths": ["/items"]}],
            "hidden_led_away": [{"path": "/to", "parameter": "to"}],
        });
        let shown = lines(details.as_object().expect("an object"));
        let wanted = [
            "  takes",
            "    page (link, query) at /items, /list",
            "    debug (guess) at /items",
            "  leads away",
            "    /to by to",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(lines(&Details::new()), Vec::<String>::new());
    }

    #[test]
    fn each_store_that_has_an_app_is_a_line() {
        let details = json!({"hidden_stores": [
            {"store": "google_play", "title": "Shop", "developer": "Acme Corp", "developer_site": "https://acme.test/"},
            {"store": "f_droid", "version": "2.1", "url": "https://f-droid.org/packages/test.acme.shop"},
        ]});
        let wanted = [
            "  in stores",
            "    google_play: Shop, by Acme Corp, whose site is https://acme.test/",
            "    f_droid: 2.1, at https://f-droid.org/packages/test.acme.shop",
        ];
        assert_eq!(lines(details.as_object().expect("an object")), wanted);
    }

    #[test]
    fn an_import_that_saw_a_thing_and_says_no_more_is_named() {
        let details = json!({"imported": [{"source": "nmap", "seen_at": "2026-11-18T00:00:00Z", "says": {}}]});
        let shown = said(details.as_object().expect("an object"));
        assert_eq!(shown.len(), 1);
        assert!(shown[0].starts_with("  nmap saw it, 2026-11-18"), "{shown:?}");
    }

    #[test]
    fn what_an_import_says_has_a_line_for_each_word_and_an_end() {
        let says: serde_json::Map<_, _> =
            (0..205).map(|number| (format!("query f{number:03}"), json!("(id)"))).collect();
        let details = json!({"imported": [{"source": "graphql", "seen_at": "2026-11-18T00:00:00Z", "says": says}]});
        let shown = said(details.as_object().expect("an object"));
        assert_eq!(shown[1], "    query f000: (id)");
        assert_eq!(shown.last().map(String::as_str), Some("    and 5 more, which `ambit entity raw` has"));
        assert_eq!(shown.len(), 202);
    }
}
