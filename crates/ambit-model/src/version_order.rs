//! Orders of versions: which of two is older. Each family of products writes versions in its own way.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::str::Chars;

/// How the versions of a product are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Numbers between dots, words such as `rc1` and `beta` before the release, other letters behind it.
    Dotted,
    /// Semantic versioning 2.0.
    Semver,
    /// Packages of Debian and its descendants (Debian policy §5.6.12).
    Dpkg,
    /// Packages of Red Hat and its kin.
    Rpm,
    /// OpenSSL up to 1.1.1: a letter is a later release, `za` is behind `z`.
    Openssl,
    /// OpenSSH: `9.3p1`; a criterion without the portable release means all of them.
    Openssh,
    /// Java: `1.8.0_311`, `8u311` and `8.0.311` are one.
    Java,
    /// Cisco IOS: `15.2(4)M3`. Trains of different letters are not compared.
    Cisco,
    /// Builds of Microsoft Exchange: one that was cut short says nothing of what follows.
    Exchange,
}

impl Scheme {
    /// Returns the scheme of a product, by `vendor:product` of CPE.
    pub fn of(product: &str) -> Self {
        match product {
            "openssl:openssl" => Self::Openssl,
            "openbsd:openssh" => Self::Openssh,
            "microsoft:exchange_server" => Self::Exchange,
            "oracle:jdk" | "oracle:jre" | "sun:jdk" | "sun:jre" | "oracle:java_se" | "oracle:openjdk" => Self::Java,
            "cisco:ios" | "cisco:ios_xe" => Self::Cisco,
            _ => Self::Dotted,
        }
    }

    /// Returns the scheme that CVE 5 and OSV records name; anything else is ordered as dotted numbers.
    pub fn named(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "semver" | "npm" | "crates.io" | "go" => Self::Semver,
            "rpm" | "red hat" | "rocky linux" | "almalinux" => Self::Rpm,
            "deb" | "dpkg" | "debian" | "ubuntu" => Self::Dpkg,
            _ => Self::Dotted,
        }
    }

    /// Compares two versions. Returns `None` where the scheme cannot tell.
    pub fn compare(self, a: &str, b: &str) -> Option<Ordering> {
        match self {
            Self::Dotted => Some(dotted(a, b)),
            Self::Semver => Some(semver(a, b)),
            Self::Dpkg => Some(dpkg(a, b)),
            Self::Rpm => Some(rpm(a, b)),
            Self::Openssl => Some(openssl(a, b)),
            Self::Openssh => Some(openssh(a, b)),
            Self::Java => Some(dotted(&java(a), &java(b))),
            Self::Cisco => cisco(a, b),
            Self::Exchange => exchange(a, b),
        }
    }
}

/// A piece of a dotted version.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Number(String),
    Word(String),
}

fn tokens(version: &str) -> Vec<Token> {
    let (mut out, mut signs) = (Vec::new(), version.trim_start_matches(['v', 'V', '=']).chars().peekable());
    while let Some(sign) = signs.peek().copied() {
        if sign.is_ascii_digit() {
            out.push(Token::Number(number(&mut signs)));
        } else if sign.is_alphabetic() {
            let mut word = String::new();
            while let Some(sign) = signs.next_if(|sign| sign.is_alphabetic()) {
                word.extend(sign.to_lowercase());
            }
            out.push(Token::Word(word));
        } else {
            signs.next();
        }
    }
    out
}

/// The digits that follow, without leading zeros: numbers of any length are compared by length, then as texts.
fn number(signs: &mut Peekable<Chars<'_>>) -> String {
    let mut digits = String::new();
    while let Some(sign) = signs.next_if(char::is_ascii_digit) {
        digits.push(sign);
    }
    digits.trim_start_matches('0').to_owned()
}

