//! Accounts of a simulated internet whose provider denies, throttles or no longer accepts what opened them: what was
//! found stays, and is gone only where the provider says so. What an account names is discovered further, and so is
//! what an account at a forge of code has.

use crate::program::{Discovery, Folder, command, scan_text, succeed};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

/// What an organisation has elsewhere than on its own addresses.
const WORLD: &str = include_str!("../../../../worlds/estate.world");

/// What the internets here have in common: an organisation with one domain.
const ACME: &str = r#"
world acme "Acme"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.10
"#;

/// A simulated internet, with the data folder of its runs.
struct Internet {
    folder: Folder,
    file: PathBuf,
    workflow: &'static str,
}

impl Internet {
    /// Acme's, with accounts at providers.
    fn with_accounts(name: &str, more: &str) -> Self {
        let folder = Folder::new(name);
        let file = folder.join("accounts.world");
        std::fs::write(&file, format!("{ACME}{more}")).expect("is written");
        Self { folder, file, workflow: "authenticated_cloud_discovery" }
    }

    fn data(&self) -> String {
        self.folder.join("data").to_str().expect("UTF-8").to_owned()
    }

    fn scan(&self, more: &[&str]) -> Output {
        let (data, file) = (self.data(), self.file.to_str().expect("UTF-8"));
        let usual = ["scan", "--world", file, "--workflow", self.workflow, "-y", "--jsonl", "--data", &data];
        command(&[&usual[..], more].concat()).output().expect("the binary starts")
    }

