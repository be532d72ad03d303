// Without JavaScript, forms work and pages can be read. Also by keyboard alone.
import { arrive, ask, expect, hydrated, person, signUp, test } from './support';

test('pages read and forms work without JavaScript', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const who = person();
  await page.goto('/sign-up');
  await page.getByLabel('Name').fill(who.name);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('heading', { name: 'Connect a network to start' })).toBeVisible();
  await page.getByRole('button', { name: 'Explore with sandbox data' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('What was my revenue yesterday?');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);
  await expect(async () => {
    await page.reload();
    await expect(page.locator('article.entry .kpi-value').first()).toContainText('$', { timeout: 1000 });
  }).toPass();
  await page.goto('/approvals');
  await expect(page.getByText("You're all caught up")).toBeVisible();
  await context.close();
});

test('what is typed before the page listens is kept', async ({ page }) => {
  await arrive(page);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/*.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/chat');
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('What was my revenue yesterday?');
  expect(await page.evaluate(() => document.documentElement.dataset.hydrated)).toBeUndefined();
  release();
  await hydrated(page);
  await expect(composer).toHaveValue('What was my revenue yesterday?');
  await composer.press('Enter');
  await expect(page.locator('article.entry').getByRole('heading', { level: 2 })).toHaveText('What was my revenue yesterday?');
});

test('Escape closes what is open and never withdraws an approval', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, 'Create a mediation group for Puzzle Game on Android interstitial with AppLovin and Unity bidding');
  const card = entry.locator('.approval');
  await expect(card).toContainText('Needs approval');
  await page.getByRole('button', { name: 'Chat options' }).click();
  await page.keyboard.press('Escape');
  await page.locator('body').press('Escape');
  await page.reload();
  await expect(page.locator('.approval')).toContainText('Needs approval');
});

test('the main job by keyboard alone', async ({ page }) => {
  await arrive(page);
  await hydrated(page);
  const composer = page.getByRole('textbox', { name: 'Message' });
  await expect(composer).toBeFocused();
  // Another format than in the main journey, which counts what is sent about its own formats.
  await page.keyboard.type('Create a mediation group for Puzzle Game on Android rewarded with AppLovin and Unity bidding');
  await page.keyboard.press('Enter');
  const card = page.locator('.approval');
  await expect(card).toContainText('Needs approval');
  const approve = card.getByRole('button', { name: /^Approve/ });
  // From the composer back into the card, which is directly above it.
  for (let presses = 0; presses < 8; presses += 1) {
    if (await approve.evaluate((button) => button === document.activeElement)) break;
    await page.keyboard.press('Shift+Tab');
  }
  await expect(approve).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(card.locator('.stamp')).toHaveText(/Approved/);
  // The pressed button is gone; the focus is on the record.
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
});

test('wrong passwords and unknown e-mails look the same', async ({ page }) => {
  const who = await signUp(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: who.name }).last().click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  for (const email of [who.email, 'nobody@acme.example']) {
    await page.goto('/sign-in?return=/approvals');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('alert')).toHaveText('Incorrect email or password.');
  }
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/approvals/);
});

test('an address nobody lives at is a friendly 404', async ({ page }) => {
  await signUp(page);
  const answer = await page.request.get('/chat/019aa5c4-9a3e-7000-8000-000000000000', { headers: { accept: 'text/html' } });
  expect(await answer.text()).toContain('Page not found');
});

test('the slash and at lists are seen, and a pointer chooses from them', async ({ page }) => {
  await arrive(page);
  await hydrated(page);
  const composer = page.getByRole('textbox', { name: 'Message' });
  await expect(composer).toBeFocused();
  await page.keyboard.type('/');
  const list = page.getByRole('listbox', { name: 'Suggestions' });
  const first = list.getByRole('option').first();
  await expect(first).toBeInViewport();
  // Visible on screen, not only in the page: nothing covers it and nothing cuts it off.
  const box = (await first.boundingBox())!;
  expect(await first.evaluate((option, { x, y }) => option.contains(document.elementFromPoint(x, y)),
    { x: box.x + box.width / 2, y: box.y + box.height / 2 })).toBe(true);
  await first.click();
  await expect(composer).not.toHaveValue('/');
  await expect(list).toBeHidden();
});

test('Enter before the page is awake sends, as the form does without script', async ({ page }) => {
  await arrive(page);
  await page.route('**/*.wasm', () => {});
  await page.goto('/chat');
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('What was my revenue');
  await composer.press('Shift+Enter');
  await expect(composer).toHaveValue('What was my revenue\n');
  await composer.pressSequentially('yesterday?');
  await composer.press('Enter');
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);
});

test('a new chat never shows a skeleton and keeps the keyboard in the composer', async ({ page }) => {
  await arrive(page);
  await hydrated(page);
  await page.evaluate(() => {
    (window as any).skeletons = 0;
    new MutationObserver(() => {
      if (document.querySelector('main .skeleton')) (window as any).skeletons += 1;
    }).observe(document.body, { childList: true, subtree: true });
  });
  const entry = await ask(page, 'What was my revenue yesterday?');
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);
  await expect(entry.locator('.kpi-value').first()).toContainText('$');
  await expect(entry.locator('.follow-ups')).toBeVisible();
  expect(await page.evaluate(() => (window as any).skeletons)).toBe(0);
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused();
});
