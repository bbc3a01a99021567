/** @returns numbers from −0.5 to 0.5 without a pattern that matters, the same on every run */
export function createNoise(): () => number {
  let state = 1;
  return () => {
    // Multiplier and increment of Numerical Recipes' quick generator.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}
