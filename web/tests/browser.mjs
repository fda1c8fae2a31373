// The interface as a person meets it. `cargo xtask browser` runs these over the world of the demo.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { accessible, done, World } from "./world.mjs";

const world = new World();
before(() => world.start(), { timeout: 300_000 });
after(() => world.stop());

const OPEN = "/issues?q=status_new:open";
const found = async (search) => (await world.api(`/api/v3/asm/search/issues/${search}?page_size=1`)).total_hits;
const open = () => found("status_new:open");
const total = (page, number) => page.getByText(`${number} issue${number === 1 ? "" : "s"}`, { exact: true }).waitFor();
const rows = (page) => page.getByRole("table", { name: "Issues" }).getByRole("row");

test("first load and the whole stay within their budgets", () => {
  const dist = new URL("../dist/", import.meta.url);
  const packed = (name) => gzipSync(readFileSync(new URL(name, dist))).length;
  const page = readFileSync(new URL("index.html", dist), "utf8");
  const first = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((match) => match[1]);
  const all = readdirSync(new URL("assets/", dist)).map((name) => `assets/${name}`);
  const sum = (names) => names.reduce((bytes, name) => bytes + packed(name), packed("index.html"));
  assert(first.length >= 2 && all.length > first.length);
  // What the first page shows is loaded with it.
  const triage = all.filter((name) => name.includes("/triage-"));
  assert(sum([...first, ...triage]) <= 170_000, `first load: ${sum([...first, ...triage])} bytes`);
  assert(sum(all) <= 450_000, `the whole: ${sum(all)} bytes`);
});

test("a link signs in once", async () => {
  const page = await world.page();
  const link = world.link();
  await page.goto(link);
  await page.waitForURL(/\/issues/);
  assert(!page.url().includes(link.split("#")[1]));
  await done(page);
  const again = await world.page();
  await again.goto(link);
  await again.getByRole("alert").getByText("was used").waitFor();
  await done(again, /404/);
});

test("a key signs in, a wrong one says so, and signing out ends the session", async () => {
  const page = await world.page();
  await page.goto(`${world.url}/issues?q=severity:1`);
  await page.waitForURL(/sign_in/);
  await accessible(page, "sign in");
  await page.getByLabel("API key").fill("0".repeat(64));
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("Wrong API key").waitFor();
  await page.getByLabel("API key").fill(world.key);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/issues\?q=severity:1/);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/sign_in/);
  await page.goBack();
  await page.waitForURL(/sign_in/);
  await done(page, /401/);
});

test("a session ends with its key", async () => {
  const key = world.run(["key", "create", "--data", world.data, "--label", "short"]).trim();
  const page = await world.page();
  await page.goto(`${world.url}/sign_in`);
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/issues/);
  const critical = page.getByRole("button", { name: /^critical/ });
  await critical.waitFor();
  const id = (await world.api("/api/ambit/v1/keys")).find((one) => one.label === "short").id;
  world.run(["key", "revoke", String(id), "--data", world.data]);
  // A server believes a key for at most a second.
  while ((await world.ask("/api/ambit/v1/session", key)).status === 200);
  await critical.click();
  await page.waitForURL(/sign_in/);
  await done(page, /401/);
});

test("a session that ends while a page is open leads to the way in, and from there back", async () => {
  for (const [place, link] of [["/collections", "Technologies"], ["/issues?q=severity:1", "Runs"]]) {
    const page = await world.inside(place);
    await page.waitForLoadState("networkidle");
    await page.context().clearCookies();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: link }).click();
    await page.waitForURL(/sign_in/);
    await page.getByLabel("API key").fill(world.key);
    assert.equal(new URL(page.url()).searchParams.get("next"), `/${link.toLowerCase()}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/${link.toLowerCase()}$`));
    await page.getByRole("heading", { name: link, level: 1 }).waitFor();
    await done(page, /401/);
  }
});

test("triage shows what is open, worst first, and facets write the query", async () => {
  const page = await world.inside("/");
  await page.waitForURL(/\/issues\?q=status_new:open$/);
  await total(page, await open());
  assert.match(await rows(page).first().innerText(), /^critical/);
  await page.getByRole("button", { name: /^high/ }).click();
  await page.waitForURL(/q=status_new:open\+severity:2$/);
  const high = await found("status_new:open severity:2");
  await total(page, high);
  await page.getByRole("button", { name: "Without high" }).click();
  await page.waitForURL(/severity:%212$/);
  await total(page, (await open()) - high);
  await page.reload();
  await total(page, (await open()) - high);
  await page.getByLabel("Search issues").fill("status_new:open nothing-has-this-name");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Without nothing-has-this-name" }).click();
  await total(page, await open());
  await page.getByLabel("Search issues").fill("severity:9");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("a whole number from 1 to 5").waitFor();
  await done(page, /400/);
});

test("groups head the rows", async () => {
  const page = await world.inside(OPEN);
  await page.getByLabel("Groups").selectOption({ label: "by kind of entity" });
  // One head for each kind, once the rows have come in their new order.
  await page.waitForFunction(() => {
    const heads = [...document.querySelectorAll("[role=cell]")].filter((cell) => cell.textContent.startsWith("DNS name"));
    return heads.length === 1;
  });
  await done(page);
});

test("an issue is opened, decided and taken back by keys alone", async () => {
  const page = await world.inside(OPEN);
  await rows(page).first().waitFor();
  const before = await open();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("complementary", { name: "Issue" });
  for (const part of ["Why it matters", "Evidence", "How to reproduce it", "How to fix it", "Why it is believed to be ours"]) {
    await drawer.getByRole("heading", { name: part }).waitFor();
  }
  await drawer.getByText("In scope").waitFor();
  const first = await drawer.getByRole("heading", { level: 2 }).innerText();
  await page.keyboard.press("j");
  await page.waitForFunction((name) => {
    const heading = document.querySelector("aside[aria-label=Issue] h2");
    return heading !== null && heading.textContent !== name;
  }, first);
  await page.keyboard.press("e");
  await page.getByRole("status").getByText(": resolved.").waitFor();
  await drawer.getByRole("button", { name: "Open it again" }).waitFor();
  assert.equal(await open(), before - 1);
  await page.keyboard.press("u");
  await page.getByText("Undone.").waitFor();
  assert.equal(await open(), before);
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.closest("[role=row]") !== null);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await accessible(page, "keys");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Search issues");
  await done(page);
});

test("Back closes an issue and stays on the list, which a skip link leads to", async () => {
  const page = await world.inside(OPEN);
  await rows(page).first().waitFor();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("complementary", { name: "Issue" });
  await drawer.getByRole("heading", { level: 2 }).waitFor();
  await page.keyboard.press("j");
  await page.goBack();
  await drawer.waitFor({ state: "detached" });
  assert.equal(page.url(), world.url + OPEN);
  await page.waitForFunction(() => document.activeElement?.closest("[role=row]") !== null);
  await page.getByRole("link", { name: "To the list" }).press("Enter");
  await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "table");
  await done(page);
});

test("a decision that fails keeps its reason and says why", async () => {
  const page = await world.inside(`${OPEN}+severity:1`);
  await rows(page).first().waitFor();
  const refuse = (route) => route.fulfill({ status: 503, json: { success: false, message: "no room on the disk", result: null, error: { code: "TransientError", message: "no room on the disk" } } });
  await page.context().route(/\/issues\/bulk$/, refuse);
  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog", { name: "Accept the risk" });
  await dialog.getByLabel("Why").fill("moved in March");
  await dialog.getByRole("button", { name: "Accept", exact: true }).click();
  await dialog.getByRole("alert").getByText("no room on the disk").waitFor();
  assert.equal(await dialog.getByLabel("Why").inputValue(), "moved in March");
  await accessible(page, "a decision that failed");
  await done(page, /503/);
});

test("a page that fails leaves the others, and graphs of others are shown whatever they hold", async () => {
  const attributes = { graph_data: { description: 7 }, nodes: [{ entity_id: 5, type: null, text: {} }, { type: "domain" }], links: [{ source: 0, target: 1, connection_type: {} }], private: false };
  const headers = { "x-apikey": world.key, "content-type": "application/json" };
  const made = await fetch(`${world.url}/api/v3/graphs`, { method: "POST", headers, body: JSON.stringify({ data: { type: "graph", attributes } }) });
  const { data: { id } } = await made.json();
  const page = await world.inside("/graphs");
  await page.getByRole("main").getByRole("link", { name: "7", exact: true }).click();
  await page.getByRole("status").getByText("1 entity, 0 relations").waitFor();
  await page.context().route(/\/api\/v3\/asm\/user_collections$/, (route) => route.fulfill({ json: { success: true, message: "", result: [null] } }));
  await page.goto(`${world.url}/collections`);
  await page.getByRole("heading", { name: "This page could not be shown" }).waitFor();
  await accessible(page, "a page that failed");
  await page.context().unroute(/\/api\/v3\/asm\/user_collections$/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Scope and runs" }).waitFor();
  assert.equal(await page.title(), "Scope and runs · Ambit");
  await fetch(`${world.url}/api/v3/graphs/${id}`, { method: "DELETE", headers });
  await done(page, SLOW, /TypeError|Error in route match/);
});

test("a risk is accepted until a day, with a reason", async () => {
  const page = await world.inside(`${OPEN}+severity:1`);
  await rows(page).first().waitFor();
  await page.keyboard.press("Enter");
  const uid = new URL(await page.waitForURL(/issue=/).then(() => page.url())).searchParams.get("issue");
  await page.getByRole("button", { name: "Accept until …" }).click();
  const dialog = page.getByRole("dialog", { name: "Accept the risk" });
  await dialog.getByLabel("Day").fill("2099-03-31");
  await dialog.getByLabel("Why").fill("moved in <b>March</b>");
  await accessible(page, "accept");
  await dialog.getByRole("button", { name: "Accept", exact: true }).click();
  await page.getByText("risk accepted until 2099-03-31").first().waitFor();
  await page.getByText("moved in <b>March</b>").waitFor();
  const history = await world.api(`/api/ambit/v1/issues/${uid}/history`);
  const last = history[history.length - 1];
  assert.deepEqual([last.status, last.until.slice(0, 10)], ["closed_risk_accepted", "2099-03-31"]);
  await page.getByRole("button", { name: "Open it again" }).click();
  await page.getByText("The issue is open again.").waitFor();
  await done(page);
});

test("all that match are decided at once and taken back", async () => {
  const page = await world.inside(`${OPEN}+severity:4`);
  await rows(page).first().waitFor();
  const before = await open();
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await page.getByRole("button", { name: /^Select all/ }).click();
  await page.getByRole("button", { name: "Not ours", exact: true }).click();
  await page.getByText("No issue matches").waitFor();
  const low = before - (await open());
  assert(low > 10, `${low} were decided`);
  await page.getByRole("button", { name: "Undo (u)" }).click();
  await page.getByText("Undone.").waitFor();
  assert.equal(await open(), before);
  await total(page, low);
  await done(page);
});

test("what came since the last visit is told", async () => {
  const page = await world.inside(OPEN);
  await rows(page).first().waitFor();
  await page.evaluate(() => localStorage.setItem("ambit.visit.last", String(Date.now() - 86_400_000)));
  await page.reload();
  await page.getByRole("button", { name: /new or back since your last visit, yesterday/ }).click();
  await page.waitForURL(/since=/);
  await rows(page).first().getByText("new", { exact: true }).waitFor();
  await done(page);
});

test("triage is accessible from a phone to a wide screen, dark and light", async () => {
  for (const [width, dark] of [[360, false], [1280, true], [1280, false], [2560, true]]) {
    const page = await world.inside(OPEN, { width, dark });
    await rows(page).first().waitFor();
    await accessible(page, `triage at ${width}`);
    await page.keyboard.press("Enter");
    await page.getByText("In scope").waitFor();
    await accessible(page, `an issue at ${width}`);
    await done(page);
  }
});

test("a lost connection is said and gone on from", async () => {
  const page = await world.inside(OPEN);
  await rows(page).first().waitFor();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: /^medium/ }).click();
  const again = page.getByRole("alert").getByRole("button", { name: "Try again" });
  await again.waitFor();
  await page.context().setOffline(false);
  await again.click();
  await again.waitFor({ state: "detached" });
  await total(page, await found("status_new:open severity:3"));
  await done(page, /ERR_INTERNET_DISCONNECTED/);
});

