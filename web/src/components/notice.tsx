// One line at the foot of the page says what was done, and takes it back.

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { Button } from "./controls";
import { Foreign } from "./text";

interface Said {
  text: string;
  undo?: () => Promise<void>;
}

interface Notices {
  say: (text: string, undo?: () => Promise<void>) => void;
  /** Takes the last thing back, where it can be. */
  undo: () => void;
}

const Context = createContext<Notices>({ say: () => {}, undo: () => {} });

export function useNotices(): Notices {
  return useContext(Context);
}

export function NoticeArea({ children }: { children: ReactNode }): ReactNode {
  const [said, setSaid] = useState<Said | null>(null);
  const say = useCallback((text: string, undo?: () => Promise<void>) => setSaid(undo ? { text, undo } : { text }), []);
  const undo = useCallback(() => {
    const back = said?.undo;
    if (!back) return;
    setSaid({ text: "Taking it back …" });
    back().then(
      () => setSaid({ text: "Taken back." }),
      (error: Error) => setSaid({ text: `It could not be taken back: ${error.message}` }),
    );
  }, [said]);
  const notices = useMemo(() => ({ say, undo }), [say, undo]);
  return (
    <Context value={notices}>
      {children}
      <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-3 z-50 flex justify-center px-3">
        {said && (
          <div className="pointer-events-auto flex max-w-xl items-center gap-2 rounded-lg border border-line bg-ground py-1.5 pr-1.5 pl-4 shadow-lg">
            <span className="min-w-0 break-words"><Foreign>{said.text}</Foreign></span>
            {said.undo && <Button look="quiet" onClick={undo}>Undo (u)</Button>}
            <Button look="quiet" aria-label="Close this notice" onClick={() => setSaid(null)}>✕</Button>
          </div>
        )}
      </div>
    </Context>
  );
}
