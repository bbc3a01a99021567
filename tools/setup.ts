/**
 * Sets up what analysis needs besides the code: the model and a decoder. The commands of package.json run it first.
 *
 *   --quiet      prints nothing if there was nothing to do
 *   --for-tests  downloads ffmpeg even if the machine has one, so that tests use the same one everywhere
 *
 * Without a model, it fails. Without a decoder, it fails for tests only: a server starts, says what to do, and answers predictions with a
 * clear error.
 */
import { resolve } from 'node:path';
import { DecoderError, ensureFfmpeg } from '@chiffchaff/analysis';
import { type InstallProgress, installModel, ModelError } from '@chiffchaff/models';
import { root } from './process.ts';

const quiet = process.argv.includes('--quiet');
const forTests = process.argv.includes('--for-tests');
const setting = (name: string): string | undefined => process.env[name] || undefined;
const fromRoot = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(root, path));
const dataDir = resolve(root, (!forTests && setting('DATA_DIR')) || 'data');

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints each sentence once; on a terminal, its percentage is updated on the same line. */
function createProgressLine(): { show(progress: InstallProgress): void; end(): void } {
  let shown = '';
  let open = false;
  return {
    show({ step, sentence, fraction }) {
      if (step === 'checking' || step === 'done') return;
      const isNew = sentence !== shown;
      shown = sentence;
      if (process.stderr.isTTY && fraction !== null) {
        process.stderr.write(`\r· ${sentence}: ${Math.round(fraction * 100)} %`);
        open = true;
      } else if (isNew) {
        if (open) process.stderr.write('\n');
        open = false;
        say(`· ${sentence}`);
      }
    },
    end() {
      if (open) process.stderr.write('\n');
    },
  };
}

const cancelled = new AbortController();
process.once('SIGINT', () => cancelled.abort());
process.once('SIGTERM', () => cancelled.abort());

async function setUpModel(): Promise<boolean> {
  const line = createProgressLine();
  const modelFile = fromRoot(setting('MODEL_FILE'));
  try {
    const { model, changed } = await installModel({
      dataDir,
      modelId: setting('MODEL_ID') ?? 'birdnet-v2.4',
      ...(modelFile === undefined ? {} : { modelFile }),
      signal: cancelled.signal,
      onProgress: line.show,
    });
    line.end();
    if (changed || !quiet) say(`· ${model.manifest.name} ${changed ? 'was installed' : 'is installed'}`);
    return true;
  } catch (error) {
    line.end();
    if (!(error instanceof ModelError)) throw error;
    say(`\n✗ Setting up the model failed (${error.code}).\n  ${error.message}`);
    return false;
  }
}

async function setUpDecoder(): Promise<boolean> {
  const installed = forTests ? {} : { ffmpegPath: fromRoot(setting('FFMPEG_PATH')), searchPath: process.env.PATH };
  try {
    await ensureFfmpeg({
      ...installed,
      dataDir,
      signal: cancelled.signal,
      onStep: (step) => say(`· ${step}`),
    });
    return true;
  } catch (error) {
    if (!(error instanceof DecoderError)) throw error;
    say(`\n! There is no ffmpeg, so recordings cannot be read yet (${error.code}).\n  ${error.message}`);
    return false;
  }
}

try {
  const complete = (await setUpModel()) && ((await setUpDecoder()) || !forTests);
  if (!complete) process.exitCode = 1;
} catch (error) {
  if (!cancelled.signal.aborted) throw error;
  say('\nStopped. The next start will clean up unfinished work.');
  process.exitCode = 130;
}
