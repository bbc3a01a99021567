import type { Locator, Page } from 'playwright-core';

/** What people do on the page, shared by tests and measurements. */

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

/** Opens the screen for choosing recordings and installs the model; from then on recordings are analysed on this device. */
export async function openWithModel(page: Page): Promise<void> {
  await page.goto('/process');
  await heading(page, 'Which bird was that?').waitFor();
  await page.getByText('Options', { exact: true }).click();
  await page.getByRole('radio', { name: 'On this device' }).check();
  await page.getByRole('button', { name: /^Download/ }).click();
  await page.getByText('It’s analysed on this device.').waitFor();
}

export const chooseFiles = (page: Page, files: Parameters<Locator['setInputFiles']>[0]): Promise<void> =>
  page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(files);
