//! Answers as the providers give them, shortened, and what is made of them.

mod asking;

use super::*;
use crate::form::{Asset, Mark};

/// A word for each thing and for all that it leads to.
fn words(assets: &[Asset]) -> Vec<String> {
    let word = |asset: &Asset| {
        let entity = asset.entity.as_ref().map(|(kind, name)| format!("{kind} {name}"));
        let addresses = asset.addresses.iter().map(ToString::to_string);
        let leads: Vec<String> = asset
            .hosts
            .iter()
            .cloned()
            .chain(addresses)
            .chain(asset.blocks.iter().chain(&asset.urls).cloned())
            .collect();
        format!("{} -> {}", entity.unwrap_or_default(), leads.join(" "))
    };
    assets.iter().map(word).collect()
}

fn page(provider: &str, list: &str, parent: &Value, answer: &str) -> crate::form::Page {
    let list = find(provider).unwrap().list(list).unwrap();
    let place = Place { account: "acme", region: "fr-par-1", ..Place::default() };
    list.page(&super::answer(200, answer.as_bytes()).unwrap(), None, parent, &place).expect("it is an answer to this")
}

/// Provider, list, item of the list before, answer, and what is made of it.
const RECORDED: &[(&str, &str, &str, &str, &[&str])] = &[
    (
        "cloudflare",
        "zones",
        "null",
        r#"{"success":true,"result":[{"id":"z1","name":"acme.test","status":"active","paused":false}],
            "result_info":{"page":1,"per_page":50,"total_pages":1}}"#,
        &["CloudResource cloudflare:zone:z1 -> acme.test"],
    ),
    (
        "cloudflare",
        "records",
        r#"{"id":"z1","name":"acme.test"}"#,
        r#"{"result":[{"type":"A","name":"www.acme.test","content":"203.0.113.4"},{"type":"TXT","name":"x.acme.test"}]}"#,
        &[" -> www.acme.test"],
    ),
    (
        "digitalocean",
        "droplets",
        "null",
        r#"{"droplets":[{"id":7,"name":"web","status":"active","networks":{"v4":[
            {"ip_address":"10.110.0.2","type":"private"},{"ip_address":"203.0.113.7","type":"public"}],"v6":[]}}],
            "links":{"pages":{"next":"https://api.digitalocean.com/v2/droplets?page=2&per_page=200"}}}"#,
        &["CloudResource digitalocean:droplet:7 -> 203.0.113.7"],
    ),
    (
        "digitalocean",
        "records",
        r#"{"name":"acme.test"}"#,
        r#"{"domain_records":[{"type":"A","name":"@","data":"203.0.113.7"},{"type":"CNAME","name":"shop","data":"x."}]}"#,
        &[" -> acme.test", " -> shop.acme.test"],
    ),
    (
        "hetzner",
        "servers",
        "null",
        r#"{"servers":[{"id":42,"name":"db","status":"running","public_net":{"ipv4":{"ip":"203.0.113.42"},
            "ipv6":{"ip":"2001:db8::/64"}}}],"meta":{"pagination":{"page":1,"next_page":null}}}"#,
        &["CloudResource hetzner:server:42 -> 203.0.113.42 2001:db8::/64"],
    ),
    (
        "azure",
        "addresses",
        "null",
        r#"{"totalRecords":1,"data":[{"id":"/subscriptions/s/p/web","name":"web","properties":{
            "ipAddress":"203.0.113.9","dnsSettings":{"fqdn":"web.westeurope.cloudapp.azure.com"}}}],"$skipToken":"t1"}"#,
        &["CloudResource /subscriptions/s/p/web -> web.westeurope.cloudapp.azure.com 203.0.113.9"],
    ),
    (
        "azure",
        "fronts",
        "null",
        r#"{"data":[{"id":"/subscriptions/s/fd","type":"microsoft.network/frontdoors","properties":{"cname":"x.z01.azurefd.net",
            "frontendEndpoints":[{"name":"d","properties":{"hostName":"acme.azurefd.net"}},
            {"name":"w","properties":{"hostName":"shop.acme.test"}}]}}]}"#,
        &["CloudResource /subscriptions/s/fd -> acme.azurefd.net shop.acme.test"],
    ),
    (
        "azure",
        "gateways",
        "null",
        r#"{"data":[{"id":"/subscriptions/s/apim","name":"acme","properties":{"gatewayUrl":"https://acme.azure-api.net",
            "developerPortalUrl":"https://acme.developer.azure-api.net","managementApiUrl":null,
            "hostnameConfigurations":[{"type":"Proxy","hostName":"api.acme.test"}],
            "publicIPAddresses":["203.0.113.11"],"privateIPAddresses":["10.0.0.9"]}}]}"#,
        &["CloudResource /subscriptions/s/apim -> api.acme.test 203.0.113.11 https://acme.azure-api.net \
           https://acme.developer.azure-api.net"],
    ),
    (
        "azure",
        "vaults",
        "null",
        r#"{"data":[{"id":"/subscriptions/s/kv","name":"acme-keys","type":"microsoft.keyvault/vaults",
            "properties":{"vaultUri":"https://acme-keys.vault.azure.net/","publicNetworkAccess":"Enabled"}},
            {"id":"/subscriptions/s/hsm","type":"microsoft.keyvault/managedhsms",
            "properties":{"hsmUri":"https://acme-hsm.managedhsm.azure.net/"}}]}"#,
        &[
            "CloudResource /subscriptions/s/kv -> https://acme-keys.vault.azure.net/",
            "CloudResource /subscriptions/s/hsm -> https://acme-hsm.managedhsm.azure.net/",
        ],
    ),
    (
        "azure",
        "scale_sets",
        "null",
        r#"{"data":[{"id":"/subscriptions/s/vmss/pool","name":"pool","sku":{"name":"Standard_D2s_v3"},"properties":{}}]}"#,
        &["CloudResource /subscriptions/s/vmss/pool -> "],
    ),
    (
        "azure",
        "scale_set_addresses",
        r#"{"id":"/subscriptions/s/vmss/pool","name":"pool"}"#,
        r#"{"value":[{"name":"pub1","id":"/subscriptions/s/vmss/pool/virtualMachines/0/pub1","properties":{
            "ipAddress":"203.0.113.13","dnsSettings":{"fqdn":"vm0.pool.westeurope.cloudapp.azure.com"}}}]}"#,
        &["CloudResource /subscriptions/s/vmss/pool/virtualMachines/0/pub1 -> vm0.pool.westeurope.cloudapp.azure.com \
           203.0.113.13"],
    ),
    (
        "azure",
        "storage",
        "null",
        r#"{"data":[{"id":"/subscriptions/s/x","name":"acmefiles","properties":{"allowBlobPublicAccess":true,
            "primaryEndpoints":{"blob":"https://acmefiles.blob.core.usgovcloudapi.net/"}}}]}"#,
        &["AzureStorageAccount acmefiles -> acmefiles.blob.core.usgovcloudapi.net"],
    ),
    (
        "azure",
        "records",
        r#"{"id":"/subscriptions/s/dnszones/acme.test","name":"acme.test"}"#,
        r#"{"value":[{"name":"www","type":"Microsoft.Network/dnszones/A"},{"name":"@","type":"Microsoft.Network/dnszones/SOA"}]}"#,
        &[" -> www.acme.test"],
    ),
    (
        "gcp",
        "machines",
        "null",
        r#"{"assets":[{"name":"//compute.googleapis.com/projects/a/zones/z/instances/web","resource":{"data":{
            "name":"web","status":"RUNNING","networkInterfaces":[{"networkIP":"10.0.0.2",
            "accessConfigs":[{"natIP":"203.0.113.20"}]}]}}}]}"#,
        &["GcpComputeEngineInstance //compute.googleapis.com/projects/a/zones/z/instances/web -> 203.0.113.20"],
    ),
    (
        "gcp",
        "names",
        r#"{"resource":{"data":{"name":"acme","dnsName":"acme.test."}}}"#,
        r#"{"kind":"dns#resourceRecordSetsListResponse","rrsets":[{"name":"www.acme.test.","type":"A","rrdatas":
            ["203.0.113.20"]},{"name":"acme.test.","type":"TXT","rrdatas":["x"]}]}"#,
        &[" -> www.acme.test"],
    ),
    (
        "gcp",
        "keys",
        "null",
        r#"{"assets":[{"name":"//iam/k1","resource":{"data":{"keyType":"USER_MANAGED","validAfterTime":"2026-01-01T00:00:00Z"}}},
            {"name":"//iam/k2","resource":{"data":{"keyType":"SYSTEM_MANAGED"}}},
            {"name":"//iam/k3","resource":{"data":{"keyType":"USER_MANAGED","disabled":true}}}]}"#,
        &["CloudResource //iam/k1 -> "],
    ),
    (
        "gcp",
        "buckets",
        "null",
        r#"{"assets":[{"name":"//storage.googleapis.com/acme-b","resource":{"data":{"name":"acme-b"}}}]}"#,
        &["GcpStorageBucket acme-b -> "],
    ),
    (
        "gcp",
        "functions",
        "null",
        r#"{"assets":[{"name":"//f/hook","resource":{"data":{"httpsTrigger":{"url":"https://r-a.cloudfunctions.net/hook"}}}}]}"#,
        &["GcpCloudFunction //f/hook -> https://r-a.cloudfunctions.net/hook"],
    ),
    (
        "gcp",
        "databases",
        "null",
        r#"{"assets":[{"name":"//sql/a","resource":{"data":{"ipAddresses":[{"type":"PRIMARY","ipAddress":"203.0.113.30"},
            {"type":"OUTGOING","ipAddress":"203.0.113.31"}]}}}]}"#,
        &["GcpCloudSQLInstance //sql/a -> 203.0.113.30"],
    ),
    ("gcp", "gateways", "null", "{}", &[]),
    (
        "kubernetes",
        "services",
        "null",
        r#"{"kind":"ServiceList","metadata":{"continue":"c1"},"items":[
            {"metadata":{"name":"web","uid":"u1"},"spec":{"type":"LoadBalancer"},
             "status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.50"}]}}},
            {"metadata":{"name":"inner","uid":"u2"},"spec":{"type":"ClusterIP"}}]}"#,
        &["CloudResource kubernetes:service:u1 -> 203.0.113.50"],
    ),
    (
        "kubernetes",
        "ingresses",
        "null",
        r#"{"metadata":{},"items":[{"metadata":{"name":"i","uid":"u3"},"spec":{"rules":[{"host":"shop.acme.test"}]},
            "status":{"loadBalancer":{"ingress":[{"hostname":"lb.acme.test"}]}}}]}"#,
        &["CloudResource kubernetes:ingress:u3 -> lb.acme.test shop.acme.test"],
    ),
    (
        "kubernetes",
        "nodes",
        "null",
        r#"{"metadata":{},"items":[{"metadata":{"name":"n","uid":"u4"},"status":{"addresses":[
            {"type":"InternalIP","address":"10.0.0.4"},{"type":"ExternalIP","address":"203.0.113.51"}]}}]}"#,
        &["CloudResource kubernetes:node:u4 -> 203.0.113.51"],
    ),
    (
        "kubernetes",
        "nodes",
        "null",
        r#"{"items":[{"metadata":{"uid":"u5"},"status":{"addresses":[{"type":"ExternalIP","address":"100.64.0.9"},
            {"type":"ExternalIP","address":"100.128.0.9"}]}}]}"#,
        &["CloudResource kubernetes:node:u5 -> 100.128.0.9"],
    ),
    (
        "kubernetes",
        "inner_services",
        "null",
        r#"{"items":[{"metadata":{"uid":"u6"},"spec":{"type":"ClusterIP","externalIPs":["203.0.113.52"]}},
            {"metadata":{"uid":"u7"},"spec":{"type":"ClusterIP"}},
            {"metadata":{"uid":"u8"},"spec":{"type":"LoadBalancer","externalIPs":["203.0.113.53"]}}]}"#,
        &["CloudResource kubernetes:service:u6 -> 203.0.113.52"],
    ),
    (
        "vultr",
        "instances",
        "null",
        r#"{"instances":[{"id":"v1","main_ip":"203.0.113.60","v6_main_ip":"2001:db8::60"}],"meta":{"links":{"next":"","prev":""}}}"#,
        &["CloudResource vultr:instance:v1 -> 203.0.113.60 2001:db8::60"],
    ),
    (
        "linode",
        "instances",
        "null",
        r#"{"data":[{"id":9,"label":"web","ipv4":["203.0.113.61","192.168.1.2"],"ipv6":"2001:db8::61/128"}],"page":1,"pages":3}"#,
        &["CloudResource linode:instance:9 -> 203.0.113.61 2001:db8::61"],
    ),
    (
        "scaleway",
        "servers",
        "null",
        r#"{"servers":[{"id":"s1","name":"web","public_ips":[{"address":"203.0.113.62"}]}]}"#,
        &["CloudResource scaleway:server:s1 -> 203.0.113.62"],
    ),
    (
        "gandi",
        "domains",
        "null",
        r#"[{"fqdn":"acme.test","autorenew":false,"dates":{"registry_ends_at":"2027-01-01T00:00:00Z"}}]"#,
        &["CloudResource gandi:domain:acme.test -> acme.test"],
    ),
    (
        "gandi",
        "records",
        r#"{"fqdn":"acme.test"}"#,
        r#"[{"rrset_name":"www","rrset_type":"CNAME"},{"rrset_name":"@","rrset_type":"A"}]"#,
        &[" -> www.acme.test", " -> acme.test"],
    ),
    (
        "netlify",
        "sites",
        "null",
        r#"[{"id":"n1","name":"acme","custom_domain":"www.acme.test","ssl_url":"https://www.acme.test","force_ssl":true}]"#,
        &["CloudResource netlify:site:n1 -> www.acme.test https://www.acme.test"],
    ),
    (
        "vercel",
        "projects",
        "null",
        r#"{"projects":[{"id":"p1","name":"acme","alias":[{"domain":"app.acme.test"}]}],"pagination":{"next":1690000000}}"#,
        &["CloudResource vercel:project:p1 -> app.acme.test"],
    ),
    (
        "ovh",
        "vps",
        "null",
        r#"["vps-1.vps.ovh.net"]"#,
        &["CloudResource ovh:vps:vps-1.vps.ovh.net -> vps-1.vps.ovh.net"],
    ),
    (
        "ovh",
        "dedicated_addresses",
        r#""ns1.ip-203-0-113.eu""#,
        r#"["203.0.113.7/32","2001:db8::/56","198.51.100.16/28","203.0.0.0/8","::/0","10.0.0.0/24"]"#,
        &[" -> 203.0.113.7", " -> 2001:db8::/56", " -> 198.51.100.16/28", " -> ", " -> ", " -> "],
    ),
    (
        "ovh",
        "instances",
        r#""p1""#,
        r#"[{"id":"i1","name":"web","status":"ACTIVE","ipAddresses":[{"ip":"10.0.0.3","type":"private"},
            {"ip":"203.0.113.8","type":"public"}]}]"#,
        &["CloudResource ovh:instance:i1 -> 203.0.113.8"],
    ),
    ("fastly", "domains", r#"{"id":"f1","version":3}"#, r#"[{"name":"cdn.acme.test"}]"#, &[" -> cdn.acme.test"]),
];

