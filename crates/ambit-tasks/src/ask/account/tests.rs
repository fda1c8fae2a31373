//! Lists of an account at a simulated AWS: what pages, refusals and wildcards are to a row.

use super::*;
use crate::tests::facts;
use crate::{Account, Answer, Settings};
use ambit_model::facts::Neighbour;
use ambit_model::observation::Found;
use ambit_model::{Clearance, Facts, TaskName, Timestamp, Uid};
use ambit_net::net::NetOptions;
use ambit_net::{Contact, Grants, Guard, Net, Pace, PaceLimits, Refused, Wire as _};
use ambit_world::{SimulatedWire, World};
use futures::future::BoxFuture;
use serde_json::json;
use std::net::IpAddr;
use std::sync::Arc;

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);
const DENIED: &str = "status 403 xml \"<Error><Code>AccessDenied</Code></Error>\"";
const BUCKETS: &str =
    "<R><Buckets><Bucket><Name>acme-a</Name></Bucket><Bucket><Name>acme-b</Name></Bucket></Buckets></R>";
const GRANTS: &str = "<R><AccessControlList/></R>";

struct Anything;

impl Guard for Anything {
    fn allow(&self, _: &Contact) -> Result<(), Refused> {
        Ok(())
    }

    fn named(&self, _: IpAddr) -> bool {
        true
    }
}

/// What is done with the context of a row.
type Look<T> = for<'a> fn(&'a Context<'a>) -> BoxFuture<'a, T>;

/// Does it where the interfaces of the account answer so; with what was reported.
fn looked<T: Send + 'static>(answers: &[String], argument: &str, known: &[(Kind, &str)], look: Look<T>) -> (T, Found) {
    let lines: String = answers.iter().map(|line| format!("  answers {line}\n")).collect();
    let text = format!(
        r#"
world lists "Lists"
seeds acme.test
org acme "Acme Corp" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name www.acme.test A 203.0.113.10
account aws "Lists" of acme
  secret aws_access_key_id acme-first
  secret aws_secret_access_key not-a-secret
  setting region us-east-1
  shown "Credential=acme-"
{lines}"#
    );
    let world = World::parse(&text, "lists.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let wire = world.wire(EPOCH, 1);
    let secrets = json!({"aws_access_key_id": "acme-first", "aws_secret_access_key": "not-a-secret"});
    let said = json!({"regions": ["us-east-1", "cn-north-1", "x"]});
    let account = Account {
        kind: Some(Kind::AwsCredential),
        secrets: secrets.as_object().cloned(),
        settings: said.as_object().cloned().unwrap(),
    };
    let mut settings = Settings::default();
    settings.accounts.insert("a".to_owned(), account);
    let outward = known.iter().map(|(kind, name)| neighbour(*kind, name, argument)).collect();
    let facts = Facts { outward, ..facts(Kind::AwsCredential, "a", json!({"account_id": "123456789012"})) };
    let argument = argument.to_owned();
    let (send, receive) = std::sync::mpsc::channel();
    let tracked: Arc<SimulatedWire> = wire.clone();
    runtime.block_on(wire.track(Box::pin(async move {
        let net =
            Net::new(tracked, Arc::new(Anything), Arc::new(Pace::new(PaceLimits::default())), NetOptions::default());
        let session = net.session(Grants::task(Clearance::L3, &[aws::PROVIDER]));
        let context = Context::new(&session, &facts, &argument, &settings);
        let answer = look(&context).await;
        send.send((answer, context.into_found())).unwrap();
    })));
    receive.recv().unwrap()
}

fn neighbour(kind: Kind, name: &str, argument: &str) -> Neighbour {
    Neighbour {
        edge: EdgeKind::CloudAccount,
        task: TaskName::AwsAccount.as_str().to_owned(),
        argument: argument.to_owned(),
        uid: uid(kind, name),
        kind,
        name: name.to_owned(),
        scoped: true,
        by_evidence: false,
        clearance: Clearance::L3,
        details: Arc::default(),
    }
}

