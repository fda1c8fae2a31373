// Settings: projects and their people, keys, what people did, and how much was used.

import { queryOptions } from "@tanstack/react-query";
import { ASM, ask, get, OURS, type Schema, withQuery } from "./client";

export type Person = Schema["ProjectUser"];
export type ProjectRole = Person["role"];
export type CollectionRole = Schema["CollectionUser"]["role"];
export type Key = Schema["Key"];

/** Lines of the audit log that are read. */
const AUDIT_ROWS = 1_000;

export function people(project: string) {
  return queryOptions({
    queryKey: ["projects", project, "people"],
    queryFn: ({ signal }) => get<Person[]>(`${ASM}/projects/${encodeURIComponent(project)}/users`, signal),
  });
}

export async function bring(project: string, email: string, role: ProjectRole): Promise<Schema["AddedProjectUser"][]> {
  const path = `${ASM}/projects/${encodeURIComponent(project)}/users/bulk`;
  return (await ask<Schema["AddedProjectUser"][]>("POST", path, { emails: [email], role })).result;
}

export async function takeOut(project: string, person: number): Promise<void> {
  await ask("DELETE", `${ASM}/projects/${encodeURIComponent(project)}/users/${person}`);
}

export type Invitation = Schema["Invitation"];

/** Invitations that the caller has not answered. */
export const invitations = queryOptions({
  queryKey: ["invitations"],
  queryFn: ({ signal }) => get<Invitation[]>(`${OURS}/invitations`, signal),
  staleTime: 60_000,
});

export async function acceptInvitation(id: number): Promise<void> {
  await ask("POST", `${OURS}/invitations/${id}/accept`, {});
}

export async function declineInvitation(id: number): Promise<void> {
  await ask("DELETE", `${OURS}/invitations/${id}`);
}

export async function leaveProject(project: string): Promise<void> {
  await ask("DELETE", `${OURS}/projects/${encodeURIComponent(project)}/membership`);
}

/** Who has which role in a collection. */
export function roles(collection: string) {
  return queryOptions({
    queryKey: ["collections", collection, "roles"],
    queryFn: ({ signal }) => get<Schema["CollectionUser"][]>(`${ASM}/user_collections/${encodeURIComponent(collection)}/collection_project_users`, signal),
  });
}

/** Gives a role in a collection; null takes it away. */
export async function giveRole(collection: string, person: number, role: CollectionRole | null): Promise<void> {
  const path = `${ASM}/user_collections/${encodeURIComponent(collection)}/collection_project_users`;
  if (role === null) await ask("DELETE", `${path}/${person}`);
  else await ask("POST", path, { project_user_id: person, role });
}

export async function makeProject(name: string): Promise<Schema["Project"]> {
  return (await ask<Schema["Project"]>("POST", `${ASM}/projects`, { name })).result;
}

export async function changeProject(project: string, settings: Schema["ProjectSettings"]): Promise<void> {
  await ask("PATCH", `${ASM}/projects/${encodeURIComponent(project)}`, settings);
}

export const keys = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => get<Key[]>(`${OURS}/keys`, signal),
});

/** Makes a key, whose text is in this answer alone. A session makes none that outlives it; a key of the caller's does. */
export async function makeKey(made: { label: string; expires?: string; user?: string; by?: string }): Promise<Schema["IssuedKey"]> {
  const body = { label: made.label, ...(made.expires ? { expires_at: made.expires } : {}), ...(made.user ? { user: made.user } : {}) };
  return (await ask<Schema["IssuedKey"]>("POST", `${OURS}/keys`, body, undefined, made.by || undefined)).result;
}

export async function revokeKey(id: number): Promise<void> {
  await ask("DELETE", `${OURS}/keys/${id}`);
}

export const audit = queryOptions({
  queryKey: ["audit"],
  queryFn: ({ signal }) => get<Schema["AuditRow"][]>(withQuery(`${OURS}/audit`, { limit: AUDIT_ROWS }), signal),
});

/** How much of a quota was used; `allowed` is one milliard or more where there is no cap. */
export interface Quota {
  name: string;
  used: number;
  allowed: number;
}

type Figures = Record<string, { user: { allowed: number; used: number } }>;
type Usage = Record<"daily" | "daily_endpoints_not_consuming_quota", Record<string, Record<string, number>>>;

/** The wider API answers below `data`. */
async function figures<T>(path: string, signal: AbortSignal): Promise<T> {
  return ((await ask<unknown>("GET", path, undefined, signal)) as unknown as { data: T }).data;
}

export function quotas(user: string) {
  return queryOptions({
    queryKey: ["quotas", user],
    queryFn: async ({ signal }): Promise<Quota[]> => {
      const all = await figures<Figures>(`/api/v3/users/${encodeURIComponent(user)}/overall_quotas`, signal);
      return Object.entries(all).map(([name, { user: own }]) => ({ name, ...own }));
    },
  });
}

/** Calls of the wider API on each day, those that consume quota and those that do not. */
export function usage(user: string) {
  return queryOptions({
    queryKey: ["usage", user],
    queryFn: async ({ signal }) => {
      const found = await figures<Usage>(`/api/v3/users/${encodeURIComponent(user)}/api_usage`, signal);
      const sum = (calls: Record<string, number> | undefined) => Object.values(calls ?? {}).reduce((total, one) => total + one, 0);
      return new Map(
        [...new Set([...Object.keys(found.daily), ...Object.keys(found.daily_endpoints_not_consuming_quota)])].map((day) => [
          day,
          { charged: sum(found.daily[day]), free: sum(found.daily_endpoints_not_consuming_quota[day]) },
        ]),
      );
    },
  });
}
