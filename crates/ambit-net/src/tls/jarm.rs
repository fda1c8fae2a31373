//! JARM: what a TLS server chooses when ten odd hellos ask it, in 62 characters. Servers of one make in one
//! configuration have the same. The hellos and the hash follow the public description of the method (version 1.0), so
//! that what others recorded can be compared; what seems odd here is so there.

use super::hello::prefixed;
use crate::error::{NetError, Result};
use ring::digest::{SHA256, digest};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Hellos that are sent, each on a connection of its own.
pub(super) const HELLOS: usize = 10;
/// Random bytes of a hello: its random, its session, its key and the choice of its odd numbers.
pub(super) const RANDOM_BYTES: usize = 100;
/// Bytes of an answer that are read: the server's choice stands at its beginning.
const ANSWER_BYTES_MAX: usize = 1_484;
/// Characters of the hash over the names of extensions.
const HASH_CHARS: usize = 32;

/// Suites in the order of the method.
const CIPHERS: [u16; 69] = [
    0x0016, 0x0033, 0x0067, 0xc09e, 0xc0a2, 0x009e, 0x0039, 0x006b, 0xc09f, 0xc0a3, 0x009f, 0x0045, 0x00be, 0x0088,
    0x00c4, 0x009a, 0xc008, 0xc009, 0xc023, 0xc0ac, 0xc0ae, 0xc02b, 0xc00a, 0xc024, 0xc0ad, 0xc0af, 0xc02c, 0xc072,
    0xc073, 0xcca9, 0x1302, 0x1301, 0xcc14, 0xc007, 0xc012, 0xc013, 0xc027, 0xc02f, 0xc014, 0xc028, 0xc030, 0xc060,
    0xc061, 0xc076, 0xc077, 0xcca8, 0x1305, 0x1304, 0x1303, 0xcc13, 0xc011, 0x000a, 0x002f, 0x003c, 0xc09c, 0xc0a0,
    0x009c, 0x0035, 0x003d, 0xc09d, 0xc0a1, 0x009d, 0x0041, 0x00ba, 0x0084, 0x00c0, 0x0007, 0x0004, 0x0005,
];
/// Protocols that are offered by ALPN, weakest first.
const PROTOCOLS: [&[u8]; 9] = [
    b"\x08http/0.9",
    b"\x08http/1.0",
    b"\x08http/1.1",
    b"\x06spdy/1",
    b"\x06spdy/2",
    b"\x06spdy/3",
    b"\x02h2",
    b"\x03h2c",
    b"\x02hq",
];
/// Protocols without the common ones.
const RARE_PROTOCOLS: [&[u8]; 7] =
    [b"\x08http/0.9", b"\x08http/1.0", b"\x06spdy/1", b"\x06spdy/2", b"\x06spdy/3", b"\x03h2c", b"\x02hq"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Forward,
    Reverse,
    TopHalf,
    BottomHalf,
    MiddleOut,
}

/// Which versions the extension of that name lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Versions {
    None,
    UpTo12,
    UpTo13,
}

/// How one hello is written.
struct Form {
    version: u16,
    /// Suites of TLS 1.3 are among the offered ones.
    newest_ciphers: bool,
    ciphers: Order,
    /// Odd numbers stand where a server must ignore them (RFC 8701).
    odd: bool,
    rare: bool,
    versions: Versions,
    /// Of protocols and versions.
    lists: Order,
}

const fn form(version: u16, ciphers: Order, versions: Versions, lists: Order) -> Form {
    Form { version, newest_ciphers: true, ciphers, odd: false, rare: false, versions, lists }
}

/// The hellos in their order.
const FORMS: [Form; HELLOS] = {
    use Order::{BottomHalf, Forward, MiddleOut, Reverse, TopHalf};
    use Versions::{None, UpTo12, UpTo13};
    [
        form(0x0303, Forward, UpTo12, Reverse),
        form(0x0303, Reverse, UpTo12, Forward),
        form(0x0303, TopHalf, None, Forward),
        Form { rare: true, ..form(0x0303, BottomHalf, None, Forward) },
        Form { rare: true, odd: true, ..form(0x0303, MiddleOut, None, Reverse) },
        form(0x0302, Forward, None, Forward),
        form(0x0304, Forward, UpTo13, Reverse),
        form(0x0304, Reverse, UpTo13, Forward),
        Form { newest_ciphers: false, ..form(0x0304, Forward, UpTo13, Forward) },
        Form { odd: true, ..form(0x0304, MiddleOut, UpTo13, Reverse) },
    ]
};

