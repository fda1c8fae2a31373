// Entities in the order in which one led to another: each stands once, below the first that leads to it.

import type { Graph, GraphNode } from "./graph";

export interface Branch {
  node: GraphNode;
  /** How the one above leads here. */
  by: string;
  children: Branch[];
  /** All that stand below. */
  below: number;
}

/** What a tree begins with, where there is a choice. */
const ROOTS = ["Domain", "Organization", "NetBlock", "AutonomousSystem"];

export function tree(graph: Graph): Branch[] {
  const out = new Map<string, { to: string; kind: string }[]>();
  const entered = new Set<string>();
  for (const { from, to, kind } of graph.edges) {
    out.set(from, [...(out.get(from) ?? []), { to, kind }]);
    if (from !== to) entered.add(to);
  }
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const seen = new Set<string>();
  // Breadth first, so that each stands as near to a root as it can.
  function grown(begin: GraphNode): Branch {
    const root: Branch = { node: begin, by: "", children: [], below: 0 };
    seen.add(begin.id);
    for (let level = [root]; level.length > 0; ) {
      const next: Branch[] = [];
      for (const branch of level) {
        for (const { to, kind } of out.get(branch.node.id) ?? []) {
          const node = nodes.get(to);
          if (node === undefined || seen.has(to)) continue;
          seen.add(to);
          const child = { node, by: kind, children: [], below: 0 };
          branch.children.push(child);
          next.push(child);
        }
      }
      level = next;
    }
    count(root);
    return root;
  }
  const rank = (node: GraphNode) => (ROOTS.includes(node.kind) ? ROOTS.indexOf(node.kind) : ROOTS.length + (entered.has(node.id) ? 1 : 0));
  const order = [...graph.nodes].sort((a, b) => rank(a) - rank(b));
  const found: Branch[] = [];
  for (const node of order) if (!seen.has(node.id)) found.push(grown(node));
  return found.sort((a, b) => b.below - a.below);
}

function count(branch: Branch): number {
  branch.children.sort((a, b) => a.node.kind.localeCompare(b.node.kind) || a.node.name.localeCompare(b.node.name));
  branch.below = branch.children.reduce((sum, child) => sum + 1 + count(child), 0);
  return branch.below;
}
