// Organizations: journeys A to E of section 7.4 of the specification, each person in their own browser.
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { accessible, arrive, ask, dollars, expect, hydrated, mailTo, organization, person, picture, sandbox, signUp, switcher, switchTo, test } from './support';

type Someone = { page: Page; context: BrowserContext; name: string; email: string };

/** Opens a separate browser for a new person; an error in its console fails the journey. */
async function someone(browser: Browser, name: string): Promise<Someone> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => { throw error; });
  // A panic of the page shows in the console.
  page.on('console', (message) => { if (message.text().includes('panicked')) throw new Error(message.text()); });
  const who = { ...person(), name };
  await signUp(page, who);
  return { page, context, name, email: who.email };
}

/** Signs a person up, invites them and accepts, all without clicks; ends in the organization. */
async function joined(owner: Page, id: string, who: Someone, role: 'admin' | 'member') {
  const invited = await owner.request.post(`/api/organizations/${id}/invitations`, { data: { email: who.email, role } });
  expect(invited.status(), await invited.text()).toBe(201);
  const me = await (await who.page.request.get('/api/me')).json();
  const accepted = await who.page.request.post(`/api/invitations/${me.invitations[0].id}/accept`);
  expect(accepted.ok(), await accepted.text()).toBe(true);
  await who.page.goto(`/chat?workspace=${id}`);
}

test('A: alone, everything is personal and no address says so', async ({ page }) => {
  await arrive(page);
  await hydrated(page);
  await expect(switcher(page)).toContainText('Personal');
  const network = await sandbox(page.request);
  const entry = await ask(page, 'What was my revenue yesterday?');
  const truth = await network.truth({ from: network.day(1), to: network.day(1), metric: 'revenue' });
  await expect(entry.locator('.kpi-value').first()).toHaveText(dollars(truth.micros));
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);
  await page.goto('/settings/team');
  await expect(page.getByRole('heading', { name: 'No team in your personal workspace' })).toBeVisible();
  await accessible(page, 'the team page of a personal workspace');
  await picture(page, 'team-personal', 'h2');
});

