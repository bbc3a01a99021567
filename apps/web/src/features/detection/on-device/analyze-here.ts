import { decodeFile } from '../../../platform/decoding/decode-file.ts';
import { Undecodable } from '../../../platform/decoding/open-sound.ts';
import { type DeviceProgress, openDeviceRecognizer } from '../../../platform/on-device/device-recognizer.ts';
import type { AnalysisReport, Outcome, PredictionRequest, SendOptions } from '../../../platform/sending/request-prediction.ts';

/** Minimum time between progress reports. */
const REPORT_MS = 500;

/** Analyses a recording in this page without sending anything; never rejects. The outcome is ignored once the signal has aborted. */
export async function analyzeHere(
  request: PredictionRequest,
  { signal, onAnalysis }: Pick<SendOptions, 'signal' | 'onAnalysis'>,
): Promise<Outcome> {
  let hasEnded = false;
  try {
    const { samples, expectedSeconds, ...about } = await decodeFile(request.file);
    const recognizer = await openDeviceRecognizer();
    const { readFileMetadata } = await import('../../../platform/recording-metadata/read-file-metadata.ts');
    const device = await recognizer.analyse(samples, {
      question: request,
      recording: { fileName: request.file.name, ...about },
      notes: (await readFileMetadata(request.file)).notes,
      signal,
      onProgress: createReporter(expectedSeconds, (report) => {
        if (!hasEnded) onAnalysis(report);
      }),
    });
    return { kind: 'answered', prediction: device.prediction, device };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', error: { kind: 'device', message, why: error instanceof Undecodable ? 'undecodable' : 'failed' } };
  } finally {
    hasEnded = true;
  }
}

function createReporter(expectedSeconds: number | null, onAnalysis: (report: AnalysisReport) => void) {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return async (progress: DeviceProgress): Promise<void> => {
    const nowMs = performance.now();
    if (nowMs - reportedMs < REPORT_MS) return;
    reportedMs = nowMs;
    const fraction = expectedSeconds === null ? null : Math.min(1, progress.analysedSeconds / expectedSeconds);
    const found = progress.detectionsSoFar();
    const { prediction } = await progress.answerSoFar();
    const words = new Map(prediction.candidates.map(({ scientificName, confidenceWord }) => [scientificName, confidenceWord]));
    const detections = found.map((detection) => ({
      ...detection,
      confidenceWord: words.get(detection.scientificName) ?? ('none' as const),
    }));
    onAnalysis({ stage: 'listening', fraction, behindOthers: false, detections });
  };
}
