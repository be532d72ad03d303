// The person's own account: confirm it by email, reset a forgotten password, set up two-factor
// authentication, and sign browsers out from another one.
import { createHmac } from 'node:crypto';

import { accessible, expect, hydrated, person, picture, signUp, signUpByForm, test } from './support';
import type { APIRequestContext, Page } from '@playwright/test';

/** Returns the newest mail to an address with this subject. */
async function mail(request: APIRequestContext, to: string, subject: RegExp) {
  let found: any;
  await expect(async () => {
    const { items } = await (await request.get('/dev/outbox.json')).json();
    found = items.find((item: any) => item.to === to && subject.test(item.subject));
    expect(found).toBeTruthy();
  }).toPass();
  return found;
}

/** Returns the code that an authenticator app will show some steps from now. */
function code(secret: string, steps = 0) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE(digest[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

async function signIn(page: Page, email: string, password: string) {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('an address is confirmed by mail and a forgotten password set anew', async ({ page, browser }) => {
  const who = await signUpByForm(page);
  await page.goto('/settings/account');
  await expect(page.getByText('Not confirmed')).toBeVisible();
  await page.getByRole('button', { name: 'Resend link' }).click();
  await expect(page.getByRole('status').first()).toContainText('We emailed you a link');
  await accessible(page, 'the account page');
  await picture(page, 'account', 'main');
  const letter = await mail(page.request, who.email, /Confirm/);
  await page.goto(letter.url);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('Your email is confirmed.')).toBeVisible();
  await page.goto('/settings/account');
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible();

  const other = await browser.newContext();
  const elsewhere = await other.newPage();
  await elsewhere.goto('/sign-in');
  await elsewhere.getByRole('link', { name: 'Forgot your password?' }).click();
  await elsewhere.getByLabel('Email').fill(who.email);
  await elsewhere.getByRole('button', { name: 'Send link' }).click();
  await expect(elsewhere.getByRole('status').first()).toContainText('If this email has an account');
  await elsewhere.goto((await mail(elsewhere.request, who.email, /Reset your password/)).url);
  await elsewhere.getByLabel('New password').fill('short');
  await elsewhere.getByRole('button', { name: 'Set password' }).click();
  await expect(elsewhere.getByRole('alert')).toContainText('at least 8 characters');
  await elsewhere.getByLabel('New password').fill('another ledger and ink');
  await elsewhere.getByRole('button', { name: 'Set password' }).click();
  await expect(elsewhere.getByRole('status').first()).toContainText('Your password was reset');
  await page.goto('/settings/account');
  await expect(page, 'signed out').toHaveURL(/\/sign-in\?return=/);
  await signIn(elsewhere, who.email, 'another ledger and ink');
  await expect(elsewhere).toHaveURL(/\/$/);
  await other.close();
});

for (const script of [true, false]) {
  test(`a second factor, ${script ? 'with' : 'without'} JavaScript`, async ({ browser }) => {
    const context = await browser.newContext({ javaScriptEnabled: script });
    const page = await context.newPage();
    const who = await signUp(page, person());
    await page.goto('/settings/account');
    await page.getByRole('region', { name: 'Two-factor authentication' }).getByLabel('Your password').fill(who.password);
    await page.getByRole('button', { name: 'Set up 2FA' }).click();
    await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible();
    const secret = (await page.getByLabel('Setup key', { exact: true }).innerText()).trim();
    const recovery = (await page.getByLabel('Recovery codes', { exact: true }).innerText()).trim().split(/\s+/);
    expect(recovery).toHaveLength(10);
    if (script) await accessible(page, 'the second factor');
    await page.getByLabel('Authenticator code').fill('000000');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await expect(page.getByRole('alert')).toContainText('Incorrect code');
    // The code of the previous step is accepted only until this step ends, so stay away from the edge.
    await expect.poll(() => (Date.now() / 1000) % 30, { timeout: 20_000 }).toBeLessThan(20);
    await page.getByLabel('Authenticator code').fill(code(secret, -1));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await expect(page.getByText('Two-factor authentication is on.')).toBeVisible();
    await expect(page.getByText('Recovery codes left: 10.')).toBeVisible();
    expect(await page.content()).not.toContain(secret);

    // Get ten new recovery codes by using one of the old ones; an error shows at its field.
    const factor = page.getByRole('region', { name: 'Two-factor authentication' });
    const renew = async (password: string, code: string) => {
      if (!(await page.locator('#renew-code').isVisible())) await factor.getByText('New recovery codes', { exact: true }).click();
      await page.locator('#renew-password').fill(password);
      await page.locator('#renew-code').fill(code);
      await factor.getByRole('button', { name: 'Create new codes' }).click();
    };
    await renew('not the password', recovery[0]);
    await expect(factor.getByRole('alert')).toContainText('Incorrect password');
    await renew(who.password, recovery[0]);
    await expect(factor.getByRole('status').first()).toContainText('Here are your new recovery codes');
    const renewed = (await page.getByLabel('Recovery codes', { exact: true }).innerText()).trim().split(/\s+/);
    expect(renewed).toHaveLength(10);
    expect(renewed).not.toContain(recovery[1]);
    if (script) await accessible(page, 'new recovery codes');
    await page.goto('/settings/account');
    await expect(page.getByText('Recovery codes left: 10.')).toBeVisible();
    expect(await page.content()).not.toContain(renewed[0]);
    await expect(page.getByText(/1 wrong password from/)).toBeVisible();

    const other = await browser.newContext({ javaScriptEnabled: script });
    const elsewhere = await other.newPage();
    await signIn(elsewhere, who.email, who.password);
    await expect(elsewhere).toHaveURL(/\/sign-in\/code/);
    await elsewhere.goto('/chat');
    await expect(elsewhere, 'nobody is signed in yet').toHaveURL(/\/sign-in\?return=/);
    await elsewhere.goto('/sign-in/code');
    await elsewhere.getByLabel('Code', { exact: true }).fill('000000');
    await elsewhere.getByRole('button', { name: 'Continue' }).click();
    await expect(elsewhere.getByRole('alert')).toContainText('Incorrect code');
    await elsewhere.getByLabel('Code', { exact: true }).fill(code(secret));
    await elsewhere.getByRole('button', { name: 'Continue' }).click();
    await expect(elsewhere).toHaveURL(/\/$/);

    // And sign out from the first browser.
    await page.goto('/settings/account');
    await page.getByRole('button', { name: 'Sign out all other browsers' }).click();
    await expect(page.getByText('That browser was signed out.')).toBeVisible();
    await elsewhere.goto('/approvals');
    await expect(elsewhere).toHaveURL(/\/sign-in\?return=/);
    await other.close();
    await context.close();
  });
}

for (const script of [true, false]) {
  test(`an access token is made with the password, ${script ? 'with' : 'without'} JavaScript`, async ({ browser }) => {
    const context = await browser.newContext({ javaScriptEnabled: script });
    const page = await context.newPage();
    const who = await signUp(page, person());
    await page.goto('/settings/tokens');
    if (script) await hydrated(page);
    await page.getByRole('main').getByLabel('Name').fill('reporting script');
    await page.getByLabel('Your password').fill('not the password');
    await page.getByRole('button', { name: 'Create token' }).click();
    await expect(page.getByRole('alert')).toHaveText('Incorrect password.');
    await expect(page.getByRole('main').getByLabel('Name'), 'what was typed is still there').toHaveValue('reporting script');
    if (script) await accessible(page, 'the tokens page');
    await page.getByLabel('Your password').fill(who.password);
    await page.getByRole('button', { name: 'Create token' }).click();
    await expect(page.getByText('reporting script is ready.')).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByLabel('Your password')).toHaveValue('');
    await context.close();
  });
}

test('an account is deleted by its person', async ({ page }) => {
  const who = await signUp(page);
  await page.goto('/settings/account');
  await hydrated(page);
  await page.getByText('Delete account').click();
  await page.getByLabel('Type your email address').fill(who.email);
  await page.getByRole('region', { name: 'Your data' }).getByLabel('Your password').fill('not the password');
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await expect(page.getByRole('alert')).toContainText('Incorrect password');
  // If a page started while the account is deleted, its request for activity would be refused, and the
  // browser would log an error.
  await hydrated(page);
  await page.getByRole('region', { name: 'Your data' }).getByLabel('Your password').fill(who.password);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await expect(page.getByText('Your account was deleted.')).toBeVisible();
  await signIn(page, who.email, who.password);
  await expect(page.getByRole('alert')).toHaveText('Incorrect email or password.');
});
