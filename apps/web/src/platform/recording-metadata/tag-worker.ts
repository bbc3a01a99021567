import { bytesOfBlob, readTags } from '@chiffchaff/survey/metadata';

/** Reads tags off the main thread, which their parser could block for long. */
self.addEventListener('message', ({ data: file }: MessageEvent<Blob | null>) => {
  void readTags(file && bytesOfBlob(file)).then((findings) => self.postMessage(findings));
});
