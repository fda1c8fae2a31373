//! What an authority says of a certificate in the answer of OCSP (RFC 6960) that a server hands over in its handshake.
//! It counts only where the authority signed it. Nobody is asked.

use super::handshake::PROVIDER;
use ambit_model::Timestamp;
use x509_parser::asn1_rs::{Any, Class};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::{ASN1Time, FromDer, ParsedExtension};
use x509_parser::x509::SubjectPublicKeyInfo;

/// What the authority says of the certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is not revoked.
    Good {
        /// When that was so.
        at: Timestamp,
    },
    /// It is revoked.
    Revoked {
        /// Since when.
        at: Timestamp,
        /// Why, as RFC 5280 §5.3.1 calls it; `None` where it does not say.
        reason: Option<&'static str>,
    },
}

/// The identifier of a basic answer (id-pkix-ocsp-basic).
const BASIC: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01];
/// Reasons by their numbers.
const REASONS: &[(u8, &str)] = &[
    (1, "keyCompromise"),
    (2, "cACompromise"),
    (3, "affiliationChanged"),
    (4, "superseded"),
    (5, "cessationOfOperation"),
    (6, "certificateHold"),
    (9, "privilegeWithdrawn"),
    (10, "aACompromise"),
];
const SEQUENCE: u32 = 16;

/// Reads an answer about the first certificate of a chain, which the second one issued; `None` where that is not so, or
/// where it is not the authority's word of the certificate. That it is revoked holds for ever, that it is not until the
/// answer runs out.
pub(super) fn standing(answer: &[u8], chain: &[Vec<u8>], date: Timestamp) -> Option<Standing> {
    let (_, leaf) = X509Certificate::from_der(chain.first()?).ok()?;
    let (_, issuer) = X509Certificate::from_der(chain.get(1)?).ok()?;
    if !is_issued(chain.first()?, &leaf, &issuer) {
        return None;
    }
    let basic = basic(answer)?;
    let basic = parts(basic)?;
    let [data, algorithm, signature, more @ ..] = &basic[..] else { return None };
    let signed = Signed { message: data.whole, algorithm: algorithm.inner, signature: signature.inner.get(1..)? };
    let certificates = more.first().and_then(|more| parts(parts(more.inner)?.first()?.inner)).unwrap_or_default();
    let by_delegate = || certificates.iter().any(|der| signed.is_by_delegate(der.whole, &issuer));
    if !signed.is_by(issuer.public_key()) && !by_delegate() {
        return None;
    }
    let responses = parts(data.inner)?.into_iter().find(|part| part.is(Class::Universal, SEQUENCE))?;
    let mut singles = parts(responses.inner)?.into_iter().filter_map(|single| parts(single.inner));
    singles.find_map(|single| read_single(&single, leaf.raw_serial(), issuer.public_key(), date))
}

/// True where the issuer signed the certificate: anybody can hand over a certificate of somebody else with one of their
/// own behind it.
fn is_issued(der: &[u8], certificate: &X509Certificate<'_>, issuer: &X509Certificate<'_>) -> bool {
    certificate.issuer().as_raw() == issuer.subject().as_raw()
        && Signed::certificate(der).is_some_and(|signed| signed.is_by(issuer.public_key()))
}

/// The basic answer in an answer that says that there is one.
fn basic(answer: &[u8]) -> Option<&[u8]> {
    let answer = parts(parts(answer)?.first()?.inner)?;
    let [status, bytes] = &answer[..] else { return None };
    let bytes = parts(parts(bytes.inner)?.first()?.inner)?;
    let [kind, basic] = &bytes[..] else { return None };
    let is_basic = status.inner == [0] && kind.inner == BASIC;
    parts(basic.inner).filter(|_| is_basic)?.first().map(|basic| basic.inner)
}