test('B: an owner creates an organisation, connects it, invites by mail and by link', async ({ page }) => {
  await signUp(page);
  await hydrated(page);
  await switcher(page).click();
  await accessible(page, 'the switcher');
  await page.getByRole('menuitem', { name: 'Create organization' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create an organization' });
  await accessible(page, 'the dialog that creates an organisation');
  await picture(page, 'organization-create', '#create-organization');
  await dialog.getByLabel('Name').fill('   ');
  await dialog.getByRole('button', { name: 'Create organization' }).click();
  await expect(dialog.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Name').fill('Acme Agency');
  await dialog.getByRole('button', { name: 'Create organization' }).click();
  // It is the current workspace now: in the rail, in the address, and empty.
  await expect(page).toHaveURL(/\/settings\/team\?workspace=[0-9a-f-]{36}$/);
  await expect(switcher(page)).toContainText('Acme Agency');
  await expect(switcher(page)).toContainText('Owner · 1 member');
  await hydrated(page);
  await page.locator('#new-chat').click();
  await expect(page).toHaveURL(/\/chat\?workspace=[0-9a-f-]{36}$/);
  await page.getByRole('button', { name: 'Explore with sandbox data' }).click();
  await expect(page.getByText(/^1 network · /)).toBeVisible();
  await expect(switcher(page)).toContainText('Acme Agency');

  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Team' }).click();
  await expect(page.getByRole('table').first()).toContainText('you');
  const invited = person().email;
  await page.getByLabel('Email').fill(invited);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByText('Invitation sent')).toBeVisible();
  const invitations = page.getByRole('region', { name: 'Invitations' });
  await expect(invitations).toContainText(invited);
  const mail = await mailTo(page.request, invited);
  expect(mail.text).toContain('Acme Agency');
  await expect(page.getByLabel('Email')).toHaveValue('');
  const links = page.getByRole('region', { name: 'Invite links' });
  // Two forms at once: the page loads again for one form while the other form is being sent. Neither answer
  // is lost, nor is half-typed text.
  const reread = page.waitForResponse(/\/desk\/team/);
  await page.route(/\/desk\/create-invite-link/, async (route) => {
    await (await reread).finished();
    await route.continue();
  });
  await page.getByLabel('Email').fill('half-typed');
  await links.getByRole('button', { name: 'Create link' }).click();
  // Nobody is sent two emails within a minute, and the page says when to try again.
  await invitations.getByRole('button', { name: /Resend/ }).click();
  await expect(page.getByText(/try again in \d+ s/i)).toBeVisible();
  await expect(links.getByLabel('Invite link')).toHaveValue(/\/invite\//);
  await expect(page.getByLabel('Email')).toHaveValue('half-typed');
  await expect(links).toContainText('Member, 0 of 10 used');
  // The log shows what was done, in words.
  await expect(page.getByRole('region', { name: 'Audit log entries' })).toContainText(`Invited ${invited} as Member`);
  await accessible(page, 'the team page of an owner');
  await picture(page, 'team-owner', 'h2');
  await invitations.getByRole('button', { name: /Revoke/ }).click();
  await expect(invitations).not.toContainText(invited);
});

test('C: a member is invited, accepts, and chats with the data of the organisation', async ({ page, browser }) => {
  await signUp(page);
  const id = await organization(page, 'Northwind Agency');
  const explored = await page.request.post('/api/sandbox/explore', { data: {}, headers: { 'x-organization-id': id } });
  expect(explored.ok(), await explored.text()).toBe(true);
  const member = await someone(browser, 'Tomi Okafor');
  const sent = await page.request.post(`/api/organizations/${id}/invitations`, { data: { email: member.email, role: 'member' } });
  expect(sent.status(), await sent.text()).toBe(201);
  const { page: theirs } = member;
  // The email leads to the desk, where the invitation waits.
  const mail = await mailTo(page.request, member.email);
  await theirs.goto(new URL(mail.url).pathname);
  await theirs.goto('/chat');
  await hydrated(theirs);
  const bar = theirs.getByRole('region', { name: 'Invitation to Northwind Agency' });
  await expect(bar).toContainText('invited you to Northwind Agency as Member');
  await accessible(theirs, 'a waiting invitation');
  await picture(theirs, 'invitation-bar', '.notice');
  await bar.getByRole('button', { name: /^Accept/ }).click();
  await expect(switcher(theirs)).toContainText('Northwind Agency');
  await expect(switcher(theirs)).toContainText('Member · 2 members');
  await expect(theirs).toHaveURL(new RegExp(`workspace=${id}`));
  // The networks of the organization, and a number from its data.
  await expect(theirs.getByText(/^1 network · /)).toBeVisible();
  await expect(switcher(theirs)).toContainText('Northwind Agency');
  const network = await sandbox(theirs.request);
  const entry = await ask(theirs, 'What was my revenue yesterday?');
  const truth = await network.truth({ from: network.day(1), to: network.day(1), metric: 'revenue' });
  await expect(entry.locator('.kpi-value').first()).toHaveText(dollars(truth.micros));
  // The chat belongs to the member alone, and the owner's list is empty.
  await page.goto(`/chat?workspace=${id}`);
  await expect(page.locator('#rail')).toContainText('No chats yet');
  await member.context.close();
});

test('C: an invitation is rejected', async ({ page, browser }) => {
  await signUp(page);
  const id = await organization(page, 'Beta Corp');
  const guest = await someone(browser, 'Rui Barbosa');
  await page.request.post(`/api/organizations/${id}/invitations`, { data: { email: guest.email, role: 'admin' } });
  await guest.page.goto('/chat');
  await hydrated(guest.page);
  await guest.page.getByRole('button', { name: /^Decline/ }).click();
  await expect(guest.page.getByRole('region', { name: 'Invitation to Beta Corp' })).toHaveCount(0);
  await switcher(guest.page).click();
  await expect(guest.page.getByRole('menu', { name: 'Workspaces' })).not.toContainText('Beta Corp');
  await guest.context.close();
});

test('D: two tabs show two workspaces, and each stays in its own', async ({ page, context }) => {
  await arrive(page);
  const id = await organization(page, 'Two Tabs Ltd');
  await page.goto('/chat?workspace=personal');
  await hydrated(page);
  await expect(page.getByText(/^1 network · /)).toBeVisible();
  await expect(switcher(page)).toContainText('Personal');
  // The other tab switches; this one stays.
  const other = await context.newPage();
  await other.goto('/chat');
  await hydrated(other);
  await switchTo(other, 'Two Tabs Ltd');
  await expect(other.getByRole('heading', { name: 'Connect a network to start' })).toBeVisible();
  await expect(other.locator('#rail')).toContainText('0 of 9');
  const entry = await ask(page, 'What was my revenue yesterday?');
  await expect(entry.locator('.kpi-value').first()).toContainText('$');
  const chat = new URL(page.url());
  expect(chat.searchParams.get('workspace')).toBe('personal');
  // After a reload or in a second tab, a page shows the same, whatever this browser has chosen since.
  await page.reload();
  await expect(switcher(page)).toContainText('Personal');
  await hydrated(page);
  await page.getByRole('link', { name: 'Runs' }).click();
  await expect(page).toHaveURL(/\/runs\?workspace=personal$/);
  await page.goBack();
  await expect(page).toHaveURL(chat.href);
  // An address without a workspace uses the browser's choice.
  await other.goto('/runs');
  await expect(switcher(other)).toContainText('Two Tabs Ltd');
  await expect(other.getByText('No runs yet')).toBeVisible();
  // A page whose chat belongs elsewhere says so, and links there.
  await other.goto(`${chat.pathname}?workspace=${id}`);
  await expect(other.getByRole('heading', { name: 'This chat belongs to your personal workspace' })).toBeVisible();
  await accessible(other, 'a chat of another workspace');
  await picture(other, 'elsewhere', 'h2');
  await other.getByRole('button', { name: 'Switch to Personal' }).click();
  await expect(other).toHaveURL(chat.href);
  await expect(other.locator('article.entry')).toHaveCount(1);
});

test('D: everything follows when a workspace is switched by the keyboard', async ({ page }) => {
  await arrive(page);
  await organization(page, 'Keyboard Ltd');
  await page.goto('/chat?workspace=personal');
  await ask(page, 'List my apps');
  await switcher(page).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu', { name: 'Workspaces' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitemradio', { name: 'Keyboard Ltd' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(switcher(page)).toContainText('Keyboard Ltd');
  await hydrated(page);
  await expect(page.locator('#rail')).not.toContainText('List my apps');
  await expect(page.locator('#rail')).toContainText('0 of 9');
  // And back with the palette.
  await page.getByRole('button', { name: 'Search and commands' }).click();
  await page.getByRole('combobox', { name: /Search, jump or ask/ }).fill('switch personal');
  await page.keyboard.press('Enter');
  await expect(switcher(page)).toContainText('Personal');
  await expect(page.locator('#rail')).toContainText('List my apps');
});

test('D: without JavaScript a workspace is switched by a form, and a form acts where its page was', async ({ page, browser }) => {
  const who = await arrive(page);
  const id = await organization(page, 'Plain Ltd');
  const context = await browser.newContext({ javaScriptEnabled: false, storageState: await page.context().storageState() });
  const plain = await context.newPage();
  await plain.goto('/chat');
  await expect(switcher(plain)).toContainText(who.name);
  await switcher(plain).click();
  await plain.getByRole('menuitemradio', { name: 'Plain Ltd' }).click();
  await expect(switcher(plain)).toContainText('Plain Ltd');
  await expect(plain.getByRole('heading', { name: 'Connect a network to start' })).toBeVisible();
  // Another tab of this browser returns to the personal workspace; the form of this page still means Plain
  // Ltd.
  const other = await context.newPage();
  await other.goto('/chat');
  await switcher(other).click();
  await other.getByRole('menuitemradio', { name: 'Personal' }).click();
  await expect(switcher(other)).toContainText('Personal');
  await plain.getByRole('button', { name: 'Explore with sandbox data' }).click();
  await expect(switcher(plain)).toContainText('Plain Ltd');
  await expect(plain.getByText(/^1 network · /)).toBeVisible();
  await expect(switcher(plain)).toContainText('Plain Ltd');
  await plain.getByRole('textbox', { name: 'Message' }).fill('List my apps');
  await plain.getByRole('button', { name: 'Send' }).click();
  await expect(plain).toHaveURL(new RegExp(`/chat/[0-9a-f-]{36}\\?workspace=${id}$`));
  await context.close();
});

test('E: what a role may not do is not on the page', async ({ page, browser }) => {
  await signUp(page);
  const id = await organization(page, 'Roles Inc');
  await page.request.post('/api/sandbox/explore', { data: {}, headers: { 'x-organization-id': id } });
  const [member, admin] = [await someone(browser, 'Lena Sorensen'), await someone(browser, 'Jonas Weber')];
  await joined(page, id, member, 'member');
  await joined(page, id, admin, 'admin');

  const { page: theirs } = member;
  await theirs.goto(`/settings/networks?workspace=${id}`);
  await expect(theirs.getByText('Only admins can connect networks.')).toBeVisible();
  await expect(theirs.locator('main').getByRole('link', { name: /^Connect/ })).toHaveCount(0);
  await expect(theirs.getByRole('button', { name: /^More for/ })).toHaveCount(0);
  await expect(theirs.locator('#rail').getByText('Connect', { exact: true })).toHaveCount(0);
  await accessible(theirs, 'the networks of a member');
  await picture(theirs, 'networks-member', 'h2');
  await theirs.goto(`/settings/team?workspace=${id}`);
  await expect(theirs.getByText('Only admins and the owner can change the team.')).toBeVisible();
  await expect(theirs.locator('main select')).toHaveCount(0);
  await expect(theirs.getByRole('button', { name: 'Send invitation' })).toHaveCount(0);
  await expect(theirs.getByRole('button', { name: /Leave Roles Inc/ })).toBeVisible();
  await accessible(theirs, 'the team page of a member');
  await picture(theirs, 'team-member', 'h2');

  // An admin invites members and raises their roles, but is not an owner.
  const { page: boss } = admin;
  await boss.goto(`/settings/team?workspace=${id}`);
  await hydrated(boss);
  await expect(boss.getByRole('button', { name: 'Send invitation' })).toBeVisible();
  await expect(boss.getByRole('button', { name: 'Delete organization' })).toHaveCount(0);
  await boss.getByLabel('Role of Lena Sorensen').selectOption('admin');
  await expect(boss.getByText('Role changed')).toBeVisible();
  await theirs.goto(`/settings/networks?workspace=${id}`);
  await expect(theirs.getByRole('button', { name: 'More for AdMob' })).toBeVisible();

  // The owner cannot leave. Transferring ownership makes them an admin.
  await page.goto(`/settings/team?workspace=${id}`);
  await hydrated(page);
  await expect(page.getByRole('button', { name: /Leave Roles Inc/ })).toHaveCount(0);
  await page.getByLabel('New owner').selectOption({ label: `Jonas Weber, ${admin.email}` });
  await page.getByRole('button', { name: 'Transfer ownership' }).click();
  await expect(switcher(page)).toContainText('Admin · 3 members');
  await expect(page.getByRole('button', { name: /Leave Roles Inc/ })).toBeVisible();
  await boss.reload();
  await hydrated(boss);
  await expect(switcher(boss)).toContainText('Owner · 3 members');

  // A member who is removed while the page is open is told at the next request, and led away.
  await theirs.goto(`/chat?workspace=${id}`);
  await hydrated(theirs);
  await boss.getByRole('button', { name: 'More for Lena Sorensen' }).click();
  await boss.getByRole('button', { name: 'Remove Lena Sorensen…' }).click();
  await boss.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(boss.getByText('Removed from the team')).toBeVisible();
  await theirs.getByRole('textbox', { name: 'Message' }).fill('What was my revenue yesterday?');
  await theirs.keyboard.press('Enter');
  await expect(theirs.getByText("You're no longer a member of Roles Inc.")).toBeVisible();
  await accessible(theirs, 'the page of somebody who was removed');
  await theirs.reload();
  await expect(theirs.getByRole('heading', { name: 'Workspace not found' })).toBeVisible();
  await accessible(theirs, 'a workspace that is not theirs');
  await picture(theirs, 'workspace-gone', 'h1');
  await theirs.getByRole('button', { name: 'Go to Personal' }).click();
  await expect(switcher(theirs)).toContainText('Personal');

  // The owner deletes it after typing its name.
  await boss.getByLabel('Type Roles Inc to delete it').fill('Roles');
  await boss.getByRole('button', { name: 'Delete organization' }).click();
  await expect(boss.getByLabel('Type Roles Inc to delete it')).toHaveAttribute('aria-invalid', 'true');
  await boss.getByLabel('Type Roles Inc to delete it').fill('Roles Inc');
  await boss.getByRole('button', { name: 'Delete organization' }).click();
  await expect(switcher(boss)).toContainText('Personal');
  await Promise.all([member.context.close(), admin.context.close()]);
});

test('an invite link says what it is worth, and lets a stranger in after signing up', async ({ page, browser }) => {
  await signUp(page);
  const id = await organization(page, 'Linked Ltd');
  const make = async (data: object) => {
    const answer = await page.request.post(`/api/organizations/${id}/invite-links`, { data });
    expect(answer.status(), await answer.text()).toBe(201);
    return (await answer.json()) as { id: string; url: string };
  };
  const once = await make({ role: 'member', max_uses: 1 });
  const off = await make({ role: 'member' });
  await page.request.delete(`/api/organizations/${id}/invite-links/${off.id}`);
  const path = (url: string) => new URL(url).pathname;

  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto('/invite/nothing-at-all');
  await expect(stranger.getByRole('heading', { name: "This invite link isn't valid" })).toBeVisible();
  await accessible(stranger, 'an invite link that is not valid');
  await stranger.goto(path(off.url));
  await expect(stranger.getByRole('heading', { name: 'This invite link was deactivated' })).toBeVisible();
  await stranger.goto(path(once.url));
  await expect(stranger.getByRole('heading', { name: 'Join Linked Ltd' })).toBeVisible();
  await accessible(stranger, 'an invite link for who is not signed in');
  await picture(stranger, 'invite-signed-out', 'h1');
  await stranger.getByRole('link', { name: 'Create an account' }).click();
  const who = person();
  await stranger.getByLabel('Name').fill('Priya Nair');
  await stranger.getByLabel('Email').fill(who.email);
  await stranger.getByLabel('Password').fill(who.password);
  await stranger.getByRole('button', { name: 'Create account' }).click();
  await expect(stranger.getByRole('heading', { name: 'Join Linked Ltd' })).toBeVisible();
  await picture(stranger, 'invite', 'h1');
  await hydrated(stranger);
  await stranger.getByRole('button', { name: 'Join Linked Ltd' }).click();
  await expect(switcher(stranger)).toContainText('Member · 2 members');
  // The link is used up for others; a member who opens it learns that they are already in.
  await stranger.goto(path(once.url));
  await expect(stranger.getByRole('heading', { name: 'You\'re already in Linked Ltd' })).toBeVisible();
  const late = await someone(browser, 'Late Comer');
  await late.page.goto(path(once.url));
  await expect(late.page.getByRole('heading', { name: 'This invite link has reached its limit' })).toBeVisible();
  await Promise.all([context.close(), late.context.close()]);
});
