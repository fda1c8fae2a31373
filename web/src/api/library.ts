// The library: what this version looks for, how, and which products it recognises; and the search language.

import { queryOptions } from "@tanstack/react-query";
import { ASM, get, OURS, type Schema, withQuery } from "./client";

const ROWS_MAX = 1_000;

function part<T>(name: string) {
  return queryOptions({
    queryKey: ["library", name, "all"],
    queryFn: ({ signal }) => get<T[]>(withQuery(`${ASM}/library/${name}`, { page_size: ROWS_MAX }), signal),
    staleTime: Infinity,
  });
}

export const libraryIssues = part<Schema["LibraryIssue"]>("issues");
export const libraryTasks = part<Schema["LibraryTask"]>("tasks");
export const libraryWorkflows = part<Schema["LibraryWorkflow"]>("workflows");
export const libraryProducts = part<Schema["LibraryFingerprint"]>("fingerprints");

/** What the search language knows. */
export const keywords = queryOptions({
  queryKey: ["keywords"],
  queryFn: ({ signal }) => get<Schema["SearchKeyword"][]>(`${OURS}/search/keywords`, signal),
  staleTime: Infinity,
});