fn uid(kind: Kind, name: &str) -> Uid {
    Uid::of_entity(uuid::Uuid::nil(), kind, name)
}

/// The row of the task with this argument.
fn row(answers: &[String], argument: &str, known: &[(Kind, &str)]) -> (Result<Answer, TaskError>, Found) {
    looked(answers, argument, known, crate::find("aws_account").unwrap().run)
}

fn names(found: &Found) -> Vec<&str> {
    found.edges.iter().map(|edge| edge.name.as_str()).collect()
}

#[test]
fn a_page_that_repeats_is_no_end_of_a_list() {
    let body = |next: &str| format!("<R><securityGroupInfo/><nextToken>{next}</nextToken></R>");
    let host = "ec2.us-east-1.amazonaws.com";
    let same = [format!("{host} xml \"{}\"", body("m"))];
    // Two that lead to one another.
    let ring = [format!("{host} when NextToken=m xml \"{}\"", body("n")), format!("{host} xml \"{}\"", body("m"))];
    for answers in [same.as_slice(), &ring] {
        let (answer, found) = row(answers, "ec2:DescribeSecurityGroups us-east-1", &[]);
        let why = "AWS, ec2 in us-east-1: the next page is one that was read before";
        assert_eq!(answer, Err(TaskError::SourceDown(why.to_owned())));
        assert_eq!(found.edges, []);
    }
}

#[test]
fn what_came_before_a_page_that_fails_or_repeats_is_kept_and_nothing_known_is_gone() {
    let host = "ec2.us-east-1.amazonaws.com";
    let body = |more: &str| {
        let reservation = "<reservationSet><item><instancesSet><item><instanceId>i-1</instanceId><ipAddress>203.0.113.9\
                           </ipAddress></item></instancesSet></item></reservationSet>";
        format!("<R>{reservation}{more}</R>")
    };
    let answers = [
        format!("{host} when NextToken=m status 500 xml \"<Error><Code>InternalError</Code></Error>\""),
        format!("{host} xml \"{}\"", body("<nextToken>m</nextToken>")),
    ];
    let look: Look<(usize, Option<TaskError>)> = |cx| {
        Box::pin(async move {
            let caller = Caller::Aws(aws::Caller::of(cx).await.unwrap());
            let list = ambit_cloud::aws::list("ec2:DescribeInstances").unwrap();
            let place = Place { region: "us-east-1", partition: "aws", domain: "amazonaws.com", ..Place::default() };
            let Listed { assets, unread } = caller.listed(cx, list, &place).await.unwrap();
            (assets.len(), unread.map(|unread| unread.error))
        })
    };
    let ((count, error), _) = looked(&answers, "ec2:DescribeInstances us-east-1", &[], look);
    let why = "AWS, ec2 in us-east-1: refused: status 500, InternalError";
    assert_eq!((count, error), (1, Some(TaskError::SourceDown(why.to_owned()))));
    let gone = [(Kind::DnsRecord, "www.acme.test")];
    let (answer, found) = row(&answers, "ec2:DescribeInstances us-east-1", &gone);
    assert_eq!(answer, Ok(Answer::InPart(TaskError::SourceDown(why.to_owned()))));
    assert_eq!(found.standing.len(), 1, "what was known stands");
}

#[test]
fn a_list_that_has_more_pages_than_are_read_is_kept_and_says_so() {
    let host = "ec2.us-east-1.amazonaws.com";
    let page = |at: usize, mark: &str| {
        format!(
            "{host} {mark}xml \"<R><reservationSet><item><instancesSet><item><instanceId>i-{at}</instanceId><ipAddress>\
             203.0.113.9</ipAddress></item></instancesSet></item></reservationSet><nextToken>m{}x</nextToken></R>\"",
            at + 1
        )
    };
    let behind = (1..=PAGES_MAX).map(|at| page(at, &format!("when NextToken=m{at}x ")));
    let answers: Vec<String> = behind.chain([page(0, "")]).collect();
    let (answer, found) = row(&answers, "ec2:DescribeInstances us-east-1", &[(Kind::DnsRecord, "www.acme.test")]);
    let why = "AWS, ec2 in us-east-1 has more than 1000 pages";
    assert_eq!(answer, Ok(Answer::InPart(TaskError::OutOfBudget(why.to_owned()))));
    let instances = found.edges.iter().filter(|edge| edge.kind == Kind::AwsEC2Instance).count();
    assert_eq!((instances, found.standing.len()), (PAGES_MAX, 1), "what was known may stand behind them");
}

