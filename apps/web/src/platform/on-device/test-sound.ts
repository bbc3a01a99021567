/** Correct devices differ by a hundredth; broken ones are off by whole numbers. */
const MOST_DIFFERENCE = 0.25;

/**
 * Outputs for `testSound` by label, from the server's build, keyed by the hash of the weights. `e2e/on-device.test.ts` compares them
 * with the installed model.
 */
export const expectedOutputs: { readonly [weights: string]: Readonly<Record<number, number>> } = {
  // biome-ignore format: one model a line
  '62acc5b56f5e54c6a3c4071a60c6e94ad8e58879efca2910ffbf46898c0e4d22': { 580: -4.5556, 5671: -4.5929, 590: -5.6551, 3739: -6.1628, 4816: -6.2071, 2405: -6.4513 },
};

/** Whether the outputs for the test sound are right. @param expected undefined for a model whose outputs are not known here */
export function heardRight(outputs: Float32Array, expected: Readonly<Record<number, number>> | undefined): boolean {
  if (!outputs.every(Number.isFinite)) return false;
  return Object.entries(expected ?? {}).every(
    ([label, output]) => Math.abs((outputs[Number(label)] ?? Number.NaN) - output) <= MOST_DIFFERENCE,
  );
}

/** A rising and falling tone in noise, identical on every device. */
export function testSound(samples: number, sampleRate: number): Float32Array<ArrayBuffer> {
  let state = 1;
  let phase = 0;
  return Float32Array.from({ length: samples }, (_, index) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const seconds = index / sampleRate;
    phase += (2 * Math.PI * (4500 + 1500 * Math.sin(2 * Math.PI * 3 * seconds))) / sampleRate;
    const isOn = Math.floor(seconds * 4) % 2 === 0;
    return (isOn ? 0.5 * Math.sin(phase) : 0) + 0.01 * (state / 2 ** 31 - 1);
  });
}
