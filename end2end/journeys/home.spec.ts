// The home page: numbers without asking, and saved questions to ask again, with and without JavaScript.
import { accessible, arrive, ask, expect, hydrated, test } from './support';

test('home fetches its numbers, leads to the chat behind them, and keeps a question', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, 'AdMob revenue by country, last 7 days');
  await entry.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText("Saved. You'll find it on Home.")).toBeVisible();

  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page).toHaveURL(/\/$/);
  const yesterday = page.getByRole('region', { name: 'Yesterday' });
  await expect(yesterday.getByText(/the same day a week earlier/)).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('region', { name: 'Last 7 days' }).getByRole('img').first()).toBeVisible({ timeout: 30_000 });
  const movers = page.getByRole('region', { name: 'Top movers' });
  await expect(movers.getByRole('listitem').first()).toContainText(/impressions (up|down|the same).*eCPM (up|down|the same)/, { timeout: 30_000 });
  await accessible(page, 'home');

  // A saved question is pinned, and its answer comes without asking.
  await page.getByRole('button', { name: 'Pin AdMob revenue by country' }).click();
  const pinned = page.getByRole('region', { name: 'AdMob revenue by country, last 7 days' });
  await expect(pinned.getByText(/Revenue by country/).first()).toBeVisible({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Unpin AdMob revenue by country' }).click();
  await expect(pinned).toHaveCount(0);

  // A click asks it again at once.
  await page.getByRole('region', { name: 'Saved questions' }).getByRole('button', { name: 'AdMob revenue by country, last 7 days', exact: true }).click();
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);
  await expect(page.locator('article.entry .prose').last()).toContainText('Revenue by country', { timeout: 30_000 });
  await page.goto('/');

  // The link puts the question into the composer and sends nothing.
  await movers.getByRole('link', { name: /^Why\?/ }).first().click();
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(/^Why did revenue for .+ change/);
  await page.goBack();

  // Every number links to its chat; a new message makes that chat one of the person's own.
  await page.getByRole('link', { name: 'Open the chat: Yesterday' }).click();
  await expect(page.locator('article.entry')).toHaveCount(1);
  await ask(page, 'And by country?');
  await expect(page.locator('#rail').getByRole('link', { name: /How did yesterday go/ })).toBeVisible();
});

test('a follow-up is saved as the whole question', async ({ page }) => {
  await arrive(page);
  await ask(page, 'AdMob revenue by country, last 7 days');
  const entry = await ask(page, 'only ios');
  await entry.getByRole('button', { name: 'Save', exact: true }).click();
  const asked = page.locator('article.entry').nth(2);
  await expect(asked.locator('.approval')).toContainText(/iOS/, { timeout: 20_000 });
  await expect(asked.locator('.approval')).toContainText(/country/i);
});

test('home without script is fetched by a button and finishes by itself', async ({ page, browser }) => {
  await arrive(page);
  const context = await browser.newContext({ javaScriptEnabled: false, storageState: await page.context().storageState() });
  const plain = await context.newPage();
  await plain.goto('/');
  await plain.getByRole('button', { name: 'Update' }).click();
  await expect(plain.getByRole('region', { name: 'Yesterday' }).getByText(/the same day a week earlier/)).toBeVisible({ timeout: 30_000 });
  await context.close();
  await hydrated(page);
});
