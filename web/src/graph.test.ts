import { expect, test } from "vitest";
import { type Graph, graphml, joined, laidOut, read, written } from "./graph";

const GRAPH: Graph = {
  nodes: [
    { id: "a1", kind: "Domain", name: "acme.test", known: true },
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
