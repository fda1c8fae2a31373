// Where a person was in a long list, for each step of the browser's history: Back leads there again. Kept until the page is
// loaded anew.

import { useLocation } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";

export interface Place {
  /** How far the list was scrolled, in pixels. */
  top: number;
  /** The row of the cursor. */
  at: number;
}

/** Steps that are remembered: the oldest give way. */
const STEPS_MAX = 200;

export class Places {
  readonly #kept = new Map<string, Place>();

  of(step: string): Place {
    return this.#kept.get(step) ?? { top: 0, at: 0 };
  }

  keep(step: string, part: Partial<Place>): void {
    const place = { ...this.of(step), ...part };
    // What is put in last is the newest.
    this.#kept.delete(step);
    this.#kept.set(step, place);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > STEPS_MAX && !oldest.done) this.#kept.delete(oldest.value);
  }
}

const places = new Places();

/**
 * Where the person was when this step was left, and what keeps where they are now. While a page gives way to another, the
 * step is that of the other already: `path` says whose is kept.
 */
export function usePlace(path: string): { before: Place; step: string; keep: (part: Partial<Place>) => void } {
  const location = useLocation();
  const now = useRef(location.state.__TSR_key ?? location.href);
  if (location.pathname === path) now.current = location.state.__TSR_key ?? location.href;
  const [before] = useState(() => places.of(now.current));
  const keep = useCallback((part: Partial<Place>) => places.keep(now.current, part), []);
  return { before, step: now.current, keep };
}
