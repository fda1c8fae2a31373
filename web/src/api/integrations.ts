// Integrations: what opens the accounts of others, and which collections use which. Secrets go in and never come out.

import { queryOptions } from "@tanstack/react-query";
import { ASM, ask, get, type Schema } from "./client";

export type Integration = Schema["Integration"];
export type IntegrationUse = Schema["IntegrationCollection"];

export function integrations(project: string) {
  return queryOptions({
    queryKey: ["projects", project, "integrations"],
    queryFn: ({ signal }) => get<Integration[]>(`${ASM}/projects/${encodeURIComponent(project)}/integrations`, signal),
  });
}

/** Which collections of the project that is looked at use which integrations. */
export const integrationUses = queryOptions({
  queryKey: ["integration uses"],
  queryFn: ({ signal }) => get<IntegrationUse[]>(`${ASM}/integration_collections`, signal),
});

export async function makeIntegration(project: string, body: Schema["NewIntegration"]): Promise<Integration> {
  return (await ask<Integration>("POST", `${ASM}/projects/${encodeURIComponent(project)}/integrations`, body)).result;
}

export async function removeIntegration(uuid: string): Promise<void> {
  await ask("DELETE", `${ASM}/integrations/${encodeURIComponent(uuid)}`);
}

export async function addUse(collection: string, integration: string): Promise<void> {
  const path = `${ASM}/user_collections/${encodeURIComponent(collection)}/integration_collections`;
  await ask("POST", path, { integration_uuid: integration });
}

export async function endUse(use: string): Promise<void> {
  await ask("DELETE", `${ASM}/integration_collections/${encodeURIComponent(use)}`);
}
