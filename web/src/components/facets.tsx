// Facets write the query: a value adds its term, the minus beside it adds the opposite.

import { type ReactNode } from "react";
import type { Schema } from "../api/client";
import { has, type Term, terms, toggled } from "../search";
import { Foreign } from "./text";

export interface Facet {
  label: string;
  keyword: string;
  buckets: Schema["TermsAggregation"] | undefined;
  /** What a value is called, where that is not its own text. */
  name?: (value: string) => string;
  /** The values have an order of their own. */
  ordered?: boolean;
}

const SHOWN_MAX = 10;

export function Facets({ facets, search, onSearch }: { facets: Facet[]; search: string; onSearch: (search: string) => void }): ReactNode {
  return (
    <div className="flex flex-col gap-4">
      {facets.map((facet) => (
        <FacetList key={facet.keyword} facet={facet} search={search} onSearch={onSearch} />
      ))}
    </div>
  );
}

function FacetList({ facet, search, onSearch }: { facet: Facet; search: string; onSearch: (search: string) => void }): ReactNode {
  const counted = (facet.buckets?.buckets ?? []).map(({ key, doc_count }) => ({ key: String(key), doc_count }));
  const chosen = terms(search).filter((term) => term.keyword === facet.keyword);
  const missing = chosen.filter((term) => !counted.some((bucket) => bucket.key.toLowerCase() === term.value.toLowerCase()));
  // While the search is under way, how many there are of what was asked for is not known.
  const none = facet.buckets === undefined ? undefined : 0;
  const rows: { key: string; doc_count: number | undefined }[] = [...missing.map((term) => ({ key: term.value, doc_count: none })), ...counted.slice(0, SHOWN_MAX)];
  if (facet.ordered) rows.sort((a, b) => a.key.localeCompare(b.key));
  if (rows.length === 0) return null;
  const more = (facet.buckets?.sum_other_doc_count ?? 0) + counted.slice(SHOWN_MAX).reduce((sum, one) => sum + one.doc_count, 0);
  return (
    <section aria-label={facet.label}>
      <h2 className="mb-1 text-xs font-semibold text-soft">{facet.label}</h2>
      <ul>
        {rows.map((bucket) => (
          <FacetRow key={bucket.key} facet={facet} value={bucket.key} number={bucket.doc_count} search={search} onSearch={onSearch} />
        ))}
      </ul>
      {more > 0 && <p className="px-1 text-xs text-soft">{more.toLocaleString("en")} more in others</p>}
    </section>
  );
}

function FacetRow({ facet, value, number, search, onSearch }: {
  facet: Facet;
  value: string;
  number: number | undefined;
  search: string;
  onSearch: (search: string) => void;
}): ReactNode {
  const term: Term = { keyword: facet.keyword, value, not: false };
  const [on, off] = [has(search, term), has(search, { ...term, not: true })];
  const name = facet.name?.(value) ?? value;
  return (
    <li className={`group flex items-center rounded ${on ? "bg-picked" : "hover:bg-raised"}`}>
      <button
        type="button"
        aria-pressed={on}
        className="flex min-h-6 min-w-0 flex-1 items-center gap-2 px-1 text-left"
        onClick={() => onSearch(toggled(search, term))}
      >
        <span className={`min-w-0 flex-1 truncate ${off ? "line-through" : ""}`} title={name}>
          <Foreign>{name}</Foreign>
        </span>
        <span className="text-xs text-soft tabular-nums">{number?.toLocaleString("en")}</span>
      </button>
      <button
        type="button"
        aria-pressed={off}
        aria-label={`Without ${name}`}
        title={`Without ${name}`}
        className="min-h-6 w-6 rounded text-soft hover:bg-line"
        onClick={() => onSearch(toggled(search, { ...term, not: true }))}
      >
        −
      </button>
    </li>
  );
}
