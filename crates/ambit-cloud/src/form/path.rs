//! Where a value stands in an answer: names of members between slashes. Lists on the way are gone through, so that a
//! path leads to any number of values, in answers of XML and JSON alike.

use super::Place;
use serde_json::Value;

/// An item of an answer, with the item of the list before, and where both stand.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) item: &'a Value,
    pub(crate) parent: &'a Value,
    pub(crate) place: &'a Place<'a>,
}

impl At<'_> {
    /// Returns the values to which a path leads. `^` before it begins at the item of the list before. Within it, `*`
    /// stands for every member, `list[name=text]` for the objects of a list that say so, `@json` reads a text as JSON
    /// and `@url` as it stands in a URL, `@last` takes what is behind its last slash, and `@host` the host of a URL.
    pub(crate) fn all(&self, path: &str) -> Vec<Value> {
        let (start, path) = match path.strip_prefix('^') {
            Some(path) => (self.parent, path),
            None => (self.item, path),
        };
        let mut found = vec![start.clone()];
        for step in path.split('/').filter(|step| !step.is_empty()) {
            found = found.into_iter().flat_map(|value| below(value, step)).collect();
        }
        let flat = |value| if let Value::Array(items) = value { items } else { vec![value] };
        found.into_iter().flat_map(flat).filter(|value| !value.is_null()).collect()
    }

    /// Returns whether the place of a list is there, however empty. A list of XML whose items have a name of their own
    /// (`item`, `member`) is told by what is around them.
    pub(crate) fn has(&self, path: &str) -> bool {
        let steps: Vec<&str> = path.split('/').collect();
        let mut at = vec![self.item];
        for (number, step) in steps.iter().enumerate() {
            let next: Vec<&Value> =
                at.iter().flat_map(|value| each(value)).filter_map(|value| value.get(*step)).collect();
            if next.is_empty() {
                let is_last = number + 1 == steps.len();
                // What is around is there and empty: so there is no item. But the whole answer is no list.
                return number > 0 && (is_last || at.iter().all(|value| value.is_null() || is_empty(value)));
            }
            at = next;
        }
        true
    }

    /// Returns the texts to which a path leads, several (`a+b`), the first of several that leads anywhere (`a|b`), or a
    /// template; numbers and flags as texts.
    pub(crate) fn texts(&self, path: &str) -> Vec<String> {
        if path.contains('{') {
            return self.template(path, str::to_owned).into_iter().collect();
        }
        let both = |way: &str| -> Vec<String> {
            way.split('+').flat_map(|path| self.all(path)).filter_map(|value| text(&value)).collect()
        };
        path.split('|').map(both).find(|texts| !texts.is_empty()).unwrap_or_default()
    }

    /// Returns the first of the texts.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.texts(path).into_iter().next()
    }

    /// Returns whether a text at a path is the wanted one, or one of several (`a|b`).
    pub(crate) fn says(&self, (path, wanted): (&String, &String)) -> bool {
        let wanted = self.template(wanted, str::to_owned).unwrap_or_default();
        self.texts(path).iter().any(|text| wanted.split('|').any(|wanted| text == wanted))
    }

    /// Returns what a member says: `=text` is this text; `path:list`, `:flag`, `:told`, `:number`, `:has` and `:raw`
    /// say what is made of the values, else it is the first text.
    pub(crate) fn value(&self, said: &str) -> Value {
        if let Some(text) = said.strip_prefix('=') {
            return Value::String(text.to_owned());
        }
        let (path, shape) = said.rsplit_once(':').filter(|_| !said.contains('{')).unwrap_or((said, ""));
        let first = || self.text(path);
        match shape {
            "list" => super::sorted(self.texts(path).into_iter()).into_iter().map(Value::String).collect(),
            "flag" => Value::Bool(first().is_some_and(|text| is_yes(&text))),
            "told" => first().map_or(Value::Null, |text| Value::Bool(is_yes(&text))),
            "number" => first().and_then(|text| text.parse::<f64>().ok()).map_or(Value::Null, number),
            "has" => Value::Bool(path.split('+').any(|path| !self.all(path).is_empty())),
            "raw" => self.all(path).into_iter().next().unwrap_or(Value::Null),
            _ => self.text(said).map_or(Value::Null, Value::String),
        }
    }

    /// Returns a text with what stands in braces filled in; `None` where something of it is not there. `{@region}`,
    /// `{@account}`, `{@partition}` and `{@domain}` say where the item stands; `{path:path}` is a path of a URL.
    pub(crate) fn template(&self, template: &str, shown: impl Fn(&str) -> String) -> Option<String> {
        let mut out = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (path, after) = after.split_once('}')?;
            out.push_str(before);
            if let Some(path) = path.strip_suffix(":path") {
                out.push_str(&self.text(path).filter(|text| is_path(text))?);
                rest = after;
                continue;
            }
            let value = match path {
                "@region" => self.place.region.to_owned(),
                "@account" => self.place.account.to_owned(),
                "@partition" => self.place.partition.to_owned(),
                "@domain" => self.place.domain.to_owned(),
                path => self.text(path)?,
            };
            out.push_str(&shown(&value));
            rest = after;
        }
        out.push_str(rest);
        Some(out)
    }
}

