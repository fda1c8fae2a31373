// The rows of issues: only those in view are in the page, however many there are.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import type { IssueHit } from "../api/issues";
import { Chip, Foreign, kind, Moment, Severity, statusWord } from "../components/text";
import { usePlace } from "../place";
import { isLate } from "./seeing";

type Line = { heading: string } | { row: IssueHit; index: number };

const GROUP: Record<string, (hit: IssueHit) => string> = {
  pretty_name: (hit) => hit.pretty_name,
  entity_name: (hit) => hit.entity_name,
  entity_type: (hit) => kind(hit.entity_type),
};

export function IssueList({ rows, total, at, group, open, selected, everything, fresh, visit, more, mayDecide, onPick, onOpen }: {
  rows: IssueHit[];
  total: number;
  at: number;
  group: string | undefined;
  open: string | undefined;
  selected: ReadonlySet<string>;
  everything: boolean;
  fresh: ReadonlySet<string> | undefined;
  visit: string | null;
  more: (() => unknown) | undefined;
  /** Whether a row can be selected. */
  mayDecide: (hit: IssueHit) => boolean;
  onPick: (uid: string) => void;
  onOpen: (index: number) => void;
}): ReactNode {
  const scroll = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => withHeadings(rows, group), [rows, group]);
  const { before: place, step, keep } = usePlace("/issues");
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 52,
    overscan: 12,
    initialOffset: place.top,
  });
  const shown = virtual.getVirtualItems();
  const last = shown[shown.length - 1]?.index ?? 0;
  useEffect(() => {
    if (more && lines.length > 0 && last >= lines.length - 20) more();
  }, [more, last, lines.length]);
  useEffect(() => keep({ top: scroll.current?.scrollTop ?? 0 }), [step, keep]);
  const shownAt = useRef(at);
  useEffect(() => {
    const line = lines.findIndex((one) => "index" in one && one.index === at);
    if (line >= 0 && at !== shownAt.current) virtual.scrollToIndex(line);
    shownAt.current = at;
    // Only a move of the cursor scrolls.
  }, [at]);
  // When the issue beside the list is closed, the focus that it had goes back to its row, or else to the list.
  const before = useRef(open);
  useEffect(() => {
    const closed = before.current !== undefined && open === undefined;
    before.current = open;
    if (!closed || (document.activeElement !== null && document.activeElement !== document.body)) return;
    const row = scroll.current?.querySelector<HTMLElement>("[data-here] button");
    (row ?? scroll.current)?.focus({ preventScroll: true });
  }, [open]);

  return (
    <div ref={scroll} className="@container min-h-0 flex-1 overflow-auto" role="table" aria-label="Issues" aria-rowcount={total} tabIndex={0}
      onScroll={(event) => keep({ top: event.currentTarget.scrollTop })}>
      <div role="rowgroup" className="relative w-full" style={{ height: virtual.getTotalSize() }}>
        {shown.map((item) => {
          const line = lines[item.index];
          if (line === undefined) return null;
          return (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              role="row"
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {"heading" in line ? (
                <div role="cell" className="border-b border-line bg-raised px-3 py-1 font-semibold">
                  <Foreign>{line.heading}</Foreign>
                </div>
              ) : (
                <Row hit={line.row} here={line.index === at} open={line.row.uid === open} picked={everything || selected.has(line.row.uid)}
                  fresh={fresh?.has(line.row.uid) ?? false} visit={visit} onPick={mayDecide(line.row) ? () => onPick(line.row.uid) : undefined} onOpen={() => onOpen(line.index)} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function withHeadings(rows: IssueHit[], group: string | undefined): Line[] {
  const of = group === undefined ? undefined : GROUP[group];
  const lines: Line[] = [];
  let before: string | undefined;
  rows.forEach((row, index) => {
    const heading = of?.(row);
    if (heading !== undefined && heading !== before) lines.push({ heading });
    before = heading;
    lines.push({ row, index });
  });
  return lines;
}

function Row({ hit, here, open, picked, fresh, visit, onPick, onOpen }: {
  hit: IssueHit;
  here: boolean;
  open: boolean;
  picked: boolean;
  fresh: boolean;
  visit: string | null;
  onPick: (() => void) | undefined;
  onOpen: () => void;
}): ReactNode {
  const style = open ? "bg-picked" : here ? "bg-raised" : "hover:bg-raised";
  return (
    <div
      role="presentation"
      {...(here ? { "data-here": "" } : {})}
      className={`flex min-h-13 cursor-pointer items-center gap-3 border-b border-line px-3 py-1.5 ${style} ${here ? "shadow-[inset_3px_0_var(--accent)]" : ""}`}
      onClick={onOpen}
    >
      <span role="cell" className="flex items-center">
        {onPick && (
          <input type="checkbox" aria-label={`Select ${hit.pretty_name}`} checked={picked} className="size-4"
            onClick={(event) => event.stopPropagation()} onChange={onPick} />
        )}
      </span>
      <span role="cell"><Severity of={hit.summary.severity} /></span>
      <span role="cell" className="min-w-0 flex-1">
        <button type="button" aria-expanded={open} className="block max-w-full text-left font-medium sm:truncate"
          onClick={(event) => { event.stopPropagation(); onOpen(); }}>
          <Foreign>{hit.pretty_name}</Foreign>
        </button>
        <span className="block truncate font-mono text-xs text-soft" title={hit.entity_name}>
          {hit.cisa_known_exploited && <span className="font-sans font-semibold text-accent @xl:hidden">known exploited </span>}
          <Foreign>{hit.entity_name}</Foreign>
          {!hit.pretty_name.includes(hit.discriminator) && <Foreign>{` · ${hit.discriminator}`}</Foreign>}
        </span>
      </span>
      <span role="cell" className="hidden shrink-0 flex-wrap justify-end gap-1 @xl:flex">
        {fresh && <Chip tone="accent">{visit !== null && hit.first_seen < visit ? "back" : "new"}</Chip>}
        {isLate(hit.due_at) && <Chip tone="high">overdue</Chip>}
        {hit.cisa_known_exploited && <Chip tone="accent">known exploited</Chip>}
        {hit.epss_v2_score_lte !== null && <Chip>EPSS {Math.round(hit.epss_v2_score_lte * 100)} %</Chip>}
        {hit.assignee !== null && <Chip><Foreign>{hit.assignee}</Foreign></Chip>}
        {hit.summary.confidence === "potential" && <Chip>potential</Chip>}
        {hit.summary.status !== "open_new" && <Chip tone={hit.summary.status_new === "closed" ? "good" : "soft"}>{statusWord(hit.summary.status)}</Chip>}
        {hit.tags.map((tag) => <Chip key={tag}><Foreign>{tag}</Foreign></Chip>)}
      </span>
      <span role="cell" className="hidden w-24 shrink-0 text-right text-xs text-soft @sm:block"><Moment at={hit.first_seen} /></span>
    </div>
  );
}
