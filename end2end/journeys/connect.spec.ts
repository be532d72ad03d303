// From a question to the missing connection and back: deep link, consent, choice of accounts, the answer.
import { ask, expect, signUp, test } from './support';

test('a question leads to connecting AdMob by OAuth, and back to its answer', async ({ page }) => {
  await signUp(page);
  const entry = await ask(page, 'What was my AdMob revenue yesterday?');
  // The page says it only once: the button has no sentence of its own.
  await expect(entry.getByRole('link', { name: /Connect AdMob/ })).toBeVisible();
  expect(await entry.getByText('pick up from here').count()).toBe(1);
  await entry.getByRole('link', { name: /Connect AdMob/ }).click();
  await expect(page).toHaveURL(/\/settings\/networks\?connect=admob&return=/);
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  // The sandbox's consent page, on another origin.
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page.getByRole('heading', { name: 'Choose AdMob accounts' })).toBeVisible();
  await page.getByRole('button', { name: 'Use these accounts' }).click();
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);
  const answer = page.locator('article.entry').last();
  await expect(answer).toContainText('AdMob is connected');
  await expect(answer.locator('.kpi-value').first()).toContainText('$');
});

test('saying no at the consent page connects nothing', async ({ page }) => {
  await signUp(page);
  await page.goto('/settings/networks?connect=admob');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await expect(page.getByRole('alert')).toContainText('nothing was connected');
});

test('a link that says a network was connected sends nothing by itself', async ({ page }) => {
  await signUp(page);
  const entry = await ask(page, 'What was my AdMob revenue yesterday?');
  // Only a question that waits for the network can continue.
  await expect(entry.getByRole('link', { name: /Connect AdMob/ })).toBeVisible();
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);
  const chat = new URL(page.url()).pathname;
  await page.goto(`${chat}?connected=admob`);
  await expect(page).toHaveURL(new RegExp(`${chat}$`));
  await expect(page.locator('#ask')).toHaveValue('AdMob is connected now. Continue with: What was my AdMob revenue yesterday?');
  await expect(page.locator('article.entry')).toHaveCount(1);
});
