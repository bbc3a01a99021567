import { password, passwordField } from '@chiffchaff/bench/harness/people';
import type { StartedServer } from '@chiffchaff/bench/harness/server';
import type { Locator, Page } from 'playwright-core';

/** Account actions that several stories take. */

/** An item of the toolbar. */
export const item = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name, exact: true });

export const storedKeys = (page: Page): Promise<string[]> => page.evaluate(() => Object.keys(window.localStorage).toSorted());

/** Chooses the language of the page in the menu. */
export async function chooseLanguage(page: Page, code: string): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByLabel('Language').selectOption(code);
  await page.keyboard.press('Escape');
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
