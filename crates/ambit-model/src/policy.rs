//! Whom policies of AWS let in, and which sources of rules are everybody. A stranger comes from the internet and is
//! nobody of the owner's. A condition of which nobody knows what it asks for keeps strangers out.

use ipnet::IpNet;
use serde_json::Value;
use std::net::Ipv6Addr;

/// Everybody, as firewalls write it beside blocks of addresses.
const EVERYBODY: &[&str] = &["*", "0.0.0.0", "any", "internet"];
/// The longest prefixes of blocks that are everybody: a half of IPv4 seldom stands without the other, and 2000::/3 is
/// all of IPv6 that is given out.
const V4_PREFIX_MAX: u8 = 1;
const V6_PREFIX_MAX: u8 = 3;
const V6_GIVEN_OUT: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);
/// What keys of conditions begin with that the request of a stranger lacks.
const LACKED: &[&str] = &[
    "aws:calledvia",
    "aws:federatedprovider",
    "aws:multifactorauth",
    "aws:principal",
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:sourceidentity",
    "aws:sourceorg",
    "aws:sourceowner",
    "aws:sourcevpc",
    "aws:tokenissuetime",
    "aws:username",
    "aws:vpcsourceip",
];

/// For whom a condition holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// For every stranger.
    Always,
    /// For strangers who want it to hold.
    AtWill,
    /// For few, or nobody knows for whom.
    ForFew,
}

/// Returns whether a source of a rule is everybody.
pub fn is_everybody(source: &str) -> bool {
    let is_widest = |block: IpNet| match block {
        IpNet::V4(block) => block.prefix_len() <= V4_PREFIX_MAX,
        IpNet::V6(block) => block.prefix_len() <= V6_PREFIX_MAX && block.contains(&V6_GIVEN_OUT),
    };
    EVERYBODY.iter().any(|known| source.eq_ignore_ascii_case(known)) || source.parse().is_ok_and(is_widest)
}

/// Returns whether a policy allows strangers something that it does not deny them as well.
pub fn is_open_to_anyone(policy: &Value) -> bool {
    !open_statements(policy).is_empty()
}

/// Returns the statements by which it does so, with the places at which they stand in it, counted from one.
pub fn open_statements(policy: &Value) -> Vec<(usize, &Value)> {
    let statements = several(&policy["Statement"]);
    let of_anyone = |effect: &'static str| {
        let numbered = (1..).zip(statements.iter().copied());
        numbered.filter(move |(_, statement)| statement["Effect"] == effect && is_of_anyone(statement))
    };
    let denials: Vec<&Value> = of_anyone("Deny")
        .map(|(_, statement)| statement)
        .filter(|statement| conditions(statement).iter().all(|holds| *holds == Holds::Always))
        .collect();
    let is_open = |statement: &Value| {
        conditions(statement).iter().all(|holds| *holds != Holds::ForFew) && !is_denied(statement, &denials)
    };
    of_anyone("Allow").filter(|(_, statement)| is_open(statement)).collect()
}

/// Services at which every customer runs programs, and which vouch for all of them under one name. What tells customers
/// apart is in the claims of a token.
const SHARED_VOUCHERS: &[&str] =
    &["agent.buildkite.com", "app.terraform.io", "gitlab.com", "token.actions.githubusercontent.com"];
/// The claim that says for whom a token is meant, which is the same for all customers.
const AUDIENCE: &str = "aud";

/// Returns the services at which programs of every customer may take a role by this trust: a statement lets the service
/// vouch for them, and no condition asks whose they are. The place of the statement is counted from one.
pub fn open_to_programs(trust: &Value) -> Vec<(usize, &'static str)> {
    let statements = (1..).zip(several(&trust["Statement"])).filter(|(_, statement)| statement["Effect"] == "Allow");
    let open = |(number, statement): (usize, &Value)| {
        let vouchers = texts(&statement["Principal"]["Federated"]);
        let names = |service: &&&str| {
            vouchers.iter().any(|arn| arn.split_once(":oidc-provider/").is_some_and(|(_, host)| host == **service))
        };
        let is_open = |service: &&&str| !asks_whose(statement, service);
        let open = SHARED_VOUCHERS.iter().filter(names).filter(is_open);
        open.map(|service| (number, *service)).collect::<Vec<_>>()
    };
    statements.flat_map(open).collect()
}

