// One command with which a person sees an issue for themselves, made of the proof's facts. Whatever stands in a fact is
// one quoted word of the shell; where the facts do not carry a command, there is none.

import type { Schema } from "./api/client";

type Facts = Record<string, unknown>;

export function reproduce(issue: Pick<Schema["IssueDetail"], "name" | "entity_name" | "details">): string | null {
  const facts = (issue.details.proof?.details ?? {}) as Facts;
  const words = web(issue.name, facts) ?? service(issue.name, facts) ?? names(issue.name, facts) ?? certificate(facts) ?? version(issue);
  if (words === null || words.some((word) => word === "" || /[\u0000-\u001f\u007f-\u009f]/.test(word))) return null;
  const command = words.map(quoted).join(" ");
  return words[0] === "openssl" ? `${command} </dev/null` : command;
}

/** What shows the version that something is known against. */
function version(issue: Pick<Schema["IssueDetail"], "name" | "entity_name">): string[] | null {
  if (issue.name !== "vulnerable_software") return null;
  if (/^https?:\/\//.test(issue.entity_name)) return ["curl", "-sSI", issue.entity_name];
  const at = /^\[?([0-9a-fA-F.:]+?)\]?:(\d+)\/tcp$/.exec(issue.entity_name);
  return at === null ? null : ["nc", "-v", "-w", "5", at[1] ?? "", at[2] ?? ""];
}

function text(facts: Facts, name: string): string | null {
  const value = facts[name];
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" && !first.startsWith("-") ? first : null;
}

function web(name: string, facts: Facts): string[] | null {
  const site = text(facts, "site");
  const path = text(facts, "paths") ?? text(facts, "path");
  if (site !== null && path !== null) return ["curl", "-isS", "--path-as-is", site + path];
  const uri = text(facts, "uri");
  if (uri !== null) return ["curl", name.includes("login") ? "-isS" : "-sSI", uri];
  const bucket = text(facts, "bucket");
  return bucket === null ? null : ["curl", "-sS", bucket];
}

function service(name: string, facts: Facts): string[] | null {
  const at = /^\[?([0-9a-fA-F.:]+?)\]?:(\d+)\/tcp$/.exec(text(facts, "at") ?? "");
  if (at === null) return null;
  const [, host = "", port = ""] = at;
  const shown = host.includes(":") ? `[${host}]` : host;
  if (name === "deprecated_tls_version") {
    const option = { "TLSv1.0": "-tls1", "TLSv1.1": "-tls1_1", SSLv3: "-ssl3" }[text(facts, "versions") ?? ""];
    return option === undefined ? null : ["openssl", "s_client", "-connect", `${shown}:${port}`, option];
  }
  if (name === "open_redis_service") return ["redis-cli", "-h", host, "-p", port, "ping"];
  if (name === "ftp_anonymous_login") return ["curl", "-sS", `ftp://${shown}:${port}/`];
  return ["nc", "-vz", "-w", "5", host, port];
}

function names(name: string, facts: Facts): string[] | null {
  const zone = text(facts, "zone");
  const server = text(facts, "servers");
  if (zone !== null) return server === null ? null : ["dig", "AXFR", zone, `@${server}`];
  const lookalike = text(facts, "lookalike");
  if (lookalike !== null) return ["dig", "+noall", "+answer", lookalike, "NS"];
  const domain = text(facts, "domain");
  if (domain !== null) {
    if (name.startsWith("dmarc_")) return ["dig", "+short", "TXT", `_dmarc.${domain}`];
    if (name.startsWith("spf_")) return ["dig", "+short", "TXT", domain];
    if (name.startsWith("dns_caa_")) return ["dig", "+short", "CAA", domain];
    return null;
  }
  const record = text(facts, "name");
  if (record === null) return null;
  return ["dig", "+noall", "+answer", record, name === "dangling_record" ? dangling(facts) : "A"];
}

/** The type of the first record that leads nowhere. */
function dangling(facts: Facts): string {
  const records: unknown = facts.records;
  const first: unknown = Array.isArray(records) ? records[0] : null;
  const kind = first !== null && typeof first === "object" && "record" in first ? first.record : null;
  return typeof kind === "string" ? kind : "CNAME";
}

function certificate(facts: Facts): string[] | null {
  const served = text(facts, "served_by") ?? text(facts, "host");
  if (served === null) return null;
  const at = /^(.+):(\d+)\/tcp$/.exec(served);
  const [host, port] = at === null ? [served, "443"] : [at[1] ?? "", at[2] ?? ""];
  const name = /[a-z]/i.test(host) && !host.includes(":") ? ["-servername", host] : [];
  return ["openssl", "s_client", "-connect", `${host}:${port}`, ...name];
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
