//! `ambit collection`: collections, on a server or in a data folder.

mod posture;
mod show;
mod timing;
mod told;

use crate::api::naming;
use crate::api::{ASM, Api, Needs};
use crate::args::{Client, Lines, Ports, Tasks, word};
use crate::config::Settings;
use crate::confirm::confirm;
use crate::failure::{Failure, Result};
use crate::output::lines::counted;
use crate::output::table::{items, shown, text};
use crate::output::{Results, hint, plain};
use ambit_model::SkippedTasks;
use ambit_model::collection::Schedule;
use ambit_model::percent::escaped;
use ambit_model::ports::PortList;
use ambit_model::scope::exclusion;
use ambit_model::{Clearance, Kind, workflow};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

pub(crate) type Collection = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List collections with their counts.
    List(Lines),
    /// Create a collection without starting a run; prints its uuid, and on stderr the next scheduled run.
    Create(Create),
    /// Show everything known about a collection, with its seeds.
    Show {
        /// Name or uuid of the collection.
        collection: String,
        /// One JSON object.
        #[arg(long)]
        jsonl: bool,
    },
    /// Show posture scores of the domains among the seeds, worst first, with reasons (workflow third_party_workflow).
    Posture {
        /// Name or uuid of the collection.
        collection: String,
        #[command(flatten)]
        asked: posture::Asked,
    },
    /// Change settings of a collection: its name, times, level, ports, tasks, exclusions, due days, and who is
    /// notified of new entities.
    #[command(visible_alias = "set")]
    Update(Update),
    /// Rename a collection.
    Rename {
        /// Name or uuid of the collection.
        collection: String,
        /// The new name.
        name: String,
    },
    /// Set when a collection runs by itself; `update` also sets cron expressions, time zones and rest windows.
    Schedule {
        /// Name or uuid of the collection.
        collection: String,
        /// on_demand (never), daily, weekly, monthly, quarterly. A new schedule counts from now.
        #[arg(value_parser = word::<Schedule>)]
        schedule: Schedule,
    },
    /// List, add and remove seeds, from which discovery begins. Changes apply from the next run; none is started.
    #[command(subcommand, visible_alias = "seeds")]
    Seed(Seed),
    /// Archive a collection: it is kept, and no run starts in it any more.
    Archive {
        /// Name or uuid of the collection.
        collection: String,
    },
    /// Make an archived collection active again; its schedule counts from now.
    Unarchive {
        /// Name or uuid of the collection.
        collection: String,
    },
    /// Delete a collection with everything in it, for good.
    Delete {
        /// Name or uuid of the collection.
        collection: String,
        /// Do not ask.
        #[arg(short = 'y', long)]
        yes: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// Name of the collection.
    pub(crate) name: String,
    /// Workflow: how it is discovered (`ambit workflow list` shows them).
    #[arg(long, value_name = "W", default_value = ambit_model::workflow::DEFAULT)]
    pub(crate) workflow: String,
    /// A domain, host name, address, block or URL to begin with; may be repeated.
    #[arg(long, value_name = "TARGET")]
    pub(crate) seed: Vec<String>,
    /// When it runs by itself: on_demand (never), daily, weekly, monthly, quarterly. The first run starts at the first
    /// due time.
    #[arg(long, default_value = "on_demand", value_parser = word::<Schedule>)]
    pub(crate) schedule: Schedule,
    #[command(flatten)]
    pub(crate) timed: timing::Timed,
    /// Highest level of a run: passive (DNS, data providers), polite (like a browser), normal (sweeps), intensive
    /// (log-ins, exploit checks).
    #[arg(long, default_value = "normal", value_parser = crate::args::level)]
    pub(crate) level: Clearance,
    #[command(flatten)]
    pub(crate) ports: Ports,
    #[command(flatten)]
    pub(crate) tasks: Tasks,
    /// Never contact this name, *.name, address, block or URL; may be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
}

