//! Regular expressions as the language Go has them (RE2), written so that our engine reads them alike: classes of
//! letters are those of ASCII, and a brace or bracket that begins nothing stands for itself.

/// Returns the expression in the form of our engine.
///
/// # Errors
/// What of it our engine does not have.
pub(crate) fn translated(expression: &str) -> Result<String, String> {
    let mut out = String::with_capacity(expression.len() * 2);
    let mut rest = expression;
    while let Some(c) = rest.chars().next() {
        rest = match c {
            '\\' => escape(rest, &mut out)?,
            '[' => class(rest, &mut out)?,
            '{' if !is_repetition(rest) => {
                out.push_str("\\{");
                &rest[1..]
            }
            c => {
                out.push(c);
                &rest[c.len_utf8()..]
            }
        };
    }
    Ok(out)
}

/// `{2}`, `{2,}`, `{2,5}`.
fn is_repetition(text: &str) -> bool {
    let Some(inside) = text[1..].split_once('}').map(|(inside, _)| inside) else { return false };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    !least.is_empty() && least.bytes().chain(most.bytes()).all(|byte| byte.is_ascii_digit())
}

/// What a backslash begins outside of a class; returns what is behind it.
fn escape<'a>(text: &'a str, out: &mut String) -> Result<&'a str, String> {
    let c = text[1..].chars().next().ok_or("it ends in a backslash")?;
    let rest = &text[1 + c.len_utf8()..];
    match c {
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[0-9A-Za-z_]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        's' => out.push_str("[\\t\\n\\f\\r ]"),
        'S' => out.push_str("[^\\t\\n\\f\\r ]"),
        'b' => out.push_str("(?-u:\\b)"),
        'Q' => {
            let (literal, behind) = rest.split_once("\\E").unwrap_or((rest, ""));
            out.push_str(&regex::escape(literal));
            return Ok(behind);
        }
        // To our engine these are the edges of words.
        '<' | '>' => out.push(c),
        'C' => return Err("it looks at single bytes (\\C)".to_owned()),
        c => out.extend(['\\', c]),
    }
    Ok(rest)
}

/// A class of characters; returns what is behind it.
fn class<'a>(text: &'a str, out: &mut String) -> Result<&'a str, String> {
    out.push('[');
    let mut rest = &text[1..];
    if let Some(behind) = rest.strip_prefix('^') {
        out.push('^');
        rest = behind;
    }
    // In the first place it ends nothing.
    if let Some(behind) = rest.strip_prefix(']') {
        out.push_str("\\]");
        rest = behind;
    }
    loop {
        let c = rest.chars().next().ok_or("a class has no end")?;
        let behind = &rest[c.len_utf8()..];
        rest = match c {
            ']' => {
                out.push(']');
                return Ok(behind);
            }
            '\\' => escape_in_class(rest, out)?,
            '[' => match behind.strip_prefix(':').and_then(|named| named.split_once(":]")) {
                Some((name, after)) => {
                    out.push_str(&format!("[:{name}:]"));
                    after
                }
                None => {
                    out.push_str("\\[");
                    behind
                }
            },
            // Two of them are an operation on classes to our engine.
            '&' | '~' | '-' if behind.starts_with(c) => {
                out.extend([c, '\\', c]);
                &behind[1..]
            }
            c => {
                out.push(c);
                behind
            }
        };
    }
}

fn escape_in_class<'a>(text: &'a str, out: &mut String) -> Result<&'a str, String> {
    let c = text[1..].chars().next().ok_or("it ends in a backslash")?;
    match c {
        'd' => out.push_str("0-9"),
        'w' => out.push_str("0-9A-Za-z_"),
        's' => out.push_str("\\t\\n\\f\\r "),
        'D' => out.push_str("[^0-9]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        'S' => out.push_str("[^\\t\\n\\f\\r ]"),
        '<' | '>' => out.push(c),
        c => out.extend(['\\', c]),
    }
    Ok(&text[1 + c.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    #[test]
    fn what_go_reads_is_read_alike() {
        for (go, matches, misses) in [
            (r"^\${(?:[A-Z_]+)}$", "${HOME}", "$HOME"),
            (r"^\{\{[ \t]*[\w ().|]+[ \t]*}}$", "{{ a.b }}", "{ a.b }"),
            (r"[[:alnum:]]{4}", "aB3x", "a-3-"),
            (r"[[a-z]+\]", "[ab]", "ab"),
            (r"[]x]+$", "]x", "a"),
            (r"[a&&b]", "&", "c"),
            (r"[+--]", ",", "."),
            (r"\<a\>", "<a>", "a"),
            (r"\d{2}\w", "12a", "1\u{0662}a"),
            (r"\Qa.b\E+", "a.bb", "axb"),
            (r"a{,2}", "a{,2}", "aa"),
            (r"p8e-(?i)[a-z]{2}", "p8e-AB", "P8E-AB"),
            ("[\\x60'\"\\s=]x", "`x", "ax"),
        ] {
            let own = Regex::new(&translated(go).unwrap()).unwrap_or_else(|error| panic!("{go}: {error}"));
            assert!(own.is_match(matches) && !own.is_match(misses), "{go}: {own}");
        }
        for bad in ["a\\", "[a", r"\C"] {
            assert!(translated(bad).is_err(), "{bad}");
        }
    }
}