#[test]
fn a_bucket_that_is_denied_silences_no_other_and_what_was_known_of_it_stands() {
    let host = "s3.us-east-1.amazonaws.com";
    let others = [format!("{host} when ?acl xml \"{GRANTS}\""), format!("{host} xml \"{BUCKETS}\"")];
    let denied = [vec![format!("{host} when /acme-b?acl {DENIED}")], others.to_vec()].concat();
    let known = [(Kind::AwsS3Bucket, "acme-a"), (Kind::AwsS3Bucket, "acme-b"), (Kind::AwsS3Bucket, "acme-gone")];
    let (answer, found) = row(&denied, "s3:GetBucketAcl", &known);
    let why = "AWS, s3 in us-east-1, s3:GetBucketAcl of acme-b: denied: status 403, AccessDenied";
    assert_eq!(answer, Ok(Answer::InPart(TaskError::Denied(why.to_owned()))));
    assert_eq!(names(&found), ["acme-a"]);
    let standing: Vec<Uid> = found.standing.iter().map(|(_, uid)| *uid).collect();
    assert_eq!(standing, [uid(Kind::AwsS3Bucket, "acme-b")], "what is no longer listed is gone");

    let every = [format!("{host} when ?acl {DENIED}"), format!("{host} xml \"{BUCKETS}\"")];
    let why = "AWS, s3 in us-east-1, s3:GetBucketAcl of acme-a: denied: status 403, AccessDenied; items not read: 2";
    assert_eq!(row(&every, "s3:GetBucketAcl", &known).0, Err(TaskError::Denied(why.to_owned())));
    let gone = "status 404 xml \"<Error><Code>NoSuchBucket</Code></Error>\"";
    let gone = [vec![format!("{host} when /acme-b?acl {gone}")], others.to_vec()].concat();
    let (answer, found) = row(&gone, "s3:GetBucketAcl", &known);
    assert_eq!((answer, names(&found), found.standing.len()), (Ok(Answer::Found), vec!["acme-a"], 0));
}

#[test]
fn what_two_pages_say_of_one_thing_is_said_together() {
    let host = "elasticloadbalancing.us-east-1.amazonaws.com";
    let page = |port: u16, next: &str| {
        format!(
            "xml \"<R><DescribeListenersResult><Listeners><member><Port>{port}</Port></member></Listeners>{next}\
             </DescribeListenersResult></R>\""
        )
    };
    let balancers = "<R><DescribeLoadBalancersResult><LoadBalancers><member><LoadBalancerArn>arn:lb</LoadBalancerArn>\
                     </member></LoadBalancers></DescribeLoadBalancersResult></R>";
    let answers = [
        format!("{host} when Marker=m {}", page(443, "")),
        format!("{host} when Action=DescribeListeners {}", page(80, "<NextMarker>m</NextMarker>")),
        format!("{host} xml \"{balancers}\""),
    ];
    let (answer, found) = row(&answers, "elasticloadbalancing:DescribeListeners us-east-1", &[]);
    assert_eq!((answer, names(&found)), (Ok(Answer::Found), vec!["arn:lb"]));
    let listeners = found.edges[0].details["hidden_configuration"][0]["value"].as_array().unwrap();
    let ports: Vec<&Value> = listeners.iter().map(|listener| &listener["port"]).collect();
    assert_eq!(ports, [80, 443]);
}

