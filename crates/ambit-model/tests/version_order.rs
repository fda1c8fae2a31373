//! Our order of versions beside that of those who made it: 10,000 pairs as dpkg orders them, which `bench/versions`
//! records, and the pairs by which rpm shows its own order.

use ambit_model::version_order::Scheme;
use std::cmp::Ordering;

const SEED: u64 = 20_261_123;
const PIECES: [&str; 20] =
    ["0", "1", "2", "9", "10", "01", "007", "20261123", "a", "b", "rc", "p", "~", "~~", "+", ".", ".", ".", "x", "git"];
const ENDINGS: [&str; 10] = ["", "", "", "-1", "-2", "-0ubuntu1", "-1+deb12u3", "-1~bpo11+1", "+dfsg-1", "~rc1-1"];

/// Knuth's linear congruential generator, as `bench/versions` has it.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn piece(&mut self) -> &'static str {
        PIECES[self.below(PIECES.len())]
    }

    fn version(&mut self) -> String {
        let epoch = if self.below(4) == 0 { format!("{}:", self.below(3)) } else { String::new() };
        let pieces = 1 + self.below(6);
        let body: String = (0..pieces).map(|_| self.piece()).collect();
        format!("{epoch}{}{body}{}", self.below(3), ENDINGS[self.below(ENDINGS.len())])
    }

    fn pair(&mut self) -> (String, String) {
        let first = self.version();
        let second = if self.below(2) == 0 { self.version() } else { format!("{first}{}", self.piece()) };
        (first, second)
    }
}

fn sign(order: Option<Ordering>) -> char {
    match order {
        Some(Ordering::Less) => '<',
        Some(Ordering::Equal) => '=',
        Some(Ordering::Greater) => '>',
        None => '?',
    }
}

#[test]
fn ten_thousand_pairs_are_ordered_as_dpkg_orders_them() {
    let recorded: Vec<char> = include_str!("dpkg.txt").chars().filter(|sign| *sign != '\n').collect();
    assert_eq!(recorded.len(), 10_000);
    let mut numbers = Numbers(SEED);
    let mut wrong = Vec::new();
    for expected in recorded {
        let (a, b) = numbers.pair();
        for (a, b, expected) in [(&a, &b, expected), (&b, &a, turned(expected))] {
            let found = sign(Scheme::Dpkg.compare(a, b));
            if found != expected {
                wrong.push(format!("{a} {found} {b}, dpkg says {expected}"));
            }
        }
    }
    println!("seed {SEED}: 10000 pairs, each both ways");
    assert!(wrong.is_empty(), "seed {SEED}: {} are wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

fn turned(sign: char) -> char {
    match sign {
        '<' => '>',
        '>' => '<',
        same => same,
    }
}

/// Pairs and how rpm orders them.
const RPM: &[(&str, char, &str)] = &[
    ("1.0", '=', "1.0"),
    ("1.0", '<', "2.0"),
    ("2.0.1", '=', "2.0.1"),
    ("2.0", '<', "2.0.1"),
    ("2.0.1a", '>', "2.0.1"),
    ("5.5p1", '<', "5.5p2"),
    ("5.5p10", '>', "5.5p1"),
    ("10xyz", '<', "10.1xyz"),
    ("xyz10", '<', "xyz10.1"),
    ("xyz.4", '<', "8"),
    ("xyz.4", '<', "2"),
    ("5.5p2", '<', "5.6p1"),
    ("5.6p1", '<', "6.5p1"),
    ("6.0.rc1", '>', "6.0"),
    ("10b2", '>', "10a1"),
    ("1.0a", '<', "1.0aa"),
    ("10.0001", '=', "10.1"),
    ("10.0001", '<', "10.0039"),
    ("4.999.9", '<', "5.0"),
    ("20101121", '<', "20101122"),
    ("2_0", '=', "2.0"),
    ("a+", '=', "a_"),
    ("+a", '=', "_a"),
    ("_+", '=', "+_"),
    ("+", '=', "_"),
    ("1.0~rc1", '<', "1.0"),
    ("1.0~rc1", '<', "1.0~rc2"),
    ("1.0~rc1~git123", '<', "1.0~rc1"),
    ("1.0^", '>', "1.0"),
    ("1.0^git1", '>', "1.0"),
    ("1.0^git1", '<', "1.0^git2"),
    ("1.0^git1", '<', "1.01"),
    ("1.0^20160101", '<', "1.0.1"),
    ("1.0^20160101^git1", '>', "1.0^20160101"),
    ("1.0~rc1^git1", '>', "1.0~rc1"),
    ("1.0^git1~pre", '<', "1.0^git1"),
    ("1:1.0", '>', "2.0"),
    ("0:1.0", '=', "1.0"),
];

#[test]
fn pairs_are_ordered_as_rpm_orders_them() {
    for (a, expected, b) in RPM {
        assert_eq!(sign(Scheme::Rpm.compare(a, b)), *expected, "{a} {b}");
        assert_eq!(sign(Scheme::Rpm.compare(b, a)), turned(*expected), "{b} {a}");
    }
}
