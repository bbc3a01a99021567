/** Creates a generator of pseudo-random numbers from −0.5 to 0.5, the same on every run. */
export function createNoise(): () => number {
  let state = 1;
  return () => {
    // Multiplier and increment of the quick generator in Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}
