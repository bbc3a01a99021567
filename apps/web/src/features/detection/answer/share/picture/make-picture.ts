import { openPassage, type Recording } from '../../../../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import type { CardContent } from './card-content.ts';
import { drawCard } from './draw-card.ts';
import { plainPng } from './plain-png.ts';

/** The strip: seconds before and after the best moment, and the size of its image. */
const AROUND_SECONDS = 1.5;
const IMAGE = { maxHz: 12_000, columns: 1080, rows: 330 } as const;
/** A card without a spectrogram is better than none. */
const LONGEST_WAIT_MS = 8000;

type Sound = Omit<Recording, 'durationSeconds'>;

/** The spectrogram of the best moment; null if it cannot be drawn. */
async function stripOf({ best }: CardContent, durationSeconds: number, sound: Sound): Promise<HTMLCanvasElement | null> {
  if (best === null) return null;
  const window = {
    startSeconds: Math.max(0, best.startSeconds - AROUND_SECONDS),
    endSeconds: Math.min(durationSeconds, best.endSeconds + AROUND_SECONDS),
    ...IMAGE,
  };
  return openPassage({ ...sound, durationSeconds }, window, AbortSignal.timeout(LONGEST_WAIT_MS)).catch(() => null);
}

/** Creates a result's card as a file, on this device. @throws Error when the browser cannot draw it */
export async function makePicture(content: CardContent, durationSeconds: number, sound: Sound): Promise<File> {
  const strip = await stripOf(content, durationSeconds, sound);
  const drawn = await drawCard(content, strip);
  return new File([plainPng(new Uint8Array(await drawn.arrayBuffer()))], 'chiffchaff.png', { type: 'image/png' });
}
