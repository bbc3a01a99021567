import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from 'vitest';

const repository = join(import.meta.dirname, '../../../..');

export const modelFolderPath = join(repository, 'data/models/birdnet-v2.4');

/** Recordings and reference answers, in a folder beside the repository and not part of it. */
export const fixturesPath = join(repository, '../shared/fixtures');

const hasModel = existsSync(join(modelFolderPath, 'manifest.json'));
const hasFixtures = existsSync(join(fixturesPath, 'answers/recordings.json'));

/** Call it in a `describe`: skips its tests when no model is installed. */
export function needsModel(): void {
  beforeEach((context) => {
    context.skip(!hasModel, 'no model is installed (npm run model -- install)');
  });
}

/** Call it in a `describe`: skips its tests when the recordings are missing. */
export function needsFixtures(): void {
  beforeEach((context) => {
    context.skip(!hasFixtures, 'the folder ../shared with recordings and reference answers is absent');
  });
}
