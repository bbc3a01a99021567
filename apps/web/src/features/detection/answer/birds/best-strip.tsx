import { createContext, useContext } from 'react';
import type { Span } from '../../../../platform/format/format.ts';
import type { SpectrogramStatus } from '../../../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { type Sound, Strip } from '../../../../ui/timeline/strip.tsx';

/** What strips are drawn from and compared with; null without any sound. */
export const StripSound = createContext<Sound | null>(null);

const STRIP_SECONDS = 6;
/** Of recordings up to this length (s), the timeline shows as much as a strip would. */
const LONGEST_WITHOUT_STRIPS = 15;

/** Six seconds of the recording with a bird's best moment in the middle; near its ends or in a short one, as close as possible. */
export function aroundBest({ startSeconds, endSeconds }: Span, durationSeconds: number): Span {
  const span = Math.min(Math.max(STRIP_SECONDS, endSeconds - startSeconds), durationSeconds);
  const start = Math.min(Math.max(0, (startSeconds + endSeconds - span) / 2), durationSeconds - span);
  return { startSeconds: start, endSeconds: start + span };
}

/** What is played of a bird's best moment: a second more on both sides. */
export const withMargin = ({ startSeconds, endSeconds }: Span, durationSeconds: number): Span => ({
  startSeconds: Math.max(0, startSeconds - 1),
  endSeconds: Math.min(durationSeconds, endSeconds + 1),
});

const mayCome: readonly SpectrogramStatus['kind'][] = ['decoding', 'fetching', 'ready'];

/** The spectrogram of a passage, with a playhead. Decorative: the play button beside it says what it is. Nothing without a picture. */
export function BestStrip({ passage }: { readonly passage: Span }) {
  const sound = useContext(StripSound);
  if (sound === null || sound.durationSeconds <= LONGEST_WITHOUT_STRIPS) return null;
  return mayCome.includes(sound.spectrogram.kind) ? <Strip passage={passage} sound={sound} /> : null;
}
