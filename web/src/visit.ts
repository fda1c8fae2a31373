// When this browser looked before. A visit ends when nothing was looked at for half an hour.

const LAST = "ambit.visit.last";
const BEFORE = "ambit.visit.before";
const PAUSE_MS = 30 * 60 * 1000;

/** The end of the visit before this one; null: there was none. */
export function lastVisit(now = Date.now()): string | null {
  const last = Number(localStorage.getItem(LAST) ?? "0");
  if (last > 0 && now - last > PAUSE_MS) localStorage.setItem(BEFORE, new Date(last).toISOString());
  localStorage.setItem(LAST, String(now));
  return localStorage.getItem(BEFORE);
}
