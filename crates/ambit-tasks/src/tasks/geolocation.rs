//! Where an address is, by databases that the user loaded. Without one there is nothing to look in.

use crate::task::OF_SITES;
use crate::{Answer, Context, Plan, Result, Settings, Task, TaskError};
use ambit_model::entity::network;
use ambit_model::moment::DAY_MS;
use ambit_model::{Kind, TaskName};
use serde_json::{Value, json};
use std::net::IpAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::Geolocation,
    pretty_name: "Geolocation",
    description: "Looks an address up in the user's databases of places and networks (MMDB).",
    workflows: OF_SITES,
    watches: &[Kind::IpAddress],
    ttl_ms: 30 * DAY_MS,
    cost: 1,
    gain: 2,
    plan: |facts, settings| {
        Plan::once_if(facts.name.parse().is_ok_and(|address| covering(settings, address).next().is_some()))
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let broken = |error: maxminddb::MaxMindDbError| TaskError::SourceDown(format!("database of places: {error}"));
    let mut known: Option<Value> = None;
    for database in covering(cx.settings, address) {
        let row: Option<Value> = database.lookup(address).and_then(|found| found.decode()).map_err(broken)?;
        if let Some(row) = row {
            let place = place(&row);
            known = Some(known.map_or(place.clone(), |known| together(known, place)));
        }
    }
    let found = known.is_some();
    if let Some(known) = known {
        cx.observe(network::GEOLOCATION, known);
    }
    Ok(Answer::found_if(found))
}

/// The databases that hold addresses of this family.
fn covering(settings: &Settings, address: IpAddr) -> impl Iterator<Item = &maxminddb::Reader<Vec<u8>>> {
    let all = settings.geo.iter().map(AsRef::as_ref);
    all.filter(move |database| address.is_ipv4() || database.metadata().ip_version == 6)
}

/// What both say: the first where both know a member. One database knows the place, another the network.
fn together(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(mut first), Value::Object(second)) => {
            for (member, said) in second {
                let known = first.remove(&member).unwrap_or(Value::Null);
                first.insert(member, together(known, said));
            }
            Value::Object(first)
        }
        (Value::Null, second) => second,
        (first, _) => first,
    }
}

/// The contract's members from the usual layout of city and network databases.
fn place(row: &Value) -> Value {
    let at = |path: &str| row.pointer(path).cloned().unwrap_or(Value::Null);
    // A database of one subject says at the top what one of all subjects says among the traits.
    let first =
        |paths: &[&str]| paths.iter().map(|path| at(path)).find(|value| !value.is_null()).unwrap_or(Value::Null);
    json!({
        "asn": {
            "asn": first(&["/autonomous_system_number", "/traits/autonomous_system_number", "/asn"]),
            "name": first(&["/autonomous_system_organization", "/traits/autonomous_system_organization", "/as_name"]),
            "organization": first(&["/organization", "/traits/organization"]),
            "isp": first(&["/isp", "/traits/isp"]),
            "connection_type": first(&["/connection_type", "/traits/connection_type"]),
        },
        "city": at("/city/names/en"), "postal": at("/postal/code"), "country": at("/country/names/en"),
        "latitude": at("/location/latitude"),
        "longitude": at("/location/longitude"), "continent": at("/continent/names/en"),
        "time_zone": at("/location/time_zone"),
        "country_code": at("/country/iso_code"), "continent_code": at("/continent/code"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_either_database_is_read() {
        let row = json!({
            "city": {"names": {"en": "Singapore"}}, "country": {"iso_code": "SG", "names": {"en": "Singapore"}},
            "location": {"latitude": 1.3, "longitude": 103.8},
            "traits": {"autonomous_system_number": 64500},
        });
        let place = place(&row);
        assert_eq!(
            (&place["city"], &place["country_code"], &place["asn"]["asn"]),
            (&json!("Singapore"), &json!("SG"), &json!(64_500))
        );
        assert_eq!(super::place(&json!({"autonomous_system_number": 1}))["asn"]["asn"], 1);
        assert_eq!(super::place(&json!(7))["city"], Value::Null);
    }

    #[test]
    fn providers_and_connections_are_read_at_the_top_and_among_the_traits() {
        let said = json!({"isp": "Acme Net", "organization": "Acme", "connection_type": "Cable/DSL"});
        for row in [said.clone(), json!({"traits": said})] {
            let of = &place(&row)["asn"];
            assert_eq!(
                json!([of["isp"], of["organization"], of["connection_type"]]),
                json!(["Acme Net", "Acme", "Cable/DSL"]),
                "{row}"
            );
        }
    }

    #[test]
    fn a_database_of_places_and_one_of_networks_are_read_together() {
        let city = place(&json!({"city": {"names": {"en": "Bern"}}, "country": {"iso_code": "CH"}}));
        let network = place(&json!({"autonomous_system_number": 64500, "country": {"iso_code": "DE"}}));
        let both = together(city, network);
        assert_eq!(
            (&both["city"], &both["country_code"], &both["asn"]["asn"]),
            (&json!("Bern"), &json!("CH"), &json!(64_500))
        );
    }
}
