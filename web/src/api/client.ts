// The one way to the API: same origin, by the session's cookie.

import type { components } from "../../generated/schema";
import { labelled } from "../labels";

export type Schema = components["schemas"];

/** A refusal of the server, or the failure to reach it, with what can be said of it to a person. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const PROJECT = "ambit.project";

/** The project that is looked at; null: the caller's primary one. */
export function chosenProject(): string | null {
  return localStorage.getItem(PROJECT);
}

export function chooseProject(id: string): void {
  localStorage.setItem(PROJECT, id);
}

export function forgetProject(): void {
  localStorage.removeItem(PROJECT);
}

export const ASM = "/api/v3/asm";
export const OURS = "/api/ambit/v1";

/** A whole answer: `message` is said beside the result. */
export interface Said<T> {
  message: string;
  result: T;
}

/** Asks by the session, or by a key that the person has typed in for this one call. */
export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal, key?: string): Promise<Said<T>> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (key !== undefined) headers["x-apikey"] = key;
  const project = chosenProject();
  if (project !== null) headers["project-id"] = project;
  if (body !== undefined) headers["content-type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: key === undefined ? "same-origin" : "omit",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(0, "The server does not answer. Is it running, and is the network up?");
  }
  // Some answers of the wider API are empty.
  const text = await response.text().catch(() => null);
  const said = text === "" && response.ok ? {} : parsed(text);
  if (!response.ok || said === null) {
    throw new Failure(response.status, labelled(said?.error?.message ?? said?.message ?? `The server answered ${response.status}.`));
  }
  return said as Said<T>;
}

// The answer is what its endpoint says.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function parsed(text: string | null): any {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

/** The result of a read. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask<T>("GET", path, undefined, signal)).result;
}

/** A path with a query, without parameters that have no value. */
export function withQuery(path: string, query: Record<string, string | number | boolean | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}
