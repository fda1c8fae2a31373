//! `ambit demo`: the organisation of the built-in simulated internet, discovered, assessed, printed and served.

use crate::cli::demo::Demo;
use crate::config::Settings;
use crate::discover::{Job, discover, open};
use crate::failure::Failure;
use crate::report::{Style, print};
use crate::signals::Stop;
use crate::{folder, serve, wires};
use ambit_model::{Clearance, workflow};
use ambit_net::live::LiveOptions;
use std::net::SocketAddr;

/// The demo's simulated internet.
const TEXT: &str = include_str!("../../../worlds/demo.world");

/// Runs the command.
pub(crate) async fn run(demo: &Demo, silent: bool, settings: &mut Settings) -> Result<(), Failure> {
    let listen: SocketAddr = serve::address(&demo.listen)?;
    let stop = Stop::listen()?;
    let folder = folder::demo(demo.data.as_deref())?;
    let world = wires::parse_world(TEXT, "demo.world").map_err(Failure::run_time)?;
    let place = open(&folder, "demo", settings).await?;
    let job = Job {
        seeds: wires::seeds(&world).map_err(Failure::run_time)?,
        simulated: Some((TEXT.to_owned(), world.name().to_owned())),
        workflow: workflow::DEFAULT.to_owned(),
        level: Clearance::L3,
        never: Vec::new(),
        state: demo.state,
        live: LiveOptions::default(),
        rate: None,
        settings: ambit_tasks::Settings::default(),
        silent,
    };
    // A taken port is better known before the discovery than after it.
    let listener = if demo.once { None } else { Some(serve::bind(listen).await?) };
    let finished = discover(&place, &job, &stop).await?;
    let style = Style {
        jsonl: demo.output.jsonl,
        silent,
        output: demo.output.output.as_deref(),
    };
    print(&place, &finished, &style).await?;
    match listener {
        None => serve::bring_up_index(&folder, &place.store).await.map(|_| ()),
        Some(listener) => serve::answer(listener, &folder, place, true, &stop, settings).await,
    }
}
