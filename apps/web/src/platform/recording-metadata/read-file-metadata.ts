import {
  bytesOfBlob,
  createTagReader,
  minutesAheadHere,
  type RecordingMetadata,
  readRecordingMetadata,
} from '@chiffchaff/survey/metadata';

const readOwnTags = createTagReader<Blob>(() => {
  const worker = new Worker(new URL('./tag-worker.ts', import.meta.url), { type: 'module' });
  return {
    read: (file) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = reject;
        worker.postMessage(file);
      }),
    end: () => worker.terminate(),
  };
});

/** What a chosen file states about when, where and by what it was made. Tags that cannot be read within a second are left out. */
export const readFileMetadata = (file: File): Promise<RecordingMetadata> =>
  readRecordingMetadata(file.name, bytesOfBlob(file), {
    minutesAhead: minutesAheadHere,
    readOwnTags: () => readOwnTags(file),
  });
