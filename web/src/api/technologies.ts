// Technologies: what the entities of a project run.

import { infiniteQueryOptions } from "@tanstack/react-query";
import { ASM, ask, type Schema, withQuery } from "./client";

export type TechnologyHit = Schema["TechnologyHit"];

/** Rows of a page. */
const PAGE_ROWS = 100;

export interface TechnologyQuestion {
  search: string;
  sort: string;
}

export function technologyList({ search, sort }: TechnologyQuestion) {
  const descending = sort.startsWith("-");
  return infiniteQueryOptions({
    queryKey: ["technologies", search, sort],
    queryFn: ({ pageParam, signal }) =>
      ask<Schema["TechnologySearch"]>(
        "GET",
        withQuery(`${ASM}/search/technologies/${encodeURIComponent(search.trim())}`, {
          page_size: PAGE_ROWS,
          page_token: pageParam,
          sort_field: descending ? sort.slice(1) : sort,
          sort_direction: descending ? "desc" : "asc",
          aggregations: pageParam === undefined,
        }),
        undefined,
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.result.more ? (last.result.next_page_token ?? undefined) : undefined),
    placeholderData: (before) => before,
  });
}