#[test]
fn what_an_account_blocks_is_asked_once_for_all_its_buckets_and_a_denial_is_told() {
    let list = format!("s3.us-east-1.amazonaws.com xml \"{BUCKETS}\"");
    let control = "123456789012.s3-control.us-east-1.amazonaws.com";
    let block = "<R><IgnorePublicAcls>true</IgnorePublicAcls><RestrictPublicBuckets>false</RestrictPublicBuckets></R>";
    let known = [(Kind::AwsS3Bucket, "acme-a"), (Kind::AwsS3Bucket, "acme-b")];
    let ask = |answers: &[String]| row(answers, "s3:GetAccountPublicAccessBlock", &known);
    let (answer, found) = ask(&[list.clone(), format!("{control} xml \"{block}\"")]);
    assert_eq!((answer, names(&found)), (Ok(Answer::Found), vec!["acme-a", "acme-b"]));
    let says = |name: &str, value: bool| json!({"name": name, "value": value});
    let wanted = json!([says("account_blocks_acls", true), says("account_blocks_policies", false)]);
    assert!(found.edges.iter().all(|edge| edge.details["hidden_configuration"] == wanted), "{found:?}");
    let (answer, found) = ask(&[list, format!("{control} {DENIED}")]);
    let why = "AWS, s3 in us-east-1, s3:GetAccountPublicAccessBlock: denied: status 403, AccessDenied";
    assert_eq!((answer, found.edges.len()), (Err(TaskError::Denied(why.to_owned())), 0));
    let (answer, found) = ask(&["s3.us-east-1.amazonaws.com xml \"<R><Buckets/></R>\"".to_owned()]);
    assert_eq!((answer, found.edges.len()), (Ok(Answer::Found), 0), "without a bucket nothing is asked");
}

#[test]
fn a_list_that_refuses_item_after_item_is_asked_no_more_and_the_rest_is_not_read() {
    let list = ambit_cloud::aws::list("s3:GetBucketAcl").unwrap();
    let bucket = Asset { item: json!({"Name": "acme-a"}), ..Asset::default() };
    let place = Place::default();
    let refused = |error: fn(String) -> TaskError, count: usize, before: bool| {
        let mut reading = Reading::default();
        (0..count - 1).for_each(|_| reading.add(Err(error("x".to_owned())), list, &bucket, &place).unwrap());
        if before {
            reading.add(Ok(vec![bucket.clone()]), list, &bucket, &place).unwrap();
        }
        reading.add(Err(error("x".to_owned())), list, &bucket, &place).unwrap();
        reading
    };
    for (error, most) in [(TaskError::SourceDown as fn(String) -> TaskError, 3), (TaskError::Denied, 50)] {
        assert!(!refused(error, most - 1, false).is_over());
        assert!(refused(error, most, false).is_over());
        assert!(!refused(error, most, true).is_over(), "one that is answered shows that the list is");
    }
    let mut over = refused(TaskError::Denied, 3, true);
    over.pass_over(list, &bucket, &place);
    let listed = over.end().unwrap();
    assert_eq!((listed.assets.len(), &listed.assets[0].item), (1, &Value::Null));
    assert_eq!(listed.unread.unwrap().error, TaskError::Denied("x; items not read: 4".to_owned()));
    let budget = Err(TaskError::OutOfBudget("x".to_owned()));
    assert!(Reading::default().add(budget, list, &bucket, &place).is_err());
}

