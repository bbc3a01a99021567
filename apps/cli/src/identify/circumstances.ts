import { resolve } from 'node:path';
import { readMetadata } from '@chiffchaff/analysis';
import {
  type Circumstances,
  circumstancesOf,
  findSite,
  type Note,
  type RecordingMetadata,
  readSites,
  type Site,
} from '@chiffchaff/survey';
import { readGiven } from '../files.ts';
import { counted } from '../terminal/terminal.ts';
import type { IdentifyOptions } from './options.ts';
import type { Outcome } from './output/outcome.ts';

const UNKNOWN: RecordingMetadata = { date: null, place: null, time: null, offsetMinutes: null, recorders: [], temperature: null };

/** @throws InputError when the list of sites cannot be read */
export async function openSites(file: string | null, startFolder: string, note: Note): Promise<readonly Site[]> {
  if (file === null) return [];
  return readGiven({ what: 'The list of sites', file, startFolder, note }, readSites);
}

/** Counts which rows of a list of sites match the recordings of a run, and which recordings match none. */
export function createSiteTally(sites: readonly Site[], startFolder: string) {
  const matched = new Set<number>();
  const without: string[] = [];
  return {
    add(outcome: Outcome): void {
      // Of a recording that failed, only the folder is known.
      const failed = outcome.kind === 'failed' ? findSite(sites, resolve(startFolder, outcome.shownAs), []) : null;
      const line = outcome.kind === 'answered' ? outcome.circumstances.siteLine : (failed?.line ?? null);
      if (line !== null) matched.add(line);
      else if (outcome.kind === 'answered') without.push(outcome.shownAs);
    },
    /** `Line 2 (Mill) matched no recording; 6 recordings have no site, the first is …`; null when all matched. */
    summary(): string | null {
      if (sites.length === 0) return null;
      const count = counted(without.length, 'recording has', 'recordings have');
      const parts = [
        unmatchedSites(sites.filter(({ line }) => !matched.has(line))),
        without.length === 0 ? null : `${count} no site, the first is ${without[0]}`,
      ].filter((part) => part !== null);
      return parts.length === 0 ? null : `${parts.join('; ')}.`;
    },
  };
}

/** `Line 2 (Mill) matched no recording`; null without any. */
export function unmatchedSites(sites: readonly Site[]): string | null {
  if (sites.length === 0) return null;
  const named = sites.map(({ line, site }) => `${line} (${site})`);
  return `${sites.length === 1 ? 'Line' : 'Lines'} ${named.join(', ')} matched no recording`;
}

/** Where and when a recording was made. A file that cannot be opened has no metadata; its analysis reports the error. */
export async function readCircumstances(path: string, options: IdentifyOptions, sites: readonly Site[]): Promise<Circumstances> {
  const metadata = options.readsMetadata ? await readMetadata(path, path) : UNKNOWN;
  return circumstancesOf(path, metadata, { sites, stated: options.place });
}
