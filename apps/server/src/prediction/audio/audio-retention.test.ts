import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PredictionError } from '@chiffchaff/analysis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestRetention, detection, type TestRetention } from './testing/test-retention.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const signal = new AbortController().signal;
let keeping: TestRetention;

beforeEach(async () => {
  keeping = await createTestRetention();
});
afterEach(() => keeping?.close());

const keptOf = async (predictionId: string, accountId = 'owner') =>
  (await keeping.sounds.keptAudioOf(accountId, [predictionId])).get(predictionId) ?? null;

async function play(predictionId: string) {
  const { bytes, mediaType, read } = await keeping.sounds.play('owner', predictionId, signal);
  return { mediaType, content: await buffer(await read({ firstByte: 0, lastByte: bytes - 1 })) };
}

describe('The kept audio of a recording', () => {
  it('is its excerpts by default', async () => {
    const heard = await keeping.hear();
    await keeping.sounds.keepSound(heard);
    expect(await keptOf(heard.predictionId)).toEqual({
      kind: 'moments',
      keptUntil: '2026-05-31T06:00:00.000Z',
      moments: [{ startSeconds: 0, endSeconds: 6, offsetSeconds: 0 }],
    });
    await keeping.settled();
    expect(await keeping.files()).toEqual(['sound/moments', 'sound/moments.spectrum']);
    expect(existsSync(heard.uploadPath)).toBe(false);
    const { content, mediaType } = await play(heard.predictionId);
    expect(mediaType).toBe('audio/webm; codecs=opus');
    expect(content.toString('latin1', 0, 64)).toContain('webm');
    const [own = ''] = await readdir(keeping.folder);
    expect((await stat(join(keeping.folder, own, 'moments'))).mode & 0o777).toBe(0o600);
  });

  it('is nothing if that is requested, or if nothing was detected', async () => {
    for (const heard of [await keeping.hear({ keepAudio: 'nothing' }), await keeping.hear({ detections: [] })]) {
      await keeping.sounds.keepSound(heard);
      expect(await keptOf(heard.predictionId)).toBeNull();
      expect(existsSync(heard.uploadPath)).toBe(true);
      await expect(keeping.sounds.play('owner', heard.predictionId, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await keeping.files()).toEqual([]);
  });

  it('is what the account has set, unless the request says otherwise', async () => {
    await keeping.sounds.store.changeSetting('owner', 'recording');
    const [set, said] = [await keeping.hear(), await keeping.hear({ keepAudio: 'nothing' })];
    for (const heard of [set, said]) await keeping.sounds.keepSound(heard);
    expect(await keptOf(set.predictionId)).toEqual({ kind: 'recording', keptUntil: '2026-05-31T06:00:00.000Z' });
    expect(await keptOf(said.predictionId)).toBeNull();
  });

  it.each(['the request', 'the account'])(
    'is all of a recording under a minute and excerpts of a longer recording, if %s says so',
    async (who) => {
      if (who === 'the account') await keeping.sounds.store.changeSetting('owner', 'shortRecording');
      const hear = (seconds: number) =>
        keeping.hear({ wav: { seconds }, ...(who === 'the request' && { keepAudio: 'shortRecording' }) });
      const keptUntil = '2026-05-31T06:00:00.000Z';
      const short = await hear(10);
      const sent = await readFile(short.uploadPath);
      await keeping.sounds.keepSound(short);
      expect(await keptOf(short.predictionId)).toEqual({ kind: 'recording', keptUntil });
      await keeping.settled();
      expect((await play(short.predictionId)).content.equals(sent)).toBe(true);
      await keeping.sounds.forget('owner', short.predictionId);
      for (const seconds of [60, 70]) {
        const long = await hear(seconds);
        await keeping.sounds.keepSound(long);
        const moments = [{ startSeconds: 0, endSeconds: 6, offsetSeconds: 0 }];
        expect(await keptOf(long.predictionId)).toEqual({ kind: 'moments', keptUntil, moments });
        await keeping.settled();
        expect(await keeping.files()).toEqual(['sound/moments', 'sound/moments.spectrum']);
        await keeping.sounds.forget('owner', long.predictionId);
      }
    },
  );

  it('is the recording as it was sent, if every browser plays its format', async () => {
    const heard = await keeping.hear({ keepAudio: 'recording' });
    const sent = await readFile(heard.uploadPath);
    await keeping.sounds.keepSound(heard);
    await keeping.settled();
    const { content, mediaType } = await play(heard.predictionId);
    expect(mediaType).toBe('audio/wav');
    expect(content.equals(sent)).toBe(true);
    expect(await keeping.files()).toEqual(['sound/recording', 'sound/recording.spectrum']);
  });

  it.each([
    ['in a coding that browsers do not play', { codec: 'adpcm_ima_wav' }],
    ['in a container that may hold more than sound', { container: 'mp4', codec: 'aac' }],
    ['damaged', { truncated: true }],
    ['made by a trigger that left out quiet parts', { durationSeconds: 3600 }],
    ['of many channels', { channels: 3 }],
  ])('is a copy if the recording is %s', async (_what, recording) => {
    const { channels = 1 } = { channels: 1, ...recording };
    const heard = await keeping.hear({ keepAudio: 'recording', recording, wav: { channels } });
    await keeping.sounds.keepSound(heard);
    await keeping.settled();
    const { content, mediaType } = await play(heard.predictionId);
    expect(mediaType).toBe('audio/webm; codecs=opus');
    expect(content.toString('latin1', 0, 64)).toContain('webm');
  });

  it('belongs to one account, and is not found by another', async () => {
    const heard = await keeping.hear({ keepAudio: 'recording' });
    await keeping.sounds.keepSound(heard);
    expect(await keptOf(heard.predictionId, 'stranger')).toBeNull();
    await expect(keeping.sounds.play('stranger', heard.predictionId, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await keeping.sounds.forget('stranger', heard.predictionId);
    expect(await keptOf(heard.predictionId)).not.toBeNull();
  });

  it('cannot be prepared from a file that is not a recording; after an hour the file is removed, and the fault is logged', async () => {
    const heard = await keeping.hear({ keepAudio: 'recording', recording: { codec: 'other' } });
    await writeFile(heard.uploadPath, 'no sound');
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.settled();
    keeping.clock += 61 * minuteMs;
    await keeping.sounds.sweep();
    await expect.poll(() => keeping.files()).toEqual([]);
    await expect(keeping.sounds.play('owner', heard.predictionId, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(keeping.logged).toContainEqual(expect.objectContaining({ msg: 'the audio of a recording could not be prepared' }));
  });

  it.each([
    new PredictionError('RECORDING_TOO_DEMANDING', { found: 'WAV that takes too long to read' }),
    new PredictionError('RECORDING_DAMAGED', { container: 'WAV', why: 'the decoder crashed' }),
    new PredictionError('RECORDING_EMPTY', {}),
  ])('is prepared again, ever more rarely, if preparing fails with $code although the analysis succeeded', async (error) => {
    keeping.noDecoder = error;
    const heard = await keeping.hear();
    const failures = () => keeping.logged.filter(({ msg }) => msg === 'the audio of a recording could not be prepared').length;
    const sweepIn = async (minutes: number) => {
      keeping.clock += minutes * minuteMs;
      await keeping.sounds.sweep();
      await keeping.sounds.settled();
      return failures();
    };
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.settled();
    expect([await sweepIn(4), await sweepIn(3), await sweepIn(1)]).toEqual([2, 2, 3]);
    keeping.noDecoder = null;
    await sweepIn(8);
    expect(await keeping.files()).toEqual(['sound/moments', 'sound/moments.spectrum']);
  });

  it('is prepared again later if the decoder fails, for at most an hour', async () => {
    keeping.noDecoder = new PredictionError('DECODER_FAILED', {});
    const [first, second] = [await keeping.hear(), await keeping.hear()];
    const failures = () => keeping.logged.filter(({ msg }) => msg === 'the audio of a recording could not be prepared').length;
    await keeping.sounds.keepSound(first);
    await expect.poll(failures).toBe(1);
    expect(await keptOf(first.predictionId)).toMatchObject({ kind: 'moments' });
    keeping.noDecoder = null;
    await keeping.sounds.sweep();
    await keeping.settled();
    expect(await keeping.files()).toEqual(['sound/moments', 'sound/moments.spectrum']);
    keeping.noDecoder = new PredictionError('DECODER_FAILED', {});
    await keeping.sounds.keepSound(second);
    await expect.poll(failures).toBe(2);
    keeping.clock += 61 * minuteMs;
    await keeping.sounds.sweep();
    await expect.poll(() => keptOf(second.predictionId)).toBeNull();
    expect(failures()).toBe(3);
    expect(await keptOf(first.predictionId)).not.toBeNull();
  });
});

describe('A copy of a recording kept for half an hour to be played', () => {
  it('is the whole audio, and afterwards only the excerpts are left', async () => {
    const heard = await keeping.hear({ listeningCopy: true, recording: { codec: 'amr_nb' } });
    await keeping.sounds.keepSound(heard);
    expect(await keptOf(heard.predictionId)).toEqual({
      ...{ kind: 'recording', keptUntil: '2026-05-01T06:30:00.000Z' },
      momentsKeptUntil: '2026-05-31T06:00:00.000Z',
    });
    await keeping.settled();
    keeping.clock += 30 * minuteMs;
    // Not a moment longer, even before the sweep.
    expect(await keptOf(heard.predictionId)).toMatchObject({ kind: 'moments', keptUntil: '2026-05-31T06:00:00.000Z' });
    await keeping.sounds.sweep();
    expect(await keeping.files()).toEqual(['sound/moments', 'sound/moments.spectrum']);
    expect((await play(heard.predictionId)).mediaType).toBe('audio/webm; codecs=opus');
  });

  it('is also made if nothing is to be kept, and leaves nothing afterwards', async () => {
    const heard = await keeping.hear({ listeningCopy: true, keepAudio: 'nothing' });
    await keeping.sounds.keepSound(heard);
    expect(await keptOf(heard.predictionId)).toEqual({ kind: 'recording', keptUntil: '2026-05-01T06:30:00.000Z' });
    await keeping.settled();
    keeping.clock += 30 * minuteMs;
    await keeping.sounds.sweep();
    expect(await keptOf(heard.predictionId)).toBeNull();
    expect(await readdir(keeping.folder)).toEqual([]);
  });
});

describe('Removing kept audio', () => {
  it.each([
    ['kept as it was sent', {}],
    ['kept as a copy', { codec: 'amr_nb' }],
  ])('waits for excerpts of a recording %s that were not yet made when the server stopped', async (_what, recording) => {
    const heard = await keeping.hear({ listeningCopy: true, recording });
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.close();
    await keeping.restart();
    keeping.clock += 31 * minuteMs;
    await keeping.sounds.sweep();
    expect(await keptOf(heard.predictionId)).toMatchObject({ kind: 'moments', keptUntil: '2026-05-31T06:00:00.000Z' });
    await keeping.settled();
    expect(await keeping.files()).toEqual(['sound/moments', 'sound/moments.spectrum']);
  });

  it('happens at the promised time, although the server was killed before', async () => {
    const heard = await keeping.hear({ keepAudio: 'recording' });
    await keeping.sounds.keepSound(heard);
    await keeping.settled();
    keeping.clock += 30 * dayMs - 1;
    await keeping.restart();
    await keeping.sounds.sweep();
    expect(await keeping.files()).toHaveLength(2);
    keeping.clock += 1;
    await keeping.restart();
    await keeping.sounds.sweep();
    expect(await readdir(keeping.folder)).toEqual([]);
    expect(await keeping.database.query.selectFrom('keptSounds').selectAll().execute()).toEqual([]);
  });

  it('includes rows of the database whose files are missing, unless the files can be made again', async () => {
    const heard = await keeping.hear({ keepAudio: 'recording' });
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.settled();
    const [own = ''] = await readdir(keeping.folder);
    const lookAgain = async () => {
      keeping.clock += 2 * minuteMs;
      await keeping.sounds.prepareAgain([own]);
      await keeping.sounds.sweep();
    };
    await rm(join(keeping.folder, own, 'recording.spectrum'));
    await lookAgain();
    await keeping.sounds.settled();
    expect(await keeping.files()).toEqual(['sound/recording', 'sound/recording.spectrum']);
    await rm(join(keeping.folder, own), { recursive: true });
    await lookAgain();
    expect(await keptOf(heard.predictionId)).toBeNull();
  });

  it('reads only rows of audio that is due or unfinished', async () => {
    const heard = await keeping.hear();
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.settled();
    const [own = ''] = await readdir(keeping.folder);
    await rm(join(keeping.folder, own), { recursive: true });
    keeping.clock += 2 * minuteMs;
    await keeping.sounds.sweep();
    expect(await keptOf(heard.predictionId)).toMatchObject({ kind: 'moments' });
  });

  it('spares audio that a killed process had prepared but not marked as prepared, and marks it', async () => {
    const heard = await keeping.hear();
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.settled();
    const { query } = keeping.database;
    await keeping.database.change({}, (step) => step.updateTable('keptSounds').set({ preparedAtMs: null }).execute());
    await keeping.restart();
    await keeping.sounds.sweep();
    expect(await query.selectFrom('keptSounds').select('preparedAtMs').execute()).toEqual([{ preparedAtMs: keeping.clock }]);
    expect(await keeping.files()).toEqual(['sound/moments', 'sound/moments.spectrum']);
  });

  it('includes audio that is still being made, and can be requested twice', async () => {
    const heard = await keeping.hear({ keepAudio: 'recording', wav: { seconds: 60 }, recording: { codec: 'other' } });
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.forget('owner', heard.predictionId);
    await keeping.sounds.forget('owner', heard.predictionId);
    expect(await readdir(keeping.folder)).toEqual([]);
    expect(await keptOf(heard.predictionId)).toBeNull();
    expect(keeping.logged).toEqual([]);
  });

  it('of an account includes its setting of what to keep, and touches nothing of another account', async () => {
    await keeping.sounds.store.changeSetting('owner', 'recording');
    await keeping.sounds.store.changeSetting('stranger', 'recording');
    const [own, foreign] = [await keeping.hear(), await keeping.hear({ accountId: 'stranger' })];
    for (const heard of [own, foreign]) await keeping.sounds.keepSound(heard);
    await keeping.sounds.forgetAccount('owner');
    expect(await keptOf(own.predictionId)).toBeNull();
    expect(await keptOf(foreign.predictionId, 'stranger')).not.toBeNull();
    expect(await keeping.sounds.store.settingOf('owner')).toBe('moments');
    expect(await keeping.sounds.store.settingOf('stranger')).toBe('recording');
    expect(await readdir(keeping.folder)).toHaveLength(1);
  });

  it('of an account can be limited to what was kept until a given time', async () => {
    const [early, late] = [await keeping.hear(), await keeping.hear()];
    await keeping.sounds.keepSound(early);
    const until = keeping.clock;
    keeping.clock += 1;
    await keeping.sounds.keepSound(late);
    await keeping.sounds.store.changeSetting('owner', 'nothing');
    await keeping.sounds.forgetAccount('owner', until);
    expect(await keptOf(early.predictionId)).toBeNull();
    expect(await keptOf(late.predictionId)).not.toBeNull();
    expect(await keeping.sounds.store.settingOf('owner')).toBe('nothing');
  });
});

describe('Kept audio whose preparation a crash interrupted', () => {
  it('is prepared at the next start', async () => {
    const heard = await keeping.hear({ keepAudio: 'recording', recording: { codec: 'other' } });
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.close();
    expect((await keeping.files()).some((name) => name === 'sound/recording')).toBe(false);
    await keeping.restart();
    await keeping.sounds.sweep();
    await keeping.settled();
    expect(await keeping.files()).toEqual(['sound/recording', 'sound/recording.spectrum']);
  });

  it('is prepared when the recording is passed again, whether its file had been moved before the crash or not', async () => {
    const heard = await keeping.hear({ keepAudio: 'recording' });
    const upload = await readFile(heard.uploadPath);
    await keeping.sounds.keepSound(heard);
    await keeping.settled();
    await keeping.restart();
    await keeping.sounds.keepSound(heard);
    // As if killed between the row and the file.
    const [own = ''] = await readdir(keeping.folder);
    await rm(join(keeping.folder, own), { recursive: true });
    await writeFile(heard.uploadPath, upload);
    await keeping.restart();
    await keeping.sounds.keepSound(heard);
    await keeping.settled();
    expect((await play(heard.predictionId)).content.equals(upload)).toBe(true);
  });
});

describe('While kept audio is being prepared,', () => {
  it('a request for it waits some seconds, then is answered SOUND_NOT_READY with when to try again', async () => {
    const impatient = await createTestRetention(50);
    const heard = await impatient.hear({ keepAudio: 'recording', wav: { seconds: 120 }, recording: { codec: 'other' } });
    await impatient.sounds.keepSound(heard);
    await expect(impatient.sounds.play('owner', heard.predictionId, signal)).rejects.toMatchObject({
      code: 'SOUND_NOT_READY',
      details: { retryAfterSeconds: 2 },
    });
    await impatient.close();
  });

  it('its excerpts are listed as several stretches of the recording in one file', async () => {
    const heard = await keeping.hear({ wav: { seconds: 40 }, detections: [detection(5, 8), detection(30, 33, 0.5)] });
    await keeping.sounds.keepSound(heard);
    expect((await keptOf(heard.predictionId))?.moments).toEqual([
      { startSeconds: 3, endSeconds: 10, offsetSeconds: 0 },
      { startSeconds: 28, endSeconds: 35, offsetSeconds: 7 },
    ]);
  });
});

describe('Audio kept by a server whose clock was wrong', () => {
  const startMs = Date.parse('2026-05-01T06:00:00Z');
  const setClock = async (days: number) => {
    keeping.clock = startMs + days * dayMs;
    await keeping.sounds.sweep();
  };
  const keptDays = async (predictionId: string) => {
    const kept = await keptOf(predictionId);
    return kept && Math.round((Date.parse(kept.keptUntil) - startMs) / dayMs);
  };

  it.each([
    ['60 days behind', -60],
    ['8 years ahead', 3000],
  ])('(%s) is kept for its whole time once the clock is right', async (_what, wrongByDays) => {
    await setClock(wrongByDays);
    const heard = await keeping.hear({ keepAudio: 'recording' });
    await keeping.sounds.keepSound(heard);
    await keeping.settled();
    await setClock(wrongByDays + 0.1);
    await setClock(0.2);
    expect(await keptDays(heard.predictionId)).toBe(30);
    for (let day = 1; day < 30; day += 1) await setClock(day);
    expect(await keeping.files()).toEqual(['sound/recording', 'sound/recording.spectrum']);
    for (let day = 30; day < 32; day += 1) await setClock(day);
    expect(await readdir(keeping.folder)).toEqual([]);
  });

  it('is kept for its whole time if the clock was right when it was made, and wrong later', async () => {
    await setClock(0);
    const heard = await keeping.hear({ keepAudio: 'recording' });
    await keeping.sounds.keepSound(heard);
    await keeping.settled();
    for (const days of [-60, 0.001]) await setClock(days);
    await keeping.restart();
    for (const days of [400, 0.002]) await setClock(days);
    expect(await keptDays(heard.predictionId)).toBe(30);
    const msg = 'no server ran, or the clock was changed; the end of all kept audio moved by as many days';
    expect(keeping.logged.filter(({ days }) => days !== undefined)).toMatchObject(
      [-60, 60, 400, -400].map((days) => ({ days, msg })),
    );
  });

  it('and not prepared yet is prepared once the clock is right, even if the first attempt fails then', async () => {
    await setClock(-60);
    keeping.noDecoder = new PredictionError('DECODER_FAILED', {});
    const heard = await keeping.hear();
    await keeping.sounds.keepSound(heard);
    await keeping.sounds.settled();
    await setClock(0);
    await keeping.sounds.settled();
    keeping.noDecoder = null;
    await setClock(0.001);
    await keeping.settled();
    expect(await keeping.files()).toEqual(['sound/moments', 'sound/moments.spectrum']);
  });

  it('is kept longer by the time in which no server ran, if that was more than a day', async () => {
    await setClock(0);
    const heard = await keeping.hear({ keepAudio: 'recording' });
    await keeping.sounds.keepSound(heard);
    await keeping.settled();
    await setClock(1);
    expect(await keptDays(heard.predictionId)).toBe(30);
    await keeping.restart();
    await setClock(41);
    expect(await keptDays(heard.predictionId)).toBe(70);
  });
});
