// Objects of the wider API: files, URLs, domains, addresses and collections, by their types and ids.

import { queryOptions } from "@tanstack/react-query";
import { ask, Failure } from "./client";

export interface WiderObject {
  type: string;
  id: string;
  attributes: Record<string, unknown>;
}

/** Where objects of a type are, by the words that stand in addresses of the interface. */
const PLACES: Record<string, string> = {
  collection: "collections",
  domain: "domains",
  file: "files",
  ip_address: "ip_addresses",
  url: "urls",
};

/** The type that an address of the interface names; clients write some with a hyphen. */
export function typeOf(word: string): string {
  return word.replaceAll("-", "_");
}

export function object(word: string, id: string) {
  return queryOptions({
    queryKey: ["object", word, id],
    queryFn: async ({ signal }): Promise<WiderObject> => {
      const place = PLACES[typeOf(word)];
      if (place === undefined) throw new Failure(404, `There is nothing that is called ${word}.`);
      const said = await ask<unknown>("GET", `/api/v3/${place}/${encodeURIComponent(id)}`, undefined, signal);
      return (said as unknown as { data: WiderObject }).data;
    },
  });
}
