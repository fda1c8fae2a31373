// The pages and their addresses. What a page shows is in its address, as plain text: an address can be sent to a
// colleague, and its q is the API's search string.

import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { session } from "./api/session";
import { Crashed } from "./pages/crashed";
import { NotFound, Shell, Stage } from "./pages/shell";
import { SignIn } from "./pages/signin";

type Address = Record<string, unknown>;

/** What the triage page is asked. */
export interface TriageAddress {
  q?: string;
  /** A member to sort by, as the API names it; with a minus before it, from the other end. */
  sort?: string;
  /** Rows are headed by this member. */
  group?: string;
  /** Only what is new or back since that moment. */
  since?: string;
  /** The issue in the drawer. */
  issue?: string;
}

/** What the inventory is asked. */
export interface InventoryAddress {
  q?: string;
  sort?: string;
  /** A date or a moment: everything as it was shown then. */
  as_of?: string;
  /** The columns beside the name, with commas between them. */
  columns?: string;
  /** `map`, `tree` or `graph`; else a table. */
  view?: string | undefined;
}

/** What the logbook is asked. */
export interface ChangesAddress {
  /** A length of time such as `7d`, or a date or moment. */
  since?: string;
  /** The internal name of a collection. */
  collection?: string;
  /** `issues`, or a kind of entity. */
  show?: string;
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

function read<Names extends string>(names: readonly Names[]) {
  return (address: Address): Partial<Record<Names, string>> => {
    const found: Partial<Record<Names, string>> = {};
    for (const name of names) {
      const value = text(address[name]);
      if (value !== undefined) found[name] = value;
    }
    return found;
  };
}

interface Given {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Given>()({ component: Stage, notFoundComponent: NotFound });

const signIn = createRoute({ getParentRoute: () => root, path: "/sign_in", component: SignIn, validateSearch: read(["next"]) });

const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const who = await context.queries.ensureQueryData(session).catch(() => undefined);
    if (who === null) {
      const next = location.href === "/" ? {} : { next: location.href };
      throw redirect({ to: "/sign_in", search: next });
    }
  },
});

const home = createRoute({
  getParentRoute: () => inside,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/issues", search: { q: "status_new:open" }, replace: true });
  },
});

const triage = createRoute({
  getParentRoute: () => inside,
  path: "/issues",
  component: lazyRouteComponent(() => import("./pages/triage"), "Triage"),
  validateSearch: read(["q", "sort", "group", "since", "issue"]) as (address: Address) => TriageAddress,
});

// Where other programs' links to an issue lead.
const issue = createRoute({
  getParentRoute: () => inside,
  path: "/issues/$uid",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/issues", search: { q: `uid:${params.uid}`, issue: params.uid }, replace: true });
  },
});

const inventory = createRoute({
  getParentRoute: () => inside,
  path: "/entities",
  component: lazyRouteComponent(() => import("./pages/inventory"), "Inventory"),
  validateSearch: read(["q", "sort", "as_of", "columns", "view"]) as (address: Address) => InventoryAddress,
});

const entity = createRoute({
  getParentRoute: () => inside,
  path: "/entities/$uid",
  component: lazyRouteComponent(() => import("./pages/entity"), "EntityPage"),
  validateSearch: read(["as_of"]) as (address: Address) => { as_of?: string },
});

const collections = createRoute({
  getParentRoute: () => inside,
  path: "/collections",
  component: lazyRouteComponent(() => import("./pages/collections"), "Collections"),
});

const newCollection = createRoute({
  getParentRoute: () => inside,
  path: "/collections/new",
  component: lazyRouteComponent(() => import("./pages/newcollection"), "NewCollection"),
});

const collection = createRoute({
  getParentRoute: () => inside,
  path: "/collections/$uuid",
  component: lazyRouteComponent(() => import("./pages/collection"), "CollectionPage"),
  validateSearch: read(["as_of"]) as (address: Address) => { as_of?: string },
});

// What is nowhere else, within the frame that leads back.
const nowhere = createRoute({ getParentRoute: () => inside, path: "$", component: NotFound });

const runs = createRoute({
  getParentRoute: () => inside,
  path: "/runs",
  component: lazyRouteComponent(() => import("./pages/runs"), "Runs"),
  validateSearch: read(["collection"]) as (address: Address) => { collection?: string },
});

const run = createRoute({
  getParentRoute: () => inside,
  path: "/runs/$id",
  component: lazyRouteComponent(() => import("./pages/run"), "RunPage"),
});

const changes = createRoute({
  getParentRoute: () => inside,
  path: "/changes",
  component: lazyRouteComponent(() => import("./pages/changes"), "Changes"),
  validateSearch: read(["since", "collection", "show"]) as (address: Address) => ChangesAddress,
});

const technologies = createRoute({
  getParentRoute: () => inside,
  path: "/technologies",
  component: lazyRouteComponent(() => import("./pages/technologies"), "Technologies"),
  validateSearch: read(["q", "sort"]) as (address: Address) => { q?: string; sort?: string },
});

const library = createRoute({
  getParentRoute: () => inside,
  path: "/library",
  component: lazyRouteComponent(() => import("./pages/library"), "Library"),
  validateSearch: read(["tab", "q"]) as (address: Address) => { tab?: string; q?: string },
});

const help = createRoute({
  getParentRoute: () => inside,
  path: "/help",
  component: lazyRouteComponent(() => import("./pages/help"), "Help"),
});

const graphs = createRoute({
  getParentRoute: () => inside,
  path: "/graphs",
  component: lazyRouteComponent(() => import("./pages/graphs"), "Graphs"),
  validateSearch: read(["q", "entity", "depth"]) as (address: Address) => { q?: string; entity?: string; depth?: string },
});

const graph = createRoute({
  getParentRoute: () => inside,
  path: "/graphs/$id",
  component: lazyRouteComponent(() => import("./pages/graphs"), "GraphPage"),
});

const object = createRoute({
  getParentRoute: () => inside,
  path: "/gui/$type/$id",
  component: lazyRouteComponent(() => import("./pages/object"), "ObjectPage"),
});

/** Clients name what they want to see of an object behind it. */
const objectTab = createRoute({
  getParentRoute: () => inside,
  path: "/gui/$type/$id/$tab",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/gui/$type/$id", params: { type: params.type, id: params.id }, replace: true });
  },
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings"), "Settings"),
  validateSearch: read(["tab"]) as (address: Address) => { tab?: string },
});

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      signIn,
      inside.addChildren([
        home, triage, issue, inventory, entity, collections, newCollection, collection, runs, run, changes, technologies, graphs, graph, object, objectTab, library, help,
        settings, nowhere,
      ]),
    ]),
    context: { queries },
    defaultErrorComponent: Crashed,
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const pairs = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === "string");
      const written = new URLSearchParams(pairs).toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
      return written === "" ? "" : `?${written}`;
    },
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
