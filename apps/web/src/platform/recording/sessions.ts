import type { BirdReview } from '@chiffchaff/contract';
import { WAVE_HEADER_BYTES } from '@chiffchaff/recognizer/audio';
import { localTime, type Span } from '../format/format.ts';
import type { DeviceAnswer } from '../on-device/device-recognizer.ts';
import type { DevicePlace } from '../storage/device-place.ts';
import { accountHere, namesIn, openFolder, ownerMark } from '../storage/registry.ts';
import { NOTES_FILE, SOUND_FILE } from './recorder-messages.ts';
import { BYTES_PER_SAMPLE, fromPcm, wholeWave } from './wave-file.ts';

/* Recorded sessions, each a folder on this device: of the account that was signed in when it began, or else of the device itself. */

/** What is known of a recorded session besides its audio. */
export interface SessionNotes {
  readonly sampleRate: number;
  readonly place: DevicePlace | null;
  /** Where sound is missing, and for how long. Short gaps are silent in the audio; long ones are left out of it. */
  readonly gaps: readonly { readonly atSeconds: number; readonly missingSeconds: number }[];
  /** When the device itself played audio; recognition skips these spans. */
  readonly played: readonly Span[];
  /** What the person said of its birds while they sang. */
  readonly reviews: readonly BirdReview[];
  /** Made while it was recorded; null if everything has to be analysed. */
  readonly answer: Pick<DeviceAnswer, 'prediction' | 'speech'> | null;
}

export interface RecordedSession extends SessionNotes {
  /** Name of its folder. */
  readonly id: string;
  readonly startedAt: Date;
  readonly durationSeconds: number;
  readonly sizeBytes: number;
}

const DEFAULT_SAMPLE_RATE = 48_000;

/** `20260501T051244120Z`, or `20260501T051244120Z@u1` for an account: sorts by time, and is a valid folder name on every system. */
export const sessionIdOf = (startedAt: Date, owner: string | null = null): string =>
  startedAt.toISOString().replaceAll(/[-:.]/g, '') + ownerMark(owner);

function startOf(id: string): Date | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z(?:@|$)/.exec(id);
  if (!parts) return null;
  const [, year, month, day, hour, minute, second, ms] = parts;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/** Web Lock that the recording tab holds for its lifetime. */
export const lockOf = (id: string): string => `recording ${id}`;

/** Reads the notes; if a killed tab left them half written, falls back to empty ones, since the audio is still good. */
async function readNotes(folder: FileSystemDirectoryHandle): Promise<SessionNotes> {
  const empty: SessionNotes = { sampleRate: DEFAULT_SAMPLE_RATE, place: null, gaps: [], played: [], reviews: [], answer: null };
  try {
    const file = await (await folder.getFileHandle(NOTES_FILE)).getFile();
    return { ...empty, ...JSON.parse(await file.text()) };
  } catch {
    return empty;
  }
}

async function readSound(id: string): Promise<{ readonly folder: FileSystemDirectoryHandle; readonly written: File }> {
  const folder = await (await openFolder('recordings')).getDirectoryHandle(id);
  return { folder, written: await (await folder.getFileHandle(SOUND_FILE)).getFile() };
}

async function describe(id: string, startedAt: Date): Promise<RecordedSession> {
  const { folder, written } = await readSound(id);
  const notes = await readNotes(folder);
  const samples = Math.floor(Math.max(0, written.size - WAVE_HEADER_BYTES) / BYTES_PER_SAMPLE);
  return { ...notes, id, startedAt, durationSeconds: samples / notes.sampleRate, sizeBytes: written.size };
}

/** Ended ones of the device and the signed-in account, newest first, without those that another tab records. Deletes empty ones. */
export async function listSessions(): Promise<readonly RecordedSession[]> {
  const account = accountHere();
  const ids = [...(await namesIn('recordings', null)), ...(account === null ? [] : await namesIn('recordings', account))];
  if (ids.length === 0) return [];
  const { held = [] } = await navigator.locks.query();
  const recorded = new Set(held.map(({ name }) => name));
  const sessions: RecordedSession[] = [];
  for (const id of ids) {
    const startedAt = startOf(id);
    if (startedAt === null || recorded.has(lockOf(id))) continue;
    const session = await describe(id, startedAt).catch(() => null);
    if (session === null || session.durationSeconds === 0) await deleteSession(id);
    else sessions.push(session);
  }
  return sessions.toSorted((one, other) => other.id.localeCompare(one.id));
}

/** `2026-05-01 05-12-44.wav`: start time by the device's clock. */
export const fileNameOf = (at: Date): string => `${localTime(at).replace('T', ' ').replaceAll(':', '-')}.wav`;

/** The audio as a WAV file with its time and place. @throws DOMException `NotFoundError` when it does not exist */
export async function readSession(id: string): Promise<{ readonly session: RecordedSession; readonly file: File }> {
  const { written } = await readSound(id);
  const session = await describe(id, startOf(id) ?? new Date(written.lastModified));
  const { startedAt, place, sampleRate } = session;
  const madeAt = { startedAt, place: place?.kind === 'place' ? place : null };
  return { session, file: wholeWave(written, sampleRate, fileNameOf(startedAt), madeAt) };
}

export async function deleteSession(id: string): Promise<void> {
  await (await openFolder('recordings')).removeEntry(id, { recursive: true });
}

/** Deletes the sessions of an account, also the one that a tab is recording: as soon as it stops. */
export async function deleteSessionsOf(owner: string): Promise<void> {
  const ids = await namesIn('recordings', owner);
  await Promise.allSettled(ids.map((id) => navigator.locks.request(lockOf(id), () => deleteSession(id))));
}

const READ_SECONDS = 10;

/**
 * The samples of a session, a few seconds at a time, −1…1. Spans in which the device itself played audio are silent.
 *
 * @throws DOMException `NotFoundError` when it does not exist
 */
export async function* readSamples(id: string): AsyncGenerator<Float32Array<ArrayBuffer>> {
  const { folder, written } = await readSound(id);
  const { sampleRate, played } = await readNotes(folder);
  const total = Math.floor((written.size - WAVE_HEADER_BYTES) / BYTES_PER_SAMPLE);
  const silent = played.map(({ startSeconds, endSeconds }) => [startSeconds * sampleRate, endSeconds * sampleRate] as const);
  for (let from = 0; from < total; from += READ_SECONDS * sampleRate) {
    const to = Math.min(total, from + READ_SECONDS * sampleRate);
    const bytes = [from, to].map((sample) => WAVE_HEADER_BYTES + sample * BYTES_PER_SAMPLE);
    const samples = fromPcm(new Int16Array(await written.slice(...bytes).arrayBuffer()));
    for (const [start, end] of silent) {
      samples.fill(0, Math.max(0, Math.round(start) - from), Math.max(0, Math.round(end) - from));
    }
    yield samples;
  }
}
