// The columns of the inventory: what each shows, and what an export says in its place.

import { type ReactNode } from "react";
import type { EntityHit } from "../api/entities";
import { Chip, Foreign, kind, Moment, severityWord } from "../components/text";

export interface Column {
  id: string;
  label: string;
  /** A width of CSS grid. */
  width: string;
  /** The member that the API orders by; without one, the column has no order. */
  sort?: string;
  /** The order that is asked for first. */
  descending?: boolean;
  shown: (hit: EntityHit) => ReactNode;
  text: (hit: EntityHit) => string;
}

/** Values of a list that a cell shows. */
const SHOWN_MAX = 3;

function some(values: (string | number)[]): ReactNode {
  const shown = values.slice(0, SHOWN_MAX).join(", ");
  const more = values.length - SHOWN_MAX;
  return <span title={values.join(", ")}><Foreign>{shown}</Foreign>{more > 0 && ` + ${more}`}</span>;
}

function issues(hit: EntityHit): [string, number][] {
  return Object.entries(hit.summary.issues.current_by_severity as Record<string, number>).filter(([, number]) => number > 0);
}

const ports = (hit: EntityHit) => [...hit.summary.ports.tcp, ...hit.summary.ports.udp.map((port) => `${port}/udp`)];

export const COLUMNS: Column[] = [
  { id: "type", label: "Kind", width: "7rem", sort: "type", shown: (hit) => kind(hit.type), text: (hit) => kind(hit.type) },
  {
    id: "issues",
    label: "Open issues",
    width: "14rem",
    sort: "summary.issues.current_count",
    descending: true,
    shown: (hit) => (
      <span className="flex gap-1">
        {issues(hit).map(([severity, number]) => (
          <Chip key={severity} tone={Number(severity) <= 2 ? "accent" : "soft"}>{number} {severityWord(severity)}</Chip>
        ))}
      </span>
    ),
    text: (hit) => issues(hit).map(([severity, number]) => `${number} ${severityWord(severity)}`).join("; "),
  },
  {
    id: "technologies",
    label: "Technologies",
    width: "12rem",
    shown: (hit) => some(hit.summary.technology.technologies),
    text: (hit) => hit.summary.technology.technologies.join("; "),
  },
  {
    id: "ports",
    label: "Ports",
    width: "8rem",
    sort: "summary.ports.count",
    descending: true,
    shown: (hit) => some(ports(hit)),
    text: (hit) => ports(hit).join("; "),
  },
  {
    id: "network",
    label: "Network",
    width: "10rem",
    sort: "summary.network.name",
    shown: (hit) => <Foreign>{hit.summary.network.name ?? ""}</Foreign>,
    text: (hit) => hit.summary.network.name ?? "",
  },
  {
    id: "country",
    label: "Country",
    width: "6rem",
    sort: "summary.geolocation.country_code",
    shown: (hit) => <Foreign>{hit.summary.geolocation.country_name ?? hit.summary.geolocation.country_code ?? ""}</Foreign>,
    text: (hit) => hit.summary.geolocation.country_code ?? "",
  },
  {
    id: "code",
    label: "HTTP",
    width: "4.5rem",
    sort: "summary.http.code",
    shown: (hit) => hit.summary.http.code ?? "",
    text: (hit) => String(hit.summary.http.code ?? ""),
  },
  {
    id: "title",
    label: "Title",
    width: "14rem",
    shown: (hit) => <Foreign>{hit.summary.http.title ?? ""}</Foreign>,
    text: (hit) => hit.summary.http.title ?? "",
  },
  { id: "tags", label: "Tags", width: "8rem", shown: (hit) => some(hit.tags), text: (hit) => hit.tags.join("; ") },
  { id: "scoped", label: "In scope", width: "5rem", sort: "summary.scoped", shown: (hit) => (hit.summary.scoped ? "yes" : "no"), text: (hit) => String(hit.summary.scoped) },
  { id: "first_seen", label: "First seen", width: "8rem", sort: "first_seen", descending: true, shown: (hit) => <Moment at={hit.first_seen} />, text: (hit) => hit.first_seen },
  { id: "last_seen", label: "Last seen", width: "8rem", sort: "last_seen", descending: true, shown: (hit) => <Moment at={hit.last_seen} />, text: (hit) => hit.last_seen },
];

/** Those that are shown where nothing else is asked for. */
export const USUAL = ["type", "issues", "technologies", "ports", "network", "first_seen", "last_seen"];
