//! Accounts of a simulated internet whose provider denies, throttles or no longer accepts what opened them: what was
//! found stays, and is gone only where the provider says so. What an account names is discovered further, and so is
//! what an account at a forge of code has.

use crate::program::{Discovery, Folder, command, succeed};
use std::path::Path;

/// A machine, an address that nothing uses, and their provider in five moods; in the last it has neither any more.
const WORLD: &str = r#"
world moods "Moods"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.10

account hetzner "Machines" of acme
  secret token t0ken
  shown "Bearer t0ken"
  answers api.hetzner.cloud when /v1/servers json "{'servers':[{'id':42,'name':'web','public_net':{'ipv4':{'ip':'203.0.113.42'}}}]}"
  answers api.hetzner.cloud when /v1/floating_ips json "{'floating_ips':[{'id':3,'ip':'203.0.113.43','server':null}]}"
  answers api.hetzner.cloud json "{'firewalls':[],'load_balancers':[],'zones':[]}"

state 2
account hetzner "Machines" of acme
  secret token t0ken
  shown "Bearer t0ken"
  answers api.hetzner.cloud status 429 json "{}"

state 3
account hetzner "Machines" of acme
  secret token t0ken
  shown "Bearer another"
  answers api.hetzner.cloud json "{'servers':[],'floating_ips':[],'firewalls':[],'load_balancers':[],'zones':[]}"

state 4
account hetzner "Machines" of acme
  secret token t0ken
  shown "Bearer t0ken"
  answers api.hetzner.cloud when /v1/servers status 403 json "{}"
  answers api.hetzner.cloud when /v1/floating_ips json "{'floating_ips':[{'id':3,'ip':'203.0.113.43','server':null}]}"
  answers api.hetzner.cloud json "{'firewalls':[],'load_balancers':[],'zones':[]}"

state 5
account hetzner "Machines" of acme
  secret token t0ken
  shown "Bearer t0ken"
  answers api.hetzner.cloud json "{'servers':[],'floating_ips':[],'firewalls':[],'load_balancers':[],'zones':[]}"
"#;

/// A run in a state of the world: what it printed, and what it says that was not done.
fn run(folder: &Folder, file: &Path, state: u32) -> (Discovery, String) {
    let (data, file) = (folder.path().to_str().expect("UTF-8"), file.to_str().expect("UTF-8"));
    let state = state.to_string();
    let arguments = ["scan", "--world", file, "--workflow", "authenticated_cloud_discovery", "--state", &state];
    let output = command(&[&arguments[..], &["--level", "passive", "-y", "--jsonl", "--data", data]].concat()).output();
    let output = output.expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (Discovery::parse(&String::from_utf8_lossy(&output.stdout)), said)
}

/// Things of the account that are there, and its open issues.
fn held(found: &Discovery) -> (Vec<String>, Vec<String>) {
    let things = found.names("CloudResource").into_iter().chain(found.names("IpAddress"));
    let things =
        things.filter(|name| name.starts_with("hetzner:") || ["203.0.113.42", "203.0.113.43"].contains(&&**name));
    let open = found.issues.values().filter(|issue| issue["summary"]["status_new"] == "open");
    let open = open.filter(|issue| issue["name"].as_str().is_some_and(|name| name.starts_with("cloud_")));
    (things.collect(), open.map(|issue| issue["name"].as_str().unwrap_or_default().to_owned()).collect())
}

#[test]
fn a_provider_that_throttles_refuses_or_denies_closes_nothing_and_one_that_answers_does() {
    let folder = Folder::new("moods");
    let file = folder.join("moods.world");
    std::fs::write(&file, WORLD).expect("is written");
    let data = Folder::new("moods-data");
    let (first, said) = run(&data, &file, 1);
    let known = held(&first);
    assert_eq!(known.0, ["hetzner:floating_ip:3", "hetzner:server:42", "203.0.113.42", "203.0.113.43"], "{said}");
    assert_eq!(known.1, ["cloud_unused_address"]);
    for (state, why) in [(2, "too many requests"), (3, "the credential is not accepted"), (4, "denied")] {
        let (found, said) = run(&data, &file, state);
        assert_eq!(held(&found), known, "state {state}: {said}");
        assert!(said.contains(why) && !said.contains("t0ken"), "state {state}: {said}");
    }
    let (found, said) = run(&data, &file, 5);
    assert_eq!(held(&found), (Vec::new(), Vec::new()), "{said}");
}