test("an issue that is not there says so", async () => {
  const page = await world.inside(`${OPEN}&issue=${"0".repeat(64)}`);
  await page.getByRole("complementary", { name: "Issue" }).getByRole("alert").waitFor();
  await done(page, /404/);
});

test("text of others stays text", async () => {
  const page = await world.page();
  const attack = '<img src=x onerror="alert(1)"><script>alert(2)</script>\u202egpj.exe\u0000\u200b';
  await page.goto(world.link());
  await page.waitForURL(/\/issues/);
  await page.context().route(/\/search\/issues\//, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const hit of body.result.hits) Object.assign(hit, { entity_name: attack, pretty_name: attack, tags: [attack] });
    await route.fulfill({ response: answer, json: body });
  });
  await page.goto(world.url + OPEN);
  await rows(page).first().waitFor();
  const shown = await rows(page).first().innerText();
  assert(shown.includes('<img src=x onerror="alert(1)">') && shown.includes("U+202E") && shown.includes("U+200B"), shown);
  assert.equal(await page.locator("[role=table] :is(img, script)").count(), 0);
  await accessible(page, "attack strings");
  await done(page);
});

const INVENTORY = "/entities?q=scoped:true+present:true";
const entities = (page) => page.getByRole("table", { name: "Entities" }).getByRole("row");
const known = async (search, more = "") => (await world.api(`/api/v3/asm/search/entities/${search}?page_size=1${more}`)).total_hits;
const said = (page, number) => page.getByText(`${number.toLocaleString("en")} ${number === 1 ? "entity" : "entities"}`, { exact: true }).waitFor();

async function firstRun() {
  const [collection] = await world.api("/api/v3/asm/user_collections");
  const runs = await world.api(`/api/v3/asm/collections/${collection.uuid}/collection_runs`);
  return runs[runs.length - 1];
}

test("the inventory is searched, filtered, ordered and walked through by token", async () => {
  const page = await world.inside("/issues");
  await page.getByRole("link", { name: "Inventory" }).click();
  await page.waitForURL(/\/entities\?q=scoped:true\+present:true$/);
  await said(page, await known("scoped:true present:true"));
  await page.getByRole("button", { name: /^Site/ }).click();
  await page.waitForURL(/type:Uri$/);
  const sites = await known("scoped:true present:true type:uri");
  await said(page, sites);
  assert(sites > 200, "more than a page or two");
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await page.waitForURL(/sort=name/);
  assert.equal(await page.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort"), "ascending");
  const last = (await world.api(`/api/v3/asm/search/entities/scoped:true present:true type:uri?page_size=1&sort_field=name&sort_direction=desc`)).hits[0];
  const table = page.getByRole("table", { name: "Entities" });
  const end = page.getByRole("link", { name: last.name, exact: true });
  while ((await end.count()) === 0) await table.evaluate((one) => one.scrollTo(0, one.scrollHeight));
  assert((await entities(page).count()) < 100, "only the rows in view are in the page");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "Title" }).check();
  await page.getByRole("columnheader", { name: "Title" }).waitFor();
  await page.waitForURL(/columns=[^&]*title/);
  await done(page);
});

test("the inventory is exported as CSV and JSON Lines", async () => {
  const page = await world.inside(`${INVENTORY}+type:uri&columns=type,title`);
  const sites = await known("scoped:true present:true type:uri");
  for (const [button, name, lines] of [["CSV of these columns", "entities.csv", sites + 1], ["JSON Lines, everything", "entities.jsonl", sites]]) {
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
    assert.equal(file.suggestedFilename(), name);
    const text = readFileSync(await file.path(), "utf8");
    assert.equal(text.trimEnd().split("\n").length, lines);
    assert(name.endsWith("jsonl") ? JSON.parse(text.split("\n")[0]).id : text.startsWith("uid,name,type,title\r\n"));
  }
  await done(page);
});

test("an entity's page has its trail, facts, issues and history, and turns to the past", async () => {
  const page = await world.inside(`${INVENTORY}+type:uri`);
  await entities(page).nth(1).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/entities\/[0-9a-f]{64}$/);
  for (const part of ["Why it is believed to be ours", "Web", "Where this is from", "What happened"]) {
    await page.getByRole("heading", { name: part }).waitFor();
  }
  await page.getByText("In scope: ").waitFor();
  await page.getByText("Everything that is known, as JSON").click();
  await page.getByText("extended_path_to_seed").waitFor();
  await accessible(page, "entity");
  const issue = page.getByRole("region", { name: /^Issues/ }).getByRole("link").first();
  const title = await issue.innerText();
  await issue.click();
  await page.getByRole("complementary", { name: "Issue" }).getByRole("heading", { name: title }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "show the page as of then" }).last().click();
  await page.getByText("This is the past:").waitFor();
  await page.waitForURL(/as_of=/);
  await page.getByRole("heading", { name: "Web" }).waitFor();
  await accessible(page, "entity of the past");
  await page.getByLabel("As of").fill("2001-01-01");
  await page.getByText("It was not known then").waitFor();
  await page.getByRole("button", { name: "Back to now" }).first().click();
  await page.getByText("This is the past:").waitFor({ state: "detached" });
  await done(page);
});

test("what changed is told member by member", async () => {
  const { finished_at: first } = await firstRun();
  const path = `/api/v3/asm/search/entities/change:changed?page_size=1&between=${first},2999-01-01`;
  const [{ id: uid }] = (await world.api(path)).hits;
  const page = await world.inside(`/entities/${uid}`);
  await page.getByRole("button", { name: "what changed" }).first().click();
  await page.getByRole("columnheader", { name: "Before" }).waitFor();
  await accessible(page, "changes");
  await done(page);
});

