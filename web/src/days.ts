// Days as the server counts them: in UTC, written as ISO 8601 has them.

export const DAY_S = 86_400;

/** The day of a moment in seconds. */
export function isoDay(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** The days that an axis marks: the last one, and from it back every so many. */
export function marked(days: number[], step: number): number[] {
  return days.filter((_, index) => (days.length - 1 - index) % Math.max(1, Math.round(step)) === 0);
}
