import { type OnDeviceModel, onDeviceModelSchema } from '@chiffchaff/contract';
import { z } from 'zod';
import { createStore } from '../browser/store.ts';
import { dateLocale } from '../format/format.ts';
import { serverLanguage } from '../format/species-language.ts';
import { preferences } from '../storage/preferences.ts';
import { deleteCache, findCache } from '../storage/registry.ts';
import { addressOf, askServer } from './ask-server.ts';
import { openDevicePlaces } from './device-places.ts';
import { rememberDeviceModel } from './installed-hint.ts';
import {
  FetchError,
  type FetchFailure,
  fetchAndKeep,
  keep,
  keyOf,
  languageOf,
  obtainRuntime,
  openModelFileStore,
  runtimeBytes,
  runtimeKey,
} from './model-file-store.ts';

/** State of the model for recognition on this device. */
export type DeviceModelState =
  | { readonly kind: 'checking' }
  | { readonly kind: 'unavailable'; readonly why: 'insecureContext' | 'unsupported' | 'notOffered' | 'offline' }
  /** Bytes to download, including the runtime. */
  | { readonly kind: 'absent'; readonly bytes: number }
  | { readonly kind: 'downloading'; readonly receivedBytes: number; readonly bytes: number }
  | { readonly kind: 'failed'; readonly why: FetchFailure | 'selfTest'; readonly bytes: number }
  /** Bytes stored. If there is an update, recognition continues with the installed model. */
  | { readonly kind: 'installed'; readonly bytes: number; readonly hasUpdate: boolean };

/** Addresses of the licence texts that come with the model. */
export interface ModelTerms {
  readonly licence: string;
  readonly notice: string;
}

const OFFER = '/v1/on-device/model';
const INSTALLED = '/on-device/installed';

const installedSchema = z.object({ model: onDeviceModelSchema, bytes: z.number(), msPerClip: z.number() });
/** Written once all files of a model are stored and it has passed the self-test. */
export type InstalledModel = z.infer<typeof installedSchema>;

/** @returns null if no model is installed, or its record cannot be read */
export async function readInstalled(): Promise<{ readonly cache: Cache; readonly installed: InstalledModel } | null> {
  try {
    const cache = await findCache('on-device-model');
    const written = await cache?.match(INSTALLED);
    const installed = installedSchema.safeParse(await written?.json());
    return cache && installed.success ? { cache, installed: installed.data } : null;
  } catch {
    return null;
  }
}

/** @returns null if the server offers none. @throws TypeError when it is out of reach, ZodError */
async function askForModel(): Promise<OnDeviceModel | null> {
  const answer = await askServer(OFFER);
  return answer && onDeviceModelSchema.parse(await answer.json());
}

/** All files except species names in other languages than the user's; these are fetched when they are first needed. */
function filesToFetch({ files }: OnDeviceModel): OnDeviceModel['files'] {
  const { speciesLanguage } = preferences.snapshot();
  const codes = files.flatMap((file) => languageOf(file) ?? []);
  // The same choice as `useNamesLanguage`.
  const read = serverLanguage(speciesLanguage ?? dateLocale(document.documentElement.lang), codes);
  return files.filter((file) => [undefined, read].includes(languageOf(file)));
}

const sizeOf = (files: OnDeviceModel['files']): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

const isSupported = (): boolean =>
  'WebAssembly' in window && 'Worker' in window && 'caches' in window && window.crypto?.subtle !== undefined;

const failureOf = (error: unknown): FetchFailure | 'selfTest' => {
  if (error instanceof FetchError) return error.why;
  const isOfNetwork = error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
  return isOfNetwork ? 'connection' : 'selfTest';
};

