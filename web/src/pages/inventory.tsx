// The inventory: every entity that a search finds, now or at a moment of the past.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Schema } from "../api/client";
import { allEntities, type EntityHit, entityList, type EntityQuestion } from "../api/entities";
import { collections } from "../api/session";
import { AsOfBanner, AsOfPicker } from "../components/asof";
import { Button, Empty, Panel, Trouble } from "../components/controls";
import { type Facet, Facets } from "../components/facets";
import { useNotices } from "../components/notice";
import { QueryBox } from "../components/querybox";
import { count, Foreign, kind, searching, severityWord } from "../components/text";
import { csvLine, save } from "../csv";
import { useKeys } from "../keys";
import { usePlace } from "../place";
import { terms, toggled, without } from "../search";
import { useTitle } from "../title";
import { type Column, COLUMNS, USUAL } from "./columns";
import { None, useMayAdd } from "./none";
import { GraphView, MapView, TreeView } from "./views";

const route = getRouteApi("/inside/entities");

/** What is searched where the address says nothing. */
export const USUAL_SEARCH = "scoped:true present:true";

/** Ways to see what a search finds. Edges are those of now, so that the past has no tree and no graph. */
const VIEWS = [
  ["table", "Table"],
  ["map", "Map"],
  ["tree", "Tree"],
  ["graph", "Graph"],
] as const;

export function Inventory(): ReactNode {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const search = address.q ?? "";
  useTitle("Inventory");
  const sort = address.sort ?? "-summary.issues.current_count";
  const view = VIEWS.find(([name]) => name === address.view)?.[0] ?? "table";
  const question: EntityQuestion = { search, sort, asOf: address.as_of };
  const list = useInfiniteQuery(entityList(question));
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.result.hits) ?? [], [list.data]);
  const first = list.data?.pages[0];
  const total = first?.result.total_hits ?? 0;
  const { before, step, keep } = usePlace("/entities");
  const [at, setAt] = useState(before.at);
  useEffect(() => keep({ at }), [at, step, keep]);
  const box = useRef<HTMLInputElement>(null);
  const columns = useMemo(() => {
    const ids = address.columns?.split(",") ?? USUAL;
    return COLUMNS.filter((column) => ids.includes(column.id));
  }, [address.columns]);

  const change = useCallback((next: Partial<typeof address>) => void navigate({ search: (now) => ({ ...now, ...next }) }), [navigate]);
  const ask = useCallback(
    (q: string) => {
      setAt(0);
      change({ q });
    },
    [change],
  );
  const facets = useFacets(first?.result.aggregations ?? undefined, search);
  const here = rows[Math.min(at, rows.length - 1)];
  useKeys({
    j: () => setAt((now) => Math.min(now + 1, Math.max(0, rows.length - 1))),
    k: () => setAt((now) => Math.max(now - 1, 0)),
    Enter: () => {
      if (here) void navigate({ to: "/entities/$uid", params: { uid: here.id }, search: address.as_of ? { as_of: address.as_of } : {} });
    },
    "/": () => box.current?.focus(),
  });

  return (
    <>
      {address.as_of && <AsOfBanner asOf={address.as_of} onNow={() => change({ as_of: undefined })} />}
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <h1 className="sr-only">Inventory</h1>
        <QueryBox value={search} noun="entities" onSearch={ask} input={box} />
        <AsOfPicker asOf={address.as_of} onChange={(as_of) => change({ as_of })} />
        <ColumnChooser chosen={columns} onChange={(ids) => change({ columns: ids.join(",") })} />
        <Export question={question} columns={columns} total={total} />
      </div>
      <div className="flex min-h-0 flex-1">
        <aside aria-label="Filters" className="hidden w-60 shrink-0 overflow-auto border-r border-line p-3 lg:block">
          <Facets facets={facets} search={search} onSearch={ask} />
        </aside>
        <section id="list" tabIndex={-1} aria-label="Entities" className="relative flex min-w-0 flex-1 flex-col">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-1.5">
            <p role="status" className="font-semibold">{first ? count(total, "entity", "entities") : searching(list.error)}</p>
            <nav aria-label="Views" className="order-last ml-auto flex gap-1">
              {VIEWS.filter(([name]) => !address.as_of || name === "table" || name === "map").map(([name, label]) => (
                <Link key={name} to="/entities" search={{ ...address, view: name === "table" ? undefined : name }} className={`rounded px-2 ${view === name ? "bg-picked font-semibold" : "hover:bg-raised"}`}
                  {...(view === name ? { "aria-current": "page" as const } : {})}>{label}</Link>
              ))}
            </nav>
            {first?.result.aggregations && <OpenIssues counts={first.result.aggregations} />}
            <details className="lg:hidden">
              <summary className="text-accent">Filters</summary>
              <div className="absolute inset-x-0 z-30 max-h-[60vh] overflow-auto border-b border-line bg-ground p-3 shadow-lg">
                <Facets facets={facets} search={search} onSearch={ask} />
              </div>
            </details>
          </div>
          {list.error && <Trouble error={list.error} retry={() => void list.refetch()} />}
          {first && rows.length === 0 ? (
            <Nothing search={search} message={first.message} asOf={address.as_of} onSearch={ask} onNow={() => change({ as_of: undefined })} />
          ) : view === "map" ? (
            <MapView counts={first?.result.aggregations?.country_code_bucket} onCountry={(code) => change({ q: toggled(search, { keyword: "country", value: code, not: false }), view: undefined })} />
          ) : view === "tree" ? (
            <TreeView search={search} />
          ) : view === "graph" ? (
            <GraphView search={search} />
          ) : (
            <EntityTable rows={rows} total={total} at={at} columns={columns} sort={sort} asOf={address.as_of}
              onSort={(next) => change({ sort: next })} onAt={setAt}
              more={list.hasNextPage && !list.isFetching ? list.fetchNextPage : undefined} />
          )}
        </section>
      </div>
    </>
  );
}