/// Returns whether a condition of a statement asks for a claim by which this service tells its customers apart. One of
/// any other kind is not known to leave anybody in.
fn asks_whose(statement: &Value, service: &str) -> bool {
    let operators = statement["Condition"].as_object().into_iter().flatten();
    let mut keys = operators.flat_map(|(operator, keys)| {
        keys.as_object().into_iter().flatten().map(move |(key, values)| (operator.to_ascii_lowercase(), key, values))
    });
    keys.any(|(operator, key, values)| {
        let claim = key.to_ascii_lowercase();
        let claim = claim.strip_prefix(service).and_then(|rest| rest.strip_prefix(':'));
        // A condition that holds for a token without the claim, or for any value of it, demands nothing.
        let is_met = ["ifexists", "forallvalues:", "not", "null"].iter().any(|part| operator.contains(part));
        let narrows = !texts(values).iter().any(|value| is_of_all(value));
        claim != Some(AUDIENCE) && (claim.is_none() || (!is_met && narrows))
    })
}

/// Returns whether a pattern of a claim fits what every customer's tokens say.
fn is_of_all(pattern: &str) -> bool {
    let rest = ["repo:", "project_path:", "organization:"].iter().find_map(|start| pattern.strip_prefix(start));
    let rest = rest.unwrap_or(pattern);
    !rest.is_empty() && rest.chars().all(|letter| matches!(letter, '*' | '/' | ':'))
}

/// A value, or those of a list.
fn several(value: &Value) -> Vec<&Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(all) => all.iter().collect(),
        one => vec![one],
    }
}

fn texts(value: &Value) -> Vec<&str> {
    several(value).into_iter().filter_map(Value::as_str).collect()
}

/// Returns whether strangers are among those of whom a statement speaks.
fn is_of_anyone(statement: &Value) -> bool {
    let is_all = |principal: &Value| texts(principal).contains(&"*") || texts(&principal["AWS"]).contains(&"*");
    let all_but = &statement["NotPrincipal"];
    is_all(&statement["Principal"]) || (!all_but.is_null() && !is_all(all_but))
}

/// For whom each condition of a statement holds.
fn conditions(statement: &Value) -> Vec<Holds> {
    let operators = statement["Condition"].as_object().into_iter().flatten();
    let within = |(operator, keys): (&String, &Value)| -> Vec<Holds> {
        match keys.as_object() {
            Some(keys) => keys.iter().map(|(key, values)| holds(operator, key, values)).collect(),
            None => vec![Holds::ForFew],
        }
    };
    operators.flat_map(within).collect()
}

/// For whom a condition holds: `IpAddress` of `aws:SourceIp`, say, with its values.
fn holds(operator: &str, key: &str, values: &Value) -> Holds {
    let (operator, key) = (operator.to_ascii_lowercase(), key.to_ascii_lowercase());
    let values: Vec<String> = several(values)
        .into_iter()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect();
    let has = |wanted: &str| values.iter().any(|value| value.eq_ignore_ascii_case(wanted));
    let always = |is: bool| if is { Holds::Always } else { Holds::ForFew };
    let plain = operator.rsplit(':').next().unwrap_or_default();
    let base = plain.strip_suffix("ifexists").unwrap_or(plain);
    // A request without the key meets these, whatever the values are.
    let passes_without = base != plain || operator.starts_with("forallvalues:") || base.contains("not");
    let is_lacked = LACKED.iter().any(|lacked| key.starts_with(lacked));
    match (base, key.as_str()) {
        ("null", _) if is_lacked => always(has("true")),
        ("null", _) => Holds::ForFew,
        // The sender decides whether a request is encrypted.
        (_, "aws:securetransport") => Holds::AtWill,
        ("ipaddress", "aws:sourceip") => always(values.iter().any(|source| is_everybody(source))),
        ("notipaddress", "aws:sourceip") => always(!values.iter().any(|source| is_everybody(source))),
        ("bool", "aws:viaawsservice") => always(has("false")),
        _ if is_lacked && passes_without => Holds::Always,
        ("arnequals" | "arnlike" | "stringlike", _) if has("*") => Holds::AtWill,
        _ => Holds::ForFew,
    }
}

