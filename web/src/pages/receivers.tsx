// Who is told what happens in a project: receivers with their rules, a test, and what was sent to each.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useAct } from "../act";
import type { Schema } from "../api/client";
import { deliveries, makeReceiver, type NewReceiver, type Receiver, receivers, removeReceiver, replayFailed, testReceiver } from "../api/receivers";
import { collections } from "../api/session";
import { Button, CopyButton, FIELD, Section, Trouble } from "../components/controls";
import { Dialog } from "../components/dialog";
import { CELL, ROW, Table } from "../components/page";
import { Chip, count, Foreign, Moment } from "../components/text";

type Channel = NewReceiver["channel"];
type Digest = NonNullable<NewReceiver["digest"]>;

/** Each channel with what its target is, and what its token is where it has one. */
const CHANNELS: [Channel, string, string, string | null][] = [
  ["email", "E-mail", "Address", null],
  ["webhook", "Webhook", "URL", null],
  ["slack", "Slack", "URL of its incoming webhook", null],
  ["teams", "Microsoft Teams", "URL of its workflow", null],
  ["discord", "Discord", "URL of its webhook", null],
  ["mattermost", "Mattermost", "URL of its incoming webhook", null],
  ["pagerduty", "PagerDuty", "Integration key", null],
  ["splunk", "Splunk", "URL of its event collector", "Token"],
  ["syslog", "Syslog over TLS", "HOST:PORT", null],
];
const DIGESTS: [Digest, string][] = [
  ["at_once", "at once"],
  ["hourly", "every hour"],
  ["daily", "at eight in the morning"],
  ["weekly", "on Mondays at eight"],
];
const EVENTS: Record<Receiver["events"][number], string> = {
  "entity.new": "something of yours is new",
  "entity.changed": "something of yours changed",
  "entity.gone": "something of yours is gone",
  "issue.opened": "an issue is opened",
  "issue.back": "an issue is back",
  "issue.closed": "an issue is closed",
  "issue.confirmed": "an issue is confirmed",
  "run.begun": "a run begins",
  "run.ended": "a run ends",
  "run.short": "a run falls short",
  "quota.near": "a quota is nearly used up",
};

export function Receivers({ project }: { project: Schema["Project"] }): ReactNode {
  const all = useQuery(receivers);
  const [log, setLog] = useState<Receiver | null>(null);
  if (project.role !== "owner") return <p>The owners of a project decide who is notified of what happens in it.</p>;
  return (
    <>
      <NewOne />
      <Section title="Who is told">
        {all.error && <Trouble error={all.error} retry={() => void all.refetch()} />}
        {all.data?.length === 0 && <p>Nobody yet.</p>}
        {all.data && all.data.length > 0 && (
          <Table label="Receivers of notifications" heads={["Who", "By", "Of what", "When", "State", "Do"]}>
            {all.data.map((one) => <Row key={one.uuid} of={one} onLog={() => setLog(one)} />)}
          </Table>
        )}
      </Section>
      {log && <Log of={log} onClose={() => setLog(null)} />}
    </>
  );
}

function Row({ of, onLog }: { of: Receiver; onLog: () => void }): ReactNode {
  const { busy, act } = useAct();
  const places = useQuery(collections);
  const channel = CHANNELS.find(([name]) => name === of.channel)?.[1] ?? of.channel;
  const place = places.data?.find((one) => one.uuid === of.collection_uuid);
  return (
    <tr className={ROW}>
      <th scope="row" className={`${CELL} min-w-32 font-normal break-words`}><Foreign>{of.name}</Foreign><span className="block text-xs text-soft break-all"><Foreign>{of.target}</Foreign></span></th>
      <td className={CELL}>{channel}</td>
      <td className={`${CELL} min-w-40`}>
        <ul>{of.events.map((event) => <li key={event}>{EVENTS[event]}</li>)}</ul>
        {of.query !== null && <span className="block font-mono text-[0.8125rem] break-all"><Foreign>{of.query}</Foreign></span>}
        {place && <span className="block">only in <Foreign>{place.printable_name}</Foreign></span>}
      </td>
      <td className={CELL}>
        {DIGESTS.find(([name]) => name === of.digest)?.[1]}
        {of.quiet_hours !== null && <span className="block">quiet <Foreign>{of.quiet_hours}</Foreign></span>}
        {(of.digest !== "at_once" || of.quiet_hours !== null) && <span className="block text-soft"><Foreign>{of.time_zone}</Foreign></span>}
      </td>
      <td className={CELL}>
        {of.ended !== null ? <><Chip>ended</Chip> <Foreign>{of.ended}</Foreign></> : of.failing_since !== null ? <>fails since <Moment at={of.failing_since} /></> : "at work"}
      </td>
      <td className={CELL}>
        <div className="flex flex-wrap gap-1">
          <Button disabled={busy} onClick={() => void act(() => testReceiver(of.uuid), `A test is on its way to ${of.name}.`)}>Test<span className="sr-only"> {of.name}</span></Button>
          <Button onClick={onLog}>What was sent<span className="sr-only"> to {of.name}</span></Button>
          <Button disabled={busy} onClick={() => void act(() => removeReceiver(of.uuid), `${of.name} is not told any more.`)}>Remove<span className="sr-only"> {of.name}</span></Button>
        </div>
      </td>
    </tr>
  );
}

