import { existsSync } from 'node:fs';
import { makeSound } from '../../harness/make-recording.ts';
import { fallingNotes, type Sound, soundscape } from '../../harness/recordings.ts';

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
  const sounds: Sound[] = notesSeconds.map((seconds) => fallingNotes(seconds, `notes-${seconds}.wav`));
  if (!existsSync(soundscape)) return sounds;
  for (const { name, ...stretch } of birds) sounds.push(await makeSound(name, stretch));
  return sounds;
}
