import { sigmoid } from '@chiffchaff/recognizer';
import { describe, expect, it } from 'vitest';
import { createFakeModel } from '../evaluate/fake-model-under-test.ts';
import { createChance } from '../harness/random.ts';
import { createConfidenceFit } from './fit-confidence.ts';
import type { ClaimState } from './hear-scenes.ts';

const evidence = await createFakeModel({ 'a.wav': {} }).analyzeFile('a.wav', new AbortController().signal);
const place = Float32Array.of(0.5);

/** Birds drawn from known coefficients: z 1, lead 0.5, trail 0.25, other sounds −0.5, range 1, bias −1. */
function drawn(count: number, stateOf: (isRight: boolean) => ClaimState = (isRight) => (isRight ? 'right' : 'wrong')) {
  const chance = createChance(7);
  const birds = Array.from({ length: count }, (_, label) => {
    const margin = 8 * chance.next() - 4;
    const inputs = [6 * chance.next() - 3, Math.max(margin, 0), Math.min(margin, 0), -2 * chance.next(), Math.log(chance.next())];
    const [z = 0, lead = 0, trail = 0, nonBird = 0, range = 0] = inputs;
    const isRight = chance.next() < sigmoid(z + 0.5 * lead + 0.25 * trail - 0.5 * nonBird + range - 1);
    return { label, inputs, state: stateOf(isRight) };
  });
  const detectionInputs = () => birds.map(({ label, inputs }) => ({ label, inputs: inputs.slice(0, 3) }));
  const fit = createConfidenceFit({ furtherBirds: () => birds, detectionInputs });
  return { fit, known: { evidence, isScene: true, stateOf: (label: number) => birds[label]?.state ?? 'unknown' } };
}

describe('Fitting the confidence of further birds in test scenes', () => {
  it('recovers the coefficients from which sample birds were drawn', () => {
    const { fit, known } = drawn(20_000);
    fit.add(known, place);
    const { withoutPlace, withPlace } = fit.coefficients().furtherBirds ?? expect.fail();
    expect(withPlace).toEqual(withoutPlace);
    for (const [name, wanted] of Object.entries({ z: 1, lead: 0.5, trail: 0.25, nonBird: -0.5, sharedRange: 1, bias: -1 }))
      expect(Math.abs(withoutPlace[name as keyof typeof withoutPlace] - wanted), name).toBeLessThan(0.12);
  });

  it('leaves out birds that may be present without a label', () => {
    const { fit, known } = drawn(100, () => 'unknown');
    fit.add(known, place);
    expect(fit.coefficients()).toEqual({ furtherBirds: null, detections: null });
  });

  it('gives a recording of one bird half the weight of a scene', () => {
    const [whole, half, both] = [1, 2, 3].map(() => drawn(2000));
    whole?.fit.add(whole.known, place);
    for (const known of [half, both]) known?.fit.add({ ...known.known, isScene: false }, place);
    both?.fit.add({ ...both.known, isScene: false }, place);
    expect(both?.fit.coefficients().furtherBirds).toEqual(whole?.fit.coefficients().furtherBirds);
    // The penalty weighs more.
    expect(half?.fit.coefficients().furtherBirds).not.toEqual(whole?.fit.coefficients().furtherBirds);
  });

  it('fits nothing if no scene has a place', () => {
    const { fit, known } = drawn(100);
    fit.add(known, null);
    expect(fit.coefficients()).toEqual({ furtherBirds: null, detections: null });
  });
});
