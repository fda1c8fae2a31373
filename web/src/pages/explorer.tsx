// The graph explorer: what stands around an entity or a search, opened step by step; beside the picture a list with the same.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { mayChange } from "../access";
import { useAct } from "../act";
import { Failure } from "../api/client";
import { keep, type Kept, neighbourhood, rewrite } from "../api/graphs";
import { session } from "../api/session";
import { Canvas, picture } from "../components/canvas";
import { Button, FIELD } from "../components/controls";
import { Dialog } from "../components/dialog";
import { useNotices } from "../components/notice";
import { count, Foreign, kind, words } from "../components/text";
import { saveBlob } from "../csv";
import { type Graph, graphml, isOurs, joined, laidOut, nameOf, type Places, written } from "../graph";
import { Sharing } from "./sharing";

/** Entities of the list that are shown before a search narrows it. */
const LISTED_MAX = 200;

/** Entities that a graph shows at first: those that were asked for, then what is nearest. */
const FIRST_MAX = 200;

/** The graph of the first nodes alone. */
function narrowed(graph: Graph): Graph {
  return withEnds({ nodes: graph.nodes.slice(0, FIRST_MAX), edges: graph.edges });
}

/** The graph without edges that lead to what it does not have. */
function withEnds({ nodes, edges }: Graph): Graph {
  const ids = new Set(nodes.map((node) => node.id));
  return { nodes, edges: edges.filter((edge) => ids.has(edge.from) && ids.has(edge.to)) };
}