function Log({ of, onClose }: { of: Receiver; onClose: () => void }): ReactNode {
  const sent = useQuery(deliveries(of.uuid));
  const { busy, act } = useAct();
  const failed = (sent.data ?? []).some((one) => one.state === "failed");
  return (
    <Dialog label={`What was sent to ${of.name}`} onClose={onClose}>
      <h2 className="mb-2 text-base font-semibold break-words">What was sent to <Foreign>{of.name}</Foreign></h2>
      {sent.error && <Trouble error={sent.error} retry={() => void sent.refetch()} />}
      {sent.data?.length === 0 && <p>Nothing so far.</p>}
      <ul className="flex max-h-96 flex-col divide-y divide-line overflow-auto" tabIndex={0} aria-label="Messages">
        {(sent.data ?? []).map((one) => (
          <li key={one.uuid} className="py-1.5">
            <p className="flex flex-wrap gap-x-2">
              <Moment at={one.created_at} /> <Chip>{one.state}</Chip> <span>{one.type}</span>
              {one.attempts > 1 && <span className="text-soft">{count(one.attempts, "attempt")}</span>}
            </p>
            {one.answer !== null && <p className="break-words text-soft"><Foreign>{one.answer}</Foreign></p>}
            {one.titles.length > 0 && <ul>{one.titles.map((title, index) => <li key={index} className="break-words"><Foreign>{title}</Foreign></li>)}</ul>}
          </li>
        ))}
      </ul>
      <form method="dialog" className="mt-3 flex justify-end gap-2">
        {(failed || of.ended !== null) && (
          <Button disabled={busy} onClick={() => void act(() => replayFailed(of.uuid), `What failed is sent to ${of.name} again.`)}>Send again what failed</Button>
        )}
        <Button type="submit">Close</Button>
      </form>
    </Dialog>
  );
}

function NewOne(): ReactNode {
  const [channel, setChannel] = useState<Channel>("email");
  const [target, setTarget] = useState("");
  const [token, setToken] = useState("");
  const [query, setQuery] = useState("");
  const [digest, setDigest] = useState<Digest>("at_once");
  const [quiet, setQuiet] = useState("");
  const [made, setMade] = useState<Schema["MadeReceiver"] | null>(null);
  const { busy, act } = useAct();
  const [, , what, tokenIs] = CHANNELS.find(([name]) => name === channel) ?? CHANNELS[0]!;
  function submit(event: FormEvent) {
    event.preventDefault();
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const body: NewReceiver = {
      channel,
      target: target.trim(),
      digest,
      time_zone: zone,
      ...(tokenIs !== null ? { token: token.trim() } : {}),
      ...(query.trim() !== "" ? { query: query.trim() } : {}),
      ...(quiet.trim() !== "" ? { quiet_hours: quiet.trim() } : {}),
    };
    void act(async () => setMade(await makeReceiver(body)), `${target.trim()} is told from now on.`).then((done) => {
      if (done) [setTarget, setToken, setQuery, setQuiet].forEach((set) => set(""));
    });
  }
  return (
    <Section title="Tell somebody">
      <form className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-3" onSubmit={submit}>
        <label className="flex flex-col gap-1">
          By
          <select className={FIELD} value={channel} onChange={(event) => setChannel(event.target.value as Channel)}>
            {CHANNELS.map(([name, words]) => <option key={name} value={name}>{words}</option>)}
          </select>
        </label>
        <label className="flex flex-col gap-1">{what}<input className={FIELD} value={target} required spellCheck={false} autoComplete="off" onChange={(event) => setTarget(event.target.value)} /></label>
        {tokenIs !== null && (
          <label className="flex flex-col gap-1">{tokenIs}<input type="password" className={`${FIELD} font-mono`} value={token} required autoComplete="off" onChange={(event) => setToken(event.target.value)} /></label>
        )}
        <label className="flex flex-col gap-1">
          When
          <select className={FIELD} value={digest} onChange={(event) => setDigest(event.target.value as Digest)}>
            {DIGESTS.map(([name, words]) => <option key={name} value={name}>{words}</option>)}
          </select>
        </label>
        <label className="flex flex-col gap-1">
          Only of what this search finds
          <input className={`${FIELD} font-mono text-[0.8125rem]`} value={query} placeholder="severity_lte:2" spellCheck={false} autoComplete="off" onChange={(event) => setQuery(event.target.value)} />
        </label>
        <label className="flex flex-col gap-1">
          Quiet hours
          <input className={FIELD} value={quiet} placeholder="22:00-07:00" spellCheck={false} autoComplete="off" onChange={(event) => setQuiet(event.target.value)} />
        </label>
        <div><Button type="submit" look="first" disabled={busy}>Tell them</Button></div>
      </form>
      <p className="mt-2 max-w-prose text-xs text-soft">
        Told is what is new or gone, issues that open, come back, are confirmed or closed, and runs that fall short. <code className="font-mono">ambit notify add</code> chooses among the events.
      </p>
      {made && (made.signing_secret !== null || made.public_key !== null) && (
        <div role="status" className="mt-3 rounded border border-accent p-3">
          <p className="mb-2"><strong>Copy it now: it is shown only once.</strong> Messages are signed, and this verifies them.</p>
          <div className="flex flex-wrap items-center gap-2">
            <code className="rounded bg-raised p-2 font-mono text-[0.8125rem] break-all">{made.signing_secret ?? made.public_key}</code>
            <CopyButton text={made.signing_secret ?? made.public_key ?? ""} />
            <Button look="quiet" onClick={() => setMade(null)}>I have it</Button>
          </div>
        </div>
      )}
    </Section>
  );
}
