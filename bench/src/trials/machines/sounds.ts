import { existsSync } from 'node:fs';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRecording } from '../../harness/make-recording.ts';
import { fallingNotes, soundscape } from '../../harness/recordings.ts';

/** A recording as users send it. */
export interface Sound {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Short, so that much is acknowledged; two are long enough to be in progress when the server dies. */
const notesSeconds = [3, 4.5, 6, 15, 40];
/** Parts of the soundscape with real birds, of which excerpts are kept. */
const birds = [
  { name: 'garden.flac', startSeconds: 3, seconds: 6 },
  { name: 'garden.mp3', startSeconds: 60, seconds: 5 },
  { name: 'garden.ogg', startSeconds: 90, seconds: 6 },
] as const;

/** The recordings of a trial; with real birds if the soundscape is installed. */
export async function makeSounds(): Promise<readonly Sound[]> {
  const sounds = notesSeconds.map((seconds) => ({
    name: `notes-${seconds}.wav`,
    bytes: new Uint8Array(fallingNotes(seconds).buffer),
  }));
  if (!existsSync(soundscape)) return sounds;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-sounds-'));
  for (const { name, ...stretch } of birds) {
    const path = join(folder.path, name);
    await makeRecording(path, stretch);
    sounds.push({ name, bytes: new Uint8Array(await readFile(path)) });
  }
  return sounds;
}
