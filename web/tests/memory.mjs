// The memory of a tab over a live run: the demo's organisation is looked at again and again, a page shows each run as it happens, and another one is open on
// triage. `bench/web memory` calls it with a number of minutes; each minute it forces the garbage out and says what is left, and at its end by how much that
// grew. It ends with 1 where that is more than a bound, or where a minute passed in which nothing was told.

import { World } from "./world.mjs";

const minutes = Number(process.argv[2] ?? 30);
/** Minutes until caches are as full as they get: what was asked for is kept for five. */
const WARM_UP = 6;
/** Samples whose median stands for the beginning, and for the end. */
const SAMPLES = 5;
/** Growth from the beginning to the end that is no leak: the page of a run that ended has some 2,000 nodes more than that of one that begins. */
const [HEAP_MAX_MB, NODES_MAX] = [3, 2_000];
if (!(minutes >= WARM_UP + 2 * SAMPLES)) throw new Error(`usage: memory.mjs MINUTES, at least ${WARM_UP + 2 * SAMPLES}`);

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const world = new World();

/** A page with what its tab holds, and what the server told it. */
async function watched(page) {
  const tools = await page.context().newCDPSession(page);
  const tab = { told: 0, samples: [] };
  tools.on("Network.eventSourceMessageReceived", () => (tab.told += 1));
  await tools.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  await tools.send("Performance.enable");
  tab.look = async () => {
    await tools.send("HeapProfiler.collectGarbage");
    const { metrics } = await tools.send("Performance.getMetrics");
    const figure = (name) => metrics.find((metric) => metric.name === name).value;
    tab.samples.push({ heap: figure("JSHeapUsedSize") / 1e6, nodes: figure("Nodes"), listeners: figure("JSEventListeners") });
    return tab.samples.at(-1);
  };
  return tab;
}

/** What grew: the median of the last samples less that of the first ones after the warm-up. */
function growth(samples, of) {
  const values = samples.slice(WARM_UP).map((sample) => sample[of]);
  return median(values.slice(-SAMPLES)) - median(values.slice(0, SAMPLES));
}

await world.start([], () => {}, undefined, true);
let held = true;
try {
  const page = await world.inside("/");
  await page.getByRole("button", { name: "Load the demo" }).click();
  await page.waitForURL(/\/runs\/\d+$/);
  const triage = await page.context().newPage();
  await triage.goto(`${world.url}/issues?q=status_new:open`);
  const tabs = { "a run": await watched(page), triage: await watched(triage) };
  const project = await page.evaluate(() => localStorage.getItem("ambit.project"));
  const headers = { "x-apikey": world.key, "project-id": project };
  const ask = async (path) => (await (await fetch(world.url + path, { headers })).json()).result;
  const [{ uuid, printable_name: collection }] = await ask("/api/v3/asm/user_collections");
  let runs = 1;
  const begun = Date.now();
  for (let minute = 1, told = 0; minute <= minutes; minute += 1) {
    while (Date.now() < begun + minute * 60_000) {
      await new Promise((done) => setTimeout(done, 1_000));
      const [run] = await ask(`/api/v3/asm/collections/${uuid}/collection_runs`);
      if (!["finished", "failed", "cancelled"].includes(run.status)) continue;
      // As a person does it: within the page, which is not loaded anew.
      await page.getByRole("main").getByRole("link", { name: collection, exact: true }).click();
      await page.getByRole("button", { name: /^Start an? \w+ run$/ }).click();
      await page.waitForURL((url) => /\/runs\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${run.id}`), { timeout: 30_000 });
      runs += 1;
    }
    for (const [name, tab] of Object.entries(tabs)) {
      const { heap, nodes, listeners } = await tab.look();
      console.log(`minute ${minute}, ${name}: ${heap.toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`);
    }
    const now = tabs["a run"].told;
    console.log(`minute ${minute}: ${now - told} events, ${runs} runs`);
    if (now === told) [held] = [false, console.log("nothing was told in this minute")];
    told = now;
  }
  for (const [name, tab] of Object.entries(tabs)) {
    const [heap, nodes] = [growth(tab.samples, "heap"), growth(tab.samples, "nodes")];
    const most = Math.max(...tab.samples.map((sample) => sample.heap));
    console.log(`in ${minutes} minutes of a live run, the tab of ${name}: heap grew by ${heap.toFixed(2)} MB, at most ${HEAP_MAX_MB}; nodes by ${nodes}, at most ${NODES_MAX}; ${most.toFixed(1)} MB at most`);
    held &&= heap <= HEAP_MAX_MB && nodes <= NODES_MAX;
  }
  console.log(`${tabs["a run"].told} events of ${runs} runs in ${minutes} minutes`);
  if (page.faults.length > 0) [held] = [false, console.log(`faults: ${page.faults.slice(0, 5).join("; ")}`)];
} finally {
  await world.stop();
}
process.exitCode = held ? 0 : 1;
