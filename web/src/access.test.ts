import { expect, test } from "vitest";
import { isOwner, mayChange, type Relations, whoSees } from "./access";

const of = (owner: string, viewers: string[] = [], editors: string[] = []): Relations => ({
  owner: { data: { type: "user", id: owner } },
  viewers: { data: viewers.map((id) => ({ type: "user", id })), meta: { count: viewers.length } },
  editors: { data: editors.map((id) => ({ type: "user", id })), meta: { count: editors.length } },
});

test("a graph says who sees it", () => {
  expect(whoSees(true, of("ann"), "ann")).toBe("yours alone");
  expect(whoSees(true, of("ann", ["bob"], ["cy", "bob"]), "ann")).toBe("shared with cy, bob");
  expect(whoSees(true, of("ann", ["b", "c", "d", "e"]), "ann")).toBe("shared with b, c, d and 1 more");
  expect(whoSees(true, { ...of("ann"), viewers: { data: [{ type: "group", id: "red" }], meta: { count: 30 } } }, "ann")).toBe("shared with the group red and 29 more");
  expect(whoSees(true, of("ann", ["bob"]), "bob")).toBe("shared with you by ann");
  expect(whoSees(false, of("ann"), "ann")).toBe("seen by everybody here");
  expect(whoSees(false, of("ann"), "bob")).toBe("seen by everybody here, made by ann");
  expect(whoSees(true, {}, "bob")).toBe("shared with you");
});

test("the owner and editors change a graph, and nobody else", () => {
  expect([isOwner(of("ann"), "ann"), isOwner(of("ann", [], ["bob"]), "bob")]).toEqual([true, false]);
  expect(["ann", "bob", "cy", "eve"].map((me) => mayChange(of("ann", ["bob"], ["cy"]), me))).toEqual([true, false, true, false]);
  expect(mayChange({ editors: { data: [{ type: "group", id: "red" }] } }, "bob")).toBe(true);
  expect(mayChange({}, "bob")).toBe(false);
});
