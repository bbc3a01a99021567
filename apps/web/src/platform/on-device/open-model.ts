import { createSpeciesNames } from '@chiffchaff/analysis/answer';
import type { OnDeviceModel } from '@chiffchaff/contract';
import { forBrowsers, modelManifestSchema, readSpeciesTable } from '@chiffchaff/recognizer';
import { createWebRunner } from '@chiffchaff/recognizer/web';
import { FetchError, fetchAndKeep, keyOf, languageOf, obtainRuntime } from './model-file-store.ts';

const MANIFEST_FILE = 'manifest.json';

/**
 * Loads the stored model into a worker.
 *
 * @throws FetchError `damaged` when a file is missing
 * @throws RecognizerError when the model cannot be loaded
 */
export async function openModel(cache: Cache, model: OnDeviceModel) {
  const fileOf = (name: string) => model.files.find((file) => file.name === name);
  const read = async (name: string): Promise<Response> => {
    const file = fileOf(name);
    const kept = file && (await cache.match(keyOf(file)));
    if (kept === undefined) throw new FetchError('damaged');
    return kept;
  };
  const manifest = forBrowsers(modelManifestSchema.parse(await (await read(MANIFEST_FILE)).json()));
  const { audio, labels } = manifest;
  const [graph, weights, runtime, ofLabels, ofNonBirds] = await Promise.all([
    read(audio.file).then((kept) => kept.arrayBuffer()),
    read(audio.weights.file).then((kept) => kept.arrayBuffer()),
    obtainRuntime(cache),
    read(labels.file).then((kept) => kept.text()),
    read(labels.nonBirdsFile).then((kept) => kept.text()),
  ]);
  const knowledge = { manifest, species: readSpeciesTable({ labels: ofLabels, nonBirds: ofNonBirds, manifest }) };
  const codes = model.files.flatMap((file) => languageOf(file) ?? []);
  const readNames = async (code: string): Promise<string> => {
    const file = fileOf(`names/${code}.txt`);
    if (file === undefined) return '';
    await fetchAndKeep(cache, file, { signal: AbortSignal.timeout(NAMES_PATIENCE_MS), onReceived: () => undefined });
    return (await read(file.name)).text();
  };
  const runner = await createWebRunner({ manifest, graph, weights, runtime });
  return { knowledge, runner, names: createSpeciesNames(knowledge, codes, (code) => readNames(code).catch(() => '')) };
}

const NAMES_PATIENCE_MS = 10_000;

export type OpenModel = Awaited<ReturnType<typeof openModel>>;
