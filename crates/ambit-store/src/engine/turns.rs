//! Whose turn it is among the runs that wait: projects in rotation, then the users of a project, so that nobody waits
//! because another asked for much.

use super::Engine;
use super::place::LAPSED_MS;
use crate::Result;
use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, values};
use ambit_model::Timestamp;
use ambit_model::id::RunId;
use ambit_model::run::RunState;
use ambit_model::timing::Timing;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A run of at most this size is expected to be short: a /24, or sixteen names. An engine keeps a place for such runs.
const SHORT_SIZE_MAX: i64 = 256;
/// Open runs that one decision looks at: each collection has at most one.
const OPEN_RUNS_MAX: i64 = 20_000;
/// The names of turns.
const PROJECT: &str = "runs of a project";
const USER: &str = "runs of a user";

/// Which runs an engine has a place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Any.
    Any,
    /// Only those that are expected to be short, and those that an administrator of the installation started.
    Short,
}

/// An open run as rotation sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OpenRun {
    id: RunId,
    project: i64,
    /// `None`: a schedule started it.
    user: Option<i64>,
    running: bool,
    priority: i64,
    short: bool,
    /// An engine carries it.
    carried: bool,
    /// When an engine took it last.
    turn: i64,
}

columns! {
    /// What is stored of an open run.
    struct StoredRun of r {
        id: RunId,
        project: i64 = "c.project_id",
        user: Option<i64> = "r.created_by",
        state: RunState,
        priority: i64,
        size: i64,
        by_administrator: bool = "COALESCE(u.administrator, 0)",
        turn: i64,
        holder: Option<i64> = "r.engine_id",
        timing: Timing = (json "c.timing"),
        heard_at: i64 = "COALESCE((SELECT e.heartbeat_at FROM engines e WHERE e.id = r.engine_id), 0)",
    }
}

/// When somebody was served last; nobody has number 0.
pub(super) type Turns = BTreeMap<i64, i64>;

/// How many runs are carried of each project, and of each user in it.
#[derive(Default)]
struct Shares {
    projects: BTreeMap<i64, usize>,
    users: BTreeMap<(i64, Option<i64>), usize>,
}

impl Shares {
    fn of(&self, run: &OpenRun) -> (usize, usize) {
        let of_project = self.projects.get(&run.project).copied().unwrap_or(0);
        (of_project, self.users.get(&(run.project, run.user)).copied().unwrap_or(0))
    }
}

/// What decides whose turn it is.
pub(super) struct Queue {
    open: Vec<OpenRun>,
    projects: Turns,
    users: Turns,
}

impl Queue {
    /// Runs that no living engine holds wait, and so do those of this engine that are not among those that it carries.
    /// Those that rest in a window of their collection are left out.
    pub(super) async fn load(tx: &mut Tx, engine: i64, carried: &BTreeSet<RunId>, now: Timestamp) -> Result<Self> {
        let sql = select::<StoredRun>(&format!(
            "FROM runs r JOIN collections c ON c.id = r.collection_id LEFT JOIN users u ON u.id = r.created_by
             WHERE r.state IN ('running', 'scheduled') AND c.deleted_at IS NULL
             ORDER BY r.state, r.priority DESC, r.id LIMIT {OPEN_RUNS_MAX}"
        ));
        let open = |run: StoredRun| OpenRun {
            id: run.id,
            project: run.project,
            user: run.user,
            running: run.state == RunState::Running,
            priority: run.priority,
            short: run.size <= SHORT_SIZE_MAX || run.by_administrator,
            carried: match run.holder {
                None => false,
                Some(holder) if holder == engine => carried.contains(&run.id),
                Some(_) => run.heard_at > now.0 - LAPSED_MS,
            },
            turn: run.turn,
        };
        let stored: Vec<StoredRun> = tx.read_all(&sql, Vec::new()).await?;
        let awake = stored.into_iter().filter(|run| run.timing.rests_until(now).is_none());
        Ok(Self { open: awake.map(open).collect(), projects: turns(tx, PROJECT).await?, users: turns(tx, USER).await? })
    }

    fn shares(&self) -> Shares {
        let mut shares = Shares::default();
        for run in self.open.iter().filter(|run| run.carried) {
            *shares.projects.entry(run.project).or_default() += 1;
            *shares.users.entry((run.project, run.user)).or_default() += 1;
        }
        shares
    }

    /// Those that wait for such room, whose turn it is first: of the project with the fewest runs under way, which was
    /// served longest ago; likewise of its users; then what has begun, what persons asked for, what waits longest. With
    /// each whether it is expected to be short.
    pub(super) fn waiting(&self, room: Room) -> Vec<(RunId, bool)> {
        let last = |turns: &Turns, id: i64| turns.get(&id).copied().unwrap_or(0);
        let shares = self.shares();
        let mut waiting: Vec<&OpenRun> =
            self.open.iter().filter(|run| !run.carried && (room == Room::Any || run.short)).collect();
        waiting.sort_by_cached_key(|run| {
            let (of_project, of_user) = shares.of(run);
            let user = run.user.map_or(0, |user| last(&self.users, user));
            let whose = (of_project, last(&self.projects, run.project), of_user, user);
            (whose, Reverse(run.running), Reverse(run.priority), run.turn, run.id)
        });
        waiting.iter().map(|run| (run.id, run.short)).collect()
    }

