import type { Locator, Page } from 'playwright-core';

/** Account actions on the page, shared by tests and measurements. */

export const password = 'a nightingale at noon';
let people = 0;

/** An email address that no test has used before. */
export function somebody(): string {
  people += 1;
  return `person-${people}@example.org`;
}

export const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true });

export const passwordField = (page: Page, label = 'Password'): Locator =>
  page.getByLabel(label, { exact: true }).and(page.locator('input'));

/** On the screen of the sign-in. */
export async function signUp(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'I’m new here' }).click();
  await page.getByLabel('Email address').fill(email);
  await passwordField(page).fill(password);
  await page.getByRole('checkbox', { name: /I agree to the Terms and Conditions/ }).check();
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Ends on the detection screen, signed in. */
export async function createAccount(page: Page, email: string): Promise<void> {
  await page.goto('/login');
  await signUp(page, email);
  await heading(page, 'Which bird was that?').waitFor();
}
