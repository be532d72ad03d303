// Connects each of the nine networks as a person would: keys in the form, sign-in on the consent page, and
// errors.
import type { APIRequestContext, Page } from '@playwright/test';
import { accessible, expect, hydrated, person, picture, signUp, test } from './support';

const KEYED: [string, string][] = [
  ['applovin', 'AppLovin'], ['unity', 'Unity'], ['mintegral', 'Mintegral'], ['liftoff', 'Liftoff'],
  ['inmobi', 'InMobi'], ['pangle', 'Pangle'], ['dtexchange', 'DT Exchange'],
];

/** Returns the sandbox's published keys for a network, named as in the connect form. */
async function keys(request: APIRequestContext, network: string, standing = 'valid') {
  const { base_url: base } = await (await request.get('/api/sandbox')).json();
  const answer = await request.post(`${base}/__sandbox/grant`, { data: { network, standing } });
  return (await answer.json()).fields as Record<string, string>;
}

async function fill(page: Page, fields: Record<string, string>) {
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name="fields[${name}]"]`).fill(value);
}

test('every network that takes keys is connected by its form, tested and removed', async ({ page }) => {
  await signUp(page);
  for (const [network, name] of KEYED) {
    await page.goto(`/settings/networks?connect=${network}`);
    await hydrated(page);
    await expect(page.getByRole('heading', { name: `Connect ${name}` })).toBeVisible();
    await fill(page, await keys(page.request, network));
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(page.getByRole('status').filter({ hasText: `${name} is connected` })).toBeVisible();
    await expect(page.locator(`#${network}`)).toContainText('Connected');
    await expect(page.locator(`#${network}`)).toContainText('Sandbox');
  }
  await expect(page.getByRole('navigation', { name: 'Main' })).toContainText('7 of 9');
  await accessible(page, 'seven connected networks');
  await picture(page, 'networks-seven', '#applovin');
  const row = page.locator('#mintegral');
  await row.getByRole('button', { name: 'Test Mintegral' }).click();
  await expect(page.getByText('Mintegral: the connection works')).toBeVisible();
  await row.getByRole('button', { name: 'More for Mintegral' }).click();
  await page.getByRole('button', { name: 'Disconnect… Mintegral' }).click();
  await page.getByRole('alertdialog', { name: 'Disconnect Mintegral?' }).getByRole('button', { name: 'Disconnect' }).click();
  await expect(row.getByRole('link', { name: 'Connect Mintegral' })).toBeVisible();
});

test('wrong keys are named at their field, nothing is kept, and nothing that was typed comes back', async ({ page }) => {
  await signUp(page);
  await page.goto('/settings/networks?connect=applovin&return=/chat');
  await hydrated(page);
  const right = await keys(page.request, 'applovin');
  await fill(page, { ...right, report_key: 'not-a-key' });
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const report = page.getByLabel('Report key');
  await expect(report).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#k-report_key-e')).toContainText('rejected');
  await expect(page.getByLabel('Management key')).not.toHaveAttribute('aria-invalid', 'true');
  await accessible(page, 'the key form with a mistake');
  await picture(page, 'networks-keys-wrong', '#connect');
  // A test without connecting shows the same error at the same field. After the fix, it says what the keys
  // allow and stores nothing.
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.locator('#k-report_key-e')).toContainText('rejected');
  await report.fill(right.report_key);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const works = page.getByRole('status').filter({ hasText: 'AppLovin accepts these keys.' });
  await expect(works).toContainText(/Can [^·]*report/);
  await expect(report).not.toHaveAttribute('aria-invalid', 'true');
  await expect(report).toHaveValue(right.report_key);
  await accessible(page, 'keys that were tried');
  await picture(page, 'networks-keys-tried', '#connect');
  const items = (await (await page.request.get('/api/providers')).json()).items as any[];
  expect(items.find((item) => item.network === 'applovin').state).toBe('not_connected');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page).toHaveURL(/\/chat/);
  await page.goto('/settings/networks?connect=applovin');
  await expect(page.getByLabel('Report key')).toHaveValue('');
  await expect(page.getByLabel('Management key')).toHaveValue('');
});