#[test]
fn names_of_a_zone_that_is_denied_stand_and_a_wildcard_leads_to_its_level() {
    let host = "route53.amazonaws.com";
    let zone = |id: &str| format!("<HostedZone><Id>/hostedzone/{id}</Id><Name>{id}.test.</Name></HostedZone>");
    let zones = format!("<R><HostedZones>{}{}</HostedZones></R>", zone("zo"), zone("zp"));
    let record = |name: &str| {
        format!(
            "<ResourceRecordSet><Name>{name}</Name><Type>A</Type><ResourceRecords><ResourceRecord><Value>203.0.113.9\
             </Value></ResourceRecord></ResourceRecords></ResourceRecordSet>"
        )
    };
    let records = format!("<R><ResourceRecordSets>{}</ResourceRecordSets></R>", record("*.apps.zo.test."));
    let answers = [
        format!("{host} when zp/rrset {DENIED}"),
        format!("{host} when rrset xml \"{records}\""),
        format!("{host} xml \"{zones}\""),
    ];
    let known = [(Kind::DnsRecord, "www.zo.test"), (Kind::DnsRecord, "www.zp.test"), (Kind::Domain, "zp.test")];
    let (answer, found) = row(&answers, "route53:ListResourceRecordSets us-east-1", &known);
    let why = "AWS, route53 in us-east-1, route53:ListResourceRecordSets of arn:aws:route53:::hostedzone/zp: denied: \
               status 403, AccessDenied";
    assert_eq!(answer, Ok(Answer::InPart(TaskError::Denied(why.to_owned()))));
    assert_eq!(names(&found), ["apps.zo.test"]);
    assert_eq!(found.edges[0].details.get("hidden_aws_zone_targets"), None, "the name itself leads nowhere");
    let mut standing: Vec<Uid> = found.standing.iter().map(|(_, uid)| *uid).collect();
    let mut wanted = vec![uid(Kind::DnsRecord, "www.zp.test"), uid(Kind::Domain, "zp.test")];
    standing.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(standing, wanted);
}

#[test]
fn a_list_is_bounded_by_the_bytes_of_all_its_pages_and_items() {
    let host = "s3.us-east-1.amazonaws.com";
    let answers = [format!("{host} when ?acl xml \"{GRANTS}\""), format!("{host} xml \"{BUCKETS}\"")];
    let look: Look<Vec<Result<usize, TaskError>>> = |cx| {
        Box::pin(async move {
            let caller = Caller::Aws(aws::Caller::of(cx).await.unwrap());
            let list = ambit_cloud::aws::list("s3:GetBucketAcl").unwrap();
            let place = Place { region: "us-east-1", partition: "aws", domain: "amazonaws.com", ..Place::default() };
            let whole = BUCKETS.len() + 2 * GRANTS.len();
            let mut read = Vec::new();
            for bytes in [whole, whole - 1] {
                read.push(caller.listed_within(cx, list, &place, bytes).await.map(|listed| listed.assets.len()));
            }
            read
        })
    };
    let (read, _) = looked(&answers, "s3:GetBucketAcl", &[], look);
    let why = "AWS, s3 in us-east-1, s3:GetBucketAcl of acme-b is larger than the limit of one list";
    assert_eq!(read, [Ok(2), Err(TaskError::OutOfBudget(why.to_owned()))]);
}

#[test]
fn regions_that_the_integration_names_are_read_where_all_are_denied() {
    let identity = "<R><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/a</Arn>\
                    <Account>123456789012</Account></GetCallerIdentityResult></R>";
    let denied = "status 403 xml \"<R><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></R>\"";
    let answers =
        [format!("sts.us-east-1.amazonaws.com xml \"{identity}\""), format!("ec2.us-east-1.amazonaws.com {denied}")];
    let (answer, found) = row(&answers, "account", &[]);
    let why = "AWS, ec2 in us-east-1: denied: status 403, UnauthorizedOperation";
    assert_eq!(answer, Ok(Answer::InPart(TaskError::Denied(why.to_owned()))));
    assert_eq!(found.details["regions"], json!(["us-east-1"]), "of this partition, and what is the name of one");
    assert_eq!(found.details["account_id"], "123456789012");
}

