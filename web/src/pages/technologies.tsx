// What the entities run: products and versions, and who runs them.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import type { Schema } from "../api/client";
import { collections } from "../api/session";
import { technologyList } from "../api/technologies";
import { Button, Empty, FIELD, Trouble } from "../components/controls";
import { type Facet, Facets } from "../components/facets";
import { CELL, ROW, Table } from "../components/page";
import { QueryBox } from "../components/querybox";
import { Chip, count, Foreign, Moment, searching } from "../components/text";
import { useKeys } from "../keys";
import { terms, without } from "../search";
import { useTitle } from "../title";
import { None, useMayAdd } from "./none";

const route = getRouteApi("/inside/technologies");

const SORTS = [
  ["-entity_count", "most used first"],
  ["name", "by name"],
  ["-first_seen", "newest first"],
] as const;

export function Technologies(): ReactNode {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const search = address.q ?? "";
  useTitle("Technologies");
  // A technology of two collections has a row in each.
  const places = useQuery(collections).data ?? [];
  const many = places.length > 1;
  const sort = address.sort ?? "-entity_count";
  const list = useInfiniteQuery(technologyList({ search, sort }));
  const first = list.data?.pages[0];
  const hits = list.data?.pages.flatMap((page) => page.result.hits) ?? [];
  const box = useRef<HTMLInputElement>(null);
  const ask = (q: string) => void navigate({ search: (now) => ({ ...now, q }) });
  const facets = useFacets(first?.result.aggregations ?? undefined, search);
  useKeys({ "/": () => box.current?.focus() });
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <h1 className="sr-only">Technologies</h1>
        <QueryBox value={search} noun="technologies" onSearch={ask} input={box} />
        <select aria-label="Order" className={FIELD} value={sort} onChange={(event) => void navigate({ search: (now) => ({ ...now, sort: event.target.value }) })}>
          {SORTS.map(([value, label]) => <option key={value} value={value}>{label}</option>)}
        </select>
      </div>
      <div className="flex min-h-0 flex-1">
        <aside aria-label="Filters" className="hidden w-60 shrink-0 overflow-auto border-r border-line p-3 lg:block">
          <Facets facets={facets} search={search} onSearch={ask} />
        </aside>
        <section id="list" aria-label="Technologies" tabIndex={0} className="min-w-0 flex-1 overflow-auto p-3">
          <p role="status" className="mb-2 font-semibold">{first ? `${count(first.result.total_hits, "technology", "technologies")}${many ? ", counted in each collection" : ""}` : searching(list.error)}</p>
          {list.error && <Trouble error={list.error} retry={() => void list.refetch()} />}
          {first && hits.length === 0 && <Nothing search={search} message={first.message} onSearch={ask} />}
          {hits.length > 0 && (
            <Table label="Products" heads={["Product", "Version", ...(many ? ["Collection"] : []), "What it is", "Used by", "First seen", "Last seen"]}>
              {hits.map((hit) => <Row key={hit.uid} of={hit} place={many ? (places.find((one) => one.name === hit.collection)?.printable_name ?? hit.collection) : undefined} />)}
            </Table>
          )}
          {list.hasNextPage && <Button look="quiet" disabled={list.isFetching} onClick={() => void list.fetchNextPage()}>More</Button>}
        </section>
      </div>
    </>
  );
}

/** `place`: the name of its collection, where there are several. */
function Row({ of, place }: { of: Schema["TechnologyHit"]; place: string | undefined }): ReactNode {
  const q = `collection:${of.collection} present:true technology:"${of.product.replace(/["\\]/g, "\\$&")}"`;
  return (
    <tr className={ROW}>
      <th scope="row" className={`${CELL} min-w-32 font-medium break-words`}>
        <Foreign>{of.product}</Foreign>
        {of.vendor !== of.product && <span className="block text-xs font-normal text-soft"><Foreign>{of.vendor}</Foreign></span>}
      </th>
      <td className={`${CELL} max-w-60 min-w-24 font-mono text-[0.8125rem] break-all`}>
        {of.version === null ? <span className="font-sans text-soft">not told</span> : <Foreign>{of.version}</Foreign>}
        {of.vulns.length > 0 && <span className="block text-xs text-high"><Foreign>{of.vulns.join(", ")}</Foreign></span>}
      </td>
      {place !== undefined && <td className={`${CELL} min-w-32 break-words`}><Foreign>{place}</Foreign></td>}
      <td className={CELL}>{of.tags.map((tag) => <Chip key={tag}><Foreign>{tag}</Foreign></Chip>)}</td>
      <td className={`${CELL} whitespace-nowrap`}>
        {count(of.entity_count, "entity", "entities")}{" "}
        <Link to="/entities" search={{ q }} className="text-accent underline">
          {of.version === null ? "show" : "any version"}<span className="sr-only">: entities with {of.product}</span>
        </Link>
      </td>
      <td className={CELL}><Moment at={of.first_seen} /></td>
      <td className={CELL}><Moment at={of.last_seen} /></td>
    </tr>
  );
}

function Nothing({ search, message, onSearch }: { search: string; message: string; onSearch: (search: string) => void }): ReactNode {
  const all = useQuery(collections);
  const owner = useMayAdd();
  if (all.data?.length === 0) return <None owner={owner} />;
  const last = terms(search).at(-1);
  if (message.startsWith("no hits")) return <Empty title={message}><Button onClick={() => onSearch("")}>Show all</Button></Empty>;
  if (last === undefined) {
    return (
      <Empty title="No technology was recognised yet">
        <p>Products are recognised where sites and services are visited, which a passive run does not do.</p>
        <Link to="/collections" className="text-accent underline">See how far your runs go</Link>
      </Empty>
    );
  }
  return (
    <Empty title="No technology matches">
      <Button onClick={() => onSearch(without(search, [last.keyword]))}>Without {last.keyword === "" ? "" : `${last.keyword}:`}{last.value}</Button>
    </Empty>
  );
}

function useFacets(counts: Schema["TechnologyAggregations"] | undefined, search: string): Facet[] {
  const named = useQuery(collections);
  const asked = new Set(terms(search).map((term) => term.keyword));
  const all: Facet[] = [
    { label: "Vendor", keyword: "name", buckets: counts?.vendor_bucket },
    {
      label: "Collection",
      keyword: "collection",
      buckets: counts?.collection_bucket,
      name: (value) => named.data?.find((one) => one.name === value)?.printable_name ?? value,
    },
  ];
  return all.filter((one) => asked.has(one.keyword) || (one.buckets?.buckets.length ?? 0) !== 1);
}