/// An account with two zones, one of a domain that is a seed and one that nobody named.
const ZONES: &str = r#"
world zones "Zones"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone other.test of acme
  ns ns1.other.test 203.0.113.3
name acme.test A 203.0.113.10
name www.acme.test A 203.0.113.10
name other.test A 203.0.113.12
name shop.other.test A 203.0.113.12
site https://www.acme.test "Acme"
site https://shop.other.test "Shop"

account hetzner "Zones" of acme
  secret token t0ken
  shown "Bearer t0ken"
  answers api.hetzner.cloud when rrsets json "{'rrsets':[]}"
  answers api.hetzner.cloud when /v1/zones json "{'zones':[{'id':1,'name':'acme.test'},{'id':2,'name':'other.test'}]}"
  answers api.hetzner.cloud json "{'servers':[],'floating_ips':[],'firewalls':[],'load_balancers':[]}"
  holds CloudResource hetzner:zone:{1,2}
  holds Domain acme.test
  holds Domain other.test
"#;

#[test]
fn a_domain_that_stands_in_an_account_is_discovered_as_a_seed_is() {
    let folder = Folder::new("zones");
    let file = folder.join("zones.world");
    std::fs::write(&file, ZONES).expect("is written");
    let arguments = ["scan", "--world", file.to_str().expect("UTF-8"), "--workflow", "authenticated_cloud_discovery"];
    let data = folder.join("data");
    let output = command(&arguments).args(["-y", "--jsonl", "--data"]).arg(&data).output().expect("the binary starts");
    let found = Discovery::of(&output);
    let sites = found.names("Uri");
    for site in ["https://www.acme.test:443", "https://shop.other.test:443"] {
        assert!(sites.contains(site), "{site}: {sites:?}");
    }
    assert!(found.names("IpAddress").contains("203.0.113.12"), "{:?}", found.names("IpAddress"));
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
    }
}

/// An organisation of three accounts; the second lets its role be taken, the third does not.
const ORGANIZATION: &str = r#"
world group "Group"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.10
host 203.0.113.42 of acme

account aws "Group" of acme
  secret aws_access_key_id acme-first
  secret aws_secret_access_key not-a-secret
  setting region eu-west-1
  setting organization_role Reader
  list services ec2 organizations
  shown "Credential=acme-"
  answers sts.eu-west-1.amazonaws.com when AssumeRole when 210987654321%3Arole%2FReader xml "<R><AssumeRoleResult><Credentials><AccessKeyId>acme-second</AccessKeyId><SecretAccessKey>not-a-secret</SecretAccessKey><SessionToken>t</SessionToken></Credentials></AssumeRoleResult></R>"
  answers sts.eu-west-1.amazonaws.com when AssumeRole status 403 xml "<R><Error><Code>AccessDenied</Code></Error></R>"
  answers sts.eu-west-1.amazonaws.com by acme-second xml "<R><GetCallerIdentityResult><Arn>arn:aws:sts::210987654321:assumed-role/Reader/ambit</Arn><Account>210987654321</Account></GetCallerIdentityResult></R>"
  answers sts.eu-west-1.amazonaws.com xml "<R><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/ambit</Arn><Account>123456789012</Account></GetCallerIdentityResult></R>"
  answers organizations.us-east-1.amazonaws.com by acme-first when more json "{'Accounts':[{'Id':'333333333333','Name':'Third','Status':'ACTIVE'},{'Id':'444444444444','Name':'Closed','Status':'SUSPENDED'}]}"
  answers organizations.us-east-1.amazonaws.com by acme-first json "{'Accounts':[{'Id':'123456789012','Name':'First','Status':'ACTIVE'},{'Id':'210987654321','Name':'Second','Status':'ACTIVE'}],'NextToken':'more'}"
  answers ec2.eu-west-1.amazonaws.com when Action=DescribeRegions xml "<R><regionInfo><item><regionName>eu-west-1</regionName></item></regionInfo></R>"
  answers ec2.eu-west-1.amazonaws.com by acme-second when Action=DescribeAddresses xml "<R><addressesSet><item><publicIp>203.0.113.42</publicIp><allocationId>eipalloc-2</allocationId><instanceId>i-1</instanceId></item></addressesSet></R>"
  answers ec2.eu-west-1.amazonaws.com xml "<R><addressesSet/><imagesSet/><networkInterfaceSet/><reservationSet/><securityGroupInfo/><snapshotSet/></R>"