    /// A quiet run in a state, which may fall short: what it printed, and what it says that was not done.
    fn run(&self, state: u32) -> (Discovery, String) {
        let output = self.scan(&["--level", "passive", "--state", &state.to_string()]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (Discovery::parse(&String::from_utf8_lossy(&output.stdout)), said)
    }

    /// A run that does all that it planned.
    fn whole_run(&self) -> Discovery {
        Discovery::of(&self.scan(&[]))
    }
}

/// An account at a provider that wants to be shown a token, with its answers: what is asked, and what comes back.
fn account(title: &str, token: &str, answers: &[(&str, &str)]) -> String {
    let mut text = format!("account hetzner \"{title}\" of acme\n  secret token t0ken\n  shown \"Bearer {token}\"\n");
    for (asked, answer) in answers {
        text.push_str(&format!("  answers api.hetzner.cloud {asked} {answer}\n"));
    }
    text
}

const SERVERS: &str = "when /v1/servers";
const FLOATING_IPS: &str = "when /v1/floating_ips";
/// An address that nothing uses.
const ADDRESS: &str = r#"json "{'floating_ips':[{'id':3,'ip':'203.0.113.43','server':null}]}""#;
const NOTHING_ELSE: &str = r#"json "{'firewalls':[],'load_balancers':[],'primary_ips':[],'zones':[]}""#;
const NOTHING: &str =
    r#"json "{'servers':[],'floating_ips':[],'firewalls':[],'load_balancers':[],'primary_ips':[],'zones':[]}""#;

/// A machine, an address that nothing uses, and their provider in five moods; in the last it has neither any more.
fn moods() -> String {
    let machine = r#"json "{'servers':[{'id':42,'name':'web','public_net':{'ipv4':{'ip':'203.0.113.42'}}}]}""#;
    let states = [
        account("Machines", "t0ken", &[(SERVERS, machine), (FLOATING_IPS, ADDRESS), ("", NOTHING_ELSE)]),
        account("Machines", "t0ken", &[("status 429", r#"json "{}""#)]),
        account("Machines", "another", &[("", NOTHING)]),
        account(
            "Machines",
            "t0ken",
            &[("when /v1/servers status 403", r#"json "{}""#), (FLOATING_IPS, ADDRESS), ("", NOTHING_ELSE)],
        ),
        account("Machines", "t0ken", &[("", NOTHING)]),
    ];
    let numbered = states.iter().zip(1..).map(|(text, number)| match number {
        1 => text.clone(),
        _ => format!("state {number}\n{text}"),
    });
    numbered.collect()
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
    let internet = Internet::with_accounts("moods", &moods());
    let (first, said) = internet.run(1);
    let known = held(&first);
    assert_eq!(known.0, ["hetzner:floating_ip:3", "hetzner:server:42", "203.0.113.42", "203.0.113.43"], "{said}");
    assert_eq!(known.1, ["cloud_unused_address"]);
    for (state, why) in [(2, "too many requests"), (3, "the credential is not accepted"), (4, "denied")] {
        let (found, said) = internet.run(state);
        assert_eq!(held(&found), known, "state {state}: {said}");
        assert!(said.contains(why) && !said.contains("t0ken"), "state {state}: {said}");
    }
    let (found, said) = internet.run(5);
    assert_eq!(held(&found), (Vec::new(), Vec::new()), "{said}");
}

/// Sites of a domain that is a seed, and of one that nobody named.
const SITES: &str = r#"
zone other.test of acme
  ns ns1.other.test 203.0.113.3
name www.acme.test A 203.0.113.10
name other.test A 203.0.113.12
name shop.other.test A 203.0.113.12
site https://www.acme.test "Acme"
site https://shop.other.test "Shop"

"#;

#[test]
fn a_domain_that_stands_in_an_account_is_discovered_as_a_seed_is() {
    let zones = r#"json "{'zones':[{'id':1,'name':'acme.test'},{'id':2,'name':'other.test'}]}""#;
    let nothing = r#"json "{'servers':[],'floating_ips':[],'firewalls':[],'load_balancers':[],'primary_ips':[]}""#;
    let answers = [("when rrsets", r#"json "{'rrsets':[]}""#), ("when /v1/zones", zones), ("", nothing)];
    let mut world = format!("{SITES}{}", account("Zones", "t0ken", &answers));
    for held in ["CloudResource hetzner:zone:{1,2}", "Domain acme.test", "Domain other.test"] {
        world.push_str(&format!("  holds {held}\n"));
    }
    let found = Internet::with_accounts("zones", &world).whole_run();
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
    let internet = Internet::with_accounts("group", ORGANIZATION);
    let (first, said) = internet.run(1);
    let accounts: Vec<String> = first.names("AwsCredential").into_iter().collect();
    assert_eq!(accounts.len(), 3, "{accounts:?}: {said}");
    assert!(accounts[1].ends_with(") / 210987654321") && accounts[2].ends_with(") / 333333333333"), "{accounts:?}");
    let of = "arn:aws:ec2:eu-west-1:210987654321:elastic-ip/eipalloc-2";
    let things = |found: &Discovery| (found.names("AwsResource"), found.names("IpAddress").contains("203.0.113.42"));
    assert_eq!(things(&first), ([of.to_owned()].into(), true), "{said}");
    let why = "AWS, sts in eu-west-1 for the role Reader of account 333333333333: denied: status 403, AccessDenied";
    assert!(said.contains(why), "{said}");
    let (second, said) = internet.run(2);
    assert_eq!(things(&second), things(&first), "a role that is refused says nothing: {said}");
    assert!(said.contains("aws_account (denied)"), "{said}");
    assert_eq!(second.names("AwsCredential").len(), 3);
}

/// Three projects at Google Cloud, of which one refuses; one has a zone for everybody and one for its networks. In the
/// second state the other refuses as well.
const PROJECTS: &str = r#"
account gcp "Data" of acme
  secret project_id acme-data
  secret client_email ambit@acme-data.iam.gserviceaccount.com
  secret private_key @rsa
  shown "Bearer acme-gcp"
  answers oauth2.googleapis.com freely when assertion= json "{'access_token':'acme-gcp'}"
  answers cloudresourcemanager.googleapis.com when pageToken=p2 json "{'projects':[{'projectId':'acme-shut','state':'ACTIVE'},{'projectId':'acme-gone','state':'DELETE_REQUESTED'}]}"
  answers cloudresourcemanager.googleapis.com json "{'projects':[{'projectId':'acme-data','state':'ACTIVE'},{'projectId':'acme-shop','state':'ACTIVE'}],'nextPageToken':'p2'}"
  answers cloudasset.googleapis.com when projects/acme-shut status 403 json "{}"
  answers cloudasset.googleapis.com when projects/acme-shop when IAM_POLICY when storage.googleapis.com json "{'assets':[{'name':'//storage.googleapis.com/acme-shown','iamPolicy':{'bindings':[{'role':'roles/storage.objectViewer','members':['allUsers']}]}},{'name':'//storage.googleapis.com/acme-kept','iamPolicy':{'bindings':[{'role':'roles/storage.admin','members':['user:ann@acme.test']}]}}]}"
  answers cloudasset.googleapis.com when projects/acme-shop when storage.googleapis.com json "{'assets':[{'name':'//storage.googleapis.com/acme-shown','resource':{'data':{'name':'acme-shown','iamConfiguration':{'publicAccessPrevention':'inherited'}}}},{'name':'//storage.googleapis.com/acme-kept','resource':{'data':{'name':'acme-kept','iamConfiguration':{'publicAccessPrevention':'enforced'}}}}]}"
  answers cloudasset.googleapis.com when projects/acme-shop when ServiceAccountKey json "{'assets':[{'name':'//iam.googleapis.com/projects/acme-shop/serviceAccounts/1/keys/old','resource':{'data':{'keyType':'USER_MANAGED','validAfterTime':'2020-01-01T00:00:00Z'}}},{'name':'//iam.googleapis.com/projects/acme-shop/serviceAccounts/1/keys/own','resource':{'data':{'keyType':'SYSTEM_MANAGED','validAfterTime':'2020-01-01T00:00:00Z'}}}]}"
  answers cloudasset.googleapis.com when projects/acme-shop when ManagedZone json "{'assets':[{'name':'//dns.googleapis.com/projects/acme-shop/managedZones/1','resource':{'data':{'name':'open','dnsName':'acme.test.','visibility':'PUBLIC'}}},{'name':'//dns.googleapis.com/projects/acme-shop/managedZones/2','resource':{'data':{'name':'inner','dnsName':'inner.test.','visibility':'PRIVATE'}}}]}"
  answers dns.googleapis.com when projects/acme-shop/managedZones/open/rrsets json "{'rrsets':[{'name':'shop.acme.test.','type':'A','rrdatas':['203.0.113.10']}]}"
  answers dns.googleapis.com json "{'rrsets':[{'name':'db.inner.test.','type':'A','rrdatas':['203.0.113.11']}]}"
  answers cloudasset.googleapis.com json "{}"

state 2
account gcp "Data" of acme
  secret project_id acme-data
  secret client_email ambit@acme-data.iam.gserviceaccount.com
  secret private_key @rsa
  shown "Bearer acme-gcp"
  answers oauth2.googleapis.com freely when assertion= json "{'access_token':'acme-gcp'}"
  answers cloudresourcemanager.googleapis.com json "{'projects':[{'projectId':'acme-shop','state':'ACTIVE'},{'projectId':'acme-shut','state':'ACTIVE'}]}"
  answers cloudasset.googleapis.com when projects/acme-data json "{}"
  answers cloudasset.googleapis.com status 403 json "{}"
"#;

#[test]
fn projects_that_a_service_account_may_list_are_looked_through_and_one_that_refuses_is_named() {
    let internet = Internet::with_accounts("projects", PROJECTS);
    let (first, said) = internet.run(1);
    let accounts: Vec<String> = first.names("GcpCredential").into_iter().collect();
    let ends = |end: &str| accounts.iter().filter(|name| name.ends_with(end)).count();
    assert_eq!((accounts.len(), ends(") / acme-shop"), ends(") / acme-shut")), (3, 1, 1), "{accounts:?}: {said}");
    assert!(said.contains("cloud_account (denied)") && said.contains(" of acme-shut: denied: status 403"), "{said}");
    let things = |found: &Discovery| {
        let issue = |issue: &serde_json::Value| {
            let text = |member: &str| issue[member].as_str().unwrap_or_default().to_owned();
            let is_open = issue["summary"]["status_new"] == "open" && text("name").starts_with("cloud_");
            is_open.then(|| format!("{} {}", text("name"), text("entity_name")))
        };
        let mut issues: Vec<String> = found.issues.values().filter_map(issue).collect();
        issues.sort();
        (found.names("GcpStorageBucket"), found.names("DnsRecord"), issues)
    };
    let (buckets, names, issues) = things(&first);
    assert_eq!(buckets, ["acme-kept", "acme-shown"].map(str::to_owned).into(), "{said}");
    assert!(names.contains("shop.acme.test"), "{names:?}");
    assert!(first.entities.values().all(|entity| !entity["name"].to_string().contains("inner.test")), "{names:?}");
    let wanted = [
        "cloud_bucket_publishing_allowed acme-shown",
        "cloud_old_service_key //iam.googleapis.com/projects/acme-shop/serviceAccounts/1/keys/old",
        "cloud_public_bucket_roles acme-shown",
    ];
    assert_eq!(issues, wanted, "{said}");
    let (second, said) = internet.run(2);
    assert_eq!(things(&second), things(&first), "a project that refuses says nothing: {said}");
    assert_eq!(second.names("GcpCredential").len(), 3);
    assert!(said.contains("cloud_account (denied)"), "{said}");
}

/// A machine of theirs at a provider, and an address there that was given back; their zone has records for both. The
/// machines are listed so.
fn ocean(machines: &str) -> String {
    format!(
        r#"
org ocean "DigitalOcean, LLC" vendor
block 198.51.100.0/24 of ocean asn AS14061 named DIGITALOCEAN-198-51-100-0
name www.acme.test A 198.51.100.7
name old.acme.test A 198.51.100.9
account digitalocean "Ocean" of acme
  secret token oc3an
  shown "Bearer oc3an"
  answers api.digitalocean.com when /records json "{{'domain_records':[{{'type':'A','name':'www','data':'198.51.100.7'}},{{'type':'A','name':'old','data':'198.51.100.9'}}]}}"
  answers api.digitalocean.com when /v2/droplets {machines}
  answers api.digitalocean.com json "{{'apps':[],'databases':[],'domains':[{{'name':'acme.test'}}],'firewalls':[],'kubernetes_clusters':[],'load_balancers':[],'reserved_ips':[],'reserved_ipv6s':[]}}"
"#
    )
}

#[test]
fn a_record_of_a_zone_at_an_address_that_no_account_holds_is_told_unless_a_list_is_denied() {
    let machine = r#"json "{'droplets':[{'id':7,'networks':{'v4':[{'type':'public','ip_address':'198.51.100.7'}]}}]}""#;
    let denied = r#"status 403 json "{}""#;
    for (name, machines, wanted) in [("ocean", machine, &["old.acme.test"][..]), ("ocean-denied", denied, &[])] {
        let (found, said) = Internet::with_accounts(name, &ocean(machines)).run(1);
        let dangling = found.issues.values().filter(|issue| issue["name"] == "cloud_dangling_address");
        let names: Vec<&str> = dangling.filter_map(|issue| issue["entity_name"].as_str()).collect();
        assert_eq!(names, wanted, "{said}");
        assert!(found.names("DnsRecord").contains("old.acme.test"), "{said}");
    }
}

#[test]
fn an_account_at_a_forge_leads_to_what_it_has_and_a_word_to_what_may_be_theirs() {
    let internet = Internet {
        folder: Folder::new("forge"),
        file: concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/estate.world").into(),
        workflow: "code_repository_discovery_and_assessment",
    };
    let found = internet.whole_run();
    assert_eq!((found.figure("missed"), found.figure("unexpected")), (0, 0), "{}", found.summary);
    let own: Vec<String> = found.names("GithubRepository").into_iter().collect();
    let wanted = ["ops", "shop", "tools"].map(|name| format!("https://github.com/acme/{name}"));
    assert_eq!(own, wanted, "no fork, and nothing of a stranger's");
    let named = |name: &str| found.entities.values().find(|entity| entity["name"] == name);
    let stranger = named("https://github.com/zoe/acmeshop-themes").expect("it bears their word");
    assert_ne!(stranger["summary"]["scoped"], true, "{stranger}");
    for lead in ["db.acme.test", "203.0.113.7", "https://api.acme.test:443/v1/orders"] {
        let lead = named(lead).unwrap_or_else(|| panic!("{lead} is named by a file"));
        assert_ne!(lead["summary"]["scoped"], true, "nothing shows that it is theirs: {lead}");
    }
    for other in ["1.2.3.4", "10.0.0.8", "main.rs", "com.acme.tools", "acme.tools", "db.tools.svc.cluster.local"] {
        assert!(named(other).is_none(), "{other}");
    }
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
    let uid = account["id"].as_str().expect("text");
    let shown = succeed(&["entity", "show", uid, "--data", &internet.data()]);
    for words in ["account_type: \"Organization\"", "title: \"Acme Corp\"", "website: \"https://acme.test\""] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let again = internet.whole_run();
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

#[test]
fn a_bucket_or_machine_at_a_provider_that_is_a_seed_is_looked_at_where_everybody_reaches_it() {
    let folder = Folder::new("estate-seeds");
    let machine = "AwsEC2Instance:ec2-198-51-100-20.eu-west-1.compute.amazonaws.com";
    let seeds = ["AwsS3Bucket:acme-files", "AwsS3Bucket:acme-logs", "GcpStorageBucket:acme-backups", machine];
    let found = scan_text(&folder, WORLD, &seeds);
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
    let buckets = [
        "https://acme-files.s3.amazonaws.com",
        "https://acme-logs.s3.amazonaws.com",
        "https://storage.googleapis.com/acme-backups",
    ];
    assert_eq!(found.names("CloudStorageBucket"), buckets.map(str::to_owned).into());
    let open = found.issues.values().filter(|issue| issue["name"] == "open_bucket");
    let open: Vec<&str> = open.filter_map(|issue| issue["entity_name"].as_str()).collect();
    assert_eq!(open, [buckets[0]], "the other two answer nobody");
    assert_eq!(found.names("IpAddress"), ["198.51.100.20".to_owned()].into());
    assert!(found.names("NetworkService").contains("198.51.100.20:443/tcp"), "{:?}", found.names("NetworkService"));
}

#[test]
fn a_token_that_is_a_seed_is_searched_for_in_code() {
    let folder = Folder::new("estate-token");
    let found = scan_text(&folder, WORLD, &["--workflow", "code_repository_discovery_and_assessment", TOKEN_OF_ZOE]);
    let repositories = found
        .entities
        .values()
        .filter(|entity| entity["type"].as_str().is_some_and(|kind| kind.ends_with("GithubRepository")));
    let repositories: Vec<_> = repositories.map(|entity| (&entity["name"], &entity["summary"]["scoped"])).collect();
    let holder = serde_json::json!("https://github.com/zoe/acmeshop-themes");
    assert_eq!(repositories, [(&holder, &Value::Bool(false))], "who holds it is told, and is nobody's of ours");
}

/// A part of a key that stands in the code of a stranger alone.
const TOKEN_OF_ZOE: &str = "UniqueToken:w4Kx8VbN2sKd";
