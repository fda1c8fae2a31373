//! The made-up organisation of `ambit demo`, which a server offers to those who look around, too.

use crate::failure::Result;
use crate::wires;
use ambit_model::wire::WireChoice;
use ambit_server::Sample;
use ambit_world::World;

/// The demo's simulated internet.
pub(crate) const TEXT: &str = include_str!("../../../worlds/demo.world");

/// The demo's simulated internet, read.
pub(crate) fn world() -> Result<World> {
    wires::parse_world(TEXT, "demo.world")
}

/// The demo's organisation, for those who look around in a server over real data.
pub(crate) fn sample() -> Sample {
    Sample {
        project: "Demo",
        internet: TEXT,
        wire: |blob| WireChoice::Simulated { blob, state: 1 },
        seeds: || {
            let world = world().map_err(|failure| failure.to_string())?;
            Ok(world.targets(ambit_model::workflow::EXTERNAL_DISCOVERY))
        },
    }
}
