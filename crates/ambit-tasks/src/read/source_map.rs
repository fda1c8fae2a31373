//! Maps from scripts to the sources that they were made from (ECMA-426): where one is, and what it holds. Pure; a map
//! is hostile, and what is no map is none.

use ambit_net::http::Url;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use serde::Deserialize;
use std::sync::LazyLock;

/// Sources of one map that are read; large applications have some thousand.
const SOURCES_MAX: usize = 5_000;
/// Characters of a source's name.
const NAME_CHARS_MAX: usize = 300;

/// Where a script says that its map is: the last such line counts.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*//[#@]\s*sourceMappingURL=(?:data:application/json[^,\s]{0,60};base64,([A-Za-z0-9+/=]+)|(\S{1,500}))\s*$")
        .expect("constant")
});

/// Where the map of a script is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MapLocation {
    /// In a file of its own.
    At(Url),
    /// In the script, which holds these bytes.
    Inside(Vec<u8>),
}

/// A source that a map names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: Option<String>,
}

/// Where a script says that its map is: in its text, or in a header of the answer that it came with.
pub(crate) fn named(text: &str, header: Option<&str>, script: &Url) -> Option<MapLocation> {
    let Some(named) = NAMED.captures_iter(text).last() else {
        return script.join(header?).ok().map(MapLocation::At);
    };
    match (named.get(1), named.get(2)) {
        (Some(inside), _) => STANDARD.decode(inside.as_str()).ok().map(MapLocation::Inside),
        (None, Some(reference)) => script.join(reference.as_str()).ok().map(MapLocation::At),
        (None, None) => None,
    }
}

/// Where tools put the map of a script that names none.
pub(crate) fn beside(script: &Url) -> Url {
    script.with_path(&format!("{}.map", script.path_only()))
}

/// A map as it is written; one of several parts has a map in each. Texts nest as deep as the reader of JSON follows,
/// which is 128 levels.
#[derive(Deserialize)]
struct Written {
    version: u8,
    mappings: Option<String>,
    #[serde(default, rename = "sourceRoot")]
    root: Option<String>,
    #[serde(default)]
    sources: Vec<Option<String>>,
    #[serde(default, rename = "sourcesContent")]
    texts: Option<Vec<Option<String>>>,
    #[serde(default)]
    sections: Vec<Section>,
}

#[derive(Deserialize)]
struct Section {
    map: Option<Box<Written>>,
}

/// The sources that a map names; `None` for what is no map.
pub(crate) fn sources(body: &[u8]) -> Option<Vec<Source>> {
    let map: Written = serde_json::from_slice(unguarded(body)).ok()?;
    if map.mappings.is_none() && map.sections.is_empty() {
        return None;
    }
    let mut sources = Vec::new();
    map.into_sources(&mut sources);
    (!sources.is_empty()).then_some(sources)
}

/// The map behind the line that keeps it from being run as a script.
fn unguarded(body: &[u8]) -> &[u8] {
    if !body.starts_with(b")]}'") {
        return body;
    }
    body.iter().position(|byte| *byte == b'\n').map_or(body, |end| &body[end..])
}

impl Written {
    fn into_sources(self, found: &mut Vec<Source>) {
        if self.version != 3 {
            return;
        }
        let root = self.root.unwrap_or_default();
        let mut texts = self.texts.unwrap_or_default().into_iter();
        for source in self.sources {
            let text = texts.next().flatten().filter(|text| !text.is_empty());
            if found.len() < SOURCES_MAX && (source.is_some() || text.is_some()) {
                let name = format!("{root}{}", source.unwrap_or_default());
                found.push(Source { name: name.chars().take(NAME_CHARS_MAX).collect(), text });
            }
        }
        for section in self.sections {
            if let Some(map) = section.map {
                map.into_sources(found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Url {
        Url::parse("https://app.acme.test/static/app.js?v=7").unwrap()
    }

    fn at(path: &str) -> Option<MapLocation> {
        Url::parse(&format!("https://app.acme.test{path}")).ok().map(MapLocation::At)
    }

    fn told(body: &[u8]) -> Option<Vec<(String, Option<String>)>> {
        Some(sources(body)?.into_iter().map(|source| (source.name, source.text)).collect())
    }

    #[test]
    fn a_map_is_where_the_script_or_its_answer_says() {
        for (text, header, expected) in [
            ("x();\n//# sourceMappingURL=app.js.map\n", None, at("/static/app.js.map")),
            ("//@ sourceMappingURL=old.map\n//# sourceMappingURL=/maps/new.map", Some("x.map"), at("/maps/new.map")),
            ("x();", Some("/maps/app.map"), at("/maps/app.map")),
            ("let s = '//# sourceMappingURL=x.map';", None, None),
            ("//# sourceMappingURL=data:application/json;base64,e30=", None, Some(MapLocation::Inside(b"{}".to_vec()))),
            (
                "//# sourceMappingURL=data:application/json;charset=utf-8;base64,e30=",
                None,
                Some(MapLocation::Inside(b"{}".to_vec())),
            ),
            ("//# sourceMappingURL=data:application/json,{}", None, None),
            ("//# sourceMappingURL=data:application/json;base64,e3=0=", None, None),
        ] {
            assert_eq!(named(text, header, &script()), expected, "{text}");
        }
        assert_eq!(Some(MapLocation::At(beside(&script()))), at("/static/app.js.map"));
    }

    #[test]
    fn a_map_names_its_sources_and_holds_their_texts() {
        let map = br#"{"version":3,"sourceRoot":"src/","mappings":"AA","sources":["a.ts",null,"c.ts","d.ts"],
                       "sourcesContent":["let a;","let b;",null]}"#;
        let text = |text: &str| Some(text.to_owned());
        let expected = vec![
            ("src/a.ts".to_owned(), text("let a;")),
            ("src/".to_owned(), text("let b;")),
            ("src/c.ts".to_owned(), None),
            ("src/d.ts".to_owned(), None),
        ];
        assert_eq!(told(map), Some(expected.clone()));
        assert_eq!(told(&[b")]}'\n".as_slice(), map].concat()), Some(expected));
        let parts = br#"{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"mappings":"",
                         "sources":["a.ts"],"sourcesContent":["let a;"]}},{"url":"b.map"}]}"#;
        assert_eq!(told(parts), Some(vec![("a.ts".to_owned(), text("let a;"))]));
    }

    #[test]
    fn what_is_no_map_or_a_hostile_one_is_none() {
        let nested = format!("{}{}", r#"{"version":3,"sections":[{"map":"#.repeat(5_000), "}]}".repeat(5_000));
        let deep = format!(r#"{{"version":3,"mappings":"","names":{}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        for body in [
            "<html>Not Found",
            "{}",
            r#"{"version":2,"mappings":"","sources":["a.ts"]}"#,
            r#"{"version":3,"sources":["a.ts"],"sourcesContent":["let a;"]}"#,
            r#"{"version":3,"mappings":"","sources":[]}"#,
            r#"{"version":3,"mappings":"","sources":["a.ts"],"sourcesContent":["let"#,
            ")]}'",
            &nested,
            &deep,
        ] {
            assert_eq!(sources(body.as_bytes()), None, "{}", &body[..body.len().min(80)]);
        }
        let many = format!(r#"{{"version":3,"mappings":"","sources":[{}"x"]}}"#, "\"x\",".repeat(20_000));
        assert_eq!(sources(many.as_bytes()).map(|sources| sources.len()), Some(SOURCES_MAX));
    }
}
