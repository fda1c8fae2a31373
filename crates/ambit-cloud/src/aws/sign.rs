//! Signatures (version 4) over requests.

use crate::Refusal;
use crate::form::Request;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{
    PayloadChecksumKind, PercentEncodingMode, SignableBody, SignableRequest, SigningSettings, UriPathNormalizationMode,
};
use aws_sigv4::sign::v4;
use std::time::{Duration, UNIX_EPOCH};

/// Keys of a user, or of a role for a while. They are never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Keys {
    pub id: String,
    pub secret: String,
    /// Beside keys that hold for a while.
    pub token: Option<String>,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}

/// Returns the headers that make a request one of these keys, `Host` among them. `date` is the time of the wire in
/// milliseconds since 1970. Fails if the parts of the request cannot stand in one.
pub fn sign(
    keys: &Keys,
    request: &Request,
    (service, region): (&str, &str),
    host: &str,
    date: i64,
) -> Result<Vec<(String, String)>, Refusal> {
    let unsigned = |error: &dyn std::fmt::Display| Refusal::Other(format!("the request cannot be signed: {error}"));
    let identity = Credentials::new(&keys.id, &keys.secret, keys.token.clone(), None, "ambit").into();
    let mut settings = SigningSettings::default();
    settings.payload_checksum_kind = PayloadChecksumKind::XAmzSha256;
    if service == "s3" {
        settings.percent_encoding_mode = PercentEncodingMode::Single;
        settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
    }
    let parameters = v4::SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(service)
        .time(UNIX_EPOCH + Duration::from_millis(u64::try_from(date).unwrap_or(0)))
        .settings(settings)
        .build()
        .map_err(|error| unsigned(&error))?;
    let mut headers = vec![("host".to_owned(), host.to_owned())];
    headers.extend(request.headers.iter().cloned());
    if request.headers.is_empty() && !request.body.is_empty() {
        headers.push(("content-type".to_owned(), "application/x-www-form-urlencoded; charset=utf-8".to_owned()));
    }
    let url = format!("https://{host}{}", request.target);
    let said = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let signable = SignableRequest::new(request.method, &url, said, SignableBody::Bytes(request.body.as_bytes()));
    let signable = signable.map_err(|error| unsigned(&error))?;
    let signed = aws_sigv4::http_request::sign(signable, &parameters.into()).map_err(|error| unsigned(&error))?;
    let (instructions, _) = signed.into_parts();
    headers.extend(instructions.headers().map(|(name, value)| (name.to_owned(), value.to_owned())));
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_carries_a_signature_and_no_secret() {
        let keys = Keys { id: "AKIDEXAMPLE".into(), secret: "wJalrXUtnFEMI".into(), token: Some("tok".into()) };
        let request = super::super::list_regions();
        let date = 1_700_000_000_000;
        let headers = sign(&keys, &request, ("ec2", "eu-west-1"), "ec2.eu-west-1.amazonaws.com", date).unwrap();
        let value = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        assert_eq!(value("host"), Some("ec2.eu-west-1.amazonaws.com"));
        assert_eq!(value("x-amz-date"), Some("20231114T221320Z"));
        assert_eq!(value("x-amz-security-token"), Some("tok"));
        let signature = value("authorization").unwrap();
        assert!(signature.contains("AKIDEXAMPLE/20231114/eu-west-1/ec2/aws4_request"), "{signature}");
        let other = sign(&keys, &request, ("ec2", "eu-west-2"), "ec2.eu-west-1.amazonaws.com", date).unwrap();
        assert_ne!(headers, other);
        assert!(!format!("{headers:?} {keys:?}").contains("wJalrX"), "{headers:?}");
    }
}
