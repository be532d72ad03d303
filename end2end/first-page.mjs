// Measures how long a page takes to react, with an empty browser cache: `node first-page.mjs <base URL>`
// prints a table. Measures once with this machine as it is, and once with a four times slower processor on
// slow 4G.
import { chromium } from '@playwright/test';

const base = process.argv[2] ?? 'http://127.0.0.1:3000';
const ROUNDS = 5;
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: (1.6 * 1024 * 1024) / 8, uploadThroughput: (750 * 1024) / 8 };
const PAGES = ['/chat', '/approvals', '/runs', '/settings/networks', '/settings/team', '/settings/account', '/settings/tokens', '/sign-in'];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const someone = { name: 'Mara Kessler', email: `mara.${Date.now()}@acme.example`, password: 'ledger-ink-and-paper' };
const home = await browser.newContext({ baseURL: base });
const signedUp = await home.request.post('/api/auth/sign-up', { data: someone });
if (signedUp.status() !== 201) throw new Error(await signedUp.text());
const explored = await home.request.post('/api/sandbox/explore', { data: {} });
if (explored.status() !== 200) throw new Error(await explored.text());
const state = await home.storageState();

/** Milliseconds from the start of the navigation until the page listens, and bytes that came over the wire. */
async function open(path, slow) {
  const context = await browser.newContext({ baseURL: base, storageState: path === '/sign-in' ? undefined : state });
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send('Network.enable');
  let bytes = 0;
  protocol.on('Network.loadingFinished', (event) => (bytes += event.encodedDataLength));
  if (slow) {
    await protocol.send('Network.emulateNetworkConditions', SLOW_4G);
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  }
  await page.addInitScript(() => {
    new MutationObserver((_, watch) => {
      if (document.documentElement?.dataset.hydrated !== 'true') return;
      window.awake = performance.now();
      watch.disconnect();
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-hydrated'] });
  });
  await page.goto(path, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.awake !== undefined, undefined, { polling: 50, timeout: 60_000 });
  const awake = await page.evaluate(() => window.awake);
  const read = bytes;
  await context.close();
  return { awake, bytes: read };
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
console.log('page | awake, ms | awake on slow 4G and a slow processor, ms | everything over the wire, kB');
for (const path of PAGES) {
  const here = [];
  const slow = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    here.push(await open(path, false));
    if (round < 3) slow.push(await open(path, true));
  }
  const time = (runs) => Math.round(median(runs.map((run) => run.awake)));
  console.log(`${path} | ${time(here)} | ${time(slow)} | ${Math.round(median(here.map((run) => run.bytes)) / 1000)}`);
}
await browser.close();