test("the logbook tells what changed since a run, by kind, and member by member", async () => {
  const { name } = await theCollection();
  const run = await firstRun();
  const page = await world.inside(`/changes?since=${run.finished_at}`);
  for (const [part, change] of [["New", "appeared"], ["Changed", "changed"], ["Gone", "disappeared"]]) {
    const total = await known(`collection:${name} change:${change}`, `&between=${run.finished_at},2999-01-01`);
    assert(total > 0);
    await page.getByRole("heading", { name: `${part}: ${number(total)}`, exact: true }).waitFor();
  }
  await page.getByLabel("What").selectOption("Uri");
  await page.waitForURL(/show=Uri/);
  const sites = await known(`type:Uri change:changed`, `&between=${run.finished_at},2999-01-01`);
  await page.getByRole("heading", { name: `Changed: ${number(sites)}`, exact: true }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Issues" }).count(), 0);
  // What somebody decided and took back is a change without a difference: names have few issues, and the tests of
  // scope, which touch every name, come later.
  await page.getByLabel("What").selectOption("DnsRecord");
  const names = await known("type:DnsRecord change:changed", `&between=${run.finished_at},2999-01-01`);
  const changed = page.getByRole("region", { name: `Changed`, exact: true });
  await page.getByRole("heading", { name: `Changed: ${number(names)}`, exact: true }).waitFor();
  // Rows of the kind before stay until the answer is here, and their number may be the same.
  await changed.getByRole("listitem").filter({ hasText: /^DNS name/ }).first().waitFor();
  for (const button of await changed.getByRole("button", { name: "what changed" }).all()) await button.click();
  await page.getByRole("columnheader", { name: "Before" }).first().waitFor();
  await accessible(page, "differences in the logbook");
  await page.getByLabel("or the end of").fill("2001-01-01");
  await page.waitForURL(/since=2001-01-01/);
  await page.getByRole("heading", { name: "Changed: 0", exact: true }).waitFor();
  await done(page);
});

test("the inventory of the past is that of then", async () => {
  const page = await world.inside(`${INVENTORY}&as_of=2001-01-01`);
  await page.getByText("Nothing of this was known at 2001-01-01").waitFor();
  await page.getByRole("button", { name: "Back to now" }).first().click();
  await said(page, await known("scoped:true present:true"));
  const { finished_at: moment } = await firstRun();
  await page.goto(`${world.url}${INVENTORY}&as_of=${moment}`);
  await said(page, await known("scoped:true present:true", `&as_of=${moment}`));
  await page.getByText("This is the past:").waitFor();
  await done(page);
});

test("the inventory is accessible from a phone to a wide screen, dark and light", async () => {
  for (const [width, dark] of [[360, true], [1280, false], [2560, true]]) {
    const page = await world.inside(INVENTORY, { width, dark });
    await entities(page).nth(1).waitFor();
    await accessible(page, `inventory at ${width}`);
    await page.getByRole("link", { name: /saltmarsh/ }).first().click();
    await page.getByText("In scope: ").waitFor();
    await accessible(page, `an entity at ${width}`);
    await done(page);
  }
});

test("a page that is not there says so", async () => {
  const page = await world.inside(`/entities/${"0".repeat(64)}`);
  await page.getByRole("alert").waitFor();
  await done(page, /404/);
});

const theCollection = async () => (await world.api("/api/v3/asm/user_collections"))[0];
const number = (value) => value.toLocaleString("en");

test("collections tell what they have and lead to their runs, from a phone to a wide screen", async () => {
  const { name: collection, printable_name: name, entity_count: entities } = await theCollection();
  const [run] = await world.api("/api/ambit/v1/collection_runs");
  const missed = run.not_done.reduce((sum, row) => sum + row.count, 0);
  for (const [width, dark] of [[360, true], [2560, false]]) {
    const page = await world.inside("/issues", { width, dark });
    await page.getByRole("link", { name: "Scope" }).click();
    await page.waitForURL(/\/collections$/);
    const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
    await row.getByRole("link", { name: number(entities), exact: true }).waitFor();
    await accessible(page, `collections at ${width}`);
    assert.equal(await known(`collection:${collection} present:true`), entities);
    await row.getByRole("link", { name: `${number(missed)} probes` }).press("Enter");
    await page.waitForURL(new RegExp(`/runs/${run.id}#not-done$`));
    await page.getByRole("heading", { name: `Run ${run.number} of ${name}` }).waitFor();
    await page.getByText(`${number(missed)} probes without an answer.`).waitFor();
    await accessible(page, `a run at ${width}`);
    await page.getByRole("link", { name, exact: true }).press("Enter");
    await page.getByRole("group", { name: "The plan" }).waitFor();
    await page.getByText("% yours", { exact: false }).first().waitFor();
    await accessible(page, `a collection at ${width}`);
    await done(page);
  }
});

test("a run tells what it did level by level, and what is new, changed and gone", async () => {
  const { uuid, name } = await theCollection();
  const run = (await world.api(`/api/v3/asm/collections/${uuid}/collection_runs`)).find((one) => one.id === 2);
  const { stages } = await world.api(`/api/ambit/v1/collection_runs/${run.id}`);
  assert.deepEqual(stages.map((stage) => [stage.level, stage.work_open]), [["passive", 0], ["polite", 0], ["normal", 0]]);
  const page = await world.inside(`/runs/${run.id}`);
  for (const [part, change] of [["New", "appeared"], ["Changed", "changed"], ["Gone", "disappeared"]]) {
    const total = await known(`collection:${name} change:${change}`, `&between=${run.started_at},${run.finished_at}`);
    assert(total > 0);
    await page.getByRole("heading", { name: `${part}: ${number(total)}`, exact: true }).waitFor();
  }
  await page.getByRole("region", { name: "Issues closed" }).getByRole("link").first().waitFor();
  const looks = stages[0].work_done + stages[0].work_unknown;
  const stage = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Public records and DNS" }) });
  await stage.getByText(`${number(looks)} probes`).waitFor();
  await stage.getByText("By task").press("Enter");
  await stage.getByRole("listitem").first().waitFor();
  await page.getByRole("heading", { name: /^No answer: / }).waitFor();
  await accessible(page, "a run");
  await done(page);
});

test("an address that names a part of a page leads to it, once it is there", async () => {
  const { uuid } = await theCollection();
  for (const [width, dark] of [[360, true], [1280, false]]) {
    const page = await world.inside("/issues", { width, dark });
    // What stands above comes in late.
    await page.context().route(/\/(plan\?|search\/entities\/)/, async (route) => {
      const answer = await route.fetch();
      await page.getByRole("heading", { name: "When runs start, and when they pause" }).waitFor();
      await route.fulfill({ response: answer });
    });
    const inView = (id) => page.waitForFunction((id) => {
      const [part, frame] = [document.getElementById(id), document.querySelector("[role=region][aria-label=Collection]")];
      if (part === null || frame === null || !document.body.textContent.includes("% yours")) return false;
      const [top, edge, end] = [part.getBoundingClientRect().top, frame.getBoundingClientRect().top, frame.scrollTop + frame.clientHeight];
      return top >= edge && (top - edge < 20 || end >= frame.scrollHeight - 1);
    }, id);
    for (const part of ["candidates", "timing"]) {
      await page.goto(`${world.url}/collections/${uuid}#${part}`);
      await inView(part);
      assert.equal(await page.evaluate(() => document.activeElement?.id), part);
    }
    // Whoever scrolls away stays there.
    await page.mouse.move(width / 2, 400);
    await page.mouse.wheel(0, -10_000);
    await page.getByRole("button", { name: "Only keep this level" }).waitFor({ state: "hidden" });
    await page.getByRole("radio", { name: /^polite/ }).check();
    await page.getByRole("button", { name: "Only keep this level" }).waitFor();
    assert.equal(await page.getByRole("region", { name: "Collection" }).evaluate((frame) => frame.scrollTop < 400), true);
    await accessible(page, `a part of a page at ${width}`);
    await done(page);
  }
});

test("the plan is seen before a run is started, and the run is paused and stopped", async () => {
  const { uuid } = await theCollection();
  const page = await world.inside(`/collections/${uuid}`);
  const plan = page.getByRole("group", { name: "The plan" });
  const asked = async (level) => number((await world.api(`/api/ambit/v1/user_collections/${uuid}/plan?level=${level}`)).http_requests);
  await plan.getByText(await asked("normal"), { exact: true }).waitFor();
  await page.getByRole("radio", { name: /^normal/ }).press("ArrowLeft");
  await page.getByRole("button", { name: "Start a polite run" }).waitFor();
  await plan.getByText(await asked("polite"), { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Only keep this level" }).press("Enter");
  await page.getByText("Runs may be polite now.").waitFor();
  assert.equal((await theCollection()).level, "polite");
  await page.getByRole("button", { name: "Undo (u)" }).click();
  await page.getByRole("checkbox", { name: /^Search everything again/ }).press("Space");
  const listening = page.waitForResponse(/\/events$/);
  await page.getByRole("button", { name: "Start a normal run" }).press("Enter");
  await page.waitForURL(/\/runs\/\d+$/);
  assert.equal((await listening).status(), 200);
  const run = `/api/ambit/v1/collection_runs/${page.url().split("/").at(-1)}`;
  assert.equal((await world.api(run)).full, true);
  await page.getByText("It begins when an engine takes it").waitFor();
  await page.getByRole("button", { name: "Pause" }).press("Enter");
  await page.getByRole("button", { name: "Go on" }).waitFor();
  assert.equal((await world.api(run)).status, "paused");
  // What others do is told, sooner than the page would look again.
  await fetch(`${world.url}${run}/resume`, { method: "POST", headers: { "x-apikey": world.key } });
  await page.getByRole("button", { name: "Pause" }).waitFor({ timeout: 8_000 });
  await accessible(page, "a paused run");
  await page.getByRole("button", { name: "Stop …" }).press("Enter");
  await accessible(page, "stopping a run");
  await page.getByRole("dialog", { name: "Stop the run" }).getByRole("button", { name: "Stop it" }).press("Enter");
  await page.getByText("stopped", { exact: true }).waitFor();
  assert.equal((await world.api(run)).status, "cancelled");
  await done(page);
});

test("scope is what people say: seeds, what is never contacted, and what is theirs or not", async () => {
  const { uuid, name } = await theCollection();
  const seeds = async () => (await world.api(`/api/v3/asm/user_collections/${uuid}/user_entities`)).map((seed) => seed.name);
  const before = await seeds();
  const page = await world.inside(`/collections/${uuid}`);
  const add = page.getByLabel("Add what is yours");
  await add.fill("<img src=x onerror=alert(1)>");
  await add.press("Enter");
  await page.getByText(/not a name of a .*: "<img"/).waitFor();
  await add.fill("shop.tidewater.test, 203.0.113.9");
  await add.press("Enter");
  await page.getByText("2 seeds added.").waitFor();
  await page.getByRole("button", { name: "Remove shop.tidewater.test" }).click();
  await page.getByText("shop.tidewater.test is no seed any more.").waitFor();
  await page.getByRole("button", { name: "Remove 203.0.113.9" }).click();
  await page.getByText("203.0.113.9 is no seed any more.").waitFor();
  assert.deepEqual(await seeds(), before);
  const never = page.getByRole("textbox", { name: "Never contact" });
  await never.fill("*.jobs.saltmarsh.test jobs.saltmarsh.test");
  await never.press("Enter");
  const would = page.getByRole("group", { name: "What it would do" });
  await would.getByText("no longer in scope").press("Enter");
  await would.getByText("https://jobs.saltmarsh.test:443", { exact: true }).waitFor();
  assert.deepEqual((await theCollection()).exclusions, []);
  await accessible(page, "a preview of scope");
  await page.getByRole("button", { name: "Leave it" }).press("Enter");
  await never.fill("*.jobs.saltmarsh.test");
  await never.press("Enter");
  await page.getByRole("button", { name: "Never contact them" }).press("Enter");
  await page.getByText("*.jobs.saltmarsh.test: never contacted.").waitFor();
  assert.deepEqual((await theCollection()).exclusions, ["*.jobs.saltmarsh.test"]);
  await page.getByRole("button", { name: "Undo (u)" }).click();
  await page.getByText("Nothing is excluded.").waitFor();
  const maybe = `collection:${name} scoped:false present:true hidden:false ownership_gte:30 type:Domain type:DnsRecord type:IpAddress type:NetBlock`;
  const waiting = await known(maybe);
  assert(waiting > 1);
  const candidates = page.getByRole("region", { name: "Perhaps yours" });
  await candidates.getByText(`${waiting} names and addresses may be yours`).waitFor();
  await candidates.getByText("foreign certificate name").first().waitFor();
  await page.getByRole("button", { name: "helpdesk.saltmarsh.test is not ours" }).click();
  await page.getByText("helpdesk.saltmarsh.test is not yours, and is not probed.").waitFor();
  assert((await known(maybe)) < waiting);
  await page.getByRole("button", { name: "Undo (u)" }).click();
  await page.getByText("Undone.").waitFor();
  assert.equal(await known(maybe), waiting);
  await done(page, /400/);
});

test("text of others stays text on the pages of scope and runs", async () => {
  const attack = '<img src=x onerror="alert(1)"><script>alert(2)</script>\u202egpj.exe\u200b';
  const page = await world.inside("/issues", { width: 360 });
  await page.context().route(/\/api\//, async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    const body = JSON.parse(text, (name, value) =>
      ["printable_name", "example", "created_by_email", "entity_name", "pretty_name"].includes(name) ? attack : value);
    await route.fulfill({ response: answer, json: body });
  });
  const { uuid } = await theCollection();
  for (const path of ["/collections", `/collections/${uuid}`, "/runs/2"]) {
    await page.goto(world.url + path);
    await page.getByText("U+202E").first().waitFor();
    assert.equal(await page.locator("main :is(img, script)").count(), 0);
    await accessible(page, `attack strings at ${path}`);
  }
  await done(page);
});

test("a page of scope that is not there says so", async () => {
  const page = await world.inside("/runs/999");
  await page.getByRole("alert").waitFor();
  await page.goto(`${world.url}/collections/00000000-0000-4000-8000-000000000000`);
  await page.getByRole("alert").waitFor();
  await done(page, /404/);
});

const PAGES = [
  ["Runs", "/runs", (page) => page.getByRole("link", { name: "saltmarsh.test" }).first()],
  ["Changes", "/changes", (page) => page.getByRole("heading", { name: /^New: [1-9]/ })],
  ["Technologies", "/technologies", (page) => page.getByRole("rowheader", { name: /^OpenSSH/ }).first()],
  ["Graphs", "/graphs", (page) => page.getByText("your domains")],
  ["Settings", "/settings", (page) => page.getByRole("cell", { name: "owner@localhost" }).first()],
  ["Library", "/library", (page) => page.getByText("Environment file is exposed")],
  ["Help", "/help", (page) => page.getByRole("rowheader", { name: "ownership_gte" })],
];

test("every other page is accessible from a phone to a wide screen, dark and light", async () => {
  for (const [width, dark] of [[360, true], [2560, false]]) {
    const page = await world.inside("/issues", { width, dark });
    for (const [name, path, filled] of PAGES) {
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).press("Enter");
      await page.waitForURL(new RegExp(`${path}$`));
      await filled(page).waitFor();
      await accessible(page, `${name} at ${width}`);
    }
    await done(page);
  }
});