/// What is said of the rules of a security group that names these prefix lists, and how the row ends.
fn rules_by(lists: &[&str], answers: &[String]) -> (Result<Answer, TaskError>, Value) {
    let host = "ec2.us-east-1.amazonaws.com";
    let named: String = lists.iter().map(|id| format!("<item><prefixListId>{id}</prefixListId></item>")).collect();
    let rule = format!(
        "<item><ipProtocol>tcp</ipProtocol><fromPort>22</fromPort><toPort>22</toPort><prefixListIds>{named}\
         </prefixListIds></item>"
    );
    let group = format!("<item><groupId>sg-1</groupId><ipPermissions>{rule}</ipPermissions></item>");
    let groups = format!(
        "{host} when Action=DescribeSecurityGroups xml \"<R><securityGroupInfo>{group}</securityGroupInfo></R>\""
    );
    let (answer, found) = row(&[answers, &[groups]].concat(), "ec2:DescribeSecurityGroups us-east-1", &[]);
    let said = found.edges[0].details["hidden_configuration"].as_array().unwrap().clone();
    let inward = said.into_iter().find(|setting| setting["name"] == "inward").unwrap();
    (answer, inward["value"][0].clone())
}

/// The answer about a prefix list.
fn prefix_list(id: &str, blocks: &[&str]) -> String {
    let entries: String = blocks.iter().map(|block| format!("<item><cidr>{block}</cidr></item>")).collect();
    format!("ec2.us-east-1.amazonaws.com when PrefixListId={id} xml \"<R><entrySet>{entries}</entrySet></R>\"")
}

#[test]
fn a_prefix_list_that_holds_everybody_opens_a_rule_and_one_that_does_not_opens_none() {
    let wide = prefix_list("pl-wide", &["198.51.100.0/24", "0.0.0.0/0"]);
    let narrow = prefix_list("pl-aws", &["198.51.100.0/24", "203.0.113.0/25"]);
    let (answer, rule) = rules_by(&["pl-aws", "pl-wide"], &[wide, narrow.clone()]);
    assert_eq!(answer, Ok(Answer::Found));
    assert_eq!((&rule["sources"], &rule["wide_lists"]), (&json!(["0.0.0.0/0"]), &json!(["pl-wide"])));
    assert_eq!(rule.get("unread_lists"), None);
    let (answer, rule) = rules_by(&["pl-aws"], &[narrow]);
    assert_eq!((answer, &rule["sources"], rule.get("wide_lists")), (Ok(Answer::Found), &json!([]), None));
    let (answer, rule) = rules_by(&[], &[]);
    assert_eq!((answer, &rule["prefix_lists"]), (Ok(Answer::Found), &json!([])), "nothing more is asked");
}

#[test]
fn a_prefix_list_that_is_denied_is_not_taken_for_one_of_nobody() {
    let (answer, rule) = rules_by(&["pl-1", "pl-2"], &[prefix_list("pl-2", &["0.0.0.0/0"])]);
    let why = "AWS, ec2 in us-east-1, ec2:GetManagedPrefixListEntries: denied: ";
    assert!(matches!(&answer, Ok(Answer::InPart(TaskError::Denied(said))) if said.starts_with(why)), "{answer:?}");
    assert_eq!(rule["unread_lists"], json!(["pl-1", "pl-2"]), "who may not read one may read none");
    let gone = "ec2.us-east-1.amazonaws.com when PrefixListId=pl-1 status 400 xml \
                \"<R><Errors><Error><Code>InvalidPrefixListID.NotFound</Code></Error></Errors></R>\"";
    let (answer, rule) = rules_by(&["pl-1", "pl-2"], &[gone.to_owned(), prefix_list("pl-2", &["::/0"])]);
    assert!(matches!(answer, Ok(Answer::InPart(TaskError::SourceDown(_)))), "{answer:?}");
    assert_eq!((&rule["unread_lists"], &rule["wide_lists"]), (&json!(["pl-1"]), &json!(["pl-2"])));
}

