// The desk around the chat: palette, confirmations, checkpoints, connection, sessions, looks.
import { accessible, arrive, ask, expect, hydrated, picture, signUp, signUpByForm, test } from './support';

test('the palette searches chats, goes places and asks', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, 'What was my revenue yesterday?');
  await expect(entry.locator('.kpi-value').first()).toContainText('$');
  await expect(page.locator('#rail .nav-item', { hasText: /^Revenue, AdMob, / })).toBeVisible();
  await page.getByRole('button', { name: 'Search and commands' }).click();
  const palette = page.getByRole('combobox', { name: /Search, jump or ask/ });
  await expect(palette).toBeFocused();
  await accessible(page, 'the palette');
  await picture(page, 'palette');
  await palette.fill('revenue, adm');
  await expect(page.locator('#palette-list .option').first()).toContainText('Revenue, AdMob, ');
  await palette.fill('appr');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/approvals/);
  await accessible(page, 'the empty inbox');
  await picture(page, 'approvals-empty');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard' })).toBeVisible();
  await accessible(page, 'the list of keys');
});

test('renaming shows at once, deleting asks first', async ({ page }) => {
  await arrive(page);
  await ask(page, 'What was my revenue yesterday?');
  await expect(page).toHaveURL(/\/chat\/[0-9a-f-]{36}$/);
  await page.getByRole('button', { name: 'Chat options' }).click();
  await accessible(page, 'the chat options');
  // The page is drawn again when its chat gets an address, which closes a menu that was opened just before.
  await expect(async () => {
    const rename = page.getByRole('button', { name: 'Rename…' });
    if (!(await rename.isVisible())) await page.getByRole('button', { name: 'Chat options' }).click();
    await rename.click({ timeout: 2_000 });
  }).toPass();
  await page.getByLabel('Title').fill('Yesterday, all accounts');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await expect(page.locator('.topbar h1')).toHaveText('Yesterday, all accounts');
  await expect(page.locator('#rail .nav-item', { hasText: 'Yesterday, all accounts' })).toBeVisible();
  await page.getByRole('button', { name: 'Chat options' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Delete this chat?' });
  await accessible(page, 'the question before deleting');
  await picture(page, 'chat-delete');
  await confirm.getByRole('button', { name: 'Cancel' }).click();
  await expect(confirm).toBeHidden();
  await page.getByRole('button', { name: 'Chat options' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await confirm.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page).toHaveURL(/\/chat$/);
  await expect(page.locator('#rail .nav-item', { hasText: 'Yesterday, all accounts' })).toHaveCount(0);
});

test('disconnecting asks first', async ({ page }) => {
  await arrive(page);
  await page.goto('/settings/networks');
  await hydrated(page);
  await expect(page.locator('#admob')).toContainText('3 accounts');
  await page.getByRole('button', { name: 'More for AdMob' }).click();
  await picture(page, 'networks-menu');
  await page.getByRole('button', { name: /^Disconnect…/ }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Disconnect AdMob?' });
  await accessible(page, 'the question before disconnecting');
  await picture(page, 'networks-disconnect');
  await confirm.getByRole('button', { name: 'Disconnect', exact: true }).click();
  await expect(page.locator('#admob')).not.toContainText('Connected');
});

test('a waiting approval is listed where a new chat begins', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, 'Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding');
  await expect(entry.locator('.approval')).toContainText('Needs approval');
  await entry.locator('.approval').getByRole('button', { name: 'Deny' }).click();
  await accessible(page, 'the reason for denying');
  await picture(page, 'chat-deny', '.approval-foot');
  await page.locator('#new-chat').click();
  const waiting = page.getByRole('region', { name: 'Pending your approval' });
  await expect(waiting.locator('.inbox-item')).toHaveCount(1);
  await accessible(page, 'a new chat with something waiting');
  await picture(page, 'chat-waiting');
  // After a reload, hydration takes over the page as the server drew it, and it reacts.
  await page.reload();
  await expect(waiting.locator('.inbox-item')).toHaveCount(1);
  await hydrated(page);
  await page.getByRole('button', { name: 'Search and commands' }).click();
  await expect(page.getByRole('combobox', { name: /Search, jump or ask/ })).toBeFocused();
});

test('saved states of a run say what changed, and a run goes on from one', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, 'What was my revenue yesterday?');
  await expect(entry.locator('.kpi-value').first()).toContainText('$');
  await entry.getByRole('link', { name: 'View run' }).click();
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  const marks = page.locator('a.checkpoint');
  expect(await marks.count()).toBeGreaterThan(2);
  await marks.nth(1).click();
  await expect(page).toHaveURL(/checkpoint=2/);
  await expect(page.getByRole('heading', { name: /^Checkpoint 2/ })).toBeVisible();
  await expect(page.getByRole('heading', { name: /^What changed/ })).toBeVisible();
  await accessible(page, 'a saved state');
  await picture(page, 'run-state', 'h2');
  const before = page.url();
  await page.getByText('Fork from here').click();
  await expect(page.getByText(/Changes that were already sent are never sent again/)).toBeVisible();
  await page.getByRole('button', { name: 'Start fork' }).click();
  await expect(page).not.toHaveURL(before);
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}$/);
  await expect(page.locator('.topbar .badge', { hasText: 'Completed' })).toBeVisible();
});

