// Postures: how well domains protect what everybody can see of them.

import { queryOptions } from "@tanstack/react-query";
import { get, OURS, type Schema, withQuery } from "./client";

export type SeedPosture = Schema["SeedPosture"];
export type OrganizationPosture = Schema["OrganizationPosture"];
export type EntityPosture = Schema["EntityPosture"];

/** Of the seeds of a collection, the worst first. */
export function postures(collection: string, asOf: string | undefined) {
  const path = `${OURS}/user_collections/${encodeURIComponent(collection)}/postures`;
  return queryOptions({
    queryKey: ["collections", collection, "postures", asOf],
    queryFn: ({ signal }) => get<SeedPosture[]>(withQuery(path, { as_of: asOf }), signal),
    placeholderData: (before) => before,
  });
}

/** Of the organisations that registered the seeds of a collection, the worst first. */
export function organizationPostures(collection: string, asOf: string | undefined) {
  const path = `${OURS}/user_collections/${encodeURIComponent(collection)}/organization_postures`;
  return queryOptions({
    queryKey: ["collections", collection, "organization_postures", asOf],
    queryFn: ({ signal }) => get<OrganizationPosture[]>(withQuery(path, { as_of: asOf }), signal),
    placeholderData: (before) => before,
  });
}

/** Of one entity, with the scores that it had. */
export function posture(uid: string, asOf: string | undefined) {
  return queryOptions({
    queryKey: ["entity", uid, "posture", asOf],
    queryFn: ({ signal }) => get<EntityPosture>(withQuery(`${OURS}/entities/${encodeURIComponent(uid)}/posture`, { as_of: asOf }), signal),
  });
}
