export { createNoise } from './create-noise.ts';
export { eventually } from './eventually.ts';