fn compare_numbers(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// Returns the rank of a word: negative if it comes before the release.
fn rank(word: &str, numbered: bool) -> i32 {
    match word {
        "dev" | "snapshot" | "nightly" => -6,
        "alpha" => -5,
        "a" if numbered => -5,
        "beta" => -4,
        "b" if numbered => -4,
        "milestone" | "m" => -3,
        "pre" | "preview" | "prerelease" => -2,
        "rc" | "cr" | "candidate" => -1,
        "final" | "ga" | "release" | "lts" => 0,
        _ => 1,
    }
}

fn dotted(a: &str, b: &str) -> Ordering {
    let (a, b) = (tokens(a), tokens(b));
    let numbered = |tokens: &[Token], at: usize| matches!(tokens.get(at + 1), Some(Token::Number(_)));
    for at in 0..a.len().max(b.len()) {
        let weight = |tokens: &[Token]| match tokens.get(at) {
            None => 0,
            Some(Token::Number(_)) => 2,
            Some(Token::Word(word)) => rank(word, numbered(tokens, at)),
        };
        let order = match (a.get(at), b.get(at)) {
            (Some(Token::Number(a)), Some(Token::Number(b))) => compare_numbers(a, b),
            (Some(Token::Number(digits)), None) if digits.is_empty() => Ordering::Equal,
            (None, Some(Token::Number(digits))) if digits.is_empty() => Ordering::Equal,
            (Some(Token::Word(x)), Some(Token::Word(y))) => weight(&a).cmp(&weight(&b)).then_with(|| x.cmp(y)),
            _ => weight(&a).cmp(&weight(&b)),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

fn semver(a: &str, b: &str) -> Ordering {
    let split = |version: &str| {
        let version = version.trim_start_matches(['v', 'V', '=']);
        let version = version.split('+').next().unwrap_or(version).to_owned();
        let (core, pre) = version.split_once('-').map_or((version.as_str(), None), |(core, pre)| (core, Some(pre)));
        (core.to_owned(), pre.map(str::to_owned))
    };
    let ((a, a_pre), (b, b_pre)) = (split(a), split(b));
    dotted(&a, &b).then_with(|| match (a_pre, b_pre) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) => identifiers(&a, &b),
    })
}

/// Pre-release identifiers: numbers before words, fewer before more.
fn identifiers(a: &str, b: &str) -> Ordering {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (is_number(a), is_number(b)) {
                (true, true) => compare_numbers(a.trim_start_matches('0'), b.trim_start_matches('0')),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn dpkg(a: &str, b: &str) -> Ordering {
    let parts = |version: &str| {
        let version = version.trim();
        let (epoch, rest) = version.split_once(':').unwrap_or(("0", version));
        let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, ""));
        (epoch.trim_start_matches('0').to_owned(), upstream.to_owned(), revision.to_owned())
    };
    let (a, b) = (parts(a), parts(b));
    compare_numbers(&a.0, &b.0).then_with(|| dpkg_part(&a.1, &b.1)).then_with(|| dpkg_part(&a.2, &b.2))
}

/// Runs of what are no digits and runs of digits, in turn; `~` is before the end, letters are before other signs.
fn dpkg_part(a: &str, b: &str) -> Ordering {
    let order = |sign: Option<char>| match sign {
        None => 0,
        Some('~') => -1,
        Some(sign) if sign.is_ascii_digit() => 0,
        Some(sign) if sign.is_ascii_alphabetic() => i64::from(u32::from(sign)),
        Some(sign) => i64::from(u32::from(sign)) + 256,
    };
    let (mut left, mut right) = (a.chars().peekable(), b.chars().peekable());
    while left.peek().is_some() || right.peek().is_some() {
        let is_sign = |signs: &mut Peekable<Chars<'_>>| signs.peek().is_some_and(|sign| !sign.is_ascii_digit());
        while is_sign(&mut left) || is_sign(&mut right) {
            let compared = order(left.peek().copied()).cmp(&order(right.peek().copied()));
            if compared != Ordering::Equal {
                return compared;
            }
            left.next();
            right.next();
        }
        let compared = compare_numbers(&number(&mut left), &number(&mut right));
        if compared != Ordering::Equal {
            return compared;
        }
    }
    Ordering::Equal
}

fn rpm(a: &str, b: &str) -> Ordering {
    let parts = |version: &str| {
        let (epoch, rest) = version.split_once(':').unwrap_or(("0", version));
        let (version, release) = rest.split_once('-').unwrap_or((rest, ""));
        (epoch.to_owned(), version.to_owned(), release.to_owned())
    };
    let (a, b) = (parts(a), parts(b));
    rpm_part(&a.0, &b.0).then_with(|| rpm_part(&a.1, &b.1)).then_with(|| {
        // A bound without a release means every release of that version.
        if a.2.is_empty() || b.2.is_empty() { Ordering::Equal } else { rpm_part(&a.2, &b.2) }
    })
}

/// Segments of digits or letters; `~` is before the end, `^` behind it but before anything more.
fn rpm_part(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.chars().peekable(), b.chars().peekable());
    loop {
        let separates = |sign: &char| !sign.is_ascii_alphanumeric() && !matches!(sign, '~' | '^');
        while left.next_if(separates).is_some() {}
        while right.next_if(separates).is_some() {}
        match (left.peek().copied(), right.peek().copied()) {
            (None, None) => return Ordering::Equal,
            (Some('~'), Some('~')) | (Some('^'), Some('^')) => {
                left.next();
                right.next();
                continue;
            }
            (Some('~'), _) | (None, Some('^')) => return Ordering::Less,
            (_, Some('~')) | (Some('^'), None) => return Ordering::Greater,
            (Some('^'), Some(_)) | (None, Some(_)) => return Ordering::Less,
            (Some(_), Some('^')) | (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => {
                let compared = match (x.is_ascii_digit(), y.is_ascii_digit()) {
                    (true, false) => return Ordering::Greater,
                    (false, true) => return Ordering::Less,
                    (true, true) => compare_numbers(&number(&mut left), &number(&mut right)),
                    (false, false) => word(&mut left).cmp(&word(&mut right)),
                };
                if compared != Ordering::Equal {
                    return compared;
                }
            }
        }
    }
}

fn word(signs: &mut Peekable<Chars<'_>>) -> String {
    let mut word = String::new();
    while let Some(sign) = signs.next_if(char::is_ascii_alphabetic) {
        word.push(sign);
    }
    word
}

fn openssl(a: &str, b: &str) -> Ordering {
    let parts = |version: &str| {
        let version = version.trim_end_matches("-fips").to_ascii_lowercase();
        let (core, pre) = version.split_once('-').map_or((version.as_str(), ""), |(core, pre)| (core, pre));
        let end = core.trim_end_matches(|sign: char| sign.is_ascii_lowercase()).len();
        let (numbers, letters) = core.split_at(end);
        (numbers.to_owned(), letters.to_owned(), pre.to_owned())
    };
    let (a, b) = (parts(a), parts(b));
    dotted(&a.0, &b.0).then_with(|| a.1.len().cmp(&b.1.len())).then_with(|| a.1.cmp(&b.1)).then_with(|| {
        // A pre-release is before its release.
        let early = |pre: &str| pre.is_empty();
        early(&a.2).cmp(&early(&b.2)).then_with(|| dotted(&a.2, &b.2))
    })
}

fn openssh(a: &str, b: &str) -> Ordering {
    let parts = |version: &str| {
        let version = version.to_ascii_lowercase();
        let (core, patch) =
            version.split_once('p').map_or((version.clone(), None), |(core, patch)| (core.to_owned(), Some(patch)));
        (core, patch.map(str::to_owned))
    };
    let ((a, a_patch), (b, b_patch)) = (parts(a), parts(b));
    dotted(&a, &b).then_with(|| match (a_patch, b_patch) {
        (Some(a), Some(b)) => dotted(&a, &b),
        _ => Ordering::Equal,
    })
}

/// `8u311` and `1.8.0_311` as `8.0.311`.
fn java(version: &str) -> String {
    let version = version.to_ascii_lowercase().replace('_', ".");
    let major = version.strip_prefix("1.").filter(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()));
    major.unwrap_or(&version).replace('u', ".0.")
}

/// The numbers of a release and the letters of its train.
fn cisco(a: &str, b: &str) -> Option<Ordering> {
    let train = |version: &str| {
        let letters: String = version.chars().filter(char::is_ascii_alphabetic).collect();
        letters.to_ascii_lowercase()
    };
    let (in_a, in_b) = (train(a), train(b));
    if in_a != in_b && !in_a.is_empty() && !in_b.is_empty() {
        return None;
    }
    Some(dotted(a, b))
}

fn exchange(a: &str, b: &str) -> Option<Ordering> {
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        return match (left.next(), right.next()) {
            (None, None) => Some(Ordering::Equal),
            (None, Some(_)) | (Some(_), None) => None,
            (Some(a), Some(b)) => match a.parse::<u64>().ok()?.cmp(&b.parse::<u64>().ok()?) {
                Ordering::Equal => continue,
                order => Some(order),
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::{Equal, Greater, Less};

    #[test]
    fn versions_are_ordered_as_their_makers_order_them() {
        use Scheme::{Cisco, Dotted, Dpkg, Exchange, Java, Openssh, Openssl, Rpm, Semver};
        for (scheme, a, b, expected) in [
            (Dotted, "2.4.9", "2.4.10", Some(Less)),
            (Dotted, "2.4", "2.4.0", Some(Equal)),
            (Dotted, "2.4.0", "2.4.0-rc1", Some(Greater)),
            (Dotted, "9.0.0.M1", "9.0.0", Some(Less)),
            (Dotted, "9.0.0.M9", "9.0.0.M10", Some(Less)),
            (Dotted, "1.0b2", "1.0", Some(Less)),
            (Dotted, "1.0b", "1.0", Some(Greater)),
            (Dotted, "1.3.5", "1.3.5a", Some(Less)),
            (Dotted, "3.68.0-04", "3.68.1", Some(Less)),
            (Dotted, "v1.2", "1.2", Some(Equal)),
            (Dotted, "2023.05.4", "2023.11.1", Some(Less)),
            (Semver, "1.0.0-alpha.1", "1.0.0-alpha.beta", Some(Less)),
            (Semver, "1.0.0-rc.1", "1.0.0", Some(Less)),
            (Semver, "1.0.0+build", "1.0.0", Some(Equal)),
            (Dpkg, "1:9.2p1-2+deb12u3", "1:9.2p1-2+deb12u2", Some(Greater)),
            (Dpkg, "1.0~rc1-1", "1.0-1", Some(Less)),
            (Rpm, "7.4p1-21.el7", "7.4p1-22.el7_9", Some(Less)),
            (Rpm, "1.0~rc1", "1.0", Some(Less)),
            (Rpm, "1.0^git1", "1.0", Some(Greater)),
            (Rpm, "1.0^git1", "1.0.1", Some(Less)),
            (Openssl, "1.0.2k", "1.0.2zb", Some(Less)),
            (Openssl, "1.0.2k-fips", "1.0.2k", Some(Equal)),
            (Openssl, "1.0.2-beta1", "1.0.2", Some(Less)),
            (Openssl, "1.1.1", "1.1.1a", Some(Less)),
            (Openssl, "3.0.7", "3.0.10", Some(Less)),
            (Openssh, "9.3p1", "9.3p2", Some(Less)),
            (Openssh, "9.3p1", "9.3", Some(Equal)),
            (Openssh, "8.9p1", "9.3p2", Some(Less)),
            (Java, "1.8.0_311", "8u321", Some(Less)),
            (Java, "1.8.0_311", "8.0.311", Some(Equal)),
            (Java, "11.0.13", "17.0.1", Some(Less)),
            (Cisco, "15.2(4)M3", "15.2(4)M11", Some(Less)),
            (Cisco, "15.2(4)M3", "15.2(4)S1", None),
            (Exchange, "15.2.1118.40", "15.2.1118.26", Some(Greater)),
            (Exchange, "15.2.1118", "15.2.1118.26", None),
            (Exchange, "15.2.986", "15.2.1118.26", Some(Less)),
        ] {
            assert_eq!(scheme.compare(a, b), expected, "{scheme:?} {a} {b}");
            assert_eq!(scheme.compare(b, a), expected.map(Ordering::reverse), "{scheme:?} {b} {a}");
        }
    }
}