test("every run is listed and leads to its page", async () => {
  const page = await world.inside("/runs");
  const { length: all } = await world.api(`/api/v3/asm/collections/${(await theCollection()).uuid}/collection_runs`);
  await page.getByRole("status").getByText(`${all} runs`).waitFor();
  const rows = page.getByRole("region", { name: "All runs" }).getByRole("row");
  assert.equal(await rows.count(), all + 1);
  await rows.nth(all).getByRole("link").first().press("Enter");
  await page.waitForURL(/\/runs\/1$/);
  await done(page);
});

test("technologies are searched and lead to who runs them", async () => {
  const page = await world.inside("/technologies");
  const { total_hits: all } = await world.api("/api/v3/asm/search/technologies/?page_size=1");
  await page.getByRole("status").getByText(`${all} technologies`).waitFor();
  await page.getByRole("button", { name: /^OpenBSD/ }).click();
  await page.waitForURL(/q=name:OpenBSD/);
  const { total_hits: some } = await world.api("/api/v3/asm/search/technologies/name:OpenBSD?page_size=1");
  await page.getByRole("status").getByText(`${some} technologies`).waitFor();
  await page.getByRole("link", { name: "entities with OpenSSH" }).first().click();
  await page.waitForURL(/\/entities\?q=.*technology:%22OpenSSH%22/);
  await entities(page).nth(1).waitFor();
  await done(page);
});

test("the library tells what is found and how, and the help what can be asked", async () => {
  const page = await world.inside("/library");
  await page.getByLabel("Filter").fill("environment file");
  await page.getByText("Environment file is exposed").click();
  await page.getByRole("link", { name: "Issues of this kind in the project" }).click();
  await total(page, await found("name:exposed_environment_file"));
  await page.goto(`${world.url}/library?tab=tasks`);
  await page.getByRole("rowheader", { name: "Block sweep" }).waitFor();
  await page.getByRole("link", { name: "Products" }).click();
  await page.getByRole("rowheader", { name: "Magento" }).first().waitFor();
  await accessible(page, "products of the library");
  await page.getByRole("link", { name: "Help" }).click();
  const link = page.getByRole("link", { name: "scoped:false ownership_gte:30" });
  await link.click();
  await said(page, await known("scoped:false ownership_gte:30"));
  await done(page);
});

test("a key is made, shown once, and revoked", async () => {
  const page = await world.inside("/settings");
  await page.getByLabel("What for").fill("<b>robot</b>");
  await page.getByLabel(/^Ends/).fill("2099-01-31");
  await page.getByRole("button", { name: "Make it" }).press("Enter");
  await page.getByText("a key that it makes cannot last longer").waitFor();
  await page.getByLabel(/^By your API key/).fill(world.key);
  await page.getByRole("button", { name: "Make it" }).press("Enter");
  const text = await page.getByText(/^[0-9a-f]{64}$/).innerText();
  assert.equal((await world.ask("/api/ambit/v1/session", text)).status, 200);
  await page.getByText("It ends in 7").waitFor();
  await accessible(page, "a new key");
  await page.reload();
  await page.getByRole("rowheader", { name: "<b>robot</b>" }).waitFor();
  assert.equal(await page.getByText(text).count(), 0);
  await page.getByRole("button", { name: `Revoke ${text.slice(0, 8)}` }).press("Enter");
  await accessible(page, "revoking a key");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke it" }).press("Enter");
  await page.getByRole("rowheader", { name: "<b>robot</b>" }).waitFor({ state: "detached" });
  while ((await world.ask("/api/ambit/v1/session", text)).status === 200);
  await page.getByRole("button", { name: /^Show .* that ended$/ }).click();
  await page.getByText("revoked", { exact: true }).first().waitFor();
  await done(page, /400/);
});

