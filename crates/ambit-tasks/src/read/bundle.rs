//! The parts of a bundle that are loaded when somebody needs them: what webpack, Vite and Next.js write into scripts
//! about their file names. Pure; the script is hostile, and nothing of it is run.

use ambit_net::http::Url;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Parts of one bundle.
const PARTS_MAX: usize = 500;
/// Bytes of a file name that is put together.
const NAME_BYTES_MAX: usize = 300;

/// What a file name is put together from: texts, the number of the part, and tables from numbers to names.
const PIECE: &str = concat!(
    r#"(?:"[!#-;=?-\[\]-~]*"|'[!-&(-;=?-\[\]-~]*'"#,
    r#"|\(?\{(?:["']?[A-Za-z0-9_~-]+["']?\s*:\s*["'][A-Za-z0-9_./~@%-]+["']\s*,?\s*)+\}\[[A-Za-z0-9_]+\]"#,
    r"(?:\s*\|\|\s*[A-Za-z0-9_]+\s*\))?|\(?\{\}\[[A-Za-z0-9_]+\]\s*\|\|\s*[A-Za-z0-9_]+\s*\)",
    r"|[A-Za-z0-9_$]+(?:\.[A-Za-z0-9_$]+)?)",
);
/// A sum of such pieces that ends in the name of a script.
static SUM: LazyLock<Regex> = LazyLock::new(|| {
    let text = format!(r#"{PIECE}(?:\s*\+\s*{PIECE}){{0,8}}\s*\+\s*["'][A-Za-z0-9_./~-]*\.m?js["']"#);
    Regex::new(&text).expect("constant")
});
static EACH: LazyLock<Regex> = LazyLock::new(|| Regex::new(PIECE).expect("constant"));
/// A line of a table.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["']?([A-Za-z0-9_~-]+)["']?\s*:\s*["']([A-Za-z0-9_./~@%-]+)["']"#).expect("constant")
});
/// Where webpack says that its files lie.
static PUBLIC: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\.p\s*=\s*["']((?:https?://|/)[!#-&(-;=?-\[\]-~]*)["']"#).expect("constant"));
/// A script in quotes by a path that begins with a folder.
static LISTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"["']([A-Za-z0-9_@~-]+/[A-Za-z0-9_./@~%-]+\.m?js)["']"#).expect("constant"));

/// Scripts of the same bundle, absolute.
pub(crate) fn parts(text: &str, script: &Url) -> BTreeSet<String> {
    let named = named(text);
    let listed =
        LISTED.captures_iter(text).map(|found| found[1].to_owned()).filter(|path| root(path, script).is_some());
    let public = PUBLIC.captures(text).and_then(|found| script.join(&found[1]).ok());
    let absolute = |path: String| match (path.starts_with(['/', '.']), root(&path, script), &public) {
        (true, ..) | (_, None, None) => script.join(&path),
        (_, Some(root), None) => script.join(&format!("{root}{path}")),
        (_, _, Some(public)) => public.join(&path),
    };
    let urls = named.into_iter().chain(listed).filter_map(|path| absolute(path).ok());
    urls.map(|url| url.to_string()).take(PARTS_MAX).collect()
}

/// The folder in which a path lies that begins with a folder of the script's own path: `/_next/` for `static/a.js` in
/// `/_next/static/b/c.js`.
fn root<'a>(path: &str, script: &'a Url) -> Option<&'a str> {
    let first = path.split_once('/')?.0;
    let own = script.path_only();
    let at = own
        .match_indices(first)
        .map(|(at, _)| at)
        .find(|at| own[..*at].ends_with('/') && own[at + first.len()..].starts_with('/'))?;
    Some(&own[..at])
}

