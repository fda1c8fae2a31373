// One run: how far it is, what could not be looked at and why, and what came of it.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useAct } from "../act";
import { useAnchor } from "../anchor";
import { collection, type Level } from "../api/collections";
import { isOver, LOOK_MS, order, run, type RunDetail, runsOf, taskNames } from "../api/runs";
import { Button, Section, Trouble } from "../components/controls";
import { Dialog } from "../components/dialog";
import { notDone, RunState } from "../components/runs";
import { count, Foreign, Moment, words } from "../components/text";
import { lasting, LEVELS, STAGE } from "../levels";
import { useLive } from "../live";
import { pace, type Seen, seen } from "../pace";
import { useTitle } from "../title";
import { RunChanges } from "./runchanges";

const route = getRouteApi("/inside/runs/$id");

/** A run that saw less than this share of what the one before saw has lost sight of something. */
const LOSS_FROM = 0.8;

export function RunPage(): ReactNode {
  const { id } = route.useParams();
  const shown = useQuery(run(id));
  const of = shown.data;
  const live = useLive(id, of && isOver(of));
  const content = useRef<HTMLDivElement>(null);
  useAnchor(content);
  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Run">
      <div ref={content} className="mx-auto flex max-w-6xl flex-col gap-4 p-3 sm:p-5">
        <Link to="/collections" className="self-start text-accent underline">Scope and runs</Link>
        {shown.error && <Trouble error={shown.error} retry={() => void shown.refetch()} />}
        {!of && !shown.error && <p role="status">Loading …</p>}
        {of && <Body of={of} live={live} />}
      </div>
    </div>
  );
}

function Body({ of, live }: { of: RunDetail; live: boolean }): ReactNode {
  const place = useQuery(collection(of.collection_uuid));
  const others = useQuery(runsOf(of.collection_uuid));
  const name = place.data?.printable_name ?? of.collection_name;
  useTitle(`Run ${of.number} of ${name}`);
  const over = isOver(of);
  const before = others.data?.find((one) => one.id < of.id && one.status === "finished");
  return (
    <>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1">
          <h1 className="text-lg font-semibold break-words">
            Run {of.number} of{" "}
            <Link to="/collections/$uuid" params={{ uuid: of.collection_uuid }} className="text-accent underline"><Foreign>{name}</Foreign></Link>
          </h1>
          <p role="status" className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1"><RunState of={of.status} /> <When of={of} live={live} /></p>
          <p className="text-xs text-soft">The command line calls it run {of.id}.</p>
        </div>
        {!over && place.data?.role === "admin" && <Orders of={of} />}
      </header>
      {of.status === "finished" && before && of.entity_count < before.entity_count * LOSS_FROM && (
        <p role="alert" className="rounded border border-medium bg-medium-ground p-3 text-medium">
          It saw {count(of.entity_count, "entity", "entities")}, the run before {before.entity_count.toLocaleString("en")}: look at what had no answer below.
        </p>
      )}
      {over && of.started_at && <Next of={of} level={place.data?.level} />}
      {over && of.started_at && <RunChanges of={of} />}
      <Section title={over ? "What was done" : "How far it is"}><Found of={of} />{of.status === "running" && <Pace of={of} />}<Stages of={of} level={place.data?.level} /></Section>
      <Section title="What could not be probed" id="not-done"><NotDone of={of} /></Section>
      {!over && of.started_at && <RunChanges of={of} />}
    </>
  );
}

function When({ of, live }: { of: RunDetail; live: boolean }): ReactNode {
  const who = of.created_by_email ? <>by <Foreign>{of.created_by_email}</Foreign></> : "by the schedule";
  if (of.started_at === null) {
    return <span>asked for <Moment at={of.created_at} /> {who}. {!isOver(of) && "It begins when an engine takes it; a server that executes runs does so within seconds."}</span>;
  }
  return (
    <span>
      begun <Moment at={of.started_at} /> {who}, {isOver(of) ? "took" : "for"} {lasting(of.duration)}; {count(of.entity_count, "entity", "entities")}
.{of.full && " Everything is searched again."}
      {!isOver(of) && <span className="text-soft"> {live ? "Shown as it happens." : `This page is refreshed every ${LOOK_MS / 1000} seconds.`}</span>}
    </span>
  );
}