test("people are brought in, given a role, and taken out", async () => {
  world.run(["user", "create", "--email", "ann@acme.example", "--data", world.data]);
  const page = await world.inside("/settings?tab=people");
  await page.getByLabel("E-mail address").fill("an@acme.example");
  await page.keyboard.press("Enter");
  await page.getByText("Nobody has the address an@acme.example").first().waitFor();
  await page.getByLabel("E-mail address").fill("ann@acme.example");
  await page.keyboard.press("Enter");
  const { uuid } = await theCollection();
  await page.getByLabel("Role of ann@acme.example in saltmarsh.test").selectOption("analyst");
  await page.getByText("is analyst of saltmarsh.test").waitFor();
  const given = () => world.api(`/api/v3/asm/user_collections/${uuid}/collection_project_users`);
  assert.deepEqual((await given()).map((one) => [one.user.email, one.role]), [["ann@acme.example", "analyst"]]);
  await page.getByRole("button", { name: "Undo (u)" }).click();
  await page.getByText("Undone.").waitFor();
  assert.deepEqual(await given(), []);
  await accessible(page, "people");
  await page.getByRole("button", { name: "Take out ann@acme.example" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take out" }).click();
  await page.getByText("ann@acme.example is out of the project.").waitFor();
  await page.getByRole("rowheader", { name: "ann@acme.example" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByLabel("Filter the audit log").fill("ann@acme");
  await page.getByRole("region", { name: "Entries" }).getByRole("row").nth(1).waitFor();
  await accessible(page, "the audit log");
  await done(page, /404/);
});

test("the page of an object shows what is known of it", async () => {
  const page = await world.inside("/gui/domain/saltmarsh.test");
  await page.getByRole("heading", { name: "saltmarsh.test" }).waitFor();
  await page.getByRole("region", { name: "What is known" }).waitFor();
  await accessible(page, "an object");
  await done(page);
});

test("a project is made, looked at and left again", async () => {
  const page = await world.inside("/settings?tab=projects");
  await page.getByLabel("Name", { exact: true }).fill("Second");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Switch to it Second" }).click();
  await page.getByRole("combobox", { name: "Project" }).waitFor();
  await accessible(page, "projects");
  await page.getByRole("link", { name: "Triage" }).click();
  await page.getByText("Nothing has been discovered yet").waitFor();
  await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "My organization" });
  await total(page, await open());
  await done(page);
  const second = (await world.api("/api/v3/asm/projects")).find((one) => one.name === "Second");
  await fetch(`${world.url}/api/v3/asm/projects/${second.uuid}`, { method: "DELETE", headers: { "x-apikey": world.key } });
});

test("a collection says when its runs start and when they rest, and each is taken back", async () => {
  const { uuid, auto_refresh_schedule: word, timing: before } = await theCollection();
  const page = await world.inside(`/collections/${uuid}`);
  const timing = page.getByRole("region", { name: "When runs start, and when they pause" });
  const starts = timing.getByLabel("A run starts");
  await starts.selectOption("weekly");
  await page.getByText("Runs every week.", { exact: true }).waitFor();
  assert.equal((await theCollection()).auto_refresh_schedule, "weekly");
  await page.getByRole("button", { name: "Undo (u)" }).click();
  await page.getByText("Undone.").waitFor();
  assert.equal((await theCollection()).auto_refresh_schedule, word);
  await starts.selectOption("by a cron line");
  const cron = timing.getByRole("textbox", { name: "Cron line" });
  await cron.fill("every night");
  await cron.press("Enter");
  await page.getByText(/every night/).waitFor();
  await cron.fill("30 2 * * mon-fri");
  await cron.press("Enter");
  await page.getByText("Runs by 30 2 * * mon-fri.").waitFor();
  assert.equal((await theCollection()).timing.cron, "30 2 * * mon-fri");
  await timing.getByLabel("Time zone").fill("Europe/Berlin");
  await timing.getByRole("button", { name: "Save the time zone" }).click();
  await page.getByText("Times are those of Europe/Berlin.", { exact: true }).waitFor();
  await timing.getByLabel("Days").selectOption("sun,sat");
  await timing.getByLabel("Until").fill("17:30");
  await timing.getByRole("button", { name: "Rest then" }).press("Enter");
  await page.getByText("Runs rest sun,sat 08:00-17:30.").waitFor();
  assert.deepEqual((await theCollection()).timing, { ...before, cron: "30 2 * * mon-fri", time_zone: "Europe/Berlin", rest_windows: ["sun,sat 08:00-17:30"] });
  await accessible(page, "when runs start");
  await timing.getByRole("button", { name: "Remove sun,sat 08:00-17:30" }).click();
  await timing.getByText("Never: a run may go on at any hour.").waitFor();
  await timing.getByLabel("Time zone").fill(before.time_zone);
  await timing.getByLabel("Time zone").press("Enter");
  await page.getByText(`Times are those of ${before.time_zone}.`, { exact: true }).waitFor();
  await starts.selectOption(word);
  await timing.getByRole("textbox", { name: "Cron line" }).waitFor({ state: "detached" });
  await page.waitForResponse(/user_collections/);
  assert.deepEqual((await theCollection()).timing, before);
  await done(page, /400/);
});

test("an account is added to a collection that looks through accounts, and taken from it", async () => {
  const page = await world.inside("/collections/new");
  await page.getByLabel("What to look for").selectOption("What our cloud account contains");
  await page.getByLabel("What to call it").fill("Accounts <b>");
  await accessible(page, "a collection of accounts");
  await page.getByRole("button", { name: "Add it" }).press("Enter");
  await page.waitForURL(/\/collections\/[0-9a-f-]{36}$/);
  const uuid = page.url().split("/").at(-1);
  const accounts = page.getByRole("region", { name: "Accounts that its runs read" });
  await accounts.getByText("None yet: without one, a run finds nothing.").waitFor();
  await accounts.getByText(/^Add an account/).press("Enter");
  const which = accounts.getByLabel("What it is");
  if (await which.count()) await which.selectOption("AwsCredential");
  await accounts.getByLabel("What to call it").fill("Production");
  await accounts.getByLabel("Access key id").fill("AKIAEXAMPLE");
  await accounts.getByLabel("Secret access key").fill("not-a-real-one");
  await accounts.getByLabel("Region that is asked first").fill("eu-central-1");
  await accessible(page, "a new account");
  await accounts.getByRole("button", { name: "Add it" }).press("Enter");
  await page.getByText("The next run reads the account.").waitFor();
  const { project_uuid: project } = await world.api(`/api/v3/asm/user_collections/${uuid}`);
  const [made] = await world.api(`/api/v3/asm/projects/${project}/integrations`);
  assert.deepEqual([made.name, made.type, made.secret_names, made.settings],
    ["Production", "AwsCredential", ["aws_access_key_id", "aws_secret_access_key"], { region: "eu-central-1" }]);
  assert.equal(await page.getByText("not-a-real-one").count(), 0);
  await accounts.getByRole("button", { name: "Do not use Production" }).click();
  await page.getByText(/Production is not used here any more/).waitFor();
  await accounts.getByRole("button", { name: "Use Production", exact: true }).click();
  await page.getByText("The next run reads Production.").waitFor();
  await accounts.getByRole("button", { name: "Do not use Production" }).click();
  await accounts.getByRole("button", { name: "Remove for good Production" }).click();
  await page.getByText("Production is removed with its secrets.").waitFor();
  assert.deepEqual(await world.api(`/api/v3/asm/projects/${project}/integrations`), []);
  await done(page);
  await fetch(`${world.url}/api/v3/asm/user_collections/${uuid}`, { method: "DELETE", headers: { "x-apikey": world.key } });
});

test("accounts of other types are added by what opens them, also where nobody knows the type", async () => {
  const made = await fetch(`${world.url}/api/v3/asm/user_collections`, {
    method: "POST",
    headers: { "x-apikey": world.key, "content-type": "application/json" },
    body: JSON.stringify({ name: "Clouds", workflow_name: "authenticated_cloud_discovery", auto_refresh_schedule: "on_demand" }),
  });
  const { uuid, project_uuid: project } = (await made.json()).result;
  const page = await world.inside("/issues");
  await page.context().route(/\/library\/workflows/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const result = body.result.map((one) => ({ ...one, ...(one.credentials.length > 0 && { credentials: ["AwsCredential", "AzureCredential", "JiraCredential"] }) }));
    await route.fulfill({ response: answer, json: { ...body, result } });
  });
  await page.goto(`${world.url}/collections/${uuid}#accounts`);
  const accounts = page.getByRole("region", { name: "Accounts that its runs read" });
  await accounts.getByText("Add an account", { exact: true }).press("Enter");
  await accounts.getByLabel("What it is").selectOption("a tenant at Azure");
  await accounts.getByLabel("What to call it").fill("Offices");
  await accounts.getByLabel("Directory (tenant) id").fill("t-1");
  await accounts.getByLabel("Application (client) id").fill("c-1");
  await accounts.getByLabel("Client secret").fill("not-a-real-one");
  await accessible(page, "a tenant at Azure");
  await accounts.getByRole("button", { name: "Add it" }).press("Enter");
  await accounts.getByText("Offices").first().waitFor();
  await page.waitForFunction(() => document.querySelector("#accounts form input").value === "");
  await accounts.getByLabel("What it is").selectOption("JiraCredential");
  await accounts.getByLabel("What to call it").fill("Tickets");
  await accounts.getByLabel(/^Secrets, each on a line/).fill("token abc");
  await accounts.getByRole("button", { name: "Add it" }).press("Enter");
  await page.getByText("Line 1 is not written as name = value.").waitFor();
  await accounts.getByLabel(/^Secrets, each on a line/).fill("token = abc\nuser=me");
  await accounts.getByLabel(/^Settings, each on a line/).fill("site = https://tickets.example");
  await accessible(page, "an account of any type");
  await accounts.getByRole("button", { name: "Add it" }).press("Enter");
  await accounts.getByRole("button", { name: "Do not use Tickets" }).waitFor();
  const kept = await world.api(`/api/v3/asm/projects/${project}/integrations`);
  assert.deepEqual(kept.map((one) => [one.type, one.secret_names, one.settings]).sort(), [
    ["AzureCredential", ["tenant_id", "client_id", "client_secret"], {}],
    ["JiraCredential", ["token", "user"], { site: "https://tickets.example" }],
  ]);
  await done(page);
  const end = { method: "DELETE", headers: { "x-apikey": world.key } };
  for (const one of kept) await fetch(`${world.url}/api/v3/asm/integrations/${one.uuid}`, end);
  await fetch(`${world.url}/api/v3/asm/user_collections/${uuid}`, end);
});

test("a session of an application is added in each of its ways, and one that opens none is refused", async () => {
  const made = await fetch(`${world.url}/api/v3/asm/user_collections`, {
    method: "POST",
    headers: { "x-apikey": world.key, "content-type": "application/json" },
    body: JSON.stringify({ name: "Shop", workflow_name: "external_application_assessment", auto_refresh_schedule: "on_demand" }),
  });
  const { uuid } = (await made.json()).result;
  const page = await world.inside("/issues");
  await page.goto(`${world.url}/collections/${uuid}#accounts`);
  const sessions = page.getByRole("region", { name: "Sessions that its runs use" });
  await sessions.getByText(/^None: a run sees what everybody sees/).waitFor();
  await sessions.getByText("Add a session", { exact: true }).press("Enter");
  const at = ["Where the application is", "https://shop.saltmarsh.test/"];
  for (const [way, fields] of [
    ["a sign-in at an application, by its form", [["User", "ann"], ["Password", "not-a-real-one"], at]],
    ["a session of an application, by a header", [["Header with its value", "Authorization: Bearer not-a-real-one"], at]],
    ["a session of an application, by a cookie", [["Cookies", "session=not-a-real-one"], at]],
    ["a session of an application, by a token of OpenID Connect",
      [["Client id", "c"], ["Client secret", "not-a-real-one"], at, ["Where the provider", "https://id.saltmarsh.test/token"]]],
  ]) {
    await sessions.getByLabel("What it is").selectOption(way);
    await sessions.getByLabel("What to call it").fill(`Way ${fields[0][0]}`);
    for (const [label, text] of fields) await sessions.getByLabel(new RegExp(`^${label}`)).fill(text);
    await accessible(page, way);
    await sessions.getByRole("button", { name: "Add it" }).press("Enter");
    await sessions.getByText(`Way ${fields[0][0]}`).first().waitFor();
    await page.waitForFunction(() => document.querySelector("#accounts form input").value === "");
  }
  await sessions.getByLabel("What it is").selectOption("a session of an application, by a cookie");
  await sessions.getByLabel("What to call it").fill("Wrong");
  await sessions.getByLabel(/^Cookies/).fill("not-a-real-one");
  await sessions.getByLabel(/^Where the application is/).fill("https://shop.saltmarsh.test/");
  await sessions.getByRole("button", { name: "Add it" }).press("Enter");
  await page.getByText("an ApplicationCredential needs the secret cookie as name=value").waitFor();
  const { project_uuid: project } = await world.api(`/api/v3/asm/user_collections/${uuid}`);
  const kept = await world.api(`/api/v3/asm/projects/${project}/integrations`);
  assert.deepEqual(kept.map((one) => one.secret_names), [["username", "password"], ["header"], ["cookie"], ["client_id", "client_secret"]]);
  assert(kept.every((one) => one.type === "ApplicationCredential" && one.settings.origin === at[1]));
  assert.equal(await page.getByText("not-a-real-one").count(), 0);
  await done(page, /400/);
  const end = { method: "DELETE", headers: { "x-apikey": world.key } };
  for (const one of kept) await fetch(`${world.url}/api/v3/asm/integrations/${one.uuid}`, end);
  await fetch(`${world.url}/api/v3/asm/user_collections/${uuid}`, end);
});

test("somebody is told what happens, tried, and told no more", async () => {
  const page = await world.inside("/settings?tab=notifications");
  await page.getByText("Nobody yet.").waitFor();
  await page.getByLabel(/^By/).selectOption("Webhook");
  await page.getByLabel("URL", { exact: true }).fill("hooks");
  await page.getByRole("button", { name: "Tell them" }).press("Enter");
  await page.getByText(/expected a URL such as/).waitFor();
  await page.getByLabel("URL", { exact: true }).fill("https://hooks.example/ambit");
  await page.getByLabel("When").selectOption("every hour");
  await page.getByLabel("Only of what this search finds").fill("severity_lte:2");
  await page.getByRole("button", { name: "Tell them" }).press("Enter");
  await page.getByText(/^whsec_/).waitFor();
  await accessible(page, "a new receiver");
  const [made] = await world.api("/api/ambit/v1/receivers");
  assert.deepEqual([made.channel, made.digest, made.query], ["webhook", "hourly", "severity_lte:2"]);
  const row = page.getByRole("region", { name: "Receivers of notifications" }).getByRole("row").nth(1);
  await row.getByRole("button", { name: /^Test/ }).click();
  await page.getByText(/^A test is on its way to/).waitFor();
  await row.getByRole("button", { name: /^What was sent/ }).click();
  const log = page.getByRole("dialog");
  await log.getByRole("listitem").first().waitFor();
  await accessible(page, "what was sent");
  await log.getByRole("button", { name: "Close" }).click();
  await row.getByRole("button", { name: /^Remove/ }).click();
  await page.getByText("Nobody yet.").waitFor();
  await done(page, /400/);
});

// The picture is drawn by software here, of which the browser says how slow it is.
const SLOW = /GL Driver Message/;

test("the inventory is seen as a tree, a graph and a map", async () => {
  for (const [width, dark] of [[360, false], [1280, true]]) {
    const page = await world.inside(`${INVENTORY}+type:Domain+type:DnsRecord&view=tree`, { width, dark });
    await page.getByRole("button", { name: /^Open what is below saltmarsh\.test$/ }).or(page.getByRole("button", { name: /^Close what is below saltmarsh\.test$/ })).waitFor();
    await page.getByRole("link", { name: "admin.saltmarsh.test", exact: true }).waitFor();
    await accessible(page, `a tree at ${width}`);
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Map" }).press("Enter");
    await page.getByText("No place is known").waitFor();
    const buckets = [{ key: "DE", doc_count: 7 }, { key: "US", doc_count: 2 }, { key: "SG", doc_count: 1 }, { key: "<b>x</b>", doc_count: 1 }];
    await page.context().route(/\/search\/entities\//, async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      if (body.result.aggregations) body.result.aggregations.country_code_bucket.buckets = buckets;
      await route.fulfill({ response: answer, json: body });
    });
    await page.reload();
    await page.getByRole("img", { name: /^Entities by country/ }).locator("path").nth(170).waitFor({ state: "attached" });
    await page.getByRole("list", { name: "Countries" }).getByText("<b>x</b>").waitFor();
    await accessible(page, `a map at ${width}`);
    await page.getByRole("list", { name: "Countries" }).getByRole("button", { name: "Germany" }).press("Enter");
    await page.waitForURL(/country:DE/);
    await page.goto(`${world.url}/entities?q=type:Domain&view=graph`);
    await page.getByRole("list", { name: "Entities of the graph" }).getByRole("button").first().waitFor();
    await accessible(page, `a graph of the inventory at ${width}`);
    await done(page, SLOW);
  }
});

