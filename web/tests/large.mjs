// The inventory over many entities as a person meets it: when the first rows are painted, and how long each thing that a person does keeps the page.
// `bench/web` calls it with a data folder; it prints one figure a line and ends with 1 where a bound is not held.

import { spawnSync } from "node:child_process";
import { World } from "./world.mjs";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: large.mjs FOLDER");
/** Milliseconds from asking for the page to the first painted rows, and from a person's act to the next picture. */
const [PAINT_MAX, ACT_MAX] = [1_000, 100];
const ROUNDS = 5;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Milliseconds from the navigation until rows of the inventory have been painted. */
async function paint(world) {
  const page = await world.inside("/issues");
  // The program is kept by the browser after the first visit, as it is for who comes every day.
  await page.goto(`${world.url}/entities?q=`);
  await page.getByRole("table", { name: "Entities" }).getByRole("row").nth(20).waitFor();
  await page.goto(`${world.url}/entities?q=present:true`);
  const found = await page.evaluate(() => new Promise((done) => {
    const look = () => {
      if (document.querySelectorAll("[role=table][aria-label=Entities] [role=row]").length > 20) requestAnimationFrame(() => done(performance.now()));
      else requestAnimationFrame(look);
    };
    look();
  }));
  await page.context().close();
  return found;
}

/** The longest that the page needed to show a first answer to what a person did, by the browser's own account. */
async function acts(world) {
  const page = await world.inside("/entities?q=present:true", { width: 1440, height: 900 });
  const table = page.getByRole("table", { name: "Entities" });
  await table.getByRole("row").nth(20).waitFor();
  await page.evaluate(() => {
    globalThis.longest = {};
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.interactionId) globalThis.longest[globalThis.act] = Math.max(globalThis.longest[globalThis.act] ?? 0, entry.duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  });
  const during = async (name, what) => {
    await page.evaluate((name) => (globalThis.act = name), name);
    await what();
    // The browser tells of an act once the picture after it is shown.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))));
  };
  const answered = (total) => page.waitForFunction((total) => document.querySelector("[role=table][aria-label=Entities]")?.getAttribute("aria-rowcount") !== total, total);
  await during("move the cursor", async () => { for (let step = 0; step < 30; step += 1) await page.keyboard.press("j"); });
  await during("order by name", () => page.getByRole("columnheader", { name: "Name" }).getByRole("button").click());
  await page.waitForURL(/sort=name/);
  const before = await table.getAttribute("aria-rowcount");
  await during("type a search", () => page.getByLabel("Search entities").pressSequentially(" zone7"));
  await during("search", () => page.keyboard.press("Enter"));
  await answered(before);
  await during("open the columns", () => page.getByRole("button", { name: "Columns" }).click());
  await during("show a column", () => page.getByRole("checkbox", { name: "Title" }).click());
  await during("scroll", async () => {
    for (let step = 0; step < 10; step += 1) await page.mouse.wheel(0, 3_000);
  });
  const found = await page.evaluate(() => globalThis.longest);
  await page.context().close();
  return found;
}

const world = new World();
let held = true;
function say(what, figure, most) {
  console.log(`${what}: ${figure.toFixed(0)} ms, at most ${most}`);
  held &&= figure <= most;
}

await world.start([], () => {}, folder);
try {
  const { total_hits: entities } = await world.api("/api/v3/asm/search/entities/present:true?page_size=1");
  console.log(`${entities.toLocaleString("en")} entities, load ${spawnSync("cut", ["-d", " ", "-f1", "/proc/loadavg"], { encoding: "utf8" }).stdout.trim()}`);
  const paints = [];
  for (let round = 0; round < ROUNDS; round += 1) paints.push(await paint(world));
  say("first rows painted, median", median(paints), PAINT_MAX);
  const longest = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, duration] of Object.entries(await acts(world))) longest[name] = [...(longest[name] ?? []), duration];
  }
  for (const [name, durations] of Object.entries(longest)) say(`${name}, median of the longest`, median(durations), ACT_MAX);
} finally {
  await world.stop();
}
process.exitCode = held ? 0 : 1;
