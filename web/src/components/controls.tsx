// The few controls that pages are made of.

import * as RadixPopover from "@radix-ui/react-popover";
import { Link } from "@tanstack/react-router";
import { type ButtonHTMLAttributes, type ReactNode, useState } from "react";

const BUTTON = "inline-flex min-h-8 items-center justify-center gap-1.5 rounded border px-2.5 py-1 text-sm whitespace-nowrap disabled:opacity-50 disabled:cursor-default";
const STYLES = {
  plain: "border-line bg-ground hover:bg-raised",
  first: "border-accent bg-accent text-on-accent hover:opacity-90",
  quiet: "border-transparent text-accent hover:bg-raised",
};

export function Button({ look = "plain", ...rest }: ButtonHTMLAttributes<HTMLButtonElement> & { look?: keyof typeof STYLES }): ReactNode {
  return <button type="button" {...rest} className={`${BUTTON} ${STYLES[look]} ${rest.className ?? ""}`} />;
}

/** A link that looks like a button: it leads to a page where something is done. */
export function LinkButton({ to, look = "plain", children }: {
  to: "/collections" | "/collections/new";
  look?: keyof typeof STYLES;
  children: ReactNode;
}): ReactNode {
  return <Link to={to} className={`${BUTTON} ${STYLES[look]}`}>{children}</Link>;
}

/** A part of a page with its heading. */
export function Section({ title, id, children }: { title: string; id?: string; children: ReactNode }): ReactNode {
  return (
    <section aria-label={title} {...(id ? { id } : {})} className="scroll-mt-2 rounded border border-line p-3">
      <h2 className="mb-2 text-sm font-semibold text-soft">{title}</h2>
      {children}
    </section>
  );
}

export const FIELD = "min-h-8 rounded border border-soft bg-ground px-2 py-1 text-ink placeholder:text-soft";

/** A small panel at a button. It writes no style elements, which the page's policy would refuse: hence not modal. */
export function Panel({ trigger, label, children, open, onOpenChange }: {
  trigger: ReactNode;
  label: string;
  children: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}): ReactNode {
  return (
    <RadixPopover.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          aria-label={label}
          sideOffset={4}
          collisionPadding={8}
          className="z-40 max-w-[calc(100vw-1rem)] rounded border border-line bg-ground p-3 shadow-lg"
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }): ReactNode {
  const [done, setDone] = useState<"" | "Copied" | "Select it by hand">("");
  return (
    <Button
      onClick={() => {
        const copying = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject(new Error());
        copying.then(
          () => setDone("Copied"),
          () => setDone("Select it by hand"),
        );
      }}
    >
      <span aria-live="polite">{done || label}</span>
    </Button>
  );
}

/** Nothing to show: why, and what can be done about it. `alone`: it is the whole page, of which the title is the heading. */
export function Empty({ title, alone = false, children }: { title: string; alone?: boolean; children?: ReactNode }): ReactNode {
  const Title = alone ? "h1" : "p";
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-3 px-4 py-16 text-center">
      <Title className="text-base font-semibold">{title}</Title>
      {children}
    </div>
  );
}

export function Trouble({ error, retry }: { error: Error; retry: () => void }): ReactNode {
  return (
    <div role="alert" className="m-4 flex flex-wrap items-center gap-3 rounded border border-critical bg-critical-ground p-3 text-critical">
      <span className="min-w-0 flex-1 break-words">{error.message}</span>
      <Button onClick={retry}>Try again</Button>
    </div>
  );
}
