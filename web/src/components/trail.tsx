// The way from a seed to an entity: why it is believed to be ours. Without its end, where that is named already.

import { type ReactNode } from "react";
import type { Schema } from "../api/client";
import { Foreign, kind, words } from "./text";

export function Trail({ scope, end = true }: { scope: Schema["ScopeExplanation"]; end?: boolean }): ReactNode {
  const seed = scope.path.length === 0 && scope.evidence.length === 0;
  return (
    <div>
      <ol className="flex flex-col gap-1">
        {scope.path.map((step, index) => (
          <li key={index}>
            <span className="text-soft">{index === 0 ? "seed" : "→"} {kind(step.type)}</span>{" "}
            <span className="font-mono text-[0.8125rem] break-all"><Foreign>{step.name}</Foreign></span>{" "}
            <span className="text-xs text-soft">
              by {words(step.task)}: {words(step.edge)}
              {step.ownership < 1 && ` (${Math.round(step.ownership * 100)} % ours)`}
              {step.ground && <>; {step.ground.text}</>}
            </span>
          </li>
        ))}
        {end && (
          <li>
            <span className="text-soft">{seed ? "seed" : "→"} {kind(scope.type)}</span>{" "}
            <span className="font-mono text-[0.8125rem] font-semibold break-all"><Foreign>{scope.name}</Foreign></span>
          </li>
        )}
      </ol>
      {scope.evidence.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-xs" aria-label="Evidence">
          {scope.evidence.map((piece) => <li key={piece.kind}><Foreign>{piece.text}</Foreign></li>)}
        </ul>
      )}
      {end && (
        <p className="mt-1 text-xs text-soft">
          {scope.scoped ? "In scope" : "Not in scope"}: {Math.round(scope.ownership * 100)} % ours
          {scope.allow_list && "; on the allow list"}
          {scope.deny_list && "; on the deny list"}
        </p>
      )}
    </div>
  );
}