#[test]
fn every_provider_has_an_answer_here_and_is_named_in_the_interface_and_in_the_manual() {
    let (interface, manual) =
        (include_str!("../../../../web/src/accounts.ts"), include_str!("../../../../docs/operations.md"));
    // These two have types of their own.
    let is_by_name = |provider: &&Provider| !["azure", "gcp"].contains(&provider.name.as_str());
    for name in all().iter().filter(is_by_name).map(|provider| provider.name.as_str()) {
        assert!(interface.contains(&format!("provider(\"{name}\"")), "{name} has no row in web/src/accounts.ts");
        assert!(manual.contains(&format!("\n| `{name}` |")), "{name} has no row in docs/operations.md");
        assert!(RECORDED.iter().any(|(provider, ..)| *provider == name), "{name} has no answer in RECORDED");
    }
}

#[test]
fn what_providers_answer_becomes_things_and_what_they_lead_to() {
    for (provider, list, parent, answer, wanted) in RECORDED {
        let parent: Value = serde_json::from_str(parent).unwrap();
        assert_eq!(words(&page(provider, list, &parent, answer).assets), *wanted, "{provider} {list}");
    }
    let read: std::collections::BTreeSet<&str> = RECORDED.iter().map(|row| row.0).collect();
    assert_eq!(read.into_iter().collect::<Vec<_>>(), all().iter().map(|known| known.name.as_str()).collect::<Vec<_>>());
}

