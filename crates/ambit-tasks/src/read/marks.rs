//! What a page shows that may differ by who asks for it: where its links and forms lead, what their fields are called,
//! and the classes of its body. Pure.

use super::frontier::{is_identifier, shape};
use ambit_net::http::Url;
use scraper::{Html, Selector};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Marks of one page that are read.
const MARKS_MAX: usize = 2_000;

static LINK: LazyLock<Selector> =
    LazyLock::new(|| Selector::parse("a[href], form[action]").expect("the selector is constant"));
static FIELD: LazyLock<Selector> =
    LazyLock::new(|| Selector::parse("input[name], button[name]").expect("the selector is constant"));
static BODY: LazyLock<Selector> = LazyLock::new(|| Selector::parse("body[class]").expect("the selector is constant"));

/// The marks of a page, each without what differs from time to time.
pub(crate) fn marks(html: &str, url: &Url) -> BTreeSet<String> {
    let document = Html::parse_document(super::page::bounded(html));
    let links = document.select(&LINK).filter_map(|element| element.attr("href").or(element.attr("action")));
    let links = links.filter_map(|to| url.join(to.trim()).ok()).map(|to| format!("{} {}", to.host, shape(&to)));
    let fields = document.select(&FIELD).filter_map(|field| field.attr("name")).filter(|name| !is_identifier(name));
    let fields = fields.map(|name| format!("field {name}"));
    let classes = document.select(&BODY).filter_map(|body| body.attr("class")).flat_map(str::split_whitespace);
    let classes = classes.filter(|class| !is_identifier(class)).map(|class| format!("class {class}"));
    links.chain(fields).chain(classes).take(MARKS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_forms_and_classes_are_marks_and_values_are_none() {
        let url = Url::parse("https://app.acme.test/a/").unwrap();
        let page = "<body class='logged-in x'><a href='/orders/17?page=2'>o</a><a href=next>n</a><p>Hello Ann</p>\
                    <form method=post action=/logout><input type=hidden name=csrf value=t1></form>";
        assert_eq!(
            Vec::from_iter(marks(page, &url)),
            [
                "app.acme.test /a/next",
                "app.acme.test /logout",
                "app.acme.test /orders/{n}?page",
                "class logged-in",
                "class x",
                "field csrf"
            ]
        );
        let other = page.replace("17?page=2", "18?page=3").replace("t1", "t2");
        assert_eq!(marks(&other, &url), marks(page, &url));
        let hidden = page.replace("</form>", "<input name=0123456789abcdef0123456789abcdef value=1></form>");
        assert_eq!(marks(&hidden, &url), marks(page, &url), "a field named by the session is no mark");
    }
}
