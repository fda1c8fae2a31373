import { expect, test } from "vitest";
import { labelled } from "./labels";

test("a refusal names the field as the page does", () => {
  expect(labelled('quiet_hours: "22-7" are no quiet hours')).toBe('Quiet hours: "22-7" are no quiet hours');
  expect(labelled('timing.cron: "x" is no cron expression')).toBe('Cron line: "x" is no cron expression');
  expect(labelled("expires_at must be a date")).toBe("End must be a date");
  for (const other of ["Wrong API key", "no hits", "ports", "constructor: x", ""]) expect(labelled(other)).toBe(other);
});
