// The inventory otherwise than as a table: on a map, as a tree, as a graph.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import type { Schema } from "../api/client";
import { neighbourhood } from "../api/graphs";
import { Empty, Trouble } from "../components/controls";
import { count, Foreign, kind, words } from "../components/text";
import { countryName } from "../countries";
import { type Branch, tree } from "../tree";

const WorldMap = lazy(() => import("../components/worldmap").then((part) => ({ default: part.WorldMap })));
const Explorer = lazy(() => import("./explorer").then((page) => ({ default: page.Explorer })));

const LOADING = <p role="status" className="p-3">Loading …</p>;

export function MapView({ counts, onCountry }: { counts: Schema["TermsAggregation"] | undefined; onCountry: (code: string) => void }): ReactNode {
  const numbers = (counts?.buckets ?? []).map((bucket) => ({ code: String(bucket.key), number: bucket.doc_count }));
  if (counts === undefined) return LOADING;
  if (numbers.length === 0) {
    return (
      <Empty title="No place is known">
        <p>None of these has an address with a known location. Locations come from a database that the setting <code className="font-mono">geo</code> names.</p>
      </Empty>
    );
  }
  return (
    <div className="min-h-0 flex-1 overflow-auto p-3" tabIndex={0} role="region" aria-label="By country">
      <div className="mx-auto flex max-w-6xl flex-col gap-3 lg:flex-row">
        <div className="min-w-0 flex-1"><Suspense fallback={LOADING}><WorldMap label="Entities by country; the list has the same" numbers={numbers} onPick={onCountry} /></Suspense></div>
        <ul className="lg:w-56" aria-label="Countries">
          {numbers.map((one) => (
            <li key={one.code}>
              <button type="button" className="flex min-h-6 w-full gap-2 rounded px-1 text-left hover:bg-raised" onClick={() => onCountry(one.code)}>
                <span className="min-w-0 flex-1 break-words"><Foreign>{countryName(one.code)}</Foreign></span>
                <span className="text-soft tabular-nums">{one.number.toLocaleString("en")}</span>
              </button>
            </li>
          ))}
          {counts.sum_other_doc_count > 0 && <li className="px-1 text-xs text-soft">{counts.sum_other_doc_count.toLocaleString("en")} more in others</li>}
        </ul>
      </div>
    </div>
  );
}

export function TreeView({ search }: { search: string }): ReactNode {
  const found = useQuery(neighbourhood({ query: search, depth: 0 }));
  const roots = useMemo(() => (found.data ? tree(found.data) : []), [found.data]);
  if (found.error) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return LOADING;
  return (
    <div className="min-h-0 flex-1 overflow-auto p-3" tabIndex={0} role="region" aria-label="What led to what">
      <p className="mb-2 text-soft">
        Each stands once, below the first that leads to it.
        {!found.data.complete && ` The first ${count(found.data.nodes.length, "entity", "entities")} are shown: narrow the search to see others.`}
      </p>
      <Branches of={roots} open={roots.length < 4} />
    </div>
  );
}

/** Branches that are shown before more are asked for. */
const SHOWN_MAX = 100;

function Branches({ of, open = false }: { of: Branch[]; open?: boolean }): ReactNode {
  const [shown, setShown] = useState(SHOWN_MAX);
  return (
    <ul className="flex flex-col">
      {of.slice(0, shown).map((branch) => <Twig key={branch.node.id} of={branch} first={open} />)}
      {of.length > shown && <li><button type="button" className="min-h-6 text-accent underline" onClick={() => setShown(shown + SHOWN_MAX)}>{count(of.length - shown, "more", "more")}</button></li>}
    </ul>
  );
}

function Twig({ of, first }: { of: Branch; first: boolean }): ReactNode {
  const [open, setOpen] = useState(first);
  return (
    <li>
      <div className="flex items-start gap-1">
        {of.children.length > 0 ? (
          <button type="button" aria-expanded={open} aria-label={`${open ? "Close" : "Open"} what is below ${of.node.name}`} className="min-h-6 w-6 shrink-0 rounded text-soft hover:bg-raised" onClick={() => setOpen(!open)}>
            {open ? "▾" : "▸"}
          </button>
        ) : <span className="w-6 shrink-0" />}
        <span className="min-w-0 py-0.5">
          <span className="text-soft">{kind(of.node.kind)}</span>{" "}
          <Link to="/entities/$uid" params={{ uid: of.node.id }} search={{}} className="font-mono text-[0.8125rem] break-all text-accent underline"><Foreign>{of.node.name}</Foreign></Link>{" "}
          <span className="text-xs text-soft">{of.by !== "" && words(of.by)}{of.below > 0 && ` (${of.below.toLocaleString("en")} below)`}</span>
        </span>
      </div>
      {open && <div className="ml-3 border-l border-line pl-2"><Branches of={of.children} /></div>}
    </li>
  );
}

export function GraphView({ search }: { search: string }): ReactNode {
  const found = useQuery(neighbourhood({ query: search, depth: 0 }));
  if (found.error) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return LOADING;
  return <Suspense fallback={LOADING}><Explorer key={search} title={search || "everything"} graph={found.data} complete={found.data.complete} /></Suspense>;
}