state 2
account aws "Group" of acme
  secret aws_access_key_id acme-first
  secret aws_secret_access_key not-a-secret
  shown "Credential=acme-"
  answers sts.eu-west-1.amazonaws.com when AssumeRole status 403 xml "<R><Error><Code>AccessDenied</Code></Error></R>"
  answers sts.eu-west-1.amazonaws.com xml "<R><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/ambit</Arn><Account>123456789012</Account></GetCallerIdentityResult></R>"
  answers organizations.us-east-1.amazonaws.com when more json "{'Accounts':[{'Id':'333333333333','Name':'Third','Status':'ACTIVE'}]}"
  answers organizations.us-east-1.amazonaws.com json "{'Accounts':[{'Id':'210987654321','Name':'Second','Status':'ACTIVE'}],'NextToken':'more'}"
  answers ec2.eu-west-1.amazonaws.com when Action=DescribeRegions xml "<R><regionInfo><item><regionName>eu-west-1</regionName></item></regionInfo></R>"
  answers ec2.eu-west-1.amazonaws.com xml "<R><addressesSet/><imagesSet/><networkInterfaceSet/><reservationSet/><securityGroupInfo/><snapshotSet/></R>"
"#;

#[test]
fn an_account_of_an_organisation_that_refuses_its_role_is_named_and_closes_nothing() {
    let folder = Folder::new("group");
    let file = folder.join("group.world");
    std::fs::write(&file, ORGANIZATION).expect("is written");
    let data = Folder::new("group-data");
    let (first, said) = run(&data, &file, 1);
    let accounts: Vec<String> = first.names("AwsCredential").into_iter().collect();
    assert_eq!(accounts.len(), 3, "{accounts:?}: {said}");
    assert!(accounts[1].ends_with(") / 210987654321") && accounts[2].ends_with(") / 333333333333"), "{accounts:?}");
    let of = "arn:aws:ec2:eu-west-1:210987654321:elastic-ip/eipalloc-2";
    let things = |found: &Discovery| (found.names("AwsResource"), found.names("IpAddress").contains("203.0.113.42"));
    assert_eq!(things(&first), ([of.to_owned()].into(), true), "{said}");
    let why = "AWS, sts in eu-west-1 for the role Reader of account 333333333333: denied: status 403, AccessDenied";
    assert!(said.contains(why), "{said}");
    let (second, said) = run(&data, &file, 2);
    assert_eq!(things(&second), things(&first), "a role that is refused says nothing: {said}");
    assert!(said.contains("aws_account (denied)"), "{said}");
    assert_eq!(second.names("AwsCredential").len(), 3);
}