#[test]
fn records_say_where_they_lead_as_each_provider_writes_it() {
    for (provider, parent, answer, wanted) in [
        (
            "azure",
            json!({"id": "/s/z", "name": "acme.test"}),
            r#"{"value":[{"name":"@","type":"Microsoft.Network/dnszones/A","properties":{"ARecords":[
                {"ipv4Address":"203.0.113.4"},{"ipv4Address":"203.0.113.5"}]}}]}"#,
            json!(["203.0.113.4", "203.0.113.5"]),
        ),
        (
            "cloudflare",
            json!({"id": "z"}),
            r#"{"result":[{"type":"A","name":"acme.test","content":"203.0.113.4"}]}"#,
            json!(["203.0.113.4"]),
        ),
        (
            "digitalocean",
            json!({"name": "acme.test"}),
            r#"{"domain_records":[{"type":"A","name":"@","data":"203.0.113.4"}]}"#,
            json!(["203.0.113.4"]),
        ),
        (
            "gandi",
            json!({"fqdn": "acme.test"}),
            r#"[{"rrset_name":"@","rrset_type":"A","rrset_values":["203.0.113.4"]}]"#,
            json!(["203.0.113.4"]),
        ),
        (
            "gcp",
            json!({"resource": {"data": {"name": "acme"}}}),
            r#"{"rrsets":[{"name":"acme.test.","type":"A","rrdatas":["203.0.113.4"]}]}"#,
            json!(["203.0.113.4"]),
        ),
        (
            "hetzner",
            json!({"id": "z", "name": "acme.test"}),
            r#"{"rrsets":[{"name":"@","type":"A","records":[{"value":"203.0.113.4"}]}]}"#,
            json!(["203.0.113.4"]),
        ),
    ] {
        let form = find(provider).unwrap().lists.iter().find(|list| list.has_records()).unwrap();
        let found = page(provider, &form.permission, &parent, answer).assets;
        assert_eq!(
            (found[0].hosts.as_slice(), &found[0].says[crate::form::VALUES]),
            (&["acme.test".to_owned()][..], &wanted)
        );
        assert_eq!(found[0].says[crate::form::RECORD], "A", "{provider}");
    }
}

