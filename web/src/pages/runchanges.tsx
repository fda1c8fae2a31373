// What came of a run: what is new, changed and gone, and which issues were opened and closed.

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import type { Schema } from "../api/client";
import { type Change, changed, isOver, LOOK_MS, type RunDetail } from "../api/runs";
import { Button, Section, Trouble } from "../components/controls";
import { Chip, Foreign, kind, Severity } from "../components/text";

const ISSUES: { what: Change; title: string }[] = [
  { what: "appeared", title: "Issues opened" },
  { what: "disappeared", title: "Issues closed" },
];
const ENTITIES: { what: Change; title: string }[] = [
  { what: "appeared", title: "New" },
  { what: "changed", title: "Changed" },
  { what: "disappeared", title: "Gone" },
];

/** The end of what has none yet. */
const OPEN_END = "2999-01-01";

export function RunChanges({ of }: { of: RunDetail }): ReactNode {
  const between = `${of.started_at},${of.finished_at ?? OPEN_END}`;
  return (
    <Section title={isOver(of) ? "Results" : "Results so far"}>
      <div className="mb-4 grid gap-x-6 gap-y-4 md:grid-cols-2">
        {ISSUES.map((part) => <Part key={part.what} {...part} noun="issues" of={of} between={between} />)}
      </div>
      <div className="grid gap-x-6 gap-y-4 md:grid-cols-2 lg:grid-cols-3">
        {ENTITIES.map((part) => <Part key={part.what} {...part} noun="entities" of={of} between={between} />)}
      </div>
    </Section>
  );
}

function Part({ noun, what, title, of, between }: {
  noun: "entities" | "issues";
  what: Change;
  title: string;
  of: RunDetail;
  between: string;
}): ReactNode {
  const asked = changed({ noun, what, terms: `collection:${of.collection_name}`, between });
  const found = useInfiniteQuery({ ...asked, refetchInterval: isOver(of) ? false : LOOK_MS });
  const first = found.data?.pages[0];
  const hits = found.data?.pages.flatMap((page) => page.hits as (Schema["EntityHit"] | Schema["IssueHit"])[]) ?? [];
  const more = (first?.total_hits ?? 0) - hits.length;
  return (
    <section aria-label={title}>
      <h3 className="font-semibold">{title}: {first ? first.total_hits.toLocaleString("en") : "…"}</h3>
      {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
      <ul>
        {hits.map((hit) => (noun === "issues" ? <Issue key={(hit as Schema["IssueHit"]).uid} of={hit as Schema["IssueHit"]} /> : <Entity key={hit.id} of={hit as Schema["EntityHit"]} />))}
      </ul>
      {found.hasNextPage && (
        <Button look="quiet" disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>{more.toLocaleString("en")} more</Button>
      )}
    </section>
  );
}

function Entity({ of }: { of: Schema["EntityHit"] }): ReactNode {
  return (
    <li className="py-0.5">
      <span className="text-soft">{kind(of.type)}</span>{" "}
      <Link to="/entities/$uid" params={{ uid: of.id }} search={{}} className="font-mono text-[0.8125rem] break-all text-accent underline">
        <Foreign>{of.name}</Foreign>
      </Link>{" "}
      {!of.summary.scoped && <Chip>not in scope</Chip>}
    </li>
  );
}

function Issue({ of }: { of: Schema["IssueHit"] }): ReactNode {
  return (
    <li className="flex items-start gap-2 py-0.5">
      <Severity of={of.summary.severity} />
      <span className="min-w-0 flex-1">
        <Link to="/issues" search={{ q: `uid:${of.uid}`, issue: of.uid }} className="text-accent underline"><Foreign>{of.pretty_name}</Foreign></Link>{" "}
        <span className="font-mono text-[0.8125rem] break-all"><Foreign>{of.entity_name}</Foreign></span>
      </span>
    </li>
  );
}
