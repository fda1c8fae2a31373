// The title of the page, by which tabs and the browser's history tell one page from another.

import { useEffect } from "react";
import { visible } from "./hostile";

const CHARS_MAX = 120;

/** What a page is called, before the name of the program. A name of others is shown with what cannot be seen in it. */
export function titled(name: string | undefined): string {
  if (name === undefined || name === "") return "Ambit";
  const text = visible(name);
  return `${text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}…` : text} · Ambit`;
}

/** Gives the page this title; while the name is not known, it is the program's. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    document.title = titled(name);
  }, [name]);
}
