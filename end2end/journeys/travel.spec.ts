// The panel of a run, and checkpoints on the run page.
import { arrive, ask, expect, test } from './support';

test('the panel opens on request, says what the answer rests on, and stays closed when closed', async ({ page }) => {
  await arrive(page);
  await ask(page, 'What was my revenue yesterday?');
  await expect(page.getByRole('group', { name: 'Answer actions' })).toBeVisible();
  const panel = page.getByRole('complementary', { name: 'Run details' });
  await page.getByRole('button', { name: 'Run details' }).click();
  await expect(panel).toContainText('Sources');
  await expect(panel).toContainText('Completed');
  await panel.getByRole('button', { name: 'Close details' }).click();
  await expect(panel).toHaveCount(0);
});

test('a saved state is compared and forked with another message', async ({ page }) => {
  await arrive(page);
  await ask(page, 'List my apps');
  await page.getByRole('link', { name: 'View run' }).click();
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  await page.getByLabel('What changed since').selectOption({ index: 0 });
  await expect(page).toHaveURL(/from=1/);
  await page.getByText('Use a different message').click();
  await page.getByLabel('Message').fill('What was my revenue yesterday?');
  await page.getByRole('button', { name: 'Fork with this message' }).click();
  await expect(page.getByText(/Forked from checkpoint/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'What was my revenue yesterday?' })).toBeVisible();
});
