//! `ambit demo`: the organisation of the built-in simulated internet, discovered, assessed, printed and served.

use super::serve;
use crate::args::Output;
use crate::config::Settings;
use crate::contacts::Contacts;
use crate::discover::{Job, discover};
use crate::door::Front;
use crate::failure::{Failure, Result};
use crate::folder::Asking;
use crate::local_store::{Indexing, bring_up_index};
use crate::output::report::{Style, print};
use crate::output::{Results, hint};
use crate::sample;
use crate::signals::Stop;
use crate::wire_log::WireLog;
use crate::workspace::{self, Workspace};
use crate::{engine_config, estate, folder, wires};
use ambit_model::Clearance;
use ambit_model::wire::WireChoice;
use ambit_model::workflow::{self, Workflow};
use ambit_net::PaceLimits;
use ambit_net::live::LiveOptions;
use ambit_world::World;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Data folder (default: ambit-demo in the user's data directory).
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Address to serve on (default: AMBIT_LISTEN, else 127.0.0.1:8080); port 0 picks a free one.
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// PostgreSQL database to fill (default: AMBIT_DATABASE, which must not hold real data, else the database in the
    /// data folder).
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    /// Exit after the discovery instead of serving.
    #[arg(long)]
    pub(crate) once: bool,
    /// The state of the simulated internet (1, 2, 3 …; default: the one it is in).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=99))]
    pub(crate) state: Option<i64>,
    /// Write every contact with the simulated internet to this file, one JSON object per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) contacts: Option<PathBuf>,
    /// Write every contact with its answer to this file as it happens, one JSON object per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) wire_log: Option<PathBuf>,
    /// Run the other six workflows as well, each in a collection of its own: cloud accounts, code repositories, apps,
    /// look-alike domains, suppliers, and an application.
    #[arg(long, conflicts_with_all = ["contacts", "output", "state", "wire_log"])]
    pub(crate) workflows: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What an organisation has at cloud providers, at forges and in stores.
const ESTATE: &str = include_str!("../../../../worlds/estate.world");

/// The simulated internets of other workflows: file, text, workflow.
const OTHERS: &[(&str, &str, Workflow)] = &[
    ("lookalikes.world", include_str!("../../../../worlds/lookalikes.world"), workflow::SUSPICIOUS_DOMAINS),
    ("suppliers.world", include_str!("../../../../worlds/suppliers.world"), workflow::THIRD_PARTIES),
    ("application.world", include_str!("../../../../worlds/application.world"), workflow::APPLICATIONS),
    ("estate.world", ESTATE, workflow::CLOUD_ACCOUNTS),
    ("estate.world", ESTATE, workflow::CODE_REPOSITORIES),
    ("estate.world", ESTATE, workflow::MOBILE_APPS),
];

/// Runs the command.
pub(crate) async fn run(demo: &Demo, silent: bool, settings: &mut Settings) -> Result<()> {
    settings.flag("listen", demo.listen.clone());
    settings.flag("database", demo.database.clone());
    let stop = Stop::listen()?;
    let folder = folder::demo(demo.data.as_deref())?;
    let world = sample::world()?;
    let results = Results::open(demo.output.output.as_deref())?;
    let contacts = Contacts::open(demo.contacts.as_deref())?;
    // A taken port is better known before the discovery than after it.
    let front = if demo.once { None } else { Some(Front::prepare(settings, true, silent, &stop).await?) };
    if let Some(front) = &front {
        front.say("the demo discovers first");
    }
    let workspace = workspace::open(&folder, "demo", settings).await?;
    if demo.database.is_none() && settings.get("database").is_some() {
        refuse_real_neighbours(&workspace).await?;
    }
    let asked = Asked { demo, silent, settings, folder: &folder };
    let wire_log = WireLog::open(demo.wire_log.as_deref())?;
    let job = Job { contacts: contacts.wanted(), wire_log, ..asked.job(&world, sample::TEXT, None)? };
    let indexing = Indexing::begin(&folder, &workspace.store);
    let finished = discover(&workspace, &job, &stop).await?;
    let style = Style { jsonl: demo.output.jsonl, silent, asking: job.asking.clone() };
    let mut shortfalls: Vec<String> =
        print(&workspace, &finished, results, &style).await?.shortfall.into_iter().collect();
    contacts.write(&finished)?;
    job.wire_log.finish()?;
    for (file, text, workflow) in OTHERS.iter().filter(|_| demo.workflows) {
        if !silent {
            hint(&format!("\n{} ({}):", workflow.pretty_name, workflow.name));
        }
        let mut job = asked.job(&wires::parse_world(text, file)?, text, Some(workflow))?;
        job.settings.packages = estate::packages(&folder, job.simulated.as_ref(), workflow.name)?;
        let finished = discover(&workspace, &job, &stop).await?;
        shortfalls.extend(print(&workspace, &finished, Results::open(None)?, &style).await?.shortfall);
    }
    indexing.end().await;
    match front {
        None => {
            if let Some(indexed) = stop.unless_asked(bring_up_index(&folder, &workspace.store)).await {
                indexed?;
            }
            shortfalls.into_iter().next().map_or(Ok(()), |why| Err(Failure::partial(why)))
        }
        Some(front) => {
            shortfalls.iter().for_each(|why| hint(&format!("ambit: {why}")));
            serve::answer(front, &folder, workspace, &stop, settings).await
        }
    }
}

/// What every discovery of the demo has in common.
struct Asked<'a> {
    demo: &'a Demo,
    silent: bool,
    settings: &'a Settings,
    folder: &'a Path,
}

impl Asked<'_> {
    /// The discovery of a simulated internet; `None`: by the usual workflow.
    fn job(&self, world: &World, text: &str, workflow: Option<&Workflow>) -> Result<Job> {
        Ok(Job {
            seeds: world.targets(*workflow.unwrap_or(&workflow::EXTERNAL_DISCOVERY)),
            simulated: Some((text.to_owned(), world.name().to_owned())),
            workflow: workflow.map(|workflow| workflow.name.to_owned()),
            level: Clearance::L3,
            ports: None,
            never: Vec::new(),
            full: false,
            installation: engine_config::installation(self.settings)?,
            state: self.demo.state,
            live: LiveOptions::default(),
            limits: PaceLimits::default(),
            settings: engine_config::built_in(),
            asking: Asking::new(self.folder, self.settings),
            silent: self.silent,
            contacts: false,
            wire_log: WireLog::default(),
        })
    }
}

/// A made-up organisation does not belong among real ones, unless a flag says so.
async fn refuse_real_neighbours(workspace: &Workspace) -> Result<()> {
    let views = workspace.store.list_collections(&workspace.principal, None).await?;
    match views.iter().find(|view| view.collection.wire == WireChoice::Live) {
        None => Ok(()),
        Some(view) => Err(Failure::usage(format!(
            "the configured database holds real data ({}): give --database URL to fill it anyway, or AMBIT_DATABASE= \
             to use the demo's own folder",
            view.collection.name
        ))),
    }
}
