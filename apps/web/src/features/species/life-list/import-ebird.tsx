import { type ImportedBird, lifeListImportedSchema } from '@chiffchaff/contract';
import { useQueryClient } from '@tanstack/react-query';
import type { AxiosInstance } from 'axios';
import { useRef } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { ask } from '../../../platform/api/ask.ts';
import { useCall } from '../../../platform/api/use-call.ts';
import { refreshStoredPredictions } from '../../../platform/api/use-stored-predictions.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/section.tsx';

const send = (http: AxiosInstance, birds: readonly ImportedBird[]) =>
  ask(http, lifeListImportedSchema, { method: 'PUT', url: '/v1/life-list/imported', data: { birds } });

interface Properties {
  /** number of imported species */
  readonly imported: number;
  /** this one */
  readonly year: number;
}

/** Takes eBird's *My data* into the life list. The file is read here; only species, days and places leave the device. */
export function ImportEbird({ imported, year }: Properties) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const queries = useQueryClient();
  const refresh = { onSuccess: () => refreshStoredPredictions(queries) };
  const take = useCall(async (http, file: File) => {
    const { readEbird } = await import('./read-ebird.ts');
    const { birds, others } = await readEbird(file, year);
    const { imported, unknown } = await send(http, birds);
    return { imported, leftOut: [...unknown, ...others].sort() };
  }, refresh);
  const remove = useCall((http) => send(http, []), refresh);
  const { error, data } = take;
  const failure =
    error?.name === 'OtherColumns'
      ? t('lifeList.otherColumns', { found: error.message })
      : error?.name === 'TableError'
        ? t('lifeList.unreadable', { why: error.message })
        : take.failure;
  return (
    <Section title={t('lifeList.import')} className="stack">
      <p className="measure">
        {t('lifeList.importHelp')}{' '}
        <a href="https://ebird.org/downloadMyData" target="_blank" rel="noopener noreferrer">
          {t('lifeList.importLink')}
        </a>
      </p>
      <div className="cluster">
        <Button isDisabled={take.isPending} onClick={() => input.current?.click()}>
          {t('lifeList.choose')}
        </Button>
        {imported > 0 && (
          <Button isDisabled={remove.isPending} onClick={() => remove.mutate(undefined, { onSuccess: () => take.reset() })}>
            {t('lifeList.remove', { count: imported })}
          </Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        aria-label={t('lifeList.file')}
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) take.mutate(file);
          // The same file can be chosen again, when it has been corrected.
          target.value = '';
        }}
      />
      <Failure sentence={failure ?? remove.failure} />
      <p role="status">{take.isPending ? t('lifeList.importing') : data && t('lifeList.imported', { count: data.imported })}</p>
      {data !== undefined && data.leftOut.length > 0 && (
        <details>
          <summary>{t('lifeList.leftOut', { count: data.leftOut.length })}</summary>
          <p className="measure">
            <i lang="la">{data.leftOut.join(', ')}</i>
          </p>
        </details>
      )}
    </Section>
  );
}
