// The search string of the API, taken apart into terms and put together again. The text in the box, in the address bar
// and in a call of the API are the same.

export interface Term {
  keyword: string;
  value: string;
  not: boolean;
}

/** Keywords that take a moment. */
const TIMES = /^(first|last)_seen_(after|before)$/i;
/** What no word is. */
const NONE = /^$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const HOURS = "(?:[01]\\d|2[0-3])";
const MINUTES = "[0-5]\\d";
/** A time of day, with its zone or without one. */
const CLOCK = new RegExp(`^${HOURS}:${MINUTES}(:${MINUTES}(\\.\\d{1,9})?)?(z|[+-]${HOURS}:?(${MINUTES})?)?$`, "i");
/** A zone that stands for itself, also one whose plus arrived as a blank. */
const ZONE = new RegExp(`^(utc|${HOURS}:${MINUTES})$`, "i");

/**
 * The terms of a search string as they stand there, words without a keyword under the keyword "". A time of day behind
 * a date, and a zone behind that, belong to the moment: `last_seen_after:2025-08-01 12:30:00 UTC` is one term.
 */
export function terms(search: string): Term[] {
  const found: Term[] = [];
  // What a word must be to belong to the moment before it.
  let more = NONE;
  for (const [text] of search.matchAll(/(?:[^\s"]|"(?:\\.|[^"\\])*"?)+/g)) {
    const moment = found.at(-1);
    if (moment && more.test(text)) {
      moment.value += ` ${text}`;
      more = more === CLOCK && !/[z+-]/i.test(text) ? ZONE : NONE;
      continue;
    }
    const colon = text.search(/[:"]/);
    const keyword = colon > 0 && text[colon] === ":" ? text.slice(0, colon) : "";
    let value = keyword === "" ? text : text.slice(colon + 1);
    const not = keyword !== "" && value.startsWith("!");
    if (not) value = value.slice(1);
    more = TIMES.test(keyword) && DAY.test(value) ? CLOCK : NONE;
    found.push({ keyword, value: unquoted(value), not });
  }
  return found;
}

function unquoted(value: string): string {
  const inner = /^"((?:\\.|[^"\\])*)"?$/.exec(value);
  return inner ? (inner[1] ?? "").replace(/\\(.)/g, "$1") : value;
}

function written({ keyword, value, not }: Term): string {
  const plain = /^[^\s"!]+$/.test(value);
  const text = plain ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
  return keyword === "" ? text : `${keyword}:${not ? "!" : ""}${text}`;
}

const same = (a: Term, b: Term) =>
  a.keyword === b.keyword && a.value.toLowerCase() === b.value.toLowerCase() && a.not === b.not;

export function has(search: string, term: Term): boolean {
  return terms(search).some((one) => same(one, term));
}

/** Adds a term, or takes it away where it stands; its opposite goes in any case. */
export function toggled(search: string, term: Term): string {
  const opposite = { ...term, not: !term.not };
  const all = terms(search);
  const rest = all.filter((one) => !same(one, term) && !same(one, opposite));
  const next = all.some((one) => same(one, term)) ? rest : [...rest, term];
  return next.map(written).join(" ");
}

/** The search without what it says by some keywords. */
export function without(search: string, keywords: string[]): string {
  return terms(search)
    .filter((one) => !keywords.includes(one.keyword))
    .map(written)
    .join(" ");
}
