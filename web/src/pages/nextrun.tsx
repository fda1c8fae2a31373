// The next run: how far it may go, what that asks in numbers, and the one button that starts it.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useAct } from "../act";
import { change, type Collection, type Level, type Plan, plan } from "../api/collections";
import { isOver, type Run, runsOf, start } from "../api/runs";
import { Button, Trouble } from "../components/controls";
import { RunState } from "../components/runs";
import { count, Foreign } from "../components/text";
import { lasting, LEVEL_MEANING, LEVELS } from "../levels";

export function NextRun({ of, runs }: { of: Collection; runs: Run[] }): ReactNode {
  const open = runs.find((run) => !isOver(run));
  const [chosen, setChosen] = useState<Level | null>(null);
  const level = chosen ?? of.level;
  const asked = useQuery(plan(of.uuid, level));
  const [yes, setYes] = useState(false);
  const [full, setFull] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { busy, act } = useAct();
  const mayChange = of.role === "admin" && !of.archived;
  const waiting = asked.data?.large_blocks.filter((block) => !block.confirmed) ?? [];
  const nothing = asked.data !== undefined && Object.values(asked.data.seeds).every((number) => number === 0);

  const keep = () => change(of.uuid, { level });
  async function begin() {
    let id: number | undefined;
    const done = await act(async () => {
      if (level !== of.level) await keep();
      await start(of.uuid, { confirm_large: waiting.length > 0, full });
      id = (await queries.fetchQuery({ ...runsOf(of.uuid), staleTime: 0 }))[0]?.id;
    }, "The run is asked for.");
    if (done && id !== undefined) await navigate({ to: "/runs/$id", params: { id: String(id) } });
  }

  if (of.archived) return <p>It is archived: no run starts.</p>;
  return (
    <div className="flex flex-col gap-3">
      {open && (
        <p className="flex flex-wrap items-center gap-2">
          <RunState of={open.status} /> A run is open:
          <Link to="/runs/$id" params={{ id: String(open.id) }} className="text-accent underline">see its progress</Link>
        </p>
      )}
      <fieldset className="grid gap-2 sm:grid-cols-2 lg:grid-cols-4" disabled={!mayChange || busy}>
        <legend className="mb-1">How far may it go?</legend>
        {LEVELS.map((one) => (
          <label key={one} className={`flex items-start gap-2 rounded border p-2 ${one === level ? "border-accent bg-picked" : "border-line"}`}>
            <input type="radio" name="level" className="mt-1" checked={one === level} onChange={() => setChosen(one)} />
            <span>
              <span className="font-semibold">{one}</span>
              <span className="block text-xs">{LEVEL_MEANING[one]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {asked.error && <Trouble error={asked.error} retry={() => void asked.refetch()} />}
      {nothing && <p>Add a seed first: without one, there is nothing to discover.</p>}
      {asked.data && !nothing && <Numbers of={asked.data} level={level} />}
      {waiting.length > 0 && mayChange && (
        <label className="flex items-start gap-2">
          <input type="checkbox" className="mt-1" checked={yes} onChange={(event) => setYes(event.target.checked)} />
          <span>
            Yes, ask every address of {waiting.map((block) => `${block.name} (${count(block.addresses, "address", "addresses")})`).join(", ")}.
          </span>
        </label>
      )}
      {mayChange && runs.some((run) => run.status === "finished") && (
        <label className="flex items-start gap-2">
          <input type="checkbox" className="mt-1" checked={full} onChange={(event) => setFull(event.target.checked)} />
          <span>
            Search everything again
            <span className="block text-xs text-soft">Without it, a run verifies what was found, and searches what is due by age or has changed.</span>
          </span>
        </label>
      )}
      {mayChange && (
        <div className="flex flex-wrap items-center gap-2">
          <Button look="first" disabled={busy || nothing || !asked.data || open !== undefined || (waiting.length > 0 && !yes)} onClick={() => void begin()}>
            Start a {level} run
          </Button>
          {level !== of.level && (
            <Button
              disabled={busy}
              onClick={() => {
                const before = of.level;
                void act(keep, `Runs may be ${level} now.`, () => change(of.uuid, { level: before })).then(() => setChosen(null));
              }}
            >
              Only keep this level
            </Button>
          )}
          {!open && <span className="text-soft">Nothing is contacted before you start it{of.next_run_at ? ", or the schedule does" : ""}.</span>}
        </div>
      )}
      {!mayChange && <p className="text-soft">Admins of the collection start runs.</p>}
    </div>
  );
}

/** What a run asks for what is known to be theirs; nothing was sent to find that out. */
function Numbers({ of, level }: { of: Plan; level: Level }): ReactNode {
  const figures: [string, string][] = [
    ["DNS questions", of.dns_questions.toLocaleString("en")],
    ["Connections", of.connections.toLocaleString("en")],
    ["UDP datagrams", of.datagrams.toLocaleString("en")],
    ["Requests to sites", of.http_requests.toLocaleString("en")],
    ["Requests to data providers", of.provider_requests.toLocaleString("en")],
    ["Packets, about", of.packets.toLocaleString("en")],
    ["Takes about", lasting(of.seconds)],
  ];
  const each: string[] = [];
  if (of.names_per_domain > 0) each.push(`${count(of.names_per_domain, "name")} for each domain`);
  if (of.ports_per_address > 0) each.push(`${count(of.ports_per_address, "port")} for each address`);
  if (of.http_requests_per_site > 0) each.push(`${count(of.http_requests_per_site, "request")} for each site`);
  return (
    <div className="rounded bg-raised p-3" role="group" aria-label="The plan">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-soft">{name}</dt>
            <dd className="text-lg font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2">
        That is for your seeds. What they lead to is probed as well{each.length > 0 && `: ${each.join(", ")}`}.
      </p>
      {of.tasks.length > 0 && <Tasks of={of.tasks} />}
      {of.level !== level && <p className="mt-1 text-medium">The workflow of this collection goes no further than {of.level}.</p>}
      {of.excluded_seeds.length > 0 && (
        <p className="mt-1">Never contacted, although they are seeds: <Foreign>{of.excluded_seeds.join(", ")}</Foreign></p>
      )}
      {of.unswept_blocks.length > 0 && (
        <p className="mt-1">Too large to probe every address; they only define what is yours: <Foreign>{of.unswept_blocks.join(", ")}</Foreign></p>
      )}
    </div>
  );
}

/** What each task examines and sends, the loudest first. */
function Tasks({ of }: { of: Plan["tasks"] }): ReactNode {
  return (
    <details className="mt-2">
      <summary className="cursor-pointer">Task by task</summary>
      <ul className="mt-1 flex flex-col gap-0.5 text-xs">
        {of.map((task) => (
          <li key={task.task}>
            <span className="font-semibold">{task.task}</span>: {examined(task)}, {count(task.packets, "packet")}, {lasting(task.seconds)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function examined(task: Plan["tasks"][number]): string {
  const ports = task.ports_per_address > 0 ? ` × up to ${count(task.ports_per_address, "port")}` : "";
  const things: [number, string][] = [
    [task.names, count(task.names, "name")],
    [task.addresses, count(task.addresses, "address", "addresses") + ports],
    [task.sites, count(task.sites, "site")],
    [task.others, count(task.others, "seed")],
  ];
  return things.filter(([number]) => number > 0).map(([, text]) => text).join(", ");
}
