import type { Page } from 'playwright-core';
import { heading } from './people.ts';

/** Opens the screen for choosing recordings and installs the model; from then on recordings are analysed on this device. */
export async function openWithModel(page: Page): Promise<void> {
  await page.goto('/process');
  await heading(page, 'Which bird was that?').waitFor();
  await page.getByText('Options', { exact: true }).click();
  await page.getByRole('radio', { name: 'On this device' }).check();
  await page.getByRole('button', { name: /^Download/ }).click();
  await page.getByText('It’s analysed on this device.').waitFor();
}

export const chooseFiles = (page: Page, files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]): Promise<void> =>
  page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(files);
