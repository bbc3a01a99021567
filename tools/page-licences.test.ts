import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './process.ts';

/** What runs in the page: its direct dependencies, and some of their dependencies that are certainly in the build. */
const dependencies = Object.keys(JSON.parse(readFileSync(join(root, 'apps/web/package.json'), 'utf8')).dependencies)
  .filter((name) => !name.startsWith('@chiffchaff/'))
  .concat('@litertjs/core', 'scheduler', '@tanstack/query-core', 'workbox-precaching', 'workbox-core');

describe('The notices that the built page links to', () => {
  const notices = readFileSync(join(root, 'apps/web/dist/third-party-notices.txt'), 'utf8');
  const sections = new Map(
    notices
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split(/ \d|\n/, 1)[0] ?? '', section] as const),
  );

  it.each(dependencies)('contain the licence of %s, word for word', (name) => {
    const text = sections.get(name) ?? '';
    expect(text).toMatch(
      /Permission is hereby granted|Permission to use, copy|Redistribution and use|SIL OPEN FONT LICENSE|Apache License|Mozilla Public License Version 2\.0/i,
    );
    expect(text).toMatch(/copyright/i);
  });

  it('begin with the text of THIRD_PARTY_NOTICES.md', () => {
    expect(notices.startsWith(readFileSync(join(root, 'THIRD_PARTY_NOTICES.md'), 'utf8'))).toBe(true);
  });
});
