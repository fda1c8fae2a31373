import { expect, test } from "vitest";
import { mayIn } from "./roles";

test("viewers decide on nothing, analysts decide, admins start looks", () => {
  const places = (["viewer", "analyst", "admin"] as const).map((role) => ({ name: role, role }));
  expect(places.map(({ name }) => mayIn(places, name, "analyst"))).toEqual([false, true, true]);
  expect(places.map(({ name }) => mayIn(places, name, "admin"))).toEqual([false, false, true]);
  expect([mayIn(undefined, "viewer", "admin"), mayIn(places, "another", "analyst")]).toEqual([true, true]);
});
