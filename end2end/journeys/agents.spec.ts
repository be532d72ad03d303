// Agents: created with only the access they need, asked by name in the chat, refused what they were not
// granted, and then granted it.
import { accessible, approve, ask, expect, hydrated, organization, picture, signUp, switchTo, test } from './support';

async function explorer(page: any) {
  const who = await signUp(page);
  const explored = await page.request.post('/api/sandbox/explore', { data: { networks: ['admob', 'applovin'] } });
  expect(explored.status(), await explored.text()).toBe(200);
  return who;
}

test('an agent reads what it may, is refused what it may not, and does it once it was allowed', async ({ page }) => {
  await explorer(page);
  await page.goto('/agents');
  await hydrated(page);
  await expect(page.getByRole('listitem').filter({ hasText: '@desk' }).first()).toContainText('Built in');
  await expect(page.getByRole('heading', { name: 'No agents of your own yet' })).toBeVisible();
  await accessible(page, 'agents, none of them');
  await picture(page, 'agents-empty', '.page-head');

  await page.getByRole('main').getByRole('link', { name: 'New agent' }).first().click();
  await expect(page).toHaveURL(/\/agents\/new$/);
  // With empty fields, each field says what it needs, and nothing is lost.
  await page.getByLabel('Position').fill('Reporting');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expect(page.locator('#agent-name-e')).toBeVisible();
  await expect(page.locator('#agent-handle-e')).toContainText('Use 2 to 30 characters.');
  await expect(page.getByLabel('Position')).toHaveValue('Reporting');
  // The handle follows the name until the person types one.
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Max reporter');
  await expect(page.getByLabel('Handle')).toHaveValue('max-reporter');
  await page.getByLabel('Handle').fill('desk');
  await expect(page.locator('#agent-handle-e')).toContainText('@desk is the agent that every workspace has');
  await page.getByLabel('Handle').fill('reporter');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Reporter');
  await expect(page.getByLabel('Handle')).toHaveValue('reporter');
  await page.getByRole('radio', { name: 'Orange' }).check({ force: true });
  await page.getByLabel('Read AppLovin').check();
  await page.getByLabel('List AppLovin').check();
  await accessible(page, 'the form of an agent');
  await picture(page, 'agent-new', '.page-head');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expect(page).toHaveURL(/\/agents\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { level: 2, name: /Reporter @reporter/ })).toBeVisible();
  const agent = page.url();

  // By keyboard: the first letters of the handle, Enter, the question, Enter.
  await page.goto('/chat');
  await hydrated(page);
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.pressSequentially('@rep');
  await expect(page.getByRole('option', { name: /Reporter @reporter/ })).toBeVisible();
  await accessible(page, 'agents to choose from');
  await picture(page, 'chat-mention', '.composer');
  await page.keyboard.press('Enter');
  await expect(composer).toHaveValue('@reporter ');
  await expect(page.getByRole('listbox', { name: 'Suggestions' })).toBeHidden();
  await page.keyboard.type('What was my revenue yesterday?');
  await page.keyboard.press('Enter');
  const first = page.locator('article.entry').first();
  await expect(first.locator('.answered-by')).toContainText('@reporter');
  await expect(first.locator('.prose').last()).toContainText('AppLovin');
  await expect(first.locator('.prose').last()).not.toContainText('AdMob');

  // The chat stays with the agent.
  await expect(page.locator('.addressee')).toContainText('To @reporter');
  const name = `Unit ${Date.now()}`;
  const wish = `Create an AppLovin MAX ad unit called '${name}', format rewarded, for Android package com.acme.puzzle`;
  const refused = await ask(page, wish);
  await expect(refused.locator('.prose').last()).toContainText('turn on Create for AppLovin');
  await expect(refused.locator('.approval')).toHaveCount(0);
  await accessible(page, 'an answer of an agent');
  await picture(page, 'chat-agent');
  const chat = page.url();

  await page.goto(agent);
  await hydrated(page);
  await page.getByLabel('Create AppLovin').check();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Saved as version 2')).toBeVisible();

  await page.goto(chat);
  const allowed = await ask(page, wish);
  await approve(allowed.locator('.approval'));
  await expect(allowed.locator('.prose').last()).toContainText(new RegExp(`Done|${name}`));

  // One press returns to the workspace's own assistant.
  await page.getByRole('button', { name: 'Ask @desk instead' }).click();
  await expect(page.locator('.addressee')).toHaveCount(0);
  const own = await ask(page, 'What did AdMob earn yesterday?');
  await expect(own.locator('.prose').last()).toContainText('AdMob earned');
  await expect(own.locator('.answered-by')).toHaveCount(0);
  await expect(page.locator('.addressee')).toHaveCount(0);
});

