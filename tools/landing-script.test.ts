import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './process.ts';

const dist = join(root, 'apps/web/dist');
const budgetBytes = 121_000;

/** The scripts in the page's HTML and their static imports; not what they load later. */
function findFirstScripts(): ReadonlySet<string> {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const found = new Set<string>();
  const follow = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const text = readFileSync(join(dist, 'assets', name), 'utf8');
    for (const [, imported] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) if (imported) follow(imported);
  };
  for (const [, name] of html.matchAll(/(?:src|href)="\/assets\/([\w.-]+\.js)"/g)) if (name) follow(name);
  return found;
}

describe('The scripts of the built page', () => {
  it('request only scripts and style sheets that exist', () => {
    const scripts = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js'));
    const named = scripts.flatMap((name) => {
      const text = readFileSync(join(dist, 'assets', name), 'utf8');
      return [...text.matchAll(/["'`](assets\/[\w.-]+\.(?:js|css))["'`]/g)].flatMap(([, path]) => path ?? []);
    });
    expect(named.length).toBeGreaterThan(20);
    expect([...new Set(named)].filter((path) => !existsSync(join(dist, path)))).toEqual([]);
  });
});

describe('The script of the first page', () => {
  it('is at most 121 kB, gzipped', () => {
    const sizes = [...findFirstScripts()].map((name) => ({ name, bytes: statSync(join(dist, 'assets', `${name}.gz`)).size }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    const told = sizes.map(({ name, bytes }) => `${name} ${(bytes / 1000).toFixed(1)} kB`).join(', ');
    expect(total, `found: ${told}`).toBeGreaterThan(50_000);
    expect(total, `too much: ${told}`).toBeLessThanOrEqual(budgetBytes);
  });
});
