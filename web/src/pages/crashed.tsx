// What stands in the place of a page that failed: the frame around it stays, so that every other page can be reached.

import type { ErrorComponentProps } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { Button, Empty } from "../components/controls";
import { Foreign } from "../components/text";
import { useTitle } from "../title";

export function Crashed({ error }: ErrorComponentProps): ReactNode {
  useTitle("This page could not be shown");
  return (
    <div role="alert">
      <Empty title="This page could not be shown" alone>
        <p>The interface had an unexpected error. Nothing was changed, and the other pages work.</p>
        <p className="max-w-full font-mono text-[0.8125rem] break-words text-soft"><Foreign>{messageOf(error)}</Foreign></p>
        <p>If it happens again, please report it with the line above and the address of the page.</p>
        {/* A part of the program that could not be loaded is loaded by a new page only. */}
        <Button onClick={() => location.reload()}>Try again</Button>
      </Empty>
    </div>
  );
}

/** What was thrown need not be an error. */
function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
