//! Which internet a run uses: live sockets, or the simulated one that its collection stores (design §4).

use ambit_model::Kind;
use ambit_model::collection::Collection;
use ambit_model::run::Run;
use ambit_model::wire::WireChoice;
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_net::wire::Wire;
use ambit_store::Store;
use ambit_world::{SimulatedWire, Truth, World};
use std::sync::Arc;

/// The live wire, made once per process.
pub(crate) fn live(options: LiveOptions) -> Result<Arc<dyn Wire>, String> {
    LiveWire::new(&options)
        .map(|wire| Arc::new(wire) as Arc<dyn Wire>)
        .map_err(|error| error.to_string())
}

/// Reads a world's text. The error is one line: the first problem, with file, line and word, and how many more there are.
pub(crate) fn parse_world(text: &str, file: &str) -> Result<World, String> {
    World::parse(text, file).map_err(|problems| {
        let more = problems.len().saturating_sub(1);
        let first = problems.first().map(ToString::to_string).unwrap_or_default();
        if more == 0 { first } else { format!("{first} (and {more} more)") }
    })
}

/// The seeds of a world, canonical.
pub(crate) fn seeds(world: &World) -> Result<Vec<(Kind, String)>, String> {
    let mut seeds = world
        .seeds()
        .iter()
        .map(|seed| Kind::of_target(seed).map_err(|error| error.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    seeds.sort();
    seeds.dedup();
    Ok(seeds)
}

/// A simulated internet in the state of a run.
pub(crate) struct Simulated {
    pub(crate) wire: Arc<SimulatedWire>,
    pub(crate) truth: Truth,
}

/// The simulated wire of a collection in the run's state.
pub(crate) async fn simulated(store: &Store, collection: &Collection, run: &Run) -> Result<Simulated, String> {
    let WireChoice::Simulated { blob, .. } = &collection.wire else {
        return Err("the collection is live".to_owned());
    };
    let bytes = store
        .blob(*blob)
        .await
        .map_err(|error| error.to_string())?
        .ok_or("the text of its simulated internet is missing from the store")?;
    let text = String::from_utf8(bytes).map_err(|_| "the text of its simulated internet is not UTF-8")?;
    let world = parse_world(&text, &collection.printable_name)?;
    let epoch = store.epoch().await.map_err(|error| error.to_string())?;
    Ok(Simulated {
        wire: world.wire(epoch, run.wire_state),
        truth: world.truth(epoch, run.wire_state),
    })
}

/// The maker that the engine's service asks for each run.
pub(crate) fn maker(store: Store, live_options: LiveOptions) -> ambit_engine::WireMaker {
    Arc::new(move |collection, run| {
        let (store, live_options) = (store.clone(), live_options.clone());
        Box::pin(async move {
            match &collection.wire {
                WireChoice::Live => live(live_options),
                WireChoice::Simulated { .. } => simulated(&store, &collection, &run)
                    .await
                    .map(|simulated| simulated.wire as Arc<dyn Wire>),
            }
        })
    })
}
