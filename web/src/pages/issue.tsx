// One issue beside the list: why, the proof, how to see it, how to mend it, why the thing is ours, what was decided.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import type { Schema } from "../api/client";
import { scope } from "../api/entities";
import { decide, type Decision, issue, issueHistory } from "../api/issues";
import { collections } from "../api/session";
import { Button, CopyButton, Trouble } from "../components/controls";
import { Facts } from "../components/facts";
import { useNotices } from "../components/notice";
import { Chip, Foreign, kind, Moment, Severity, statusWord, words } from "../components/text";
import { Trail } from "../components/trail";
import { highlighted } from "../highlight";
import { reproduce } from "../reproduce";
import { mayIn } from "../roles";
import type { Choice } from "./decision";
import { Evidence } from "./evidence";
import { Assignee, Due, LookAgain } from "./seeing";

export function IssueDrawer({ uid, onClose, onChoose }: { uid: string; onClose: () => void; onChoose: (choice: Choice) => void }): ReactNode {
  const found = useQuery(issue(uid));
  const heading = useRef<HTMLHeadingElement>(null);
  const there = found.data !== undefined;
  useEffect(() => {
    if (there) heading.current?.focus({ preventScroll: true });
  }, [there]);
  return (
    <aside
      aria-label="Issue"
      className="fixed inset-0 z-30 flex flex-col bg-ground md:static md:z-0 md:w-[min(36rem,50vw)] md:shrink-0 md:border-l md:border-line"
    >
      {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data ? (
        <Body found={found.data} heading={heading} onClose={onClose} onChoose={onChoose} />
      ) : (
        <div className="flex justify-between p-3">
          <p role="status">{found.error ? "" : "Loading …"}</p>
          <Button look="quiet" aria-label="Close" onClick={onClose}>✕</Button>
        </div>
      )}
    </aside>
  );
}