test('a lost connection is said, and its return too', async ({ page, context }) => {
  await signUp(page);
  await hydrated(page);
  await context.setOffline(true);
  await expect(page.getByRole('region', { name: 'Connection' })).toContainText("You're offline");
  await accessible(page, 'a lost connection');
  await picture(page, 'offline');
  await context.setOffline(false);
  await expect(page.getByRole('region', { name: 'Connection' })).toHaveCount(0);
  await expect(page.getByText('Back online')).toBeVisible();
});

test('icons drawn while offline stay, and what is typed is sent once the line is back', async ({ page, context }) => {
  await arrive(page);
  await ask(page, 'List my apps');
  await expect(page.getByRole('group', { name: 'Answer actions' })).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByRole('region', { name: 'Connection' })).toContainText("You're offline");
  // Drawn now for the first time on this page.
  await page.getByRole('button', { name: 'Chat options' }).click();
  await page.keyboard.press('Escape');
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('What was my revenue yesterday?');
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('What was my revenue yesterday?');
  // An icon without its sprite has no box.
  const empty = () => page.evaluate(() =>
    [...document.querySelectorAll<SVGSVGElement>('svg.icon')]
      .filter((icon) => icon.checkVisibility() && icon.getBBox().width === 0)
      .map((icon) => icon.innerHTML));
  expect(await empty()).toEqual([]);
  await context.setOffline(false);
  await expect(page.getByText('Back online')).toBeVisible();
  expect(await empty()).toEqual([]);
  await page.getByRole('button', { name: 'Send' }).click();
  const entry = page.locator('article.entry').last();
  await expect(entry.locator('.kpi-value').first()).toContainText('$');
  expect(await empty()).toEqual([]);
  await expect(page.locator('.compose [role=alert]')).toHaveCount(0);
});

test('a chat is kept away from the networks, and says so', async ({ page }) => {
  await arrive(page);
  await ask(page, 'List my apps');
  await expect(page.getByRole('group', { name: 'Answer actions' })).toBeVisible();
  await page.getByRole('button', { name: 'Chat options' }).click();
  await page.getByRole('button', { name: 'Chat only, without networks' }).click();
  await expect(page.locator('.compose-note')).toContainText('Chat only');
  const entry = await ask(page, 'What was my revenue yesterday?');
  await expect(entry).toContainText('chat only');
  await expect(entry.locator('.kpi-value')).toHaveCount(0);
  await page.reload();
  await hydrated(page);
  await expect(page.locator('.compose-note')).toContainText('Chat only');
  await page.getByRole('button', { name: 'Chat options' }).click();
  await page.getByRole('button', { name: 'Use networks again' }).click();
  await expect(page.locator('.compose-note')).not.toContainText('Chat only');
});

