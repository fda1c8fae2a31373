// API keys: made and shown once, listed, revoked.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useAct } from "../act";
import type { Schema } from "../api/client";
import { session } from "../api/session";
import { type Key, keys, makeKey, revokeKey } from "../api/settings";
import { Button, CopyButton, FIELD, Section, Trouble } from "../components/controls";
import { Dialog } from "../components/dialog";
import { CELL, ROW, Table } from "../components/page";
import { Chip, count, Foreign, Moment } from "../components/text";

/** What the server calls the key of a browser's session. */
const SESSION = "session of a browser";

export function Keys(): ReactNode {
  const all = useQuery(keys);
  const [old, setOld] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const { busy, act } = useAct();
  const ended = (key: Key) => key.revoked_at !== null || (key.expires_at !== null && Date.parse(key.expires_at) < Date.now());
  // Browsers that are signed in have keys of their own, which end by themselves.
  const shown = (all.data ?? []).filter((key) => old || !(ended(key) || key.label === SESSION));
  const hidden = (all.data?.length ?? 0) - shown.length;
  return (
    <>
      <NewKey />
      <Section title="Keys">
        {all.error && <Trouble error={all.error} retry={() => void all.refetch()} />}
        <Table label="API keys" heads={["What for", "Begins with", "Whose", "Made", "Last used", "Ends", "Revoke"]}>
          {shown.map((key) => (
            <tr key={key.id} className={ROW}>
              <th scope="row" className={`${CELL} min-w-24 font-normal break-words`}><Foreign>{key.label || "–"}</Foreign></th>
              <td className={`${CELL} font-mono text-[0.8125rem]`}>{key.visible}…</td>
              <td className={`${CELL} min-w-24 break-words`}><Foreign>{key.user}</Foreign></td>
              <td className={CELL}><Moment at={key.created_at} /></td>
              <td className={CELL}>{key.last_used_at ? <Moment at={key.last_used_at} /> : "never"}</td>
              <td className={CELL}>{key.revoked_at ? <Chip>revoked</Chip> : key.expires_at ? <Moment at={key.expires_at} /> : "never"}</td>
              <td className={CELL}>{!ended(key) && <Button disabled={busy} onClick={() => setRevoking(key)}>Revoke<span className="sr-only"> {key.visible}</span> …</Button>}</td>
            </tr>
          ))}
        </Table>
        {(hidden > 0 || old) && (
          <Button look="quiet" onClick={() => setOld(!old)}>{old ? "Hide those of browsers and those that ended" : `Show ${count(hidden, "key")} of browsers and keys that ended`}</Button>
        )}
      </Section>
      {revoking && (
        <Dialog label="Revoke a key" onClose={() => setRevoking(null)}>
          <h2 className="mb-2 text-base font-semibold">Revoke the key {revoking.visible}… for good?</h2>
          <p className="mb-3">
            Whatever uses <Foreign>{revoking.label || "it"}</Foreign> is refused from now on, and browsers that signed in with it are signed out. This cannot be taken back.
          </p>
          <form method="dialog" className="flex justify-end gap-2">
            <Button type="submit">Keep it</Button>
            <Button type="submit" look="first" onClick={() => void act(() => revokeKey(revoking.id), `The key ${revoking.visible}… is revoked.`)}>Revoke it</Button>
          </form>
        </Dialog>
      )}
    </>
  );
}

function NewKey(): ReactNode {
  const [label, setLabel] = useState("");
  const [end, setEnd] = useState("");
  const [user, setUser] = useState("");
  const [by, setBy] = useState("");
  const administrator = useQuery(session).data?.administrator ?? false;
  const [made, setMade] = useState<Schema["IssuedKey"] | null>(null);
  const { busy, act } = useAct();
  function submit(event: FormEvent) {
    event.preventDefault();
    void act(async () => setMade(await makeKey({ label: label.trim(), expires: end, user: user.trim(), by: by.trim() })), "The key is made.").then((done) => {
      if (done) [setLabel, setBy].forEach((set) => set(""));
    });
  }
  return (
    <Section title="A new key">
      <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
        <label className="flex flex-col gap-1">What for<input className={FIELD} value={label} maxLength={100} required onChange={(event) => setLabel(event.target.value)} /></label>
        <label className="flex flex-col gap-1">
          Ends (may be empty)
          <input type="date" className={FIELD} min={new Date().toISOString().slice(0, 10)} value={end} onChange={(event) => setEnd(event.target.value)} />
        </label>
        {administrator && <label className="flex flex-col gap-1">For (empty: you)<input className={FIELD} value={user} autoComplete="off" placeholder="username or e-mail" onChange={(event) => setUser(event.target.value)} /></label>}
        <label className="flex flex-col gap-1">
          By your API key (may be empty)
          <input type="password" className={`${FIELD} font-mono`} value={by} autoComplete="off" onChange={(event) => setBy(event.target.value)} />
        </label>
        <Button type="submit" look="first" disabled={busy}>Make it</Button>
      </form>
      <p className="mt-2 max-w-prose text-xs text-soft">
        A browser makes keys that end when it is signed out, after half a day at most. For one that lasts, give an API key of yours, or call <code className="font-mono">ambit key create</code>.
      </p>
      {made && (
        <div role="status" className="mt-3 rounded border border-accent p-3">
          <p className="mb-2"><strong>Copy it now: it is shown only once.</strong> {made.expires_at ? <>It ends <Moment at={made.expires_at} />.</> : "It does not expire."}</p>
          <div className="flex flex-wrap items-center gap-2">
            <code className="rounded bg-raised p-2 font-mono text-[0.8125rem] break-all">{made.key}</code>
            <CopyButton text={made.key} />
            <Button look="quiet" onClick={() => setMade(null)}>I have it</Button>
          </div>
        </div>
      )}
    </Section>
  );
}
