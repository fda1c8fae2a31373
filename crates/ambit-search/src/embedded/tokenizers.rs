//! How texts become terms: whole values, kinds, and trigrams with positions for exact substring search.

use crate::fields::VALUE_CHARS_MAX;
use tantivy::tokenizer::{LowerCaser, SimpleTokenizer, TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

pub(crate) const WHOLE: &str = "ambit_whole";
pub(crate) const KIND: &str = "ambit_kind";
pub(crate) const WORDS: &str = "ambit_words";
pub(crate) const GRAMS: &str = "ambit_grams";
/// Words as graph searches know them.
pub(crate) const GRAPH_WORDS: &str = "ambit_graph_words";

/// Bytes of a term of graphs: more than any query has, less than the engine takes.
const TERM_BYTES_MAX: usize = 40_000;

/// Characters of a gram.
pub(crate) const GRAM_CHARS: usize = 3;

/// Ends each text, so that its last two characters begin grams too and every short needle is the start of one.
/// No name holds it.
pub(crate) const END: char = '\0';

pub(crate) fn register(manager: &TokenizerManager) {
    manager.register(WHOLE, Whole { fold: fold_case, token: Token::default() });
    manager.register(KIND, Whole { fold: fold_kind, token: Token::default() });
    manager.register(GRAMS, Grams::default());
    manager.register(GRAPH_WORDS, GraphWords::default());
    let words = TextAnalyzer::builder(SimpleTokenizer::default()).filter(LowerCaser).build();
    manager.register(WORDS, words);
}

/// The indexed part of a text, in lower case: index and query use the same.
pub(crate) fn fold_case(text: &str) -> String {
    text.chars().take(VALUE_CHARS_MAX).flat_map(char::to_lowercase).collect()
}

/// `Platform::Entity::Uri` → `uri`.
pub(crate) fn fold_kind(text: &str) -> String {
    fold_case(text.rsplit("::").next().unwrap_or(text))
}

/// The characters of which grams are made, without the end marks.
pub(crate) fn gram_chars(text: &str) -> Vec<char> {
    text.chars().filter(|c| *c != END).take(VALUE_CHARS_MAX).flat_map(char::to_lowercase).collect()
}

/// What streams of tokens have in common: each lends the one token of its tokenizer.
macro_rules! one_token {
    () => {
        fn token(&self) -> &Token {
            self.token
        }

        fn token_mut(&mut self) -> &mut Token {
            self.token
        }
    };
}

/// One token: the whole text, folded.
#[derive(Clone)]
struct Whole {
    fold: fn(&str) -> String,
    token: Token,
}

struct WholeStream<'a> {
    token: &'a mut Token,
    given: bool,
}

impl Tokenizer for Whole {
    type TokenStream<'a> = WholeStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WholeStream<'a> {
        self.token.reset();
        self.token.position = 0;
        self.token.offset_to = text.len();
        self.token.text = (self.fold)(text);
        WholeStream { token: &mut self.token, given: false }
    }
}

impl TokenStream for WholeStream<'_> {
    fn advance(&mut self) -> bool {
        !std::mem::replace(&mut self.given, true)
    }

    one_token!();
}

/// The part of a text that becomes a term.
pub(crate) fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(TERM_BYTES_MAX)]
}

/// One token for each word of `ambit_query::graphs`.
#[derive(Clone, Default)]
struct GraphWords {
    words: Vec<String>,
    token: Token,
}

struct GraphWordStream<'a> {
    words: &'a [String],
    next: usize,
    token: &'a mut Token,
}

impl Tokenizer for GraphWords {
    type TokenStream<'a> = GraphWordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> GraphWordStream<'a> {
        self.words = ambit_query::graphs::words(text).collect();
        self.token.reset();
        GraphWordStream { words: &self.words, next: 0, token: &mut self.token }
    }
}

impl TokenStream for GraphWordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.get(self.next) else { return false };
        bounded(word).clone_into(&mut self.token.text);
        self.token.position = self.next;
        self.next += 1;
        true
    }

    one_token!();
}

/// One token for each character: it and the two that follow, at its position.
#[derive(Clone, Default)]
struct Grams {
    chars: Vec<char>,
    token: Token,
}

struct GramStream<'a> {
    chars: &'a [char],
    next: usize,
    token: &'a mut Token,
}

impl Tokenizer for Grams {
    type TokenStream<'a> = GramStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> GramStream<'a> {
        self.chars = gram_chars(text);
        self.chars.extend([END; GRAM_CHARS - 1]);
        self.token.reset();
        GramStream { chars: &self.chars, next: 0, token: &mut self.token }
    }
}

impl TokenStream for GramStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(gram) = self.chars.get(self.next..self.next + GRAM_CHARS) else {
            return false;
        };
        self.token.text.clear();
        self.token.text.extend(gram);
        self.token.position = self.next;
        self.token.offset_from = self.next;
        self.token.offset_to = self.next + GRAM_CHARS;
        self.next += 1;
        true
    }

    one_token!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(name: &str, text: &str) -> String {
        let manager = TokenizerManager::default();
        register(&manager);
        let mut analyzer = manager.get(name).unwrap();
        let mut stream = analyzer.token_stream(text);
        let mut all = Vec::new();
        while let Some(token) = stream.next() {
            all.push(format!("{}@{}", token.text.replace(END, "$"), token.position));
        }
        all.join(" ")
    }

    #[test]
    fn terms_of_a_text() {
        assert_eq!(tokens(WHOLE, "WWW.Acme"), "www.acme@0");
        assert_eq!(tokens(KIND, "Platform::Entity::DnsRecord"), "dnsrecord@0");
        assert_eq!(tokens(WORDS, "https://A.example:443"), "https@0 a@1 example@2 443@3");
        assert_eq!(tokens(GRAMS, "Äb1"), "äb1@0 b1$@1 1$$@2");
        assert_eq!(tokens(GRAMS, ""), "");
    }
}
