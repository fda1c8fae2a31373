// What is looked at: every collection with what it has, its last run and its next one.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import type { Collection } from "../api/collections";
import { newestRuns, type RunDetail } from "../api/runs";
import { collections } from "../api/session";
import { LinkButton, Trouble } from "../components/controls";
import { notDone, RunLink, RunState } from "../components/runs";
import { Chip, count, Foreign, Moment, severityWord } from "../components/text";
import { useTitle } from "../title";
import { None, useMayAdd } from "./none";
import { startWords } from "./timing";

export function Collections(): ReactNode {
  const list = useQuery(collections);
  const runs = useQuery(newestRuns);
  const owner = useMayAdd();
  useTitle("Scope and runs");
  const all = [...(list.data ?? [])].sort((a, b) => Number(a.archived) - Number(b.archived) || a.printable_name.localeCompare(b.printable_name));
  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Collections">
      <div className="mx-auto flex max-w-6xl flex-col gap-4 p-3 sm:p-5">
        <div className="flex flex-wrap items-center gap-3">
          <h1 className="text-lg font-semibold">Scope and runs</h1>
          <p role="status" className="text-soft">{list.data ? count(all.length, "collection") : "Loading …"}</p>
          {owner && all.length > 0 && <LinkButton to="/collections/new">Add what is yours</LinkButton>}
        </div>
        {list.error && <Trouble error={list.error} retry={() => void list.refetch()} />}
        {runs.error && <Trouble error={runs.error} retry={() => void runs.refetch()} />}
        {list.data && all.length === 0 && <None owner={owner} />}
        <ul className="flex flex-col gap-3">
          {all.map((one) => (
            <Row key={one.uuid} of={one} run={runs.data?.find((run) => run.collection_uuid === one.uuid)} known={runs.data !== undefined} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function Row({ of, run, known }: { of: Collection; run: RunDetail | undefined; known: boolean }): ReactNode {
  const severities = Object.entries(of.issues_by_severity).filter(([, number]) => number > 0);
  const figures: [string, ReactNode][] = [
    ["Entities", <Entities key="entities" of={of} />],
    ["Open issues", <Issues key="issues" of={of} severities={severities} />],
    ["Last run", run ? <span className="inline-flex flex-wrap gap-x-2"><RunLink of={run} /><RunState of={run.status} /></span> : known ? "none yet" : "…"],
    ["Could not be probed", run ? <Missed of={run} /> : known ? "–" : "…"],
    ["Next run", of.archived ? "none: archived" : of.next_run_at ? <Moment at={of.next_run_at} /> : startWords(of)],
  ];
  return (
    <li className="rounded border border-line p-3">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 text-base font-semibold break-words">
          <Link to="/collections/$uuid" params={{ uuid: of.uuid }} className="text-accent underline"><Foreign>{of.printable_name}</Foreign></Link>
        </h2>
        <Chip>{of.level}</Chip>
        {of.archived && <Chip>archived</Chip>}
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 md:grid-cols-5">
        {figures.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-soft">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function Entities({ of }: { of: Collection }): ReactNode {
  const fresh = of.new_entity_count > 0 ? `, ${of.new_entity_count.toLocaleString("en")} new` : "";
  return (
    <Link to="/entities" search={{ q: `collection:${of.name} present:true` }} className="text-accent underline">
      {of.entity_count.toLocaleString("en")}{fresh}
    </Link>
  );
}

function Issues({ of, severities }: { of: Collection; severities: [string, number][] }): ReactNode {
  if (severities.length === 0) return "none";
  return (
    <Link to="/issues" search={{ q: `collection:${of.name} status_new:open` }} className="text-accent underline">
      {severities.map(([severity, number]) => `${number.toLocaleString("en")} ${severityWord(severity)}`).join(", ")}
    </Link>
  );
}

function Missed({ of }: { of: RunDetail }): ReactNode {
  const missed = notDone(of);
  if (missed === 0) return "nothing";
  return (
    <Link to="/runs/$id" params={{ id: String(of.id) }} hash="not-done" className="text-accent underline">
      {count(missed, "probe")}
    </Link>
  );
}
