import { runCrashes } from '@chiffchaff/bench/crash';
import { describe, expect, it } from 'vitest';

describe('Killing the server with kill -9', () => {
  // `npm run trial -- crash` runs longer.
  it('loses no acknowledged prediction, stores none twice, and leaves no uploaded files behind', async () => {
    const said: string[] = [];
    const report = await runCrashes({ kills: 5, seed: 1, say: (line) => said.push(line) });
    expect(report.faults, said.join('\n')).toEqual([]);
    expect(report.untried).toEqual([]);
  }, 300_000);
});
