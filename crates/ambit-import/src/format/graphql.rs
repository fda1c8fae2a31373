//! Schemas of GraphQL, as an answer to an introspection (JSON) or in its own language (`.graphql`): the operations of
//! the one interface that serves them (decision 0172). Descriptions, directives and all types but those of operations
//! are passed over.

use crate::error::{ImportError, Result};
use crate::gathered::Gathered;
use crate::json::whole;
use ambit_model::Kind;
use ambit_model::entity::host_of;
use std::collections::BTreeMap;

/// Operations of each sort that are named, in the order of their names; the rest is counted. The interface of GitHub
/// has 270 mutations, the largest sort of the largest public schemas.
const NAMED_MAX: usize = 500;
/// Labels of one interface: what is named, the counts, and the method.
const SAYS_MAX: usize = 3 * (NAMED_MAX + 1) + 1;
/// Operations of a schema that are held.
const OPERATIONS_MAX: usize = 10_000;
/// Arguments of an operation.
const ARGUMENTS_MAX: usize = 20;
/// The sorts of operation, with the types that hold them where a schema does not say.
const SORTS: [(&str, &str); 3] = [("query", "Query"), ("mutation", "Mutation"), ("subscription", "Subscription")];

/// The operations of types: names with what they take.
type Types = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// The schema, and the type that holds the operations of each sort.
struct Schema {
    roots: BTreeMap<&'static str, String>,
    types: Types,
}

pub(crate) fn read(file: &str, endpoint: Option<&str>, gathered: &mut Gathered) -> Result<()> {
    let Some(endpoint) = endpoint else {
        return Err(ImportError::file(
            "a schema does not say where it is served: name that by --endpoint, as https://api.acme.test/graphql",
        ));
    };
    let is_json = file.trim_start().starts_with(['{', '[']);
    let schema = if is_json { introspected(file)? } else { written(file)? };
    let mut says: Vec<(String, String)> = vec![("methods".to_owned(), "POST".to_owned())];
    for (sort, _) in SORTS {
        let Some(operations) = schema.roots.get(sort).and_then(|name| schema.types.get(name)) else { continue };
        says.push((format!("{sort}: count"), operations.len().to_string()));
        for (name, arguments) in operations.iter().take(NAMED_MAX) {
            says.push((format!("{sort} {name}"), format!("({})", arguments.join(", "))));
        }
    }
    if says.len() == 1 {
        return Err(ImportError::file("not a GraphQL schema with operations: it has neither query nor mutation"));
    }
    let is_url = endpoint.starts_with("https://") || endpoint.starts_with("http://");
    let name = Kind::ApiEndpoint.canonical(endpoint).ok().filter(|_| is_url);
    let Some(name) = name else {
        return Err(ImportError::file("--endpoint is no URL such as https://api.example.org/graphql"));
    };
    let says: Vec<(&str, &str)> = says.iter().map(|(word, text)| (word.as_str(), text.as_str())).collect();
    gathered.host(host_of(&name), None, &[]);
    gathered.add_long((Kind::ApiEndpoint, &name), None, &says, SAYS_MAX);
    Ok(())
}

fn is_own(name: &str) -> bool {
    // Names with two of them belong to the language itself.
    !name.starts_with("__")
}

/// The answer to an introspection, with or without what is around it.
fn introspected(file: &str) -> Result<Schema> {
    let body = whole(file, "the answer to a GraphQL introspection")?;
    let schema = [&body["data"]["__schema"], &body["__schema"]].into_iter().find(|schema| schema.is_object());
    let Some(schema) = schema else {
        return Err(ImportError::file("not the answer to a GraphQL introspection: there is no __schema"));
    };
    let root = |sort: &str| schema[format!("{sort}Type")]["name"].as_str().map(str::to_owned);
    let roots = SORTS.iter().filter_map(|(sort, _)| Some((*sort, root(sort)?))).collect::<BTreeMap<_, _>>();
    let mut types = Types::new();
    for one in schema["types"].as_array().into_iter().flatten() {
        let Some(name) = one["name"].as_str().filter(|name| roots.values().any(|root| root == name)) else { continue };
        for field in one["fields"].as_array().into_iter().flatten() {
            let Some(field_name) = field["name"].as_str() else { continue };
            let arguments = field["args"].as_array().into_iter().flatten().filter_map(|taken| taken["name"].as_str());
            keep(&mut types, name, field_name, arguments.take(ARGUMENTS_MAX).map(str::to_owned).collect());
        }
    }
    Ok(Schema { roots, types })
}

