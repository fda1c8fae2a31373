// How well domains protect what everybody can see of them: of one with every reason and its history, of a collection the
// worst first.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Collection } from "../api/collections";
import { type EntityPosture, type OrganizationPosture, organizationPostures, posture, postures, type SeedPosture } from "../api/postures";
import { AsOfPicker } from "../components/asof";
import { Button, Section, Trouble } from "../components/controls";
import { CELL, ROW, Table } from "../components/page";
import { Chip, count, Foreign, Moment } from "../components/text";

type Grade = SeedPosture["grade"];

/** The workflow that weighs what it looks at. */
const WEIGHS = "third_party_workflow";
/** Rows that are shown before more are asked for. */
const SHOWN = 20;
/** Reasons that a row names. */
const WORST = 3;

/** What is looked at, in words. */
const AREAS: Record<SeedPosture["unknown"][number], string> = {
  dns: "names",
  encryption: "encryption",
  mail: "mail",
  registration: "registration",
  web: "web",
};

function Score({ score, grade }: { score: number; grade: Grade }): ReactNode {
  return <Chip tone={grade <= "B" ? "good" : grade <= "C" ? "soft" : "high"}>{score} of 100, {grade}</Chip>;
}

/** What takes points away, each with how many. */
function Findings({ of }: { of: SeedPosture["findings"] }): ReactNode {
  if (of.length === 0) return <p>No finding lowers the score.</p>;
  return (
    <ul aria-label="What lowers the score">
      {of.map((finding, index) => (
        <li key={index} className="flex gap-2">
          <span className="w-8 shrink-0 text-right font-mono">{finding.points}</span>
          <span className="min-w-0 break-words"><span className="text-soft">{AREAS[finding.area]}:</span> <Foreign>{finding.text}</Foreign></span>
        </li>
      ))}
    </ul>
  );
}

/** Services by name, with what shows that they are used. */
function services(of: SeedPosture["suppliers"]): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const { name, by, value } of of) found.set(name, [...(found.get(name) ?? []), `${by} ${value}`]);
  return [...found].sort(([a], [b]) => a.localeCompare(b));
}

/** The part of an entity's page; nothing where nobody weighed it. */
export function PostureOf({ uid, asOf }: { uid: string; asOf: string | undefined }): ReactNode {
  const said = useQuery(posture(uid, asOf));
  if (said.error) return <Trouble error={said.error} retry={() => void said.refetch()} />;
  if (!said.data || (said.data.posture === null && said.data.history.length === 0 && said.data.suppliers.length === 0)) return null;
  const { posture: now, suppliers, history } = said.data;
  return (
    <Section title="How well it is protected" id="posture">
      <div className="flex flex-col gap-3">
        {now === null ? <p>{asOf === undefined ? "It is no longer assessed." : "It had not been assessed then."}</p> : (
          <>
            <p className="flex flex-wrap items-center gap-2">
              <Score score={now.score} grade={now.grade} />
              {now.organization !== null && <span className="min-w-0 break-words">registered to <Foreign>{now.organization}</Foreign></span>}
            </p>
            <Findings of={now.findings} />
            {now.unknown.length > 0 && (
              <p className="text-soft">Could not be probed, and does not lower the score: {now.unknown.map((area) => AREAS[area]).join(", ")}.</p>
            )}
          </>
        )}
        {suppliers.length > 0 && (
          <div>
            <h3 className="text-xs font-semibold text-soft">Whose services it uses</h3>
            <ul>
              {services(suppliers).map(([name, signs]) => (
                <li key={name} className="break-words"><Foreign>{name}</Foreign> <span className="text-soft">by <Foreign>{signs.join(", ")}</Foreign></span></li>
              ))}
            </ul>
          </div>
        )}
        <History of={history} />
      </div>
    </Section>
  );
}

function History({ of }: { of: EntityPosture["history"] }): ReactNode {
  const [all, setAll] = useState(false);
  const newest = of.toReversed();
  if (of.length === 0) return null;
  return (
    <div>
      <h3 className="text-xs font-semibold text-soft">Scores</h3>
      <ol aria-label="Scores">
        {newest.slice(0, all ? undefined : SHOWN).map((point) => (
          <li key={point.at} className="flex flex-wrap items-center gap-2 py-0.5">
            {point.score === null || point.grade === null ? <span>none</span> : <Score score={point.score} grade={point.grade} />}
            <span className="text-soft">since <Moment at={point.at} /></span>
          </li>
        ))}
      </ol>
      {!all && newest.length > SHOWN && <Button look="quiet" onClick={() => setAll(true)}>{count(newest.length - SHOWN, "older score")}</Button>}
    </div>
  );
}

