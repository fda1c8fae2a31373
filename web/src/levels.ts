// The four levels in plain words: how loud a run may be.

import type { Level } from "./api/collections";

export const LEVELS: Level[] = ["passive", "polite", "normal", "intensive"];

/** What is done at a level. */
export const LEVEL_MEANING: Record<Level, string> = {
  passive: "Asks public records and DNS. Nothing of yours is contacted.",
  polite: "Also does what a browser does: opens your sites and looks at their certificates.",
  normal: "Also searches ports and paths, which shows in your logs.",
  intensive: "Also tries logins and writes. Only where you may, and not where an outage hurts.",
};

/** What the work of a level is called while a run goes on. */
export const STAGE: Record<Level, string> = {
  passive: "Public records and DNS",
  polite: "Visits, as a browser makes them",
  normal: "Ports, paths and probes",
  intensive: "Logins and writes",
};

export const SCHEDULES: [string, string][] = [
  ["on_demand", "only when somebody starts one"],
  ["daily", "every day"],
  ["weekly", "every week"],
  ["monthly", "every 30 days"],
  ["quarterly", "every 91 days"],
];

export function scheduleWords(schedule: string): string {
  return SCHEDULES.find(([name]) => name === schedule)?.[1] ?? schedule;
}

/** A length of time in words: `45 seconds`, `12 minutes`, `3 hours`. */
export function lasting(seconds: number): string {
  const units: [string, number][] = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? ["second", 1];
  const number = Math.round(seconds / length);
  return `${number.toLocaleString("en")} ${unit}${number === 1 ? "" : "s"}`;
}
