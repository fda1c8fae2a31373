// Who is told what happens in the project that is looked at.

import { queryOptions } from "@tanstack/react-query";
import { ask, get, OURS, type Schema, withQuery } from "./client";

export type Receiver = Schema["Receiver"];
export type NewReceiver = Schema["NewReceiver"];
export type Delivery = Schema["Delivery"];

/** Messages of a receiver that are shown. */
const DELIVERIES_SHOWN = 30;

export const receivers = queryOptions({
  queryKey: ["receivers"],
  queryFn: ({ signal }) => get<Receiver[]>(`${OURS}/receivers`, signal),
});

export function deliveries(uuid: string) {
  return queryOptions({
    queryKey: ["receivers", uuid, "deliveries"],
    queryFn: ({ signal }) => get<Delivery[]>(withQuery(`${OURS}/receivers/${encodeURIComponent(uuid)}/deliveries`, { limit: DELIVERIES_SHOWN }), signal),
  });
}

/** Makes one; what verifies its signatures is in this answer alone. */
export async function makeReceiver(body: NewReceiver): Promise<Schema["MadeReceiver"]> {
  return (await ask<Schema["MadeReceiver"]>("POST", `${OURS}/receivers`, body)).result;
}

export async function removeReceiver(uuid: string): Promise<void> {
  await ask("DELETE", `${OURS}/receivers/${encodeURIComponent(uuid)}`);
}

export async function testReceiver(uuid: string): Promise<void> {
  await ask("POST", `${OURS}/receivers/${encodeURIComponent(uuid)}/test`, {});
}

/** Sends again what failed; one that was ended is at work again. */
export async function replayFailed(uuid: string): Promise<Schema["Replayed"]> {
  return (await ask<Schema["Replayed"]>("POST", `${OURS}/receivers/${encodeURIComponent(uuid)}/replay`, {})).result;
}