/** Organisations that registered more than one of the domains: each as its weakest one. */
function Organizations({ of, asOf }: { of: OrganizationPosture[]; asOf: string | undefined }): ReactNode {
  const several = of.filter((one) => one.domains.length > 1);
  if (several.length === 0) return null;
  return (
    <Table label="Organizations" heads={["Score", "Registered to", "Domains", "What weighs most", "Score before"]}>
      {several.map((one) => {
        const before = one.history.at(-2);
        return (
          <tr key={one.organization} className={ROW}>
            <td className={CELL}><Score score={one.score} grade={one.grade} /></td>
            <td className={CELL}><Foreign>{one.organization ?? ""}</Foreign></td>
            <td className={CELL}>
              {one.domains.slice(0, WORST).map((domain) => (
                <Link key={domain.uid} to="/entities/$uid" params={{ uid: domain.uid }} search={asOf === undefined ? {} : { as_of: asOf }} hash="posture" className="block min-h-6 w-fit font-mono text-[0.8125rem] leading-6 text-accent underline">
                  <Foreign>{domain.name}</Foreign> {domain.score}
                </Link>
              ))}
              {one.domains.length > WORST && <span className="text-soft">and {count(one.domains.length - WORST, "better one")}</span>}
            </td>
            <td className={`${CELL} min-w-60`}>
              {one.findings.length === 0 ? "nothing" : <Foreign>{one.findings.slice(0, WORST).map((finding) => `${finding.text} (${finding.domains.length})`).join("; ")}</Foreign>}
            </td>
            <td className={CELL}>{before && (before.score === null ? "none" : before.score)}</td>
          </tr>
        );
      })}
    </Table>
  );
}

/** The part of a collection's page, where its runs weigh what they look at. */
export function Postures({ of, asOf, onMoment }: {
  of: Collection;
  asOf: string | undefined;
  onMoment: (asOf: string | undefined) => void;
}): ReactNode {
  const [shown, setShown] = useState(SHOWN);
  const found = useQuery({ ...postures(of.uuid, asOf), enabled: of.workflow_name === WEIGHS });
  // Histories of many suppliers take long to read: they are asked for where two of them may be one organisation, spelled
  // as the server compares them.
  const named = found.data?.flatMap((row) => row.organization ?? []) ?? [];
  const hasSeveral = new Set(named.map((name) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim())).size < named.length;
  const together = useQuery({ ...organizationPostures(of.uuid, asOf), enabled: hasSeveral });
  if (of.workflow_name !== WEIGHS) return null;
  const all = found.data;
  return (
    <Section title="How well they are protected" id="postures">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <p className="max-w-prose text-soft">By what is publicly visible, the worst first. What could not be probed does not lower the score.</p>
        <AsOfPicker asOf={asOf} onChange={onMoment} />
      </div>
      {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {!all && !found.error && <p role="status">Loading …</p>}
      {all?.length === 0 && <p>{asOf === undefined ? "None of its seeds has been assessed yet: a run assesses each domain among them." : "None of its seeds had been assessed then."}</p>}
      {together.error && <Trouble error={together.error} retry={() => void together.refetch()} />}
      {hasSeveral && together.data && <Organizations of={together.data} asOf={asOf} />}
      {all && all.length > 0 && (
        <Table label="Postures" heads={["Score", "Domain", "Registered to", "What weighs most", "Uses"]}>
          {all.slice(0, shown).map((row) => (
            <tr key={row.uid} className={ROW}>
              <td className={CELL}><Score score={row.score} grade={row.grade} /></td>
              <td className={CELL}>
                <Link to="/entities/$uid" params={{ uid: row.uid }} search={asOf === undefined ? {} : { as_of: asOf }} hash="posture" className="font-mono text-[0.8125rem] text-accent underline">
                  <Foreign>{row.name}</Foreign>
                </Link>
              </td>
              <td className={CELL}>{row.organization !== null && <Foreign>{row.organization}</Foreign>}</td>
              <td className={`${CELL} min-w-60`}>
                {row.findings.length === 0 ? "nothing" : <Foreign>{row.findings.slice(0, WORST).map((finding) => finding.text).join("; ")}</Foreign>}
                {row.unknown.length > 0 && <span className="text-soft"> not known: {row.unknown.map((area) => AREAS[area]).join(", ")}</span>}
              </td>
              <td className={`${CELL} min-w-32`}><Foreign>{services(row.suppliers).map(([name]) => name).join(", ")}</Foreign></td>
            </tr>
          ))}
        </Table>
      )}
      {all && all.length > shown && <Button look="quiet" onClick={() => setShown(shown + 5 * SHOWN)}>{count(all.length - shown, "more domain")}</Button>}
    </Section>
  );
}
