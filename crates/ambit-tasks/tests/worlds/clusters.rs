//! What clusters of Kubernetes say of their services.

use super::explorer::empty_facts;
use super::faulty::look_by;
use ambit_model::{Kind, Timestamp};
use ambit_tasks::{Account, Settings};
use ambit_world::World;
use serde_json::{Value, json};

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);

/// What is said of a service at ports of nodes and of one without, where the cluster answers so about its nodes.
fn outside(nodes: &str) -> Vec<Value> {
    let service = |uid: &str, port: &str| {
        format!("{{'metadata':{{'uid':'{uid}'}},'spec':{{'type':'NodePort','ports':[{{'port':80{port}}}]}}}}")
    };
    let services = format!("{},{}", service("a", ",'nodePort':30080"), service("b", ""));
    let text = format!(
        r#"
world cluster "Cluster"
seeds acme.test
org acme "Acme Corp" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
account kubernetes "Cluster" of acme
  secret server https://kube.example
  secret token kub3
  shown "Bearer kub3"
  answers kube.example when /api/v1/services json "{{'metadata':{{}},'items':[{services}]}}"
  answers kube.example when /api/v1/nodes {nodes}
"#
    );
    let world = World::parse(&text, "cluster.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let secrets = json!({"server": "https://kube.example", "token": "kub3"});
    let settings = json!({"provider": "kubernetes"}).as_object().cloned().unwrap();
    let account = Account { kind: Some(Kind::CloudCredential), secrets: secrets.as_object().cloned(), settings };
    let mut given = Settings::default();
    given.accounts.insert("c".to_owned(), account);
    let facts = (empty_facts(Kind::CloudCredential, "c"), "services");
    let looked = look_by(given, (&world, EPOCH), "cloud_account", facts, |_, _| None);
    assert_eq!(looked.answer, Ok(ambit_tasks::Answer::Found));
    let of = |details: &ambit_model::Details| {
        let said = details["hidden_configuration"].as_array().cloned().unwrap();
        said.into_iter()
            .find(|setting| setting["name"] == "nodes_outside")
            .map_or(Value::Null, |said| said["value"].clone())
    };
    looked.found.edges.iter().map(|edge| of(&edge.details)).collect()
}

#[test]
fn a_service_at_ports_of_nodes_says_whether_any_node_has_an_address_outside() {
    let node = |addresses: &str| {
        format!(
            "json \"{{'metadata':{{}},'items':[{{'metadata':{{'uid':'n'}},'status':{{'addresses':[{addresses}]}}}}]}}\""
        )
    };
    let inner = "{'type':'InternalIP','address':'10.0.0.4'}";
    let outer = "{'type':'ExternalIP','address':'203.0.113.51'}";
    assert_eq!(outside(&node(&format!("{inner},{outer}"))), [json!(true), json!(true)]);
    assert_eq!(outside(&node(inner)), [json!(false), json!(false)]);
    assert_eq!(outside("status 403 json \"{}\""), [Value::Null, Value::Null], "nobody knows, and another row tells");
}