/// What one answer says of the certificate with a serial number of an issuer.
fn read_single(
    single: &[Part<'_>],
    serial: &[u8],
    issuer: &SubjectPublicKeyInfo<'_>,
    date: Timestamp,
) -> Option<Standing> {
    let [certificate, status, at, more @ ..] = single else { return None };
    let certificate = parts(certificate.inner)?;
    let [_, _, key, number] = &certificate[..] else { return None };
    let algorithm = match key.inner.len() {
        20 => &ring::digest::SHA1_FOR_LEGACY_USE_ONLY,
        32 => &ring::digest::SHA256,
        _ => return None,
    };
    let is_theirs = ring::digest::digest(algorithm, &issuer.subject_public_key.data).as_ref() == key.inner;
    if number.inner != serial || !is_theirs {
        return None;
    }
    if status.is(Class::ContextSpecific, 0) {
        let at = moment(at)?;
        let until = more.first().filter(|part| part.is(Class::ContextSpecific, 0));
        let runs_out = until.map(|until| moment(parts(until.inner)?.first()?));
        // Without an end there is always something newer: such an answer says nothing of today.
        return runs_out.flatten().filter(|until| date <= *until).map(|_| Standing::Good { at });
    }
    if !status.is(Class::ContextSpecific, 1) {
        return None;
    }
    let status = parts(status.inner)?;
    let [at, more @ ..] = &status[..] else { return None };
    let number = more.first().and_then(|more| parts(more.inner)?.first()?.inner.first().copied());
    let reason = number.and_then(|number| REASONS.iter().find(|(known, _)| *known == number)).map(|(_, name)| *name);
    Some(Standing::Revoked { at: moment(at)?, reason })
}

fn moment(part: &Part<'_>) -> Option<Timestamp> {
    let (_, at) = ASN1Time::from_der(part.whole).ok()?;
    Some(Timestamp(at.timestamp().saturating_mul(1_000)))
}

/// A message with its signature.
struct Signed<'a> {
    message: &'a [u8],
    /// Its identifier, without the frame.
    algorithm: &'a [u8],
    signature: &'a [u8],
}

impl<'a> Signed<'a> {
    /// What a certificate says, as its issuer signed it.
    fn certificate(der: &'a [u8]) -> Option<Self> {
        let frame = parts(parts(der)?.first()?.inner)?;
        let [message, algorithm, signature] = &frame[..] else { return None };
        Some(Self { message: message.whole, algorithm: algorithm.inner, signature: signature.inner.get(1..)? })
    }

    fn is_by(&self, key: &SubjectPublicKeyInfo<'_>) -> bool {
        let Some(algorithm) = key_algorithm(key) else { return false };
        let mut known = PROVIDER.signature_verification_algorithms.all.iter();
        known.any(|known| {
            known.signature_alg_id().as_ref() == self.algorithm
                && known.public_key_alg_id().as_ref() == algorithm
                && known.verify_signature(&key.subject_public_key.data, self.message, self.signature).is_ok()
        })
    }

    /// By somebody whom the issuer lets answer (RFC 6960 §4.2.2.2).
    fn is_by_delegate(&self, der: &[u8], issuer: &X509Certificate<'_>) -> bool {
        let Ok((_, delegate)) = X509Certificate::from_der(der) else { return false };
        let may_answer = delegate.extensions().iter().any(|extension| match extension.parsed_extension() {
            ParsedExtension::ExtendedKeyUsage(usage) => usage.ocsp_signing,
            _ => false,
        });
        may_answer && is_issued(der, &delegate, issuer) && self.is_by(delegate.public_key())
    }
}

/// The identifier of a key's algorithm, without the frame.
fn key_algorithm<'a>(key: &SubjectPublicKeyInfo<'a>) -> Option<&'a [u8]> {
    Some(parts(parts(key.raw)?.first()?.inner)?.first()?.inner)
}

/// One value of DER.
struct Part<'a> {
    kind: (Class, u32),
    whole: &'a [u8],
    inner: &'a [u8],
}

impl Part<'_> {
    fn is(&self, class: Class, tag: u32) -> bool {
        self.kind == (class, tag)
    }
}

