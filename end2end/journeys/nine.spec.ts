// Nine networks behind one conversation: a question to each, one across all, and a change where a network takes changes.
import { accessible, ask, dollars, expect, picture, sandbox, signUp, test } from './support';

const NETWORKS: [string, string][] = [
  ['admob', 'AdMob'], ['admanager', 'Ad Manager'], ['applovin', 'AppLovin'], ['unity', 'Unity'], ['mintegral', 'Mintegral'],
  ['liftoff', 'Liftoff'], ['inmobi', 'InMobi'], ['pangle', 'Pangle'], ['dtexchange', 'DT Exchange'],
];

test.beforeEach(async ({ page }) => {
  await signUp(page);
  const explored = await page.request.post('/api/sandbox/explore', { data: { networks: NETWORKS.map(([id]) => id) } });
  expect(explored.status(), await explored.text()).toBe(200);
  await page.goto('/chat');
});

test('each network tells what it earned, and one question goes to all of them', async ({ page }) => {
  const network = await sandbox(page.request);
  const day = network.day(2);
  for (const [id, name] of NETWORKS) {
    const entry = await ask(page, `What did ${name} earn on ${day}?`);
    const truth = await network.truth({ network: id, from: day, to: day, metric: 'revenue' });
    await expect(entry.locator('.prose').last()).toContainText(dollars(truth.micros));
  }
  const all = await ask(page, 'total revenue last 7 days by network');
  const table = all.locator('table').last();
  for (const [, name] of NETWORKS) await expect(table).toContainText(name);
  await accessible(page, 'a question to nine networks');
  await picture(page, 'nine-networks');
  await page.goto('/runs');
  await page.locator('table a').first().click();
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  for (const [id] of NETWORKS) await expect(page.locator('main')).toContainText(`${id}_`);
  await picture(page, 'run-nine');
});
