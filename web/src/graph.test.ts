import { expect, test } from "vitest";
import { type Graph, graphml, isOurs, joined, laidOut, nameOf, read, written } from "./graph";

const GRAPH: Graph = {
  nodes: [
    { id: "a1", kind: "Domain", name: "acme.test", known: true },
    { id: "d4", kind: "DnsRecord", name: "www.acme.test", known: true },
    { id: "b2", kind: "IpAddress", name: "192.0.2.1", known: true },
    { id: "c3", kind: "NetworkService", name: '<img src=x> "&\u0000\u202e', known: true },
  ],
  edges: [{ from: "a1", kind: "resolves_to", to: "b2" }, { from: "b2", kind: "open_port", to: "c3" }],
};

test("what is written is read again", () => {
  expect(read(written("t", GRAPH, laidOut(GRAPH)))).toEqual(GRAPH);
  expect(read({})).toEqual({ nodes: [], edges: [] });
});

test("a graph of others is read, and edges to nowhere are left out", () => {
  const kept = {
    nodes: [{ entity_id: "x", type: "actor", text: "Mallory" }, { entity_id: "y", type: "domain" }],
    links: [{ source: "x", target: "y" }, { source: "x", target: "nowhere" }, { source: "y", target: "x", connection_type: "manual" }],
  };
  expect(read(kept)).toEqual({
    nodes: [{ id: "x", kind: "actor", name: "Mallory", known: false }, { id: "y", kind: "Domain", name: "y", known: false }],
    edges: [{ from: "x", kind: "", to: "y" }, { from: "y", kind: "manual", to: "x" }],
  });
});

test("graphs are joined without doubles, and what has a place keeps it", () => {
  expect(joined(GRAPH, GRAPH)).toEqual(GRAPH);
  const before = laidOut(GRAPH);
  const more = joined(GRAPH, { nodes: [{ id: "d4", kind: "Uri", name: "https://acme.test", known: true }], edges: [{ from: "b2", kind: "site", to: "d4" }] });
  const after = laidOut(more, before);
  for (const { id } of GRAPH.nodes) expect(after.get(id)).toEqual(before.get(id));
  expect(after.size).toBe(4);
});

test("no two nodes share a place", () => {
  const nodes = Array.from({ length: 300 }, (_, index) => ({ id: `n${index}`, kind: "Uri", name: "", known: true }));
  const edges = nodes.slice(1).map((node) => ({ from: "n0", kind: "site", to: node.id }));
  const places = [...laidOut({ nodes, edges }).values()];
  const nearest = Math.min(...places.flatMap((a, i) => places.slice(i + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y))));
  expect(nearest).toBeGreaterThan(0.5);
});

test("GraphML holds hostile names as text", () => {
  const text = graphml("t", GRAPH);
  expect(text).toContain("&lt;img src=x&gt; &quot;&amp;\u202e</data>");
  expect(text).not.toContain("<img");
  expect(text).not.toContain("\u0000");
});

test("a graph of others whose members have any type is read as far as it goes", () => {
  const odd = [1, null, true, {}, [], [null], ["x"], "x"];
  for (const value of odd) {
    expect(typeof nameOf({ graph_data: value })).toBe("string");
    expect(typeof nameOf({ graph_data: { description: value } })).toBe("string");
    for (const member of ["entity_id", "type", "text", "entity_attributes"]) {
      const of = { nodes: [{ entity_id: "a", type: "domain", text: "a", [member]: value }, value], links: [{ source: value, target: "a", connection_type: value }, value] };
      for (const node of read(of).nodes) expect([node.id, node.kind, node.name].map((text) => typeof text)).toEqual(["string", "string", "string"]);
      for (const edge of read(of).edges) expect([edge.from, edge.kind, edge.to].map((text) => typeof text)).toEqual(["string", "string", "string"]);
    }
    expect(read({ nodes: value, links: value }).edges).toEqual([]);
    expect(typeof isOurs({ nodes: value })).toBe("boolean");
  }
  expect(nameOf({ graph_data: { description: 7 } })).toBe("7");
  expect(nameOf({ graph_data: { description: { a: 1 } } })).toBe("");
  // No name of a member of every object is a kind.
  expect(read({ nodes: [{ entity_id: "a", type: "constructor" }, { entity_id: "b" }] }).nodes.map((node) => node.kind)).toEqual(["constructor", "unknown"]);
});

test("links name the ends by id, or by the number of a node; what is one entity is one node", () => {
  const nodes = [{ entity_id: "a", type: "domain" }, { entity_id: 5, type: "domain" }];
  expect(read({ nodes, links: [{ source: 0, target: 1 }, { source: "a", target: 5 }, { source: 9, target: -1 }] }).edges).toEqual([
    { from: "a", kind: "", to: "5" },
    { from: "a", kind: "", to: "5" },
  ]);
  const twice = [{ entity_id: "a", type: "domain", entity_attributes: { uid: "u" } }, { entity_id: "b", type: "domain", entity_attributes: { uid: "u" } }];
  expect(read({ nodes: twice }).nodes).toHaveLength(1);
});
