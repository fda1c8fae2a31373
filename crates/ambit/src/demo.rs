//! `ambit demo`: the organisation of the built-in simulated internet, discovered, assessed, printed and served.

use crate::cli::demo::Demo;
use crate::config::Settings;
use crate::contacts::Contacts;
use crate::discover::{Job, Place, discover, open};
use crate::door::Front;
use crate::failure::Failure;
use crate::folder::Asking;
use crate::output::{Results, hint};
use crate::report::{Style, print};
use crate::signals::Stop;
use crate::{folder, outfit, serve, wires};
use ambit_model::Clearance;
use ambit_model::wire::WireChoice;
use ambit_net::live::LiveOptions;

/// The demo's simulated internet.
const TEXT: &str = include_str!("../../../worlds/demo.world");

/// Runs the command.
pub(crate) async fn run(demo: &Demo, silent: bool, settings: &mut Settings) -> Result<(), Failure> {
    settings.flag("listen", demo.listen.clone());
    settings.flag("database", demo.database.clone());
    let stop = Stop::listen()?;
    let folder = folder::demo(demo.data.as_deref())?;
    let world = wires::parse_world(TEXT, "demo.world")?;
    let results = Results::open(demo.output.output.as_deref())?;
    let contacts = Contacts::open(demo.contacts.as_deref())?;
    // A taken port is better known before the discovery than after it.
    let front = if demo.once {
        None
    } else {
        Some(Front::prepare(settings, true, silent, &stop).await?)
    };
    if let Some(front) = &front {
        front.say("the demo discovers first");
    }
    let place = open(&folder, "demo", settings).await?;
    if demo.database.is_none() && settings.get("database").is_some() {
        refuse_real_neighbours(&place).await?;
    }
    let job = Job {
        seeds: wires::seeds(&world).map_err(Failure::run_time)?,
        simulated: Some((TEXT.to_owned(), world.name().to_owned())),
        workflow: None,
        level: Clearance::L3,
        never: Vec::new(),
        installation: outfit::installation(settings)?,
        state: demo.state,
        live: LiveOptions::default(),
        rate: None,
        settings: ambit_tasks::Settings::default(),
        asking: Asking::new(&folder, settings),
        silent,
        contacts: contacts.wanted(),
    };
    let finished = discover(&place, &job, &stop).await?;
    let style = Style {
        jsonl: demo.output.jsonl,
        silent,
        ask_again: job.asking.command("entities"),
    };
    let outcome = print(&place, &finished, results, &style).await?;
    contacts.write(&finished)?;
    match front {
        None => {
            if let Some(indexed) = stop.unless_asked(serve::bring_up_index(&folder, &place.store)).await {
                indexed?;
            }
            outcome.shortfall.map_or(Ok(()), |why| Err(Failure::partial(why)))
        }
        Some(front) => {
            outcome.shortfall.iter().for_each(|why| hint(&format!("ambit: {why}")));
            serve::answer(front, &folder, place, &stop, settings).await
        }
    }
}

/// A made-up organisation does not belong among real ones, unless a flag says so.
async fn refuse_real_neighbours(place: &Place) -> Result<(), Failure> {
    let views = place.store.list_collections(&place.principal, None).await?;
    match views.iter().find(|view| view.collection.wire == WireChoice::Live) {
        None => Ok(()),
        Some(view) => Err(Failure::usage(format!(
            "the configured database holds {}, which is real: give --database URL to have the demo beside it, or AMBIT_DATABASE= to have it in its folder",
            view.collection.name
        ))),
    }
}
