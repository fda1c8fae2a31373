// One collection: what is looked at, how far, and when; what a run would ask before it asks anything; what waits for a
// person's word; and its runs.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { useAct } from "../act";
import { useAnchor } from "../anchor";
import { change, type Collection, collection, setArchived } from "../api/collections";
import { isOver, type Run, runsOf } from "../api/runs";
import { Button, FIELD, Section, Trouble } from "../components/controls";
import { RunLink, RunState } from "../components/runs";
import { Chip, count, Foreign, Moment } from "../components/text";
import { lasting } from "../levels";
import { useTitle } from "../title";
import { Candidates } from "./candidates";
import { Credentials } from "./credentials";
import { NextRun } from "./nextrun";
import { Postures } from "./posture";
import { Exclusions, Seeds } from "./scope";
import { startWords, Timing } from "./timing";

const route = getRouteApi("/inside/collections/$uuid");

/** Runs that are shown before the rest is opened. */
const RUNS_SHOWN = 10;

export function CollectionPage(): ReactNode {
  const { uuid } = route.useParams();
  const { as_of } = route.useSearch();
  const navigate = route.useNavigate();
  const shown = useQuery(collection(uuid));
  const runs = useQuery(runsOf(uuid));
  const of = shown.data;
  useTitle(of?.printable_name);
  const trouble = shown.error ?? runs.error;
  const content = useRef<HTMLDivElement>(null);
  useAnchor(content);
  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Collection">
      <div ref={content} className="mx-auto flex max-w-6xl flex-col gap-4 p-3 sm:p-5">
        <Link to="/collections" className="self-start text-accent underline">Scope and runs</Link>
        {trouble && <Trouble error={trouble} retry={() => void (shown.error ? shown.refetch() : runs.refetch())} />}
        {!of && !trouble && <p role="status">Loading …</p>}
        {of && (
          <>
            <Head of={of} />
            <Section title="The next run" id="next"><NextRun of={of} runs={runs.data ?? []} /></Section>
            <Postures of={of} asOf={as_of} onMoment={(moment) => void navigate({ search: moment === undefined ? {} : { as_of: moment }, replace: true })} />
            <div className="grid gap-4 md:grid-cols-2">
              <Section title={of.workflow_name === "third_party_workflow" ? "Whom you named" : "Named as yours"}><Seeds of={of} /></Section>
              <Section title="Never contacted"><Exclusions of={of} /></Section>
            </div>
            <Section title="Perhaps yours" id="candidates"><Candidates of={of} /></Section>
            <Section title="Runs"><Runs all={runs.data} /></Section>
            <Credentials of={of} />
            {of.role === "admin" && !of.archived && <Section title="When runs start, and when they pause" id="timing"><Timing of={of} /></Section>}
            {of.role === "admin" && <Section title="Settings"><Settings of={of} /></Section>}
          </>
        )}
      </div>
    </div>
  );
}

function Head({ of }: { of: Collection }): ReactNode {
  const link = "text-accent underline";
  const issues = Object.values(of.issues_by_severity).reduce((sum, number) => sum + number, 0);
  return (
    <header>
      <h1 className="text-lg font-semibold break-words"><Foreign>{of.printable_name}</Foreign></h1>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip>{of.level}</Chip>
        {of.archived && <Chip>archived</Chip>}
        {of.workflow_pretty_name && <span>{of.workflow_pretty_name}</span>}
        <span>
          {of.archived ? "No runs" : of.next_run_at ? <>Next run <Moment at={of.next_run_at} /></> : `Runs ${startWords(of)}`}
        </span>
        <Link to="/entities" search={{ q: `collection:${of.name} present:true` }} className={link}>
          {count(of.entity_count, "entity", "entities")}
        </Link>
        <Link to="/issues" search={{ q: `collection:${of.name} status_new:open` }} className={link}>{count(issues, "open issue")}</Link>
      </p>
    </header>
  );
}

function Runs({ all }: { all: Run[] | undefined }): ReactNode {
  const [shown, setShown] = useState(RUNS_SHOWN);
  if (!all) return <p>Loading …</p>;
  if (all.length === 0) return <p>None yet. Nothing was contacted.</p>;
  return (
    <>
      <ul className="flex flex-col divide-y divide-line">
        {all.slice(0, shown).map((run) => (
          <li key={run.id} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 py-1.5">
            <RunLink of={run} />
            <RunState of={run.status} />
            {run.started_at && <span>{isOver(run) ? "took" : "for"} {lasting(run.duration)}</span>}
            <span>{count(run.entity_count, "entity", "entities")}</span>
            <span className="text-soft">{run.created_by_email ? <>by <Foreign>{run.created_by_email}</Foreign></> : "by the schedule"}</span>
          </li>
        ))}
      </ul>
      {all.length > shown && (
        <Button look="quiet" onClick={() => setShown(shown + 10 * RUNS_SHOWN)}>{count(all.length - shown, "older run")}</Button>
      )}
    </>
  );
}

function Settings({ of }: { of: Collection }): ReactNode {
  const { busy, act } = useAct();
  const [name, setName] = useState(of.printable_name);
  const [ports, setPorts] = useState(of.ports);
  const [due, setDue] = useState(of.due_days);
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      <Saved label="Name" value={name} kept={of.printable_name} busy={busy} onChange={setName}
        onSave={() => void act(() => change(of.uuid, { printable_name: name }), "Renamed.", () => change(of.uuid, { printable_name: of.printable_name }))} />
      <Saved label="Ports to search" hint="default, top:100, all, or 80,443,8000-8100" value={ports} kept={of.ports} busy={busy} onChange={setPorts}
        onSave={() => void act(() => change(of.uuid, { ports }), "The next run searches these ports.", () => change(of.uuid, { ports: of.ports }))} />
      <Saved label="Days until issues are due" hint="critical=7,high=30,medium=90,low=180; default: as the server says" value={due} kept={of.due_days} busy={busy} onChange={setDue}
        onSave={() => void act(() => change(of.uuid, { due_days: due }), "Due dates are recalculated.", () => change(of.uuid, { due_days: of.due_days }))} />
      <div>
        <p>Runs of it</p>
        <Button className="mt-1" disabled={busy}
          onClick={() => void act(() => setArchived(of.uuid, !of.archived), of.archived ? "Out of the archive." : "Archived: no run starts any more.", () => setArchived(of.uuid, of.archived))}>
          {of.archived ? "Take out of the archive" : "Archive"}
        </Button>
      </div>
    </div>
  );
}

/** A text with a button that keeps it once it differs. */
function Saved({ label, hint, value, kept, busy, onChange, onSave }: {
  label: string;
  hint?: string;
  value: string;
  kept: string;
  busy: boolean;
  onChange: (value: string) => void;
  onSave: () => void;
}): ReactNode {
  return (
    <form className="flex flex-col gap-1" onSubmit={(event) => { event.preventDefault(); onSave(); }}>
      <label className="flex flex-col gap-1">
        {label}
        <input type="text" className={FIELD} value={value} spellCheck={false} autoComplete="off" onChange={(event) => onChange(event.target.value)} />
        {hint && <span className="text-xs text-soft">{hint}</span>}
      </label>
      {value !== kept && <Button type="submit" disabled={busy || value.trim() === ""} className="self-start">Save</Button>}
    </form>
  );
}
