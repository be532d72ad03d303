// Each page's code is a separate file: loaded when the person points at its link, with a message if it is
// missing.
import { arrive, expect, hydrated, test } from './support';

test('pointing at a link fetches its page, and opening it then fetches no code', async ({ page }) => {
  await arrive(page);
  await hydrated(page);
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  const link = page.locator('#rail').getByRole('link', { name: 'Runs' });
  const asked = page.waitForResponse((response) => response.url().endsWith('/split_runs.wasm'));
  await link.hover();
  // The event stream never ends, so the page is never idle: wait for the whole file instead.
  expect(await (await asked).finished()).toBeNull();
  fetched.length = 0;
  await link.click();
  await expect(page.getByRole('heading', { name: 'Runs' }).first()).toBeVisible();
  expect(fetched.filter((path) => path.includes('split_runs'))).toEqual([]);
});

test('a page whose code cannot be fetched says so, and the frame stays', async ({ browser }) => {
  // The browser itself logs errors about the requests that are cut off here.
  const context = await browser.newContext();
  const page = await context.newPage();
  await arrive(page);
  await hydrated(page);
  await page.route('**/split_team.wasm', (route) => route.abort());
  await page.goto('/settings/networks');
  await hydrated(page);
  await page.getByRole('main').getByRole('link', { name: 'Team' }).click();
  await expect(page.getByRole('alert')).toContainText("This couldn't be loaded");
  await expect(page.locator('#rail').getByRole('link', { name: 'Approvals' })).toBeVisible();
  await page.unroute('**/split_team.wasm');
  await page.getByRole('link', { name: 'Reload' }).click();
  await expect(page.getByRole('heading', { name: 'Team' }).first()).toBeVisible();
  await context.close();
});

test('the palette is fetched when it is opened, and by its key alone', async ({ page }) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  await arrive(page);
  await hydrated(page);
  expect(fetched.filter((path) => path.includes('split_palette'))).toEqual([]);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /Search, jump or ask/ })).toBeFocused();
  expect(fetched.filter((path) => path.includes('split_palette'))).toHaveLength(1);
  await page.keyboard.press('Escape');
  await page.getByRole('main').click();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard' })).toBeVisible();
});