#[test]
fn an_account_at_a_forge_leads_to_what_it_has_and_a_word_to_what_may_be_theirs() {
    let folder = Folder::new("forge");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/estate.world");
    let arguments = ["scan", "--world", world, "--workflow", "code_repository_discovery_and_assessment"];
    let run = |data: &Path| {
        let output = command(&arguments).args(["-y", "--jsonl", "--data"]).arg(data).output();
        Discovery::of(&output.expect("the binary starts"))
    };
    let data = folder.join("data");
    let found = run(&data);
    assert_eq!((found.figure("missed"), found.figure("unexpected")), (0, 0), "{}", found.summary);
    let own: Vec<String> = found.names("GithubRepository").into_iter().collect();
    let wanted = ["ops", "shop", "tools"].map(|name| format!("https://github.com/acme/{name}"));
    assert_eq!(own, wanted, "no fork, and nothing of a stranger's");
    let named = |name: &str| found.entities.values().find(|entity| entity["name"] == name);
    let stranger = named("https://github.com/zoe/acmeshop-themes").expect("it bears their word");
    assert_ne!(stranger["summary"]["scoped"], true, "{stranger}");
    for account in ["https://github.com/ann", "https://github.com/bob"] {
        assert!(named(account).is_some_and(|account| account["summary"]["scoped"] != true), "{account}");
    }
    let leaks: Vec<&str> = found
        .issues
        .values()
        .filter(|issue| issue["name"] == "leaked_token")
        .filter_map(|issue| issue["entity_name"].as_str())
        .collect();
    assert!(!leaks.iter().any(|name| name.contains("zoe")), "{leaks:?}");
    let account = named("https://github.com/acme").expect("it is the seed");
    let shown =
        succeed(&["entity", "show", account["id"].as_str().expect("text"), "--data", data.to_str().expect("UTF-8")]);
    for words in ["account_type: \"Organization\"", "title: \"Acme Corp\"", "website: \"https://acme.test\""] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let again = run(&data);
    assert_eq!(["new", "changed", "gone"].map(|figure| again.figure(figure)), [0, 0, 0], "{}", again.summary);
}

const FORGES: &str = r#"
world forges "Forges"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.10
forge https://codeberg.org/acme "Acme Corp" of acme
  website https://acme.test  member ann  fork left-pad  token not-a-secret
forge https://bitbucket.org/acme "Acme Workspace" of acme
  fork right-pad
repository https://codeberg.org/acme/shop.git of acme
  commit 2024-05-01 "Begin" "Ann <ann@acme.test>"
  writes README.md "The shop."
repository https://codeberg.org/acme/ops.git of acme private
  commit 2024-05-01 "Begin" "Ann <ann@acme.test>"
  writes deploy.env "KEY=gh\u{70}_k3Tm8RvXq1ZbLw5GhJ9cNd2PyFs7DaHuVi4o"
repository https://bitbucket.org/acme/tools of acme
  commit 2024-05-01 "Begin" "Ann <ann@acme.test>"
  writes README.md "Tools."
expect issue leaked_token GitRepository https://codeberg.org:443/acme/ops.git
"#;

#[test]
fn accounts_at_gitea_and_bitbucket_lead_to_their_repositories_and_with_a_token_to_private_ones() {
    let folder = Folder::new("forges");
    let file = folder.join("forges.world");
    std::fs::write(&file, FORGES).expect("is written");
    let workflow = "code_repository_discovery_and_assessment";
    let arguments = ["scan", "--world", file.to_str().expect("UTF-8"), "--workflow", workflow, "-y", "--jsonl"];
    let run = |data: &Path| {
        let output = command(&arguments).arg("--data").arg(data).output().expect("the binary starts");
        (Discovery::of(&output), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let data = folder.join("data");
    let (found, said) = run(&data);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {} {said}", found.summary);
    }
    let own: Vec<String> = found.names("GitRepository").into_iter().collect();
    let wanted = ["bitbucket.org:443/acme/tools", "codeberg.org:443/acme/ops.git", "codeberg.org:443/acme/shop.git"];
    assert_eq!(own, wanted.map(|name| format!("https://{name}")), "no fork: {said}");
    let accounts: Vec<String> = found.names("CodeAccount").into_iter().collect();
    assert_eq!(
        accounts,
        ["https://bitbucket.org/acme", "https://codeberg.org/acme"],
        "a member is somebody else: {said}"
    );
    assert!(found.entities.values().any(|entity| entity["name"] == "https://codeberg.org/ann"), "{said}");
    let leaks = found.issues.values().filter(|issue| issue["name"] == "leaked_token").count();
    assert_eq!(leaks, 1, "the private repository is read: {said}");
    let again = run(&data).0;
    assert_eq!(["new", "changed", "gone"].map(|figure| again.figure(figure)), [0, 0, 0], "{}", again.summary);
}
