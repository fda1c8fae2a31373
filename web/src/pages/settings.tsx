// Settings: projects, their people and roles, keys, who is told what happens, what people did, and how much of the wider
// API was used.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { projects } from "../api/session";
import { Trouble } from "../components/controls";
import { Page } from "../components/page";
import { useProject } from "../project";
import { useTitle } from "../title";
import { Audit } from "./audit";
import { Keys } from "./keys";
import { People } from "./people";
import { Projects } from "./projects";
import { Receivers } from "./receivers";

const Usage = lazy(() => import("./usage").then((page) => ({ default: page.Usage })));

const route = getRouteApi("/inside/settings");

const TABS = [
  ["keys", "Keys"],
  ["people", "People"],
  ["projects", "Projects"],
  ["notifications", "Notifications"],
  ["audit", "Audit log"],
  ["usage", "Usage"],
] as const;

export function Settings(): ReactNode {
  const address = route.useSearch();
  const tab = TABS.find(([name]) => name === address.tab)?.[0] ?? "keys";
  const all = useQuery(projects);
  const project = useProject();
  useTitle(`${TABS.find(([name]) => name === tab)?.[1]} · Settings`);
  return (
    <Page title="Settings" beside={
      <nav aria-label="Parts of the settings" className="flex flex-wrap gap-1">
        {TABS.map(([name, label]) => (
          <Link key={name} to="/settings" search={{ tab: name }} className={`rounded px-2 py-1 ${name === tab ? "bg-picked font-semibold" : "hover:bg-raised"}`}
            {...(name === tab ? { "aria-current": "page" as const } : {})}>{label}</Link>
        ))}
      </nav>
    }>
      {all.error && <Trouble error={all.error} retry={() => void all.refetch()} />}
      {tab === "keys" && <Keys />}
      {tab === "projects" && all.data && <Projects all={all.data} />}
      {tab === "usage" && <Suspense fallback={<p role="status">Loading …</p>}><Usage /></Suspense>}
      {tab === "people" && project && <People key={project.uuid} project={project} />}
      {tab === "notifications" && project && <Receivers key={project.uuid} project={project} />}
      {tab === "audit" && project && <Audit project={project} />}
    </Page>
  );
}
