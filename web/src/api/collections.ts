// Collections: what is looked at, how far, and when.

import { queryOptions } from "@tanstack/react-query";
import { ASM, ask, get, OURS, type Schema, withQuery } from "./client";

export type Collection = Schema["Collection"];
export type Seed = Schema["Seed"];
export type Plan = Schema["Plan"];
export type Level = Collection["level"];
export type WorkflowName = Schema["NewCollection"]["workflow_name"];

/** Characters of a collection's name. */
const NAME_CHARS_MAX = 100;
/** Candidates that are shown before more are asked for. */
const CANDIDATES_SHOWN = 10;
/** Percent from which something may be somebody's: less has what strangers share with everybody. */
const CANDIDATE_FROM = 30;

export function collection(uuid: string) {
  return queryOptions({
    queryKey: ["collections", uuid],
    queryFn: ({ signal }) => get<Collection>(`${ASM}/user_collections/${encodeURIComponent(uuid)}`, signal),
  });
}

export function seeds(uuid: string) {
  return queryOptions({
    queryKey: ["collections", uuid, "seeds"],
    queryFn: ({ signal }) => get<Seed[]>(`${ASM}/user_collections/${encodeURIComponent(uuid)}/user_entities`, signal),
  });
}

/** What a run would ask for the seeds at a level. */
export function plan(uuid: string, level: Level) {
  return queryOptions({
    queryKey: ["collections", uuid, "plan", level],
    queryFn: ({ signal }) => get<Plan>(withQuery(`${OURS}/user_collections/${encodeURIComponent(uuid)}/plan`, { level }), signal),
    placeholderData: (before) => before,
  });
}

/** Kinds on which a person's word is worth asking for: whose the others are follows from these. */
const DECIDED = ["Domain", "DnsRecord", "IpAddress", "NetBlock", "AutonomousSystem", "Organization"];

/** The search for what may be a collection's and waits for somebody's word. */
export function candidateSearch(name: string): string {
  const kinds = DECIDED.map((kind) => `type:${kind}`).join(" ");
  return `collection:${name} scoped:false present:true hidden:false ownership_gte:${CANDIDATE_FROM} ${kinds}`;
}

export function candidates(name: string) {
  const path = `${ASM}/search/entities/${encodeURIComponent(candidateSearch(name))}`;
  const query = { page_size: CANDIDATES_SHOWN, sort_field: "ownership", sort_direction: "desc", aggregations: false };
  return queryOptions({
    queryKey: ["entities", "candidates", name],
    queryFn: ({ signal }) => get<Schema["EntitySearch"]>(withQuery(path, query), signal),
  });
}

/** A new collection of a workflow that only a person starts, with what is theirs in it. */
export async function create(name: string, workflow: WorkflowName, level: Level, targets: string[]): Promise<Collection> {
  const body = { name: name.slice(0, NAME_CHARS_MAX), workflow_name: workflow, auto_refresh_schedule: "on_demand", level };
  const made = (await ask<Collection>("POST", `${ASM}/user_collections`, body)).result;
  try {
    if (targets.length > 0) await addSeeds(made.uuid, targets);
  } catch (error) {
    // Nothing half is left behind.
    await remove(made.uuid);
    throw error;
  }
  return made;
}

/** The demo's organisation in a project of its own, with a run of it; asked for again, it is the same. */
export async function loadSample(): Promise<Collection> {
  return (await ask<Collection>("POST", `${OURS}/sample`)).result;
}

export async function change(uuid: string, settings: Schema["CollectionSettings"]): Promise<Collection> {
  return (await ask<Collection>("PATCH", `${ASM}/user_collections/${encodeURIComponent(uuid)}`, settings)).result;
}

/** What other exclusions would do to what is known; nothing is changed. */
export async function previewScope(uuid: string, exclusions: string[]): Promise<Schema["ScopePreview"]> {
  const path = `${OURS}/user_collections/${encodeURIComponent(uuid)}/scope_preview`;
  return (await ask<Schema["ScopePreview"]>("POST", path, { exclusions })).result;
}

export async function remove(uuid: string): Promise<void> {
  await ask("DELETE", `${ASM}/user_collections/${encodeURIComponent(uuid)}`);
}

/** Adds what a person typed: all of it or nothing. */
export async function addSeeds(uuid: string, targets: string[]): Promise<void> {
  const entities = targets.map((name) => ({ name }));
  await ask("POST", `${ASM}/user_collections/${encodeURIComponent(uuid)}/user_entities`, { entities });
}

export async function addSeed(uuid: string, { name, type }: Seed): Promise<void> {
  await ask("POST", `${ASM}/user_collections/${encodeURIComponent(uuid)}/user_entities`, { name, type });
}

export async function removeSeed(id: number): Promise<void> {
  await ask("DELETE", `${ASM}/entities/${id}`);
}

/** A person's word on whose an entity is. */
export async function mark(uid: string, marks: Schema["EntityMarks"]): Promise<void> {
  await ask("PATCH", `${OURS}/entities/${encodeURIComponent(uid)}/scope`, marks);
}

/** Into the archive, where no run starts, or out of it. */
export async function setArchived(uuid: string, archived: boolean): Promise<void> {
  await ask("PATCH", `${ASM}/user_collections/${encodeURIComponent(uuid)}/${archived ? "archive" : "unarchive"}`);
}
