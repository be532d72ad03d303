// Approvals: on a phone, by keyboard, in two tabs, next to other approvals, with edits of every kind.
import { accessible, approve, arrive, ask, expect, hydrated, picture, test } from './support';

const WISH = 'Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding';
const PHONE = { width: 390, height: 844 };

test('on a phone a tap opens the card, and a way leads back to the list', async ({ page, browser, baseURL }) => {
  await arrive(page);
  const entry = await ask(page, WISH);
  await expect(entry.locator('.approval')).toContainText('Needs approval');
  await page.setViewportSize(PHONE);
  await page.goto('/approvals');
  await hydrated(page);
  const card = page.locator('.inbox-detail .approval');
  await expect(card).toBeHidden();
  await page.locator('.inbox-item').click();
  await expect(card).toBeVisible();
  await expect(card.getByRole('button', { name: /^Approve/ })).toBeInViewport();
  await expect(page.locator('.inbox-list')).toBeHidden();
  await picture(page, 'approvals-phone', '.inbox-detail');
  await page.setViewportSize(PHONE);
  await page.getByRole('link', { name: 'All approvals' }).click();
  await expect(page.locator('.inbox-item')).toBeVisible();
  await expect(card).toBeHidden();

  // From the page where a new chat begins.
  await page.goto('/chat');
  await hydrated(page);
  await page.getByRole('region', { name: 'Pending your approval' }).locator('.inbox-item').click();
  await expect(page).toHaveURL(/\/approvals\?/);
  await expect(card).toBeVisible();

  // Without JavaScript, by address alone.
  const plain = await browser.newContext({
    baseURL, javaScriptEnabled: false, viewport: PHONE, storageState: await page.context().storageState(),
  });
  const still = await plain.newPage();
  await still.goto('/approvals');
  await still.locator('.inbox-item').click();
  await expect(still.locator('.inbox-detail .approval')).toBeVisible();
  await still.getByRole('link', { name: 'All approvals' }).click();
  await expect(still.locator('.inbox-item')).toBeVisible();
  await plain.close();
});

test('a message beside a waiting card is answered, and the card is answered later', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, WISH);
  const card = entry.locator('.approval');
  await expect(card).toContainText('Needs approval');
  await expect(page.locator('.compose-note')).toContainText('You can keep asking');
  const second = await ask(page, 'What is eCPM?');
  await expect(second.locator('.prose').last()).toContainText('eCPM');
  await expect(card).toContainText('Needs approval');
  await approve(card);
  await expect(entry.locator('.prose').last()).toContainText('Done');
});

test('the inbox, its count and the rail follow what another tab does', async ({ page, context }) => {
  await arrive(page);
  await page.goto('/approvals');
  await hydrated(page);
  const other = await context.newPage();
  await other.goto('/chat');
  const entry = await ask(other, WISH);
  await expect(entry.locator('.approval')).toContainText('Needs approval');
  // Nobody touches this tab.
  await expect(page.locator('.inbox-item')).toHaveCount(1, { timeout: 4000 });
  await expect(page.locator('#rail .nav-item', { hasText: 'Create a mediation group' })).toBeVisible({ timeout: 4000 });
  await expect(page.locator('#rail .nav-item', { hasText: 'Approvals' }).locator('.count')).toContainText('1');
  await expect(page.locator('.inbox-detail .approval')).toContainText('Needs approval');
  await entry.locator('.approval').getByRole('button', { name: 'Deny' }).click();
  await other.getByRole('form', { name: 'Deny this change' }).getByRole('button', { name: 'Deny' }).click();
  await expect(page.locator('.inbox-detail .stamp')).toHaveText(/Denied/, { timeout: 4000 });
  await expect(page.locator('.inbox-item')).toHaveCount(0);
});

test('the keys of the sheet do what it says', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, WISH);
  const inChat = entry.locator('.approval');
  await expect(inChat).toContainText('Needs approval');
  // The `.` key moves to the card; from there, one key moves to the button.
  await page.locator('#main').focus();
  await page.keyboard.press('.');
  await expect(inChat).toBeFocused();
  await page.keyboard.press('a');
  await expect(inChat.getByRole('button', { name: /^Approve/ })).toBeFocused();

  await page.goto('/approvals');
  await hydrated(page);
  const card = page.locator('.inbox-detail .approval');
  await page.keyboard.press('e');
  const form = card.getByRole('form', { name: 'Edit this change' });
  await expect(form).toBeVisible();
  await page.keyboard.press('e');
  await expect(form).toBeHidden();
  await page.keyboard.press('a');
  await expect(card.getByRole('button', { name: /^Approve/ })).toBeFocused();
  await page.keyboard.press('d');
  await expect(card.getByLabel('Reason')).toBeFocused();
  await page.keyboard.type('Not now');
  await expect(card.getByLabel('Reason')).toHaveValue('Not now');
  // The person no longer types, but the reason is not sent yet: the shortcut must not leave the page.
  await page.locator('#main').focus();
  await page.keyboard.press('n');
  await expect(page).toHaveURL(/\/approvals/);
  await card.getByRole('form', { name: 'Deny this change' }).getByRole('button', { name: 'Deny' }).click();
  await expect(card.locator('.stamp')).toHaveText(/Denied/);
  await expect(card).toBeFocused();
});

test('a card shows the table; rows of a list are edited, and the record says what was sent', async ({ page }) => {
  await arrive(page);
  const explored = await page.request.post('/api/sandbox/explore', { data: { networks: ['unity'] } });
  expect(explored.ok(), await explored.text()).toBeTruthy();
  await page.goto('/chat');
  const mark = `Rows ${Date.now()}`;
  const entry = await ask(page, `In Unity create a rewarded placement called '${mark}' for Puzzle Game Android`);
  const card = entry.locator('.approval');
  await expect(card).toContainText('Needs approval');
  await expect(card).toContainText('Unity (sandbox)');
  await expect(card.getByRole('form')).toHaveCount(0);
  await expect(card).not.toContainText('{"');
  await card.getByRole('button', { name: 'Edit' }).click();
  const form = card.getByRole('form', { name: 'Edit this change' });
  await form.getByLabel('Name').first().fill(`${mark} two`);
  await expect(card.locator('.diff')).toContainText(`${mark} two`);
  await accessible(page, 'an approval with rows');
  await picture(page, 'approval-rows', '.approval');
  // A second press closes the form and keeps what was typed.
  await card.getByRole('button', { name: 'Edit' }).click();
  await expect(form).toBeHidden();
  await expect(card.locator('.diff')).toContainText(`${mark} two`);
  await approve(card);
  await expect(card.getByRole('heading').first()).toContainText(`${mark} two`);
  await page.goto('/approvals?show=answered');
  await expect(page.locator('.inbox-item').first()).toContainText(`${mark} two`);
});
