//! Texts with places in braces (`/search?q={domain}`): filled in, and read back.

use std::collections::BTreeMap;

/// What stands in the places of a template, by their names.
pub(crate) type Places<'a> = BTreeMap<&'a str, String>;

/// Fills in a template; `None` where something of it is not there. Braces in which no name stands are left as they are.
pub(crate) fn filled(template: &str, places: &Places<'_>) -> Option<String> {
    let mut out = String::new();
    for piece in pieces(template) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Place(name) => out.push_str(places.get(name)?),
        }
    }
    Some(out)
}

/// Reads what stands in the places of a text that was made of the template; `None` where it was not. A place goes as
/// far as the text behind it allows.
pub(crate) fn read_back<'a>(template: &'a str, text: &str) -> Option<Places<'a>> {
    let mut places = Places::new();
    let mut rest = text;
    let mut open: Option<&str> = None;
    for piece in pieces(template) {
        match piece {
            Piece::Text(literal) => match open.take() {
                None => rest = rest.strip_prefix(literal)?,
                Some(name) => {
                    let (value, behind) = rest.split_once(literal)?;
                    places.insert(name, value.to_owned());
                    rest = behind;
                }
            },
            Piece::Place(name) => open = Some(name),
        }
    }
    match open {
        Some(name) => {
            places.insert(name, rest.to_owned());
            Some(places)
        }
        None => rest.is_empty().then_some(places),
    }
}

enum Piece<'a> {
    Text(&'a str),
    Place(&'a str),
}

fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(open) = template[at..].find('{').map(|open| at + open) {
        at = open + 1;
        let end =
            template[at..].find(|letter: char| !letter.is_ascii_lowercase()).map_or(template.len(), |end| at + end);
        if end > at && template[end..].starts_with('}') {
            if open > from {
                pieces.push(Piece::Text(&template[from..open]));
            }
            pieces.push(Piece::Place(&template[at..end]));
            (from, at) = (end + 1, end + 1);
        }
    }
    if from < template.len() {
        pieces.push(Piece::Text(&template[from..]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_filled_in_is_read_back() {
        let places = Places::from([("domain", "acme.test".to_owned()), ("page", "2".to_owned())]);
        for template in ["/q={domain}&page={page}", "/{domain}/names", "{\"a\":{\"b\":\"{domain}\"}}", "/none"] {
            let text = filled(template, &places).unwrap();
            let read = read_back(template, &text).unwrap();
            assert!(read.iter().all(|(name, value)| places[name] == *value), "{template}");
        }
        assert_eq!(filled("/q={key}", &places), None);
        assert_eq!(read_back("/{domain}/names", "/acme.test/other"), None);
        assert_eq!(read_back("/none", "/none/more"), None);
    }
}
