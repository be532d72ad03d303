// From a question to a sent change: by keyboard alone, on a phone, and without JavaScript.
import type { Locator } from '@playwright/test';
import { accessible, approve, arrive, ask, expect, hydrated, picture, test } from './support';

// Every journey creates a group with its own name, because the sandbox accepts a name only once.
const wish = () =>
  `Create a mediation group called "Group ${Date.now()}" for Puzzle Game on Android banner with AppLovin and Unity bidding`;
const PHONE = { width: 390, height: 844 };

test('by keyboard, fewer than ten keys lead from the question to the sent change', async ({ page }) => {
  await arrive(page);
  await hydrated(page);
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused();
  await page.keyboard.type(wish());
  await page.keyboard.press('Enter');
  const card = page.locator('.approval');
  await expect(card).toContainText('Needs approval');
  const approve = card.getByRole('button', { name: /^Approve/ });
  let keys = 0;
  const press = async (key: string) => {
    keys += 1;
    await page.keyboard.press(key);
  };
  while (keys < 10 && !(await approve.evaluate((button) => button === document.activeElement))) await press('Shift+Tab');
  await expect(approve).toBeFocused();
  await press('Enter');
  await expect(card.locator('.stamp')).toHaveText(/Approved/);
  await expect(page.locator('article.entry .prose').last()).toContainText('Done');
  expect(keys).toBeLessThan(10);
});

test('Enter in the form that edits answers nothing', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, wish());
  const card = entry.locator('.approval');
  await expect(card).toContainText('Needs approval');
  await card.getByRole('button', { name: 'Edit' }).click();
  const name = card.getByRole('form', { name: 'Edit this change' }).getByLabel('Name').first();
  await name.fill('By hand');
  await name.press('Enter');
  await expect(name).toHaveValue('By hand');
  await expect(card).toContainText('Needs approval');
  await expect(page).toHaveURL(/\/chat\//);
});

test('on a phone, by touch, from the inbox', async ({ page, browser, baseURL }) => {
  await arrive(page);
  await ask(page, wish());
  await expect(page.locator('.approval')).toContainText('Needs approval');
  const touch = await browser.newContext({
    baseURL, viewport: PHONE, hasTouch: true, isMobile: true, storageState: await page.context().storageState(),
  });
  const phone = await touch.newPage();
  await phone.goto('/approvals');
  await hydrated(phone);
  await phone.locator('.inbox-item').tap();
  const card = phone.locator('.inbox-detail .approval');
  const button = card.getByRole('button', { name: /^Approve/ });
  await expect(button).toBeInViewport();
  // Large enough for a thumb.
  expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(40);
  await approve(card, (button) => button.tap());
  await touch.close();
  await expect(page.locator('article.entry .prose').last()).toContainText('Done');
});

test('without script a card is edited, approved and denied, and nothing typed is lost', async ({ page, browser, baseURL }) => {
  await arrive(page);
  const context = await browser.newContext({
    baseURL, javaScriptEnabled: false, storageState: await page.context().storageState(),
  });
  const plain = await context.newPage();
  const question = async () => {
    await plain.goto('/chat');
    await plain.getByRole('textbox', { name: 'Message' }).fill(wish());
    await plain.getByRole('button', { name: 'Send' }).click();
    // The page reloads itself until the card is there.
    await expect(plain.locator('.approval')).toContainText('Needs approval');
  };
  const card = plain.locator('.approval');
  await question();
  const chat = new URL(plain.url()).pathname;
  await card.getByRole('button', { name: 'Edit' }).click();
  const form = card.getByRole('form', { name: 'Edit this change' });
  const name = form.getByLabel('Name').first();
  await name.fill('   ');
  const app = form.locator('select').first();
  await expect(app).toBeVisible();
  await card.getByRole('button', { name: /^Approve/ }).click();
  await expect(form.locator('.error-text').first()).toContainText('Required');
  await expect(name).toHaveValue('   ');
  const mark = `Plain ${Date.now()}`;
  await name.fill(mark);
  await card.getByRole('button', { name: /^Approve/ }).click();
  await expect(plain).toHaveURL(new RegExp(`${chat}$`));
  // Nobody reloads: the page finishes by itself.
  await expect(card.locator('.stamp')).toHaveText(/Approved/);
  await expect(card.getByRole('heading').first()).toContainText(mark);
  await expect(plain.locator('article.entry .prose').last()).toContainText('Done');

  await question();
  await card.getByRole('button', { name: 'Deny' }).click();
  await plain.getByLabel('Reason').fill('Not before Monday');
  await plain.getByRole('form', { name: 'Deny this change' }).getByRole('button', { name: 'Deny' }).click();
  await expect(card.locator('.stamp')).toHaveText(/Denied/);
  await expect(card).toContainText('Not before Monday');
  await context.close();
});

