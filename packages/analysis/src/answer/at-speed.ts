import type { NamedBird } from '@chiffchaff/contract';
import type { TimeSpan } from '@chiffchaff/recognizer';
import type { FormattedAnswer } from './format-answer.ts';
import { round } from './rounding.ts';

/**
 * Converts the times of an answer to audio played at another speed into times of the recording.
 *
 * @param speed seconds of the recording per second of what was analysed
 */
export function atSpeed(answer: FormattedAnswer, speed: number): FormattedAnswer {
  if (speed === 1) return answer;
  const spanned = <Part extends TimeSpan>(part: Part): Part => ({
    ...part,
    startSeconds: round(part.startSeconds * speed),
    endSeconds: round(part.endSeconds * speed),
  });
  const heard = <Part extends { readonly best: TimeSpan }>(part: Part): Part => ({ ...part, best: spanned(part.best) });
  const named = <Bird extends NamedBird>(bird: Bird): Bird => ({
    ...heard(bird),
    firstSeconds: round(bird.firstSeconds * speed),
  });
  const { verdict } = answer;
  return {
    ...answer,
    verdict: {
      ...verdict,
      named: verdict.named.map((bird) =>
        bird.tiedWith === undefined ? named(bird) : { ...named(bird), tiedWith: named(bird.tiedWith) },
      ),
      notExpectedHere: verdict.notExpectedHere && heard(verdict.notExpectedHere),
    },
    candidates: answer.candidates.map(heard),
    detections: answer.detections.map(spanned),
    hiddenByLocation: answer.hiddenByLocation.map(heard),
    otherSounds: answer.otherSounds.map(spanned),
  };
}
