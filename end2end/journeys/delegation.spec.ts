// Agents that ask agents: a person asks two at once, a change is approved on its card from the phone, two levels down, and a stop
// ends all of it.
import { accessible, approve, ask, expect, picture, signUp, test } from './support';
import type { Page } from '@playwright/test';

const EVERYTHING = ['read', 'list', 'create', 'update', 'delete'];

async function team(page: Page) {
  await signUp(page);
  const explored = await page.request.post('/api/sandbox/explore', { data: { networks: ['applovin', 'liftoff'] } });
  expect(explored.status()).toBe(200);
  const make = async (handle: string, name: string, networks: string[], may: string[]) => {
    const grants = [...networks, 'native'].map((on) => ({ on, may }));
    const made = await page.request.post('/api/agents', { data: { handle, name, grants } });
    expect(made.status(), await made.text()).toBe(201);
  };
  await make('reporter', 'Revenue reporter', ['applovin'], ['read', 'list']);
  await make('floors', 'Floor keeper', ['liftoff'], EVERYTHING);
  await make('manager', 'Team manager', ['applovin', 'liftoff'], EVERYTHING);
  await page.goto('/chat');
}

test('two agents are asked at once, and each tells its own figures', async ({ page }) => {
  await team(page);
  const entry = await ask(page, 'Ask @reporter and @floors for revenue by app yesterday');
  const agents = entry.locator('.delegated');
  await expect(agents).toHaveCount(2);
  await expect(agents.first()).toContainText('@reporter');
  await expect(agents.filter({ hasText: 'Done' })).toHaveCount(2, { timeout: 20_000 });
  const answer = entry.locator('.prose').last();
  await expect(answer).toContainText('@reporter');
  await expect(answer).toContainText('AppLovin');
  // By keyboard: what the agent did.
  await agents.first().locator('summary').first().focus();
  await page.keyboard.press('Enter');
  await expect(agents.first().getByRole('link', { name: "View this agent's run" })).toBeVisible();
  await expect(agents.first()).toContainText('step');
  await accessible(page, 'agents that were asked');
  await picture(page, 'chat-delegated', '.delegated');
});

test('on the phone a change two levels down is approved on its card', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await team(page);
  const wish = 'set the floor of Extra Life Rewarded of Word Quest on Android on Liftoff to $7.25';
  const entry = await ask(page, `Ask @manager to ask @floors to ${wish}`);
  const card = entry.locator('.approval');
  await expect(card).toBeVisible({ timeout: 20_000 });
  await expect(entry.locator('.delegated .delegated')).toContainText('Needs approval');
  await expect(card).toContainText('The agent @floors proposes this.');
  await accessible(page, 'a card of an agent that another one asked');
  await picture(page, 'chat-delegated-small', '.delegated');
  // The inbox leads to the chat, and a message sent meanwhile is answered.
  const other = await ask(page, 'What did AppLovin earn yesterday?');
  await expect(other.locator('.prose').last()).toContainText('AppLovin');
  await approve(card);
  await expect(entry.locator('.prose').last()).toContainText('@manager answers', { timeout: 20_000 });
  await expect(entry.locator('.prose').last()).toContainText('Liftoff accepted the change');
});

test('a stop ends what the agents do', async ({ page }) => {
  await team(page);
  const wish = 'set the floor of Extra Life Rewarded of Puzzle Game on iOS on Liftoff to $6.75';
  const entry = await ask(page, `Ask @floors to ${wish}`);
  const card = entry.locator('.approval.waiting');
  await expect(card).toBeVisible({ timeout: 20_000 });
  const runs = await (await page.request.get('/api/runs')).json();
  const top = runs.items.find((run: any) => run.status === 'awaiting_approval' && /Ask @floors/.test(run.question ?? ''));
  const stopped = await page.request.post(`/api/runs/${top.id ?? top.run_id}/cancel`);
  expect(stopped.ok(), await stopped.text()).toBe(true);
  await expect(card).toHaveCount(0, { timeout: 20_000 });
  await expect(entry).toContainText('You stopped this run');
});

test('a plan that an agent drafts shows its steps, and all of it is approved', async ({ page }) => {
  await team(page);
  const floor = (app: string, value: string) => `set the floor of Extra Life Rewarded of ${app} on Liftoff to ${value}`;
  const wish = `${floor('Word Quest on Android', '$7.50')} and ${floor('Puzzle Game on iOS', '$6.50')}`;
  const entry = await ask(page, `Ask @floors to ${wish}`);
  const plan = entry.locator('.delegated').getByRole('article', { name: 'Plan' });
  await expect(plan).toContainText('Plan in 2 steps', { timeout: 20_000 });
  await accessible(page, 'the plan of an agent that was asked');
  await picture(page, 'chat-delegated-plan', '.delegated');
  const all = plan.getByRole('button', { name: 'Approve all 2' });
  await all.click();
  await all.click();
  await expect(entry.locator('.prose').last()).toContainText('@floors answers', { timeout: 20_000 });
  await expect(plan).toContainText('Done');
});
