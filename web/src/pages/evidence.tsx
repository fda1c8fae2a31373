// What an issue rests on: when what was probed, what was sent, and the beginning of what came, with secrets masked.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schema } from "../api/client";
import { issueEvidence } from "../api/issues";
import { Foreign, kind, Moment, words } from "../components/text";

const OUTCOMES: Record<Schema["IssueEvidence"]["outcome"], string> = {
  found: "",
  absent: "; it was not there",
  unknown: "; it could not be probed",
};

export function Evidence({ uid }: { uid: string }): ReactNode {
  const probes = useQuery(issueEvidence(uid));
  if (probes.data === undefined) return <p className="text-soft">{probes.error ? probes.error.message : "Loading …"}</p>;
  if (probes.data.length === 0) return <p className="text-soft">No probe that proves this issue is stored.</p>;
  return (
    <ul className="flex flex-col gap-3">
      {probes.data.map((probe, index) => (
        <li key={index}>
          <p className="text-xs text-soft break-words">
            {words(probe.task)} of the {kind(probe.entity_type)} <Foreign>{probe.entity_name}</Foreign>
            {probe.argument !== "" && <>, at <Foreign>{probe.argument}</Foreign></>}, <Moment at={probe.at} />
            {OUTCOMES[probe.outcome]}
            {probe.reason !== null && <>: <Foreign>{probe.reason}</Foreign></>}
          </p>
          {probe.pieces.map((piece) => <Piece key={piece.sha256} of={piece} />)}
        </li>
      ))}
    </ul>
  );
}

function Piece({ of }: { of: Schema["EvidencePiece"] }): ReactNode {
  const came = of.label === "exchange" ? "Answer" : words(of.label);
  if (of.answer === null) return <p className="mt-1">{came}: it is no longer kept.</p>;
  const notes = [
    of.masked > 0 ? `${of.masked} masked` : "",
    of.truncated ? `a part of ${of.size.toLocaleString("en")} bytes` : "",
  ].filter((note) => note !== "");
  return (
    <>
      {of.request !== null && <Block title="Request" text={of.request} />}
      <Block title={notes.length === 0 ? came : `${came} (${notes.join(", ")})`} text={of.answer} />
    </>
  );
}

function Block({ title, text }: { title: string; text: string }): ReactNode {
  return (
    <figure className="mt-1">
      <figcaption className="text-xs text-soft">{title}</figcaption>
      <pre
        tabIndex={0}
        role="group"
        aria-label={title}
        className="max-h-64 overflow-auto rounded bg-raised p-2 font-mono text-[0.8125rem] break-all whitespace-pre-wrap"
      >
        <Foreign lines>{text.trimEnd()}</Foreign>
      </pre>
    </figure>
  );
}
