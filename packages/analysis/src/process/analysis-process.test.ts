import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { type Prediction, predictionSchema } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AnalysisInterrupted, PredictionError } from '../errors.ts';
import type { ServiceAnalyzeOptions, ServiceRequest } from '../service/analysis-service.ts';
import { descendants } from '../testing/descendants.ts';
import { ffmpegPath, modelFolderPath } from '../testing/installed.ts';
import { makeWav } from '../testing/make-wav.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { type AnalysisProcess, type AnalysisProcessOptions, startAnalysisProcess } from './start-analysis-process.ts';

const signal = new AbortController().signal;
const folder = temporaryFolder();

const options = (more: Partial<ServiceAnalyzeOptions> = {}): ServiceAnalyzeOptions => ({ signal, onEvidence: () => {}, ...more });
const started: AnalysisProcess[] = [];

function start(options: Partial<AnalysisProcessOptions> = {}): AnalysisProcess {
  const process = startAnalysisProcess({ modelFolderPath, ffmpegPath, dataDir: folder.path, workers: 1, ...options });
  started.push(process);
  return process;
}
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(started.splice(0).map((process) => process.close()));
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const kill = (analysis: AnalysisProcess, by: NodeJS.Signals): void => {
  if (analysis.pid === null) throw new Error('no process is there to be killed');
  process.kill(analysis.pid, by);
};

describe('The analysis process', () => {
  it('reports a missing model and decoder each time it loads, and refuses to analyse without them', async () => {
    const analysis = start({ modelFolderPath: join(folder.path, 'none'), ffmpegPath: '', searchPath: '' });
    const codes = ['MODEL_NOT_INSTALLED', 'DECODER_NOT_INSTALLED'];
    for (let look = 0; look < 2; look += 1) {
      expect(await analysis.load()).toMatchObject({ missing: codes.map((code) => ({ code, advice: expect.any(String) })) });
    }
    const asked = analysis.analyze({ path: '', fileName: null, id: 'one', createdAt: '' }, options());
    await expect(asked).rejects.toMatchObject({ name: 'PredictionError', code: 'MODEL_NOT_INSTALLED' });
  });

  it('carries out a short call again if it died during the call, but not if it was closed', async () => {
    const deaths: AnalysisInterrupted[] = [];
    const analysis = start({ modelFolderPath: join(folder.path, 'none'), onInterrupted: (death) => deaths.push(death) });
    await analysis.load();
    const first = analysis.pid;
    const asked = analysis.load();
    kill(analysis, 'SIGKILL');
    expect(await asked).toHaveProperty('missing');
    expect(analysis.pid).not.toBe(first);
    expect(deaths).toMatchObject([{ fromOutside: false }]);
    await analysis.close();
    await expect(analysis.load()).rejects.toMatchObject({ name: 'AnalysisInterrupted', fromOutside: true });
    expect(deaths).toHaveLength(1);
  });

  it.skipIf(process.platform === 'win32')('ignores SIGINT, SIGTERM and SIGHUP: its parent decides when it ends', async () => {
    const analysis = start();
    await analysis.load();
    const { pid } = analysis;
    for (const by of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) kill(analysis, by);
    await analysis.load();
    expect(analysis.pid).toBe(pid);
  });

  it.runIf(process.platform === 'linux')('gets the variables that Node needs from the environment, and no secrets', async () => {
    const kept = ['NODE_OPTIONS=--no-deprecation', 'MALLOC_ARENA_MAX=2'];
    const secret = ['NODE_AUTH_TOKEN=secret', 'IDENTITY_ADMIN_SECRET=secret', 'DATABASE_URL=secret'];
    for (const variable of [...kept, ...secret]) {
      const [name = '', value] = variable.split('=');
      vi.stubEnv(name, value);
    }
    const analysis = start({ modelFolderPath: join(folder.path, 'none') });
    await analysis.load();
    const environment = readFileSync(`/proc/${analysis.pid}/environ`, 'utf8').split('\0');
    expect(environment).toEqual(expect.arrayContaining(kept));
    expect(environment.filter((variable) => variable.endsWith('=secret'))).toEqual([]);
  });
});