function Body({ found, heading, onClose, onChoose }: {
  found: Schema["IssueDetail"];
  heading: React.RefObject<HTMLHeadingElement | null>;
  onClose: () => void;
  onChoose: (choice: Choice) => void;
}): ReactNode {
  const why = useQuery(scope(found.entity_uid));
  const history = useQuery(issueHistory(found.uid));
  const command = reproduce(found);
  const closed = found.status.startsWith("closed");
  const places = useQuery(collections).data;
  const decides = mayIn(places, found.collection, "analyst");
  return (
    <>
      <header className="border-b border-line p-3">
        <div className="flex items-start gap-2">
          <Severity of={found.severity} />
          <h2 ref={heading} tabIndex={-1} className="min-w-0 flex-1 text-base font-semibold break-words outline-none">
            <Foreign>{found.pretty_name}</Foreign>
          </h2>
          <Button look="quiet" aria-label="Close" onClick={onClose}>✕</Button>
        </div>
        <p className="mt-1 break-all">
          <span className="text-soft">{kind(found.entity_type)} </span>
          <Link to="/entities/$uid" params={{ uid: found.entity_uid }} search={{}} className="font-mono text-[0.8125rem] text-accent underline">
            <Foreign>{found.entity_name}</Foreign>
          </Link>
        </p>
        <p className="mt-1 flex flex-wrap items-center gap-2 text-xs text-soft">
          <Chip tone={closed ? "good" : "accent"}>{statusWord(found.status)}</Chip>
          <Chip>{found.confidence}</Chip>
          <Chip>{words(found.category)}</Chip>
          <Due at={found.due_at} />
          <span>first seen <Moment at={found.first_seen} />, last seen <Moment at={found.last_seen} /></span>
        </p>
        <div className="mt-2 flex flex-wrap gap-1.5">
          {!decides ? (
            <p className="text-soft">You may view this collection. Deciding requires the role of an analyst.</p>
          ) : closed ? (
            <Reopen uid={found.uid} history={history.data} />
          ) : (
            <>
              <Button look="first" onClick={() => onChoose("accept")}>Accept until …</Button>
              <Button onClick={() => onChoose("not ours")}>Not ours</Button>
              <Button onClick={() => onChoose("done")}>Done</Button>
            </>
          )}
          <LookAgain of={found} may={mayIn(places, found.collection, "admin")} />
        </div>
        <div className="mt-2">
          {decides ? <Assignee key={found.assignee} of={found} />
            : found.assignee !== null && <p><span className="text-soft">Seen to by</span> <Foreign>{found.assignee}</Foreign></p>}
        </div>
      </header>
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-3" tabIndex={0} role="region" aria-label="What is known of it">
        <Part title="Why it matters"><p>{found.description}</p></Part>
        {found.details.proof && (
          <Part title="Evidence">
            <p className="mb-1 border-l-4 border-accent pl-2 break-words">
              {highlighted(found.details.proof.description, found.details.proof.details).map((piece, index) =>
                piece.marked
                  ? <mark key={index} className="rounded-sm bg-picked px-0.5 font-semibold text-ink"><Foreign>{piece.text}</Foreign></mark>
                  : <Foreign key={index}>{piece.text}</Foreign>)}
            </p>
            <Facts of={found.details.proof.details as Record<string, unknown>} />
          </Part>
        )}
        <Part title="What was sent and received"><Evidence uid={found.uid} /></Part>
        {command !== null && (
          <Part title="How to reproduce it">
            <div className="flex items-start gap-2">
              <code className="min-w-0 flex-1 rounded bg-raised p-2 font-mono text-[0.8125rem] break-all"><Foreign>{command}</Foreign></code>
              <CopyButton text={command} />
            </div>
          </Part>
        )}
        <Part title="How to fix it"><p>{found.details.remediation}</p></Part>
        <Part title="Why it is believed to be ours">
          {why.data ? <Trail scope={why.data} /> : <p className="text-soft">{why.error ? why.error.message : "Loading …"}</p>}
        </Part>
        <References of={found.details.references} />
        <Part title="What happened">
          <ol className="flex flex-col gap-1">
            {(history.data ?? []).toReversed().map((version) => (
              <li key={version.at}>
                <Moment at={version.at} />: {statusWord(version.status)}
                {version.until && <> until {version.until === "change" ? "its proof or severity changes" : version.until.slice(0, 10)}</>}
                {version.by && <> by <Foreign>{version.by}</Foreign></>}
                {version.reason && <> — <Foreign>{version.reason}</Foreign></>}
              </li>
            ))}
          </ol>
        </Part>
      </div>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section>
      <h3 className="mb-1 text-xs font-semibold text-soft">{title}</h3>
      {children}
    </section>
  );
}

/** Pages of others about the kind of issue: they open only when asked for, and learn nothing of this one. */
function References({ of }: { of: { uri: string; type: string }[] }): ReactNode {
  if (of.length === 0) return null;
  return (
    <Part title="To read">
      <ul>
        {of.map((one) => (
          <li key={one.uri} className="break-all">
            <a href={one.uri} target="_blank" rel="noopener noreferrer" className="text-accent underline">{one.uri}</a>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Reopen({ uid, history }: { uid: string; history: Schema["IssueVersion"][] | undefined }): ReactNode {
  const queries = useQueryClient();
  const { say } = useNotices();
  const last = history?.[history.length - 1];
  async function reopen() {
    await decide([uid], { status: "open_new" });
    await queries.invalidateQueries();
    if (last === undefined) return;
    const before: Decision = {
      status: last.status,
      ...(last.reason ? { reason: last.reason } : {}),
      ...(last.until ? { until: last.until } : {}),
    };
    say("The issue is open again.", async () => {
      await decide([uid], before);
      await queries.invalidateQueries();
    });
  }
  return (
    <Button disabled={last === undefined} onClick={() => reopen().catch((error: Error) => say(error.message))}>Open it again</Button>
  );
}
