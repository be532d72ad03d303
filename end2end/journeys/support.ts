// What every journey needs: a person, a page that must stay free of errors, pictures, and the sandbox's own
// data.
import axe from 'axe-core';
import { expect, test as base, type APIRequestContext, type Locator, type Page } from '@playwright/test';

let counter = 0;

/** Returns a person that no other journey uses. */
export function person() {
  counter += 1;
  return { name: 'Mara Kessler', email: `mara.${Date.now()}.${counter}@acme.example`, password: 'ledger-ink-and-paper' };
}

export const test = base.extend<{ quiet: void }>({
  // A console error or warning of ours, or an uncaught exception, fails the journey.
  quiet: [
    async ({ page }, use) => {
      const noise: string[] = [];
      page.on('console', (message) => {
        // A journey that cuts the network itself makes the browser log this error.
        const loud = ['error', 'warning'].includes(message.type());
        if (loud && !message.text().includes('ERR_INTERNET_DISCONNECTED')) noise.push(message.text());
      });
      page.on('pageerror', (error) => noise.push(String(error)));
      await use();
      expect(noise, 'the console stays clean').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Signs up with the form, as a person would. */
export async function signUpByForm(page: Page, who = person()) {
  await page.goto('/sign-up');
  await page.getByLabel('Name').fill(who.name);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL(/\/chat$/);
  return who;
}

/** Signs up without the form, for journeys about something else; ends on the page where a new chat begins. */
export async function signUp(page: Page, who = person()) {
  const answer = await page.request.post('/api/auth/sign-up', { data: who });
  expect(answer.status(), await answer.text()).toBe(201);
  await page.goto('/chat');
  return who;
}

/** Signs up and connects the sandbox, both without clicks; ends on the page where a new chat begins. */
export async function arrive(page: Page, who = person()) {
  const answer = await page.request.post('/api/auth/sign-up', { data: who });
  expect(answer.status(), await answer.text()).toBe(201);
  const explored = await page.request.post('/api/sandbox/explore', { data: {} });
  expect(explored.status(), await explored.text()).toBe(200);
  await page.goto('/chat');
  await expect(page.getByRole('heading', { name: /what do you want to check/ })).toBeVisible();
  return who;
}

export async function explore(page: Page) {
  await page.getByRole('button', { name: 'Explore with sandbox data' }).click();
  await expect(page.getByRole('heading', { name: /what do you want to check/ })).toBeVisible();
}

/** Waits until the page reacts to clicks: the WASM is loaded. */
export async function hydrated(page: Page) {
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === 'true');
}

export async function ask(page: Page, text: string) {
  await hydrated(page);
  const before = await page.locator('article.entry').count();
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
  const entry = page.locator('article.entry').nth(before);
  await expect(entry.getByRole('heading', { level: 2 })).toHaveText(text);
  return entry;
}

/** Approves a card. If the buttons cover its end, the first press shows what will be sent and the second one approves it. */
export async function approve(card: Locator, press = (button: Locator) => button.click()) {
  const button = card.getByRole('button', { name: /^Approve/ });
  await press(button);
  const again = card.getByText('Press again to approve');
  // The steps of an agent that has answered fold, and hide the stamp of its card.
  await expect(again.or(card.locator('.stamp')).first()).toBeAttached();
  if (await again.isVisible()) await press(button);
  await expect(card.locator('.stamp')).toHaveText(/Approved/);
}

/** Returns the sandbox as an outsider sees it. */
export async function sandbox(request: APIRequestContext) {
  const info = await (await request.get('/api/sandbox')).json();
  const base: string = info.base_url;
  const dayBefore = (date: string, days: number) =>
    new Date(Date.parse(`${date}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
  return {
    today: info.today as string,
    day: (ago: number) => dayBefore(info.today, ago),
    truth: async (query: Record<string, string>) =>
      (await request.get(`${base}/__sandbox/truth?${new URLSearchParams({ network: 'admob', ...query })}`)).json(),
    /** Returns the writes that reached the network from any journey, without those about other ad formats. */
    writes: async (formats: string[]) => {
      const { items } = await (await request.get(`${base}/__sandbox/writes?network=admob`)).json();
      return (items as any[]).filter(({ body }) => formats.includes(body.targeting?.format ?? formats[0]));
    },
  };
}

export function dollars(micros: number) {
  return (micros / 1e6).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
}

type Look = { name: string; width: number; height: number; colorScheme: 'light' | 'dark' };

/** The looks in which every page must work: both color schemes, on a laptop and on a phone. */
const LOOKS: Look[] = [
  { name: 'light', width: 1440, height: 1000, colorScheme: 'light' },
  { name: 'dark', width: 1440, height: 1000, colorScheme: 'dark' },
  { name: 'phone', width: 390, height: 844, colorScheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, colorScheme: 'dark' },
];

// The database engine cannot change a look, so the run on the second engine checks only one.
const looks = process.env.ENGINE === 'postgres' ? LOOKS.slice(0, 1) : LOOKS;

async function inEveryLook(page: Page, see: (look: Look) => Promise<void>) {
  for (const look of looks) {
    await page.setViewportSize({ width: look.width, height: look.height });
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
    // Draw twice: the second frame shows what the first one measured. Nothing is animated, so there is
    // nothing else to wait for.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await see(look);
  }
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
}

/**
 * Checks a page in light and dark, on a laptop and on a phone: axe finds nothing, and nothing sticks out at the side.
 *
 * axe runs inside the page and returns only its findings. Its wrapper for Playwright moves every rule's passes to another
 * page to handle iframes, which the desk does not have; that took five times as long.
 */
export async function accessible(page: Page, what: string) {
  await inEveryLook(page, async ({ name, colorScheme }) => {
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
    const { found, frames, over } = await page.evaluate(async (scheme) => {
      // Only the contrast rule depends on colors; the other rules ran in the light look of the same size. The
      // target-size rule of WCAG 2.2, which axe runs only on request, checks that controls have room for a
      // finger.
      const options = scheme === 'dark' ? { runOnly: ['color-contrast'] } : { rules: { 'target-size': { enabled: true } } };
      const result = await (window as any).axe.run(document, { resultTypes: ['violations'], ...options });
      return {
        found: result.violations.map((rule: any) => `${rule.id}: ${rule.nodes.map((node: any) => node.target.join(' ')).join(', ')}`),
        frames: document.querySelectorAll('iframe').length,
        over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      };
    }, colorScheme);
    expect(found, `axe on ${what}, ${name}`).toEqual([]);
    expect(frames, `frames of ${what}, which axe would not see into`).toBe(0);
    expect(over, `pixels ${what} sticks out at the side, ${name}`).toBeLessThanOrEqual(0);
  });
}

/** With `cargo xtask test --pictures`, takes pictures in every look, with `part` scrolled into view; on a phone, of the whole page. */
export async function picture(page: Page, name: string, part = 'article.entry:last-of-type') {
  const folder = process.env.PICTURES;
  if (!folder) return;
  await inEveryLook(page, async (look) => {
    if (look.name.startsWith('phone')) {
      const long = await page.evaluate(() => {
        const inner = document.querySelector('.thread, .page, .inbox-list');
        return inner ? inner.scrollHeight - inner.clientHeight : 0;
      });
      await page.setViewportSize({ width: 390, height: Math.min(844 + long, 2600) });
    }
    const target = page.locator(part).first();
    if (await target.count()) await target.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${folder}/${name}-${look.name}.png` });
  });
}

/** Creates an organization of the signed-in person without clicks; returns its ID. */
export async function organization(page: Page, name: string) {
  const answer = await page.request.post('/api/organizations', { data: { name } });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()).id as string;
}

/** Returns the button at the top of the rail that names the page's workspace. */
export function switcher(page: Page) {
  return page.locator('#rail .switcher[popovertarget="workspaces"]');
}

export async function switchTo(page: Page, name: string) {
  await switcher(page).click();
  await page.getByRole('menuitemradio', { name }).click();
  await expect(switcher(page)).toContainText(name);
  await hydrated(page);
}

/** Returns the newest mail to an address, from the outbox that a development server keeps instead of sending. */
export async function mailTo(request: APIRequestContext, email: string) {
  let found: { text: string; url: string; subject: string } | undefined;
  await expect(async () => {
    const { items } = await (await request.get('/dev/outbox.json')).json();
    found = items.find((mail: any) => mail.to === email);
    expect(found, `a mail to ${email}`).toBeTruthy();
  }).toPass();
  return found!;
}