function Orders({ of }: { of: RunDetail }): ReactNode {
  const { busy, act } = useAct();
  const [asking, setAsking] = useState(false);
  const paused = of.status === "paused";
  return (
    <div className="flex gap-1.5">
      <Button disabled={busy}
        onClick={() => void act(() => order(of.id, paused ? "resume" : "pause"), paused ? "It goes on." : "Paused: probes in flight end within seconds.",
          () => order(of.id, paused ? "pause" : "resume"))}>
        {paused ? "Go on" : "Pause"}
      </Button>
      <Button disabled={busy} onClick={() => setAsking(true)}>Stop …</Button>
      {asking && (
        <Dialog label="Stop the run" onClose={() => setAsking(false)}>
          <h2 className="mb-2 text-base font-semibold">Stop this run for good?</h2>
          <p className="mb-3">What it found is kept. What it has not probed yet is left to the next run.</p>
          <form method="dialog" className="flex justify-end gap-2">
            <Button type="submit">Let it continue</Button>
            <Button type="submit" look="first" onClick={() => void act(() => order(of.id, "cancel"), "Stopped.")}>Stop it</Button>
          </form>
        </Dialog>
      )}
    </div>
  );
}

/** After a quiet look comes the question how far to go. */
function Next({ of, level }: { of: RunDetail; level: Level | undefined }): ReactNode {
  const newest = useQuery(runsOf(of.collection_uuid)).data?.[0];
  if (of.status !== "finished" || level !== "passive" || newest?.id !== of.id) return null;
  const link = "text-accent underline";
  const params = { uuid: of.collection_uuid };
  return (
    <p className="rounded border border-accent p-3">
      So far nothing of yours was contacted. Next:{" "}
      <Link to="/collections/$uuid" params={params} hash="candidates" className={link}>say what is yours</Link>, then{" "}
      <Link to="/collections/$uuid" params={params} hash="next" className={link}>choose how far the next run goes</Link>.
    </p>
  );
}

/** What is there and theirs, of what people count by. */
function Found({ of }: { of: RunDetail }): ReactNode {
  if (of.started_at === null || of.names_found + of.addresses_found + of.sites_found === 0) return null;
  return (
    <p className="mb-1">
      {count(of.names_found, "name")}, {count(of.addresses_found, "address", "addresses")} and {count(of.sites_found, "site")} of yours were found.
    </p>
  );
}

/** How fast it goes. What it finds adds to what is open, so that the rest is no promise. */
function Pace({ of }: { of: RunDetail }): ReactNode {
  const looked = of.work_done + of.work_unknown;
  const [all, setAll] = useState<Seen[]>([]);
  useEffect(() => setAll((before) => seen(before, { at: Date.now(), looked })), [of, looked]);
  const now = pace(all);
  if (now === null) return null;
  return (
    <p className="mb-3 text-soft">
      {now < 1 ? `${Math.round(now * 60).toLocaleString("en")} probes a minute` : `${Math.round(now).toLocaleString("en")} probes a second`}
      {of.work_open > 0 && `; ${of.seconds_left === null ? "how long it still takes is unknown" : `what is planned so far takes some ${lasting(Math.max(1, of.seconds_left))}, and what is found adds to it`}`}.
    </p>
  );
}

type Stage = RunDetail["stages"][number];

function Stages({ of, level }: { of: RunDetail; level: Level | undefined }): ReactNode {
  const names = useQuery(taskNames);
  if (of.stages.length === 0) {
    if (of.work_done + of.work_unknown > 0) {
      return <p>{count(of.work_done, "probe")} done and {of.work_unknown.toLocaleString("en")} without an answer. This run was before levels were counted.</p>;
    }
    return <p>{of.started_at === null ? "Nothing yet." : "The first probes are being planned."}</p>;
  }
  const last = Math.max(level === undefined ? 0 : LEVELS.indexOf(level), ...of.stages.map((stage) => LEVELS.indexOf(stage.level)));
  const current = of.stages.find((stage) => stage.work_open > 0)?.level;
  return (
    <ol className="flex flex-col gap-3">
      {LEVELS.slice(0, last + 1).map((one) => {
        const stage = of.stages.find((stage) => stage.level === one);
        return <StageRow key={one} level={one} of={stage} going={!isOver(of)} word={stageWord(of, one, stage, current)} names={(task) => names.data?.get(task)?.pretty_name ?? words(task)} />;
      })}
    </ol>
  );
}