#[derive(Debug, Default, clap::Args)]
#[group(id = "change", required = true, multiple = true)]
pub(crate) struct Changed {
    /// Name of the collection.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// When it runs by itself: on_demand (never), daily, weekly, monthly, quarterly. A new schedule counts from now.
    #[arg(long, value_parser = word::<Schedule>)]
    pub(crate) schedule: Option<Schedule>,
    /// Run by a cron expression of five fields, such as "30 2 * * mon-fri", instead of the schedule.
    #[arg(long, value_name = "EXPRESSION", value_parser = timing::cron)]
    pub(crate) cron: Option<String>,
    /// Time zone of the expression and of --rest, such as Europe/Berlin.
    #[arg(long, value_name = "ZONE", value_parser = timing::zone)]
    pub(crate) zone: Option<String>,
    /// Hours in which no run starts and a running one pauses, such as "mon-fri 08:00-18:00" or 22:00-06:00; may be
    /// repeated. They replace the earlier ones; `none` removes all.
    #[arg(long, value_name = "WINDOW", value_parser = timing::window)]
    pub(crate) rest: Vec<String>,
    /// Delay each start by a random time of up to this many minutes.
    #[arg(long, value_name = "MINUTES")]
    pub(crate) jitter: Option<u16>,
    /// Highest level of a run: passive (DNS, data providers), polite (like a browser), normal (sweeps), intensive
    /// (log-ins, exploit checks).
    #[arg(long, value_parser = crate::args::level)]
    pub(crate) level: Option<Clearance>,
    /// TCP ports that its runs probe on addresses and blocks: 80,443,8000-8100, top:100, all, or default (those of the
    /// installation). Applies to runs that start or resume afterwards.
    #[arg(long, value_name = "LIST", value_parser = ports)]
    pub(crate) ports: Option<String>,
    /// Tasks that its runs skip from now on, by name: udp_sweep,content_focus; or none.
    #[arg(long, value_name = "TASKS", value_parser = skipped)]
    pub(crate) skip: Option<SkippedTasks>,
    /// When receivers by e-mail are notified of its new entities: always, never, or by-rule (if the events of the
    /// receiver include them).
    #[arg(long, value_name = "WHEN")]
    pub(crate) notify_emails: Option<told::NewEntities>,
    /// When webhooks are notified of its new entities.
    #[arg(long, value_name = "WHEN")]
    pub(crate) notify_webhooks: Option<told::NewEntities>,
    /// Days until its issues are due, by severity, such as critical=7,high=30,medium=90; none; or default (the setting
    /// `due_days`).
    #[arg(long, value_name = "DAYS", value_parser = crate::args::due_days)]
    pub(crate) due: Option<String>,
    /// Add an exclusion: never contact this name, *.name, address, block or URL; may be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Remove this exclusion; may be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) unexclude: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Update {
    /// Name or uuid of the collection.
    pub(crate) collection: String,
    #[command(flatten)]
    pub(crate) changed: Changed,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Seed {
    /// List the seeds of a collection.
    List {
        /// Name or uuid of the collection.
        collection: String,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
    /// Add seeds; prints all seeds of the collection.
    Add {
        /// The collection's name or uuid.
        collection: String,
        /// Domains, host names, addresses, blocks, URLs.
        #[arg(required = true)]
        target: Vec<String>,
    },
    /// Remove seeds, by name or id; the next run decides again about what they led to.
    Remove {
        /// The collection's name or uuid.
        collection: String,
        /// Names or ids of seeds, as `collection seed list` shows them.
        #[arg(required = true)]
        seed: Vec<String>,
    },
}

/// Names of tasks, or the word that none is left out.
fn skipped(text: &str) -> Result<SkippedTasks, String> {
    if text == "none" { Ok(SkippedTasks::default()) } else { crate::args::tasks(text) }
}

/// Lists of ports in their one spelling.
fn ports(text: &str) -> Result<String, String> {
    match text {
        "default" => Ok(text.to_owned()),
        _ => text.parse::<PortList>().map(|ports| ports.to_string()),
    }
}

/// Runs the command.
pub(crate) async fn run(command: &Collection, settings: &Settings, silent: bool) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let mut results = Results::open(None)?;
    match &command.action {
        Action::List(Lines { jsonl }) => {
            for row in naming::collections(&api).await? {
                print(&row, *jsonl, &mut results)?;
            }
        }
        Action::Create(new) => {
            let made = create(&api, new).await?;
            results.line(&text(&made["uuid"]))?;
            if !silent {
                hint(&what_follows(&made));
            }
        }
        Action::Show { collection, jsonl } => {
            show::show(&api, &path_of(&api, collection).await?, *jsonl, &mut results).await?
        }
        Action::Posture { collection, asked } => {
            posture::show(&api, &path_of(&api, collection).await?, asked, &mut results).await?
        }
        Action::Update(update) => changed(&api, &update.collection, &update.changed, silent, &mut results).await?,
        Action::Rename { collection, name } => {
            let name = Changed { name: Some(name.clone()), ..Changed::default() };
            changed(&api, collection, &name, silent, &mut results).await?;
        }
        Action::Schedule { collection, schedule } => {
            let schedule = Changed { schedule: Some(*schedule), ..Changed::default() };
            changed(&api, collection, &schedule, silent, &mut results).await?;
        }
        Action::Seed(seed) => seeds(&api, seed, &mut results).await?,
        Action::Archive { collection } => {
            let target = path_of(&api, collection).await?;
            api.ask("PATCH", &format!("{target}/archive"), None).await?;
            results.line(&format!("collection {} is archived", plain(collection)))?;
        }
        Action::Unarchive { collection } => {
            let target = path_of(&api, collection).await?;
            api.ask("PATCH", &format!("{target}/unarchive"), None).await?;
            results.line(&format!("collection {} is active", plain(collection)))?;
        }
        Action::Delete { collection, yes } => {
            let target = path_of(&api, collection).await?;
            let found = api.get(&target).await?.result;
            let name = shown(&found, "printable_name");
            confirm(
                &format!("collection {name} with {} entities will be deleted for good", found["entity_count"]),
                *yes,
            )?;
            api.delete(&target).await?;
            results.line(&format!("collection {} is deleted", plain(collection)))?;
        }
    }
    results.finish()
}

/// The path of a collection that was named or numbered.
async fn path_of(api: &Api, typed: &str) -> Result<String> {
    let uuid = naming::collection(api, typed).await?;
    Ok(format!("{ASM}/user_collections/{}", escaped(&uuid)))
}

/// When the collection runs, in one sentence.
fn what_follows(row: &Value) -> String {
    let name = shown(row, "name");
    let sooner = format!("`ambit run start {name}`");
    let cron = text(&row["timing"]["cron"]);
    let schedule = if cron.is_empty() { text(&row["auto_refresh_schedule"]) } else { format!("by {}", plain(&cron)) };
    let when = match row["next_run_at"].as_str() {
        _ if row["archived"] == true => "is archived and does not run".to_owned(),
        None => format!("runs on demand: nothing starts until {sooner}"),
        Some(due) => format!("runs {schedule}, next at {}; {sooner} starts one before", plain(due)),
    };
    format!("{name} {when}; `ambit run plan {name}` says what a run asks")
}

fn print(row: &Value, jsonl: bool, results: &mut Results) -> Result<()> {
    if jsonl {
        return results.json(row);
    }
    let issues: i64 =
        row["issues_by_severity"].as_object().into_iter().flatten().filter_map(|(_, count)| count.as_i64()).sum();
    let archived = if row["archived"] == true { "  archived" } else { "" };
    results.line(&format!(
        "{}  {}  {}  {}  {}{archived}",
        text(&row["uuid"]),
        shown(row, "name"),
        text(&row["workflow_name"]),
        counted(&row["entity_count"], "entity", "entities"),
        counted(&Value::from(issues), "open issue", "open issues")
    ))
}

/// Makes a collection with its seeds; answers with it.
async fn create(api: &Api, new: &Create) -> Result<Value> {
    // Seeds first: a collection without the seeds that were asked for is not what was asked for.
    let seeds: Vec<Value> = new.seed.iter().map(|seed| target(seed, &new.workflow)).collect::<Result<_, _>>()?;
    let mut body = json!({
        "name": new.name,
        "workflow_name": new.workflow,
        "auto_refresh_schedule": new.schedule.name(),
        "level": new.level.level(),
        "exclusions": new.exclude,
        "ports": new.ports.asked().map_or_else(|| "default".to_owned(), PortList::to_string),
        "skipped_tasks": new.tasks.skipped().names().collect::<Vec<_>>(),
    });
    if let Some(timing) = new.timed.member() {
        body["timing"] = timing;
    }
    let made = api.post(&format!("{ASM}/user_collections"), body).await?.result;
    let uuid = text(&made["uuid"]);
    if !seeds.is_empty() {
        let target = format!("{ASM}/user_collections/{}", escaped(&uuid));
        let added = api.post(&format!("{target}/user_entities"), json!({"entities": seeds})).await;
        if let Err(error) = added {
            // Without its seeds it is not what was asked for, and nothing is in it yet.
            return Err(match api.delete(&target).await {
                Ok(_) => error,
                Err(_) => {
                    Failure::partial(format!("collection {uuid} was created, but its seeds were not added: {error}"))
                }
            });
        }
    }
    Ok(made)
}

/// Changes the given settings of a collection, and returns the answer.
async fn changed(api: &Api, collection: &str, asked: &Changed, silent: bool, results: &mut Results) -> Result<()> {
    let changed = change(api, collection, asked).await?;
    print(&changed, false, results)?;
    show::settings_of(&changed, results)?;
    if !silent {
        hint(&what_follows(&changed));
    }
    Ok(())
}

async fn change(api: &Api, collection: &str, changed: &Changed) -> Result<Value> {
    let target = path_of(api, collection).await?;
    let mut body = Map::new();
    body.extend(changed.name.iter().map(|name| ("printable_name".to_owned(), json!(name))));
    body.extend(changed.schedule.map(|schedule| ("auto_refresh_schedule".to_owned(), json!(schedule.name()))));
    body.extend(changed.level.map(|level| ("level".to_owned(), json!(level.level()))));
    body.extend(changed.ports.iter().map(|ports| ("ports".to_owned(), json!(ports))));
    let skipped = changed.skip.as_ref().map(|tasks| tasks.names().collect::<Vec<_>>());
    body.extend(skipped.map(|names| ("skipped_tasks".to_owned(), json!(names))));
    body.extend(changed.due.iter().map(|days| ("due_days".to_owned(), json!(days))));
    body.extend(told::members(changed.notify_emails, changed.notify_webhooks));
    let asked = timing::Asked {
        cron: changed.cron.as_deref(),
        zone: changed.zone.as_deref(),
        rest: &changed.rest,
        jitter: changed.jitter,
    };
    body.extend(asked.member().map(|timing| ("timing".to_owned(), timing)));
    if !changed.exclude.is_empty() || !changed.unexclude.is_empty() {
        let found = api.get(&target).await?.result;
        body.insert("exclusions".to_owned(), json!(exclusions(&found["exclusions"], changed)?));
    }
    Ok(api.ask("PATCH", &target, Some(Value::Object(body))).await?.result)
}

/// What is excluded with the new patterns and without those that are lifted.
fn exclusions(before: &Value, changed: &Changed) -> Result<BTreeSet<String>> {
    let mut all: BTreeSet<String> = items(before).map(text).collect();
    for pattern in &changed.exclude {
        let read =
            exclusion(pattern).map_err(|error| Failure::usage(format!("--exclude {:?}: {error}", plain(pattern))))?;
        all.insert(read);
    }
    for pattern in &changed.unexclude {
        // An earlier program took what is refused now.
        let earlier = || Kind::of_target(pattern).map_or_else(|_| pattern.clone(), |(_, name)| name);
        let read = exclusion(pattern).unwrap_or_else(|_| earlier());
        if !all.remove(&read) && !all.remove(pattern) {
            return Err(Failure::not_found(format!("--unexclude {:?}: it is not excluded", plain(pattern))));
        }
    }
    Ok(all)
}

async fn seeds(api: &Api, command: &Seed, results: &mut Results) -> Result<()> {
    let (Seed::List { collection, .. } | Seed::Add { collection, .. } | Seed::Remove { collection, .. }) = command;
    let path = format!("{}/user_entities", path_of(api, collection).await?);
    match command {
        Seed::List { jsonl, .. } => {
            results.rows(&api.get(&path).await?.result, *jsonl, seed_line)?;
        }
        Seed::Add { target: targets, .. } => {
            let workflow = text(&api.get(&path_of(api, collection).await?).await?.result["workflow_name"]);
            let seeds: Vec<Value> = targets.iter().map(|typed| target(typed, &workflow)).collect::<Result<_, _>>()?;
            let all = api.post(&path, json!({"entities": seeds})).await?.result;
            results.rows(&all, false, seed_line)?;
        }
        Seed::Remove { seed, .. } => {
            let all = api.get(&path).await?.result;
            // All are found before the first is removed.
            let rows: Vec<&Value> = seed.iter().map(|typed| seed_of(&all, typed)).collect::<Result<_, _>>()?;
            for row in rows {
                api.delete(&format!("{ASM}/entities/{}", row["id"])).await?;
                results.line(&format!("seed {} is removed", shown(row, "name")))?;
            }
        }
    }
    Ok(())
}

fn seed_line(row: &Value) -> String {
    format!("{}  {}  {}", row["id"], text(&row["type"]), shown(row, "name"))
}

/// The seed of a name or an id.
fn seed_of<'a>(all: &'a Value, typed: &str) -> Result<&'a Value> {
    let canonical = Kind::of_target(typed).map_or_else(|_| typed.to_owned(), |(_, name)| name);
    let is_meant = |row: &&Value| text(&row["id"]) == typed || row["name"] == typed || row["name"] == canonical;
    let mut found = items(all).filter(is_meant);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => {
            Err(Failure::not_found(format!("no seed is {}; `ambit collection seed list` shows them", plain(typed))))
        }
        (Some(_), Some(_)) => Err(Failure::usage(format!(
            "{} is the name of seeds of several kinds: give the id; `ambit collection seed list` shows it",
            plain(typed)
        ))),
    }
}

/// A seed as a collection of the workflow takes it.
fn target(typed: &str, workflow: &str) -> Result<Value> {
    let seed = workflow::find(workflow).map_or_else(|| Kind::of_target(typed), |workflow| workflow.target(typed));
    let (kind, name) = seed.map_err(|error| Failure::usage(format!("seed {:?}: {error}", plain(typed))))?;
    Ok(json!({"type": kind.name(), "name": name}))
}
