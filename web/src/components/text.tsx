// Words and numbers as people read them.

import { type ReactNode } from "react";
import { pieces } from "../hostile";

/** Text of others: it is shown, never followed, and what cannot be seen in it is named. */
export function Foreign({ children, lines = false }: { children: string; lines?: boolean }): ReactNode {
  const parts = pieces(children, lines);
  if (parts.length === 1 && !parts[0]?.named) return <bdi>{children}</bdi>;
  return (
    <bdi>
      {parts.map((piece, index) =>
        piece.named ? (
          <span key={index} className="mx-px rounded-sm border border-line px-0.5 font-mono text-[0.85em] text-soft">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </bdi>
  );
}

const SEVERITIES = ["", "critical", "high", "medium", "low", "info"] as const;

export function severityWord(severity: number | string): string {
  return SEVERITIES[Number(severity)] ?? String(severity);
}

const SEVERITY_STYLE: Record<string, string> = {
  critical: "text-critical bg-critical-ground",
  high: "text-high bg-high-ground",
  medium: "text-medium bg-medium-ground",
  low: "text-low bg-low-ground",
  info: "text-soft bg-raised",
};

export function Severity({ of }: { of: number | string }): ReactNode {
  const word = severityWord(of);
  return (
    <span className={`inline-block w-16 rounded px-1.5 text-center text-xs leading-5 font-semibold ${SEVERITY_STYLE[word] ?? ""}`}>
      {word}
    </span>
  );
}

export function Chip({ children, tone = "soft" }: { children: ReactNode; tone?: "soft" | "accent" | "good" | "high" }): ReactNode {
  const style = { soft: "border-line text-soft", accent: "border-accent text-accent", good: "border-good text-good", high: "border-high text-high" }[tone];
  return <span className={`inline-block rounded-full border px-1.5 text-xs leading-4.5 whitespace-nowrap ${style}`}>{children}</span>;
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function relative(at: string | number | Date, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? "in a moment" : "just now";
}

export function exact(at: string | number | Date): string {
  return new Date(at).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

/** A moment by how long ago it was; the exact one is its title. */
export function Moment({ at }: { at: string }): ReactNode {
  return (
    <time dateTime={at} title={exact(at)} className="whitespace-nowrap">
      {relative(at)}
    </time>
  );
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** What a list says of itself while it has no hits: the search is under way, or has failed, which is told below it. */
export function searching(error: Error | null): string {
  return error ? "Not searched" : "Searching …";
}

const KINDS = new Map(Object.entries({
  Uri: "Site",
  DnsRecord: "DNS name",
  Domain: "Domain",
  IpAddress: "Address",
  NetBlock: "Network block",
  NetworkService: "Service",
  SslCertificate: "Certificate",
  AutonomousSystem: "Network (AS)",
  EmailAddress: "E-mail address",
  Nameserver: "Name server",
  Organization: "Organisation",
  SslPreCertificate: "Precertificate",
  PreCertificate: "Precertificate",
  ApiEndpoint: "API endpoint",
  Mailserver: "Mail server",
}));

/** Kinds that people ask for by name. */
export const KIND_NAMES = ["Domain", "DnsRecord", "IpAddress", "NetBlock", "NetworkService", "Uri", "SslCertificate", "AutonomousSystem", "Organization", "EmailAddress", "Nameserver", "Mailserver"];

/** The kind of an entity in a word, without the prefix of the API. */
export function kind(type: string): string {
  const short = type.slice(type.lastIndexOf(":") + 1);
  return KINDS.get(short) ?? short.replace(/([a-z])([A-Z])/g, "$1 $2");
}

/** The words of an internal name, such as `closed_risk_accepted`. */
export function words(name: string): string {
  return name.replaceAll("_", " ").replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
}

const STATUSES: Record<string, string> = {
  open_new: "open",
  open_triaged: "open, triaged",
  open_in_progress: "open, in progress",
  closed: "done",
  closed_mitigated: "mitigated",
  closed_resolved: "resolved",
  closed_duplicate: "duplicate",
  closed_out_of_scope: "not ours",
  closed_benign: "benign",
  closed_risk_accepted: "risk accepted",
  closed_false_positive: "false positive",
  closed_no_repro: "not reproduced",
  closed_tracked_externally: "tracked elsewhere",
};

export function statusWord(status: string): string {
  return STATUSES[status] ?? words(status);
}
