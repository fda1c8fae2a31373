//! Names in zones keep where they lead, with whether an account of the collection holds that.

use super::explorer::empty_facts;
use super::faulty::{Looked, look_by};
use ambit_model::entity::aws;
use ambit_model::{Kind, Timestamp};
use ambit_tasks::{Account, Settings};
use ambit_world::World;
use serde_json::{Value, json};

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);

const ZONES: &str =
    "<R><HostedZones><HostedZone><Id>/hostedzone/Z1</Id><Name>acme.test.</Name></HostedZone></HostedZones></R>";
const RECORDS: &str = "<R><ResourceRecordSets><ResourceRecordSet><Name>www.acme.test.</Name><Type>A</Type><ResourceRecords>\
    <ResourceRecord><Value>203.0.113.9</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>\
    <ResourceRecordSet><Name>old.acme.test.</Name><Type>A</Type><ResourceRecords><ResourceRecord><Value>203.0.113.10</Value>\
    </ResourceRecord><ResourceRecord><Value>10.0.0.1</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>\
    <ResourceRecordSet><Name>shop.acme.test.</Name><Type>A</Type><AliasTarget>\
    <DNSName>dualstack.Front-1.eu-west-1.elb.amazonaws.com.</DNSName></AliasTarget></ResourceRecordSet>\
    <ResourceRecordSet><Name>gone.acme.test.</Name><Type>A</Type><AliasTarget><DNSName>gone-1.eu-west-1.elb.amazonaws.com.\
    </DNSName></AliasTarget></ResourceRecordSet><ResourceRecordSet><Name>cdn.acme.test.</Name><Type>A</Type><AliasTarget>\
    <DNSName>d1.cloudfront.net.</DNSName></AliasTarget></ResourceRecordSet>\
    <ResourceRecordSet><Name>*.apps.acme.test.</Name><Type>A</Type><AliasTarget>\
    <DNSName>gone-2.eu-west-1.elb.amazonaws.com.</DNSName></AliasTarget></ResourceRecordSet>\
    <ResourceRecordSet><Name>*.pool.acme.test.</Name><Type>A</Type><ResourceRecords><ResourceRecord>\
    <Value>203.0.113.11</Value></ResourceRecord><ResourceRecord><Value>203.0.113.9</Value></ResourceRecord>\
    <ResourceRecord><Value>203.0.113.12</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>\
    <ResourceRecordSet><Name>*.web.acme.test.</Name><Type>CNAME</Type><ResourceRecords><ResourceRecord>\
    <Value>X.vendor.test.</Value></ResourceRecord></ResourceRecords></ResourceRecordSet></ResourceRecordSets></R>";
/// Names below which everything else is answered by a wildcard.
const LEVELS: &[&str] = &["apps.acme.test", "pool.acme.test", "web.acme.test"];
const BALANCERS: &str = "<R><DescribeLoadBalancersResult><LoadBalancers><member><LoadBalancerArn>arn:x</LoadBalancerArn>\
    <Scheme>internet-facing</Scheme><DNSName>front-1.eu-west-1.elb.amazonaws.com</DNSName></member></LoadBalancers>\
    </DescribeLoadBalancersResult></R>";
const CLASSIC: &str = "<R><DescribeLoadBalancersResult><LoadBalancerDescriptions/></DescribeLoadBalancersResult></R>";
const AMAZON: &str = "Amazon Web Services";
const REGIONS: &str = "<R><regionInfo><item><regionName>eu-west-1</regionName><optInStatus>opted-in</optInStatus></item></regionInfo></R>";
const IDENTITY: &str = "<R><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/a</Arn><Account>123456789012</Account>\
    </GetCallerIdentityResult></R>";
const DENIED: &str = "<R><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></R>";

/// What is said of each name that is no wildcard's, where the interfaces of the account are answered so.
fn points(interfaces: &str, settings: Value) -> Vec<(String, Value)> {
    let mut said = said_of_all(interfaces, settings);
    said.retain(|(name, _)| !LEVELS.contains(&name.as_str()));
    said
}

