// What stands around every page: where one can go, whose project it is, and the way out.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { chooseProject, chosenProject, forgetProject } from "../api/client";
import { projects, session, signOut } from "../api/session";
import { Button, Empty, FIELD } from "../components/controls";
import { NoticeArea, useNotices } from "../components/notice";
import { lookedAt } from "../project";
import { useTitle } from "../title";
import { Invited } from "./invitations";

export function Stage(): ReactNode {
  return (
    <NoticeArea>
      <Outlet />
    </NoticeArea>
  );
}

const SIGN_IN = "/sign_in";

const PAGES = [
  { to: "/issues", label: "Triage", search: { q: "status_new:open" } },
  { to: "/entities", label: "Inventory", search: { q: "scoped:true present:true" } },
  { to: "/changes", label: "Changes", search: {} },
  { to: "/technologies", label: "Technologies", search: {} },
  { to: "/graphs", label: "Graphs", search: {} },
  { to: "/collections", label: "Scope", search: {} },
  { to: "/runs", label: "Runs", search: {} },
  { to: "/library", label: "Library", search: {} },
  { to: "/settings", label: "Settings", search: {} },
  { to: "/help", label: "Help", search: {} },
] as const;

const SKIP = "sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-ground focus:p-2";

/** Pages with a list that filters stand before: its part of the page has the id `list`. */
const LISTS = ["/issues", "/entities", "/technologies"];

function toList(): void {
  const part = document.getElementById("list");
  (part?.querySelector<HTMLElement>("[role=table]") ?? part)?.focus();
}

export function Shell(): ReactNode {
  const who = useQuery(session);
  const navigate = useNavigate();
  const here = useLocation();
  const signedOut = who.data === null;
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where the pages do not fit, theirs is in view.
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [here.pathname]);
  useEffect(() => {
    // The address is that of the page to sign in before that page is shown: it leads to itself no further.
    if (signedOut && here.pathname !== SIGN_IN) void navigate({ to: SIGN_IN, search: { next: here.href }, replace: true });
  }, [signedOut, navigate, here.pathname, here.href]);
  return (
    <div className="flex h-full flex-col">
      <a href="#main" className={SKIP}>
        To the content
      </a>
      {LISTS.includes(here.pathname) && (
        // The filters stand before the list, and are many.
        <a href="#list" className={SKIP} onClick={(event) => { event.preventDefault(); toList(); }}>
          To the list
        </a>
      )}
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-raised px-3 py-1.5">
        <Link to="/" className="font-semibold text-accent">Ambit</Link>
        <nav ref={nav} aria-label="Pages" className="order-last -mx-3 flex w-[calc(100%+1.5rem)] gap-1 overflow-x-auto px-3 lg:order-none lg:mx-0 lg:w-auto lg:px-0">
          {PAGES.map((page) => (
            <Link
              key={page.to}
              to={page.to}
              search={page.search}
              className="rounded px-2 py-1 whitespace-nowrap hover:bg-line"
              activeOptions={{ includeSearch: false }}
              activeProps={{ className: "bg-picked font-semibold", "aria-current": "page" }}
            >
              {page.label}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
          {who.data && <Invited />}
          <Projects />
          {who.data && <Way name={who.data.username} email={who.data.email} />}
        </div>
      </header>
      {who.error && who.data === undefined ? (
        <Empty title="The server does not answer">
          <p>{who.error.message}</p>
          <Button onClick={() => void who.refetch()}>Try again</Button>
        </Empty>
      ) : (
        <main id="main" tabIndex={-1} className="flex min-h-0 flex-1 flex-col">
          {who.data && <Outlet />}
        </main>
      )}
    </div>
  );
}

function Projects(): ReactNode {
  const all = useQuery(projects);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { say } = useNotices();
  const list = all.data ?? [];
  const shown = lookedAt(list, chosenProject());
  // Whoever was taken out of the project that was chosen here goes on in one of their own.
  const lost = all.data !== undefined && chosenProject() !== null && shown?.uuid !== chosenProject();
  useEffect(() => {
    if (!lost) return;
    if (shown === undefined || shown.primary) forgetProject();
    else chooseProject(shown.uuid);
    say(`You are not in the project that was shown here.${shown ? ` This is ${shown.name}.` : ""}`);
    void queries.resetQueries({ predicate: ({ queryKey: [first] }) => first !== "session" && first !== "projects" });
  }, [lost, shown, say, queries]);
  if (list.length < 2) return null;
  const chosen = shown?.uuid ?? "";
  return (
    <select
      aria-label="Project"
      className={`${FIELD} max-w-40`}
      value={chosen}
      onChange={(event) => {
        chooseProject(event.target.value);
        // What is shown alone belongs to the project before: its list has that of the one that was chosen.
        const [, list, one] = window.location.pathname.split("/");
        const moved = one === undefined ? Promise.resolve() : navigate({ to: `/${list}` as "/issues", search: {} });
        void moved.then(() => queries.resetQueries());
      }}
    >
      {list.map((project) => (
        <option key={project.uuid} value={project.uuid}>{project.name}</option>
      ))}
    </select>
  );
}

function Way({ name, email }: { name: string; email: string }): ReactNode {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { say } = useNotices();
  return (
    <>
      <span title={email} className="hidden text-soft sm:inline">{name}</span>
      <Button
        onClick={() => {
          signOut().then(
            () => {
              queries.clear();
              void navigate({ to: "/sign_in", search: {} });
            },
            (error: Error) => say(`You are still signed in: ${error.message}`),
          );
        }}
      >
        Sign out
      </Button>
    </>
  );
}

export function NotFound(): ReactNode {
  useTitle("No such page");
  return (
    <Empty title="There is no such page" alone>
      <Link to="/" className="text-accent underline">To the triage</Link>
    </Empty>
  );
}
