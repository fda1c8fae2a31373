//! Names in zones at AWS keep the addresses that they point at, with whether an account of the collection holds those.

use super::explorer::empty_facts;
use super::faulty::look_by;
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
    <ResourceRecordSet><Name>shop.acme.test.</Name><Type>A</Type><AliasTarget><DNSName>x.elb.amazonaws.com.</DNSName>\
    </AliasTarget></ResourceRecordSet></ResourceRecordSets></R>";
const REGIONS: &str = "<R><regionInfo><item><regionName>eu-west-1</regionName><optInStatus>opted-in</optInStatus></item></regionInfo></R>";
const IDENTITY: &str = "<R><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/a</Arn><Account>123456789012</Account>\
    </GetCallerIdentityResult></R>";
const DENIED: &str = "<R><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></R>";

/// What is said of each name, where the interfaces of the account are answered so.
fn points(interfaces: &str, settings: Value) -> Vec<(String, Value)> {
    let text = format!(
        r#"
world zones "Zones"
seeds acme.test
org acme "Acme Corp" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
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
  answers sts.eu-west-1.amazonaws.com xml "{IDENTITY}"
  answers organizations.us-east-1.amazonaws.com status 400 json "{{'__type':'AWSOrganizationsNotInUseException'}}"
  answers globalaccelerator.us-west-2.amazonaws.com json "{{'Accelerators':[]}}"
"#
    );
    let world = World::parse(&text, "zones.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let secrets = json!({"aws_access_key_id": "acme-first", "aws_secret_access_key": "not-a-secret"});
    let account = Account { secrets: secrets.as_object().cloned(), settings: settings.as_object().cloned().unwrap() };
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
    assert_eq!(looked.answer, Ok(ambit_tasks::Answer::Found));
    let said = |edge: &ambit_model::observation::Discovery| {
        let points = edge.details.get("hidden_aws_zone_addresses").cloned().unwrap_or_default();
        (edge.name.clone(), points)
    };
    looked.found.edges.iter().map(said).collect()
}

#[test]
fn a_name_in_a_zone_keeps_its_addresses_and_whether_they_are_held() {
    let region = json!({"region": "eu-west-1"});
    let point = |address: &str, held: Value| json!([{"record": "A", "address": address, "held": held}]);
    let of = |held_www: Value, held_old: Value| {
        vec![
            ("old.acme.test".to_owned(), point("203.0.113.10", held_old)),
            ("shop.acme.test".to_owned(), Value::Null),
            ("www.acme.test".to_owned(), point("203.0.113.9", held_www)),
        ]
    };
    let whole = "xml \"<R><networkInterfaceSet/></R>\"";
    assert_eq!(points(whole, region.clone()), of(json!(true), json!(false)));
    let denied = format!("status 403 xml \"{DENIED}\"");
    assert_eq!(points(&denied, region), of(Value::Null, Value::Null), "what cannot be read may be held there");
    let narrowed = json!({"region": "eu-west-1", "regions": ["eu-west-1"]});
    assert_eq!(points(whole, narrowed), of(Value::Null, Value::Null), "other regions are not looked at");
}
