// What the caller may do in a collection, by their role in it: what is always refused is not offered.

export type Role = "viewer" | "analyst" | "admin";

interface Place {
  name: string;
  role?: Role | undefined;
}

/** Whether the caller has at least this role in a collection. While that is not known, the server decides. */
export function mayIn(places: Place[] | undefined, collection: string, least: "analyst" | "admin"): boolean {
  const role = places?.find((one) => one.name === collection)?.role;
  return role === undefined || role === "admin" || role === least;
}