/// Returns whether everything that a statement allows is denied.
fn is_denied(allows: &Value, denials: &[&Value]) -> bool {
    let named = |name: &str| Some(texts(&allows[name])).filter(|texts| !texts.is_empty()).unwrap_or_else(|| vec!["*"]);
    let (actions, resources) = (named("Action"), named("Resource"));
    let is_one_denied = |action: &str, resource: &str| {
        denials.iter().any(|denies| {
            covers(denies, ("Action", "NotAction"), action) && covers(denies, ("Resource", "NotResource"), resource)
        })
    };
    actions.iter().all(|action| resources.iter().all(|resource| is_one_denied(action, resource)))
}

/// Returns whether a statement is about an action or resource: one that it names, or none that it leaves out.
fn covers(statement: &Value, (named, left_out): (&str, &str), text: &str) -> bool {
    let left_out = texts(&statement[left_out]);
    if !left_out.is_empty() {
        return !text.contains(['*', '?']) && !left_out.iter().any(|pattern| matches(pattern, text));
    }
    let named = texts(&statement[named]);
    // All actions of a policy are those of its service, and all resources the thing that the policy is of.
    let is_whole = |pattern: &str| text == "*" && (pattern.ends_with(":*") || pattern.starts_with("arn:"));
    named.is_empty() || named.iter().any(|pattern| matches(pattern, text) || is_whole(pattern))
}