/// The same of every name.
fn said_of_all(interfaces: &str, settings: Value) -> Vec<(String, Value)> {
    let text = format!(
        r#"
world zones "Zones"
seeds acme.test
org acme "Acme Corp" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
host 203.0.113.11 of acme
  ptr ec2-203-0-113-11.eu-west-1.compute.amazonaws.com
account aws "Zones" of acme
  secret aws_access_key_id acme-first
  secret aws_secret_access_key not-a-secret
  setting region eu-west-1
  shown "Credential=acme-"
  answers route53.amazonaws.com when rrset xml "{RECORDS}"
  answers route53.amazonaws.com xml "{ZONES}"
  answers ec2.eu-west-1.amazonaws.com when DescribeRegions xml "{REGIONS}"
  answers ec2.eu-west-1.amazonaws.com when DescribeNetworkInterfaces {interfaces}
  answers ec2.eu-west-1.amazonaws.com xml "<R><addressesSet><item><publicIp>203.0.113.9</publicIp></item></addressesSet><reservationSet/></R>"
  answers elasticloadbalancing.eu-west-1.amazonaws.com when Version=2012 xml "{CLASSIC}"
  answers elasticloadbalancing.eu-west-1.amazonaws.com xml "{BALANCERS}"
  answers sts.eu-west-1.amazonaws.com xml "{IDENTITY}"
  answers organizations.us-east-1.amazonaws.com status 400 json "{{'__type':'AWSOrganizationsNotInUseException'}}"
  answers globalaccelerator.us-west-2.amazonaws.com json "{{'Accelerators':[]}}"
"#
    );
    let world = World::parse(&text, "zones.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let secrets = json!({"aws_access_key_id": "acme-first", "aws_secret_access_key": "not-a-secret"});
    let account = account(Kind::AwsCredential, &secrets, settings);
    let mut given = Settings::default();
    given.accounts.insert("a".to_owned(), account);
    let mut facts = empty_facts(Kind::AwsCredential, "a");
    facts.details.extend([
        aws::ACCOUNT_ID.is("123456789012".to_owned()),
        aws::ARN.is("arn:aws:iam::123456789012:user/a".to_owned()),
        aws::REGIONS.is(vec!["eu-west-1".to_owned()]),
    ]);
    let argument = "route53:ListResourceRecordSets us-east-1";
    let looked = look_by(given, (&world, EPOCH), "aws_account", (facts, argument), |_, _| None);
    said(&looked, "hidden_aws_zone_targets")
}

fn account(kind: Kind, secrets: &Value, settings: Value) -> Account {
    let Value::Object(settings) = settings else { panic!("settings are an object") };
    Account { kind: Some(kind), secrets: secrets.as_object().cloned(), settings }
}

/// What was said of each name.
fn said(looked: &Looked, member: &str) -> Vec<(String, Value)> {
    assert_eq!(looked.answer, Ok(ambit_tasks::Answer::Found));
    let said = |edge: &ambit_model::observation::Discovery| {
        (edge.name.clone(), edge.details.get(member).cloned().unwrap_or_default())
    };
    looked.found.edges.iter().map(said).collect()
}

#[test]
fn a_name_in_a_zone_keeps_its_addresses_and_whether_they_are_held() {
    let region = json!({"region": "eu-west-1"});
    let point = |target: &str, held: Value| json!([{"record": "A", "target": target, "held": {AMAZON: held}}]);
    let of = |[www, old, shop, gone]: [Value; 4]| {
        vec![
            ("cdn.acme.test".to_owned(), Value::Null),
            ("gone.acme.test".to_owned(), point("gone-1.eu-west-1.elb.amazonaws.com", gone)),
            ("old.acme.test".to_owned(), point("203.0.113.10", old)),
            ("shop.acme.test".to_owned(), point("front-1.eu-west-1.elb.amazonaws.com", shop)),
            ("www.acme.test".to_owned(), point("203.0.113.9", www)),
        ]
    };
    let unknown = || of([Value::Null, Value::Null, Value::Null, Value::Null]);
    let whole = "xml \"<R><networkInterfaceSet/></R>\"";
    assert_eq!(points(whole, region.clone()), of([json!(true), json!(false), json!(true), json!(false)]));
    let denied = format!("status 403 xml \"{DENIED}\"");
    assert_eq!(points(&denied, region), unknown(), "what cannot be read may be held there");
    let narrowed = json!({"region": "eu-west-1", "regions": ["eu-west-1"]});
    assert_eq!(points(whole, narrowed), unknown(), "other regions are not looked at");
}

#[test]
fn a_wildcard_in_a_zone_keeps_where_it_leads_unless_nobody_knows_whose_that_is() {
    let of = |held: Value| {
        let point =
            |of: &str, to: &str, held: Value| json!([{"record": of, "target": to, "held": held, "wildcard": true}]);
        let points = [
            point("A", "gone-2.eu-west-1.elb.amazonaws.com", json!({ AMAZON: held })),
            // One address is held, and of another one no name says whose it is.
            point("A", "203.0.113.11", json!({ AMAZON: held })),
            point("CNAME", "x.vendor.test", json!({})),
        ];
        LEVELS.iter().map(|name| (*name).to_owned()).zip(points).collect::<Vec<_>>()
    };
    let levels = |interfaces: &str| {
        let mut said = said_of_all(interfaces, json!({"region": "eu-west-1"}));
        said.retain(|(name, _)| LEVELS.contains(&name.as_str()));
        said
    };
    assert_eq!(levels("xml \"<R><networkInterfaceSet/></R>\""), of(json!(false)));
    assert_eq!(levels(&format!("status 403 xml \"{DENIED}\"")), of(Value::Null));
}

/// What is said of names in a zone at Cloudflare where two accounts at Hetzner and one at Linode are connected; the
/// machines of the second one at Hetzner are answered so.
fn elsewhere(machines: &str) -> Vec<(String, Value)> {
    let text = format!(
        r#"
world zones "Zones"
seeds acme.test
org acme "Acme Corp" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
account cloudflare "Zones" of acme
  secret token cl0ud
  shown "Bearer cl0ud"
  answers api.cloudflare.com when dns_records json "{{'result':[{{'type':'A','name':'www.acme.test','content':'203.0.113.9'}},{{'type':'A','name':'old.acme.test','content':'203.0.113.10'}},{{'type':'AAAA','name':'six.acme.test','content':'2001:db8:1::7'}},{{'type':'CNAME','name':'shop.acme.test','content':'x.test'}}]}}"
  answers api.cloudflare.com json "{{'result':[{{'id':'z','name':'acme.test'}}]}}"
account hetzner "First" of acme
  secret token f1rst
  shown "Bearer f1rst"
  answers api.hetzner.cloud when servers json "{{'servers':[{{'id':1,'public_net':{{'ipv6':{{'ip':'2001:db8:1::/64'}}}}}}]}}"
  answers api.hetzner.cloud json "{{'floating_ips':[],'load_balancers':[],'primary_ips':[]}}"
account linode "Third" of acme
  secret token th1rd
  shown "Bearer th1rd"
  answers api.linode.com json "{{'data':[]}}"
account digitalocean "Second" of acme
  secret token s3cond
  shown "Bearer s3cond"
  answers api.digitalocean.com when droplets {machines}
  answers api.digitalocean.com json "{{'kubernetes_clusters':[],'reserved_ips':[],'reserved_ipv6s':[],'load_balancers':[]}}"
"#
    );
    let world = World::parse(&text, "zones.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let mut given = Settings::default();
    for (name, provider, token) in [
        ("c", "cloudflare", "cl0ud"),
        ("d", "digitalocean", "s3cond"),
        ("h", "hetzner", "f1rst"),
        ("l", "linode", "th1rd"),
    ] {
        let opened = account(Kind::CloudCredential, &json!({"token": token}), json!({"provider": provider}));
        given.accounts.insert(name.to_owned(), opened);
    }
    let facts = empty_facts(Kind::CloudCredential, "c");
    let looked = look_by(given, (&world, EPOCH), "cloud_account", (facts, "records"), |_, _| None);
    said(&looked, "hidden_cloud_zone_targets")
}

#[test]
fn a_name_in_any_zone_is_held_by_an_account_at_any_provider_and_what_is_denied_is_not_known() {
    let of = |machine: [Value; 3]| {
        let [old, six, www] = machine;
        let point = |record: &str, target: &str, at_hetzner: bool, at_ocean: Value| {
            let held = json!({"Akamai": false, "DigitalOcean": at_ocean, "Hetzner Cloud": at_hetzner});
            json!([{"record": record, "target": target, "held": held}])
        };
        vec![
            ("old.acme.test".to_owned(), point("A", "203.0.113.10", false, old)),
            ("shop.acme.test".to_owned(), Value::Null),
            ("six.acme.test".to_owned(), point("AAAA", "2001:db8:1::7", true, six)),
            ("www.acme.test".to_owned(), point("A", "203.0.113.9", false, www)),
        ]
    };
    let machine = r#"json "{'droplets':[{'id':7,'networks':{'v4':[{'type':'public','ip_address':'203.0.113.9'}]}}]}""#;
    assert_eq!(elsewhere(machine), of([json!(false), json!(false), json!(true)]));
    let denied = r#"status 403 json "{}""#;
    assert_eq!(elsewhere(denied), of([Value::Null, Value::Null, Value::Null]));
}
