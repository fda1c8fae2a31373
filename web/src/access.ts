// Who sees a kept graph, and what the caller may do with it.

export interface Member {
  type: "user" | "group";
  id: string;
}

/** What the API says beside a graph of who is related to it. Of a long list the first members are there. */
export interface Relations {
  owner?: { data: Member | null };
  editors?: { data: Member[]; meta?: { count: number } };
  viewers?: { data: Member[]; meta?: { count: number } };
}

/** Names of people and groups that are told before the rest is counted. */
const NAMED_MAX = 3;

export function isOwner(of: Relations, me: string): boolean {
  return of.owner?.data?.id === me;
}

/** Whether the caller may change and share the graph. Who is in a group of editors is known to the server alone: it may refuse. */
export function mayChange(of: Relations, me: string): boolean {
  return isOwner(of, me) || (of.editors?.data ?? []).some((one) => one.type === "group" || one.id === me);
}

/** Who sees the graph, in words. */
export function whoSees(isPrivate: boolean, of: Relations, me: string): string {
  const owner = of.owner?.data?.id;
  const [own, known] = [owner === me, owner !== undefined];
  if (!isPrivate) return own || !known ? "seen by everybody here" : `seen by everybody here, made by ${owner}`;
  if (!own) return known ? `shared with you by ${owner}` : "shared with you";
  const lists = [of.editors, of.viewers];
  const names = [...new Set(lists.flatMap((list) => (list?.data ?? []).map((one) => (one.type === "group" ? `the group ${one.id}` : one.id))))];
  // Beyond those that the answer names.
  const unnamed = lists.reduce((sum, list) => sum + Math.max(0, (list?.meta?.count ?? 0) - (list?.data.length ?? 0)), 0);
  const more = Math.max(0, names.length - NAMED_MAX) + unnamed;
  if (names.length === 0) return "yours alone";
  return `shared with ${names.slice(0, NAMED_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
