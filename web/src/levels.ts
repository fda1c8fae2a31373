// The four levels, the workflows and the schedules in plain words: how loud a run may be, what it looks for, and when.

import type { Level, WorkflowName } from "./api/collections";

export const LEVELS: Level[] = ["passive", "polite", "normal", "intensive"];

/** What is done at a level. */
export const LEVEL_MEANING: Record<Level, string> = {
  passive: "Asks public records and DNS. Nothing of yours is contacted.",
  polite: "Also does what a browser does: opens your sites and looks at their certificates.",
  normal: "Also searches ports and paths, which shows in your logs.",
  intensive: "Also tries logins and writes. Only where you may, and not where an outage hurts.",
};

/** What the work of a level is called while a run goes on. */
export const STAGE: Record<Level, string> = {
  passive: "Public records and DNS",
  polite: "Visits, as a browser makes them",
  normal: "Ports, paths and probes",
  intensive: "Logins and writes",
};

/** A workflow as somebody chooses it who looks for something. */
export interface WorkflowChoice {
  name: WorkflowName;
  words: string;
  meaning: string;
  /** What it begins with, as one types it; null: with an account. */
  seeds: string | null;
  example: string;
}

/** Those that begin with what can be typed, or with an account; packages of apps are read by the command line. */
export const WORKFLOWS: readonly [WorkflowChoice, ...WorkflowChoice[]] = [
  {
    name: "external_discovery_and_assessment",
    words: "What we expose to the outside",
    meaning: "Names, addresses, services, sites and certificates that belong to what you name, and what is wrong with them.",
    seeds: "Domains, hosts, addresses, blocks, AS numbers or URLs",
    example: "example.com\n203.0.113.0/24",
  },
  {
    name: "authenticated_cloud_discovery",
    words: "What our cloud account contains",
    meaning: "Machines, addresses and buckets of an account at AWS, by its keys, and how they look from outside.",
    seeds: null,
    example: "",
  },
  {
    name: "code_repository_discovery_and_assessment",
    words: "What our code repositories leak",
    meaning: "Keys, tokens and passwords in every commit of a repository. Nothing that its files name is contacted.",
    seeds: "URLs of repositories",
    example: "https://github.com/example/app",
  },
  {
    name: "suspicious_domain_discovery",
    words: "Who passes for us",
    meaning: "Domains that look like yours and are somebody else's. None of them is searched or becomes yours.",
    seeds: "Domains",
    example: "example.com",
  },
  {
    name: "external_application_assessment",
    words: "One application",
    meaning: "The site at a URL and what can be seen of it, and no more.",
    seeds: "URLs",
    example: "https://shop.example.com/",
  },
  {
    name: "third_party_workflow",
    words: "A supplier",
    meaning: "What anybody can see of a company that works for you: it has authorised no scan, so nothing is swept.",
    seeds: "Domains, hosts or URLs",
    example: "supplier.example",
  },
];

export const SCHEDULES: [string, string][] = [
  ["on_demand", "only when somebody starts one"],
  ["daily", "every day"],
  ["weekly", "every week"],
  ["monthly", "every month"],
  ["quarterly", "every three months"],
];

export function scheduleWords(schedule: string): string {
  return SCHEDULES.find(([name]) => name === schedule)?.[1] ?? schedule;
}

/** A length of time in words: `45 seconds`, `12 minutes`, `3 hours`. */
export function lasting(seconds: number): string {
  const units: [string, number][] = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? ["second", 1];
  const number = Math.round(seconds / length);
  return `${number.toLocaleString("en")} ${unit}${number === 1 ? "" : "s"}`;
}
