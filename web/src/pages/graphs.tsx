// Graphs: a new one from a search or an entity, and those that were kept.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, lazy, type ReactNode, Suspense, useState } from "react";
import { isOwner, whoSees } from "../access";
import { useAct } from "../act";
import { forget, graph, graphs, neighbourhood } from "../api/graphs";
import { session } from "../api/session";
import { Button, Empty, FIELD, Section, Trouble } from "../components/controls";
import { Dialog } from "../components/dialog";
import { Page } from "../components/page";
import { count, Foreign, Moment } from "../components/text";
import { nameOf, read } from "../graph";
import { useTitle } from "../title";

const Explorer = lazy(() => import("./explorer").then((page) => ({ default: page.Explorer })));

const list = getRouteApi("/inside/graphs");
const one = getRouteApi("/inside/graphs/$id");

const STARTS: [string, string][] = [
  ["scoped:true present:true type:Domain", "your domains"],
  ["scoped:true present:true critical_or_high:true", "what has a critical or high issue"],
  ["scoped:true present:true type:IpAddress", "your addresses"],
];

export function Graphs(): ReactNode {
  const address = list.useSearch();
  if (address.entity !== undefined || address.q !== undefined) return <Around entity={address.entity} query={address.q} depth={Number(address.depth ?? "1")} />;
  return <Kept />;
}

function Kept(): ReactNode {
  const all = useQuery(graphs);
  const me = useQuery(session).data?.username ?? "";
  const navigate = list.useNavigate();
  const { act } = useAct();
  const [deleting, setDeleting] = useState<{ id: string; name: string } | null>(null);
  const [query, setQuery] = useState("");
  const [depth, setDepth] = useState("1");
  const link = "text-accent underline";
  function submit(event: FormEvent) {
    event.preventDefault();
    void navigate({ search: { q: query.trim(), depth } });
  }
  return (
    <Page title="Graphs">
      <Section title="Begin with a search">
        <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
          <label className="flex min-w-0 grow flex-col gap-1">Entities<input className={`${FIELD} font-mono text-[0.8125rem]`} value={query} required spellCheck={false} onChange={(event) => setQuery(event.target.value)} /></label>
          <label className="flex flex-col gap-1">
            And around them
            <select className={FIELD} value={depth} onChange={(event) => setDepth(event.target.value)}>
              <option value="0">nothing else</option>
              <option value="1">one step</option>
              <option value="2">two steps</option>
            </select>
          </label>
          <Button type="submit" look="first">Show</Button>
        </form>
        <p className="mt-2">
          Or: {STARTS.map(([q, label], index) => <span key={q}>{index > 0 && ", "}<Link to="/graphs" search={{ q, depth: "1" }} className={link}>{label}</Link></span>)}.
          The page of an entity shows what stands around it.
        </p>
      </Section>
      <Section title="Kept graphs">
        {all.error && <Trouble error={all.error} retry={() => void all.refetch()} />}
        {all.data?.length === 0 && <p>None yet. Save a graph with its button “Keep it”; other programs save theirs through the API.</p>}
        <ul className="flex flex-col divide-y divide-line">
          {(all.data ?? []).map(({ id, attributes, relationships }) => (
            <li key={id} className="relative flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
              <Link to="/graphs/$id" params={{ id }} className={`${link} min-w-0 break-words`}><Foreign>{nameOf(attributes) || "without a name"}</Foreign></Link>
              <span className="min-w-0 break-words text-soft"><Foreign>{whoSees(attributes.private, relationships ?? {}, me)}</Foreign></span>
              <span className="text-soft">made <Moment at={new Date(attributes.creation_date * 1000).toISOString()} /></span>
              {isOwner(relationships ?? {}, me) && (
                <Button className="ml-auto" onClick={() => setDeleting({ id, name: nameOf(attributes) || "without a name" })}>
                  Delete …<span className="sr-only"> {nameOf(attributes)}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      </Section>
      {deleting && (
        <Dialog label="Delete a graph" onClose={() => setDeleting(null)}>
          <h2 className="mb-2 text-base font-semibold break-words">Delete <Foreign>{deleting.name}</Foreign> for good?</h2>
          <p className="mb-3">Users with whom it is shared lose it as well, and its comments are deleted. This cannot be undone.</p>
          <form method="dialog" className="flex justify-end gap-2">
            <Button type="submit">Keep it</Button>
            <Button type="submit" look="first" onClick={() => void act(() => forget(deleting.id), "Deleted.")}>Delete it</Button>
          </form>
        </Dialog>
      )}
    </Page>
  );
}

function Around({ entity, query, depth }: { entity: string | undefined; query: string | undefined; depth: number }): ReactNode {
  const asked = { entity, query, depth };
  const found = useQuery(neighbourhood(asked));
  const name = entity === undefined ? (query ?? "") : (found.data?.nodes[0]?.name ?? "");
  return (
    <>
      <Head name={name} />
      {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {!found.data && !found.error && <p role="status" className="p-3">Loading …</p>}
      {found.data?.nodes.length === 0 && <Empty title="No entity matches"><Link to="/graphs" search={{}} className="text-accent underline">Another search</Link></Empty>}
      {found.data && found.data.nodes.length > 0 && (
        <Suspense fallback={<p role="status" className="p-3">Loading …</p>}>
          <Explorer key={JSON.stringify(asked)} title={name} graph={found.data} complete={found.data.complete} />
        </Suspense>
      )}
    </>
  );
}

function Head({ name }: { name: string }): ReactNode {
  useTitle(name || "A graph");
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-1.5">
      <Link to="/graphs" search={{}} className="text-accent underline">Graphs</Link>
      <h1 className="min-w-0 text-base font-semibold break-all"><Foreign>{name || "A graph"}</Foreign></h1>
    </div>
  );
}

export function GraphPage(): ReactNode {
  const { id } = one.useParams();
  const found = useQuery(graph(id));
  const kept = found.data?.attributes;
  const shown = kept && read(kept);
  return (
    <>
      <Head name={kept ? nameOf(kept) : ""} />
      {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {!found.data && !found.error && <p role="status" className="p-3">Loading …</p>}
      {shown?.nodes.length === 0 && <Empty title={`The graph is empty: ${count(0, "entity", "entities")}`} />}
      {shown && shown.nodes.length > 0 && (
        <Suspense fallback={<p role="status" className="p-3">Loading …</p>}>
          <Explorer key={id} title={(kept && nameOf(kept)) || "graph"} graph={shown} complete {...(found.data ? { kept: found.data } : {})} />
        </Suspense>
      )}
    </>
  );
}
