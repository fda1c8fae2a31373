// A graph as it is shown: entities, and edges between them. It is read from what the API keeps and says, laid out, and
// written for other programs.

export interface GraphNode {
  /** The uid of an entity; of a graph that others made, the id that they gave. */
  id: string;
  /** The kind, without the prefix of the API. */
  kind: string;
  name: string;
  /** Whether the entity can be asked for by its id. */
  known: boolean;
}

export interface GraphEdge {
  from: string;
  kind: string;
  to: string;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** A graph as the wider API keeps it: what any program sent, of which no member needs to be there or of any type. */
export interface KeptGraph {
  graph_data?: unknown;
  nodes?: unknown;
  links?: unknown;
}

type Members = Record<string, unknown>;

const KINDS = new Map([["domain", "Domain"], ["ip_address", "IpAddress"], ["url", "Uri"], ["ssl_cert", "SslCertificate"]]);
const TYPES = new Map([["Domain", "domain"], ["DnsRecord", "domain"], ["IpAddress", "ip_address"], ["Uri", "url"], ["SslCertificate", "ssl_cert"]]);

/** A value of another program as text: texts and numbers are read, everything else is empty. */
function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

function members(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function list(value: unknown): Members[] {
  return Array.isArray(value) ? value.map(members) : [];
}

/** The name of a kept graph; empty where it has none. */
export function nameOf(kept: KeptGraph): string {
  return text(members(kept.graph_data).description);
}

/** The end of a link: the id of a node, or its number in the list where no node has that id. */
function end(of: unknown, all: Members[], ids: ReadonlySet<string>): string {
  const id = text(of);
  return typeof of === "number" && !ids.has(id) ? text(all[of]?.entity_id) : id;
}

/** Reads a kept graph, whoever made it: a node without an id is left out, and so is a link without its ends. An edge with a type stands there as two links through a node that names it: here it is one. */
export function read(kept: KeptGraph): Graph {
  const nodes = new Map<string, GraphNode>();
  const through = new Set<string>();
  const all = list(kept.nodes);
  const ids = new Set(all.map((node) => text(node.entity_id)));
  for (const node of all) {
    const [called, type] = [text(node.entity_id), text(node.type)];
    if (called === "") continue;
    if (type === "relationship") {
      through.add(called);
      continue;
    }
    const attributes = members(node.entity_attributes);
    const uid = text(attributes.uid);
    const custom = text(attributes.custom_type);
    const kind = TYPES.get(custom) === type ? custom : (KINDS.get(type) ?? (custom || type || "unknown"));
    nodes.set(called, { id: uid || called, kind, name: text(node.text) || called, known: uid !== "" });
  }
  const id = (of: string) => nodes.get(of)?.id;
  const edges: GraphEdge[] = [];
  const into = new Map<string, string[]>();
  const out = new Map<string, [string, string][]>();
  for (const link of list(kept.links)) {
    const [source, target, type] = [end(link.source, all, ids), end(link.target, all, ids), text(link.connection_type)];
    if (through.has(target)) into.set(target, [...(into.get(target) ?? []), source]);
    else if (through.has(source)) out.set(source, [...(out.get(source) ?? []), [target, type]]);
    else edges.push({ from: id(source) ?? "", kind: type, to: id(target) ?? "" });
  }
  for (const [middle, sources] of into) {
    for (const source of sources) {
      for (const [target, kind] of out.get(middle) ?? []) edges.push({ from: id(source) ?? "", kind, to: id(target) ?? "" });
    }
  }
  // Nodes of one entity are one node.
  const shown = new Map([...nodes.values()].map((node) => [node.id, node]));
  return { nodes: [...shown.values()], edges: edges.filter((edge) => edge.from !== "" && edge.to !== "") };
}

/** The graph as the wider API keeps it, with each node where it is shown. */
export function written(title: string, graph: Graph, at: Places): KeptGraph & Members {
  const nodes = graph.nodes.map((node, index) => ({
    entity_id: node.id,
    type: TYPES.get(node.kind) ?? "custom",
    text: node.name,
    // A type that several kinds are written as does not say which: the kind stands beside it.
    entity_attributes: { ...(node.known ? { uid: node.id } : {}), ...(KINDS.get(TYPES.get(node.kind) ?? "") === node.kind ? {} : { custom_type: node.kind }) },
    index,
    x: at.get(node.id)?.x ?? 0,
    y: at.get(node.id)?.y ?? 0,
  }));
  const links: { source: string; target: string; connection_type: string }[] = [];
  const middles = new Map<string, string>();
  for (const edge of graph.edges) {
    const middle = `relationships_${edge.kind}_${edge.from.replaceAll(".", "")}`;
    if (!middles.has(middle)) {
      middles.set(middle, edge.kind);
      links.push({ source: edge.from, target: middle, connection_type: edge.kind });
    }
    links.push({ source: middle, target: edge.to, connection_type: edge.kind });
  }
  const named = [...middles].map(([id, kind], index) => ({
    entity_id: id, type: "relationship", text: "", entity_attributes: { relationship_type: kind }, index: nodes.length + index, x: 0, y: 0,
  }));
  return { graph_data: { description: title, version: "api-1.0.0" }, representation: "force_graph", nodes: [...nodes, ...named], links };
}

/** What this interface writes of a node. */
const WRITTEN = ["uid", "custom_type", "relationship_type"];

/** Whether a kept graph says nothing that writing it anew would lose: what other programs made may. */
export function isOurs(kept: KeptGraph): boolean {
  if (kept.nodes !== undefined && !Array.isArray(kept.nodes)) return false;
  return list(kept.nodes).every((node) => text(node.entity_id) !== "" && Object.keys(members(node.entity_attributes)).every((name) => WRITTEN.includes(name)));
}

/** Both graphs in one; what both have stands once. */
export function joined(a: Graph, b: Graph): Graph {
  const nodes = new Map([...a.nodes, ...b.nodes].map((node) => [node.id, node]));
  const edges = new Map([...a.edges, ...b.edges].map((edge) => [`${edge.from} ${edge.kind} ${edge.to}`, edge]));
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

export type Places = Map<string, { x: number; y: number }>;

/** Nodes above this number stay where they are put first: moving them apart takes the square of their number. */
const MOVED_MAX = 400;
const STEPS = 120;

/** Where each node is shown: near those that it has an edge to, away from others. What has a place keeps it. */
export function laidOut(graph: Graph, before: Places = new Map()): Places {
  const at: Places = new Map();
  const beside = new Map<string, string[]>();
  for (const { from, to } of graph.edges) {
    beside.set(from, [...(beside.get(from) ?? []), to]);
    beside.set(to, [...(beside.get(to) ?? []), from]);
  }
  // A spiral of the golden angle puts no two into one place. A new node begins at a neighbour that has a place.
  graph.nodes.forEach((node, index) => {
    const near = (beside.get(node.id) ?? []).map((id) => before.get(id)).find((place) => place !== undefined) ?? { x: 0, y: 0 };
    const [angle, radius] = [index * 2.399963, (before.size > 0 ? 3 : 10) * Math.sqrt(index + 1)];
    at.set(node.id, before.get(node.id) ?? { x: near.x + radius * Math.cos(angle), y: near.y + radius * Math.sin(angle) });
  });
  if (graph.nodes.length > MOVED_MAX) return at;
  const ids = graph.nodes.map((node) => node.id).filter((id) => !before.has(id));
  const all = [...at.entries()];
  for (let step = 0; step < STEPS; step += 1) {
    const most = 8 * (1 - step / STEPS) + 0.2;
    for (const id of ids) {
      const here = at.get(id) as { x: number; y: number };
      let [x, y] = [-here.x * 0.01, -here.y * 0.01];
      for (const [other, there] of all) {
        if (other === id) continue;
        const [dx, dy] = [here.x - there.x, here.y - there.y];
        const far = Math.max(dx * dx + dy * dy, 0.01);
        x += (dx / far) * 40;
        y += (dy / far) * 40;
      }
      for (const other of beside.get(id) ?? []) {
        const there = at.get(other);
        if (there === undefined) continue;
        x += (there.x - here.x) * 0.08;
        y += (there.y - here.y) * 0.08;
      }
      const length = Math.max(Math.hypot(x, y), 0.01);
      const moved = Math.min(length, most);
      here.x += (x / length) * moved;
      here.y += (y / length) * moved;
    }
  }
  return at;
}

/** The graph as GraphML, for other programs. What XML cannot hold is left out of names. */
export function graphml(title: string, graph: Graph): string {
  const key = (id: string, of: string, name: string) => `  <key id="${id}" for="${of}" attr.name="${name}" attr.type="string"/>\n`;
  const nodes = graph.nodes.map((node) => `    <node id="${xml(node.id)}"><data key="name">${xml(node.name)}</data><data key="kind">${xml(node.kind)}</data></node>\n`);
  const edges = graph.edges.map((edge) => `    <edge source="${xml(edge.from)}" target="${xml(edge.to)}"><data key="relation">${xml(edge.kind)}</data></edge>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n${key("name", "node", "name")}${key("kind", "node", "kind")}${key("relation", "edge", "relation")}`
    + `  <graph id="${xml(title)}" edgedefault="directed">\n${nodes.join("")}${edges.join("")}  </graph>\n</graphml>\n`;
}

function xml(text: string): string {
  // eslint-disable-next-line no-control-regex
  const held = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "");
  return held.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;").replaceAll("\r", "&#13;");
}
