import { expect, test } from "vitest";
import { type Branch, tree } from "./tree";

const node = (id: string, kind: string) => ({ id, kind, name: id, known: true });
const shown = (branches: Branch[]): string => branches.map(({ node, children, below }) => `${node.id}${below}(${shown(children)})`).join(" ");

test("each entity stands once, below the first that leads to it, also in a circle", () => {
  const nodes = [node("site", "Uri"), node("ip", "IpAddress"), node("name", "DnsRecord"), node("domain", "Domain"), node("alone", "Uri")];
  const edges = [["domain", "name"], ["name", "ip"], ["name", "site"], ["ip", "name"], ["ip", "site"], ["site", "domain"], ["site", "nowhere"]];
  const graph = { nodes, edges: edges.map(([from = "", to = ""]) => ({ from, to, kind: "e" })) };
  expect(shown(tree(graph))).toBe("domain3(name2(ip0() site0())) alone0()");
  expect(tree({ nodes: [], edges: [] })).toEqual([]);
});