describe('An analysis in the analysis process', () => {
  const request = (path: string): ServiceRequest => ({
    path,
    fileName: 'a.wav',
    id: 'one',
    createdAt: '2026-05-01T05:12:44.120Z',
  });
  const readAnswer = (answer: Uint8Array): Prediction => predictionSchema.parse(JSON.parse(inflateSync(answer).toString()));
  const withoutTimes = ({ timings: _, ...rest }: Prediction) => rest;

  it('returns the prediction as bytes to be sent and stored, after reports of its progress', async () => {
    const analysis = start();
    const fractions: (number | null)[] = [];
    const path = folder.write('a.wav', makeWav({ seconds: 20 }));
    const evidence: Uint8Array[] = [];
    const { prediction, json, answer } = await analysis.analyze(request(path), {
      signal,
      onEvidence: (part) => evidence.push(part),
      onProgress: ({ fraction }) => fractions.push(fraction),
    });
    expect(prediction).toMatchObject({ id: 'one', createdAt: '2026-05-01T05:12:44.120Z', detections: [] });
    expect(JSON.parse(Buffer.from(json).toString())).toEqual(JSON.parse(inflateSync(answer).toString()));
    expect(fractions.length).toBeGreaterThan(0);
    const again = await analysis.reconsider({ answer, parts: evidence }, { minScore: prediction.conditions.minScore });
    expect(withoutTimes(predictionSchema.parse(JSON.parse(Buffer.from(again.json).toString())))).toEqual(
      withoutTimes(readAnswer(answer)),
    );
    expect(readAnswer(again.answer)).toEqual(JSON.parse(Buffer.from(again.json).toString()));
  });

  it.skipIf(process.platform === 'win32')('warns of a decoder that had to be started again', async () => {
    const first = folder.write('first', '');
    const decoder = folder.write(
      'decoder',
      `#!/bin/sh\nif [ "$2" != -version ] && rm "${first}" 2>/dev/null; then kill -s KILL $$; fi\nexec "${ffmpegPath}" "$@"\n`,
    );
    chmodSync(decoder, 0o755);
    const warnings: string[] = [];
    const analysis = start({ ffmpegPath: decoder, onWarning: (sentence) => warnings.push(sentence) });
    const path = folder.write('low.wav', makeWav({ seconds: 4, sampleRate: 24_000 }));
    await analysis.analyze(request(path), options());
    expect(warnings).toEqual(['The decoder was ended by SIGKILL. It is tried again.']);
  });

  it.runIf(existsSync('/usr/bin/setpriv'))('ends the decoder that copies audio when the process is killed', async () => {
    const analysis = start();
    const path = folder.write('long.wav', makeWav({ seconds: 600, sample: () => 0 }));
    const target = join(folder.path, 'copy');
    const task = { path, target, channels: 1, durationSeconds: 600, urgency: 'idle' } as const;
    analysis.copySound(task, signal).catch(() => {});
    const decoder = await eventually(async () => {
      const found = (await descendants()).find(
        ({ command, commandLine }) => command.startsWith('ffmpeg') && commandLine.includes('fd/3'),
      );
      if (found === undefined) throw new Error('no decoder yet');
      return found.id;
    });
    // SIGSTOP keeps it from ending by itself.
    process.kill(decoder, 'SIGSTOP');
    kill(analysis, 'SIGKILL');
    try {
      await eventually(() => expect(existsSync(`/proc/${decoder}/exe`)).toBe(false));
    } finally {
      await analysis.close();
      if (existsSync(`/proc/${decoder}/exe`)) process.kill(decoder, 'SIGKILL');
    }
  });

  it('passes on an error of the operating system with its code', async () => {
    const task = { path: join(folder.path, 'none.wav'), target: join(folder.path, 'copy'), channels: 1, durationSeconds: 1 };
    await expect(start().copySound(task, signal)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('fails with the problem of its recording', async () => {
    const asked = start().analyze(request(folder.write('text.wav', 'no sound')), options());
    await expect(asked).rejects.toBeInstanceOf(PredictionError);
    await expect(asked).rejects.toMatchObject({ code: 'RECORDING_UNSUPPORTED' });
  });

  it('stops when it is cancelled', async () => {
    const analysis = start();
    const path = folder.write('long.wav', makeWav({ seconds: 600, sampleRate: 8000 }));
    const control = new AbortController();
    const reason = new Error('cancelled');
    const asked = analysis.analyze(request(path), options({ signal: control.signal, onProgress: () => control.abort(reason) }));
    await expect(asked).rejects.toBe(reason);
    expect((await descendants()).filter(({ command }) => command.startsWith('ffmpeg'))).toEqual([]);
  });

  it('does not begin when it is cancelled while the process is started again', async () => {
    const died = Promise.withResolvers<void>();
    const analysis = start({ onInterrupted: () => died.resolve() });
    await analysis.load();
    kill(analysis, 'SIGKILL');
    await died.promise;
    const control = new AbortController();
    const reason = new Error('cancelled');
    const path = folder.write('cancelled.wav', makeWav({ seconds: 3 }));
    const asked = analysis.analyze(request(path), options({ signal: control.signal }));
    control.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  it('resumes from its checkpoint when the process was killed, with the same evidence', async () => {
    const analysis = start({ workers: 2 });
    const path = folder.write('long.wav', makeWav({ seconds: 620, sampleRate: 8000 }));
    const checkpoint = { path: join(folder.path, 'checkpoint') };
    const evidence: { unbroken: Uint8Array[]; resumed: Uint8Array[] } = { unbroken: [], resumed: [] };
    const unbroken = await analysis.analyze(request(path), options({ onEvidence: (part) => evidence.unbroken.push(part) }));
    const onSaved = vi.fn(() => kill(analysis, 'SIGKILL'));
    const broken = analysis.analyze(request(path), options({ checkpoint: { ...checkpoint, onSaved } }));
    await expect(broken).rejects.toMatchObject({ name: 'AnalysisInterrupted', fromOutside: false });
    expect(readFileSync(checkpoint.path).length).toBeGreaterThan(0);
    const fractions: number[] = [];
    const resumed = await analysis.analyze(
      request(path),
      options({
        checkpoint,
        onProgress: ({ fraction }) => fractions.push(fraction ?? 0),
        onEvidence: (part) => evidence.resumed.push(part),
      }),
    );
    expect(fractions[0]).toBeGreaterThan(0.9);
    expect(withoutTimes(readAnswer(resumed.answer))).toEqual(withoutTimes(readAnswer(unbroken.answer)));
    expect(evidence.resumed.length).toBeGreaterThan(0);
    // Compared by hash: writing the difference of two large arrays would take minutes.
    expect(evidence.resumed.map(sha256)).toEqual(evidence.unbroken.map(sha256));
  }, 240_000);
});