test('a change that was made is undone by another one that is approved', async ({ page }) => {
  await arrive(page);
  const name = `Group ${Date.now()}`;
  const approved = async (entry: Locator) => {
    const card = entry.locator('.approval');
    await approve(card);
    await expect(entry.locator('.prose').last()).toContainText('Done');
    // The record takes the keyboard focus and keeps it, even when the network answers after the person.
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    return card;
  };
  const create = `Create a mediation group called "${name}" for Puzzle Game on Android banner with AppLovin and Unity bidding`;
  const created = await approved(await ask(page, create));
  await expect(created.getByRole('button', { name: 'Undo this change' })).toHaveCount(0);
  const changed = await approved(await ask(page, `Turn off AppLovin in the group "${name}"`));
  await accessible(page, 'a change that can be undone');
  await changed.getByRole('button', { name: 'Undo this change' }).click();
  const back = page.locator('article.entry').last();
  await expect(back.locator('h2')).toHaveText(/^Undo: /);
  await expect(back.locator('.approval')).toContainText('Needs approval');
  await picture(page, 'undo');
  await approved(back);
  // In the inbox, the change says that it was undone, and the undo can be undone too.
  await page.goto('/approvals?show=answered');
  await hydrated(page);
  const detail = page.locator('.inbox-detail');
  await page.locator('.inbox-item').first().click();
  await expect(detail.getByRole('button', { name: 'Undo this change' })).toBeVisible();
  await page.locator('.inbox-item').nth(1).click();
  await expect(detail).toContainText('Undone later.');
  await page.locator('.inbox-item').first().click();
  await detail.getByRole('button', { name: 'Undo this change' }).click();
  await expect(page.getByText('The undo is drafted.')).toBeVisible();
  await expect(page.locator('#rail .count.wait')).toContainText('1');
});

test('a phone on its side leaves room to read, to write and to approve', async ({ page, browser, baseURL }) => {
  await arrive(page);
  const context = await browser.newContext({
    baseURL, viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true,
    storageState: await page.context().storageState(),
  });
  const phone = await context.newPage();
  await phone.goto('/chat');
  const entry = await ask(phone, wish());
  const card = entry.locator('.approval');
  await expect(card).toContainText('Needs approval');
  const room = () => phone.evaluate(() => document.querySelector('.thread, .inbox-detail')!.getBoundingClientRect().height);
  // More than half of the screen is for reading.
  expect(await room()).toBeGreaterThan(230);
  await expect(phone.getByRole('textbox', { name: 'Message' })).toBeInViewport();
  await card.scrollIntoViewIfNeeded();
  await expect(card.getByRole('button', { name: /^Approve/ })).toBeInViewport();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  if (process.env.PICTURES) await phone.screenshot({ path: `${process.env.PICTURES}/landscape-chat.png` });
  await phone.goto('/approvals');
  await hydrated(phone);
  await phone.locator('.inbox-item').tap();
  // Devices without a keyboard see no hints about keys.
  await expect(phone.locator('.keys-only, .for-keys').filter({ visible: true })).toHaveCount(0);
  const detail = phone.locator('.inbox-detail .approval');
  await expect(detail.getByRole('button', { name: /^Approve/ })).toBeInViewport();
  await expect(detail.getByRole('heading').first()).toBeInViewport();
  expect(await room()).toBeGreaterThan(230);
  if (process.env.PICTURES) await phone.screenshot({ path: `${process.env.PICTURES}/landscape-inbox.png` });
  // The card is longer than the screen: the page shows what will be sent before it can be approved.
  await detail.getByRole('button', { name: /^Approve/ }).tap();
  await expect(detail.locator('.approval-foot')).toContainText('This is what will be sent');
  await expect(detail.locator('.stamp')).toHaveCount(0);
  await detail.getByRole('button', { name: /^Approve/ }).tap();
  await expect(phone.locator('.inbox-detail .stamp')).toHaveText(/Approved/);
  await context.close();
});
