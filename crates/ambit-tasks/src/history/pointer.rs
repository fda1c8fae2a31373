//! The pointers that stand in a history in place of files that Git LFS keeps, in the form of its specification: lines
//! of a key and a value.

/// Bytes of a pointer at most.
const BYTES_MAX: usize = 1_024;
/// The first line, but for the number of the version.
const VERSION: &str = "version https://git-lfs.github.com/spec/v";

/// Returns whether a text is a pointer, and nothing else: what goes on behind one is a text like any other.
pub(super) fn is_pointer(text: &[u8]) -> bool {
    if text.len() > BYTES_MAX {
        return false;
    }
    let mut lines = str::from_utf8(text).unwrap_or_default().lines();
    let has_version = lines.next().and_then(|line| line.strip_prefix(VERSION)).is_some_and(is_number);
    let Some(pairs) = lines.map(|line| line.split_once(' ')).collect::<Option<Vec<_>>>() else { return false };
    let fits = |(key, value): &(&str, &str)| match *key {
        "size" => is_number(value),
        key => (key == "oid" || is_extension(key)) && value.strip_prefix("sha256:").is_some_and(is_hash),
    };
    let has_one = |wanted: &str| pairs.iter().filter(|(key, _)| *key == wanted).count() == 1;
    has_version && has_one("oid") && has_one("size") && pairs.iter().all(fits)
}

/// Says by which program a file went before it was kept: `ext-0-NAME`, with the hash that it had before.
fn is_extension(key: &str) -> bool {
    let named = key.strip_prefix("ext-").and_then(|rest| rest.split_once('-'));
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    named.is_some_and(|(order, name)| order.len() == 1 && is_number(order) && is_name(name))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_has_an_oid_and_a_size_and_nothing_beside_its_own_keys() {
        let begin = "version https://git-lfs.github.com/spec/v1\n";
        let oid = format!("oid sha256:{}\n", "4d".repeat(32));
        let extension = format!("ext-0-filter sha256:{}\n", "7a".repeat(32));
        for (rest, is_one) in [
            (format!("{oid}size 12\n"), true),
            (format!("{extension}{oid}size 12"), true),
            (format!("{oid}size 12\n").replace('\n', "\r\n"), true),
            (oid.clone(), false),
            ("size 12\n".to_owned(), false),
            ("oid sha256:x\nsize 12\n".to_owned(), false),
            (format!("{oid}{oid}size 12\n"), false),
            (format!("{oid}size 12\n\n"), false),
            (format!("{oid}size 12\ntoken x\n"), false),
            (format!("{oid}size {}\n", "1".repeat(BYTES_MAX)), false),
        ] {
            assert_eq!(is_pointer(format!("{begin}{rest}").as_bytes()), is_one, "{rest}");
        }
        assert!(!is_pointer(format!("version 1\n{oid}size 12\n").as_bytes()));
        assert!(!is_pointer(b""));
    }
}
