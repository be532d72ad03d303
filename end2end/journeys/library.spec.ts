// The library: to-dos on their page, in the chat, by keyboard, without JavaScript, and those of a team.
import { accessible, approve, ask, expect, hydrated, organization, person, picture, signUp, test } from './support';

const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

test('a to-do is added by keyboard, ticked off, changed, and asked for in a chat', async ({ page }) => {
  await signUp(page);
  await page.goto('/library');
  await hydrated(page);
  await expect(page.getByRole('heading', { name: 'No open to-dos' })).toBeVisible();
  await accessible(page, 'the library, nothing in it');
  await picture(page, 'library-empty', '.page-head');

  // Type, press Enter, and type the next one.
  const field = page.getByRole('textbox', { name: 'New to-do' });
  await field.fill('Check AppLovin floors');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listitem').filter({ hasText: 'Check AppLovin floors' })).toBeVisible();
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  await page.keyboard.type('Call Google');
  await page.getByLabel('Due date').first().fill(day(-1));
  await page.keyboard.press('Enter');
  const overdue = page.getByRole('region', { name: /Overdue 1/ });
  await expect(overdue.getByRole('listitem')).toContainText('Call Google');
  await expect(page.getByRole('region', { name: /No due date 1/ })).toBeVisible();

  // Edit it in place.
  await page.getByText('Check AppLovin floors', { exact: true }).click();
  const form = page.getByRole('listitem').filter({ hasText: 'Check AppLovin floors' });
  await form.getByLabel('To-do').fill('Check all floors');
  await form.getByLabel('Due date').fill(day(40));
  await accessible(page, 'the form of a to-do');
  await picture(page, 'library', '.page-head');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('region', { name: /Later 1/ }).getByRole('listitem')).toContainText('Check all floors');

  // Mark it as done, and open it again.
  await page.getByRole('button', { name: 'Mark as done: Call Google' }).click();
  await expect(overdue).toHaveCount(0);
  await page.getByRole('link', { name: 'Done' }).click();
  await expect(page).toHaveURL(/show=done/);
  await expect(page.getByRole('listitem').filter({ hasText: 'Call Google' })).toBeVisible();
  await accessible(page, 'what is done');
  await page.getByRole('button', { name: 'Open again: Call Google' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing done yet' })).toBeVisible();

  // In the chat: a card, an approval, and the list says whose run it was.
  await page.goto('/chat');
  const entry = await ask(page, 'Remind me to check Unity bidding tomorrow');
  const card = entry.locator('.approval');
  await expect(card).toContainText('Add the to-do “Check Unity bidding”');
  await approve(card);
  await expect(entry.locator('.prose').last()).toContainText('I added “Check Unity bidding”');
  const listed = await ask(page, 'What is open this month?');
  await expect(listed.locator('.prose').last()).toContainText('Call Google');
  await listed.getByRole('link', { name: 'Library' }).click();
  await expect(page).toHaveURL(/\/library$/);
  await page.getByRole('listitem').getByText('Check Unity bidding', { exact: true }).click();
  await page.getByRole('link', { name: 'Open its run' }).click();
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}$/);

  // Delete it.
  await page.goto('/library');
  await hydrated(page);
  await page.getByText('Call Google', { exact: true }).click();
  await page.getByRole('button', { name: 'Delete Call Google' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Call Google' })).toHaveCount(0);
});

test('a team sees whose a to-do is, and each their own', async ({ page, browser }) => {
  await signUp(page);
  const team = await organization(page, 'Acme Agency');
  const context = await browser.newContext();
  const mate = await context.newPage();
  const { email } = await signUp(mate, { ...person(), name: 'Tomi Okafor' });
  const invited = await page.request.post(`/api/organizations/${team}/invitations`, { data: { email, role: 'member' } });
  expect(invited.status(), await invited.text()).toBe(201);
  const { invitations } = await (await mate.request.get('/api/me')).json();
  const came = await mate.request.post(`/api/invitations/${invitations[0].id}/accept`, { data: {} });
  expect(came.ok(), await came.text()).toBe(true);
  await page.goto(`/library?workspace=${team}`);
  await hydrated(page);
  await page.getByRole('textbox', { name: 'New to-do' }).fill('Call Google');
  await page.getByLabel('For').first().selectOption({ label: 'Tomi Okafor' });
  await page.getByRole('button', { name: 'Add' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'Call Google' });
  await expect(row).toContainText('For Tomi Okafor');
  await expect(row).toContainText('Added by Mara Kessler');
  await accessible(page, 'to-dos of a team');
  await picture(page, 'library-team', '.page-head');
  await page.getByRole('main').getByRole('link', { name: 'Mine' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing for you to do' })).toBeVisible();
  // The other person has it in their list, and a chat reports it.
  await mate.goto(`/chat?workspace=${team}`);
  const entry = await ask(mate, 'What do I have to do?');
  await expect(entry.locator('.prose').last()).toContainText('Call Google, for you');
  await context.close();
});

test('to-dos are added and ticked off without JavaScript', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const who = person();
  await page.goto('/sign-up');
  await page.getByLabel('Name').fill(who.name);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.goto('/library');
  await page.getByRole('textbox', { name: 'New to-do' }).fill('Check floors');
  await page.getByRole('button', { name: 'Add' }).click();
  await expect(page).toHaveURL(/\/library/);
  await page.getByRole('button', { name: 'Mark as done: Check floors' }).click();
  await expect(page.getByRole('heading', { name: 'No open to-dos' })).toBeVisible();
  await page.getByRole('link', { name: 'Done' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Check floors' })).toBeVisible();
  await context.close();
});