fn keep(types: &mut Types, name: &str, field: &str, arguments: Vec<String>) {
    let fields = types.entry(name.to_owned()).or_default();
    if is_own(field) && fields.len() < OPERATIONS_MAX {
        fields.insert(field.to_owned(), arguments);
    }
}

/// A schema in its own language. The types that hold operations are named at its end as often as at its beginning, so
/// that it is read twice: for these names first.
fn written(file: &str) -> Result<Schema> {
    let mut roots = BTreeMap::new();
    let mut tokens = Tokens::new(file);
    let mut is_schema = false;
    while let Some(token) = tokens.next().transpose()? {
        match token {
            Token::Word("schema") => is_schema = true,
            Token::Sign('{') if is_schema => {
                is_schema = false;
                named_roots(&mut tokens, &mut roots)?;
            }
            Token::Sign('{') => tokens.pass_over('{', '}')?,
            Token::Sign('(') => tokens.pass_over('(', ')')?,
            Token::Word("type" | "interface" | "input" | "enum" | "union" | "scalar" | "directive") => {
                is_schema = false
            }
            Token::Word(_) | Token::Sign(_) => {}
        }
    }
    // One that says nothing has the usual names; one that is only extended has what it was extended from.
    if !roots.contains_key("query") {
        for (sort, usual) in SORTS {
            roots.entry(sort).or_insert_with(|| usual.to_owned());
        }
    }
    let mut types = Types::new();
    let mut tokens = Tokens::new(file);
    while let Some(token) = tokens.next().transpose()? {
        match token {
            Token::Word("type") => {
                let Some(Token::Word(name)) = tokens.next().transpose()? else { continue };
                if roots.values().any(|root| root == name) && tokens.opens_a_body()? {
                    fields(&mut tokens, name, &mut types)?;
                }
            }
            Token::Sign('{') => tokens.pass_over('{', '}')?,
            Token::Sign('(') => tokens.pass_over('(', ')')?,
            Token::Word(_) | Token::Sign(_) => {}
        }
    }
    Ok(Schema { roots, types })
}

/// `query: Name` and its like, up to the end of the braces.
fn named_roots(tokens: &mut Tokens<'_>, roots: &mut BTreeMap<&'static str, String>) -> Result<()> {
    let mut sort = None;
    while let Some(token) = tokens.next().transpose()? {
        match token {
            Token::Sign('}') => return Ok(()),
            Token::Sign('(') => tokens.pass_over('(', ')')?,
            Token::Word(word) => match sort.take() {
                Some(sort) => {
                    roots.insert(sort, word.to_owned());
                }
                None => sort = SORTS.iter().find(|(known, _)| *known == word).map(|(known, _)| *known),
            },
            Token::Sign(_) => {}
        }
    }
    Err(tokens.ends_early())
}

/// The fields of a type, up to the end of its braces.
fn fields(tokens: &mut Tokens<'_>, of: &str, types: &mut Types) -> Result<()> {
    let mut last: Option<(&str, Vec<String>)> = None;
    while let Some(token) = tokens.next().transpose()? {
        match token {
            Token::Sign('}') => return Ok(()),
            Token::Sign('(') => {
                let arguments = arguments(tokens)?;
                if let Some((_, taken)) = last.as_mut().filter(|(_, taken)| taken.is_empty()) {
                    *taken = arguments;
                }
            }
            Token::Sign(':') => {
                if let Some((name, arguments)) = last.take() {
                    keep(types, of, name, arguments);
                }
            }
            // Objects as values of directives stand in their parentheses.
            Token::Sign('{') => tokens.pass_over('{', '}')?,
            Token::Word(word) => last = Some((word, Vec::new())),
            Token::Sign(_) => {}
        }
    }
    Err(tokens.ends_early())
}

