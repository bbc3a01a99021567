import { afterEach, describe, expect, it, vi } from 'vitest';
import * as recognizers from '../../../platform/on-device/device-recognizer.ts';
import type { AnalysisReport } from '../../../platform/sending/request-prediction.ts';
import { fakePrediction } from '../../../testing/fake-data.ts';
import { fakeRequest } from '../../../testing/fake-request.ts';
import { fakeWave, tone } from '../../../testing/fake-wave.ts';
import { analyzeHere } from './analyze-here.ts';

const sound = tone(2000, 48_000, 1);
const file = new File([fakeWave({ sampleRate: 48_000, planes: [sound, sound] })], 'dawn.wav');

afterEach(() => vi.unstubAllGlobals());

/** A recogniser that only counts its samples. */
function useFakeRecognizer() {
  const asked: recognizers.DeviceAnalysis[] = [];
  let samples = 0;
  const recognizer: recognizers.DeviceRecognizer = {
    sampleRate: 48_000,
    msPerClip: 1,
    async analyse(pieces, analysis) {
      asked.push(analysis);
      for await (const piece of pieces) {
        analysis.signal?.throwIfAborted();
        samples += piece.length;
        const detectionsSoFar = () => fakePrediction().detections;
        analysis.onProgress?.({
          analysedSeconds: samples / 48_000,
          detectionsSoFar,
          answerSoFar: async () => ({ prediction: fakePrediction(), justHeard: [] }),
        });
      }
      return { prediction: fakePrediction(), reconsider: async () => fakePrediction(), speech: [] };
    },
    close() {},
  };
  vi.spyOn(recognizers, 'openDeviceRecognizer').mockResolvedValue(recognizer);
  return { asked, samplesHeard: () => samples };
}

describe('An analysis in the browser', () => {
  it('passes the whole recording and the settings to the recogniser, and reports progress', async () => {
    const { asked, samplesHeard } = useFakeRecognizer();
    const reports: AnalysisReport[] = [];
    const place = { latitude: 50.84, longitude: 12.93 };
    const request = fakeRequest({ file, place, date: '2026-05-01', language: 'de', isForDevice: true });
    const { signal } = new AbortController();
    const outcome = await analyzeHere(request, { signal, onAnalysis: (report) => reports.push(report) });
    expect(outcome).toMatchObject({ kind: 'answered', prediction: fakePrediction(), device: { speech: [] } });
    expect(samplesHeard()).toBe(sound.length);
    expect(asked[0]).toMatchObject({
      question: { place, placeSource: 'stated', timeZone: null, date: '2026-05-01', language: 'de' },
      recording: { fileName: 'dawn.wav', container: 'wav', codec: 'pcm_s16le', sampleRate: 48_000, channels: 2 },
    });
    // With the words of the birds so far.
    expect(reports[0]?.detections).toMatchObject([
      { commonName: 'Common Chiffchaff', confidenceWord: 'veryLikely' },
      { commonName: 'Iberian Chiffchaff', confidenceWord: 'none' },
    ]);
    expect(reports[0]?.stage).toBe('listening');
    expect(reports[0]?.fraction).toBeLessThanOrEqual(1);
  });

  it('fails for a recording that this browser cannot decode', async () => {
    useFakeRecognizer();
    const unknown = fakeRequest({ file: new File(['This is a text about a bird.'], 'song.wma') });
    const outcome = await analyzeHere(unknown, { signal: new AbortController().signal, onAnalysis: () => {} });
    expect(outcome).toMatchObject({ kind: 'failed', error: { kind: 'device', why: 'undecodable' } });
  });

  it('reports a failed recogniser as a failed analysis', async () => {
    vi.spyOn(recognizers, 'openDeviceRecognizer').mockRejectedValue(new Error('out of memory'));
    const outcome = await analyzeHere(fakeRequest({ file }), { signal: new AbortController().signal, onAnalysis: () => {} });
    expect(outcome).toEqual({ kind: 'failed', error: { kind: 'device', message: 'out of memory', why: 'failed' } });
  });
});
