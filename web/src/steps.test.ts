import { expect, test } from "vitest";
import { stepOf } from "./steps";

/** Steps through addresses, and says how many lie behind. */
function walk(...changes: { issue?: string | undefined; q?: string }[]): { behind: number; open: boolean } {
  let [behind, open, opened] = [0, false, false];
  for (const next of changes) {
    const step = stepOf(next, open, opened);
    opened = step.opened;
    if (step.back) [behind, open] = [behind - 1, false];
    else {
      if (!step.replace) behind += 1;
      if ("issue" in next) open = next.issue !== undefined;
    }
  }
  return { behind, open };
}

test("Back closes an issue, whichever it is by now, and closing leaves no step behind", () => {
  expect(walk({ issue: "a" })).toEqual({ behind: 1, open: true });
  expect(walk({ issue: "a" }, { issue: "b" }, { issue: "c" })).toEqual({ behind: 1, open: true });
  expect(walk({ issue: "a" }, { issue: "b" }, { issue: undefined })).toEqual({ behind: 0, open: false });
  // A search while an issue is open is a step of its own, which closing does not take back.
  expect(walk({ issue: "a" }, { q: "x" }, { issue: undefined })).toEqual({ behind: 2, open: false });
  expect(walk({ issue: undefined })).toEqual({ behind: 0, open: false });
});
