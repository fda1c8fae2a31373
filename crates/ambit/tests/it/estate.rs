//! Accounts of a simulated internet whose provider denies, throttles or no longer accepts what opened them: what was
//! found stays, and is gone only where the provider says so.

use crate::program::{Discovery, Folder, command};
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