    /// Which of these carried runs makes room for the one whose turn it is: one of the project with the most runs under
    /// way, where that has more than the waiting one's; else, in its own project, one of a user who has more. Of
    /// several the one that was taken longest ago.
    pub(super) fn gives_way(&self, long: &BTreeSet<RunId>) -> Option<RunId> {
        let (first, _) = *self.waiting(Room::Any).first()?;
        let waiting = self.open.iter().find(|run| run.id == first)?;
        let shares = self.shares();
        let (project, user) = shares.of(waiting);
        let more = |run: &&OpenRun| {
            let (of_project, of_user) = shares.of(run);
            if run.project == waiting.project { of_user > user } else { of_project > project }
        };
        let carried = self.open.iter().filter(|run| run.carried && long.contains(&run.id)).filter(more);
        carried.min_by_key(|run| (Reverse(shares.of(run)), run.turn, run.id)).map(|run| run.id)
    }
}

/// When each one of a sort was served last.
pub(super) async fn turns(tx: &mut Tx, what: &str) -> Result<Turns> {
    let turns = tx.read_all("SELECT id, number FROM turns WHERE what = $1", values![what]).await?;
    Ok(turns.into_iter().collect())
}

/// Notes that a run was taken: its project and its user go behind all others.
pub(super) async fn take_turn(tx: &mut Tx, run: RunId) -> Result<()> {
    let sql =
        "SELECT c.project_id, r.created_by FROM runs r JOIN collections c ON c.id = r.collection_id WHERE r.id = $1";
    let (project, user): (i64, Option<i64>) = tx.read_one(sql, values![run]).await?;
    let number = note_turn(tx, PROJECT, project).await?;
    if let Some(user) = user {
        note_turn(tx, USER, user).await?;
    }
    tx.run("UPDATE runs SET turn = $1 WHERE id = $2", values![number, run]).await.map(|_| ())
}

/// Puts one behind all others of its sort; answers with the number.
pub(super) async fn note_turn(tx: &mut Tx, what: &str, id: i64) -> Result<i64> {
    let last: i64 = tx.read_one("SELECT COALESCE(MAX(number), 0) FROM turns", Vec::new()).await?;
    tx.put("turns", "what, id", &["number"], named! { what, id, number: last + 1 }).await?;
    Ok(last + 1)
}

impl Engine {
    /// Which of the runs that this engine has carried for long makes room for one that waits; `None`: nobody waits
    /// whose turn it is. `carried` are all that it carries.
    pub async fn run_that_gives_way(
        &self,
        carried: &BTreeSet<RunId>,
        long: &BTreeSet<RunId>,
        now: Timestamp,
    ) -> Result<Option<RunId>> {
        let mut tx = self.store.read().await?;
        let queue = Queue::load(&mut tx, self.id, carried, now).await?;
        tx.rollback().await?;
        Ok(queue.gives_way(long))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: RunId, project: i64, user: i64, carried: bool) -> OpenRun {
        OpenRun { id, project, user: Some(user), running: carried, priority: 0, short: false, carried, turn: 0 }
    }

    fn queue(open: Vec<OpenRun>) -> Queue {
        Queue { open, projects: Turns::new(), users: Turns::new() }
    }

    fn order(queue: &Queue) -> Vec<RunId> {
        queue.waiting(Room::Any).into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn projects_go_in_turn_and_then_the_users_of_one() {
        let mut queue = queue(vec![
            run(1, 1, 1, true),
            run(2, 1, 1, false),
            run(3, 1, 2, false),
            run(4, 2, 3, false),
            run(5, 3, 4, false),
        ]);
        assert_eq!(order(&queue), [4, 5, 3, 2], "who has nothing first, then the user who has nothing");
        queue.projects.insert(2, 7);
        assert_eq!(order(&queue), [5, 4, 3, 2], "who was served longest ago first");
    }

    #[test]
    fn in_one_project_what_has_begun_goes_on_before_what_has_not() {
        let mut begun = run(9, 1, 1, false);
        begun.running = true;
        let mut wanted = run(8, 1, 1, false);
        wanted.priority = 10;
        assert_eq!(order(&queue(vec![run(7, 1, 1, false), wanted, begun])), [9, 8, 7]);
    }

    #[test]
    fn room_is_made_by_whoever_has_more() {
        let all: BTreeSet<RunId> = (1..=9).collect();
        let mut waiting = queue(vec![run(1, 1, 1, true), run(2, 1, 1, true), run(3, 2, 2, true), run(4, 3, 3, false)]);
        waiting.open[0].turn = 5;
        assert_eq!(waiting.gives_way(&all), Some(2), "of the project with two, the one taken longest ago");
        assert_eq!(waiting.gives_way(&BTreeSet::from([3])), Some(3), "a single one gives way to who has none");
        assert_eq!(waiting.gives_way(&BTreeSet::new()), None, "none was carried for long");
        let own = queue(vec![run(1, 1, 1, true), run(2, 1, 1, false)]);
        assert_eq!(own.gives_way(&all), None, "nothing is gained by taking from oneself");
        let colleague = queue(vec![run(1, 1, 1, true), run(2, 1, 2, false)]);
        assert_eq!(colleague.gives_way(&all), Some(1));
        assert_eq!(queue(vec![run(1, 1, 1, true)]).gives_way(&all), None, "nobody waits");
    }
}