impl Order {
    fn of<T: Clone>(self, list: &[T]) -> Vec<T> {
        let middle = list.len() / 2;
        let has_middle = list.len() % 2 == 1;
        match self {
            Self::Forward => list.to_vec(),
            Self::Reverse => list.iter().rev().cloned().collect(),
            Self::BottomHalf => list[middle + usize::from(has_middle)..].to_vec(),
            // Backwards from the middle, which belongs to this half.
            Self::TopHalf => list[..middle + usize::from(has_middle)].iter().rev().cloned().collect(),
            Self::MiddleOut => {
                let centre = list.get(middle).filter(|_| has_middle).cloned();
                let behind = list[middle + usize::from(has_middle)..].iter();
                let pairs = behind.zip(list[..middle].iter().rev()).flat_map(|(behind, before)| [behind, before]);
                centre.into_iter().chain(pairs.cloned()).collect()
            }
        }
    }
}

/// The bytes of the hello of a number, to a server of a name.
pub(super) fn client_hello(number: usize, host: &str, random: &[u8; RANDOM_BYTES]) -> Vec<u8> {
    let form = &FORMS[number];
    let mut body = form.version.min(0x0303).to_be_bytes().to_vec();
    body.extend_from_slice(&random[..32]);
    body.extend(prefixed(1, &random[32..64]));
    let offered: Vec<u16> =
        CIPHERS.iter().copied().filter(|cipher| form.newest_ciphers || cipher >> 8 != 0x13).collect();
    let mut ciphers = form.ciphers.of(&offered);
    if form.odd {
        ciphers.insert(0, odd_number(random[96]));
    }
    body.extend(prefixed(2, &ciphers.iter().flat_map(|cipher| cipher.to_be_bytes()).collect::<Vec<u8>>()));
    body.extend_from_slice(&[1, 0]);
    body.extend(prefixed(2, &extensions(form, host, random)));
    let message = [&[1][..], &prefixed(3, &body)].concat();
    let record = if form.version == 0x0304 { 0x0301 } else { form.version };
    [&[22][..], &record.to_be_bytes(), &prefixed(2, &message)].concat()
}

fn extensions(form: &Form, host: &str, random: &[u8; RANDOM_BYTES]) -> Vec<u8> {
    let mut extensions = Vec::new();
    let mut add = |number: u16, data: &[u8]| {
        extensions.extend_from_slice(&number.to_be_bytes());
        extensions.extend(prefixed(2, data));
    };
    if form.odd {
        add(odd_number(random[97]), &[]);
    }
    add(0, &prefixed(2, &[&[0][..], &prefixed(2, host.as_bytes())].concat()));
    add(23, &[]);
    add(1, &[1]);
    add(0xff01, &[0]);
    add(10, &[0, 8, 0, 0x1d, 0, 0x17, 0, 0x18, 0, 0x19]);
    add(11, &[1, 0]);
    add(35, &[]);
    let protocols = if form.rare { form.lists.of(&RARE_PROTOCOLS) } else { form.lists.of(&PROTOCOLS) };
    add(16, &prefixed(2, &protocols.concat()));
    add(13, &[0, 18, 4, 3, 8, 4, 4, 1, 5, 3, 8, 5, 5, 1, 8, 6, 6, 1, 2, 1]);
    let mut share = Vec::new();
    if form.odd {
        share.extend_from_slice(&odd_number(random[98]).to_be_bytes());
        share.extend_from_slice(&[0, 1, 0]);
    }
    share.extend_from_slice(&[0, 0x1d, 0, 0x20]);
    share.extend_from_slice(&random[64..96]);
    add(51, &prefixed(2, &share));
    add(45, &[1, 1]);
    let known: &[u16] = match form.versions {
        Versions::None => return extensions,
        Versions::UpTo12 => &[0x0301, 0x0302, 0x0303],
        Versions::UpTo13 => &[0x0301, 0x0302, 0x0303, 0x0304],
    };
    let mut versions = form.lists.of(known);
    if form.odd {
        versions.insert(0, odd_number(random[99]));
    }
    add(43, &prefixed(1, &versions.iter().flat_map(|version| version.to_be_bytes()).collect::<Vec<u8>>()));
    extensions
}

/// `0x0a0a`, `0x1a1a` and so on.
fn odd_number(random: u8) -> u16 {
    let byte = u16::from(random & 0xf0) | 0x0a;
    byte << 8 | byte
}