/// The values that stand one after another; `None` where one of them is broken.
fn parts(mut rest: &[u8]) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (after, any) = Any::from_der(rest).ok()?;
        let whole = &rest[..rest.len() - after.len()];
        parts.push(Part { kind: (any.header.class(), any.tag().0), whole, inner: any.data });
        rest = after;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Certificates and answers by OpenSSL: of the leaf with the serial number 1234, which is revoked, its authority,
    /// and answers that the authority signed, one whom it lets answer, and one whom it does not. Another authority of
    /// the same name, with a certificate of the same number that it issued, which is good, the same key by another
    /// name, and its answer that the leaf is revoked.
    const SAMPLES: &str = include_str!("ocsp.txt");

    /// The moment at which OpenSSL gave them.
    const DATE: Timestamp = Timestamp(1_795_911_111_000);

    fn revoked(answer: &[u8], chain: &[Vec<u8>]) -> Option<Standing> {
        standing(answer, chain, DATE)
    }

    fn sample(name: &str) -> Vec<u8> {
        let line = SAMPLES.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        hex::decode(line.unwrap()).unwrap()
    }

    #[test]
    fn a_revocation_counts_by_the_word_of_the_authority_alone() {
        let chain = vec![sample("leaf"), sample("ca")];
        let told = Some(Standing::Revoked { at: Timestamp(1_795_168_800_000), reason: Some("keyCompromise") });
        for (signer, expected) in [("nocert", &told), ("resp", &told), ("plain", &None)] {
            assert_eq!(&revoked(&sample(signer), &chain), expected, "{signer}");
        }
        let answer = sample("nocert");
        assert_eq!(revoked(&answer, &chain[..1]), None, "the authority is not shown");
        assert_eq!(revoked(&answer, &[sample("ca"), sample("ca")]), None, "of another certificate");
        assert_eq!(revoked(&answer, &[sample("leaf"), sample("leaf")]), None, "of another authority");
    }

    #[test]
    fn nobody_speaks_for_an_authority_whose_key_they_lack() {
        let forged = sample("forged");
        assert_eq!(revoked(&forged, &[sample("leaf"), sample("other")]), None, "another of the same name");
        assert_eq!(revoked(&forged, &[sample("leaf"), sample("ca")]), None);
        let told = revoked(&forged, &[sample("theirs"), sample("other")]);
        assert!(
            matches!(told, Some(Standing::Revoked { .. })),
            "it is the word of that authority, of its own certificate with this number"
        );
        assert_eq!(revoked(&forged, &[sample("theirs"), sample("renamed")]), None, "the key by another name");
    }

    #[test]
    fn that_a_certificate_holds_is_said_until_the_answer_runs_out() {
        let (answer, chain) = (sample("good"), vec![sample("theirs"), sample("other")]);
        let at = Timestamp::parse("2026-11-29T00:11:51Z").unwrap();
        let said = |date: &str| standing(&answer, &chain, Timestamp::parse(date).unwrap());
        assert_eq!(said("2026-12-06T00:11:51Z"), Some(Standing::Good { at }));
        assert_eq!(said("2026-12-06T00:11:52Z"), None);
        assert_eq!(revoked(&answer, &[sample("leaf"), sample("other")]), None, "of a certificate of another");
    }

    #[test]
    fn a_broken_answer_says_nothing() {
        let chain = vec![sample("leaf"), sample("ca")];
        for name in ["nocert", "resp"] {
            let whole = sample(name);
            for length in 0..whole.len() {
                assert_eq!(revoked(&whole[..length], &chain), None, "{name} {length}");
            }
        }
        let whole = sample("nocert");
        let signed = parts(basic(&whole).unwrap()).unwrap().remove(0).whole;
        let begin = whole.windows(signed.len()).position(|window| window == signed).unwrap();
        for at in begin..begin + signed.len() {
            let mut other = whole.clone();
            other[at] ^= 1;
            assert_eq!(revoked(&other, &chain), None, "{at}");
        }
    }
}