fn is_yes(text: &str) -> bool {
    matches!(text, "true" | "True" | "ENABLED")
}

/// A path that stands in a URL as it is.
fn is_path(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~()".contains(&byte);
    text.starts_with('/') && text.bytes().all(good)
}

fn below(value: Value, step: &str) -> Vec<Value> {
    match value {
        Value::Array(items) => items.into_iter().flat_map(|item| below(item, step)).collect(),
        Value::Object(members) if step == "*" => members.into_iter().map(|(_, value)| value).collect(),
        Value::Object(mut members) => match step.strip_suffix(']').and_then(|step| step.split_once('[')) {
            None => members.remove(step).into_iter().collect(),
            Some((list, told)) => members.remove(list).map(|value| telling(value, told)).unwrap_or_default(),
        },
        Value::String(text) if step == "@json" => json_of(&text).into_iter().collect(),
        Value::String(text) if step == "@url" => unescaped(&text).map(Value::String).into_iter().collect(),
        Value::String(text) if step == "@host" => vec![Value::String(host_of(&text).to_owned())],
        Value::String(text) if step == "@last" => {
            vec![Value::String(text.rsplit('/').next().unwrap_or_default().to_owned())]
        }
        _ => Vec::new(),
    }
}

/// A text as JSON; some services escape it as it stands within a text of JSON.
fn json_of(text: &str) -> Option<Value> {
    let plain = || serde_json::from_str::<String>(&format!("\"{text}\"")).ok();
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&plain()?).ok())
}

/// A text without the escapes of a URL (RFC 3986 §2.1); `None` where it is none with them.
fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// The host of a URL.
fn host_of(url: &str) -> &str {
    let after = url.split_once("://").map_or(url, |(_, rest)| rest);
    after.split(['/', ':', '?', '#']).next().unwrap_or_default()
}

/// The objects of a list of which a member is a text: `key=Policy`.
fn telling(list: Value, told: &str) -> Vec<Value> {
    let items = if let Value::Array(items) = list { items } else { vec![list] };
    let Some((name, wanted)) = told.split_once('=') else { return Vec::new() };
    items.into_iter().filter(|item| item.get(name).and_then(Value::as_str) == Some(wanted)).collect()
}

fn each(value: &Value) -> Vec<&Value> {
    if let Value::Array(items) = value { items.iter().collect() } else { vec![value] }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Whole numbers without a fraction.
fn number(value: f64) -> Value {
    /// Beyond it a float has no exact whole numbers.
    const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < WHOLE_MAX {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and below the largest exact one")]
        return Value::from(value as i64);
    }
    Value::from(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_within_texts_are_read_however_they_are_escaped() {
        let place = Place::default();
        let all = |item: &str, path: &str| At { item: &json!(item), parent: &Value::Null, place: &place }.all(path);
        let wanted = [json!({"a": "b c"})];
        assert_eq!(all(r#"{"a":"b c"}"#, "@json"), wanted);
        assert_eq!(all(r#"{\"a\":\"b c\"}"#, "@json"), wanted);
        assert_eq!(all("%7B%22a%22%3A%22b%20c%22%7d", "@url/@json"), wanted);
        assert_eq!(all("%C3%A9+", "@url"), ["é+"]);
        for broken in ["%", "%2", "%zz", "%ff", "%é"] {
            assert!(all(broken, "@url").is_empty(), "{broken}");
        }
        assert!(all("{", "@json").is_empty());
    }
}
