//! The lists of AWS, which are data: a file in `lists/` for each service, and a line here. The head of `ec2.toml` says
//! how one is written.

use crate::form::Form;
use serde::Deserialize;
use std::sync::LazyLock;

/// The files: name of the service and text.
const FILES: &[(&str, &str)] = &[
    ("acm", include_str!("lists/acm.toml")),
    ("apigateway", include_str!("lists/apigateway.toml")),
    ("apprunner", include_str!("lists/apprunner.toml")),
    ("appsync", include_str!("lists/appsync.toml")),
    ("cloudfront", include_str!("lists/cloudfront.toml")),
    ("codebuild", include_str!("lists/codebuild.toml")),
    ("cognito", include_str!("lists/cognito.toml")),
    ("dms", include_str!("lists/dms.toml")),
    ("ec2", include_str!("lists/ec2.toml")),
    ("ecr", include_str!("lists/ecr.toml")),
    ("ecs", include_str!("lists/ecs.toml")),
    ("eks", include_str!("lists/eks.toml")),
    ("elasticache", include_str!("lists/elasticache.toml")),
    ("elasticbeanstalk", include_str!("lists/elasticbeanstalk.toml")),
    ("elasticloadbalancing", include_str!("lists/elasticloadbalancing.toml")),
    ("es", include_str!("lists/es.toml")),
    ("globalaccelerator", include_str!("lists/globalaccelerator.toml")),
    ("iam", include_str!("lists/iam.toml")),
    ("kafka", include_str!("lists/kafka.toml")),
    ("lambda", include_str!("lists/lambda.toml")),
    ("lightsail", include_str!("lists/lightsail.toml")),
    ("memorydb", include_str!("lists/memorydb.toml")),
    ("mq", include_str!("lists/mq.toml")),
    ("organizations", include_str!("lists/organizations.toml")),
    ("rds", include_str!("lists/rds.toml")),
    ("redshift", include_str!("lists/redshift.toml")),
    ("route53", include_str!("lists/route53.toml")),
    ("route53domains", include_str!("lists/route53domains.toml")),
    ("s3", include_str!("lists/s3.toml")),
    ("sns", include_str!("lists/sns.toml")),
    ("sqs", include_str!("lists/sqs.toml")),
    ("transfer", include_str!("lists/transfer.toml")),
];

/// A file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    service: String,
    host: Option<String>,
    list: Vec<Form>,
}

static LISTS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let read = |(name, text): &(&str, &str)| {
        let file: File = toml::from_str(text).unwrap_or_else(|why| panic!("a test reads the lists: {name}: {why}"));
        file.list.into_iter().map(move |mut form| {
            form.service.clone_from(&file.service);
            form.host = form.host.or_else(|| file.host.clone());
            form
        })
    };
    FILES.iter().flat_map(read).collect()
});

/// Every list that is asked for, service by service.
pub fn lists() -> &'static [Form] {
    &LISTS
}

