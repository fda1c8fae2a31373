// How fast a run goes, from what was seen of it.

/** What was seen of a run at a moment, in milliseconds. */
export interface Seen {
  at: number;
  looked: number;
}

/** What is older says nothing of now. */
const KEPT_MS = 60_000;
/** Below this a rate is chance. */
const SPAN_MS = 4_000;

/** The newest sight added, and what is too old left out. */
export function seen(before: Seen[], now: Seen): Seen[] {
  const last = before[before.length - 1];
  if (last !== undefined && (now.looked < last.looked || now.at <= last.at)) return [now];
  return [...before.filter((one) => now.at - one.at <= KEPT_MS), now];
}

/** Looks a second; null: too little was seen. */
export function pace(all: Seen[]): number | null {
  const [first, last] = [all[0], all[all.length - 1]];
  if (first === undefined || last === undefined || last.at - first.at < SPAN_MS) return null;
  return (last.looked - first.looked) / ((last.at - first.at) / 1000);
}