#[test]
fn policies_tell_what_everybody_may_and_name_nobody_else() {
    let policy = r#"{"assets":[{"name":"//storage.googleapis.com/acme-b","iamPolicy":{"bindings":[
        {"role":"roles/storage.objectViewer","members":["allUsers","user:ann@acme.test"]},
        {"role":"roles/storage.admin","members":["user:ann@acme.test"]}]}}]}"#;
    let found = page("gcp", "bucket_access", &Value::Null, policy).assets;
    assert_eq!(words(&found), ["GcpStorageBucket acme-b -> "]);
    let granted = json!([{"role": "roles/storage.objectViewer", "conditional": false}]);
    assert_eq!(Value::Object(found[0].says.clone()), json!({"granted": granted}));
    let inner = r#"{"assets":[{"name":"//dns/1","resource":{"data":{"name":"in","dnsName":"in.test.","visibility":"PRIVATE"}}}]}"#;
    assert_eq!(page("gcp", "zones", &Value::Null, inner).assets, []);
}

/// What the first thing of an answer says in one respect.
fn said(provider: &str, list: &str, answer: Value, name: &str) -> Value {
    page(provider, list, &json!({"id": "p"}), &answer.to_string()).assets.remove(0).says[name].clone()
}

#[test]
fn a_load_balancer_says_whether_it_leads_visitors_to_https() {
    let rules = json!([{"entry_protocol": "http", "entry_port": 80}]);
    let ocean = json!({"load_balancers": [{"id": "b", "redirect_http_to_https": true, "forwarding_rules": rules}]});
    let wanted = json!([{"port": 80, "protocol": "http", "redirects_to": "true"}]);
    assert_eq!(said("digitalocean", "load_balancers", ocean, "listeners"), wanted);
    let inner = json!({"load_balancers": [{"id": "b", "network": "INTERNAL"}]});
    assert_eq!(said("digitalocean", "load_balancers", inner, "network"), "INTERNAL");
    let rules = json!([{"frontend_protocol": "http", "frontend_port": 80}]);
    let vultr = |redirects: bool| {
        let balancer = json!({"id": "b", "generic_info": {"ssl_redirect": redirects}, "forwarding_rules": rules});
        said("vultr", "load_balancers", json!({"load_balancers": [balancer]}), "listeners")[0]["redirects_to"].clone()
    };
    assert_eq!((vultr(true), vultr(false)), (json!("true"), json!("false")));
    let hetzner = json!({"load_balancers": [{"id": 1, "public_net": {"enabled": false}, "services": []}]});
    assert_eq!(said("hetzner", "load_balancers", hetzner, "public"), false);
}

