import { ExportError, type SurveyRecording, type SurveyRecords } from './survey-records.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  wma: 'audio/x-ms-wma',
  webm: 'video/webm',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

/** By the extension; `audio/*` for an unknown one, because the standard requires an audio type for each file. */
export const mediaType = (file: string): string => mediaTypes[file.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'audio/*';

/** A path as Data Packages accept it: relative, without `..`, with `/` between its parts. */
export const mediaPath = (file: string): string =>
  file
    .replaceAll('\\', '/')
    .replace(/^([a-z]:)?[./~]+/i, '')
    .replace(/(^|\/)\.\.(?=\/)/g, '$1')
    .replace(/\/{2,}/g, '/')
    .replaceAll('..', '%2E%2E');

const partsOf = (path: string): string[] => path.split(/[\\/]/);
const isAbsolute = (path: string): boolean => /^([a-z]:)?[\\/]/i.test(path);

/**
 * Records whose recordings have the names that are published. An absolute path tells whose computer it is on, so it begins below the folder
 * of all absolute ones. Control characters and line breaks are written as in a URL.
 *
 * @throws ExportError when two recordings would have one name
 */
export function publishable(records: SurveyRecords): SurveyRecords {
  const folders = records.recordings.filter(({ file }) => isAbsolute(file)).map(({ file }) => partsOf(file).slice(0, -1));
  const [first = []] = folders;
  const differs = first.findIndex((part, index) => folders.some((folder) => folder[index] !== part));
  const below = (file: string) => partsOf(file).slice(differs === -1 ? first.length : differs);
  const publish = ({ file, ...rest }: SurveyRecording): SurveyRecording => {
    const path = isAbsolute(file) ? below(file).join('/') : file;
    return { ...rest, file: path.replace(/[\p{Cc}\u2028\u2029]/gu, encodeURIComponent) };
  };
  const recordings = records.recordings.map(publish);
  if (new Set(recordings.map(({ file }) => file)).size < recordings.length)
    throw new ExportError('Two recordings have one path: some tables have absolute paths. Run identify with relative ones.');
  const observations = records.observations.map((each) => ({ ...each, recording: publish(each.recording) }));
  return { ...records, recordings, observations };
}