test('what was wrong with an answer reaches those who run the workspace', async ({ page }) => {
  await arrive(page);
  const entry = await ask(page, 'List my apps');
  await page.getByRole('button', { name: 'Bad answer' }).click();
  const form = entry.locator('form.wrong');
  await form.getByLabel('What was wrong?').fill('The apps of one account are missing');
  await accessible(page, 'the question what was wrong');
  await form.getByRole('button', { name: 'Send' }).click();
  await expect(form).toHaveCount(0);
  await page.goto('/settings/team');
  const feedback = page.getByRole('region', { name: 'Feedback on answers' });
  await expect(feedback).toContainText('The apps of one account are missing');
  await feedback.getByRole('link', { name: 'Open chat' }).click();
  await expect(page.locator('article.entry h2')).toHaveText('List my apps');
});

test('all nine networks are explored from the page of the networks', async ({ page }) => {
  await arrive(page);
  await page.goto('/settings/networks');
  await hydrated(page);
  await page.getByRole('button', { name: 'Explore all nine networks' }).click();
  await expect(page.locator('#rail')).toContainText('9 of 9');
});

test('an account gets a name where accounts are chosen', async ({ page }) => {
  await arrive(page);
  await page.goto('/settings/networks?choose=admob');
  await hydrated(page);
  await page.getByLabel('Your name for Account …2544').fill('Games EU');
  await accessible(page, 'the choice of accounts');
  await picture(page, 'networks-choose', '#choose');
  await page.getByRole('button', { name: 'Use these accounts' }).click();
  await expect(page.locator('#rail')).toContainText('Games EU');
});

test('what was read stays while the server is away, and what is asked then says so', async ({ page }) => {
  await arrive(page);
  await hydrated(page);
  const rail = page.getByRole('navigation', { name: 'Main' });
  await expect(rail).toContainText('1 of 9');
  await page.route('**/desk/**', (route) => route.abort('internetdisconnected'));
  await page.getByRole('link', { name: 'Runs' }).click();
  const note = page.getByRole('alert').filter({ hasText: 'can\'t reach the server' });
  await expect(note.getByRole('link', { name: 'Try again' })).toBeVisible();
  const bar = page.getByRole('region', { name: 'Connection' });
  await expect(bar).toContainText("You're offline");
  await rail.getByRole('switch', { name: 'Safe mode' }).click();
  await expect(page.getByText('can\'t reach the server').last()).toBeVisible();
  await expect(rail).toContainText('1 of 9');
  await accessible(page, 'a page without its server');
  await picture(page, 'server-away', 'h2');
  // The page tries again until the server answers.
  await page.unroute('**/desk/**');
  await expect(page.getByText('Back online')).toBeVisible();
  await expect(bar).toHaveCount(0);
  await note.getByRole('link', { name: 'Try again' }).click();
  await expect(page.getByText('No runs yet')).toBeVisible();
});

test('the theme follows the system until it is switched, and stays switched', async ({ page }) => {
  await signUp(page);
  await hydrated(page);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await paper();
  expect(dark).not.toBe(light);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: /light and dark/ }).click();
  expect(await paper()).toBe(dark);
  await page.reload();
  expect(await paper()).toBe(dark);
});

test('reduced motion means none', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/dev/ui');
  const moving = await page.evaluate(() =>
    document.getAnimations().filter((a) => Number(a.effect?.getComputedTiming().duration ?? 0) > 1).length);
  expect(moving).toBe(0);
});

test('sign-in, sign-up and an unknown address hold in every look', async ({ page }) => {
  await page.goto('/sign-in');
  await accessible(page, 'the sign-in page');
  await picture(page, 'sign-in');
  await page.goto('/sign-up');
  await accessible(page, 'the sign-up page');
  await signUpByForm(page);
  await page.goto('/runs');
  await accessible(page, 'the empty list of runs');
  await page.goto('/dev/ui');
  await accessible(page, 'the gallery');
});

test('on a phone the rail is a drawer that Escape closes', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await arrive(page);
  await hydrated(page);
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByRole('link', { name: /New chat/ })).toBeVisible();
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/drawer-phone.png` });
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: /New chat/ })).toBeHidden();
});

test('a session that ended leads to signing in and back', async ({ page, context }) => {
  const who = await arrive(page);
  await page.goto('/runs');
  await hydrated(page);
  // No page is open while the session ends: an open one would go to the sign-in page by itself at the same
  // time.
  await page.goto('about:blank');
  await context.clearCookies();
  await page.goto('/approvals?show=answered');
  await expect(page).toHaveURL(/\/sign-in\?return=/);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/approvals\?show=answered/);
});
