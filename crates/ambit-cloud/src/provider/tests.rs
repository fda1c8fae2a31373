//! Answers as the providers give them, shortened, and what is made of them.

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

#[test]
fn the_next_page_is_asked_for_as_each_provider_says_and_only_at_its_own_host() {
    let next = |provider: &str, list: &str, answer: &str| {
        let mark = page(provider, list, &Value::Null, answer).next?;
        let list = find(provider).unwrap().list(list).unwrap();
        let place = Place { account: "acme", ..Place::default() };
        let request = list.request(Some(&mark), &Value::Null, &place).unwrap();
        Some(if request.body.is_empty() { request.target } else { request.body })
    };
    let more = r#"{"droplets":[],"links":{"pages":{"next":"https://evil.test/v2/droplets?page=2"}}}"#;
    assert_eq!(next("digitalocean", "droplets", more).as_deref(), Some("/v2/droplets?page=2"));
    let numbered = r#"{"result":[],"result_info":{"total_pages":2}}"#;
    assert_eq!(next("cloudflare", "zones", numbered).as_deref(), Some("/client/v4/zones?per_page=50&page=2"));
    assert_eq!(next("cloudflare", "zones", r#"{"result":[],"result_info":{"total_pages":1}}"#), None);
    let until = r#"{"projects":[],"pagination":{"next":1690000000}}"#;
    assert_eq!(next("vercel", "projects", until).as_deref(), Some("/v9/projects?limit=100&until=1690000000"));
    assert!(
        next("azure", "zones", r#"{"data":[],"$skipToken":"t1"}"#)
            .unwrap()
            .contains(r#""options":{"$skipToken":"t1"}"#)
    );
    assert_eq!(next("netlify", "sites", r#"[{"id":"a"}]"#).as_deref(), Some("/api/v1/sites?per_page=100&page=2"));
    assert_eq!(next("netlify", "sites", "[]"), None);
    for list in ["repositories", "repositories_of_a_person", "members", "all_members"] {
        let list = forge("gitea").unwrap().list(list).unwrap();
        let next = |answer: &str| {
            list.page(&super::answer(200, answer.as_bytes()).unwrap(), None, &Value::Null, &Place::default())
                .unwrap()
                .next
        };
        assert_eq!(next(r#"[{"clone_url":"https://git.acme.test/a/b.git"}]"#), Some(Mark::Argument("2".to_owned())));
        assert_eq!(next("[]"), None);
    }
    let list = find("netlify").unwrap().list("sites").unwrap();
    let (answer, place) = (json!([{"id": "a"}]), Place::default());
    let more = list.page(&answer, Some(&Mark::Argument("1000".to_owned())), &Value::Null, &place).unwrap();
    assert_eq!(more.next, Some(Mark::Argument("1001".to_owned())), "whoever asks tells where a list is cut");
}

#[test]
fn another_answer_is_no_empty_list_and_a_refusal_tells_no_more_than_its_status() {
    let list = find("hetzner").unwrap().list("servers").unwrap();
    assert_eq!(list.page(&json!({"error": {}}), None, &Value::Null, &Place::default()), None);
    let said = |status| answer(status, br#"{"message":"token abc of bob"}"#).unwrap_err();
    assert_eq!(said(401), Refusal::BadKeys("status 401".into()));
    assert_eq!(said(403), Refusal::Denied("status 403".into()));
    assert_eq!(said(429), Refusal::Throttled("status 429".into()));
    assert_eq!(said(500), Refusal::Other("refused: status 500".into()));
    assert!(answer(200, b"<html>").is_err());
    assert_eq!(token(400, br#"{"error":"invalid_client"}"#), Err(Refusal::BadKeys("refused: status 400".into())));
}

#[test]
fn what_opens_an_account_stands_in_its_headers_and_in_no_list() {
    let opening = json!({"token": "s3cret"});
    let cloudflare = find("cloudflare").unwrap();
    let headers = cloudflare.headers(&opening, None).unwrap();
    assert_eq!(headers, [("authorization".to_owned(), "Bearer s3cret".to_owned())]);
    assert_eq!(cloudflare.headers(&json!({}), None), None);
    let azure = json!({"tenant_id": "t/../x", "client_id": "c", "client_secret": "a b&c"});
    let (url, request) = find("azure").unwrap().token_request(&azure, None, 0).unwrap().unwrap();
    assert!(request.body.ends_with("scope=https%3A%2F%2Fmanagement.azure.com%2F.default"), "{}", request.body);
    let login = Login { host: "https://login.microsoftonline.us", audience: "https://management.usgovcloudapi.net" };
    let (sovereign, asked) = find("azure").unwrap().token_request(&azure, Some(login), 0).unwrap().unwrap();
    assert!(sovereign.starts_with("https://login.microsoftonline.us/t%2F..%2Fx/oauth2"), "{sovereign}");
    assert!(asked.body.ends_with("scope=https%3A%2F%2Fmanagement.usgovcloudapi.net%2F.default"), "{}", asked.body);
    assert!(url.starts_with("https://login.microsoftonline.com/t%2F..%2Fx/oauth2"), "{url}");
    assert!(request.body.contains("client_secret=a%20b%26c"), "{}", request.body);
    let gcp = json!({"project_id": "p", "client_email": "a@p.iam", "private_key": "no key"});
    assert!(matches!(find("gcp").unwrap().token_request(&gcp, None, 0), Err(Refusal::BadKeys(_))));
    for provider in all() {
        let text = FILES.iter().find(|(name, _)| *name == provider.name).unwrap().1;
        assert!(!provider.lists.is_empty() && text.starts_with("# "), "{}", provider.name);
        for list in &provider.lists {
            let before = list.after.as_ref().map(|before| provider.list(before));
            assert!(
                before.is_none_or(|before| before.is_some_and(|before| before.after.is_none())),
                "{}",
                list.permission
            );
        }
    }
}

#[test]
fn a_page_of_a_proxy_or_a_message_is_no_answer_to_any_list() {
    let providers = all().iter().chain(forges()).chain(app_stores());
    for (provider, list) in providers.flat_map(|provider| provider.lists.iter().map(move |list| (provider, list))) {
        for body in [
            "<html><body>maintenance</body></html>",
            r#"{"message":"maintenance"}"#,
            r#"{"message":"maintenance","request_id":"1"}"#,
            r#"{"error":{"code":429,"message":"x"}}"#,
            r#"{"error":"x","status":429}"#,
            r#"{"success":false,"errors":[{"code":10000}],"messages":[],"result":null}"#,
            r#"{"maintenance":true}"#,
            r#""maintenance""#,
        ] {
            let read = super::page(list, None, &json!({}), &Place::default(), (200, body.as_bytes()));
            assert!(read.is_err(), "{} {}: {body}: {read:?}", provider.name, list.permission);
        }
    }
}

#[test]
fn an_answer_without_items_is_one_where_the_provider_answers_so() {
    for (provider, list, body) in [
        ("gcp", "machines", "{}"),
        ("gcp", "machines", r#"{"readTime":"2026-11-28T10:00:00Z"}"#),
        ("gcp", "projects", "{}"),
        ("digitalocean", "apps", r#"{"links":{},"meta":{"total":0}}"#),
        ("digitalocean", "kubernetes", r#"{"meta":{"total":0}}"#),
        ("cloudflare", "zones", r#"{"success":true,"errors":[],"messages":[],"result":[]}"#),
        ("kubernetes", "nodes", r#"{"kind":"NodeList","metadata":{},"items":null}"#),
        ("gandi", "domains", "[]"),
        ("netlify", "zones", "[]"),
        ("ovh", "vps", "[]"),
    ] {
        assert_eq!(page(provider, list, &Value::Null, body).assets, [], "{provider} {list}: {body}");
    }
}

#[test]
fn forges_name_accounts_their_repositories_and_members_and_leave_forks_out() {
    let read = |forge_name: &str, list: &str, body: &str| {
        let list = forge(forge_name).unwrap().list(list).unwrap();
        let place = Place { account: "acme", ..Place::default() };
        super::page(list, None, &Value::Null, &place, (200, body.as_bytes())).unwrap()
    };
    let account = r#"{"login":"Acme","html_url":"https://github.com/Acme","type":"Organization","name":"Acme Corp",
        "blog":"https://acme.test","email":null}"#;
    let found = read("github", "account", account).assets.remove(0);
    assert_eq!(
        (&found.members["account_type"], &found.members["title"]),
        (&json!("Organization"), &json!("Acme Corp"))
    );
    assert_eq!(found.hosts, ["https://acme.test"]);
    let repositories = r#"[{"html_url":"https://github.com/acme/shop","fork":false},
        {"html_url":"https://github.com/acme/left-pad","fork":true}]"#;
    let page = read("github", "repositories", repositories);
    assert_eq!(words(&page.assets), ["GithubRepository https://github.com/acme/shop -> "]);
    assert_eq!(page.next, None, "fewer than a page: there is no other");
    let full: Vec<Value> =
        (0..100).map(|number| json!({"html_url": format!("https://github.com/acme/{number}")})).collect();
    let next = read("github", "repositories", &json!(full).to_string()).next;
    assert_eq!(next, Some(Mark::Argument("2".to_owned())));
    let members = r#"[{"login":"ann","html_url":"https://github.com/ann"}]"#;
    assert_eq!(words(&read("github", "members", members).assets), ["GithubAccount https://github.com/ann -> "]);
    let projects = r#"[{"web_url":"https://gitlab.com/acme/team/app"}]"#;
    let found = read("gitlab", "repositories", projects).assets;
    assert_eq!(words(&found), ["GitlabProject https://gitlab.com/acme/team/app -> "]);
    let repositories = r#"[{"clone_url":"https://codeberg.org/acme/shop.git","fork":false},
        {"clone_url":"https://codeberg.org/acme/left-pad.git","fork":true}]"#;
    let found = read("gitea", "repositories", repositories).assets;
    assert_eq!(words(&found), ["GitRepository https://codeberg.org/acme/shop.git -> "]);
    let workspace = r#"{"values":[{"links":{"html":{"href":"https://bitbucket.org/acme/shop"}},"parent":null},
        {"links":{"html":{"href":"https://bitbucket.org/acme/fork"}},"parent":{"type":"repository"}}],
        "next":"https://api.bitbucket.org/2.0/repositories/acme?pagelen=100&page=2"}"#;
    let page = read("bitbucket", "repositories", workspace);
    assert_eq!(words(&page.assets), ["GitRepository https://bitbucket.org/acme/shop -> "]);
    assert_eq!(page.next, Some(Mark::Target("/2.0/repositories/acme?pagelen=100&page=2".to_owned())));
    let place = Place { account: "acme/team", ..Place::default() };
    let list = forge("gitlab").unwrap().list("repositories").unwrap();
    let asked = list.request(None, &Value::Null, &place).unwrap().target;
    assert!(asked.starts_with("/api/v4/groups/acme%2Fteam/projects?"), "{asked}");
    let absent = super::page(list, None, &Value::Null, &place, (404, b"{}")).unwrap();
    assert_eq!(absent.assets, []);
}

#[test]
fn a_forge_that_asks_for_patience_by_a_denial_denies_nothing() {
    let limited = br#"{"message":"API rate limit exceeded for 192.0.2.1."}"#;
    assert_eq!(answer(403, limited), Err(Refusal::Throttled("status 403".into())));
    assert_eq!(answer(403, br#"{"message":"Resource not accessible"}"#), Err(Refusal::Denied("status 403".into())));
}

#[test]
fn requests_are_signed_as_the_provider_checks_them() {
    let ovh = find("ovh").unwrap();
    let opening = json!({"application_key": "7kbG7Bk7S9Nt7ZSV",
        "application_secret": "EXEgWIz07P0HYwtQDs7cNIqCiQaWSuHF", "consumer_key": "MtSwSrPpNjqfVSmJhLbPyr2i45lSwPU1"});
    let request = Request { method: "GET", ..Request::default() };
    let signed = ovh.signature(&opening, "https://eu.api.ovh.com/1.0/domains/", &request, 1_366_560_945_000).unwrap();
    let expected =
        [("x-ovh-timestamp", "1366560945"), ("x-ovh-signature", "$1$d3705e8afb27a0d2970a322b96550abfc67bb798")];
    assert_eq!(signed, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(ovh.signature(&json!({}), "https://eu.api.ovh.com/1.0/ip", &request, 0), None);
    assert_eq!(find("hetzner").unwrap().signature(&json!({}), "https://x", &request, 0), Some(Vec::new()));
}

#[test]
fn a_forge_is_asked_at_the_host_of_the_account_and_known_by_where_it_runs_for_everybody() {
    let base = |name: &str, host: &str| forge(name).unwrap().base(&json!({"host": host})).unwrap();
    assert_eq!(base("gitea", "git.acme.test"), "https://git.acme.test");
    assert_eq!(base("gitlab", "code.acme.test"), "https://code.acme.test");
    assert_eq!(base("github", "github.com"), "https://api.github.com");
    assert_eq!(base("bitbucket", "bitbucket.org"), "https://api.bitbucket.org");
    let at = |host: &str| forge_at(host).map(|forge| forge.name.as_str());
    assert_eq!(
        (at("codeberg.org"), at("bitbucket.org"), at("git.acme.test")),
        (Some("gitea"), Some("bitbucket"), None)
    );
}