test("a graph grows step by step, is searched, exported, kept, opened and deleted", async () => {
  const page = await world.inside("/graphs");
  await page.getByLabel("Entities", { exact: true }).fill("name:old.saltmarsh.test type:DnsRecord");
  await page.getByLabel("And around them").selectOption("nothing else");
  await page.getByRole("button", { name: "Show", exact: true }).press("Enter");
  await page.getByRole("status").getByText("1 entity, 0 relations").waitFor();
  const listed = page.getByRole("list", { name: "Entities of the graph" });
  await listed.getByRole("button").first().press("Enter");
  await page.getByRole("button", { name: "Show its neighbours" }).press("Enter");
  await page.getByText(/entities more\./).waitFor();
  await page.locator("canvas").first().waitFor();
  const uid = (await world.api("/api/v3/asm/search/entities/name:old.saltmarsh.test type:DnsRecord?page_size=1")).hits[0].id;
  const { entities: around, edges } = await world.api(`/api/ambit/v1/neighbourhood?entity=${uid}`);
  await page.getByRole("status").getByText(`${around.length} entities, ${edges.length} relations`).waitFor();
  await accessible(page, "a graph");
  await page.getByLabel("Search this graph").fill("certificate");
  assert.equal(await listed.getByRole("button").count(), around.filter((one) => /Certificate/.test(one.type)).length);
  await page.getByLabel("Search this graph").fill("");
  for (const [button, begin] of [["PNG", "\x89PNG"], ["GraphML", "<?xml"]]) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
    assert.equal(file.suggestedFilename(), `name_old.saltmarsh.test_type_DnsRecord.${button.toLowerCase()}`);
    assert(readFileSync(await file.path(), "latin1").startsWith(begin));
  }
  await page.getByRole("button", { name: "Keep it" }).click();
  await page.getByText("Kept among your graphs.").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Graphs" }).click();
  await page.getByRole("link", { name: "name:old.saltmarsh.test type:DnsRecord" }).click();
  await page.waitForURL(/\/graphs\/g[0-9a-f]{64}$/);
  await page.getByRole("status").getByText(`${around.length} entities, ${edges.length} relations`).waitFor();
  const kept = async () => (await (await world.ask(`/api/v3/graphs/${page.url().split("/").at(-1)}`)).json()).data.attributes;
  await listed.getByRole("button", { name: /certificate/i }).first().press("Enter");
  await page.getByRole("button", { name: "Hide", exact: true }).press("Enter");
  await page.getByLabel("Name of the graph").fill("The old site");
  await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
  await page.getByText("Saved.", { exact: true }).waitFor();
  const { graph_data: data, nodes } = await kept();
  assert.deepEqual([data.description, nodes.filter((node) => node.type !== "relationship").length], ["The old site", around.length - 1]);
  await page.getByRole("button", { name: "Share …" }).click();
  const sharing = page.getByRole("dialog", { name: "Share the graph" });
  await sharing.getByLabel("Name", { exact: true }).fill("nobody-here");
  await sharing.getByRole("button", { name: "Add" }).press("Enter");
  const refused = sharing.getByRole("status").getByText("User or group not found");
  await refused.waitFor();
  await accessible(page, "a refusal in a dialogue");
  // It is in front of everything, can be reached, and is closed by itself.
  await sharing.getByRole("button", { name: "Close this notice" }).click();
  await refused.waitFor({ state: "detached" });
  await sharing.getByLabel("Everybody who has an account here").click();
  await page.getByText("Everybody here sees it now.").waitFor();
  assert.equal((await kept()).private, false);
  await accessible(page, "sharing a graph");
  await sharing.getByRole("button", { name: "Close", exact: true }).click();
  await page.getByRole("main").getByRole("link", { name: "Graphs" }).click();
  await accessible(page, "kept graphs");
  const remove = page.getByRole("button", { name: /^Delete … ?The old site$/ });
  await remove.click();
  const asking = page.getByRole("dialog", { name: "Delete a graph" });
  await accessible(page, "deleting a graph");
  await asking.getByRole("button", { name: "Keep it" }).click();
  await asking.waitFor({ state: "detached" });
  await remove.click();
  await asking.getByRole("button", { name: "Delete it" }).click();
  await page.getByText("Deleted.", { exact: true }).waitFor();
  await remove.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("button", { name: "Undo (u)" }).count(), 0);
  await done(page, SLOW, /404/);
});

test("a large graph begins with what was asked for, and one that is not there says so", async () => {
  for (const [width, dark] of [[360, true], [2560, false]]) {
    const page = await world.inside("/graphs?q=scoped:true+present:true+type:IpAddress&depth=1", { width, dark });
    await page.getByRole("status").getByText(/^200 entities/).waitFor();
    await accessible(page, `a large graph at ${width}`);
    await page.getByRole("button", { name: /^Show [1-9]\d+ more$/ }).click();
    await page.getByRole("status").getByText(/^[3-9]\d\d entities/).waitFor();
    await page.goto(`${world.url}/graphs/g${"0".repeat(64)}`);
    await page.getByRole("alert").waitFor();
    await done(page, SLOW, /404/);
  }
});

test("usage is plotted, and said in numbers", async () => {
  await world.ask("/api/v3/graphs");
  for (const [width, dark] of [[360, false], [1280, true]]) {
    const page = await world.inside("/settings?tab=usage", { width, dark });
    await page.getByRole("img", { name: /^Calls on each of the last 30 days/ }).locator("canvas").waitFor();
    await page.getByText("The numbers").click();
    await page.getByRole("row", { name: new RegExp(`^${new Date().toISOString().slice(0, 10)} [1-9]`) }).waitFor();
    await page.getByRole("rowheader", { name: "api requests daily" }).waitFor();
    await accessible(page, `usage at ${width}`);
    await done(page);
  }
});

/** Clicks of a person who does not know the interface: no question may take more than five. */
const CLICKS_MAX = 5;