/** `kept`: the graph as the API keeps it, where it was opened from there. */
export function Explorer({ title, graph: all, complete, kept }: { title: string; graph: Graph; complete: boolean; kept?: Kept }): ReactNode {
  const queries = useQueryClient();
  const { say } = useNotices();
  const me = useQuery(session).data?.username ?? "";
  const [graph, setGraph] = useState(() => narrowed(all));
  const [left, setLeft] = useState(all.nodes.length - Math.min(all.nodes.length, FIRST_MAX));
  const [before, setBefore] = useState<Places>(new Map());
  const [picked, setPicked] = useState<string | null>(null);
  const [filter, setFilter] = useState("");
  const [whole, setWhole] = useState(complete);
  const at = useRef<HTMLDivElement>(null);
  const places = useMemo(() => laidOut(graph, before), [graph, before]);
  const found = useMemo(() => {
    const text = filter.trim().toLowerCase();
    return text === "" ? null : new Set(graph.nodes.filter((node) => `${node.name} ${kind(node.kind)}`.toLowerCase().includes(text)).map((node) => node.id));
  }, [graph, filter]);
  const listed = graph.nodes.filter((node) => found === null || found.has(node.id));
  const here = graph.nodes.find((node) => node.id === picked);

  function change(next: Graph) {
    setBefore(places);
    setGraph(next);
  }
  async function expand(id: string) {
    try {
      const more = await queries.fetchQuery(neighbourhood({ entity: id, depth: 1 }));
      const next = joined(graph, more);
      say(next.nodes.length === graph.nodes.length ? "Nothing more stands around it." : `${count(next.nodes.length - graph.nodes.length, "entity", "entities")} more.`);
      if (!more.complete) setWhole(false);
      change(next);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }
  function hide(id: string) {
    setPicked(null);
    change({ nodes: graph.nodes.filter((node) => node.id !== id), edges: graph.edges.filter((edge) => edge.from !== id && edge.to !== id) });
  }
  // What is not shown yet was not taken out: it stays in what is kept.
  const everything = () => (left === 0 ? graph : withEnds(joined(graph, { nodes: all.nodes.slice(-left), edges: all.edges })));
  const name = title.replaceAll(/[^A-Za-z0-9.-]+/g, "_").slice(0, 60) || "graph";
  return (
    <div className="flex min-h-0 flex-1 flex-col" ref={at}>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <p role="status" className="font-semibold">{count(graph.nodes.length, "entity", "entities")}, {count(graph.edges.length, "relation")}</p>
        {!whole && <p className="text-high">There is more than a graph holds: narrow the search.</p>}
        <input type="search" aria-label="Search this graph" placeholder="find in this graph" className={`${FIELD} w-52`} value={filter} spellCheck={false} onChange={(event) => setFilter(event.target.value)} />
        {left > 0 && <Button look="quiet" onClick={() => { setLeft(0); change(joined(graph, all)); }}>Show {left.toLocaleString("en")} more</Button>}
        <span className="ml-auto flex flex-wrap gap-1.5">
          <Button onClick={() => void picture(graph, places, at.current ?? document.body).then((blob) => saveBlob(`${name}.png`, blob), (error: Error) => say(error.message))}>PNG</Button>
          <Button onClick={() => saveBlob(`${name}.graphml`, new Blob([graphml(title, graph)], { type: "application/graphml+xml" }))}>GraphML</Button>
          {kept && isOurs(kept.attributes) && mayChange(kept.relationships ?? {}, me) && <Keeping kept={kept} document={(called) => written(called, everything(), places)} />}
          <NewKept label={kept ? "Keep a copy" : "Keep it"} document={() => written(title, everything(), places)} />
        </span>
      </div>
      <div className="flex min-h-0 flex-1 flex-col md:flex-row">
        <div className="relative min-h-64 flex-1"><Canvas graph={graph} places={places} picked={picked} found={found} onPick={setPicked} /></div>
        <aside aria-label="The same as a list" className="flex max-h-[45vh] min-h-0 flex-col border-t border-line md:max-h-none md:w-96 md:border-t-0 md:border-l">
          {here && (
            <section aria-label="Picked" className="border-b border-line bg-raised p-3">
              <h2 className="font-semibold break-all"><Foreign>{here.name}</Foreign></h2>
              <p className="text-soft">{kind(here.kind)}</p>
              <ul className="my-1 max-h-40 overflow-auto" tabIndex={0} aria-label="Its relations">
                {graph.edges.filter((edge) => edge.from === here.id || edge.to === here.id).slice(0, LISTED_MAX).map((edge, index) => {
                  const other = graph.nodes.find((node) => node.id === (edge.from === here.id ? edge.to : edge.from));
                  return (
                    <li key={index} className="break-all">
                      <span className="text-soft">{edge.from === here.id ? "→" : "←"} {words(edge.kind)}</span>{" "}
                      {other && <button type="button" className="min-h-6 text-left text-accent underline" onClick={() => setPicked(other.id)}><Foreign>{other.name}</Foreign></button>}
                    </li>
                  );
                })}
              </ul>
              <span className="flex flex-wrap gap-1.5">
                {here.known && <Button look="first" onClick={() => void expand(here.id)}>Show its neighbours</Button>}
                <Button onClick={() => hide(here.id)}>Hide</Button>
                {here.known && <Link to="/entities/$uid" params={{ uid: here.id }} search={{}} className="inline-flex min-h-8 items-center text-accent underline">Its page</Link>}
              </span>
            </section>
          )}
          <ul className="min-h-0 flex-1 overflow-auto p-2" tabIndex={0} aria-label="Entities of the graph">
            {listed.slice(0, LISTED_MAX).map((node) => (
              <li key={node.id}>
                <button type="button" aria-pressed={node.id === picked} className={`flex min-h-6 w-full gap-2 rounded px-1 text-left ${node.id === picked ? "bg-picked" : "hover:bg-raised"}`} onClick={() => setPicked(node.id)}>
                  <span className="w-24 shrink-0 truncate text-soft">{kind(node.kind)}</span>
                  <span className="min-w-0 font-mono text-[0.8125rem] break-all"><Foreign>{node.name}</Foreign></span>
                </button>
              </li>
            ))}
            {listed.length > LISTED_MAX && <li className="p-1 text-soft">{count(listed.length - LISTED_MAX, "more", "more")}: search to find them.</li>}
            {listed.length === 0 && <li className="p-1 text-soft">Nothing in this graph is called so.</li>}
          </ul>
        </aside>
      </div>
    </div>
  );
}

/** Keeps the graph as a new one. Where the allowance has no private graph left, that is said, and it can be kept for everybody. */
function NewKept({ label, document }: { label: string; document: () => ReturnType<typeof written> }): ReactNode {
  const queries = useQueryClient();
  const { say } = useNotices();
  const { busy, act } = useAct();
  const [refused, setRefused] = useState<"none" | "used up" | null>(null);
  const [working, setWorking] = useState(false);
  async function tryIt() {
    setWorking(true);
    try {
      await keep(document(), true);
      await queries.invalidateQueries();
      say("Kept among your graphs.");
    } catch (error) {
      const status = error instanceof Failure ? error.status : 0;
      if (status === 403 || status === 429) setRefused(status === 403 ? "none" : "used up");
      else say(error instanceof Error ? error.message : String(error));
    } finally {
      setWorking(false);
    }
  }
  return (
    <>
      <Button disabled={busy || working} onClick={() => void tryIt()}>{label}</Button>
      {refused && (
        <Dialog label="Keep it for everybody to see" onClose={() => setRefused(null)}>
          <h2 className="mb-2 text-base font-semibold">{refused === "none" ? "You may not keep private graphs" : "No private graph is left this month"}</h2>
          <p className="mb-2">
            {refused === "none" ? "Your allowance of private graphs is 0." : "Your allowance of private graphs is used up; it begins anew on the first of the month."}{" "}
            An administrator of this installation can raise it: the quota <code className="font-mono">intelligence_graphs_private</code>.
          </p>
          <p className="mb-3">You can keep it as a public graph instead: everybody who has an account here then sees it.</p>
          <form method="dialog" className="flex justify-end gap-2">
            <Button type="submit">Do not keep it</Button>
            <Button type="submit" look="first" onClick={() => void act(() => keep(document(), false), "Kept: everybody here sees it.")}>Keep it for everybody</Button>
          </form>
        </Dialog>
      )}
    </>
  );
}

/** Writes a kept graph over with what is shown, under its name or another, and says who sees it. */
function Keeping({ kept, document }: { kept: Kept; document: (name: string) => ReturnType<typeof written> }): ReactNode {
  const before = nameOf(kept.attributes);
  const [name, setName] = useState(before);
  const [sharing, setSharing] = useState(false);
  const { busy, act } = useAct();
  return (
    <>
      <form className="flex gap-1.5" onSubmit={(event) => {
        event.preventDefault();
        void act(() => rewrite(kept.id, document(name.trim())), "Saved.", () => rewrite(kept.id, kept.attributes));
      }}>
        <input type="text" aria-label="Name of the graph" className={`${FIELD} w-40`} value={name} required maxLength={200} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        <Button type="submit" disabled={busy}>Save</Button>
      </form>
      <Button onClick={() => setSharing(true)}>Share …</Button>
      {sharing && <Sharing of={kept} onClose={() => setSharing(false)} />}
    </>
  );
}
