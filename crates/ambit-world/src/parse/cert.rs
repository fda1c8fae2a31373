//! Certificates: as statements of their own, and as words behind `cert`, `starttls` and `tls`.

use super::Reader;
use super::cursor::{Below, Cursor};
use crate::draft::{Cert, CertChoice, Issuer, KeyChoice, Moment};
use crate::problem::Fault;
use ambit_model::moment::DAY_MS;

/// Names of one certificate: beyond, no authority issues it.
const NAMES_MAX: usize = 2_000;

const WORDS: &str = "names, cn, org, starts, ends, expired, expires, not-yet, self-signed, untrusted, no-chain, \
                     revoked, key, sha1, unlogged";

impl Reader {
    pub(super) fn cert(&mut self, cursor: &mut Cursor<'_>, below: &mut Below<'_>) -> Result<(), Fault> {
        let name = cursor.word("the certificate's name")?.to_owned();
        self.once(cursor, format!("cert {name}"))?;
        let mut cert = usual(cursor.line);
        let before = below.faults.len();
        cursor.read_into(&mut cert, below, cert_words)?;
        // A line that could not be read may have held them.
        if cert.names.is_empty() && below.faults.len() == before {
            return Err(Fault::new(cert.line, &name, "the certificate has no `names`"));
        }
        self.draft().certs.insert(name, cert);
        Ok(())
    }
}

/// A good certificate for the site's own name.
pub(super) fn usual(line: usize) -> Cert {
    Cert {
        line,
        starts: Moment::FromEpoch(-40 * DAY_MS),
        ends: Moment::FromEpoch(320 * DAY_MS),
        logged: true,
        ..Cert::default()
    }
}

/// `@NAME`, or words to the end of the line.
pub(super) fn choice(cursor: &mut Cursor<'_>) -> Result<CertChoice, Fault> {
    if let Some(name) = cursor.peek().and_then(|word| word.strip_prefix('@')) {
        cursor.next();
        return Ok(CertChoice::Named(name.to_owned()));
    }
    let mut cert = usual(cursor.line);
    cert_words(&mut cert, cursor)?;
    Ok(CertChoice::Inline(Box::new(cert)))
}

/// The certificate of a site of which an earlier line may have said some words: lines add up, as in a statement `cert`.
pub(super) fn more(earlier: Option<CertChoice>, cursor: &mut Cursor<'_>) -> Result<CertChoice, Fault> {
    let named = cursor.peek().is_some_and(|word| word.starts_with('@'));
    match earlier {
        None => choice(cursor),
        Some(CertChoice::Inline(mut cert)) if !named => {
            cert_words(&mut cert, cursor)?;
            Ok(CertChoice::Inline(cert))
        }
        Some(_) => Err(cursor.fault("the site has another certificate already; only `cert` with words adds up")),
    }
}

fn cert_words(cert: &mut Cert, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some(word) = cursor.next() {
        match word {
            "names" => {
                for name in cursor.rest("names")? {
                    let (star, plain) = name.strip_prefix("*.").map_or(("", name.as_str()), |rest| ("*.", rest));
                    if !plain.contains('.') {
                        return Err(Fault::new(
                            cursor.line,
                            &name,
                            "no name for a certificate: it has no dot; `names` takes the rest of the line",
                        ));
                    }
                    let canonical = ambit_model::Kind::DnsRecord.canonical(plain);
                    let canonical = canonical
                        .map_err(|invalid| cursor.fault(format!("no name for a certificate: {}", invalid.why)))?;
                    cert.names.push(format!("{star}{canonical}"));
                }
                if cert.names.len() > NAMES_MAX {
                    return Err(cursor.fault("a certificate has at most 2,000 names"));
                }
            }
            "cn" => cert.common_name = Some(cursor.word("a common name")?.to_owned()),
            "org" => cert.org = Some(cursor.word("an organisation's name")?.to_owned()),
            "starts" => cert.starts = cursor.moment()?,
            "ends" => cert.ends = cursor.moment()?,
            "expired" => {
                let ms = cursor.span_ms()?;
                (cert.starts, cert.ends) = (Moment::FromEpoch(-ms - 365 * DAY_MS), Moment::FromEpoch(-ms));
            }
            "expires" => {
                let ms = cursor.span_ms()?;
                // Issued for 90 days, but never in the future.
                let starts = (ms - 90 * DAY_MS).min(-DAY_MS);
                (cert.starts, cert.ends) = (Moment::FromEpoch(starts), Moment::FromEpoch(ms));
            }
            "not-yet" => {
                let ms = cursor.span_ms()?;
                (cert.starts, cert.ends) = (Moment::FromEpoch(ms), Moment::FromEpoch(ms + 365 * DAY_MS));
            }
            "self-signed" => (cert.issuer, cert.logged) = (Issuer::Itself, false),
            "untrusted" => (cert.issuer, cert.logged) = (Issuer::Unknown, false),
            "no-chain" => cert.chain_missing = true,
            "revoked" => cert.revoked = Some(cursor.span_ms()?),
            "key" => {
                cert.key = cursor.choice(&[
                    ("ed25519", KeyChoice::Ed25519),
                    ("rsa", KeyChoice::Rsa2048),
                    ("weak", KeyChoice::Weak),
                ])?;
            }
            "sha1" => cert.sha1 = true,
            "unlogged" => cert.logged = false,
            _ => return Err(cursor.unknown(WORDS)),
        }
    }
    Ok(())
}