#[test]
fn a_group_of_azure_says_which_rules_refuse_and_in_which_order() {
    let rule = |access: &str, priority: u32, to: &str| {
        json!({"properties": {"access": access, "direction": "Inbound", "priority": priority, "protocol": "Tcp",
            "sourceAddressPrefix": "*", "sourcePortRange": "*", "destinationAddressPrefix": to,
            "destinationPortRange": "22"}})
    };
    let rules = json!([rule("Deny", 100, "*"), rule("Deny", 110, "10.0.0.4"), rule("Allow", 200, "*")]);
    let answer = json!({"data": [{"id": "/s/nsg", "properties": {"securityRules": rules}}]});
    let one = |priority: u32| json!([{"priority": priority, "protocol": "Tcp", "ports": ["22"], "sources": ["*"]}]);
    assert_eq!(said("azure", "groups", answer.clone(), "inward"), one(200));
    assert_eq!(said("azure", "groups", answer, "denied"), one(100), "one machine is not all that the group is of");
}

#[test]
fn a_database_of_digitalocean_without_rules_lets_in_everybody() {
    for (rules, wanted) in [
        (json!([]), json!([])),
        (Value::Null, json!([])),
        (json!([{"type": "ip_addr", "value": "192.0.2.1"}]), json!(["192.0.2.1"])),
    ] {
        let found = page("digitalocean", "database_rules", &json!({"id": "d"}), &json!({ "rules": rules }).to_string());
        assert_eq!(words(&found.assets), ["CloudResource digitalocean:database:d -> "]);
        assert_eq!(
            Value::Object(found.assets[0].says.clone()),
            json!({"sources": wanted, "without_sources": "everybody"})
        );
    }
    let list = json!({"databases": [{"id": "d", "name": "shop"}]}).to_string();
    let found = page("digitalocean", "databases", &Value::Null, &list).assets.remove(0);
    assert!(!found.says.contains_key("sources"), "the list does not always have them");
}