/// The list of this name.
pub fn list(permission: &str) -> Option<&'static Form> {
    LISTS.iter().find(|list| list.permission == permission)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{Asset, Mark, Place};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    const PLACE: Place<'_> =
        Place { account: "123456789012", region: "eu-west-1", partition: "aws", domain: "amazonaws.com" };

    /// What a list makes of an answer.
    fn read(permission: &str, parent: &Value, answer: &str) -> Vec<Asset> {
        let form = list(permission).unwrap();
        crate::aws::page(form, None, parent, &PLACE, (200, answer.as_bytes())).unwrap().assets
    }

    fn names(assets: &[Asset]) -> Vec<&str> {
        assets.iter().filter_map(|asset| asset.entity.as_ref()).map(|(_, name)| name.as_str()).collect()
    }

    #[test]
    fn machines_are_read_page_by_page_with_their_public_addresses_alone() {
        let machine = |elements: &str| {
            format!(
                "<item><instanceId>i-1</instanceId><privateDnsName>ip-10-0-0-5.ec2.internal</privateDnsName>{elements}</item>"
            )
        };
        let shown = machine(
            "<dnsName>ec2-203-0-113-9.compute-1.amazonaws.com</dnsName><ipAddress>203.0.113.9</ipAddress>\
             <instanceState><name>running</name></instanceState><groupSet><item><groupId>sg-2</groupId></item></groupSet>\
             <networkInterfaceSet><item><groupSet><item><groupId>sg-1</groupId></item></groupSet><privateIpAddressesSet>\
             <item><association><publicIp>203.0.113.10</publicIp></association></item><item/></privateIpAddressesSet>\
             <ipv6AddressesSet><item><ipv6Address>2001:db8::9</ipv6Address></item></ipv6AddressesSet></item>\
             </networkInterfaceSet>",
        );
        let unnamed = machine("<dnsName/><ipAddress>203.0.113.11</ipAddress>");
        let hidden = machine("<privateIpAddress>10.0.0.5</privateIpAddress>");
        let gone = machine("<ipAddress>203.0.113.12</ipAddress><instanceState><name>terminated</name></instanceState>");
        let answer = |machines: &str, end: &str| {
            format!("<R><reservationSet><item><instancesSet>{machines}</instancesSet></item></reservationSet>{end}</R>")
        };
        let form = list("ec2:DescribeInstances").unwrap();
        let page = |body: &str| crate::aws::page(form, None, &Value::Null, &PLACE, (200, body.as_bytes()));
        let found = page(&answer(&[shown, unnamed, hidden, gone].concat(), "<nextToken>m&amp;1</nextToken>")).unwrap();
        assert_eq!(names(&found.assets), ["ec2-203-0-113-9.compute-1.amazonaws.com", "i-1"]);
        let addresses: Vec<String> = found.assets[0].addresses.iter().map(ToString::to_string).collect();
        assert_eq!(addresses, ["203.0.113.9", "203.0.113.10", "2001:db8::9"]);
        assert_eq!(found.assets[0].members["security_groups"], json!(["sg-1", "sg-2"]));
        assert_eq!(found.assets[0].members["region"], "eu-west-1");
        let next = form.request(found.next.as_ref(), &Value::Null, &PLACE).unwrap();
        assert!(next.body.contains("Action=DescribeInstances") && next.body.ends_with("&NextToken=m%261"), "{next:?}");
        assert_eq!(page(&answer("", "")).unwrap().assets, []);
        assert!(page("<R/>").is_err(), "no list is not an empty one");
    }

    #[test]
    fn buckets_are_read_and_asked_about_where_they_lie() {
        let body = "<R><Buckets><Bucket><Name>acme-files</Name><BucketRegion>eu-west-1</BucketRegion></Bucket><Bucket>\
                    <Name>acme.logs</Name></Bucket></Buckets><ContinuationToken>a/b=</ContinuationToken></R>";
        let form = list("s3:ListAllMyBuckets").unwrap();
        let page = crate::aws::page(form, None, &Value::Null, &PLACE, (200, body.as_bytes())).unwrap();
        assert_eq!(names(&page.assets), ["acme-files", "acme.logs"]);
        assert_eq!(page.assets[0].also, [("CloudStorageBucket", "acme-files.s3.amazonaws.com".to_owned())]);
        let next = form.request(page.next.as_ref(), &Value::Null, &PLACE).unwrap();
        assert_eq!(next.target, "/?max-buckets=1000&continuation-token=a%2Fb%3D");
        assert!(crate::aws::page(form, None, &Value::Null, &PLACE, (200, b"<html></html>")).is_err());
        let status = list("s3:GetBucketPolicyStatus").unwrap();
        let asked = status.request(None, &page.assets[0].item, &PLACE).unwrap();
        assert_eq!((asked.method, asked.target.as_str()), ("GET", "/acme-files?policyStatus"));
        assert_eq!(status.region_of(&page.assets[0].item).as_deref(), Some("eu-west-1"));
        let without = b"<Error><Code>NoSuchBucketPolicy</Code></Error>";
        let none = crate::aws::page(status, None, &page.assets[1].item, &PLACE, (404, without)).unwrap();
        assert_eq!(names(&none.assets), ["acme.logs"]);
        assert_eq!(none.assets[0].says["public_by_policy"], false);
        let policy = br#"{"Version":"2012-10-17","Statement":[{"Sid":"All","Effect":"Allow","Principal":"*"}]}"#;
        let form = list("s3:GetBucketPolicy").unwrap();
        let read = crate::aws::page(form, None, &page.assets[0].item, &PLACE, (200, policy)).unwrap();
        assert_eq!(read.assets[0].says["policy"]["Statement"][0]["Sid"], "All");
        let denied = b"<Error><Code>AccessDenied</Code></Error>";
        assert!(crate::aws::page(status, None, &page.assets[1].item, &PLACE, (403, denied)).is_err());
    }

    #[test]
    fn what_the_account_blocks_is_asked_by_its_number_and_holds_for_each_bucket() {
        let form = list("s3:GetAccountPublicAccessBlock").unwrap();
        let bucket = json!({"Name": "acme.logs"});
        let asked = form.request(None, &bucket, &PLACE).unwrap();
        assert_eq!((asked.method, asked.target.as_str()), ("GET", "/v20180820/configuration/publicAccessBlock"));
        assert_eq!(asked.headers, [("x-amz-account-id".to_owned(), "123456789012".to_owned())]);
        let host = crate::aws::host_of(form, &PLACE).unwrap();
        assert_eq!(host, "123456789012.s3-control.eu-west-1.amazonaws.com");
        assert!(form.once);
        let page = |status: u16, body: &str| crate::aws::page(form, None, &bucket, &PLACE, (status, body.as_bytes()));
        let blocks = |body: &str| {
            let found = page(200, body).unwrap().assets.remove(0);
            assert_eq!(found.entity, Some(("AwsS3Bucket", "acme.logs".to_owned())));
            [found.says["account_blocks_acls"].clone(), found.says["account_blocks_policies"].clone()]
        };
        let half = "<R><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>false</IgnorePublicAcls>\
                    <BlockPublicPolicy>true</BlockPublicPolicy><RestrictPublicBuckets>true</RestrictPublicBuckets></R>";
        assert_eq!(blocks(half), [json!(false), json!(true)], "what is blocked for the time to come alone is open now");
        let none = "<ErrorResponse><Error><Code>NoSuchPublicAccessBlockConfiguration</Code></Error></ErrorResponse>";
        let none = page(404, none).unwrap();
        assert_eq!(none.assets[0].says["account_blocks_policies"], false);
        assert!(page(403, "<Error><Code>AccessDenied</Code></Error>").is_err());
        assert!(page(404, "<Error><Code>NoSuchAccount</Code></Error>").is_err());
    }

    #[test]
    fn a_distribution_says_how_each_of_its_behaviours_is_asked() {
        let behaviour = |protocol: &str| format!("<ViewerProtocolPolicy>{protocol}</ViewerProtocolPolicy>");
        let distribution = |others: &str| {
            let first = behaviour("redirect-to-https");
            let body = format!(
                "<R><Items><DistributionSummary><ARN>arn:d</ARN><Enabled>false</Enabled><DefaultCacheBehavior>{first}\
                 </DefaultCacheBehavior>{others}</DistributionSummary></Items></R>"
            );
            let said = read("cloudfront:ListDistributions", &Value::Null, &body).remove(0).says;
            (said["enabled"].clone(), said["viewer_protocol"].clone())
        };
        let alone = "<CacheBehaviors><Quantity>0</Quantity></CacheBehaviors>";
        assert_eq!(distribution(alone), (json!(false), json!(["redirect-to-https"])));
        let (one, two) = (behaviour("allow-all"), behaviour("https-only"));
        let items = format!("<CacheBehavior>{one}</CacheBehavior><CacheBehavior>{two}</CacheBehavior>");
        let others = format!("<CacheBehaviors><Items>{items}</Items></CacheBehaviors>");
        let all = json!(["allow-all", "https-only", "redirect-to-https"]);
        assert_eq!(distribution(&others).1, all);
    }

    #[test]
    fn gateways_pools_and_the_like_are_read_as_their_services_answer() {
        let rest = r#"{"item":[{"id":"a1b2","name":"shop","endpointConfiguration":{"types":["EDGE"]}},
            {"id":"c3d4","endpointConfiguration":{"types":["PRIVATE"]}}]}"#;
        let found = read("apigateway:GET.restapis", &Value::Null, rest);
        assert_eq!(found[0].hosts, ["a1b2.execute-api.eu-west-1.amazonaws.com"]);
        assert_eq!(found.len(), 1);
        let stages = read("apigateway:GET.stages", &found[0].item, r#"{"item":[{"stageName":"prod"}]}"#);
        assert_eq!(stages[0].urls, ["https://a1b2.execute-api.eu-west-1.amazonaws.com/prod"]);
        let http = r#"{"items":[{"apiId":"x","apiEndpoint":"https://x.execute-api.eu-west-1.amazonaws.com"}]}"#;
        assert_eq!(names(&read("apigateway:GET.apis", &Value::Null, http)), ["arn:aws:apigateway:eu-west-1::/apis/x"]);
        let sockets = http.replace("https://", "wss://");
        let found = read("apigateway:GET.apis", &Value::Null, &sockets);
        assert_eq!(found[0].hosts, ["x.execute-api.eu-west-1.amazonaws.com"], "a URL for sockets leads nowhere else");
        let domains =
            r#"{"items":[{"domainName":"api.acme.test","domainNameConfigurations":[{"securityPolicy":"TLS_1_0"}]}]}"#;
        let found = read("apigateway:GET.domainnames", &Value::Null, domains);
        assert_eq!(
            (found[0].hosts[0].as_str(), &found[0].says["tls_policies"]),
            ("api.acme.test", &json!(["TLS_1_0"]))
        );
        let pool = r#"{"UserPool":{"Id":"p","Arn":"arn:aws:cognito-idp:eu-west-1:1:userpool/p","Domain":"acme",
            "MfaConfiguration":"OFF","AdminCreateUserConfig":{"AllowAdminCreateUserOnly":false}}}"#;
        let found = read("cognito-idp:DescribeUserPool", &json!({"Id": "p"}), pool);
        assert_eq!(found[0].hosts, ["acme.auth.eu-west-1.amazoncognito.com"]);
        assert_eq!(
            (&found[0].says["second_factor"], &found[0].says["by_administrators"]),
            (&json!("OFF"), &json!(false))
        );
        let machines = r#"{"instances":[{"arn":"arn:aws:lightsail:1","name":"blog","publicIpAddress":"203.0.113.4",
            "networking":{"ports":[{"protocol":"tcp","fromPort":22,"toPort":22,"cidrs":["0.0.0.0/0"]}]}}]}"#;
        let found = read("lightsail:GetInstances", &Value::Null, machines);
        let door = json!([{"protocol": "tcp", "from": 22, "to": 22, "sources": ["0.0.0.0/0"]}]);
        assert_eq!((found[0].addresses.len(), &found[0].says["inward"]), (1, &door));
        let databases = r#"{"relationalDatabases":[{"arn":"arn:aws:lightsail:2","name":"shop","publiclyAccessible":true,
            "engine":"mysql","masterEndpoint":{"port":3306,"address":"shop.eu-west-1.rds.amazonaws.com"}},
            {"arn":"arn:aws:lightsail:3","publiclyAccessible":false,"masterEndpoint":{"address":"in.rds.amazonaws.com"}}]}"#;
        let found = read("lightsail:GetRelationalDatabases", &Value::Null, databases);
        assert_eq!((&found[0].says["public"], &found[1].says["public"]), (&json!(true), &json!(false)));
        assert_eq!(found[0].hosts, ["shop.eu-west-1.rds.amazonaws.com"]);
        assert_eq!((names(&found), found[1].hosts.len()), (vec!["arn:aws:lightsail:2", "arn:aws:lightsail:3"], 0));
        let accelerators = r#"{"Accelerators":[{"AcceleratorArn":"arn:x","DnsName":"a.awsglobalaccelerator.com",
            "IpSets":[{"IpAddresses":["203.0.113.5","203.0.113.6"]}]}]}"#;
        let found = read("globalaccelerator:ListAccelerators", &Value::Null, accelerators);
        assert_eq!((found[0].addresses.len(), found[0].hosts.len()), (2, 1));
        let services = r#"{"ServiceSummaryList":[{"ServiceArn":"arn:y","ServiceUrl":"a.eu-west-1.awsapprunner.com"}]}"#;
        assert_eq!(read("apprunner:ListServices", &Value::Null, services)[0].hosts, ["a.eu-west-1.awsapprunner.com"]);
    }

    #[test]
    fn routes_of_gateways_say_who_is_asked_and_a_policy_is_read_as_it_is_escaped() {
        let asked = list("apigateway:GET.restapis").unwrap().request(None, &Value::Null, &PLACE).unwrap();
        assert_eq!(asked.headers, [("accept".to_owned(), "application/json".to_owned())]);
        let hal = br#"{"_links":{},"_embedded":{"item":{"id":"a1b2"}}}"#;
        let form = list("apigateway:GET.restapis").unwrap();
        let answered = crate::aws::page(form, None, &Value::Null, &PLACE, (200, hal));
        assert!(answered.is_err(), "gateways in another form are not none: {answered:?}");
        let rest =
            r#"{"item":[{"id":"a1b2","policy":"{\\\"Statement\\\":[{\\\"Effect\\\":\\\"Allow\\\"}]}"},{"id":"c3d4"}]}"#;
        let found = read("apigateway:GET.restapis", &Value::Null, rest);
        assert_eq!(found[0].says["policy"], json!({"Statement": [{"Effect": "Allow"}]}));
        assert_eq!((&found[1].says["has_policy"], &found[1].says["policy"]), (&json!(false), &Value::Null));
        let resources = r#"{"item":[{"path":"/"},{"path":"/orders","resourceMethods":{"GET":{"httpMethod":"GET",
            "authorizationType":"NONE","apiKeyRequired":false},"PUT":{"httpMethod":"PUT",
            "authorizationType":"AWS_IAM","apiKeyRequired":true}}}]}"#;
        let found = read("apigateway:GET.resources", &found[0].item, resources);
        assert_eq!(names(&found), ["arn:aws:apigateway:eu-west-1::/restapis/a1b2"]);
        let method =
            |name: &str, by: &str, by_key: bool| json!({"method": name, "authentication": by, "by_key": by_key});
        let methods = [method("GET", "NONE", false), method("PUT", "AWS_IAM", true)];
        assert_eq!(
            found[0].says["routes"],
            json!([{"path": "/", "methods": []}, {"path": "/orders", "methods": methods}])
        );
        let routes = r#"{"items":[{"routeKey":"GET /x","authorizationType":"JWT"}]}"#;
        let found = read("apigateway:GET.routes", &json!({"apiId": "x"}), routes);
        assert_eq!(found[0].says["routes"], json!([{"path": "GET /x", "authentication": "JWT", "by_key": false}]));
        assert_eq!(read("apigateway:GET.stages", &json!({"id": "a1b2"}), "{}"), [], "nothing is deployed");
    }

    #[test]
    fn roles_are_read_whose_trust_names_everybody_or_a_service_of_many_customers() {
        let role = |name: &str, principal: Value| {
            let statement = json!({"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"});
            let trust = crate::form::escaped(&json!({ "Statement": [statement] }).to_string());
            format!(
                "<member><Arn>arn:aws:iam::123456789012:role/{name}</Arn><AssumeRolePolicyDocument>{trust}\
                 </AssumeRolePolicyDocument></member>"
            )
        };
        let provider =
            |account: &str, host: &str| json!({"Federated": format!("arn:aws:iam::{account}:oidc-provider/{host}")});
        let roles = [
            role("any", json!("*")),
            role("listed", json!({"AWS": ["arn:aws:iam::1:root", "*"]})),
            role("builds", provider("123456789012", "token.actions.githubusercontent.com")),
            role("own", json!({"AWS": "arn:aws:iam::123456789012:root"})),
            role("machines", json!({"Service": "ec2.amazonaws.com"})),
            role("cluster", provider("123456789012", "oidc.eks.eu-west-1.amazonaws.com/id/1")),
        ];
        let body = format!("<R><ListRolesResult><Roles>{}</Roles></ListRolesResult></R>", roles.concat());
        let found = read("iam:ListRoles", &Value::Null, &body);
        let arns = ["any", "listed", "builds"].map(|name| format!("arn:aws:iam::123456789012:role/{name}"));
        assert_eq!(names(&found), arns);
        assert_eq!(found[0].says["policy"]["Statement"][0]["Principal"], "*");
        assert_eq!(read("iam:ListRoles", &Value::Null, "<R><ListRolesResult><Roles/></ListRolesResult></R>"), []);
    }

    #[test]
    fn records_of_one_name_that_fill_a_page_go_on_on_the_next() {
        let form = list("route53:ListResourceRecordSets").unwrap();
        let zone = json!({"Id": "/hostedzone/Z1"});
        let page = |next: &str| {
            let body = format!("<R><ResourceRecordSets/><IsTruncated>true</IsTruncated>{next}</R>");
            let read = crate::aws::page(form, None, &zone, &PLACE, (200, body.as_bytes())).unwrap();
            read.next.map(|next| form.request(Some(&next), &zone, &PLACE).unwrap().target)
        };
        let name = "<NextRecordName>\\052.acme.test.</NextRecordName><NextRecordType>A</NextRecordType>";
        let at = "/2013-04-01/hostedzone/Z1/rrset?name=%5C052.acme.test.&type=A";
        assert_eq!(page(name).as_deref(), Some(at));
        let weighted = format!("{name}<NextRecordIdentifier>b/2</NextRecordIdentifier>");
        assert_eq!(page(&weighted), Some(format!("{at}&identifier=b%2F2")));
        assert_eq!(page(""), None);
    }

    #[test]
    fn what_went_away_since_it_was_listed_is_nothing_and_anything_else_is_a_refusal() {
        let balancer = json!({"LoadBalancerArn": "arn:lb"});
        let form = list("elasticloadbalancing:DescribeListeners").unwrap();
        let read = |code: &str| {
            let body = format!("<ErrorResponse><Error><Code>{code}</Code></Error></ErrorResponse>");
            crate::aws::page(form, None, &balancer, &PLACE, (400, body.as_bytes())).map(|page| page.assets.len())
        };
        assert_eq!((read("LoadBalancerNotFound"), read("ListenerNotFound")), (Ok(0), Ok(1)));
        assert!(read("ValidationError").is_err());
        let first = list("elasticloadbalancing:DescribeLoadBalancers").unwrap();
        let gone = b"<R><Error><Code>LoadBalancerNotFound</Code></Error></R>";
        assert!(crate::aws::page(first, None, &Value::Null, &PLACE, (400, gone)).is_err(), "it is asked about no item");
    }

    #[test]
    fn urls_of_aliases_of_a_function_are_found_beside_its_own() {
        let own = "arn:aws:lambda:eu-west-1:1:function:hook";
        let body = format!(
            r#"{{"FunctionUrlConfigs":[{{"FunctionArn":"{own}","FunctionUrl":"https://a.on.aws/"}},
                {{"FunctionArn":"{own}:prod","FunctionUrl":"https://b.on.aws/","AuthType":"NONE"}}]}}"#
        );
        let function = json!({"FunctionName": "hook", "FunctionArn": own});
        let found = read("lambda:ListFunctionUrlConfigs", &function, &body);
        assert_eq!(names(&found), [format!("{own}:prod")]);
        assert_eq!(
            (found[0].urls[0].as_str(), &found[0].says["url_authentication"]),
            ("https://b.on.aws/", &json!("NONE"))
        );
        assert_eq!(read("lambda:ListFunctionUrlConfigs", &function, r#"{"FunctionUrlConfigs":[]}"#), []);
        let form = list("lambda:ListFunctionUrlConfigs").unwrap();
        let other = crate::aws::page(form, None, &function, &PLACE, (404, b"<html>Not Found</html>"));
        assert!(other.is_err(), "a list that is not there says nothing of the URLs: {other:?}");
    }

    /// Responses with a successful status that are no answer.
    const NO_ANSWERS: &[&str] = &[
        "<html><body><h1>maintenance</h1></body></html>",
        "<html>maintenance</html>",
        "<html/>",
        "<Error><Code>InternalError</Code><Message>x</Message><RequestId>1</RequestId></Error>",
        r#"{"message":"maintenance"}"#,
        r#"{"message":"maintenance","requestId":"1"}"#,
        r#"{"__type":"InternalFailure","Message":"x"}"#,
        r#"{"error":{"code":429},"status":"x"}"#,
        r#"{"maintenance":true}"#,
    ];

    #[test]
    fn a_page_of_a_proxy_or_a_message_is_no_answer_to_any_list() {
        for list in lists() {
            for body in NO_ANSWERS {
                let read = crate::aws::page(list, None, &json!({}), &PLACE, (200, body.as_bytes()));
                assert!(read.is_err(), "{}: {body}: {read:?}", list.permission);
            }
        }
    }

    #[test]
    fn an_answer_without_items_is_one_where_the_service_answers_so() {
        let distributions = "<DistributionList><Marker/><MaxItems>100</MaxItems><IsTruncated>false</IsTruncated>\
                             <Quantity>0</Quantity></DistributionList>";
        for (permission, body) in [
            ("cloudfront:ListDistributions", distributions),
            ("cloudfront:ListDistributions", "<DistributionList><Items/><Quantity>0</Quantity></DistributionList>"),
            ("sqs:ListQueues", "{}"),
            ("apigateway:GET.restapis", "{}"),
            ("apigateway:GET.stages", r#"{"item":[]}"#),
            ("lightsail:GetInstances", r#"{"instances":[]}"#),
            ("memorydb:DescribeClusters", r#"{"NextToken":null}"#),
        ] {
            assert_eq!(read(permission, &Value::Null, body), [], "{permission}: {body}");
        }
        let listeners = "<R><DescribeListenersResult><Listeners/></DescribeListenersResult><ResponseMetadata/></R>";
        let of = json!({"LoadBalancerArn": "arn:lb"});
        assert_eq!(names(&read("elasticloadbalancing:DescribeListeners", &of, listeners)), ["arn:lb"]);
        let bucket = json!({"Name": "acme"});
        for (permission, body) in [
            ("s3:GetBucketAcl", "<AccessControlPolicy xmlns=\"x\"><Owner/><AccessControlList/></AccessControlPolicy>"),
            ("s3:GetBucketPolicyStatus", "<PolicyStatus><IsPublic>FALSE</IsPublic></PolicyStatus>"),
            ("s3:GetBucketWebsite", "<W><RedirectAllRequestsTo><HostName>x</HostName></RedirectAllRequestsTo></W>"),
        ] {
            assert_eq!(names(&read(permission, &bucket, body)), ["acme"], "{permission}");
        }
    }

    #[test]
    fn numbered_pages_end_where_one_is_the_last_and_json_is_asked_by_its_operation() {
        let form = list("ecr:DescribeRepositories").unwrap();
        let mark = Mark::Argument("m".to_owned());
        let asked = form.request(Some(&mark), &Value::Null, &PLACE).unwrap();
        assert_eq!(asked.body, r#"{"nextToken":"m"}"#);
        let (name, value) = &asked.headers[0];
        let operation = "AmazonEC2ContainerRegistry_V20150921.DescribeRepositories";
        assert_eq!((name.as_str(), value.as_str()), ("x-amz-target", operation));
        assert_eq!(crate::aws::host_of(form, &PLACE).as_deref(), Some("api.ecr.eu-west-1.amazonaws.com"));
        let china = Place { region: "cn-north-1", ..PLACE };
        assert_eq!(crate::aws::host_of(list("route53:ListHostedZones").unwrap(), &china), None);
    }

    #[test]
    fn every_file_is_listed_and_every_list_has_a_name_of_its_own() {
        let mut files: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/aws/lists"))
            .unwrap()
            .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        files.sort();
        assert_eq!(files, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        let names: BTreeSet<&str> = lists().iter().map(|list| list.permission.as_str()).collect();
        assert_eq!(names.len(), lists().len());
        for found in lists() {
            let name = &found.permission;
            assert!(name.starts_with(&format!("{}:", found.service)), "{name}");
            if let Some(before) = &found.after {
                assert!(list(before).is_some_and(|before| before.after.is_none()), "{name}: {before}");
            }
        }
    }
}