/// File names that are put together from tables, in their order.
fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for sum in SUM.find_iter(text) {
        let pieces: Vec<Piece<'_>> = EACH.find_iter(sum.as_str()).map(|piece| Piece::of(piece.as_str())).collect();
        let numbers: BTreeSet<&str> = pieces.iter().flat_map(Piece::numbers).copied().collect();
        for number in numbers {
            let name: String = pieces.iter().map(|piece| piece.of_part(number)).collect();
            if name.len() <= NAME_BYTES_MAX && names.len() < PARTS_MAX {
                names.push(name);
            }
        }
    }
    names
}

/// A piece of a file name.
enum Piece<'a> {
    Text(&'a str),
    /// Names by number; a number that is not there stands for itself.
    Table(BTreeMap<&'a str, &'a str>),
    /// The number itself.
    Number,
    /// Where all files lie, which is said elsewhere.
    Public,
}

impl<'a> Piece<'a> {
    fn of(piece: &'a str) -> Self {
        if let Some(text) = piece.strip_prefix(['"', '\'']) {
            return Self::Text(text.trim_end_matches(['"', '\'']));
        }
        if piece.contains('{') {
            let lines = LINE.captures_iter(piece).map(|line| line.extract::<2>().1);
            return Self::Table(lines.map(|[number, name]| (number, name)).collect());
        }
        if piece.contains('.') { Self::Public } else { Self::Number }
    }

    fn numbers(&self) -> impl Iterator<Item = &&'a str> {
        let table = match self {
            Self::Table(table) => Some(table),
            _ => None,
        };
        table.into_iter().flat_map(BTreeMap::keys)
    }

    fn of_part<'s>(&'s self, number: &'s str) -> &'s str {
        match self {
            Self::Text(text) => text,
            Self::Table(table) => table.get(number).copied().unwrap_or(number),
            Self::Number => number,
            Self::Public => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_bundle_are_told() {
        for (script, text, wanted) in [
            (
                "/static/js/main.js",
                r#"i.u=e=>"static/js/"+({12:"login"}[e]||e)+"."+{12:"ab1",787:"28c"}[e]+".chunk.js";i.p="/";"#,
                &["/static/js/787.28c.chunk.js", "/static/js/login.ab1.chunk.js"][..],
            ),
            (
                "/app/static/js/main.js",
                r#"return a.p+"static/js/"+({}[e]||e)+"."+{1:"abc"}[e]+".chunk.js"}"#,
                &["/app/static/js/1.abc.chunk.js"],
            ),
            ("/js/app.js", r#"r.u=e=>e+"."+{5:"f0"}[e]+".js",r.p="/cdn/""#, &["/cdn/5.f0.js"]),
            ("/js/app.js", r#"r.u=e=>e+"."+{5:"f0"}[e]+".js""#, &["/js/5.f0.js"]),
            (
                "/assets/index-1.js",
                r#"m.f||(m.f=["assets/Login-2.js","assets/x.css","other/y.js"])"#,
                &["/assets/Login-2.js"],
            ),
            (
                "/_next/static/build/_buildManifest.js",
                r#"self.__BUILD_MANIFEST={"/login":["static/chunks/pages/login-9.js"]}"#,
                &["/_next/static/chunks/pages/login-9.js"],
            ),
            ("/a.js", r#"x={1:"a"}[e]+".png";y="a"+".js";load("lib/z.js")"#, &[]),
        ] {
            let script = Url::parse(&format!("https://app.acme.test{script}")).unwrap();
            let found = parts(text, &script);
            let paths: Vec<String> = found.iter().map(|url| Url::parse(url).unwrap().path_only().to_owned()).collect();
            assert_eq!(paths, wanted, "{text}");
        }
    }

    #[test]
    fn hostile_tables_end() {
        let script = Url::parse("https://app.acme.test/a.js").unwrap();
        let table: String = (0..50_000).map(|number| format!("{number}:\"x\",")).collect();
        assert_eq!(parts(&format!("e+{{{table}}}[e]+\".js\""), &script).len(), PARTS_MAX);
        let sums = "a+".repeat(200_000);
        assert!(parts(&format!("{sums}\".js\""), &script).is_empty());
    }
}
