// What is different between two states of a record, member by member.

export interface Difference {
  path: string;
  before: unknown;
  after: unknown;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The members that differ, in the order of their names; a list is one member, of which what came and went is told. */
export function differences(before: unknown, after: unknown, path = ""): Difference[] {
  if (same(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => differences(before[name], after[name], path === "" ? name : `${path}.${name}`));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const gone = before.filter((one) => !after.some((other) => same(one, other)));
    const came = after.filter((one) => !before.some((other) => same(one, other)));
    return gone.length + came.length === 0 ? [] : [{ path, before: gone, after: came }];
  }
  return [{ path, before, after }];
}
