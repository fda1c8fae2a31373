//! Texts of others as they may be shown: what opens something is replaced by [`MASK`]. It is told by its form, by
//! what it is called, and by where headers and addresses have it; of a file that is itself a secret only the names are
//! shown. Rather too much is masked than too little: what is hidden here can still be asked for at its place.

use crate::own;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The text that replaces a secret.
pub const MASK: &str = "[masked]";
/// Characters of a line's first word that are shown of a file whose lines are secrets; longer ones have no name in
/// front.
const NAME_CHARS_MAX: usize = 64;

/// A text with its secrets masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    pub text: String,
    /// How many places were masked.
    pub count: usize,
}

/// Parts of names of what opens something.
const NAMES: &str = concat!(
    "passw(?:or)?d|passphrase|pwd|secret|token|credential|csrf|xsrf|session|sessid|signature|salt|dsn|webhook|",
    "(?:api|access|private|signing|encryption|client|app|account|master)_?-?key|connection_?-?string",
);
/// Parts of names of headers by which one is let in.
const HEADERS: &str = "token|secret|api-?key|session|password|csrf|xsrf|credential|x-auth";
/// What is given to a name, in quotes or up to the next blank or mark.
const VALUE: &str = concat!(r#"(?:"([^"\r\n]+)"|'([^'\r\n]+)'|`([^`]+)`|"#, r#"([^\s"'`<>&,;{}\[\]()]+))"#,);

/// Expressions whose groups are what opens something.
static OPENERS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let name = format!(r"(?i)(?:{NAMES})[0-9a-z_.-]{{0,40}}");
    let expressions = [
        // Headers by which one is let in; of a cookie the name stays, and what was said of it.
        r#"(?i)\bauthorization["']?:[ \t]*([^\r\n"']+)"#.to_owned(),
        r"(?im)^cookie2?:[ \t]*([^\r\n]+)".to_owned(),
        r"(?im)^set-cookie2?:[ \t]*[^=;\r\n]*=([^;\r\n]+)".to_owned(),
        format!(r"(?im)^[a-z0-9-]*(?:{HEADERS})[a-z0-9-]*:[ \t]*([^\r\n]+)"),
        format!(r#"(?i)["']cookies?["'][ \t]{{0,5}}(?:=>|=|:|,)[ \t]{{0,5}}{VALUE}"#),
        // Name and password in an address.
        r#"://[^/\s:@"'<>]{0,200}:([^/\s@"'<>]{1,200})@"#.to_owned(),
        // What is given to a name that says what it is: in files, code, JSON, forms, addresses and tables of pages.
        format!(r#"{name}["'\]]{{0,2}}[ \t]{{0,5}}(?:=>|:=|=|:)[ \t]{{0,5}}{VALUE}"#),
        format!(r#"{name}["']\]?[ \t]{{0,5}},[ \t]{{0,5}}{VALUE}"#),
        format!(r#"{name}["']?[ \t]+(?:value|content)={VALUE}"#),
        format!(r"{name}[ \t]*</[a-z]+>[ \t\r\n]*<[a-z][^>]{{0,100}}>([^<]+)"),
        // Hashes of passwords, and how a database is told one.
        r#"(\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|sha1|md5|argon2[a-z]*|scrypt|pbkdf2[a-z0-9-]*|P|H|S)\$[^\s:"'<]{8,})"#
            .to_owned(),
        r"(?i)\{(?:S?SHA\d*|S?MD5|CRYPT|BCRYPT|PBKDF2[^}]*)\}([^\s:<]{8,})".to_owned(),
        r"(?i)identified[ \t]+by[ \t]+(?:password[ \t]+)?'([^']+)'".to_owned(),
        // A private key, also one whose end was cut off.
        r"(?s)-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY[A-Z ]{0,10}-----\s*(.+?)\s*(?:-----END|\z)".to_owned(),
        // What only a program can have made.
        r"\b([0-9a-fA-F]{32,})\b".to_owned(),
        r"\b(ey[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_.-]{8,})".to_owned(),
    ];
    let built = expressions.iter().map(|text| Regex::new(text).expect("the expression is constant"));
    built.collect()
});

/// Runs of letters and digits that are long enough to be a key; whether one is, [`is_drawn`] says.
static RUNS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[0-9A-Za-z_+/]{24,}={0,2}").expect("the expression is constant"));

/// Returns a text with what opens something masked.
pub fn masked(text: &str) -> Masked {
    replaced(text, openers(text))
}

/// Returns the ranges of secrets in a text.
fn openers(text: &str) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = own().places(text);
    for opener in OPENERS.iter() {
        for found in opener.captures_iter(text) {
            places.extend(found.iter().skip(1).flatten().map(|group| group.range()));
        }
    }
    places.extend(RUNS.find_iter(text).filter(|run| is_drawn(run.as_str())).map(|run| run.range()));
    places
}

/// Returns the lines of a file that is itself a secret: the name that begins each, and nothing of what is behind it.
pub fn names_only(text: &str) -> Masked {
    let mut places = openers(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (begin, shown) = (at, line.trim_end());
        at += line.len();
        let is_frame = !shown.contains(|c: char| c.is_alphanumeric());
        if is_frame || shown.starts_with("-----BEGIN ") || shown.starts_with("-----END ") {
            continue;
        }
        let indent = shown.len() - shown.trim_start().len();
        let name_end = shown[indent..].find([' ', '\t', '=', ':', ',', ';']).map_or(0, |end| indent + end + 1);
        let inside = shown.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let is_section =
            inside.is_some_and(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-. ".contains(&b)));
        let from = if is_section || name_end > NAME_CHARS_MAX { 0 } else { name_end };
        if is_section || shown[from..].trim().is_empty() {
            continue;
        }
        let from = from + (shown.len() - from - shown[from..].trim_start().len());
        places.push(begin + from..begin + shown.len());
    }
    replaced(text, places)
}

/// Returns true for a run of characters that nobody wrote: digits, small letters and capitals in turn.
fn is_drawn(run: &str) -> bool {
    let has = |is: fn(&u8) -> bool| run.bytes().filter(is).count() >= 2;
    let words = run.split(['/', '_']).filter(|part| part.len() > 2 && part.bytes().all(|b| b.is_ascii_alphabetic()));
    has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && words.count() < 2
}

fn replaced(text: &str, mut places: Vec<Range<usize>>) -> Masked {
    places.retain(|place| !place.is_empty() && &text[place.clone()] != MASK);
    places.sort_by_key(|place| (place.start, place.end));
    let mut out = Masked { text: String::with_capacity(text.len()), count: 0 };
    let mut end = 0;
    for place in places {
        if place.start >= end {
            out.text.push_str(&text[end..place.start]);
            out.text.push_str(MASK);
            out.count += 1;
        }
        end = end.max(place.end);
    }
    out.text.push_str(&text[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What must not be read any more of a text, and what must.
    fn hides(text: &str, hidden: &[&str], shown: &[&str]) {
        let out = masked(text).text;
        for word in hidden {
            assert!(!out.contains(word), "{word} is told in {out:?}");
        }
        for word in shown {
            assert!(out.contains(word), "{word} is missing in {out:?}");
        }
    }

    #[test]
    fn headers_by_which_one_is_let_in_are_masked() {
        hides(
            "GET / HTTP/1.1\r\nAuthorization: Basic YWNtZTpwYXNz\r\nCookie: sid=abc123; lang=de\r\nX-Api-Key: \
             k-77\r\nHost: a\r\n",
            &["YWNtZTpwYXNz", "abc123", "lang", "k-77"],
            &["GET / HTTP/1.1\r\n", "Authorization: [masked]", "Host: a"],
        );
        hides(
            "HTTP/1.1 200 OK\r\nSet-Cookie: PHPSESSID=q8d7; Path=/; HttpOnly\r\nServer: nginx/1.18.0\r\n\r\n",
            &["q8d7"],
            &["Set-Cookie: PHPSESSID=[masked]; Path=/; HttpOnly", "Server: nginx/1.18.0"],
        );
        hides("WWW-Authenticate: Basic realm=\"Acme\"", &[], &["Basic realm=\"Acme\""]);
    }

    #[test]
    fn what_is_called_a_secret_is_masked_wherever_it_stands() {
        for text in [
            "DB_PASSWORD=hunter2x",
            "password: \"two words hunter2x\"",
            "define('AUTH_SALT', 'hunter2x');",
            "\"dbPassword\": \"hunter2x\",",
            "$config['secret_key'] = 'hunter2x';",
            "<tr><td class=\"e\">MAIL_PASSWORD </td><td class=\"v\">hunter2x </td></tr>",
            "<input type=\"hidden\" name=\"csrf_token\" value=\"hunter2x\">",
            "https://ann:hunter2x@git.acme.test/",
            "https://acme.test/?access_token=hunter2x&lang=de",
            "IDENTIFIED BY 'hunter2x'",
        ] {
            hides(text, &["hunter2x"], &["[masked]"]);
        }
    }

    #[test]
    fn what_a_program_drew_is_masked_and_what_people_wrote_is_not() {
        hides("root:$6$rounds=5000$abcdefgh$Zx9:0", &["Zx9"], &["root:"]);
        hides("id 0123456789abcdef0123456789abcdef", &["0123456789abcdef"], &["id "]);
        hides("k = \"kT3mR8vXq1ZbLw5GhJ9cNd2PyFs7\"", &["kT3mR8"], &["k = "]);
        hides(
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\nQk1def\n",
            &["MIIEabc", "Qk1def"],
            &["-----BEGIN RSA PRIVATE KEY-----"],
        );
        let page =
            "<title>Index of /backups/2026_Archive_Files</title> nginx/1.18.0 /static/js/Vendor/Bootstrap4_2_1\n";
        assert_eq!(masked(page), Masked { text: page.to_owned(), count: 0 });
    }

    #[test]
    fn of_a_file_that_is_a_secret_the_names_are_shown() {
        let file = "# settings\nAPP_ENV=production\nexport KEY='a b'\n[mail]\n\n{\n  \"port\": 25,\n}\nEMPTY=\njust-\
                    one-secret\n";
        let out = names_only(file);
        assert_eq!(
            out.text,
            "# [masked]\nAPP_ENV=[masked]\nexport [masked]\n[mail]\n\n{\n  \"port\": [masked]\n}\nEMPTY=\n[masked]\n"
        );
        assert_eq!(out.count, 5);
        assert_eq!(names_only("[\"hunter2\"]\n").text, "[masked]\n");
        let key = "-----BEGIN PRIVATE KEY-----\nMIIE\nQk0=\n-----END PRIVATE KEY-----\n";
        assert_eq!(names_only(key).text, "-----BEGIN PRIVATE KEY-----\n[masked]\n-----END PRIVATE KEY-----\n");
    }

    #[test]
    fn what_is_masked_stays_so() {
        let once = masked("password=abc token: \"x\"");
        assert_eq!(masked(&once.text), Masked { text: once.text.clone(), count: 0 });
    }
}
