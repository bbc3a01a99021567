import { beforeEach, expect, it, vi } from 'vitest';
import { fakeFolder } from '../../testing/fake-folder.ts';
import { namesIn } from '../storage/registry.ts';
import { openRecorder } from './recorder.ts';
import { deleteSession, deleteSessionsOf, listSessions, lockOf, readSamples, readSession, sessionIdOf } from './sessions.ts';
import { firstHeader, toPcm } from './wave-file.ts';

const [morning, noon] = ['2026-05-01T05:12:44.120Z', '2026-05-01T12:00:00.000Z'].map((at) => new Date(at)) as [Date, Date];
const sound = (seconds: number) => new Blob([firstHeader(48_000), toPcm(new Float32Array(seconds * 48_000))]);
const notes = { sampleRate: 48_000, place: { kind: 'clock' }, gaps: [{ atSeconds: 1, missingSeconds: 7 }], played: [] };

let held: string[];
let requested: string[];
/** When locks that are requested are granted. */
let released: Promise<void>;
const store = (recordings: Parameters<typeof fakeFolder>[0]) => {
  const root = fakeFolder({ recordings });
  vi.stubGlobal('navigator', {
    storage: { getDirectory: async () => root.handle },
    locks: {
      query: async () => ({ held: held.map((name) => ({ name })) }),
      request: async (name: string, work: () => unknown) => {
        requested.push(name);
        await released;
        return work();
      },
    },
  });
  return root;
};
beforeEach(() => {
  held = [];
  requested = [];
  released = Promise.resolve();
});
const ids = async () => (await listSessions()).map(({ id }) => id);
/** As the page does when an account signs in. */
const signIn = (localId: string) => window.localStorage.setItem('userId', localId);

it('The list of recorded sessions contains all sessions of this device, newest first', async () => {
  store({
    [sessionIdOf(morning)]: { 'sound.wav': sound(2), 'notes.json': new Blob([JSON.stringify(notes)]) },
    [sessionIdOf(noon)]: { 'sound.wav': sound(1) },
    'of another program': {},
  });
  expect(await listSessions()).toMatchObject([
    { startedAt: noon, durationSeconds: 1, place: null, gaps: [] },
    { startedAt: morning, durationSeconds: 2, place: { kind: 'clock' }, gaps: [{ atSeconds: 1, missingSeconds: 7 }] },
  ]);
});

it('The list of recorded sessions omits sessions that another tab is recording, and removes empty ones', async () => {
  const root = store({ [sessionIdOf(morning)]: { 'sound.wav': sound(2) }, [sessionIdOf(noon)]: { 'sound.wav': sound(0) } });
  held = [lockOf(sessionIdOf(morning))];
  expect(await listSessions()).toEqual([]);
  expect(root.names('recordings')).toEqual([sessionIdOf(morning)]);
});

it('A recorded session is read without a place if the file with its place was cut off', async () => {
  const id = sessionIdOf(morning);
  store({ [id]: { 'sound.wav': sound(2), 'notes.json': new Blob(['{"place":']) } });
  const { session, file } = await readSession(id);
  expect(session).toMatchObject({ durationSeconds: 2, place: null });
  expect(file.name).toMatch(/^2026-0[45]-\d\d \d\d-\d\d-44\.wav$/);
  expect(file.type).toBe('audio/wav');
});

it('A recorded session is read with silence where the device itself played a sound', async () => {
  const id = sessionIdOf(morning);
  const loud = new Blob([firstHeader(48_000), toPcm(new Float32Array(12 * 48_000).fill(0.5))]);
  const played = { ...notes, played: [{ startSeconds: 9.5, endSeconds: 10.5 }] };
  store({ [id]: { 'sound.wav': loud, 'notes.json': new Blob([JSON.stringify(played)]) } });
  const pieces: Float32Array[] = [];
  for await (const piece of readSamples(id)) pieces.push(piece);
  const samples = pieces.flatMap((piece) => [...piece]);
  expect(samples).toHaveLength(12 * 48_000);
  const silent = samples.flatMap((sample, index) => (sample === 0 ? [index / 48_000] : []));
  expect([silent[0], silent.length]).toEqual([9.5, 48_000]);
});

it('A recorded session can be deleted from the device', async () => {
  const id = sessionIdOf(morning);
  const root = store({ [id]: { 'sound.wav': sound(2) } });
  await deleteSession(id);
  expect(root.names('recordings')).toEqual([]);
  await expect(readSession(id)).rejects.toThrow();
});

it('The list of recorded sessions is empty if the browser cannot store files', async () => {
  vi.stubGlobal('navigator', {});
  expect(await listSessions()).toEqual([]);
});

it('The list of recorded sessions contains those of the device and of the account that is signed in, not of other accounts', async () => {
  const [ofDevice, ofAda, ofBen] = [sessionIdOf(morning), sessionIdOf(noon, 'ada'), sessionIdOf(noon, 'ben')];
  const notesOf = (text: string) => ({ 'sound.wav': sound(1), 'notes.json': new Blob([text]) });
  store({
    [ofDevice]: notesOf('{}'),
    [ofAda]: notesOf(JSON.stringify({ ...notes, place: { kind: 'place', latitude: 50.8, longitude: 12.9, name: 'Chemnitz' } })),
    // Cut off: what follows a killed tab still has its owner.
    [ofBen]: notesOf('{"place":'),
  });
  expect(await ids()).toEqual([ofDevice]);
  signIn('ada');
  expect(await ids()).toEqual([ofAda, ofDevice]);
  signIn('ben');
  expect(await ids()).toEqual([ofBen, ofDevice]);
  signIn('be');
  expect(await ids()).toEqual([ofDevice]);
  window.localStorage.removeItem('userId');
  expect(await ids()).toEqual([ofDevice]);
});

it.each([null, 'ada', 'a@b/c'])(
  'A recorded session belongs to the account that was signed in when it began, or to the device: %j',
  async (owner) => {
    const root = store({});
    if (owner !== null) signIn(owner);
    const worker = { postMessage: vi.fn(), addEventListener: vi.fn(), terminate: vi.fn() };
    const { id } = openRecorder(morning, 48_000, worker);
    window.localStorage.removeItem('userId');
    expect(worker.postMessage.mock.calls[0]?.[0]).toMatchObject({ kind: 'open', id });
    const folder = await root.handle.getDirectoryHandle('recordings');
    await folder.getDirectoryHandle(id, { create: true });
    expect(await namesIn('recordings', owner)).toEqual([id]);
    expect(await namesIn('recordings', owner === null ? 'ada' : null)).toEqual([]);
  },
);

it('Deleting the recorded sessions of an account waits until no tab records them, and leaves all others', async () => {
  const [first, second] = [sessionIdOf(morning, 'ada'), sessionIdOf(noon, 'ada')];
  const others = [sessionIdOf(morning), sessionIdOf(morning, 'ben')];
  const root = store(Object.fromEntries([first, second, ...others].map((id) => [id, { 'sound.wav': sound(1) }])));
  const { promise, resolve } = Promise.withResolvers<void>();
  released = promise;
  const deleted = deleteSessionsOf('ada');
  expect(root.names('recordings')).toHaveLength(4);
  resolve();
  await deleted;
  expect(requested).toContain(lockOf(first));
  expect(root.names('recordings')).toEqual(others);
});
