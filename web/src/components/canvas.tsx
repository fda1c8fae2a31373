// A graph drawn. The library that draws is loaded with the pages that have a graph.

import { MultiDirectedGraph } from "graphology";
import Sigma from "sigma";
import { type ReactNode, useEffect, useRef } from "react";
import type { Graph, Places } from "../graph";
import { visible } from "../hostile";

/** A colour of the page for each kind. */
const COLOURS = new Map(Object.entries({
  Domain: "--accent",
  DnsRecord: "--low",
  IpAddress: "--good",
  NetworkService: "--medium",
  Uri: "--high",
  SslCertificate: "--soft",
}));
const LABEL_CHARS_MAX = 40;
/** Nodes that are all named. */
const NAMED_MAX = 60;
/** Relations that are named in the picture: the names of more cover it. */
const LABELLED_MAX = 150;

/** What a colour of the page is now, as a canvas takes it: the page knows which of light and dark it is. */
function colours(at: HTMLElement): (name: string) => string {
  const probe = document.createElement("span");
  return (name) => {
    at.append(probe);
    probe.style.color = `var(${name})`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
}

export function colourOf(kind: string): string {
  return COLOURS.get(kind) ?? "--soft";
}

export function label(name: string): string {
  const text = visible(name);
  return text.length > LABEL_CHARS_MAX ? `${text.slice(0, LABEL_CHARS_MAX)}…` : text;
}

export function Canvas({ graph, places, picked, found, onPick }: {
  graph: Graph;
  places: Places;
  picked: string | null;
  /** The nodes that a search finds; null: there is no search. */
  found: ReadonlySet<string> | null;
  onPick: (id: string | null) => void;
}): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const pick = useRef(onPick);
  pick.current = onPick;
  const state = useRef({ picked, found });
  state.current = { picked, found };
  const drawn = useRef<Sigma | null>(null);
  useEffect(() => {
    const at = place.current;
    if (at === null) return;
    const colour = colours(at);
    const [faint, ink, soft, ground] = [colour("--line"), colour("--ink"), colour("--soft"), colour("--ground")];
    const of = new MultiDirectedGraph();
    const edges = new Map<string, number>();
    for (const { from, to } of graph.edges) for (const id of [from, to]) edges.set(id, (edges.get(id) ?? 0) + 1);
    for (const node of graph.nodes) {
      const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
      of.addNode(node.id, { x, y, label: label(node.name), size: Math.min(4 + Math.sqrt(edges.get(node.id) ?? 0), 14), color: colour(colourOf(node.kind)) });
    }
    // Relations of the same two are one line, so that their names do not cover each other.
    const lines = new Map<string, string>();
    for (const edge of graph.edges) {
      if (!of.hasNode(edge.from) || !of.hasNode(edge.to)) continue;
      const pair = [edge.from, edge.to].sort().join(" ");
      const [line, name] = [lines.get(pair), edge.kind.replaceAll("_", " ")];
      if (line === undefined) lines.set(pair, of.addEdge(edge.from, edge.to, { label: name, color: soft, size: 0.6, type: "arrow" }));
      else of.updateEdgeAttribute(line, "label", (before: string) => (before.split(", ").includes(name) ? before : `${before}, ${name}`));
    }
    const sigma = new Sigma(of, at, {
      renderEdgeLabels: graph.edges.length <= LABELLED_MAX,
      labelColor: { color: ink },
      edgeLabelColor: { color: soft },
      labelFont: "system-ui, sans-serif",
      edgeLabelFont: "system-ui, sans-serif",
      labelRenderedSizeThreshold: graph.nodes.length <= NAMED_MAX ? 0 : 6,
      labelSize: 12,
      edgeLabelSize: 10,
      allowInvalidContainer: true,
      // The usual one draws a white box, which is none of the page's colours.
      defaultDrawNodeHover: (context, data, settings) => {
        context.beginPath();
        context.arc(data.x, data.y, data.size + 3, 0, Math.PI * 2);
        context.strokeStyle = ink;
        context.lineWidth = 2;
        context.stroke();
        if (!data.label) return;
        context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
        const [x, y] = [data.x + data.size + 3, data.y + settings.labelSize / 3];
        context.fillStyle = ground;
        context.fillRect(x, data.y - settings.labelSize, context.measureText(data.label).width + 6, 2 * settings.labelSize);
        context.fillStyle = ink;
        context.fillText(data.label, x + 2, y);
      },
      nodeReducer: (id, data) => {
        const { picked, found } = state.current;
        const dim = found !== null && !found.has(id);
        return { ...data, ...(dim ? { color: faint, label: "" } : {}), ...(id === picked ? { highlighted: true, forceLabel: true } : {}), ...(found?.has(id) ? { forceLabel: true } : {}) };
      },
    });
    sigma.on("clickNode", ({ node }) => pick.current(node));
    sigma.on("clickStage", () => pick.current(null));
    drawn.current = sigma;
    return () => {
      sigma.kill();
      drawn.current = null;
    };
  }, [graph, places]);
  useEffect(() => {
    drawn.current?.refresh();
  }, [picked, found]);
  return <div ref={place} role="img" aria-label={`A graph of ${graph.nodes.length} entities and ${graph.edges.length} relations; the list beside it has the same`} className="absolute inset-0" />;
}

const WIDTH = 1600;
const MARGIN = 80;

/** The whole graph as a PNG picture, in the colours of the page. */
export async function picture(graph: Graph, places: Places, at: HTMLElement): Promise<Blob> {
  const colour = colours(at);
  const all = graph.nodes.map((node) => places.get(node.id) ?? { x: 0, y: 0 });
  const [left, top] = [Math.min(...all.map((one) => one.x)), Math.min(...all.map((one) => one.y))];
  const wide = Math.max(Math.max(...all.map((one) => one.x)) - left, Math.max(...all.map((one) => one.y)) - top, 1);
  const scale = (WIDTH - 2 * MARGIN) / wide;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, WIDTH];
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser draws no pictures.");
  // Pages count upwards from the top, graphs from the bottom.
  const spot = (id: string) => {
    const { x, y } = places.get(id) ?? { x: 0, y: 0 };
    return [MARGIN + (x - left) * scale, WIDTH - MARGIN - (y - top) * scale] as const;
  };
  context.fillStyle = colour("--ground");
  context.fillRect(0, 0, WIDTH, WIDTH);
  context.strokeStyle = colour("--line");
  for (const edge of graph.edges) {
    context.beginPath();
    context.moveTo(...spot(edge.from));
    context.lineTo(...spot(edge.to));
    context.stroke();
  }
  context.font = "13px system-ui, sans-serif";
  for (const node of graph.nodes) {
    const [x, y] = spot(node.id);
    context.fillStyle = colour(colourOf(node.kind));
    context.beginPath();
    context.arc(x, y, 6, 0, Math.PI * 2);
    context.fill();
    context.fillStyle = colour("--ink");
    context.fillText(label(node.name), x + 9, y + 4);
  }
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("The picture could not be written."))), "image/png"));
}
