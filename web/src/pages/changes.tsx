// The logbook: what came, changed and went since a moment, each with what is different.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { Schema } from "../api/client";
import { type Change, changed, newestRuns } from "../api/runs";
import { collections } from "../api/session";
import { Button, FIELD, Section, Trouble } from "../components/controls";
import { Page } from "../components/page";
import { Chip, Foreign, KIND_NAMES, kind, relative, Severity, statusWord } from "../components/text";
import { lastVisit } from "../visit";
import { None, useMayAdd } from "./none";
import { Differences } from "./timeline";

const route = getRouteApi("/inside/changes");

/** Lengths of time to look back, in days. */
const LENGTHS: [string, string, number][] = [
  ["1d", "the last 24 hours", 1],
  ["7d", "the last 7 days", 7],
  ["30d", "the last 30 days", 30],
  ["90d", "the last 90 days", 90],
];
const USUAL = "7d";
const DAY_MS = 86_400_000;
/** The end of what has none yet. */
const OPEN_END = "2999-01-01";

const PARTS: { what: Change; issues: string; entities: string }[] = [
  { what: "appeared", issues: "Issues opened", entities: "New" },
  { what: "changed", issues: "Issues changed", entities: "Changed" },
  { what: "disappeared", issues: "Issues closed", entities: "Gone" },
];

/** The moment that an address means. A length counts back from the hour that is running, so that lists stay the same for a while. */
function beginning(since: string): string {
  const days = LENGTHS.find(([name]) => name === since)?.[2];
  if (days === undefined) return since;
  return new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - days * DAY_MS).toISOString();
}

export function Changes(): ReactNode {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const places = useQuery(collections);
  const runs = useQuery(newestRuns);
  const owner = useMayAdd();
  const [visit] = useState(lastVisit);
  const since = address.since ?? USUAL;
  const from = useMemo(() => beginning(since), [since]);
  const all = places.data ?? [];
  const change = (next: Partial<typeof address>) => void navigate({ search: (now) => ({ ...now, ...next }) });
  const known = [
    ...LENGTHS.map(([value, label]) => [value, label] as const),
    ...(visit === null ? [] : [[visit, `your last visit, ${relative(visit)}`] as const]),
    ...(runs.data ?? []).filter((run) => run.started_at !== null).slice(0, 10).map((run) =>
      [run.started_at as string, `run ${run.number} of ${all.find((one) => one.uuid === run.collection_uuid)?.printable_name ?? run.collection_name}`] as const),
  ];
  const terms = [
    ...(address.collection ? [`collection:${address.collection}`] : []),
    ...(address.show && address.show !== "issues" ? [`type:${address.show}`] : []),
  ].join(" ");
  const issueTerms = address.collection ? `collection:${address.collection}` : "";
  return (
    <Page title="Changes" beside={
      <>
        <select aria-label="Since" className={`${FIELD} max-w-60`} value={since} onChange={(event) => change({ since: event.target.value })}>
          {!known.some(([value]) => value === since) && <option value={since}>{/^\d{4}-\d{2}-\d{2}$/.test(since) ? `since ${since}` : `since ${relative(since)}`}</option>}
          {known.map(([value, label]) => <option key={value} value={value}>since {label.replace(/^the last /, "")}{label.startsWith("the last") ? " ago" : ""}</option>)}
        </select>
        <label className="flex items-center gap-1.5">
          <span className="text-soft">or the end of</span>
          <input type="date" className={FIELD} max={new Date().toISOString().slice(0, 10)} value={/^\d{4}-\d{2}-\d{2}$/.test(since) ? since : ""}
            onChange={(event) => change({ since: event.target.value || undefined })} />
        </label>
        <select aria-label="What" className={`${FIELD} max-w-40`} value={address.show ?? ""} onChange={(event) => change({ show: event.target.value || undefined })}>
          <option value="">everything</option>
          <option value="issues">issues alone</option>
          {KIND_NAMES.map((name) => <option key={name} value={name}>{kind(name)}</option>)}
        </select>
        {all.length > 1 && (
          <select aria-label="Collection" className={`${FIELD} max-w-60`} value={address.collection ?? ""} onChange={(event) => change({ collection: event.target.value || undefined })}>
            <option value="">all collections</option>
            {all.map((one) => <option key={one.name} value={one.name}>{one.printable_name}</option>)}
          </select>
        )}
      </>
    }>
      {places.data?.length === 0 ? <None owner={owner} /> : (
        <>
          {(address.show === undefined || address.show === "issues") && (
            <Section title="Issues">
              <div className="flex flex-col gap-4">
                {PARTS.map((part) => <Part key={part.what} noun="issues" what={part.what} title={part.issues} terms={issueTerms} from={from} />)}
              </div>
            </Section>
          )}
          {address.show !== "issues" && (
            <Section title="Entities">
              <div className="flex flex-col gap-4">
                {PARTS.map((part) => <Part key={part.what} noun="entities" what={part.what} title={part.entities} terms={terms} from={from} />)}
              </div>
            </Section>
          )}
        </>
      )}
    </Page>
  );
}