test('the key form works without JavaScript', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await signUp(page, person());
  await page.goto('/settings/networks?connect=pangle');
  await fill(page, await keys(page.request, 'pangle', 'revoked'));
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.locator('#k-security_key-e')).toContainText('rejected');
  await expect(page.getByLabel('Security key')).toHaveValue('');
  expect(page.url()).not.toContain('sandbox-pangle');
  await fill(page, await keys(page.request, 'pangle'));
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByText('Pangle accepts these keys.')).toBeVisible();
  await expect(page.locator('#pangle')).not.toContainText('Connected');
  expect(page.url()).not.toContain('sandbox-pangle');
  await fill(page, await keys(page.request, 'pangle'));
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.locator('#pangle')).toContainText('Connected');
  await context.close();
});

test('both networks of Google are signed in to, each with consent of its own', async ({ page }) => {
  await signUp(page);
  for (const [network, name] of [['admob', 'AdMob'], ['admanager', 'Google Ad Manager']]) {
    await page.goto(`/settings/networks?connect=${network}`);
    await page.getByRole('button', { name: 'Continue with Google' }).click();
    await expect(page.getByText(network === 'admob' ? 'See all AdMob data' : 'See, create and change Google Ad Manager data')).toBeVisible();
    await page.getByRole('button', { name: 'Allow' }).click();
    await expect(page).toHaveURL(/\/settings\/networks/);
    const use = page.getByRole('button', { name: 'Use these accounts' });
    await expect(use.or(page.getByText(`${name} is connected`)).first()).toBeVisible();
    if (await use.isVisible()) await use.click();
    await expect(page.locator(`#${network}`)).toContainText('Connected');
  }
});

test('a sign-in that allows less is told on the page, and before a change is tried', async ({ page }) => {
  await signUp(page);
  await page.goto('/settings/networks?connect=admob');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByRole('checkbox', { name: 'See, create and change AdMob monetization settings' }).uncheck();
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page).toHaveURL(/\/settings\/networks/);
  const use = page.getByRole('button', { name: 'Use these accounts' });
  await expect(use.or(page.getByText('AdMob is connected')).first()).toBeVisible();
  if (await use.isVisible()) {
    for (const box of await page.locator('#choose input[type=checkbox]').all()) await box.check();
    await use.click();
  }
  const row = page.locator('#admob');
  await expect(row).toContainText('No write access');
  await expect(row).toContainText('was not allowed at sign-in');
  await expect(row).toContainText(/Can [^·]*report/);
  await accessible(page, 'a connection that only reads');
  await picture(page, 'networks-reads-only', '#admob');
  await page.goto('/chat');
  await hydrated(page);
  await page.getByRole('textbox', { name: /Message|Ask/ }).fill('Create a banner ad unit called "Menu" in Puzzle Game on Android');
  await page.keyboard.press('Enter');
  await expect(page.locator('.prose').getByText('can only read').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(0);
});

test('keys without reports say so, and what to do', async ({ page }) => {
  await signUp(page);
  await page.goto('/settings/networks?connect=mintegral');
  await hydrated(page);
  await fill(page, await keys(page.request, 'mintegral', 'no_reports'));
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const row = page.locator('#mintegral');
  await expect(row).toContainText('No report access');
  await expect(row).toContainText('Give the key this permission in Mintegral and test it here');
  await expect(page.getByRole('heading', { name: 'Connected', exact: true })).toBeVisible();
  // An open menu stays open while the page loads again.
  await row.getByRole('button', { name: 'Test Mintegral' }).click();
  await row.getByRole('button', { name: 'More for Mintegral' }).click();
  await expect(page.getByText('Mintegral: the connection works')).toBeVisible();
  await page.getByRole('button', { name: 'Disconnect… Mintegral' }).click();
  const ask = page.getByRole('alertdialog', { name: 'Disconnect Mintegral?' });
  await expect(ask).toContainText('No pending approvals or runs are affected');
  await ask.getByRole('button', { name: 'Disconnect' }).click();
  await expect(row.getByRole('link', { name: 'Connect Mintegral' })).toBeVisible();
});

