import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from './config.ts';

it('The command line’s configuration has defaults for every setting', () => {
  const config = readConfig({}, '/somewhere');
  expect(config).toMatchObject({ modelId: 'birdnet-v2.4', modelFile: null, ffmpegPath: null, startFolder: '/somewhere' });
  expect(config.dataDir).toBe(join(config.repositoryFolder, 'data'));
  expect(config.workers).toBeGreaterThan(0);
});

it('The command line’s configuration treats empty variables as unset', () => {
  const { environment: _, ...config } = readConfig({ DATA_DIR: '', INFERENCE_WORKERS: '', INIT_CWD: '' }, '/here');
  expect(readConfig({}, '/here')).toMatchObject(config);
});

it('The command line’s configuration resolves paths in the folder that npm names in INIT_CWD, but DATA_DIR in the repository', () => {
  const config = readConfig({ INIT_CWD: '/home/someone', DATA_DIR: 'birds', MODEL_FILE: '/model.whl', PATH: '/bin' }, '/here');
  expect(config).toMatchObject({ startFolder: '/home/someone', modelFile: '/model.whl', searchPath: '/bin' });
  expect(config.dataDir).toBe(join(config.repositoryFolder, 'birds'));
});

it('The command line’s configuration reports every fault at once, with an example', () => {
  expect(() => readConfig({ INFERENCE_WORKERS: '0', MODEL_ID: '../x' }, '/here')).toThrow(
    /MODEL_ID must be .* such as birdnet-v2\.4; INFERENCE_WORKERS must be .* such as 4\./,
  );
});