function Part({ noun, what, title, terms, from }: { noun: "entities" | "issues"; what: Change; title: string; terms: string; from: string }): ReactNode {
  const found = useInfiniteQuery(changed({ noun, what, terms, between: `${from},${OPEN_END}` }));
  const first = found.data?.pages[0];
  const hits = found.data?.pages.flatMap((page) => page.hits as (Schema["EntityHit"] | Schema["IssueHit"])[]) ?? [];
  const more = (first?.total_hits ?? 0) - hits.length;
  return (
    <section aria-label={title}>
      <h3 className="font-semibold">{title}: {first ? first.total_hits.toLocaleString("en") : "…"}</h3>
      {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
      <ul>
        {hits.map((hit) => noun === "issues"
          ? <Issue key={(hit as Schema["IssueHit"]).uid} of={hit as Schema["IssueHit"]} />
          : <Entity key={`${hit.id} ${from}`} of={hit as Schema["EntityHit"]} what={what} from={from} />)}
      </ul>
      {found.hasNextPage && <Button look="quiet" disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>{more.toLocaleString("en")} more</Button>}
    </section>
  );
}

function Entity({ of, what, from }: { of: Schema["EntityHit"]; what: Change; from: string }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <li className="py-0.5">
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="text-soft">{kind(of.type)}</span>
        <Link to="/entities/$uid" params={{ uid: of.id }} search={{}} className="min-w-0 font-mono text-[0.8125rem] break-all text-accent underline">
          <Foreign>{of.name}</Foreign>
        </Link>
        {!of.summary.scoped && <Chip>not in scope</Chip>}
        {what === "changed" && (
          <button type="button" aria-expanded={open} className="min-h-6 text-accent underline" onClick={() => setOpen(!open)}>what changed</button>
        )}
      </span>
      {open && <div className="ml-2 border-l border-line pl-3"><Differences uid={of.id} before={from} after={undefined} /></div>}
    </li>
  );
}

function Issue({ of }: { of: Schema["IssueHit"] }): ReactNode {
  return (
    <li className="flex items-start gap-2 py-0.5">
      <Severity of={of.summary.severity} />
      <span className="min-w-0 flex-1">
        <Link to="/issues" search={{ q: `uid:${of.uid}`, issue: of.uid }} className="text-accent underline"><Foreign>{of.pretty_name}</Foreign></Link>{" "}
        <span className="font-mono text-[0.8125rem] break-all"><Foreign>{of.entity_name}</Foreign></span>{" "}
        {of.summary.status !== "open_new" && <Chip tone={of.summary.status_new === "closed" ? "good" : "soft"}>{statusWord(of.summary.status)}</Chip>}
      </span>
    </li>
  );
}
