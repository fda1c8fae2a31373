//! Derives the host of a site or service that is a seed, because its addresses are needed to contact it, and where a
//! bucket or machine at a cloud provider is that is one. Sends nothing.

use crate::ask::bindings;
use crate::ask::host::is_below;
use crate::task::OF_SITES;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::host_of;
use ambit_model::moment::DAY_MS;
use ambit_model::{EdgeKind, Kind, TaskName, workflow};
use std::net::{IpAddr, Ipv4Addr};

pub(crate) const TASK: Task = Task {
    name: TaskName::SeedHost,
    pretty_name: "Host of a seed",
    description: "Leads from a site, service or API that was given as a seed to its host, and from a bucket or machine \
                  at a cloud provider to its public address.",
    workflows: OF_SITES,
    watches: &[
        Kind::ApiEndpoint,
        Kind::AppEndpoint,
        Kind::AwsEC2Instance,
        Kind::AwsS3Bucket,
        Kind::AzureStorageAccount,
        Kind::GcpStorageBucket,
        Kind::NetworkService,
        Kind::Uri,
    ],
    produces: &[Kind::CloudStorageBucket, Kind::DnsRecord, Kind::Domain, Kind::IpAddress],
    ttl_ms: 30 * DAY_MS,
    cost: 1,
    gain: 20,
    plan: |facts, _| Plan::bound_if(facts.seed),
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let name = &cx.facts.name;
    let edge = EdgeKind::CloudAccount;
    let host = match cx.facts.kind {
        Kind::AwsS3Bucket => {
            cx.found(Kind::CloudStorageBucket, &format!("https://{name}.s3.amazonaws.com"), edge);
            return Ok(Answer::Found);
        }
        Kind::GcpStorageBucket => {
            cx.found(Kind::CloudStorageBucket, &format!("https://storage.googleapis.com/{name}"), edge);
            return Ok(Answer::Found);
        }
        Kind::AzureStorageAccount => {
            cx.found_host(&format!("{name}.blob.core.windows.net"), edge);
            return Ok(Answer::Found);
        }
        Kind::AwsEC2Instance => {
            let address = public_address(name).ok_or_else(|| private(name))?;
            cx.found(Kind::IpAddress, &address.to_string(), edge);
            return Ok(Answer::Found);
        }
        Kind::NetworkService => bindings::socket(cx.facts.kind, &cx.facts.name, "")
            .or_else(|| bindings::datagram_socket(&cx.facts.name))
            .map(|socket| socket.ip().to_string()),
        _ => Some(host_of(&cx.facts.name).to_owned()),
    };
    let host = host.ok_or_else(|| TaskError::Failed(format!("{:?} names no host", cx.facts.name)))?;
    match host.parse::<IpAddr>() {
        Ok(address) => cx.found(Kind::IpAddress, &address.to_string(), EdgeKind::Host),
        Err(_) => cx.found_host(&host, EdgeKind::Host),
    }
    Ok(Answer::Found)
}

/// The address that the public name of a machine at AWS spells: `ec2-192-0-2-1.eu-west-1.compute.amazonaws.com`.
fn public_address(name: &str) -> Option<Ipv4Addr> {
    let (first, above) = name.split_once('.')?;
    let is_theirs = ["amazonaws.com", "amazonaws.com.cn"].iter().any(|end| is_below(above, end));
    first.strip_prefix("ec2-").filter(|_| is_theirs)?.replace('-', ".").parse().ok()
}

fn private(name: &str) -> TaskError {
    TaskError::Failed(format!(
        "{name} is no public name of a machine at AWS, and nobody reaches it from outside: link an integration of its \
         account to a collection of the workflow {}, or add its address as a seed",
        workflow::CLOUD_ACCOUNTS.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_name_of_a_machine_spells_its_address() {
        for (name, address) in [
            ("ec2-192-0-2-1.compute-1.amazonaws.com", Some("192.0.2.1")),
            ("ec2-192-0-2-1.cn-north-1.compute.amazonaws.com.cn", Some("192.0.2.1")),
            ("ec2-192-0-2-1.compute-1.amazonaws.com.acme.test", None),
            ("ip-10-0-0-1.eu-west-1.compute.internal", None),
            ("ec2-192-0-2.compute-1.amazonaws.com", None),
            ("ec2-192-0-2-999.compute-1.amazonaws.com", None),
        ] {
            assert_eq!(public_address(name).map(|address| address.to_string()).as_deref(), address, "{name}");
        }
    }
}