function EntityTable({ rows, total, at, columns, sort, asOf, onSort, onAt, more }: {
  rows: EntityHit[];
  total: number;
  at: number;
  columns: Column[];
  sort: string;
  asOf: string | undefined;
  onSort: (sort: string) => void;
  onAt: (index: number) => void;
  more: (() => unknown) | undefined;
}): ReactNode {
  const scroll = useRef<HTMLDivElement>(null);
  const { before, step, keep } = usePlace("/entities");
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroll.current, estimateSize: () => 32, overscan: 20, scrollPaddingStart: 32, initialOffset: before.top });
  const shown = virtual.getVirtualItems();
  const last = shown[shown.length - 1]?.index ?? 0;
  useEffect(() => {
    if (more && rows.length > 0 && last >= rows.length - 30) more();
  }, [more, last, rows.length]);
  useEffect(() => keep({ top: scroll.current?.scrollTop ?? 0 }), [step, keep]);
  const shownAt = useRef(at);
  useEffect(() => {
    if (at > 0 && at !== shownAt.current) virtual.scrollToIndex(at);
    shownAt.current = at;
    // Only a move of the cursor scrolls.
  }, [at]);
  const grid = { gridTemplateColumns: `minmax(19rem,1fr) ${columns.map((column) => column.width).join(" ")}` };
  const row = "grid items-center gap-x-3 border-b border-line px-3";
  return (
    <div ref={scroll} role="table" aria-label="Entities" aria-rowcount={total + 1} tabIndex={0} className="min-h-0 flex-1 overflow-auto"
      onScroll={(event) => keep({ top: event.currentTarget.scrollTop })}>
      <div className="w-max min-w-full">
        <div role="rowgroup" className="sticky top-0 z-10 bg-raised">
          <div role="row" aria-rowindex={1} className={`${row} h-8`} style={grid}>
            <Heading label="Name" member="name" descending={false} sort={sort} onSort={onSort} />
            {columns.map((column) => (
              <Heading key={column.id} label={column.label} member={column.sort} descending={column.descending ?? false} sort={sort} onSort={onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {shown.map((item) => {
            const hit = rows[item.index];
            if (hit === undefined) return null;
            const here = item.index === at;
            return (
              <div
                key={hit.id}
                role="row"
                aria-rowindex={item.index + 2}
                className={`${row} absolute inset-x-0 top-0 h-8 ${here ? "bg-raised shadow-[inset_3px_0_var(--accent)]" : "hover:bg-raised"}`}
                style={{ ...grid, transform: `translateY(${item.start}px)` }}
                onClick={() => onAt(item.index)}
              >
                <div role="cell" className="truncate" title={hit.name}>
                  <Link to="/entities/$uid" params={{ uid: hit.id }} search={asOf ? { as_of: asOf } : {}}
                    className="font-mono text-[0.8125rem] text-accent hover:underline">
                    <Foreign>{hit.name}</Foreign>
                  </Link>
                </div>
                {columns.map((column) => <div key={column.id} role="cell" className="truncate">{column.shown(hit)}</div>)}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Heading({ label, member, descending, sort, onSort }: {
  label: string;
  member: string | undefined;
  descending: boolean;
  sort: string;
  onSort: (sort: string) => void;
}): ReactNode {
  if (member === undefined) return <div role="columnheader" className="font-semibold">{label}</div>;
  const now = sort === member ? "ascending" : sort === `-${member}` ? "descending" : "none";
  const next = now === "none" ? (descending ? `-${member}` : member) : now === "ascending" ? `-${member}` : member;
  return (
    <div role="columnheader" aria-sort={now}>
      <button type="button" className="min-h-6 font-semibold hover:underline" onClick={() => onSort(next)}>
        {label}{now === "ascending" ? " ↑" : now === "descending" ? " ↓" : ""}
      </button>
    </div>
  );
}

function ColumnChooser({ chosen, onChange }: { chosen: Column[]; onChange: (ids: string[]) => void }): ReactNode {
  const ids = chosen.map((column) => column.id);
  return (
    <Panel label="Columns" trigger={<Button>Columns</Button>}>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-semibold">Columns beside the name</legend>
        {COLUMNS.map((column) => (
          <label key={column.id} className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={ids.includes(column.id)}
              onChange={(event) => onChange(event.target.checked ? [...ids, column.id] : ids.filter((id) => id !== column.id))}
            />
            {column.label}
          </label>
        ))}
      </fieldset>
    </Panel>
  );
}

function Export({ question, columns, total }: { question: EntityQuestion; columns: Column[]; total: number }): ReactNode {
  const { say } = useNotices();
  const [open, setOpen] = useState(false);
  async function write(form: "csv" | "jsonl") {
    setOpen(false);
    try {
      const hits = await allEntities(question, (found) => say(`Reading ${found.toLocaleString("en")} of ${total.toLocaleString("en")} …`));
      if (form === "jsonl") {
        save("entities.jsonl", "application/jsonl", hits.map((hit) => `${JSON.stringify(hit)}\n`).join(""));
      } else {
        const heading = csvLine(["uid", "name", ...columns.map((column) => column.id)]);
        save("entities.csv", "text/csv", heading + hits.map((hit) => csvLine([hit.id, hit.name, ...columns.map((column) => column.text(hit))])).join(""));
      }
      say(`${count(hits.length, "entity", "entities")} written to entities.${form}.`);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <Panel label="Export" open={open} onOpenChange={setOpen} trigger={<Button disabled={total === 0}>Export</Button>}>
      <div className="flex flex-col gap-2">
        <Button onClick={() => void write("csv")}>CSV of these columns</Button>
        <Button onClick={() => void write("jsonl")}>JSON Lines, everything</Button>
      </div>
    </Panel>
  );
}

function OpenIssues({ counts }: { counts: Schema["EntityAggregations"] }): ReactNode {
  const sums = [counts.issues_severity_1_bucket, counts.issues_severity_2_bucket, counts.issues_severity_3_bucket, counts.issues_severity_4_bucket, counts.issues_severity_5_bucket];
  const said = sums.map((sum, index) => [Number(sum.value), severityWord(index + 1)] as const).filter(([number]) => number > 0);
  if (said.length === 0) return <p className="text-soft">no open issue</p>;
  return <p className="text-soft">open issues: {said.map(([number, word]) => `${number.toLocaleString("en")} ${word}`).join(", ")}</p>;
}

function Nothing({ search, message, asOf, onSearch, onNow }: {
  search: string;
  message: string;
  asOf: string | undefined;
  onSearch: (search: string) => void;
  onNow: () => void;
}): ReactNode {
  const all = useQuery(collections);
  const owner = useMayAdd();
  if (all.data?.length === 0) return <None owner={owner} />;
  if (message.startsWith("no hits")) {
    return <Empty title={message}><Button onClick={() => onSearch(USUAL_SEARCH)}>Show what is in scope</Button></Empty>;
  }
  if (asOf !== undefined) {
    return <Empty title={`Nothing of this was known at ${asOf}`}><Button onClick={onNow}>Back to now</Button></Empty>;
  }
  const last = terms(search).at(-1);
  if (last === undefined) return <Empty title="Nothing was found yet"><p>Entities appear here while a run discovers them.</p></Empty>;
  const said = `${last.keyword === "" ? "" : `${last.keyword}:`}${last.not ? "!" : ""}${last.value}`;
  return (
    <Empty title="No entity matches">
      <p>Nothing matches all terms of the search.</p>
      <Button onClick={() => onSearch(without(search, [last.keyword]))}>Without {said}</Button>
    </Empty>
  );
}

function useFacets(counts: Schema["EntityAggregations"] | undefined, search: string): Facet[] {
  const named = useQuery(collections);
  return useMemo(() => {
    const collection = (value: string) => named.data?.find((one) => one.name === value)?.printable_name ?? value;
    const short = counts && {
      ...counts.entity_type_bucket,
      buckets: counts.entity_type_bucket.buckets.map((bucket) => ({ ...bucket, key: String(bucket.key).replace(/^.*:/, "") })),
    };
    const all: Facet[] = [
      { label: "In scope", keyword: "scoped", buckets: counts?.scoped_bucket, name: (value) => (value === "true" ? "yes" : value === "false" ? "no" : value) },
      { label: "Kind", keyword: "type", buckets: short, name: kind },
      { label: "Technology", keyword: "technology", buckets: counts?.technolgy_bucket },
      { label: "Country", keyword: "country", buckets: counts?.country_code_bucket },
      { label: "Collection", keyword: "collection", buckets: counts?.collection_bucket, name: collection },
    ];
    // A facet of one value tells nothing, unless it was asked for.
    const asked = new Set(terms(search).map((term) => term.keyword));
    return all.filter((one) => asked.has(one.keyword) || (one.buckets?.buckets.length ?? 0) !== 1);
  }, [counts, named.data, search]);
}
