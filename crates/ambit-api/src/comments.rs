//! Comments on objects of the wider API (docs/contract/wider.md §6.1), and what is read out of their texts.

use crate::contract::contract;
use crate::objects::Seconds;
use serde::Serialize;

contract! {
    /// The attributes of a comment.
    #[derive(Debug, Serialize)]
    pub struct CommentAttributes {
        pub date: Seconds,
        pub text: String,
        pub html: String,
        pub tags: Vec<String>,
        pub votes: CommentVotes,
    }

    /// Votes on a comment. Nobody can vote yet.
    #[derive(Debug, Default, Serialize)]
    pub struct CommentVotes {
        pub positive: i64,
        pub negative: i64,
        pub abuse: i64,
    }
}

impl CommentAttributes {
    /// Returns the attributes of a comment with this text.
    pub fn new(date: Seconds, text: &str) -> Self {
        Self { date, text: text.to_owned(), html: html(text), tags: hash_tags(text), votes: CommentVotes::default() }
    }
}

/// A message as HTML: what could be markup is escaped, line ends become breaks.
pub(crate) fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    escaped.replace('\n', "<br />")
}

/// Every `#word` of a text, in order, each once.
pub fn hash_tags(text: &str) -> Vec<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut tags: Vec<String> = Vec::new();
    for part in text.split('#').skip(1) {
        let tag: String = part.chars().take_while(|c| word(*c)).collect::<String>().to_lowercase();
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_markup_of_a_text() {
        assert_eq!(hash_tags("#aicc #monitorapp #malware, #Aicc #"), ["aicc", "monitorapp", "malware"]);
        assert_eq!(html("such <b>\n"), "such &lt;b&gt;<br />");
    }
}
