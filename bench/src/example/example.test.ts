import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readConfig } from '@chiffchaff/cli';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  drawExample,
  evidencePath,
  predictExample,
  readEvidence,
  recordingPath,
  type StoredExample,
  spectrogramPath,
  storedExampleSchema,
  storedPath,
} from './example.ts';

const rule = 'npm run example writes it anew';

describe('The stored example for the first page', () => {
  let stored: StoredExample;
  beforeAll(async () => {
    stored = storedExampleSchema.parse(JSON.parse(await readFile(storedPath, 'utf8')));
  });

  it('belongs to the recording that is stored with it', async () => {
    const bytes = await readFile(recordingPath);
    expect(bytes.length).toBeLessThan(200_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    for (const { recording } of Object.values(stored)) expect(recording.sha256, rule).toBe(sha256);
    expect(stored.en.verdict.sentence).toBe('Very likely a Killdeer.');
    expect(stored.de.candidates[0]?.commonName).toBe('Keilschwanz-Regenpfeifer');
  });

  it('has the same test results of the words of confidence as the present model', async () => {
    const { model, tested } = await readEvidence();
    expect(JSON.parse(await readFile(evidencePath, 'utf8')), rule).toEqual(tested.words);
    expect(stored.en.model, rule).toMatchObject(model);
  });

  it('equals the prediction and picture that the present recogniser makes', async () => {
    const { signal } = new AbortController();
    const config = readConfig(process.env, process.cwd());
    const now = await predictExample(config, signal);
    for (const language of ['en', 'de'] as const) {
      const [was, is] = [stored[language], now[language]];
      expect(was.verdict, rule).toEqual(is.verdict);
      expect(was.model.sha256, rule).toBe(is.model.sha256);
      const namesOf = ({ candidates }: typeof was) => candidates.slice(0, 3).map(({ scientificName }) => scientificName);
      expect(namesOf(was), rule).toEqual(namesOf(is));
      for (const [index, { confidence }] of is.candidates.entries())
        expect(Math.abs((was.candidates[index]?.confidence ?? 2) - confidence), rule).toBeLessThanOrEqual(0.005);
      expect(
        was.detections.map(({ scientificName, startSeconds }) => [scientificName, startSeconds]),
        rule,
      ).toEqual(is.detections.map(({ scientificName, startSeconds }) => [scientificName, startSeconds]));
    }
    const [kept, drawn] = [await readFile(spectrogramPath), await drawExample(config, signal)];
    // Decoders may round differently in the last bit, so compare the header and the size instead of the bytes.
    expect(kept.subarray(0, 33), rule).toEqual(drawn.subarray(0, 33));
    expect(Math.abs(kept.length - drawn.length) / kept.length, rule).toBeLessThan(0.02);
  });
});
