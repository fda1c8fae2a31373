//! The security token service: whose keys they are, and the keys of a role that they may take.

use super::{Keys, Refusal, Request, action, answer, said, unreadable};

const VERSION: &str = "2011-06-15";
/// What the provider's own log names our sessions.
const SESSION: &str = "ambit";

/// Whose keys they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Twelve digits.
    pub account: String,
    /// `arn:aws:iam::123456789012:user/reader`.
    pub arn: String,
}

impl Identity {
    /// The partition that the account lies in: `aws`, `aws-cn`, `aws-us-gov`.
    pub fn partition(&self) -> &str {
        self.arn.split(':').nth(1).unwrap_or("aws")
    }
}

/// The request that says whose keys they are. It needs no permission.
pub fn ask_identity() -> Request {
    action(VERSION, "GetCallerIdentity", &[])
}

/// Reads whose keys they are. Fails if the answer is a refusal, or names no account.
pub fn identity(status: u16, body: &[u8]) -> Result<Identity, Refusal> {
    let answer = answer(status, body)?;
    let said = |name| said(&answer, &format!("GetCallerIdentityResult/{name}"));
    let is_account = |text: &String| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    let account = said("Account").filter(is_account);
    let identity = account.zip(said("Arn")).map(|(account, arn)| Identity { account, arn });
    identity.ok_or_else(|| unreadable("GetCallerIdentity"))
}

/// The request for the keys of a role, with what its owner agreed on with us where there is such a thing.
pub fn assume_role(arn: &str, external_id: Option<&str>) -> Request {
    let mut arguments = vec![("RoleArn", arn), ("RoleSessionName", SESSION)];
    arguments.extend(external_id.map(|id| ("ExternalId", id)));
    action(VERSION, "AssumeRole", &arguments)
}

/// Reads the keys of a role. Fails if the answer is a refusal, or holds no keys.
pub fn assumed(status: u16, body: &[u8]) -> Result<Keys, Refusal> {
    let answer = answer(status, body)?;
    let said = |name| said(&answer, &format!("AssumeRoleResult/Credentials/{name}"));
    let keys = said("AccessKeyId").zip(said("SecretAccessKey"));
    let keys = keys.map(|(id, secret)| Keys { id, secret, token: said("SessionToken") });
    keys.ok_or_else(|| unreadable("AssumeRole"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_and_the_keys_of_a_role_are_read() {
        let body =
            b"<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws-cn:iam::123456789012:user/a</Arn>\
                     <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>";
        let found = identity(200, body).unwrap();
        assert_eq!((found.account.as_str(), found.partition()), ("123456789012", "aws-cn"));
        let odd = b"<R><GetCallerIdentityResult><Arn>x</Arn><Account>../x</Account></GetCallerIdentityResult></R>";
        assert!(identity(200, odd).is_err());
        let body = b"<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIAX</AccessKeyId>\
                     <SecretAccessKey>s/1</SecretAccessKey><SessionToken>t=</SessionToken></Credentials>\
                     </AssumeRoleResult></AssumeRoleResponse>";
        let keys = assumed(200, body).unwrap();
        assert_eq!((keys.secret.as_str(), keys.token.as_deref()), ("s/1", Some("t=")));
        let request = assume_role("arn:aws:iam::1:role/r", Some("a b&c"));
        assert!(
            request
                .body
                .ends_with("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=ambit&ExternalId=a%20b%26c")
        );
    }
}
