// What is asked over the page.

import { type ReactNode, useEffect, useRef } from "react";
import { NoticeInFront } from "./notice";

/** A dialogue over the page: the browser keeps the focus within and gives it back. */
export function Dialog({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={onClose}
      className="m-auto max-h-[90vh] w-[min(34rem,calc(100vw-1rem))] overflow-auto rounded-lg border border-line bg-ground p-4 text-ink backdrop:bg-black/40"
    >
      {children}
      <NoticeInFront />
    </dialog>
  );
}
