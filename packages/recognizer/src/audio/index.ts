/** Arithmetic on samples for whoever draws or measures sound without recognising anything: the page's workers among them. */
export { createFourierTransform, type FourierTransform } from './fourier.ts';
