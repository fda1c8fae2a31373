//! Letters: a subject, a text and the same as HTML.

use super::To;
use crate::text;
use ambit_model::notification::Message;

/// What a letter says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    pub(crate) html: String,
}

/// The letter of a message.
pub(crate) fn letter(message: &Message, to: &To<'_>) -> Letter {
    let subject = text::heading(message);
    let lines = to.lines(message);
    let mut plain = format!("{subject}\n");
    let mut html = format!("<!doctype html><html><body><p><b>{}</b></p>", escape(&subject));
    if !lines.is_empty() {
        html.push_str("<ul>");
        for line in &lines {
            plain.push_str(&format!("\n  - {}", line.said));
            html.push_str(&format!("<li>{}", escape(&line.said)));
            if let Some(link) = &line.link {
                plain.push_str(&format!("\n    {link}"));
                html.push_str(&format!(" <a href=\"{}\">Open</a>", escape(link)));
            }
            html.push_str("</li>");
        }
        plain.push('\n');
        html.push_str("</ul>");
    }
    if let Some(link) = to.link(message) {
        plain.push_str(&format!("\n{link}\n"));
        html.push_str(&format!("<p><a href=\"{0}\">{0}</a></p>", escape(&link)));
    }
    html.push_str("</body></html>");
    Letter { to: to.secret("address").to_owned(), subject, text: plain, html }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::tests::event;
    use ambit_model::notification::EventKind;
    use serde_json::json;

    #[test]
    fn markup_of_others_is_text_in_both_forms() {
        let mut hostile = event(EventKind::EntityNew, "e");
        hostile.title = "<script>alert(1)</script>".to_owned();
        let secrets = json!({"address": "a@example.org"}).as_object().cloned().expect("an object");
        let to = To { secrets: &secrets, root: Some("https://ambit.example"), now: ambit_model::Timestamp(0) };
        let letter = letter(&Message::of(uuid::Uuid::nil(), hostile), &to);
        assert!(letter.html.contains("&lt;script&gt;") && !letter.html.contains("<script"), "{}", letter.html);
        assert_eq!((letter.to.as_str(), letter.text.lines().count()), ("a@example.org", 5), "{}", letter.text);
    }
}
