// Entities: the list by token, one with all that is known of it, now or at a moment of the past.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ASM, ask, get, OURS, type Schema, withQuery } from "./client";

export type EntityHit = Schema["EntityHit"];
/** What is said of an entity now and of any moment alike. */
export type Entity = Pick<Schema["EntityDetail"], keyof Schema["EntityDetail"] & keyof Schema["EntityAtPoint"]>;

/** Rows of a page. */
const PAGE_ROWS = 100;
/** Rows of a page of an export. */
const EXPORT_ROWS = 1_000;
/** Rows that an export holds: a browser keeps them in memory. */
export const EXPORT_MAX = 50_000;

export interface EntityQuestion {
  search: string;
  sort: string;
  asOf: string | undefined;
}

function page(question: EntityQuestion, size: number, token: string | undefined, signal: AbortSignal | undefined) {
  const descending = question.sort.startsWith("-");
  return ask<Schema["EntitySearch"]>(
    "GET",
    withQuery(`${ASM}/search/entities/${encodeURIComponent(question.search.trim())}`, {
      page_size: size,
      page_token: token,
      sort_field: descending ? question.sort.slice(1) : question.sort,
      sort_direction: descending ? "desc" : "asc",
      as_of: question.asOf,
      aggregations: token === undefined,
    }),
    undefined,
    signal,
  );
}

export function entityList(question: EntityQuestion) {
  return infiniteQueryOptions({
    queryKey: ["entities", question],
    queryFn: ({ pageParam, signal }) => page(question, PAGE_ROWS, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.result.more ? (last.result.next_page_token ?? undefined) : undefined),
    placeholderData: (before) => before,
  });
}

/** Every entity that matches, page by page, up to what an export holds. */
export async function allEntities(question: EntityQuestion, progress: (found: number) => void): Promise<EntityHit[]> {
  const found: EntityHit[] = [];
  let token: string | undefined;
  do {
    const { result } = await page(question, EXPORT_ROWS, token, undefined);
    found.push(...result.hits);
    progress(found.length);
    if (found.length > EXPORT_MAX) {
      throw new Error(`More than ${EXPORT_MAX.toLocaleString("en")} entities match: narrow the search, or use \`ambit entities --jsonl\`.`);
    }
    token = result.more ? (result.next_page_token ?? undefined) : undefined;
  } while (token !== undefined);
  return found;
}

/** An entity; with a moment, as it was shown then. */
export function entity(uid: string, asOf?: string) {
  const id = encodeURIComponent(uid);
  return queryOptions({
    queryKey: ["entity", uid, "shown", asOf],
    queryFn: async ({ signal }): Promise<Entity> => {
      if (asOf === undefined) return get<Schema["EntityDetail"]>(`${ASM}/entities/${id}`, signal);
      const path = withQuery(`${ASM}/time_series/point_in_time/entities/${id}`, { point_in_time: asOf });
      return (await get<Schema["EntityAtPointResult"]>(path, signal)).entity;
    },
  });
}

export function rawEntity(uid: string) {
  return queryOptions({
    queryKey: ["entity", uid, "raw"],
    queryFn: ({ signal }) => get<Schema["RawEntity"]>(`${ASM}/entities/${encodeURIComponent(uid)}/raw`, signal),
  });
}

/** The moments at which an entity changed, oldest first. */
export function moments(uid: string) {
  return queryOptions({
    queryKey: ["entity", uid, "moments"],
    queryFn: ({ signal }) => get<string[]>(`${ASM}/time_series/points_in_time/entities/${encodeURIComponent(uid)}`, signal),
  });
}

/** Why an entity is in scope, edge by edge from the seed. */
export function scope(uid: string, asOf?: string) {
  return queryOptions({
    queryKey: ["entity", uid, "scope", asOf],
    queryFn: ({ signal }) =>
      get<Schema["ScopeExplanation"]>(withQuery(`${OURS}/entities/${encodeURIComponent(uid)}/scope`, { as_of: asOf }), signal),
  });
}