#[test]
fn a_firewall_of_linode_says_what_becomes_of_what_no_rule_is_about() {
    let everybody = json!({"ipv4": ["0.0.0.0/0"]});
    let rule = |action: &str| json!({"action": action, "protocol": "TCP", "ports": "22", "addresses": everybody});
    let rules = json!({"inbound_policy": "ACCEPT", "inbound": [rule("DROP"), rule("ACCEPT")]});
    let answer = json!({"data": [{"id": 1, "rules": rules}], "pages": 1});
    let says = |name: &str| said("linode", "firewalls", answer.clone(), name);
    let one = json!([{"protocol": "TCP", "ports": ["22"], "sources": ["0.0.0.0/0"]}]);
    assert_eq!((says("inbound_policy"), says("denied"), says("inward")), (json!("ACCEPT"), one.clone(), one));
}

#[test]
fn a_function_says_whether_an_event_starts_it() {
    let by_event = |data: Value| {
        said("gcp", "functions", json!({"assets": [{"name": "//f/a", "resource": {"data": data}}]}), "by_event")
    };
    assert_eq!(by_event(json!({"eventTrigger": {"eventType": "google.pubsub.topic.publish"}})), true);
    assert_eq!(by_event(json!({"httpsTrigger": {"url": "https://r-a.cloudfunctions.net/a"}})), false);
}