/// Names in front of colons, up to the end of the parentheses; what stands in braces or brackets is a value.
fn arguments(tokens: &mut Tokens<'_>) -> Result<Vec<String>> {
    let (mut names, mut last) = (Vec::new(), None);
    while let Some(token) = tokens.next().transpose()? {
        match token {
            Token::Sign(')') => return Ok(names),
            Token::Sign('(') => tokens.pass_over('(', ')')?,
            Token::Sign('{') => tokens.pass_over('{', '}')?,
            Token::Sign(':') => {
                if let Some(name) = last.take().filter(|_| names.len() < ARGUMENTS_MAX) {
                    names.push(name);
                }
            }
            Token::Word(word) => last = Some(word.to_owned()),
            Token::Sign(_) => {}
        }
    }
    Err(tokens.ends_early())
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    /// A name or a number.
    Word(&'a str),
    Sign(char),
}

/// The words and signs of a schema, without comments, strings and commas.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn line(&self) -> usize {
        self.text[..self.at].bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    fn ends_early(&self) -> ImportError {
        ImportError::line(self.line(), "the schema ends within a definition")
    }

    /// Goes on behind the sign that closes what was opened, however deep it nests.
    fn pass_over(&mut self, open: char, close: char) -> Result<()> {
        let mut depth = 1_usize;
        while let Some(token) = self.next().transpose()? {
            match token {
                Token::Sign(sign) if sign == open => depth += 1,
                Token::Sign(sign) if sign == close => depth -= 1,
                Token::Word(_) | Token::Sign(_) => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        Err(self.ends_early())
    }

    /// Goes on behind the brace that opens a type; false where the type has none before the next definition.
    fn opens_a_body(&mut self) -> Result<bool> {
        loop {
            let before = self.at;
            match self.next().transpose()? {
                Some(Token::Sign('{')) => return Ok(true),
                Some(Token::Sign('(')) => self.pass_over('(', ')')?,
                Some(Token::Word(
                    "type" | "interface" | "input" | "enum" | "union" | "scalar" | "extend" | "schema",
                )) => {
                    self.at = before;
                    return Ok(false);
                }
                Some(Token::Word(_) | Token::Sign(_)) => {}
                None => return Ok(false),
            }
        }
    }

    /// Goes on behind a string.
    fn string(&mut self) -> Result<()> {
        let (quote, inner) = if self.rest().starts_with("\"\"\"") { ("\"\"\"", 3) } else { ("\"", 1) };
        let mut from = self.at + inner;
        while let Some(found) = self.text[from..].find(quote) {
            let end = from + found;
            let is_escaped = match inner {
                3 => self.text[..end].ends_with('\\') && end > self.at + inner,
                _ => self.text[from..end].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1,
            };
            if !is_escaped {
                self.at = end + inner;
                return Ok(());
            }
            from = end + inner;
        }
        Err(ImportError::line(self.line(), "a string is not closed"))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Result<Token<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let letter = self.rest().chars().next()?;
            match letter {
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                '"' => {
                    if let Err(error) = self.string() {
                        return Some(Err(error));
                    }
                }
                letter if letter.is_alphanumeric() || letter == '_' => {
                    let rest = self.rest();
                    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
                    let word = &rest[..end.unwrap_or(rest.len())];
                    self.at += word.len();
                    return Some(Ok(Token::Word(word)));
                }
                letter => {
                    self.at += letter.len_utf8();
                    if !letter.is_whitespace() && letter != ',' {
                        return Some(Ok(Token::Sign(letter)));
                    }
                }
            }
        }
    }
}
