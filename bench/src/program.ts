import type { Program } from '@chiffchaff/cli';

/** What is measured and fitted from the command line. Trials and tools of the page have entry points of their own. */
export const laboratory: Program = {
  commands: {
    speed: async () => (await import('./speed/command.ts')).benchCommand,
    calibrate: async () => (await import('./calibrate/command.ts')).calibrateCommand,
  },
  help: `Measures this program and fits its confidence.

  npm run bench                                             speed and memory on this machine
  npm run calibrate -- --recordings DIR --table TSV         how sure is sure: fit and count

Each has a page of its own: npm run bench -- --help
`,
};
