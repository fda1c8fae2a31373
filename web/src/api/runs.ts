// Runs: what is going on, what was done, what could not be done, and what came of it.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ASM, ask, get, OURS, type Schema, withQuery } from "./client";

/** A run as lists have it. */
export type Run = Schema["CollectionRun"];
/** One run with its stages and what it did not do. */
export type RunDetail = Schema["RunDetail"] & Run;

/** Between two looks at a run that goes on. */
export const LOOK_MS = 10_000;
/** Between two looks for one that has begun. */
const IDLE_MS = 60_000;

export function isOver(run: Pick<Run, "status">): boolean {
  return ["finished", "failed", "cancelled"].includes(run.status);
}

const again = (runs: Pick<Run, "status">[] | undefined) => (runs?.some((run) => !isOver(run)) ? LOOK_MS : false);

/** The newest run of each collection. */
export const newestRuns = queryOptions({
  queryKey: ["runs", "newest"],
  queryFn: ({ signal }) => get<RunDetail[]>(`${OURS}/collection_runs`, signal),
  // A schedule or somebody else starts runs, too.
  refetchInterval: (query) => again(query.state.data) || IDLE_MS,
});

export function runsOf(collection: string) {
  return queryOptions({
    queryKey: ["runs", "of", collection],
    queryFn: ({ signal }) => get<Run[]>(`${ASM}/collections/${encodeURIComponent(collection)}/collection_runs`, signal),
    refetchInterval: (query) => again(query.state.data),
  });
}

export function run(id: string) {
  return queryOptions({
    queryKey: ["runs", id],
    queryFn: ({ signal }) => get<RunDetail>(`${OURS}/collection_runs/${encodeURIComponent(id)}`, signal),
    refetchInterval: (query) => again(query.state.data && [query.state.data]),
  });
}

/** What a wish for a run says beside the collection. */
export type NewRun = Schema["NewRun"];

export async function start(collection: string, body: NewRun): Promise<void> {
  await ask("POST", `${ASM}/collections/${encodeURIComponent(collection)}/collection_runs`, body);
}

export async function order(id: number, what: "pause" | "resume" | "cancel"): Promise<RunDetail> {
  return (await ask<RunDetail>("POST", `${OURS}/collection_runs/${id}/${what}`)).result;
}

/** Names of tasks as people read them. */
export const taskNames = queryOptions({
  queryKey: ["library", "tasks"],
  queryFn: async ({ signal }) => {
    const path = withQuery(`${ASM}/library/tasks`, { page_size: 1_000 });
    const all = await get<Schema["LibraryTask"][]>(path, signal);
    return new Map(all.map((task) => [task.name, task]));
  },
  staleTime: Infinity,
});

/** Rows of what a run changed, at a time. */
const CHANGES_PAGE = 25;

export type Change = "appeared" | "changed" | "disappeared";
export interface Changed {
  noun: "entities" | "issues";
  what: Change;
  /** What else must hold, as a search string. */
  terms: string;
  /** Two moments with a comma between them. */
  between: string;
}

/** What came, changed or went between two moments. */
export function changed({ noun, what, terms, between }: Changed) {
  const path = `${ASM}/search/${noun}/${encodeURIComponent(`${terms} change:${what}`.trim())}`;
  const query = { page_size: CHANGES_PAGE, between, aggregations: false, sort_field: noun === "issues" ? "summary.severity" : "type" };
  type Hits = Schema["EntitySearch"] | Schema["IssueSearch"];
  return infiniteQueryOptions({
    queryKey: [noun, "changed", terms, what, between],
    queryFn: ({ pageParam, signal }) => get<Hits>(withQuery(path, { ...query, page_token: pageParam }), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.more ? (last.next_page_token ?? undefined) : undefined),
    placeholderData: (before) => before,
  });
}