/// What a server chose; nothing where it refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    cipher: Option<u16>,
    version: Option<u8>,
    /// The protocol that ALPN chose, and the numbers of its extensions: `h2`, `ff01-0010`.
    said: String,
}

/// Sends a hello and reads the choice.
pub(super) async fn ask(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), hello: &[u8]) -> Result<Choice> {
    let failed = |error: std::io::Error| NetError::from_io(&error, "TLS hello");
    stream.write_all(hello).await.map_err(failed)?;
    stream.flush().await.map_err(failed)?;
    let mut answer = Vec::new();
    while answer.len() < wanted(&answer) {
        let mut part = [0; ANSWER_BYTES_MAX];
        match stream.read(&mut part[..ANSWER_BYTES_MAX - answer.len()]).await {
            Ok(0) => break,
            Ok(read) => answer.extend_from_slice(&part[..read]),
            Err(error) => match NetError::from_io(&error, "TLS hello") {
                // Whoever resets refuses.
                NetError::Closed(_) | NetError::Reset(_) => break,
                other => return Err(other),
            },
        }
    }
    Ok(read_choice(&answer))
}

/// Bytes that an answer has at least: those of its first record.
fn wanted(answer: &[u8]) -> usize {
    match answer {
        [_, _, _, high, low, ..] => (5 + usize::from(u16::from_be_bytes([*high, *low]))).min(ANSWER_BYTES_MAX),
        _ => 5,
    }
}

fn read_choice(answer: &[u8]) -> Choice {
    if answer.first() != Some(&22) || answer.get(5) != Some(&2) {
        return Choice::default();
    }
    let read = || {
        let session = usize::from(*answer.get(43)?);
        let number = |at: usize| Some(u16::from_be_bytes([*answer.get(at)?, *answer.get(at + 1)?]));
        let cipher = Some(number(44 + session)?);
        let version = Some(*answer.get(10)?);
        let said = extensions_of(answer, session)?;
        Some(Choice { cipher, version, said })
    };
    read().unwrap_or_default()
}

/// Protocol and extensions of a server's hello; none where it has no extensions and its next message follows.
fn extensions_of(answer: &[u8], session: usize) -> Option<String> {
    let nothing = || Some(String::new());
    let Some(next) = answer.get(47 + session) else { return nothing() };
    let strange =
        answer.get(50 + session..53 + session) == Some(b"\x0e\xac\x0b") || answer.get(82..85) == Some(b"\x0f\xf0\x0b");
    if *next == 11 || strange {
        return nothing();
    }
    let number = |at: usize| Some(usize::from(u16::from_be_bytes([*answer.get(at)?, *answer.get(at + 1)?])));
    let (mut at, mut numbers, mut protocol) = (49 + session, Vec::new(), String::new());
    let end = number(47 + session)? + at - 1;
    while at < end {
        let (kind, length) = (number(at)?, number(at + 2)?);
        if kind == 16 && protocol.is_empty() {
            let chosen = answer.get(at + 7..(at + 4 + length).min(answer.len())).unwrap_or_default();
            protocol = std::str::from_utf8(chosen).ok()?.to_owned();
        }
        numbers.push(format!("{kind:04x}"));
        at += 4 + length;
    }
    Some(protocol + &numbers.join("-"))
}

/// The 62 characters of ten choices.
pub(super) fn hash(choices: &[Choice; HELLOS]) -> String {
    if choices.iter().all(|choice| choice.cipher.is_none()) {
        return "0".repeat(3 * HELLOS + HASH_CHARS);
    }
    let (mut hash, mut said) = (String::new(), String::new());
    for choice in choices {
        let cipher = choice.cipher.map_or(0, place_of);
        let version = choice.version.and_then(|minor| "abcdef".chars().nth(usize::from(minor & 0x0f))).unwrap_or('0');
        hash.push_str(&format!("{cipher:02x}{version}"));
        said.push_str(&choice.said);
    }
    hash + &hex::encode(&digest(&SHA256, said.as_bytes()).as_ref()[..HASH_CHARS / 2])
}

