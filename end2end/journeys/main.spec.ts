// The main job: sign up, explore, ask, see real numbers, approve a change with edits, deny another one.
import { accessible, approve, arrive, ask, dollars, expect, explore, picture, sandbox, signUpByForm, test } from './support';

// Journeys run in parallel on one sandbox: only this one sends anything about these formats.
const OURS = ['BANNER', 'INTERSTITIAL'];

test('ask, see real figures, approve a change, deny another', async ({ page }) => {
  const network = await sandbox(page.request);
  await signUpByForm(page);
  await accessible(page, 'the empty chat');
  await picture(page, 'chat-begin');
  await explore(page);
  await accessible(page, 'the suggestions');
  await picture(page, 'chat-suggestions');

  // The number equals the one in the network's own data.
  const first = await ask(page, 'What was my revenue yesterday?');
  const truth = await network.truth({ from: network.day(1), to: network.day(1), metric: 'revenue' });
  await expect(first.locator('.kpi-value').first()).toHaveText(dollars(truth.micros));
  await expect(first.locator('.prose').first()).toContainText(dollars(truth.micros));
  await expect(first.locator('.kpi .delta').first()).toBeVisible();
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);

  // A follow-up that depends on the previous turn.
  const second = await ask(page, 'by country, last 30 days, top 5');
  const table = second.locator('table').last();
  await expect(table.locator('tbody tr')).toHaveCount(5);
  const byCountry = await network.truth({ from: network.day(30), to: network.day(1), metric: 'revenue', by: 'country' });
  const best = [...byCountry.items].sort((a: any, b: any) => b.micros - a.micros).slice(0, 5);
  for (const [index, row] of best.entries()) {
    await expect(table.locator('tbody tr').nth(index)).toContainText(dollars(row.micros));
  }
  await accessible(page, 'an answered chat');
  await picture(page, 'chat-answer');

  // A change: drafted, edited, approved, and sent once with the edits.
  const third = await ask(
    page,
    'Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding',
  );
  const card = third.locator('.approval');
  await expect(card).toContainText('Needs approval');
  await accessible(page, 'a waiting approval');
  await picture(page, 'chat-approval');
  await card.getByRole('button', { name: 'Edit' }).click();
  const name = card.getByLabel('Name').first();
  const wanted = `Puzzle banner ${Date.now()}`;
  await name.fill(wanted);
  await approve(card);
  await expect(card.getByRole('heading').first()).toContainText(wanted);
  await expect(third.locator('.prose').last()).toContainText(wanted);
  const created = await network.writes(OURS);
  expect(created).toHaveLength(1);
  expect(created[0].operation).toBe('admob_create_mediation_group');
  expect(created[0].body.displayName).toBe(wanted);

  // Everything is still there after a reload, and nothing was sent again.
  await page.reload();
  await expect(page.locator('article.entry')).toHaveCount(3);
  await expect(page.locator('.stamp')).toHaveText(/Approved/);
  expect(await network.writes(OURS)).toHaveLength(1);

  // Denied: never sent.
  const fourth = await ask(page, 'Create a mediation group for My Game on Android interstitial with AppLovin bidding');
  const denied = fourth.locator('.approval');
  await denied.getByRole('button', { name: 'Deny' }).click();
  const confirm = denied.getByRole('button', { name: /^Deny/ }).last();
  if (await confirm.isVisible()) await confirm.click();
  await expect(denied.locator('.stamp')).toHaveText(/Denied/);
  expect(await network.writes(OURS)).toHaveLength(1);
  await picture(page, 'chat-denied');
});

test('the other pages of the desk', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, 'Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding');
  await expect(entry.locator('.approval')).toContainText('Needs approval');

  await page.goto('/approvals');
  await expect(page.locator('.inbox-item')).toHaveCount(1);
  await accessible(page, 'the inbox');
  await picture(page, 'approvals');

  await page.goto('/settings/networks');
  await expect(page.locator('#admob')).toContainText('Connected');
  await accessible(page, 'the networks');
  await picture(page, 'networks');

  await page.goto('/settings/networks?connect=admob&return=/chat');
  await expect(page.getByRole('dialog')).toContainText('Connect AdMob');
  await accessible(page, 'the connect dialog');
  await picture(page, 'networks-connect');

  await page.goto('/runs');
  await page.locator('table a').first().click();
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  await accessible(page, 'the run viewer');
  await picture(page, 'run');
});
