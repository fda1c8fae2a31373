// Single keys, where nobody is writing.

import { useEffect, useRef } from "react";

export function useKeys(actions: Record<string, () => void>): void {
  const now = useRef(actions);
  now.current = actions;
  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const on = event.target instanceof HTMLElement ? event.target : null;
      const writes = on?.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
      if (document.querySelector("dialog[open]") || (writes && event.key !== "Escape")) return;
      // A button or link that has the focus is pressed by Enter.
      if (event.key === "Enter" && on?.closest("a, button, summary, input")) return;
      if (writes) (on as HTMLElement).blur();
      const action = now.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    }
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