#[test]
fn an_origin_of_a_distribution_is_gone_only_where_its_provider_or_its_zone_says_so() {
    let origin = |host: &str| format!("<Origin><DomainName>{host}</DomainName></Origin>");
    let hosts = [
        "acme-files.s3.us-east-1.amazonaws.com",
        "acme-gone.s3.amazonaws.com",
        "partner.s3.amazonaws.com",
        "partner-gone.s3.amazonaws.com",
        "closed.s3.amazonaws.com",
        "chinese.s3.cn-north-1.amazonaws.com.cn",
        "www.acme.test",
        "old.acme.test",
    ];
    let inside = "<Origin><DomainName>ip-10-0-0-5.ec2.internal</DomainName><VpcOriginConfig>\
                  <VpcOriginId>v</VpcOriginId></VpcOriginConfig></Origin>";
    let all: String = hosts.iter().map(|host| origin(host)).chain([inside.to_owned()]).collect();
    let distribution =
        format!("<DistributionSummary><ARN>arn:d</ARN><Origins><Items>{all}</Items></Origins></DistributionSummary>");
    let s3 = "s3.us-east-1.amazonaws.com";
    let answers = [
        format!("cloudfront.amazonaws.com xml \"<R><Items>{distribution}</Items></R>\""),
        format!("{s3} when /acme-files?location xml \"<LocationConstraint/>\""),
        format!("{s3} when /acme-gone?location status 404 xml \"<Error><Code>NoSuchBucket</Code></Error>\""),
        format!("{s3} when /partner?location by Credential= {DENIED}"),
        format!("{s3} when /partner?location freely {DENIED}"),
        format!("{s3} when /partner-gone?location by Credential= {DENIED}"),
        format!("{s3} when /partner-gone?location freely status 404 xml \"<Error><Code>NoSuchBucket</Code></Error>\""),
        format!("{s3} when /chinese?location status 404 xml \"<Error><Code>NoSuchBucket</Code></Error>\""),
        format!("s3.cn-north-1.amazonaws.com.cn when /chinese?location freely {DENIED}"),
        format!("{s3} when /closed?location by Credential= {DENIED}"),
        format!("{s3} when /closed?location freely status 403 xml \"<html/>\""),
        format!("{s3} {DENIED}"),
    ];
    let (answer, found) = row(&answers, "cloudfront:ListDistributions us-east-1", &[]);
    let why =
        "AWS, s3 in us-east-1: denied: status 403, AccessDenied: the bucket of the origin closed.s3.amazonaws.com";
    assert_eq!(answer, Ok(Answer::InPart(TaskError::Denied(why.to_owned()))), "what nobody could look at is named");
    let edge = found.edges.iter().find(|edge| edge.name == "arn:d").unwrap();
    let said = edge.details["hidden_configuration"].as_array().unwrap();
    let says = |name: &str| said.iter().find(|setting| setting["name"] == name).unwrap()["value"].clone();
    let gone = json!([
        {"origin": "acme-gone.s3.amazonaws.com", "free": "bucket"},
        {"origin": "partner-gone.s3.amazonaws.com", "free": "bucket"},
        {"origin": "old.acme.test", "free": null},
    ]);
    assert_eq!((says("gone_origins"), says("unread_origins")), (gone, json!(["closed.s3.amazonaws.com"])));
}

#[test]
fn an_origin_about_which_nobody_answers_without_keys_is_not_told_as_denied() {
    let origin = "<Origin><DomainName>busy.s3.amazonaws.com</DomainName></Origin>";
    let distribution = format!(
        "<DistributionSummary><ARN>arn:d</ARN><Origins><Items>{origin}</Items></Origins></DistributionSummary>"
    );
    let s3 = "s3.us-east-1.amazonaws.com when /busy?location";
    let answers = [
        format!("cloudfront.amazonaws.com xml \"<R><Items>{distribution}</Items></R>\""),
        format!("{s3} by Credential= {DENIED}"),
        format!("{s3} freely status 503 xml \"<Error><Code>SlowDown</Code></Error>\""),
    ];
    let (answer, _) = row(&answers, "cloudfront:ListDistributions us-east-1", &[]);
    let why = "AWS, s3 in us-east-1, without keys for the origin busy.s3.amazonaws.com: too many requests: status 503, \
               SlowDown";
    assert_eq!(answer, Ok(Answer::InPart(TaskError::SourceDown(why.to_owned()))));
}