function stageWord(of: RunDetail, level: Level, stage: Stage | undefined, current: Level | undefined): string {
  if (isOver(of)) return stage ? "done" : "nothing to do";
  if (level === current) return of.status === "paused" ? "paused" : "under way";
  if (current !== undefined && LEVELS.indexOf(level) > LEVELS.indexOf(current)) return "waits for what is quieter";
  return stage ? "done so far" : "nothing to do so far";
}

function StageRow({ level, of, going, word, names }: {
  level: Level;
  of: Stage | undefined;
  going: boolean;
  word: string;
  names: (task: string) => string;
}): ReactNode {
  const looked = (of?.work_done ?? 0) + (of?.work_unknown ?? 0);
  const all = looked + (of?.work_open ?? 0);
  return (
    <li>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h3 className="font-semibold">{STAGE[level]}</h3>
        <span className="text-soft">{word}</span>
        <span className="ml-auto tabular-nums">
          {of && of.work_open > 0 ? `${looked.toLocaleString("en")} of ${all.toLocaleString("en")} so far` : count(looked, "probe")}
        </span>
      </div>
      {going && <progress className="h-1.5 w-full" aria-label={STAGE[level]} max={Math.max(all, 1)} value={looked} />}
      {of && of.tasks.length > 0 && (
        <details>
          <summary className="text-accent">By task</summary>
          <ul className="mt-1 grid gap-x-6 sm:grid-cols-2">
            {of.tasks.map((task) => (
              <li key={task.task} className="flex gap-2">
                <span className="min-w-0 flex-1 break-words">{names(task.task)}</span>
                <span className="text-soft tabular-nums">
                  {task.work_done.toLocaleString("en")}{task.work_unknown > 0 && `, ${task.work_unknown.toLocaleString("en")} without an answer`}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** Reasons, and what they mean for a reader. */
const REASONS: Record<string, string> = {
  "in part": "Something was found; the rest could not be probed.",
  "left out": "More was found than is kept; what is kept was probed completely.",
  "no answer": "The target, or the network on the way to it, gave no answer.",
  "refused by scope": "The level of the run, an exclusion or the scope forbids it. That is as intended, unless you expected a probe.",
  "name unanswered": "The names that led to the address gave no answer in this run. It may be somebody else's by now, and was left alone; what is known of it stays.",
  "out of budget": "The target failed so often, or this machine was so busy, that further probes would do harm.",
  "source down": "A data provider did not answer as it should.",
  denied: "A credential lacks the permission, or is not accepted.",
  "out of time": "A probe exceeded its time limit.",
  "task panicked": "A fault in Ambit; please report it with the example.",
  "set aside": "The engine crashed more than once on this, and continues without it.",
  "unknown task": "Planned by another version of Ambit.",
  "not confirmed": "A large block must be confirmed where a run is started.",
  "run too long": "The run was ended after 72 hours.",
  "nothing looks at it": "No task of this version handles this kind.",
  "does not exist": "There is no such name; check its spelling.",
};

function NotDone({ of }: { of: RunDetail }): ReactNode {
  const names = useQuery(taskNames);
  if (of.not_done.length === 0) return <p>{isOver(of) ? "Nothing: every probe had an answer." : "Nothing so far."}</p>;
  const reasons = [...new Set(of.not_done.map((row) => row.reason))];
  return (
    <>
      <p className="mb-2">{count(notDone(of), "probe")} without an answer. What is there stays unknown, and the next run probes it again.</p>
      <ul className="flex flex-col gap-3">
        {reasons.map((reason) => {
          const rows = of.not_done.filter((row) => row.reason === reason).sort((a, b) => b.count - a.count);
          return (
            <li key={reason}>
              <h3 className="font-semibold">
                {reason[0]?.toUpperCase()}{reason.slice(1)}: {rows.reduce((sum, row) => sum + row.count, 0).toLocaleString("en")}
              </h3>
              <p className="text-soft">{REASONS[reason]}</p>
              <ul className="mt-1 border-l border-line pl-3">
                {rows.map((row) => (
                  <li key={row.task}>
                    {row.count.toLocaleString("en")} × {names.data?.get(row.task)?.pretty_name ?? words(row.task)}
                    <span className="block font-mono text-xs break-all text-soft">for example <Foreign>{row.example}</Foreign></span>
                  </li>
                ))}
              </ul>
            </li>
          );
        })}
      </ul>
    </>
  );
}