test('all nine are explored with one click', async ({ page }) => {
  await signUp(page);
  await hydrated(page);
  await page.getByRole('button', { name: 'All nine networks' }).click();
  await expect(page.getByRole('heading', { name: /what do you want to check/ })).toBeVisible();
  const rail = page.getByRole('navigation', { name: 'Main' });
  await expect(rail).toContainText('9 of 9');
  // Deselecting a network deselects everything in it.
  const unity = rail.getByRole('checkbox', { name: /^Unity/ });
  await expect(unity).toBeChecked();
  const saved = page.waitForResponse((answer) => answer.request().method() !== 'GET' && answer.ok());
  await unity.uncheck();
  await saved;
  await page.reload();
  await expect(rail.getByRole('checkbox', { name: /^Unity/ })).not.toBeChecked();
  await page.goto('/settings/networks');
  await accessible(page, 'nine connected networks');
  await picture(page, 'networks-nine', '#admob');
});

test('two accounts of one network stand side by side, answer together and go one by one', async ({ page }) => {
  await signUp(page);
  await page.goto('/settings/networks?connect=applovin');
  await hydrated(page);
  await fill(page, await keys(page.request, 'applovin', 'acme'));
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const first = page.locator('#applovin');
  await expect(first).toContainText('Connected');
  await first.getByRole('button', { name: 'More for AppLovin' }).click();
  await page.getByRole('link', { name: 'Add another account to AppLovin' }).click();
  await expect(page.getByRole('heading', { name: 'Add another AppLovin account' })).toBeVisible();
  // The same account would count twice.
  await fill(page, await keys(page.request, 'applovin', 'acme'));
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('would count twice');
  await page.getByRole('textbox', { name: /^Name optional/ }).fill('Words');
  await fill(page, await keys(page.request, 'applovin', 'lexicon'));
  await accessible(page, 'the form of one more account');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const second = page.locator('.net-row').filter({ hasText: 'AppLovin · Words' });
  await expect(second).toContainText('Connected');
  await expect(first).toContainText('AppLovin · AppLovin');
  await accessible(page, 'two accounts of one network');
  await picture(page, 'networks-two-accounts', '#applovin');
  // Each connection has a name, and is tested and changed separately.
  await second.getByRole('button', { name: 'Test AppLovin · Words' }).click();
  await expect(page.getByText('AppLovin · Words: the connection works')).toBeVisible();
  await first.getByRole('button', { name: 'More for AppLovin · AppLovin' }).click();
  await page.getByLabel('Name of AppLovin · AppLovin').fill('words');
  await page.getByRole('button', { name: 'Rename AppLovin · AppLovin' }).click();
  await expect(page.getByText('Another AppLovin account is already named “words”')).toBeVisible();
  await page.getByLabel('Name of AppLovin · AppLovin').fill('Games EU');
  await page.getByRole('button', { name: 'Rename AppLovin · AppLovin' }).click();
  await expect(first).toContainText('AppLovin · Games EU');
  // An address that names only the network opens no form, because it does not say which of the two.
  await page.goto('/settings/networks?connect=applovin');
  await hydrated(page);
  await expect(page.getByText('AppLovin has several connected accounts.')).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.goto('/chat');
  await hydrated(page);
  const ask = page.getByRole('textbox', { name: /Message|Ask/ });
  await ask.fill('AppLovin revenue last 7 days');
  await page.keyboard.press('Enter');
  const table = page.getByRole('table').filter({ hasText: 'AppLovin · Games EU' });
  await expect(table.first()).toContainText('AppLovin · Words');
  await page.goto('/settings/networks');
  await hydrated(page);
  await second.getByRole('button', { name: 'More for AppLovin · Words' }).click();
  await page.getByRole('button', { name: 'Disconnect… AppLovin · Words' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Disconnect AppLovin · Words?' });
  await expect(dialog).toContainText('Other accounts aren\'t affected');
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await expect(second).toHaveCount(0);
  // With one connection left, the page looks as before.
  await expect(first.getByRole('button', { name: 'Test AppLovin', exact: true })).toBeVisible();
});
