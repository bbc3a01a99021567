import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Violations of WCAG 2.2 AA and of axe's best practices, one line each; empty if there are none. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page })
    // One call instead of one for each frame and another in a page of its own: no screen has frames.
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
}
