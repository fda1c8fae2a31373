//! Plans: what a run of a collection asks for its seeds, in numbers, before anything is contacted. Ours.

use crate::shape::{BOOLEAN, INTEGER, NAME, Object, Shape, TEXT, TEXTS, member, optional};
use ambit_model::Clearance;
use ambit_model::estimate::{Estimate, LARGE_BLOCK_ADDRESSES, LargeBlock};
use serde_json::{Value, json};

/// A plan. `level` is the one asked for under the workflow's ceiling; `is_confirmed` says which large blocks somebody said yes to.
pub fn plan(estimate: &Estimate, level: Clearance, is_confirmed: impl Fn(&str) -> bool) -> Value {
    let block = |block: &LargeBlock| json!({"name": block.name, "addresses": block.addresses, "confirmed": is_confirmed(&block.name)});
    json!({
        "level": level.level(),
        "seeds": {
            "domains": estimate.domains,
            "names": estimate.names,
            "addresses": estimate.addresses,
            "blocks": estimate.blocks,
            "sites": estimate.sites,
            "others": estimate.others,
        },
        "excluded_seeds": estimate.excluded,
        "swept_addresses": estimate.swept_addresses,
        "ports_per_swept_address": estimate.ports_per_swept_address,
        "ports_per_address": estimate.ports_per_address,
        "names_per_domain": estimate.names_per_domain,
        "http_requests_per_site": estimate.requests_per_site,
        "dns_questions": estimate.questions,
        "connections": estimate.connections,
        "http_requests": estimate.requests,
        "seconds": estimate.seconds,
        "large_blocks": estimate.large_blocks.iter().map(block).collect::<Value>(),
        "unswept_blocks": estimate.unswept_blocks,
    })
}

/// Why a run is not started: a block that nobody said yes to.
pub fn unconfirmed(block: &str, addresses: u64) -> String {
    format!(
        "{block} has {addresses} addresses, more than {LARGE_BLOCK_ADDRESSES}, and every one would be asked: send confirm_large: true if you mean that, or name a smaller block"
    )
}

static SEED_COUNTS: Shape = Shape::Object(&Object {
    name: "",
    members: &[
        member("domains", INTEGER),
        member("names", INTEGER),
        member("addresses", INTEGER),
        member("blocks", INTEGER),
        member("sites", INTEGER),
        member("others", INTEGER),
    ],
    open: false,
});

static LARGE_BLOCK: Shape = Shape::Object(&Object {
    name: "LargeBlock",
    members: &[member("name", NAME), member("addresses", INTEGER), member("confirmed", BOOLEAN)],
    open: false,
});

/// Its members.
pub static PLAN: Shape = Shape::Object(&Object {
    name: "Plan",
    members: &[
        member("level", TEXT),
        member("seeds", &SEED_COUNTS),
        member("excluded_seeds", TEXTS),
        member("swept_addresses", INTEGER),
        member("ports_per_swept_address", INTEGER),
        member("ports_per_address", INTEGER),
        member("names_per_domain", INTEGER),
        member("http_requests_per_site", INTEGER),
        member("dns_questions", INTEGER),
        member("connections", INTEGER),
        member("http_requests", INTEGER),
        member("seconds", INTEGER),
        member("large_blocks", &Shape::List(&LARGE_BLOCK)),
        member("unswept_blocks", TEXTS),
    ],
    open: false,
});

/// The body of a wish for a run; none is needed.
pub static NEW_RUN: Shape = Shape::Object(&Object {
    name: "NewRun",
    members: &[optional("confirm_large", BOOLEAN)],
    open: true,
});

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Kind;
    use ambit_model::estimate::{Volumes, estimate};

    #[test]
    fn a_plan_has_every_member_and_says_which_blocks_were_confirmed() {
        let seeds = [(Kind::NetBlock, "10.0.0.0/8".to_owned()), (Kind::NetBlock, "198.18.0.0/15".to_owned())];
        let counted = estimate(&seeds, Clearance::L3, &[], &Volumes::default());
        let value = plan(&counted, Clearance::L3, |name| name == "10.0.0.0/8");
        assert_eq!(PLAN.differences(&value), Vec::<String>::new());
        let confirmed = |at: usize| value["large_blocks"][at]["confirmed"].as_bool();
        assert_eq!((confirmed(0), confirmed(1)), (Some(true), Some(false)));
        assert_eq!(value["level"], "normal");
    }
}
