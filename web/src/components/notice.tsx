// One line at the foot of the window says what was done, and takes it back.

import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
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

interface Line {
  said: Said | null;
  undo: () => void;
  close: () => void;
  /** A dialogue shows the line from now on, until what is returned is called. */
  putInFront: () => () => void;
}

const Context = createContext<Notices>({ say: () => {}, undo: () => {} });
const LineContext = createContext<Line>({ said: null, undo: () => {}, close: () => {}, putInFront: () => () => {} });

export function useNotices(): Notices {
  return useContext(Context);
}

export function NoticeArea({ children }: { children: ReactNode }): ReactNode {
  const [said, setSaid] = useState<Said | null>(null);
  const [inFront, setInFront] = useState(0);
  const say = useCallback((text: string, undo?: () => Promise<void>) => setSaid(undo ? { text, undo } : { text }), []);
  const undo = useCallback(() => {
    const back = said?.undo;
    if (!back) return;
    setSaid({ text: "Undoing …" });
    back().then(
      () => setSaid({ text: "Undone." }),
      (error: Error) => setSaid({ text: `It could not be undone: ${error.message}` }),
    );
  }, [said]);
  const putInFront = useCallback(() => {
    setInFront((number) => number + 1);
    return () => setInFront((number) => number - 1);
  }, []);
  const notices = useMemo(() => ({ say, undo }), [say, undo]);
  const line = useMemo(() => ({ said, undo, close: () => setSaid(null), putInFront }), [said, undo, putInFront]);
  return (
    <Context value={notices}>
      <LineContext value={line}>
        {children}
        <Shown said={inFront === 0 ? said : null} />
      </LineContext>
    </Context>
  );
}

/** The line within a dialogue, behind which nothing can be read or reached: what is said while it is open. */
export function NoticeInFront(): ReactNode {
  const { said, putInFront } = useContext(LineContext);
  const [before] = useState(said);
  useEffect(putInFront, [putInFront]);
  return <Shown said={said === before ? null : said} />;
}

function Shown({ said }: { said: Said | null }): ReactNode {
  const { undo, close } = useContext(LineContext);
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-3 z-50 flex justify-center px-3">
      {said && (
        <div className="pointer-events-auto flex max-w-xl items-center gap-2 rounded-lg border border-line bg-ground py-1.5 pr-1.5 pl-4 text-ink shadow-lg">
          <span className="min-w-0 break-words"><Foreign>{said.text}</Foreign></span>
          {said.undo && <Button look="quiet" onClick={undo}>Undo (u)</Button>}
          <Button look="quiet" aria-label="Close this notice" onClick={close}>✕</Button>
        </div>
      )}
    </div>
  );
}
