import type { Locator, Page } from 'playwright-core';
import type { StartedServer } from './server.ts';

/** Account actions on the page, shared by all tests. */

export const password = 'a nightingale at noon';
let people = 0;

/** An email address that no test has used before. */
export function somebody(): string {
  people += 1;
  return `person-${people}@example.org`;
}

export const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true });

/** An item of the toolbar. */
export const item = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name, exact: true });

export const passwordField = (page: Page, label = 'Password'): Locator =>
  page.getByLabel(label, { exact: true }).and(page.locator('input'));

export const storedKeys = (page: Page): Promise<string[]> => page.evaluate(() => Object.keys(window.localStorage).toSorted());

/** Ends on the detection screen, signed in. */
export async function createAccount(page: Page, email: string): Promise<void> {
  await page.goto('/login');
  await page.getByRole('button', { name: 'I’m new here' }).click();
  await page.getByLabel('Email address').fill(email);
  await passwordField(page).fill(password);
  await page.getByRole('checkbox', { name: /I agree to the Terms and Conditions/ }).check();
  await page.getByRole('button', { name: 'Create account' }).click();
  await heading(page, 'Which bird was that?').waitFor();
}

/** Fills in and submits the form of the login screen. */
export async function signIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await passwordField(page).fill(word);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

interface Mailbox {
  readonly oobCodes: readonly { readonly email: string; readonly requestType: string; readonly oobLink: string }[];
}

/** The link in the newest mail of this type to an address. The server responds once pending mails have been written. */
export async function linkIn(server: StartedServer, email: string, requestType: string): Promise<string> {
  const { oobCodes }: Mailbox = await (await fetch(`${server.origin}/dev/oob-codes`)).json();
  const mail = oobCodes.findLast((found) => found.email === email && found.requestType === requestType);
  if (!mail) throw new Error(`There is no mail of the kind ${requestType} to ${email}`);
  return mail.oobLink;
}
