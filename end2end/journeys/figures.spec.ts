// A number in an answer: the reports that add up to it open next to it, and the reader stays in place.
import { accessible, arrive, ask, expect, hydrated, picture, test } from './support';

const micros = (text: string) => Math.round(Number(text.replace(/[^0-9.-]/g, '')) * 100);

test('a total says which reports it is the sum of, and leads there and back', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, 'AdMob revenue last 7 days');
  await expect(page.getByRole('group', { name: 'Answer actions' })).toBeVisible();
  const figure = entry.locator('.prose a.fig').first();
  const total = (await figure.textContent())!.match(/\$[0-9,.]+/)![0];
  const opened = page.getByRole('dialog', { name: `Source of ${total}` });
  const adds = async () => {
    await figure.click();
    await expect(opened).toContainText('Sum of 3 reports');
    await expect(opened).toContainText('Account …2544');
    const parts = await opened.locator('.fig-row:not(.sum) data').allTextContents();
    expect(parts).toHaveLength(3);
    // Each value is rounded to cents separately.
    const sum = parts.map(micros).reduce((a, b) => a + b, 0);
    expect(Math.abs(sum - micros(total))).toBeLessThanOrEqual(2);
    await expect(opened.locator('.fig-row.sum')).toContainText(total);
  };
  await adds();
  await expect(page).not.toHaveURL(/#/);
  await accessible(page, 'the source of a figure');
  await picture(page, 'figure-source');
  await page.keyboard.press('Escape');
  await expect(opened).toBeHidden();
  await expect(figure).toBeFocused();
  await figure.click();
  await opened.getByRole('link').first().click();
  await expect(opened).toBeHidden();
  await expect(entry.locator('details.step[open], details[open] .step-body').first()).toBeVisible();
  // A chat that is opened again holds only the beginnings of long reports.
  await page.reload();
  await hydrated(page);
  await adds();
});