/// The place of a suite in the order of the numbers, those of TLS 1.3 last; one behind the last for another.
fn place_of(cipher: u16) -> usize {
    let mut ordered = CIPHERS;
    ordered.sort_by_key(|cipher| (cipher >> 8 == 0x13, *cipher));
    1 + ordered.iter().position(|known| *known == cipher).unwrap_or(ordered.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_put_into_the_orders_of_the_method() {
        let (odd, even) = ([1, 2, 3, 4, 5], [1, 2, 3, 4]);
        for (order, of_odd, of_even) in [
            (Order::Forward, vec![1, 2, 3, 4, 5], vec![1, 2, 3, 4]),
            (Order::Reverse, vec![5, 4, 3, 2, 1], vec![4, 3, 2, 1]),
            (Order::BottomHalf, vec![4, 5], vec![3, 4]),
            (Order::TopHalf, vec![3, 2, 1], vec![2, 1]),
            (Order::MiddleOut, vec![3, 4, 2, 5, 1], vec![3, 2, 4, 1]),
        ] {
            assert_eq!(order.of(&odd), of_odd);
            assert_eq!(order.of(&even), of_even);
        }
    }

    /// The beginning of the SHA-256 of each hello to `acme.test` with random bytes of zero, as the authors' program
    /// writes it.
    const HELLO_HASHES: [&str; HELLOS] = [
        "3f73cc980e4ab4b6",
        "db30fa17a63b692a",
        "0d508ec1fa7fa401",
        "213ed5f0150fcef7",
        "04d0e1b8cb765b32",
        "61a1071053c17b30",
        "3104d2b48ae80f43",
        "830a2a9372b21dbe",
        "bd1a6fe310ea2f7c",
        "fa74c7523629958c",
    ];

    /// What OpenSSL 3 answered, its random bytes left out, and the hash that the authors' program made of it.
    const ANSWERS: [&str; HELLOS] = [
        concat!(
            "1603030047020000430303000000000000000000000000000000000000000000000000000000000000000000003300001bff",
            "0100010000010001010023000000100005000302683200170000",
        ),
        concat!(
            "1603030047020000430303000000000000000000000000000000000000000000000000000000000000000000009d00001bff",
            "0100010000010001010023000000100005000302683200170000",
        ),
        concat!(
            "1603030047020000430303000000000000000000000000000000000000000000000000000000000000000000009f00001bff",
            "0100010000010001010023000000100005000302683200170000",
        ),
        "15030300020278",
        "15030300020278",
        "15030200020250",
        concat!(
            "160303007a0200007603030000000000000000000000000000000000000000000000000000000000000000206f00271b6e63",
            "0bb92364affef05a55a9f368454bb3fc1bd11d74fe47862494c8130200002e002b0002030400330024001d002030cfa297ea",
            "02de6c0342dfcfb7c3c221ffceb90d72bb715b601b6607cf77aa6d",
        ),
        concat!(
            "160303007a020000760303000000000000000000000000000000000000000000000000000000000000000020eb8dfb110fe6",
            "65815eeeab96182029308ac95a1df171dafab6db35f5e7d848a2130300002e002b0002030400330024001d0020580368ff38",
            "80e0636c6280fc044ee5e2c1d4ef0bbb7977c6430810042837d20f",
        ),
        "15030300020228",
        "1503030002022f",
    ];
    const OPENSSL: &str = "07d14d16d00000000042d43d000000daf5e7b936a108dd9f38b18567550faa";

    #[test]
    fn hellos_and_hash_are_those_of_the_authors() {
        for (number, expected) in HELLO_HASHES.iter().enumerate() {
            let hello = client_hello(number, "acme.test", &[0; RANDOM_BYTES]);
            let hash = hex::encode(digest(&SHA256, &hello));
            assert!(hash.starts_with(expected), "{number}");
        }
        let choices = ANSWERS.map(|answer| read_choice(&hex::decode(answer).unwrap()));
        assert_eq!(hash(&choices), OPENSSL);
    }

    #[test]
    fn answers_that_are_none_are_refusals() {
        for answer in [&b""[..], b"\x15\x03\x03\x00\x02\x02\x28", b"\x16\x03\x03\x00\x02\x02", b"HTTP/1.1 400 Bad"] {
            assert_eq!(read_choice(answer), Choice::default());
        }
        let none: [Choice; HELLOS] = Default::default();
        assert_eq!(hash(&none), "0".repeat(62));
    }

    #[test]
    fn hostile_answers_end() {
        let mut answer = vec![22, 3, 3, 0xff, 0xff, 2];
        answer.extend([0; 37]);
        for session in [0, 32, 255] {
            let mut answer = answer.clone();
            answer.push(session);
            answer.extend([0xff; 1_000]);
            read_choice(&answer);
            for length in 0..answer.len() {
                read_choice(&answer[..length]);
            }
        }
    }
}