test('an agent is changed, restored, duplicated, found and deleted', async ({ page }) => {
  await explorer(page);
  await page.goto('/agents');
  await hydrated(page);
  await page.getByRole('link', { name: /Floor keeper/ }).click();
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Floor keeper');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expect(page).toHaveURL(/\/agents\/[0-9a-f-]{36}$/);
  // This is the agent's page, not the form that created it.
  await expect(page.getByRole('button', { name: 'Save changes' })).toBeVisible();
  await page.getByRole('textbox', { name: /^Instructions/ }).fill('Never move a floor on a Friday.');
  await page.getByLabel('Update AdMob').check();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Saved as version 2')).toBeVisible();

  await page.getByText('Versions', { exact: true }).click();
  const versions = page.locator('.agent-version');
  await expect(versions.first()).toContainText('Instructions, access');
  await accessible(page, 'an agent and its versions');
  await picture(page, 'agent', '.page-head');
  await versions.filter({ hasText: 'Version 1' }).getByRole('button', { name: 'Restore version 1' }).click();
  await expect(page.getByText('Saved as version 3')).toBeVisible();
  await expect(page.getByRole('textbox', { name: /^Instructions/ })).toHaveValue(/You look after eCPM floors/);
  await expect(page.getByLabel('Update AdMob')).not.toBeChecked();
  // The form continues from the restored version.
  await page.getByLabel('Position').fill('Floors');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Saved as version 4')).toBeVisible();

  await page.getByRole('button', { name: 'Agent options' }).click();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await expect(page.getByLabel('Handle')).toHaveValue('floor-keeper-2');
  await page.getByRole('button', { name: 'Agent options' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page).toHaveURL(/\/agents$/);
  await expect(page.getByText('@floor-keeper-2')).toHaveCount(0);

  for (let number = 0; number < 10; number += 1) {
    const made = await page.request.post('/api/agents', {
      data: { handle: `watch-${number}`, name: `Watch ${number}`, grants: [{ on: 'admob', may: ['read', 'list'] }], active: number !== 3 },
    });
    expect(made.status(), await made.text()).toBe(201);
  }
  await page.reload();
  await hydrated(page);
  await expect(page.locator('.agent-row').filter({ hasText: '@watch-3' })).toContainText('Off');
  await accessible(page, 'agents');
  await picture(page, 'agents', '.page-head');
  await page.getByRole('searchbox', { name: 'Search agents' }).fill('@watch-7');
  await expect(page.locator('.agent-row')).toHaveCount(1);
});

test('an agent is made without JavaScript, and shared with an organization', async ({ page, browser }) => {
  await explorer(page);
  const context = await browser.newContext({ javaScriptEnabled: false, storageState: await page.context().storageState() });
  const plain = await context.newPage();
  await plain.goto('/agents/new');
  await plain.getByRole('textbox', { name: 'Name', exact: true }).fill('Plain');
  await plain.getByLabel('Handle').fill('Not one');
  await plain.getByLabel('Read AdMob').check();
  await plain.getByRole('button', { name: 'Create agent' }).click();
  await expect(plain.locator('#agent-handle-e')).toContainText('Use lowercase letters');
  await expect(plain.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Plain');
  await expect(plain.getByLabel('Read AdMob')).toBeChecked();
  await plain.getByLabel('Handle').fill('plain');
  await plain.getByRole('button', { name: 'Create agent' }).click();
  await expect(plain).toHaveURL(/\/agents\/[0-9a-f-]{36}/);
  await expect(plain.getByLabel('Read AdMob')).toBeChecked();
  await context.close();

  await organization(page, 'Acme Games');
  await page.goto('/chat');
  await switchTo(page, 'Acme Games');
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByRole('link', { name: /Revenue watch/ }).click();
  await page.getByLabel('Everyone can use it').check();
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expect(page.locator('.agent-head')).toContainText('Everyone can use it');
});