#[test]
fn what_azure_does_not_say_is_neither_yes_nor_no() {
    let storage = |properties: Value| {
        let answer = json!({"data": [{"id": "/s/a", "name": "a", "properties": properties}]});
        ["public", "https_only"].map(|name| said("azure", "storage", answer.clone(), name))
    };
    assert_eq!(storage(json!({})), [Value::Null, Value::Null]);
    let told = json!({"allowBlobPublicAccess": false, "supportsHttpsTrafficOnly": true});
    assert_eq!(storage(told), [json!(false), json!(true)]);
    let site = json!({"data": [{"id": "/s/site", "properties": {}}]});
    assert_eq!(said("azure", "applications", site, "https_only"), Value::Null);
}

#[test]
fn an_application_of_azure_is_at_addresses_that_others_share_and_leads_to_none_of_them() {
    let sites = r#"{"data":[{"id":"/s/site","name":"shop","properties":{"defaultHostName":"shop.azurewebsites.net",
        "inboundIpAddress":"203.0.113.80"}}]}"#;
    let found = page("azure", "applications", &Value::Null, sites).assets;
    assert_eq!(words(&found), ["CloudResource /s/site -> shop.azurewebsites.net"]);
    assert_eq!(found[0].shared, ["203.0.113.80".parse::<IpAddr>().unwrap()]);
}

#[test]
fn what_a_list_reads_of_a_resource_is_of_a_type_that_its_query_asks_for() {
    for (list, types) in [
        ("fronts", &["microsoft.cdn/profiles/afdendpoints", "microsoft.network/frontdoors"][..]),
        ("gateways", &["microsoft.apimanagement/service"]),
        ("containers", &["microsoft.app/managedenvironments", "microsoft.containerinstance/containergroups"]),
        ("vaults", &["microsoft.keyvault/managedhsms", "microsoft.keyvault/vaults"]),
    ] {
        let list = find("azure").unwrap().list(list).unwrap();
        let asked = list.request(None, &Value::Null, &Place::default()).unwrap().body;
        for wanted in types {
            assert!(asked.contains(&format!("'{wanted}'")), "{wanted}: {asked}");
        }
    }
}
