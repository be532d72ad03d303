// What every journey needs: a person, a page that must stay free of errors, pictures, and the sandbox's own books.
import AxeBuilder from '@axe-core/playwright';
import { expect, test as base, type APIRequestContext, type Page } from '@playwright/test';

let counter = 0;

/** A person nobody else uses. */
export function person() {
  counter += 1;
  return { name: 'Mara Kessler', email: `mara.${Date.now()}.${counter}@acme.example`, password: 'ledger-ink-and-paper' };
}

export const test = base.extend<{ quiet: void }>({
  // Any console error or warning of ours, and any uncaught exception, fails the journey.
  quiet: [
    async ({ page }, use) => {
      const noise: string[] = [];
      page.on('console', (message) => {
        // A journey that cuts the network itself makes the browser say so.
        if (message.type() === 'error' && !message.text().includes('ERR_INTERNET_DISCONNECTED')) noise.push(message.text());
      });
      page.on('pageerror', (error) => noise.push(String(error)));
      await use();
      expect(noise, 'the console stays clean').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

export async function signUp(page: Page, who = person()) {
  await page.goto('/sign-up');
  await page.getByLabel('Name').fill(who.name);
  await page.getByLabel('E-mail').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL(/\/chat$/);
  return who;
}

export async function explore(page: Page) {
  await page.getByRole('button', { name: 'Explore with sandbox data' }).click();
  await expect(page.getByRole('heading', { name: /What needs looking at/ })).toBeVisible();
}

/** Waits until the page answers to clicks: the WASM is there. */
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

/** The sandbox as an outsider sees it. */
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
    writes: async () => (await (await request.get(`${base}/__sandbox/writes?network=admob`)).json()).items as any[],
  };
}

export function dollars(micros: number) {
  return (micros / 1e6).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
}

/** The looks every page must hold in: both colour schemes, on a laptop and on a phone. */
const LOOKS = [
  ['light', 1440, 1000, 'light'], ['dark', 1440, 1000, 'dark'],
  ['phone', 390, 844, 'light'], ['phone-dark', 390, 844, 'dark'],
] as const;

// The engine below cannot change a look: the second engine's run checks one.
const looks = process.env.ENGINE === 'postgres' ? LOOKS.slice(0, 1) : LOOKS;

async function inEveryLook(page: Page, look: (name: string) => Promise<void>) {
  for (const [name, width, height, colorScheme] of looks) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(120);
    await look(name);
  }
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
}

/** axe finds nothing and nothing sticks out at the side: light and dark, on a laptop and on a phone. */
export async function accessible(page: Page, what: string) {
  await inEveryLook(page, async (name) => {
    const found = await new AxeBuilder({ page }).analyze();
    const told = found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`);
    expect(told, `axe on ${what}, ${name}`).toEqual([]);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(over, `pixels ${what} sticks out at the side, ${name}`).toBeLessThanOrEqual(0);
  });
}

/** Pictures in every look; with `part` scrolled so that it is seen, on a phone as high as the page is long. */
export async function picture(page: Page, name: string, part = 'article.entry:last-of-type') {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await inEveryLook(page, async (look) => {
    if (look.startsWith('phone')) {
      const long = await page.evaluate(() => {
        const inner = document.querySelector('.thread, .page, .inbox-list');
        return inner ? inner.scrollHeight - inner.clientHeight : 0;
      });
      await page.setViewportSize({ width: 390, height: Math.min(844 + long, 2600) });
    }
    const target = page.locator(part).first();
    if (await target.count()) await target.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${folder}/${name}-${look}.png` });
  });
}
