// Issues: the list by token, one with all that is known of it, and decisions with the way back.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ASM, ask, get, OURS, type Schema, withQuery } from "./client";
import { LOOK_MS } from "./runs";

export type IssueHit = Schema["IssueHit"];
export type Status = IssueHit["summary"]["status"];

/** Rows of a page. */
const PAGE_ROWS = 100;
/** Issues that one call changes at most. */
const BULK_MAX = 1_000;
/** Issues that "all that match" takes at most: beyond it, a search that says less is meant. */
export const ALL_MAX = 20_000;

export interface IssueQuestion {
  search: string;
  sort: string;
  since: string | undefined;
  /** The moment of the past that is asked about. */
  asOf?: string | undefined;
}

function page(question: IssueQuestion, size: number, token: string | undefined, signal: AbortSignal | undefined) {
  const descending = question.sort.startsWith("-");
  const search = question.since === undefined ? question.search : `${question.search} change:appeared`;
  return ask<Schema["IssueSearch"]>(
    "GET",
    withQuery(`${ASM}/search/issues/${encodeURIComponent(search.trim())}`, {
      page_size: size,
      page_token: token,
      sort_field: descending ? question.sort.slice(1) : question.sort,
      sort_direction: descending ? "desc" : "asc",
      between: question.since === undefined ? undefined : `${question.since},2999-01-01`,
      as_of: question.asOf,
      aggregations: token === undefined,
    }),
    undefined,
    signal,
  );
}

export function issueList(question: IssueQuestion) {
  return infiniteQueryOptions({
    queryKey: ["issues", question],
    queryFn: ({ pageParam, signal }) => page(question, PAGE_ROWS, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.result.more ? (last.result.next_page_token ?? undefined) : undefined),
    placeholderData: (before) => before,
  });
}

/** Every issue that matches, page by page. */
export async function allIssues(question: IssueQuestion, progress: (found: number) => void): Promise<IssueHit[]> {
  const found: IssueHit[] = [];
  let token: string | undefined;
  do {
    const { result } = await page(question, BULK_MAX, token, undefined);
    found.push(...result.hits);
    progress(found.length);
    if (found.length > ALL_MAX) {
      throw new Error(`More than ${ALL_MAX.toLocaleString("en")} issues match: narrow the search first.`);
    }
    token = result.more ? (result.next_page_token ?? undefined) : undefined;
  } while (token !== undefined);
  return found;
}

/** What came, or came back, since a moment, among what a search finds. */
export function appeared(since: string, search = "status_new:open") {
  const question = { search, sort: "-first_seen", since };
  return queryOptions({
    queryKey: ["issues", "appeared", since, search],
    queryFn: async ({ signal }) => {
      const { result } = await page(question, BULK_MAX, undefined, signal);
      return { total: result.total_hits, uids: new Set(result.hits.map((hit) => hit.uid)) };
    },
  });
}

export function issue(uid: string) {
  return queryOptions({
    queryKey: ["issue", uid],
    queryFn: ({ signal }) => get<Schema["IssueDetail"]>(`${ASM}/issues/${encodeURIComponent(uid)}`, signal),
  });
}

export function issueHistory(uid: string) {
  return queryOptions({
    queryKey: ["issue", uid, "history"],
    queryFn: ({ signal }) => get<Schema["IssueVersion"][]>(`${OURS}/issues/${encodeURIComponent(uid)}/history`, signal),
  });
}

/** The probes that an issue rests on, with what may be shown of what they left. */
export function issueEvidence(uid: string) {
  return queryOptions({
    queryKey: ["issue", uid, "evidence"],
    queryFn: ({ signal }) => get<Schema["IssueEvidence"][]>(`${OURS}/issues/${encodeURIComponent(uid)}/evidence`, signal),
  });
}

/** The texts of every kind of issue, by name. */
export const issueKinds = queryOptions({
  queryKey: ["library", "issues"],
  queryFn: async ({ signal }) => {
    const kinds = await get<Schema["LibraryIssue"][]>(`${ASM}/library/issues?page_size=1000`, signal);
    return new Map(kinds.map((kind) => [kind.name, kind.pretty_name]));
  },
  staleTime: Infinity,
});

export interface Decision {
  status: Status;
  reason?: string;
  /** A date, or `change`. */
  until?: string;
}

/** Decides on issues, thousand by thousand. */
export async function decide(uids: string[], decision: Decision): Promise<void> {
  for (let from = 0; from < uids.length; from += BULK_MAX) {
    await ask("POST", `${OURS}/issues/bulk`, { ids: uids.slice(from, from + BULK_MAX), ...decision });
  }
}

/** Gives issues the status that they had. */
export async function restore(before: { uid: string; status: Status }[]): Promise<void> {
  const by = new Map<Status, string[]>();
  for (const { uid, status } of before) by.set(status, [...(by.get(status) ?? []), uid]);
  for (const [status, uids] of by) await decide(uids, { status });
}

/** Says who is to see to issues; null: nobody. */
export async function assign(uids: string[], who: string | null): Promise<void> {
  await ask("POST", `${OURS}/issues/bulk`, { ids: uids, ...(who === null ? { unassign: true } : { assignee: who }) });
}

/** What came of the newest look at one issue alone; null: nobody asked for one. */
export type Retest = Schema["Retest"] | null;

const isUnderWay = (retest: Retest | undefined) => retest != null && ["scheduled", "running", "paused"].includes(retest.status);

export function retest(uid: string) {
  return queryOptions({
    queryKey: ["issue", uid, "retest"],
    queryFn: ({ signal }) => get<Retest>(`${OURS}/issues/${encodeURIComponent(uid)}/retest`, signal),
    refetchInterval: (query) => (isUnderWay(query.state.data) ? LOOK_MS : false),
  });
}

export async function startRetest(uid: string): Promise<void> {
  await ask("POST", `${OURS}/issues/${encodeURIComponent(uid)}/retest`, {});
}

/** How many issues a search finds. */
export function issueNumber(search: string) {
  return queryOptions({
    queryKey: ["issues", "number", search],
    queryFn: async ({ signal }) => (await page({ search, sort: "first_seen", since: undefined }, 1, undefined, signal)).result.total_hits,
  });
}
