// Documents: saved from a chat, opened, edited, compared, restored, deleted; two who write at once; the phone; without script.
import { accessible, approve, ask, expect, hydrated, person, picture, signUp, test } from './support';

test('an answer is saved as a document, edited, compared, restored and found again', async ({ page }) => {
  await signUp(page);
  await page.goto('/library/documents');
  await hydrated(page);
  await expect(page.getByRole('heading', { name: 'No documents yet' })).toBeVisible();
  await accessible(page, 'documents, none of them');

  // Created by chat, approved, opened.
  await page.goto('/chat');
  await ask(page, 'What does eCPM mean?');
  const entry = await ask(page, 'Save this as a document in /words');
  const card = entry.locator('.approval');
  await expect(card).toContainText('Create the document “What does eCPM mean”');
  await accessible(page, 'the card of a document');
  await picture(page, 'document-card');
  await approve(card);
  await expect(entry.locator('.prose').last()).toContainText('I saved What does eCPM mean in /words');
  await entry.locator('.prose').last().getByRole('link', { name: 'What does eCPM mean' }).click();
  await expect(page).toHaveURL(/\/library\/documents\/[0-9a-f-]{36}$/);
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { name: 'What does eCPM mean', level: 2 })).toBeVisible();
  await expect(main.getByRole('navigation', { name: 'Folder' })).toContainText('words');
  await accessible(page, 'a document');
  await picture(page, 'document', '.page-head');

  // Edited, with what it will look like beside it.
  await main.getByRole('link', { name: 'Edit' }).click();
  const text = page.getByRole('textbox', { name: 'Text' });
  const before = await text.inputValue();
  await text.fill(`${before}\n\n## Our floors\n\n- US stays at **$9**`);
  await expect(page.getByRole('region', { name: 'Preview' }).getByText('Our floors')).toBeVisible();
  await accessible(page, 'the form of a document');
  await picture(page, 'document-edit', '.page-head');
  await page.getByRole('button', { name: 'Save as version 2' }).click();
  await expect(main.getByRole('heading', { name: 'Our floors' })).toBeVisible();
  await expect(main.getByText('Version 2', { exact: true }).first()).toBeVisible();

  // Its history: what changed since, and the way back.
  await main.getByText('Versions', { exact: true }).click();
  await main.getByRole('link', { name: 'Compare version 1' }).click();
  await expect(main.getByRole('heading', { name: 'From version 1 to version 2' })).toBeVisible();
  await expect(main.locator('.doc-compare .new').filter({ hasText: 'US stays at' })).toBeVisible();
  await accessible(page, 'two versions compared');
  await picture(page, 'document-compare', '.page-head');
  await main.getByRole('button', { name: 'Restore version 1' }).click();
  await expect(main.getByText('Version 3', { exact: true }).first()).toBeVisible();
  await expect(main.getByRole('heading', { name: 'Our floors' })).toHaveCount(0);

  // Found again, in the chat and by keyboard on the page.
  await page.goto('/chat');
  const found = await ask(page, 'What do we have on eCPM?');
  await expect(found.locator('.prose').last()).toContainText('1 document has “eCPM”');
  await page.goto('/library/documents');
  await hydrated(page);
  await page.getByRole('searchbox', { name: 'Search documents' }).fill('ecp');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=ecp/);
  await expect(main.getByText('1 document', { exact: true })).toBeVisible();
  await accessible(page, 'documents that a search found');

  // On the phone: read, moved to the trash, restored.
  await page.setViewportSize({ width: 390, height: 844 });
  await main.getByRole('link', { name: 'What does eCPM mean' }).click();
  await expect(main.getByRole('link', { name: 'Edit' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth), 'nothing is wider than the phone').toBeLessThanOrEqual(390);
  await accessible(page, 'a document on the phone');
  await picture(page, 'document-phone', '.page-head');
  await main.getByRole('button', { name: 'Document options' }).click();
  await main.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page).toHaveURL(/\/library\/documents$/);
  await expect(page.getByRole('heading', { name: 'No documents yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Trash' }).click();
  await expect(main.getByRole('listitem')).toContainText('What does eCPM mean');
  await accessible(page, 'the trash');
  await main.getByRole('button', { name: 'Restore What does eCPM mean' }).click();
  await expect(page).toHaveURL(/\/library\/documents\/[0-9a-f-]{36}$/);
  await expect(main.getByRole('link', { name: 'Edit' })).toBeVisible();
});

test('what someone else saved meanwhile is not overwritten unseen', async ({ page }) => {
  await signUp(page);
  const made = await page.request.post('/api/documents', { data: { title: 'Floors', text: 'US is $9.' } });
  const { id } = await made.json();
  await page.goto(`/library/documents/${id}?edit=1`);
  await hydrated(page);
  const document = { title: 'Floors', folder: '/', text: 'US is $14.' };
  const other = await page.request.put(`/api/documents/${id}`, { data: { version: 1, document } });
  expect(other.status(), await other.text()).toBe(200);
  await page.getByRole('textbox', { name: 'Text' }).fill('Mine.');
  await page.getByRole('button', { name: 'Save as version 2' }).click();
  await expect(page.getByRole('alert')).toContainText('Mara Kessler saved version 2 while you were editing version 1.');
  await expect(page.getByRole('alert')).toContainText('US is $14.');
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('Mine.');
  await accessible(page, 'a document that someone else saved');
  await picture(page, 'document-conflict', '.page-head');
  // Seen, and saved all the same.
  await page.getByRole('button', { name: 'Save as version 3' }).click();
  await expect(page.getByRole('article')).toHaveText('Mine.');
});

test('a document is written, searched and restored without JavaScript', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const who = person();
  await page.goto('/sign-up');
  await page.getByLabel('Name').fill(who.name);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.goto('/library/documents/new?folder=/floors');
  await page.getByRole('textbox', { name: 'Text' }).fill('US is **$9**.\n\nAsk Tomi.');
  await page.getByRole('button', { name: 'Create document' }).click();
  // Refused, with what was typed.
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('US is **$9**.\n\nAsk Tomi.');
  await expect(page.getByRole('textbox', { name: 'Folder' })).toHaveValue('/floors');
  await page.getByRole('textbox', { name: 'Title' }).fill('US floors');
  await page.getByRole('button', { name: 'Create document' }).click();
  await expect(page).toHaveURL(/\/library\/documents\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('article')).toContainText('US is $9.');
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('US is $14.');
  await page.getByRole('button', { name: 'Save as version 2' }).click();
  await expect(page.getByRole('article')).toContainText('US is $14.');
  await page.getByText('Versions', { exact: true }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await expect(page.getByRole('article')).toContainText('US is $9.');
  await page.goto('/library/documents');
  await page.getByRole('searchbox', { name: 'Search documents' }).fill('tomi');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(page.getByRole('main').getByRole('listitem')).toContainText('Ask Tomi.');
  await context.close();
});
