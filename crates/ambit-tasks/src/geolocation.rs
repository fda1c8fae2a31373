//! Where an address is, by a database that the user loaded. Without one there is nothing to look in.

use crate::{Answer, Contacts, Context, Plan, Task, TaskError};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, Kind};
use serde_json::{Value, json};
use std::net::IpAddr;

pub(crate) const TASK: Task = Task {
    name: "geolocation",
    pretty_name: "Geolocation",
    description: "Looks an address up in the user's database of places and networks (MMDB).",
    watches: &[Kind::IpAddress],
    produces: &[],
    footprint: Clearance::L0,
    ttl_ms: 30 * DAY_MS,
    cost: 1,
    gain: 2,
    owns: &[(Kind::IpAddress, &["geolocation"])],
    volatile: &[],
    contacts: Contacts::Nothing,
    plan: |_, settings| Plan::once_if(settings.geo.is_some()),
    run: |cx| Box::pin(run(cx)),
};

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let database = cx
        .settings
        .geo
        .as_ref()
        .ok_or_else(|| TaskError::SourceDown("no database of places is loaded".into()))?;
    let broken = |error: maxminddb::MaxMindDbError| TaskError::SourceDown(format!("database of places: {error}"));
    let row: Option<Value> = database.lookup(address).and_then(|found| found.decode()).map_err(broken)?;
    let place = row.map(|row| place(&row));
    if let Some(place) = &place {
        cx.observe("geolocation", place.clone());
    }
    Ok(Answer::found_if(place.is_some()))
}

/// The contract's members from the usual layout of city and network databases.
fn place(row: &Value) -> Value {
    let at = |path: &str| row.pointer(path).cloned().unwrap_or(Value::Null);
    let asn = ["/autonomous_system_number", "/traits/autonomous_system_number", "/asn"]
        .into_iter()
        .map(at)
        .find(|value| !value.is_null());
    let owner = ["/autonomous_system_organization", "/traits/autonomous_system_organization", "/as_name"]
        .into_iter()
        .map(at)
        .find(|value| !value.is_null());
    json!({
        "asn": {
            "asn": asn, "name": owner, "organization": at("/traits/organization"), "isp": at("/traits/isp"), "connection_type": at("/traits/connection_type"),
        },
        "city": at("/city/names/en"), "postal": at("/postal/code"), "country": at("/country/names/en"), "latitude": at("/location/latitude"),
        "longitude": at("/location/longitude"), "continent": at("/continent/names/en"), "time_zone": at("/location/time_zone"),
        "country_code": at("/country/iso_code"), "continent_code": at("/continent/code"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_either_database_is_read() {
        let row = json!({
            "city": {"names": {"en": "Singapore"}}, "country": {"iso_code": "SG", "names": {"en": "Singapore"}}, "location": {"latitude": 1.3, "longitude": 103.8},
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
}
