//! Matching: which rules are true of some bytes, and where the first of their strings stands. Time and memory are
//! bounded; what was not looked at to its end is `TimedOut`, never "no match".

use crate::Rules;
use boreal::scanner::{EvaluatedRule, ScanError, ScanParams};
use std::time::Duration;

/// Bytes of a match that are kept.
const MATCH_BYTES_MAX: usize = 64;
/// Bytes around a match that a snippet shows on each side.
const AROUND_BYTES: usize = 16;
/// The text in a snippet for bytes that are not shown.
const CUT: &str = "[...]";

/// A rule that is true of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub rule: String,
    pub tags: Vec<String>,
    /// The first place of one of its strings with what surrounds it, in hexadecimal; `None`: the rule is true without a
    /// string.
    pub snippet: Option<String>,
}

/// The time was over before everything was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("timed out")]
pub struct TimedOut;

impl Rules {
    /// The rules that are true of `bytes`, but for the private ones. `time` is how long it may take; it is looked at
    /// every ten thousand steps. Fails where that is over before it is known which rules are true.
    pub fn matches(&self, bytes: &[u8], time: Duration) -> Result<Vec<Match>, TimedOut> {
        let quick = ScanParams::default()
            .timeout_duration(Some(time))
            .match_max_length(MATCH_BYTES_MAX)
            .string_max_nb_matches(self.places_of_string);
        let mut scanner = self.scanner.clone();
        scanner.set_scan_params(quick.clone());
        let found = match scanner.scan_mem(bytes) {
            Ok(found) => found.rules,
            Err((ScanError::Timeout, _)) => return Err(TimedOut),
            // The others are of files, processes and callbacks, which are not used here.
            Err((error, _)) => unreachable!("bytes in memory: {error}"),
        };
        if found.is_empty() {
            return Ok(Vec::new());
        }
        // Where the strings stand is not looked for where a rule is true without it: a second look finds them, and
        // costs only where something matched.
        let mut thorough = self.scanner.clone();
        thorough.set_scan_params(quick.compute_full_matches(true));
        let placed = match thorough.scan_mem(bytes) {
            Ok(placed) => placed.rules,
            Err((_, placed)) => placed.rules,
        };
        let describe = |rule: &EvaluatedRule<'_>| {
            let with_places = placed.iter().find(|other| (other.name, other.namespace) == (rule.name, rule.namespace));
            Match {
                rule: rule.name.to_owned(),
                tags: rule.tags.iter().map(|tag| self.scanner.get_string_symbol(*tag).to_owned()).collect(),
                snippet: first_place(with_places.unwrap_or(rule)).map(|(at, length)| snippet(bytes, at, length)),
            }
        };
        Ok(found.iter().map(describe).collect())
    }
}

/// Offset and length of the first match of any string.
fn first_place(rule: &EvaluatedRule<'_>) -> Option<(usize, usize)> {
    let places = rule.matches.iter().flat_map(|string| &string.matches);
    places.map(|place| (place.offset, place.length)).min()
}

/// A place with its surroundings, byte by byte.
fn snippet(bytes: &[u8], at: usize, length: usize) -> String {
    let start = at.saturating_sub(AROUND_BYTES).min(bytes.len());
    let end = at.saturating_add(length.min(MATCH_BYTES_MAX)).saturating_add(AROUND_BYTES).min(bytes.len());
    let mut parts: Vec<String> = Vec::new();
    if start > 0 {
        parts.push(CUT.to_owned());
    }
    parts.extend(bytes[start..end.max(start)].iter().map(|byte| format!("{byte:02X}")));
    if end < bytes.len() {
        parts.push(CUT.to_owned());
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LIVE, Source, compile};

    const LONG: Duration = Duration::from_secs(60);

    fn rules(text: &str) -> Rules {
        compile(&[Source { name: "", text }], &LIVE).unwrap()
    }

    fn names(text: &str, bytes: &[u8]) -> Vec<String> {
        let found = rules(text).matches(bytes, LONG).unwrap();
        found.into_iter().map(|one| one.rule).collect()
    }

    #[test]
    fn rules_that_are_true_are_reported_and_private_ones_are_not() {
        let text = "private rule hidden { strings: $a = \"foo\" condition: $a }
            rule seen { condition: hidden and filesize < 100 }
            rule other { strings: $a = \"bar\" condition: $a }
            rule hex { strings: $a = { 66 6F ?? } condition: $a at 0 }
            rule word { strings: $a = /f[o]+\\b/ nocase condition: #a == 2 }";
        assert_eq!(names(text, b"foo FOO"), ["seen", "hex", "word"]);
        assert_eq!(names(text, b"nothing"), Vec::<String>::new());
        assert_eq!(
            names("global rule never { condition: false } rule a { condition: true }", b""),
            Vec::<String>::new()
        );
        assert_eq!(
            names(
                "import \"hash\" rule a { condition: hash.md5(0, filesize) == \"acbd18db4cc2f85cedef654fccc4a4d8\" }",
                b"foo"
            ),
            ["a"]
        );
        assert_eq!(names("import \"pe\" rule a { condition: pe.is_pe }", b"MZ is not enough"), Vec::<String>::new());
    }

    #[test]
    fn a_match_says_where() {
        let found = rules("rule a : t { strings: $a = \"needle\" condition: $a }");
        let bytes = [b"x".repeat(40), b"needle".to_vec(), b"y".repeat(40)].concat();
        let found = found.matches(&bytes, LONG).unwrap();
        let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
        let expected = format!("[...] {} {} {} [...]", hex(&"x".repeat(16)), hex("needle"), hex(&"y".repeat(16)));
        assert_eq!((found[0].tags.clone(), found[0].snippet.clone()), (vec!["t".to_owned()], Some(expected)));
        let found = rules("rule a { strings: $a = \"n\" condition: true or $a }").matches(b"n", LONG).unwrap();
        assert_eq!(found[0].snippet.as_deref(), Some("6E"));
        assert_eq!(rules("rule a { condition: true }").matches(b"n", LONG).unwrap()[0].snippet, None);
    }

    #[test]
    fn a_rule_that_runs_for_ever_times_out() {
        let text =
            "rule a { condition: for all i in (0..9000000000) : ( for all j in (0..9000000000) : ( i + j >= 0 ) ) }";
        let begun = std::time::Instant::now();
        assert_eq!(rules(text).matches(b"x", Duration::from_millis(200)), Err(TimedOut));
        assert!(begun.elapsed() < LONG);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..600),
        head in proptest::sample::select(vec![
            &b""[..], b"MZ", b"\x7fELF\x02\x01\x01", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"dex\n035\0",
        ])) {
            let text = "import \"pe\" import \"elf\" import \"macho\" import \"dex\" import \"dotnet\" import \"hash\" \
                        import \"math\" import \"string\"
                rule a { strings: $a = /a.{0,20}b/s $b = { 00 [0-8] FF } $c = \"x\" xor wide condition:
                any of them or pe.number_of_sections > 1 or elf.number_of_sections > 1 or math.entropy(0, filesize) > \
                7 or uint32(filesize - 2) == 1
                or for any i in (1..#b) : ( @b[i] > 3 ) or dex.header.file_size > 1 or macho.ncmds > 1 or \
                dotnet.is_dotnet or pe.imphash() == \"x\" }";
            let found = rules(text).matches(&[head, &bytes].concat(), LONG);
            proptest::prop_assert!(found.is_ok());
        }
    }
}
