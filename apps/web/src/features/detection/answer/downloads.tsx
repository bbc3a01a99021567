import { audacityLabels, csvTable, listedPrediction, type Prediction, ravenTable, type TableOptions } from '@chiffchaff/contract';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { tableAddress } from '../../../platform/api/stored-predictions.ts';
import { useFailureSentence } from '../../../platform/api/use-call.ts';
import { saveFile, saveFrom } from '../../../platform/browser/save-file.ts';
import { useOpenHttp } from '../../../platform/session/session-context.tsx';
import { Button } from '../../../ui/button.tsx';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import { FailureLine } from '../../../ui/notice.tsx';
import { Popover } from '../../../ui/popover.tsx';
import type { ServedRecording } from '../../../ui/timeline/sound/use-playback.tsx';

interface Format {
  readonly name: string;
  /** Replaces the recording's own file extension. */
  readonly ending: string;
  readonly write: (prediction: Prediction, options: TableOptions) => string;
}

const formats: readonly Format[] = [
  { name: 'CSV', ending: '.chiffchaff.csv', write: (prediction, options) => csvTable([prediction], options) },
  { name: 'Raven', ending: '.selections.txt', write: (prediction, options) => ravenTable([prediction], options) },
  { name: 'Audacity', ending: '.labels.txt', write: audacityLabels },
  {
    name: 'JSON',
    ending: '.chiffchaff.json',
    write: (prediction, options) => JSON.stringify(listedPrediction(prediction, options), null, 2),
  },
];

interface Properties {
  readonly prediction: Prediction;
  /** An account has the prediction. */
  readonly isKept: boolean;
  /** What the server keeps of its audio. */
  readonly served: ServedRecording | null | undefined;
  /** Says what is kept. */
  readonly children?: ReactNode;
}

/** *Download*: the detections as files for other programs, and the audio that is kept. */
export function Downloads({ prediction, isKept, served, children }: Properties) {
  const { t } = useTranslation();
  return (
    <Popover label={t('table.download')} icon={IconDownload}>
      {prediction.detections.length > 0 && <TableDownloads prediction={prediction} />}
      <AllDetections prediction={prediction} isKept={isKept} />
      <div>
        {children}
        {served && <FileDownload label={t(served.excerpts ? 'download.clips' : 'download.sound')} address={served.audioUrl} />}
      </div>
    </Popover>
  );
}

/** Those hidden by location are included only on request. */
function TableDownloads({ prediction }: { readonly prediction: Prediction }) {
  const { t } = useTranslation();
  const [showHidden, setShowHidden] = useState(false);
  const hidden = prediction.detections.filter((detection) => detection.hidden).length;
  const stem = (prediction.recording.fileName ?? 'recording').replace(/\.\w+$/, '');
  return (
    <div>
      <p>{t('download.table')}</p>
      {/* biome-ignore lint/a11y/useSemanticElements: no form, but buttons that belong together */}
      <div className="cluster-tight" role="group" aria-label={t('download.table')}>
        {formats.map(({ name, ending, write }) => (
          <Button
            key={name}
            // People open these files themselves, often in a spreadsheet.
            onClick={() => saveFile(`${stem}${ending}`, write(prediction, { showHidden, excelSafe: true }))}
          >
            {name}
          </Button>
        ))}
      </div>
      {hidden > 0 && (
        <CheckBox name="showHidden" checked={showHidden} onChange={setShowHidden}>
          {t('table.withHidden', { count: hidden })}
        </CheckBox>
      )}
    </div>
  );
}

/** @param address fetches the file's, and waits until it is there */
function FileDownload({
  label,
  address,
}: {
  readonly label: string;
  readonly address: (signal: AbortSignal) => Promise<string>;
}) {
  const failureOf = useFailureSentence();
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const save = useMutation({
    mutationFn() {
      controller.current = new AbortController();
      return address(controller.current.signal);
    },
    onSuccess: (address) => saveFrom(address),
  });
  return (
    <div>
      <Button isDisabled={save.isPending} onClick={() => save.mutate()}>
        {label}
      </Button>
      <FailureLine sentence={failureOf(save.error)} />
    </div>
  );
}

/** A prediction holds only the best of very many detections; the server can deliver all of them, as first computed. */
function AllDetections({ prediction, isKept }: Pick<Properties, 'prediction' | 'isKept'>) {
  const { t, i18n } = useTranslation();
  const openHttp = useOpenHttp();
  const { detections, detectionsLeftOut } = prediction;
  if (detectionsLeftOut === undefined) return null;
  const number = new Intl.NumberFormat(i18n.language);
  const counts = { shown: number.format(detections.length), all: number.format(detections.length + detectionsLeftOut) };
  return (
    <div className="soft">
      <p>{t('table.leftOut', counts)}</p>
      {isKept && (
        <FileDownload label={t('table.all')} address={async () => tableAddress(await openHttp(), prediction.id, 'csv')} />
      )}
    </div>
  );
}
