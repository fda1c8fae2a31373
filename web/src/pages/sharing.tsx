// Who sees a kept graph beside its owner, and who may change it.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Member } from "../access";
import { useAct } from "../act";
import { type Access, access, type Kept, rewrite, share, unshare } from "../api/graphs";
import { Button, FIELD, Trouble } from "../components/controls";
import { Dialog } from "../components/dialog";
import { Chip, Foreign } from "../components/text";

const ACCESS: [Access, string][] = [["viewers", "may see it"], ["editors", "may change it"]];

export function Sharing({ of, onClose }: { of: Kept; onClose: () => void }): ReactNode {
  const { busy, act } = useAct();
  const isPrivate = of.attributes.private;
  return (
    <Dialog label="Share the graph" onClose={onClose}>
      <h2 className="mb-2 text-base font-semibold">Who sees this graph?</h2>
      <label className="mb-3 flex items-start gap-2">
        <input type="checkbox" className="mt-1" checked={!isPrivate} disabled={busy}
          onChange={() => void act(() => rewrite(of.id, { private: !isPrivate }), isPrivate ? "Everybody here sees it now." : "Only you and those you name see it now.",
            () => rewrite(of.id, { private: isPrivate }))} />
        <span>Everybody who has an account here</span>
      </label>
      {ACCESS.map(([name, words]) => <Members key={name} of={of} access={name} words={words} />)}
      <Add of={of} />
      <form method="dialog" className="mt-3 flex justify-end"><Button type="submit">Close</Button></form>
    </Dialog>
  );
}

function Members({ of, access: name, words }: { of: Kept; access: Access; words: string }): ReactNode {
  const all = useQuery(access(of.id, name));
  const { busy, act } = useAct();
  if (all.error) return <Trouble error={all.error} retry={() => void all.refetch()} />;
  return (
    <ul aria-label={`Who ${words}`}>
      {(all.data ?? []).map((member) => (
        <li key={`${member.type} ${member.id}`} className="flex items-center gap-2">
          <span className="min-w-0 flex-1 break-words"><Foreign>{member.id}</Foreign> {member.type === "group" && <Chip>group</Chip>} <span className="text-soft">{words}</span></span>
          <Button look="quiet" disabled={busy}
            onClick={() => void act(() => unshare(of.id, name, member), `${member.id} is out.`, () => share(of.id, name, member))}>
            Take out<span className="sr-only"> {member.id}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Add({ of }: { of: Kept }): ReactNode {
  const [name, setName] = useState("");
  const [type, setType] = useState<Member["type"]>("user");
  const [level, setLevel] = useState<Access>("viewers");
  const { busy, act } = useAct();
  function submit(event: FormEvent) {
    event.preventDefault();
    const member = { type, id: name.trim() };
    void act(() => share(of.id, level, member), `${member.id} ${ACCESS.find(([one]) => one === level)?.[1]}.`).then((done) => done && setName(""));
  }
  return (
    <form className="mt-2 flex flex-wrap items-end gap-2" onSubmit={submit}>
      <label className="flex flex-col gap-1">
        Who
        <select className={FIELD} value={type} onChange={(event) => setType(event.target.value as Member["type"])}>
          <option value="user">a person</option>
          <option value="group">a group</option>
        </select>
      </label>
      <label className="flex min-w-0 flex-1 flex-col gap-1">Name<input className={FIELD} value={name} required autoComplete="off" spellCheck={false} onChange={(event) => setName(event.target.value)} /></label>
      <label className="flex flex-col gap-1">
        May
        <select className={FIELD} value={level} onChange={(event) => setLevel(event.target.value as Access)}>
          <option value="viewers">see it</option>
          <option value="editors">change it</option>
        </select>
      </label>
      <Button type="submit" disabled={busy}>Add</Button>
    </form>
  );
}
