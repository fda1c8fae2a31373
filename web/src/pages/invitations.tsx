// Invitations of the caller to projects and groups, which are accepted or declined here.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { useAct } from "../act";
import { acceptInvitation, declineInvitation, type Invitation, invitations } from "../api/settings";
import { Button, Section, Trouble } from "../components/controls";
import { count, Foreign, Moment } from "../components/text";

/** A link to the invitations, where there are any. */
export function Invited(): ReactNode {
  const all = useQuery(invitations).data ?? [];
  if (all.length === 0) return null;
  return <Link to="/settings" search={{ tab: "projects" }} className="font-semibold text-accent underline">{count(all.length, "invitation")}</Link>;
}

export function Invitations(): ReactNode {
  const all = useQuery(invitations);
  if (all.error) return <Trouble error={all.error} retry={() => void all.refetch()} />;
  if (!all.data || all.data.length === 0) return null;
  return (
    <Section title="Invitations">
      <ul className="flex flex-col divide-y divide-line">{all.data.map((one) => <Row key={one.id} of={one} />)}</ul>
    </Section>
  );
}

function Row({ of }: { of: Invitation }): ReactNode {
  const { busy, act } = useAct();
  return (
    <li className="relative flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-0 break-words">
        <Foreign>{of.invited_by}</Foreign> invited you into the {of.kind} <strong><Foreign>{of.name}</Foreign></strong> as {of.role}, <Moment at={of.created_at} />.
      </span>
      <span className="ml-auto flex flex-wrap gap-1.5">
        <Button look="first" disabled={busy}
          onClick={() => void act(() => acceptInvitation(of.id), of.kind === "project" ? `You are in the project ${of.name}: choose it at the top of the page.` : `You are in the group ${of.name}.`)}>
          Accept<span className="sr-only"> the invitation into {of.name}</span>
        </Button>
        <Button disabled={busy} onClick={() => void act(() => declineInvitation(of.id), `The invitation into ${of.name} is declined.`)}>
          Decline<span className="sr-only"> the invitation into {of.name}</span>
        </Button>
      </span>
    </li>
  );
}
