import { join } from 'node:path';
import { fetchedFfmpegPath } from '../ffmpeg/locate.ts';

const data = join(import.meta.dirname, '../../../../data');

/** The ffmpeg that set-up downloads for tests, whatever else the machine has. */
export const ffmpegPath = fetchedFfmpegPath(data);

/** The model that set-up installs. */
export const modelFolderPath = join(data, 'models/birdnet-v2.4');
