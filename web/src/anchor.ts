// The part of a page that its address names behind a #: what is there is loaded after the browser has looked for it.

import { useLocation } from "@tanstack/react-router";
import { type RefObject, useEffect } from "react";

/** With these a person takes over: from then on nothing moves by itself. */
const ACTS = ["wheel", "touchstart", "pointerdown", "keydown"];

/** Brings the named part into view once it is there, and again while what stands above it comes in; `content` is what grows by that. */
export function useAnchor(content: RefObject<HTMLElement | null>): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash === "" || content.current === null) return;
    let found: HTMLElement | null = null;
    const watch = new ResizeObserver(() => {
      const part = document.getElementById(hash);
      part?.scrollIntoView();
      if (part !== null && part !== found) {
        // The next press of Tab goes on from here.
        part.tabIndex = -1;
        part.focus({ preventScroll: true });
      }
      found = part;
    });
    watch.observe(content.current);
    const end = () => {
      watch.disconnect();
      ACTS.forEach((act) => removeEventListener(act, end, true));
    };
    ACTS.forEach((act) => addEventListener(act, end, { capture: true, passive: true }));
    return end;
  }, [hash, content]);
}
