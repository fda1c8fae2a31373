//! Plans: what a run of a collection asks for its seeds, in numbers, before anything is contacted. Ours.

use crate::contract::{Maybe, contract, copied};
use crate::request::Name;
use ambit_model::Clearance;
use ambit_model::estimate::{Estimate, LARGE_BLOCK_ADDRESSES, OfTask};
use serde::{Deserialize, Serialize};

contract! {
    /// A plan: for seeds of each sort, how much is asked at the level of the run, and which blocks need a yes.
    #[derive(Debug, Serialize)]
    pub struct Plan {
        pub level: &'static str,
        pub seeds: SeedCounts,
        pub excluded_seeds: Vec<String>,
        pub swept_addresses: u64,
        pub ports_per_swept_address: u64,
        pub ports_per_address: u64,
        pub names_per_domain: u64,
        pub http_requests_per_site: u64,
        pub dns_questions: u64,
        pub connections: u64,
        pub datagrams: u64,
        pub http_requests: u64,
        pub provider_requests: u64,
        pub packets: u64,
        pub seconds: u64,
        /// What each task sends, most packets first.
        pub tasks: Vec<PlannedTask>,
        pub large_blocks: Vec<LargeBlock>,
        pub unswept_blocks: Vec<String>,
        /// What the workflow needs and the collection does not have.
        pub missing: Vec<String>,
    }

    /// Seeds by what they are.
    #[derive(Debug, Serialize)]
    pub struct SeedCounts as "" {
        pub domains: u64,
        pub names: u64,
        pub addresses: u64,
        pub blocks: u64,
        pub sites: u64,
        pub others: u64,
    }

    /// What one task sends for the seeds: what it examines, what it sends, and how long that takes for itself. The
    /// numbers of a plan are the sums of its tasks'.
    #[derive(Debug, Serialize)]
    pub struct PlannedTask {
        pub task: &'static str,
        pub names: u64,
        pub addresses: u64,
        pub sites: u64,
        pub others: u64,
        pub ports_per_address: u64,
        pub dns_questions: u64,
        pub connections: u64,
        pub datagrams: u64,
        pub http_requests: u64,
        pub provider_requests: u64,
        pub packets: u64,
        pub seconds: u64,
    }

    /// A block that is swept only after somebody said yes.
    #[derive(Debug, Serialize)]
    pub struct LargeBlock {
        pub name: Name,
        pub addresses: u64,
        pub confirmed: bool,
    }

    /// The body of a wish for a run; none is needed.
    #[derive(Debug, Default, Deserialize)]
    pub struct NewRun {
        pub confirm_large: Maybe<bool>,
        /// Everything is searched again, also what an earlier run searched within its time to live.
        pub full: Maybe<bool>,
    }
}

impl Plan {
    /// A plan. `level` is the one asked for under the workflow's ceiling; `is_confirmed` says which large blocks
    /// somebody said yes to. `missing` is what the workflow needs and the collection does not have.
    pub fn of(
        estimate: &Estimate,
        level: Clearance,
        is_confirmed: impl Fn(&str) -> bool,
        missing: Vec<String>,
    ) -> Self {
        let blocks = estimate.large_blocks.iter().map(|block| LargeBlock {
            name: Name(block.name.clone()),
            addresses: block.addresses,
            confirmed: is_confirmed(&block.name),
        });
        copied! {
            Self from estimate {
                swept_addresses, ports_per_swept_address, ports_per_address, names_per_domain, connections, datagrams,
                packets, seconds, unswept_blocks,
            }
            level: level.level(),
            seeds: copied! { SeedCounts from estimate { domains, names, addresses, blocks, sites, others } },
            excluded_seeds: estimate.excluded.clone(),
            http_requests_per_site: estimate.requests_per_site,
            dns_questions: estimate.questions,
            http_requests: estimate.requests,
            provider_requests: estimate.lookups,
            tasks: estimate.by_task.iter().map(PlannedTask::of).collect(),
            large_blocks: blocks.collect(),
            missing,
        }
    }

    /// Why a run is not started: its workflow needs what the collection does not have.
    pub fn lacking(&self) -> Option<String> {
        (!self.missing.is_empty()).then(|| format!("the collection's workflow needs {}", self.missing.join(" and ")))
    }

    /// Why a run is not started: a block that nobody said yes to.
    pub fn unconfirmed(&self) -> Option<String> {
        let block = self.large_blocks.iter().find(|block| !block.confirmed)?;
        Some(format!(
            "{} has {} addresses{}, and every one would be asked: send confirm_large: true if you mean that, or name a \
             smaller block",
            block.name.0,
            block.addresses,
            if block.addresses > LARGE_BLOCK_ADDRESSES {
                format!(", more than {LARGE_BLOCK_ADDRESSES}")
            } else {
                format!(" with {} ports each", self.ports_per_swept_address)
            }
        ))
    }
}

impl PlannedTask {
    fn of(task: &OfTask) -> Self {
        copied! {
            Self from task { names, addresses, sites, others, connections, datagrams, packets }
            task: task.task.as_str(),
            ports_per_address: task.ports,
            dns_questions: task.questions,
            http_requests: task.requests,
            provider_requests: task.lookups,
            seconds: task.milliseconds.div_ceil(1_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Kind;
    use ambit_model::estimate::{Volumes, estimate};

    #[test]
    fn a_plan_says_which_blocks_were_confirmed() {
        let seeds = [(Kind::NetBlock, "10.0.0.0/8".to_owned()), (Kind::NetBlock, "198.18.0.0/15".to_owned())];
        let counted = estimate(&seeds, Clearance::L3, &[], &Volumes::default());
        let value = Plan::of(&counted, Clearance::L3, |name| name == "10.0.0.0/8", Vec::new());
        let confirmed: Vec<bool> = value.large_blocks.iter().map(|block| block.confirmed).collect();
        assert_eq!((confirmed, value.level), (vec![true, false], "normal"));
    }
}
