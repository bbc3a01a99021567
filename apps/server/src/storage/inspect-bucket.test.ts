import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { abortsUploads } from './inspect-bucket.ts';

let server: Server | null = null;
afterEach(async () => {
  server?.close();
  server = null;
});

const ruleOf = (inner: string) => `<Rule><Status>Enabled</Status>${inner}</Rule>`;
const ABORTS = '<AbortIncompleteMultipartUpload><DaysAfterInitiation>2</DaysAfterInitiation></AbortIncompleteMultipartUpload>';
const within = (prefix: string) => `<Filter><Prefix>${prefix}</Prefix></Filter>`;

/** Looks at a bucket that answers what is asked about its rules so, and has no objects. */
async function look(status: number, body: string, headStatus = 404) {
  server = createServer((request, response) => {
    const isRules = request.url?.includes('lifecycle') === true;
    response.writeHead(isRules ? status : headStatus, { 'content-type': 'application/xml' });
    response.end(isRules ? body : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return abortsUploads({
    address: { bucket: 'birds', prefix: 'chiffchaff' },
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
}
const configured = (...rules: string[]) => `<LifecycleConfiguration>${rules.join('')}</LifecycleConfiguration>`;
const problem = (code: string) => `<Error><Code>${code}</Code></Error>`;

describe('Whether a bucket aborts unfinished uploads', () => {
  it.each([
    ['for all objects', ruleOf(`${within('')}${ABORTS}`), true],
    ['for objects with our prefix', ruleOf(`${within('chiff')}${ABORTS}`), true],
    ['for objects with another prefix', ruleOf(`${within('photos')}${ABORTS}`), false],
    ['that only deletes old objects', ruleOf(`${within('')}<Expiration><Days>9</Days></Expiration>`), false],
    ['that is disabled', ruleOf(`${within('')}${ABORTS}`).replace('Enabled', 'Disabled'), false],
  ])('is told by a rule %s', async (_which, rule, aborts) => {
    expect(await look(200, configured(rule))).toBe(aborts);
  });

  it('is denied by a bucket without rules', async () => {
    expect(await look(404, problem('NoSuchLifecycleConfiguration'))).toBe(false);
  });

  it('is not known where rules may not be read', async () => {
    expect(await look(403, problem('AccessDenied'))).toBeNull();
  });

  it('is not answered for a bucket that cannot be read', async () => {
    await expect(look(200, configured(), 403)).rejects.toMatchObject({ name: 'StorageError' });
  });
});