test("five questions of a newcomer take five clicks each at most", async () => {
  const page = await world.inside("/");
  let clicks = 0;
  const click = async (locator) => {
    clicks += 1;
    await locator.click();
  };
  const counted = (question) => {
    assert(clicks <= CLICKS_MAX, `${question}: ${clicks} clicks`);
    clicks = 0;
  };
  const pages = page.getByRole("navigation", { name: "Pages" });
  const worst = rows(page).getByRole("button");
  await worst.first().waitFor();
  for (let at = 0; at < 5; at += 1) {
    await click(worst.nth(at));
    const drawer = page.getByRole("complementary", { name: "Issue" });
    await drawer.getByRole("heading", { name: await worst.nth(at).innerText() }).waitFor();
    await drawer.getByRole("heading", { name: "How to fix it" }).waitFor();
  }
  counted("the five worst, and how to fix them");
  await click(pages.getByRole("link", { name: "Inventory" }));
  await click(entities(page).nth(1).getByRole("link").first());
  await page.getByRole("heading", { name: "Why it is believed to be ours" }).waitFor();
  counted("why is this ours");
  await click(pages.getByRole("link", { name: "Inventory" }));
  const { finished_at: moment } = await firstRun();
  const day = moment.slice(0, 10);
  await page.getByLabel("As of").fill(day);
  await page.getByText("This is the past:").waitFor();
  await said(page, await known("scoped:true present:true", `&as_of=${day}`));
  counted("what was exposed on a day");
  await click(pages.getByRole("link", { name: "Triage" }));
  await click(worst.first());
  await click(page.getByRole("button", { name: "Accept until …" }));
  const dialog = page.getByRole("dialog", { name: "Accept the risk" });
  await dialog.getByLabel("Day").fill("2099-03-31");
  await dialog.getByLabel("Why").fill("moved in March");
  await click(dialog.getByRole("button", { name: "Accept", exact: true }));
  await page.getByText("risk accepted until 2099-03-31").first().waitFor();
  counted("accept this until March");
  await page.getByRole("button", { name: "Open it again" }).click();
  await page.getByText("The issue is open again.").waitFor();
  clicks = 0;
  await click(pages.getByRole("link", { name: "Scope" }));
  await click(page.getByRole("link", { name: "Add what is yours" }));
  await page.getByLabel(/^Domains, hosts/).fill("second.example");
  await click(page.getByRole("button", { name: "Add, and look passively" }));
  await page.waitForURL(/\/runs\/\d+$/);
  counted("add my second domain gently");
  const made = (await world.api("/api/v3/asm/user_collections")).find((one) => one.printable_name === "second.example");
  assert.equal(made.level, "passive");
  await done(page);
  await fetch(`${world.url}/api/v3/asm/user_collections/${made.uuid}`, { method: "DELETE", headers: { "x-apikey": world.key } });
});

test("what a run finds while triage is open is told, and shown when asked for", async () => {
  const { hits: [issue] } = await world.api("/api/v3/asm/search/issues/status_new:open severity:1?page_size=1");
  const set = (status) => fetch(`${world.url}/api/ambit/v1/issues/bulk`, {
    method: "POST",
    headers: { "x-apikey": world.key, "content-type": "application/json" },
    body: JSON.stringify({ ids: [issue.uid], status }),
  });
  await set("closed_resolved");
  const before = await found("status_new:open severity:1");
  const page = await world.page();
  await page.goto(world.link());
  await page.waitForURL(/\/issues/);
  await page.context().route(/\/collection_runs$/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({ response: answer, json: { ...body, result: body.result.map((run) => ({ ...run, status: "running" })) } });
  });
  await page.goto(`${world.url}${OPEN}+severity:1`);
  await total(page, before);
  await set("open_new");
  const more = page.getByRole("button", { name: "1 more issue since you opened this: show" });
  await more.waitFor({ timeout: 20_000 });
  await more.press("Enter");
  await total(page, before + 1);
  await more.waitFor({ state: "detached" });
  await done(page);
});

test("an issue shows what was asked and answered, with secrets masked", async () => {
  const [{ uid }] = (await world.api("/api/v3/asm/search/issues/name:exposed_environment_file status_new:open?page_size=1")).hits;
  for (const [width, dark] of [[360, false], [1280, true]]) {
    const page = await world.inside(`/issues?q=name:exposed_environment_file&issue=${uid}`, { width, dark });
    const drawer = page.getByRole("complementary", { name: "Issue" });
    const request = await drawer.getByRole("group", { name: "Request" }).innerText();
    assert(/^GET \/\.env\S* HTTP\/1\.1\nHost: /.test(request), request);
    const answer = await drawer.getByRole("group", { name: /^Answer \(\d+ masked\)/ }).innerText();
    assert(answer.startsWith("HTTP/1.1 200 ") && answer.includes("APP_ENV=[masked]") && !answer.includes("planted-"), answer);
    await accessible(page, `evidence at ${width}`);
    await done(page);
  }
});

test("an issue has somebody who sees to it and a day when it is due, and is looked at again alone", async () => {
  const { uuid, due_days: before } = await theCollection();
  const [{ uid }] = (await world.api("/api/v3/asm/search/issues/status_new:open severity:1?page_size=1")).hits;
  const { email, username } = await world.api("/api/ambit/v1/session");
  const page = await world.inside(`/collections/${uuid}`);
  const days = page.getByLabel("Days until issues are due");
  await days.fill("critical=soon");
  await days.press("Enter");
  await page.getByText(/critical=soon/).waitFor();
  await days.fill("critical=7,high=30");
  await days.press("Enter");
  await page.getByText("Due dates are recalculated.").waitFor();
  await page.goto(`${world.url}/issues?q=status_new:open+severity:1&issue=${uid}`);
  const drawer = page.getByRole("complementary", { name: "Issue" });
  await drawer.getByText(/^due 2/).waitFor();
  const seen = drawer.getByLabel("Seen to by");
  await seen.fill("nobody@here.example");
  await seen.press("Enter");
  await page.getByText(/nobody@here.example/).waitFor();
  await seen.fill(email);
  await seen.press("Enter");
  await page.getByText(`${email} sees to it.`).waitFor();
  assert.equal((await world.api(`/api/v3/asm/issues/${uid}`)).assignee, username);
  await page.getByRole("row").getByText(username, { exact: true }).waitFor({ state: "attached" });
  await accessible(page, "an issue that somebody sees to");
  await page.getByRole("button", { name: "Undo (u)" }).click();
  await page.getByText("Undone.").waitFor();
  assert.equal((await world.api(`/api/v3/asm/issues/${uid}`)).assignee, null);
  await drawer.getByRole("button", { name: "Test again" }).press("Enter");
  await drawer.getByRole("button", { name: "Testing again …" }).waitFor();
  const { run } = await world.api(`/api/ambit/v1/issues/${uid}/retest`);
  await fetch(`${world.url}/api/ambit/v1/collection_runs/${run}/cancel`, { method: "POST", headers: { "x-apikey": world.key } });
  await page.reload();
  await drawer.getByText(/it could not be tested/).waitFor();
  await accessible(page, "an issue that was looked at again");
  const back = { method: "PATCH", headers: { "x-apikey": world.key, "content-type": "application/json" }, body: JSON.stringify({ due_days: before }) };
  assert.equal((await fetch(`${world.url}/api/v3/asm/user_collections/${uuid}`, back)).status, 200);
  await done(page, /40[04]/);
});

test("an empty triage says why, and what a passive run alone means", async () => {
  const page = await world.page();
  await page.goto(world.link());
  await page.waitForURL(/\/issues/);
  const nothing = { total_hits: 0, hits: [], more: false, aggregations: null };
  await page.context().route(/\/search\/issues\//, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({ response: answer, json: { ...body, result: { ...body.result, ...nothing } } });
  });
  let shown = (run) => ({ ...run, status: "finished" });
  await page.context().route(/\/collection_runs$/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({ response: answer, json: { ...body, result: body.result.flatMap((run) => shown(run) ?? []) } });
  });
  const stages = [{ level: "passive", work_open: 0, work_done: 7, work_unknown: 0, tasks: [] }, { level: "polite", work_open: 0, work_done: 3, work_unknown: 0, tasks: [] }];
  for (const [title, what] of [
    ["No issue was found", (run) => ({ ...run, status: "finished", stages })],
    ["No issue so far", (run) => ({ ...run, status: "running", stages })],
    ["No issue so far", (run) => ({ ...run, status: "cancelled", stages })],
    ["Nothing was probed yet", () => null],
  ]) {
    shown = what;
    await page.goto(world.url + OPEN);
    await page.getByText(title, { exact: true }).waitFor();
    await accessible(page, title);
  }
  shown = (run) => ({ ...run, status: "finished", stages: stages.slice(0, 1) });
  await page.reload();
  await page.getByText("No issue, and little was judged").waitFor();
  await accessible(page, "an empty triage");
  await page.getByRole("link", { name: "Choose how far the next run goes" }).press("Enter");
  await page.waitForURL(/\/collections\/.*#next$/);
  await done(page);
});

