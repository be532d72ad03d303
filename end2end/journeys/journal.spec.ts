// The journal: what was done by which agent, by day; narrowed, by keyboard, on the phone, in the dark, and without JavaScript.
import { accessible, expect, hydrated, picture, signUp, test } from './support';
import type { Page } from '@playwright/test';

async function work(page: Page) {
  await signUp(page);
  await page.goto('/journal');
  await hydrated(page);
  await expect(page.getByRole('heading', { name: 'Nothing in the journal yet' })).toBeVisible();
  await accessible(page, 'the journal, nothing in it');
  await picture(page, 'journal-empty', '.page-head');
  const explored = await page.request.post('/api/sandbox/explore', { data: { networks: ['applovin', 'liftoff'] } });
  expect(explored.status()).toBe(200);
  const grants = ['applovin', 'native'].map((on) => ({ on, may: ['read', 'list'] }));
  const made = await page.request.post('/api/agents', { data: { handle: 'reporter', name: 'Revenue reporter', color: 3, grants } });
  expect(made.status(), await made.text()).toBe(201);
  await page.goto('/chat');
  for (const [nth, question] of ['@reporter What did we earn yesterday?', '@desk Revenue by network last week'].entries()) {
    await hydrated(page);
    await page.getByRole('textbox', { name: 'Message' }).fill(question);
    await page.keyboard.press('Enter');
    await expect(page.locator('article.entry').nth(nth).locator('.prose').last()).toBeVisible({ timeout: 20_000 });
  }
  return (await made.json()).id as string;
}

test('the journal says what was done, and leads to the chat and the run', async ({ page }) => {
  const id = await work(page);
  await page.getByRole('link', { name: 'Journal' }).first().click();
  await expect(page).toHaveURL(/\/journal$/);
  const today = page.getByRole('region', { name: /^Today, / });
  await expect(today).toContainText('2 entries');
  await expect(today.getByRole('listitem').filter({ hasText: 'Revenue reporter' })).toContainText('“What did we earn yesterday?”');
  await accessible(page, 'the journal');
  await picture(page, 'journal', '.page-head');

  // Narrow it: by agent, by keyboard; then by words that nothing has.
  await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Revenue reporter' });
  await expect(page).toHaveURL(/agent=reporter/);
  await expect(today).toContainText('1 entry');
  await page.getByRole('searchbox', { name: 'Search questions and answers' }).fill('no such words');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'No matching entries' })).toBeVisible();
  await page.getByRole('link', { name: 'Clear' }).click();
  await expect(today).toContainText('2 entries');
  // A day of the calendar.
  const aside = page.getByRole('complementary', { name: 'Days, agents and people' });
  await aside.getByRole('link', { name: /2 entries/ }).click();
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=/);
  await expect(today).toContainText('2 entries');

  await today.getByRole('link', { name: /^Run of/ }).first().click();
  await expect(page).toHaveURL(/\/runs\//);
  await page.goto(`/agents/${id}`);
  const own = page.getByRole('region', { name: 'Journal' });
  await expect(own).toContainText('1 entry in the last 7 days');
  await own.getByRole('link', { name: 'View all' }).click();
  await expect(page).toHaveURL(/\/journal\?agent=reporter/);

  // The question about it is answered in a chat.
  await page.getByRole('button', { name: 'Ask in a chat' }).click();
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('What did you do today?');
});

test('the journal on the phone, in the dark and without JavaScript', async ({ page, browser, baseURL }) => {
  await work(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/journal');
  await expect(page.getByRole('region', { name: /^Today, / })).toContainText('2 entries');
  const wider = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  expect(wider, 'nothing is wider than the phone').toBe(false);
  await accessible(page, 'the journal on the phone, in the dark');
  await picture(page, 'journal-small-dark', '.page-head');

  const plain = await browser.newContext({ baseURL, javaScriptEnabled: false, storageState: await page.context().storageState() });
  const bare = await plain.newPage();
  await bare.goto('/journal');
  await expect(bare.getByRole('region', { name: /^Today, / })).toContainText('2 entries');
  await bare.getByLabel('Agent', { exact: true }).selectOption('reporter');
  await bare.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(bare).toHaveURL(/agent=reporter/);
  await expect(bare.getByRole('region', { name: /^Today, / })).toContainText('1 entry');
  await plain.close();
});
