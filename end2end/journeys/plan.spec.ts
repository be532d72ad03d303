// A message that wants several things: its plan is approved as a whole, with a step left out, by keyboard and
// on the phone.
import { accessible, ask, expect, picture, signUp, test } from './support';
import type { Page } from '@playwright/test';

const TWO =
  'Set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to $12.50 and raise the floor of Level Complete ' +
  'Interstitial for Puzzle Game Android on InMobi to $9.00';

/** About other ad units, because all journeys share one sandbox. */
const OTHERS =
  'Set the Liftoff floor of Extra Life Rewarded of Kart Rivals on iOS to $11.50 and set the floor of the Main Menu Banner of ' +
  'Space Runner Android on InMobi to $0.60';

async function begin(page: Page, text: string) {
  await signUp(page);
  const explored = await page.request.post('/api/sandbox/explore', { data: { networks: ['liftoff', 'inmobi'] } });
  expect(explored.status()).toBe(200);
  await page.goto('/chat');
  const entry = await ask(page, text);
  const plan = entry.getByRole('article', { name: 'Plan' });
  await expect(plan.getByRole('listitem').first()).toContainText('Needs approval');
  return { entry, plan, steps: plan.getByRole('listitem') };
}

test('a plan shows its steps, and all of it is approved after its cards were shown', async ({ page }) => {
  const { entry, plan, steps } = await begin(page, `${TWO}, then show me yesterday's revenue by network`);
  await expect(steps).toHaveCount(3);
  await expect(steps.last()).toContainText('Not started');
  await accessible(page, 'a plan that waits');
  await picture(page, 'plan', '.plan');

  // By keyboard: the first press shows the cards, the second approves them.
  await plan.getByRole('button', { name: 'Approve all 2' }).focus();
  await page.keyboard.press('Enter');
  await expect(plan).toContainText('Press again to approve all of it');
  await expect(entry.locator('.approval.waiting').first()).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(steps.filter({ hasText: 'Done' })).toHaveCount(3, { timeout: 20_000 });
  await expect(entry.locator('.prose').last()).toContainText("3. Show me yesterday's revenue by network.");
  await accessible(page, 'a plan that is done');
});

test('on the phone a step is left out, and an edited card is not approved with the others', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { entry, plan, steps } = await begin(page, OTHERS);
  await picture(page, 'plan-small', '.plan');
  const cards = entry.locator('.approval.waiting');
  const second = cards.nth(1);
  await second.getByRole('button', { name: 'Edit' }).click();
  await second.getByLabel('CPM floor').first().fill('0,70');
  await expect(plan.getByRole('button', { name: 'Approve all 2' })).toBeDisabled();
  const approve = second.getByRole('button', { name: /^Approve/ });
  await approve.click();
  if (await second.getByText('Press again to approve').isVisible()) await approve.click();
  await expect(steps.last()).toContainText('Approved, waits its turn');
  await cards.first().getByRole('button', { name: 'Deny' }).click();
  await cards.first().getByRole('button', { name: 'Deny' }).click();
  await expect(steps.first()).toContainText('Skipped');
  await expect(steps.last()).toContainText('Done', { timeout: 20_000 });
});
