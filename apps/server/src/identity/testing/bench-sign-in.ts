import { startIdentityServer } from './identity-server.ts';

/**
 * Prints how long a refused sign-in takes for a known and for an unknown address, alternately and with full hashing: the medians should be
 * equal. `node bench-sign-in.ts [rounds]`
 */
const rounds = Number(process.argv[2] ?? 200);
const server = await startIdentityServer({ options: { passwords: {} } });
await server.post('/v1/accounts:signUp', { email: 'known@example.org', password: 'correct horse' });

async function measure(email: string): Promise<number> {
  const begin = performance.now();
  await server.post('/v1/accounts:signInWithPassword', { email, password: 'wrong horse' });
  return performance.now() - begin;
}

const known: number[] = [];
const unknown: number[] = [];
for (let round = 0; round < rounds; round++) {
  known.push(await measure('known@example.org'));
  unknown.push(await measure(`nobody-${round}@example.org`));
}
const at = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]?.toFixed(2);
for (const [name, values] of [
  ['known', known],
  ['unknown', unknown],
] as const) {
  process.stdout.write(
    `${name}: median ${at(values, 0.5)} ms, 90th percentile ${at(values, 0.9)} ms (${values.length} refused sign-ins)\n`,
  );
}
await server.close();