test("a world whose every text is an attack: nothing executes, nothing breaks the layout, exports are safe", async () => {
  const hostile = new World();
  const file = fileURLToPath(new URL("attack.world", import.meta.url));
  const scan = ["scan", "-y", "--world", file, "--level", "intensive", "--silent", "-o"];
  await hostile.start([], (one) => one.run([...scan, `${one.folder}/found`, "--data", one.data]));
  try {
    const attack = "<img src=x onerror=alert(20)>";
    const { hits } = await hostile.api("/api/v3/asm/search/entities/type:uri?page_size=100");
    const { hits: issues } = await hostile.api("/api/v3/asm/search/issues/?page_size=1&sort_field=summary.severity");
    assert(hits.length > 5 && issues.length === 1);
    const post = (path, body) => fetch(hostile.url + path, {
      method: "POST",
      headers: { "x-apikey": hostile.key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    for (const [noun, uid] of [...hits.map((hit) => ["entities", hit.id]), ["issues", issues[0].uid]]) {
      assert.equal((await post(`/api/v3/asm/tags/${noun}/${uid}`, { tag_name: "=1+1 <script>alert(21)</script>" })).status, 200);
      assert.equal((await post(`/api/v3/asm/notes/${noun}/${uid}`, { note_text: `[x](javascript:alert(22)) ${attack} \u202e` })).status, 200);
    }
    const reason = { ids: [issues[0].uid], status: "closed_risk_accepted", reason: `${attack}\u202e${"W".repeat(300)}` };
    assert.equal((await post("/api/ambit/v1/issues/bulk", reason)).status, 200);
    const [run] = await hostile.api("/api/ambit/v1/collection_runs");
    const [collection] = await hostile.api("/api/v3/asm/user_collections");
    const columns = "type,issues,technologies,title,network,tags";
    const places = [
      "/issues?q=", `/issues?q=&issue=${issues[0].uid}`, `/entities?q=&columns=${columns}`, `/entities?q=&view=tree`, "/entities?q=type:uri&view=graph",
      "/technologies", "/changes?since=90d", "/runs", `/runs/${run.id}`, "/collections", `/collections/${collection.uuid}`, "/settings?tab=audit",
      `/graphs?entity=${hits[0].id}`, ...hits.map((hit) => `/entities/${hit.id}`),
    ];
    for (const width of [360, 1280]) {
      const page = await hostile.inside("/issues?q=", { width });
      for (const place of places) {
        await page.goto(hostile.url + place);
        await page.waitForLoadState("networkidle");
        await accessible(page, `attacks at ${place} at ${width}`);
        assert.equal(await page.locator("#root :is(script, iframe, object, embed, img, a[href^='javascript:' i], a[href^='data:' i])").count(), 0, place);
      }
      await done(page, SLOW);
    }
    const page = await hostile.inside(`/entities?q=&columns=${columns}`);
    await page.getByRole("button", { name: "Export" }).click();
    const [sheet] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV of these columns" }).click()]);
    const text = readFileSync(await sheet.path(), "utf8");
    assert(text.includes("'=HYPERLINK") && text.includes("'@SUM(1+1)"), text);
    for (const field of text.matchAll(/(?:^|,)"?([=+@\-][^,]*)/gm)) assert.fail(`a spreadsheet would count ${field[1]}`);
    await done(page);
  } finally {
    await hostile.stop();
  }
});

test("what a site takes, and where it leads away, stands on its page", async () => {
  const world = new World();
  const file = fileURLToPath(new URL("../../worlds/application.world", import.meta.url));
  const scan = ["scan", "-y", "--workflow", "external_application_assessment", "--level", "intensive", "--world", file, "--silent"];
  await world.start([], (one) => one.run([...scan, "-o", `${one.folder}/found`, "--data", one.data]));
  try {
    const { hits } = await world.api("/api/v3/asm/search/entities/type:Uri?page_size=50");
    const uid = (name) => hits.find((hit) => hit.name === name).id;
    for (const width of [360, 1280]) {
      const page = await world.inside(`/entities/${uid("https://shop.acme.test:443")}`, { width });
      const rows = page.getByRole("region", { name: "Parameters" }).getByRole("row");
      await rows.filter({ hasText: "currency" }).getByText("a script").waitFor();
      await rows.filter({ hasText: "debug" }).getByText("nothing, it was tried").waitFor();
      await accessible(page, `a site at ${width}`);
      await page.goto(`${world.url}/entities/${uid("https://go.acme.test:443")}`);
      await page.getByText("/to leads to any host that to names.").waitFor();
      await done(page);
    }
  } finally {
    await world.stop();
  }
});

test("suppliers are listed by how well they are protected, with reasons, services and the scores that they had", async () => {
  const world = new World();
  const file = fileURLToPath(new URL("../../worlds/suppliers.world", import.meta.url));
  const scan = (state) => ["scan", "-y", "--workflow", "third_party_workflow", "--world", file, "--state", state, "--silent", "globex.test", "lantern.test"];
  await world.start([], (one) => ["1", "2"].forEach((state) => one.run([...scan(state), "-o", `${one.folder}/found`, "--data", one.data])));
  try {
    const [{ uuid }] = await world.api("/api/v3/asm/user_collections");
    const [worst] = await world.api(`/api/ambit/v1/user_collections/${uuid}/postures`);
    assert.equal(worst.name, "lantern.test");
    for (const [width, dark] of [[360, true], [1280, false], [2560, true]]) {
      const page = await world.inside(`/collections/${uuid}`, { width, dark });
      const all = page.getByRole("region", { name: "How well they are protected" });
      const rows = all.getByRole("row");
      await rows.nth(1).getByText(`${worst.score} of 100, ${worst.grade}`).waitFor();
      await rows.nth(1).getByText(worst.findings[0].text).waitFor();
      await accessible(page, `suppliers at ${width}`);
      await all.getByLabel("As of").fill("2001-01-01");
      await page.waitForURL(/as_of=2001-01-01/);
      await all.getByText("None of its seeds had been assessed then.").waitFor();
      await all.getByLabel("As of").fill("");
      await rows.nth(1).getByRole("link", { name: "lantern.test" }).press("Enter");
      await page.waitForURL(/#posture$/);
      const one = page.getByRole("region", { name: "How well it is protected" });
      await one.getByText(worst.findings[0].text).waitFor();
      await one.getByText("Stripe", { exact: true }).waitFor();
      const { history } = await world.api(`/api/ambit/v1/entities/${worst.uid}/posture`);
      assert.equal(history.length, 2);
      const scores = await one.getByRole("list", { name: "Scores" }).getByRole("listitem").allInnerTexts();
      assert.deepEqual(scores.map((text) => Number.parseInt(text)), history.map((point) => point.score).reverse());
      await accessible(page, `a supplier at ${width}`);
      await done(page);
    }
    const { history: [first] } = await world.api(`/api/ambit/v1/entities/${worst.uid}/posture`);
    const page = await world.inside(`/entities/${worst.uid}?as_of=${first.at}`);
    await page.getByRole("region", { name: "How well it is protected" }).getByText("has no encrypted site").waitFor();
    await done(page);
  } finally {
    await world.stop();
  }
});

test("an organisation with several domains is listed as its weakest one, with the score before", async () => {
  const world = new World();
  const file = fileURLToPath(new URL("../../worlds/organizations.world", import.meta.url));
  const seeds = ["globex.test", "globex-shop.test", "nobody.test"];
  const scan = (state) => ["scan", "-y", "--workflow", "third_party_workflow", "--world", file, "--state", state, "--silent", ...seeds];
  await world.start([], (one) => ["1", "2"].forEach((state) => one.run([...scan(state), "-o", `${one.folder}/found`, "--data", one.data])));
  try {
    const [{ uuid }] = await world.api("/api/v3/asm/user_collections");
    const together = await world.api(`/api/ambit/v1/user_collections/${uuid}/organization_postures`);
    const globex = together.find((one) => one.organization === "Globex Ltd");
    for (const width of [360, 1280]) {
      const page = await world.inside(`/collections/${uuid}`, { width });
      const table = page.getByRole("region", { name: "Organizations" });
      const row = table.getByRole("row").nth(1);
      await row.getByText(`${globex.score} of 100, ${globex.grade}`).waitFor();
      await row.getByText(String(globex.history[0].score), { exact: true }).waitFor();
      assert.equal(await table.getByRole("row").count(), 2, "one that has a single domain is listed with the domains");
      await accessible(page, `organisations at ${width}`);
      if (width === 1280 && process.env.AMBIT_SHOT) await page.screenshot({ path: process.env.AMBIT_SHOT, fullPage: true });
      await row.getByRole("link", { name: /globex-shop.test/ }).press("Enter");
      await page.waitForURL(/#posture$/);
      await done(page);
    }
  } finally {
    await world.stop();
  }
});

test("the first run: a domain, a passive look, and only then further", async () => {
  const empty = new World();
  await empty.start([]);
  try {
    const page = await empty.inside("/");
    await page.getByText("Nothing has been discovered yet").waitFor();
    await accessible(page, "an empty folder");
    await page.getByRole("link", { name: "Add a domain" }).press("Enter");
    const names = page.getByLabel(/^Domains, hosts/);
    await names.fill("localhost");
    await page.getByRole("button", { name: "Add, and look passively" }).press("Enter");
    await page.getByRole("alert").getByText("give a full domain such as example.org").waitFor();
    assert.deepEqual(await empty.api("/api/v3/asm/user_collections"), []);
    await names.fill("tidewater.test\nwww.tidewater.test");
    await accessible(page, "the first step");
    await page.getByRole("button", { name: "Add, and look passively" }).press("Enter");
    await page.waitForURL(/\/runs\/1$/);
    await page.getByText("waiting", { exact: true }).waitFor();
    const [made] = await empty.api("/api/v3/asm/user_collections");
    assert.deepEqual([made.printable_name, made.level, made.next_run_at], ["tidewater.test", "passive", null]);
    await page.getByRole("link", { name: "tidewater.test" }).press("Enter");
    await page.getByText("A run is open:").waitFor();
    await page.getByRole("radio", { name: /^polite/ }).check();
    await page.getByRole("button", { name: "Start a polite run" }).waitFor();
    assert.equal((await empty.api("/api/v3/asm/user_collections"))[0].level, "passive");
    await accessible(page, "a new collection");
    await done(page, /400/);
  } finally {
    await empty.stop();
  }
});

test("whoever only looks around loads the demo into a project of its own", async () => {
  const empty = new World();
  await empty.start([]);
  try {
    const page = await empty.inside("/");
    await page.getByRole("button", { name: "Load the demo" }).press("Enter");
    await page.waitForURL(/\/runs\/1$/);
    await page.getByText("waiting", { exact: true }).waitFor();
    await accessible(page, "the run of the demo");
    assert.deepEqual((await empty.api("/api/v3/asm/projects")).map((one) => one.name).sort(), ["Demo", "My organization"]);
    assert.deepEqual(await empty.api("/api/v3/asm/user_collections"), []);
    await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "My organization" });
    await page.getByRole("link", { name: "Triage" }).press("Enter");
    await page.getByText("Nothing has been discovered yet").waitFor();
    await done(page);
  } finally {
    await empty.stop();
  }
});