function createDeviceModel() {
  const { snapshot, subscribe, set } = createStore<DeviceModelState>({ kind: 'checking' });
  let controller: AbortController | null = null;
  let running: Promise<void> | null = null;
  /** What is left to download. */
  let leftBytes = 0;
  /** null until a model is known */
  let terms: ModelTerms | null = null;

  const readTerms = async ({ files }: OnDeviceModel): Promise<void> => {
    const urlOf = (name: string): string => files.find((file) => file.name === name)?.url ?? '';
    const origin = await addressOf('').catch(() => '');
    terms = { licence: origin + urlOf('LICENSE'), notice: origin + urlOf('NOTICE') };
  };

  const showInstalled = (bytes: number, hasUpdate: boolean): void => {
    rememberDeviceModel(true);
    set({ kind: 'installed', bytes, hasUpdate });
  };

  /** Checks again what is installed and what the server offers. */
  async function check(): Promise<void> {
    if (running) return;
    if (!window.isSecureContext) return set({ kind: 'unavailable', why: 'insecureContext' });
    if (!isSupported()) return set({ kind: 'unavailable', why: 'unsupported' });
    const found = await readInstalled();
    if (found) {
      showInstalled(found.installed.bytes, false);
      void readTerms(found.installed.model);
    } else rememberDeviceModel(false);
    try {
      const offered = await askForModel();
      if (running) return;
      if (offered) await readTerms(offered);
      if (found) {
        const kept = new Set(found.installed.model.files.map(keyOf));
        if (offered?.files.some((file) => !kept.has(keyOf(file)))) showInstalled(found.installed.bytes, true);
      } else if (offered) {
        leftBytes = sizeOf(filesToFetch(offered)) + (await runtimeBytes());
        set({ kind: 'absent', bytes: leftBytes });
      } else set({ kind: 'unavailable', why: 'notOffered' });
    } catch {
      if (!found && !running) set({ kind: 'unavailable', why: 'offline' });
    }
  }

  async function download(signal: AbortSignal): Promise<void> {
    const cache = await openModelFileStore();
    void navigator.storage?.persist?.().catch(() => false); // not awaited: Firefox asks the person, who may not answer
    const model = await askForModel();
    if (model === null) return set({ kind: 'unavailable', why: 'notOffered' });
    const files = filesToFetch(model);
    const ofRuntime = await runtimeBytes();
    const bytes = sizeOf(files) + ofRuntime;
    let before = 0;
    const report = (newBytes: number): void => {
      const receivedBytes = before + newBytes;
      leftBytes = bytes - receivedBytes;
      if (!signal.aborted) set({ kind: 'downloading', receivedBytes, bytes });
    };
    for (const file of files) {
      await fetchAndKeep(cache, file, { signal, onReceived: report });
      before += file.bytes;
      report(0);
    }
    const runtime = await obtainRuntime(cache, signal);
    report(ofRuntime);
    signal.throwIfAborted();
    const places = openDevicePlaces(model);
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    await Promise.allSettled([places.regions(), places.zones(), places.assume(timeZone)]);
    const { tryDevice } = await import('./self-test.ts');
    const msPerClip = await tryDevice(cache, model);
    signal.throwIfAborted();
    const storedBytes = sizeOf(files) + runtime.byteLength;
    await keep(cache, INSTALLED, JSON.stringify({ model, bytes: storedBytes, msPerClip } satisfies InstalledModel));
    const wanted = new Set([INSTALLED, runtimeKey(), ...model.files.map(keyOf)]);
    for (const { url } of await cache.keys()) if (!wanted.has(new URL(url).pathname)) await cache.delete(url);
    showInstalled(storedBytes, false);
  }

  /** Downloads the model or its update, and resumes an earlier attempt. Never rejects: the state shows the result. */
  async function install(): Promise<void> {
    if (running) return running;
    controller = new AbortController();
    const { signal } = controller;
    set({ kind: 'downloading', receivedBytes: 0, bytes: leftBytes });
    running = download(signal);
    try {
      await running;
    } catch (error) {
      if (!signal.aborted) set({ kind: 'failed', why: failureOf(error), bytes: leftBytes });
    } finally {
      running = null;
    }
    if (signal.aborted) await check();
  }

  /** Removes the model from this device completely. */
  async function remove(): Promise<void> {
    controller?.abort();
    await running?.catch(() => undefined);
    rememberDeviceModel(false);
    await Promise.all([deleteCache('on-device-model'), deleteCache('on-device-places')]);
    set({ kind: 'checking' });
    await check();
  }

  window.addEventListener('online', () => {
    const state = snapshot();
    if (state.kind === 'unavailable') void check();
    if (state.kind === 'failed' && state.why === 'connection') void install();
  });
  void check();
  return { snapshot, subscribe, terms: () => terms, check, install, cancel: () => controller?.abort(), remove };
}

/** The page's one instance. */
export const deviceModel = createDeviceModel();
