// Graphs: those that the API keeps, and what stands around entities.

import { queryOptions } from "@tanstack/react-query";
import type { Member, Relations } from "../access";
import type { Graph, KeptGraph } from "../graph";
import { ask, get, OURS, type Schema, withQuery } from "./client";

const WIDER = "/api/v3/graphs";

export interface Kept {
  id: string;
  attributes: KeptGraph & { private: boolean; creation_date: number; last_modified_date: number };
  relationships?: Relations;
}

/** The wider API answers below `data`. */
async function kept<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return ((await ask<unknown>(method, path, body, signal)) as unknown as { data: T }).data;
}

/** Who is related to a graph: told beside it. */
const RELATIONS = "owner,editors,viewers";

/** Kept graphs that are listed. */
const LISTED_MAX = 40;

/** The graphs that the caller may see, newest first. */
export const graphs = queryOptions({
  queryKey: ["graphs"],
  queryFn: ({ signal }) =>
    kept<Kept[]>("GET", withQuery(WIDER, { limit: LISTED_MAX, order: "creation_date-", attributes: "graph_data,private,creation_date,last_modified_date", relationships: RELATIONS }), undefined, signal),
});

export function graph(id: string) {
  return queryOptions({
    queryKey: ["graphs", id],
    queryFn: ({ signal }) => kept<Kept>("GET", withQuery(`${WIDER}/${encodeURIComponent(id)}`, { relationships: RELATIONS }), undefined, signal),
    staleTime: 300_000,
  });
}

/** Keeps a graph, which the caller alone sees, or else everybody. */
export async function keep(document: KeptGraph, isPrivate: boolean): Promise<string> {
  return (await kept<Kept>("POST", WIDER, { data: { type: "graph", attributes: { ...document, private: isPrivate } } })).id;
}

/** Writes over a kept graph what is given; the rest stays. */
export async function rewrite(id: string, attributes: Partial<KeptGraph> & { private?: boolean }): Promise<void> {
  await kept<Kept>("PATCH", `${WIDER}/${encodeURIComponent(id)}`, { data: { type: "graph", attributes } });
}

/** Who sees a graph beside its owner, and who changes it. */
export type Access = "viewers" | "editors";

function members(id: string, access: Access): string {
  return `${WIDER}/${encodeURIComponent(id)}/relationships/${access}`;
}

export function access(id: string, of: Access) {
  return queryOptions({
    queryKey: ["graphs", id, of],
    queryFn: ({ signal }) => kept<Member[]>("GET", members(id, of), undefined, signal),
  });
}

export async function share(id: string, of: Access, member: Member): Promise<void> {
  await ask("POST", members(id, of), { data: [member] });
}

export async function unshare(id: string, of: Access, member: Member): Promise<void> {
  await ask("DELETE", `${members(id, of)}/${encodeURIComponent(member.id)}`);
}

export async function forget(id: string): Promise<void> {
  await ask("DELETE", `${WIDER}/${encodeURIComponent(id)}`);
}

/** What stands around an entity, or around what a search finds. */
export interface Around {
  entity?: string | undefined;
  query?: string | undefined;
  depth: number;
}

export function neighbourhood(around: Around) {
  return queryOptions({
    queryKey: ["neighbourhood", around],
    queryFn: async ({ signal }): Promise<Graph & { complete: boolean }> => {
      // An empty search asks for everything: it is said all the same.
      const of: Record<string, string> = around.entity === undefined ? { query: around.query ?? "" } : { entity: around.entity };
      const asked = new URLSearchParams({ ...of, depth: String(around.depth) });
      const found = await get<Schema["Neighbourhood"]>(`${OURS}/neighbourhood?${asked}`, signal);
      return {
        nodes: found.entities.map(({ uid, type, name }) => ({ id: uid, kind: type.slice(type.lastIndexOf(":") + 1), name, known: true })),
        edges: found.edges,
        complete: found.complete,
      };
    },
    staleTime: 60_000,
  });
}
