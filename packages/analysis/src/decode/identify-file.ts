import type { FileHandle } from 'node:fs/promises';
import { type Ending, readEnding } from '../container/ending.ts';
import { HEAD_BYTES, identifyContainer } from '../container/identify-container.ts';
import type { RecordingKind } from '../container/recording-kinds.ts';
import { PredictionError } from '../errors.ts';
import { type MendedFile, mendWave } from './mend-wave.ts';
import { partsOf } from './open-recording.ts';
import { skipTags } from './skip-tags.ts';

/** What a file is, according to its content. */
export interface Source {
  readonly recording: RecordingKind;
  readonly ending: Ending | null;
  /** null: ffmpeg reads the file itself */
  readonly mended: MendedFile | null;
  readonly bytes: number;
}

/** @throws PredictionError when the file is no recording */
export async function identifyFile(file: FileHandle): Promise<Source> {
  const status = await file.stat();
  if (status.isDirectory()) throw new PredictionError('RECORDING_UNSUPPORTED', { found: 'a folder' });
  if (!status.isFile()) throw new PredictionError('RECORDING_UNSUPPORTED', { found: 'a device or pipe, not a file' });
  const readPart = partsOf(file, status.size);
  const head = await readPart(0, HEAD_BYTES);
  if (head.length === 0) throw new PredictionError('RECORDING_EMPTY', {});
  const identified = await identifyContainer(head, (offset) => readPart(offset, HEAD_BYTES));
  if (identified.kind === 'other') throw new PredictionError('RECORDING_UNSUPPORTED', { found: identified.found });
  const { recording } = identified;
  const ending = await readEnding(recording, status.size, readPart);
  const mended = (await mendWave(status.size, readPart)) ?? (await skipTags(head, status.size, readPart));
  return { recording, ending, mended, bytes: status.size };
}