/// Returns whether a text matches a pattern of `*` and `?`, whatever the case.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_ascii_lowercase().into_bytes(), text.to_ascii_lowercase().into_bytes());
    let (mut at, mut of, mut star) = (0, 0, None);
    while at < text.len() {
        match pattern.get(of) {
            Some(b'*') => {
                star = Some((of, at));
                of += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[at] => (at, of) = (at + 1, of + 1),
            _ => {
                let Some((before, from)) = star else { return false };
                star = Some((before, from + 1));
                (at, of) = (from + 1, before + 1);
            }
        }
    }
    pattern[of..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A statement that allows everybody something, with other members.
    fn allows(members: Value) -> Value {
        with(json!({"Effect": "Allow", "Principal": "*", "Action": "x:Get", "Resource": "arn:aws:x:::a/*"}), members)
    }

    fn with(mut statement: Value, members: Value) -> Value {
        statement.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap());
        statement
    }

    #[test]
    fn a_block_that_holds_half_of_all_addresses_is_everybody_and_a_smaller_one_is_not() {
        for source in ["*", "Internet", "0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1", "2000::/3", "::/2"] {
            assert!(is_everybody(source), "{source}");
        }
        for source in ["", "0.0.0.0/2", "64.0.0.0/2", "10.0.0.0/8", "192.0.2.1", "e000::/3", "2001::/16", "2000::/4"] {
            assert!(!is_everybody(source), "{source}");
        }
    }

    #[test]
    fn a_policy_is_open_where_it_allows_anybody_without_a_condition() {
        for (policy, open) in [
            (json!({"Statement": [allows(json!({}))]}), true),
            (json!({"Statement": allows(json!({"Principal": {"AWS": ["arn:aws:iam::1:root", "*"]}}))}), true),
            (json!({"Statement": [allows(json!({"Condition": {}}))]}), true),
            (json!({"Statement": [allows(json!({"Effect": "Deny"}))]}), false),
            (json!({"Statement": [allows(json!({"Principal": {"AWS": "arn:aws:iam::1:root"}}))]}), false),
            (json!({"Statement": [allows(json!({"Principal": {"Service": "sns.amazonaws.com"}}))]}), false),
            (json!({"Statement": [allows(json!({"Principal": null, "NotPrincipal": {"AWS": "arn:1"}}))]}), true),
            (json!({"Statement": [allows(json!({"Principal": null, "NotPrincipal": "*"}))]}), false),
            (Value::Null, false),
        ] {
            assert_eq!(is_open_to_anyone(&policy), open, "{policy}");
        }
    }

    #[test]
    fn the_statements_that_open_a_policy_are_told_by_their_places() {
        let named = |sid: &str, members: Value| with(allows(members), json!({ "Sid": sid }));
        let policy = json!({"Statement": [
            named("Own", json!({"Principal": {"AWS": "arn:aws:iam::1:root"}})),
            named("Open", json!({})),
            named("Denied", json!({"Effect": "Deny", "Action": "x:Put"})),
            named("Put", json!({"Action": "x:Put"})),
            named("All", json!({"Action": "x:List"})),
        ]});
        let open: Vec<(usize, &str)> = open_statements(&policy)
            .into_iter()
            .map(|(number, open)| (number, open["Sid"].as_str().unwrap()))
            .collect();
        assert_eq!(open, [(2, "Open"), (5, "All")]);
        assert_eq!(open_statements(&json!({"Statement": allows(json!({}))}))[0].0, 1, "one stands without a list");
    }

    #[test]
    fn a_condition_that_narrows_nothing_leaves_a_policy_open() {
        let organisation = json!({"aws:PrincipalOrgID": "o-1"});
        for (condition, open) in [
            (json!({"IpAddress": {"aws:SourceIp": ["0.0.0.0/0"]}}), true),
            (json!({"IpAddress": {"aws:SourceIp": ["0.0.0.0/1", "128.0.0.0/1"]}}), true),
            (json!({"IpAddress": {"aws:SourceIp": "192.0.2.0/24"}}), false),
            (json!({"IpAddressIfExists": {"aws:SourceIp": "192.0.2.0/24"}}), false),
            (json!({"IpAddress": {"aws:VpcSourceIp": "0.0.0.0/0"}}), false),
            (json!({"NotIpAddress": {"aws:SourceIp": ["0.0.0.0/0"]}}), false),
            (json!({"NotIpAddress": {"aws:SourceIp": ["192.0.2.0/24"]}}), true),
            (json!({"Bool": {"aws:SecureTransport": "true"}}), true),
            (json!({"BoolIfExists": {"AWS:SecureTransport": true}}), true),
            (json!({"Bool": {"aws:SecureTransport": true}, "StringEquals": organisation}), false),
            (json!({"StringEquals": organisation}), false),
            (json!({"ForAnyValue:StringEquals": organisation}), false),
            (json!({"ForAllValues:StringEquals": organisation}), true),
            (json!({"StringEqualsIfExists": organisation}), true),
            (json!({"StringNotEquals": organisation}), true),
            (json!({"Bool": {"aws:MultiFactorAuthPresent": "true"}}), false),
            (json!({"BoolIfExists": {"aws:MultiFactorAuthPresent": "true"}}), true),
            (json!({"Null": {"aws:PrincipalArn": "true"}}), true),
            (json!({"Null": {"aws:PrincipalArn": "false"}}), false),
            (json!({"StringLike": {"aws:PrincipalArn": "*"}}), true),
            (json!({"StringLike": {"aws:PrincipalArn": "arn:aws:iam::1:role/*"}}), false),
            (json!({"ArnLikeIfExists": {"x:Key": "arn:aws:x"}}), false),
            (json!({"StringEquals": "no keys"}), false),
        ] {
            let policy = json!({"Statement": [allows(json!({ "Condition": condition }))]});
            assert_eq!(is_open_to_anyone(&policy), open, "{policy}");
        }
    }

    #[test]
    fn a_trust_in_a_service_of_many_customers_is_open_unless_it_asks_whose_program_it_is() {
        let github = "token.actions.githubusercontent.com";
        let key = |claim: &str| format!("{github}:{claim}");
        let trust = |condition: Value| {
            let federated = format!("arn:aws:iam::1:oidc-provider/{github}");
            json!({"Statement": {"Effect": "Allow", "Principal": {"Federated": federated}, "Condition": condition}})
        };
        for (condition, open) in [
            (json!({}), true),
            (json!({"StringEquals": {key("aud"): "sts.amazonaws.com"}}), true),
            (json!({"StringLike": {key("sub"): "repo:acme/*"}}), false),
            (json!({"StringLike": {key("SUB"): ["repo:acme/shop:*", "repo:acme/pay:*"]}}), false),
            (json!({"StringLike": {key("sub"): "*"}}), true),
            (json!({"StringLike": {key("sub"): ["repo:acme/*", "repo:*/*:*"]}}), true),
            (json!({"StringLikeIfExists": {key("sub"): "repo:acme/*"}}), true),
            (json!({"ForAllValues:StringLike": {key("sub"): "repo:acme/*"}}), true),
            (json!({"Null": {key("sub"): "false"}}), true),
            (json!({"StringNotLike": {key("sub"): "repo:acme/*"}}), true),
            (json!({"StringEquals": {key("repository_owner"): "acme"}}), false),
            (json!({"StringEquals": {"aws:RequestTag/x": "y"}}), false),
        ] {
            let trust = trust(condition.clone());
            let found = open_to_programs(&trust);
            assert_eq!(found, if open { vec![(1, github)] } else { vec![] }, "{condition}");
        }
        let other = json!({"Statement": [{"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::1:root"}}, {
            "Effect": "Allow", "Principal": {"Federated": "arn:aws:iam::1:oidc-provider/id.acme.test"}}, {
            "Effect": "Deny", "Principal": {"Federated": format!("arn:aws:iam::1:oidc-provider/{github}")}}]});
        assert_eq!(open_to_programs(&other), []);
    }

    #[test]
    fn what_is_denied_to_strangers_is_not_open_to_them() {
        let strangers = json!({"StringNotEquals": {"aws:PrincipalOrgID": "o-1"}});
        for (denies, open) in [
            (json!({"Action": "*", "Resource": "*", "Condition": strangers}), false),
            (json!({"Action": "x:G*", "Resource": ["arn:aws:x:::a", "arn:aws:x:::a/*"]}), false),
            (json!({"Action": "*", "Principal": null, "NotPrincipal": {"AWS": "arn:aws:iam::1:root"}}), false),
            (json!({"Action": "*", "Condition": {"NotIpAddress": {"aws:SourceIp": "192.0.2.0/24"}}}), false),
            (json!({"NotAction": "x:Put"}), false),
            (json!({"NotAction": "x:Get"}), true),
            (json!({"Action": "x:Delete", "Resource": "*", "Condition": strangers}), true),
            (json!({"Action": "*", "Resource": "arn:aws:x:::a/secret/*", "Condition": strangers}), true),
            (json!({"Action": "*", "Principal": {"AWS": "arn:aws:iam::2:root"}}), true),
            (json!({"Action": "*", "Condition": {"Bool": {"aws:SecureTransport": "false"}}}), true),
            (json!({"Action": "*", "Condition": {"IpAddress": {"aws:SourceIp": "192.0.2.0/24"}}}), true),
            (json!({"Action": "*", "Condition": {"StringNotEquals": {"x:encryption": "AES256"}}}), true),
        ] {
            let denies = with(json!({"Effect": "Deny", "Principal": "*"}), denies);
            let policy = json!({"Statement": [allows(json!({})), denies]});
            assert_eq!(is_open_to_anyone(&policy), open, "{policy}");
        }
        let denies = json!({"Effect": "Deny", "Principal": "*", "Action": "x:*", "Condition": strangers});
        let all = json!({"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"});
        assert!(!is_open_to_anyone(&json!({"Statement": [all, denies]})), "all actions are those of the service");
    }
}
