// Nine networks in one chat: a question to each, one across all, and a change at each network that accepts
// changes.
import { accessible, approve, ask, dollars, expect, picture, sandbox, signUp, test } from './support';

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
    if (id === 'admanager') {
      // It runs only saved reports, and saving one needs an approval.
      const card = entry.locator('.approval');
      await expect(card.or(entry.locator('.kpi')).first()).toBeVisible();
      if (await card.isVisible()) await approve(card);
    }
    await expect(entry.locator('.prose').last()).toContainText(dollars(truth.micros));
  }
  // A follow-up would continue with the network of the last question, so start a new chat.
  await page.goto('/chat');
  const all = await ask(page, 'total revenue last 7 days by network');
  const table = all.locator('table').last();
  for (const [id, name] of NETWORKS) {
    // What Ad Manager has no saved report for is named in the text next to the numbers. DT Exchange reports
    // what its mediation, FairBid, earned.
    const row = id === 'dtexchange' ? 'DT FairBid' : name;
    await expect(id === 'admanager' ? all.locator('.prose').last() : table).toContainText(row);
  }
  await accessible(page, 'a question to nine networks');
  await picture(page, 'nine-networks');
  await page.goto('/runs');
  await page.locator('table a').first().click();
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  for (const [id] of NETWORKS) await expect(page.locator('main')).toContainText(`${id}_`);
  await picture(page, 'run-nine');
});

test('each network is changed once, after approval, and a denied change is never sent', async ({ page }) => {
  const mark = `Nine ${Date.now()}`;
  const { base_url: base } = await (await page.request.get('/api/sandbox')).json();
  const sent = async (network: string) => {
    const { items } = await (await page.request.get(`${base}/__sandbox/writes?network=${network}`)).json();
    return (items as any[]).filter((write) => JSON.stringify(write.body).includes(mark)).length;
  };
  const wishes: [string, string][] = [
    ['admob', `In AdMob create a mediation group called '${mark}' for Puzzle Game on Android rewarded with AppLovin bidding`],
    ['admanager', `In Ad Manager create an ad unit called '${mark}'`],
    ['applovin', `Create an AppLovin MAX ad unit called '${mark}', format rewarded, for Android package com.acme.puzzle`],
    ['unity', `Create a rewarded ad unit in Unity LevelPlay for Puzzle Game Android called '${mark}'`],
    ['mintegral', `Create a bidding placement in Mintegral for Puzzle Game Android, rewarded video, called '${mark}'`],
    ['liftoff', `Create a Liftoff rewarded placement called '${mark}' in Puzzle Game Android`],
    ['inmobi', `Create a bidding InMobi placement called '${mark}' for Puzzle Game Android, rewarded`],
    ['pangle', `Create a Pangle ad slot named '${mark}' for Puzzle Game iOS, rewarded video`],
    ['dtexchange', `Create a DT Exchange placement called '${mark}' for Puzzle Game iOS, rewarded, not directed at children`],
  ];
  for (const [network, wish] of wishes) {
    const entry = await ask(page, wish);
    const card = entry.locator('.approval');
    await expect(card).toContainText('Needs approval');
    await expect(card).toContainText(mark);
    expect(await sent(network), `${network} before anybody approved`).toBe(0);
    if (network === 'pangle') {
      await accessible(page, 'an approval of Pangle');
      await picture(page, 'nine-approval');
    }
    await approve(card);
    await expect(entry.locator('.prose').last()).toContainText(new RegExp(`Done|${mark}`));
    expect(await sent(network), `${network} after approval`).toBe(1);
  }
  const entry = await ask(page, `Create a Liftoff rewarded placement called '${mark} again' in Puzzle Game Android`);
  const denied = entry.locator('.approval');
  await denied.getByRole('button', { name: 'Deny' }).click();
  const confirm = denied.getByRole('button', { name: /^Deny/ }).last();
  if (await confirm.isVisible()) await confirm.click();
  await expect(denied.locator('.stamp')).toHaveText(/Denied/);
  expect(await sent('liftoff')).toBe(1);
});
