import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceOf, fakeModel } from '../../testing/fake-model.ts';
import { conclude } from '../conclude.ts';
import type { Evidence } from './evidence.ts';
import { decodeEvidence, encodeEvidenceInPieces } from './evidence-codec.ts';

const encodeEvidence = (evidence: Evidence): Uint8Array => Buffer.concat([...encodeEvidenceInPieces(evidence)]);

const model = fakeModel([
  ['Turdus merula', 'bird'],
  ['Pica pica', 'bird'],
  ['Engine', 'nonEvent'],
  ['Corvus corone', 'bird'],
]);

const logits = fc.array(fc.double({ min: -60, max: 60, noNaN: true }), { minLength: 4, maxLength: 4 });

describe('Evidence encoded as bytes', () => {
  it('is decoded as it was, whatever birds it describes', () => {
    fc.assert(
      fc.property(fc.array(logits, { maxLength: 20 }), (clips) => {
        const evidence = evidenceOf(model, clips);
        expect(decodeEvidence(encodeEvidence(evidence))).toEqual(evidence);
      }),
    );
  });

  it('gives the same prediction for a place as before encoding', () => {
    const evidence = evidenceOf(model, [
      [2.2, -3, -5, -9],
      [0.123456, 1, -4, -20],
    ]);
    const conditions = { occurrence: Float32Array.of(0.01, 0.5, 0, 0.5), minScore: 0.1 };
    const stored = decodeEvidence(encodeEvidence(evidence));
    expect(conclude(model, stored, conditions)).toEqual(conclude(model, evidence, conditions));
  });

  it('is decoded at any position in memory', () => {
    const bytes = encodeEvidence(evidenceOf(model, [[1, 2, 3, 4]]));
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(decodeEvidence(shifted.subarray(1))).toEqual(decodeEvidence(bytes));
  });

  it('is refused with EVIDENCE_UNREADABLE if it is truncated or in another format', () => {
    const bytes = encodeEvidence(evidenceOf(model, [[1, 2, 3, 4]]));
    const unreadable = expect.objectContaining({ code: 'EVIDENCE_UNREADABLE' });
    expect(() => decodeEvidence(bytes.subarray(0, bytes.length - 1))).toThrow(unreadable);
    expect(() => decodeEvidence(new Uint8Array(0))).toThrow(unreadable);
    expect(() => decodeEvidence(new Uint8Array(200).fill(7))).toThrow(unreadable);
  });
});
