import { useTranslation } from 'react-i18next';
import { formatList } from '../../../platform/format/format.ts';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import styles from './choose.module.css';
import type { ChosenRecording } from './use-chosen-recordings.ts';

interface Properties {
  readonly chosen: readonly ChosenRecording[];
  /** Whether there is an account to keep it for. */
  readonly isOffered: boolean;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

/** Says which recordings this browser cannot show by itself, before they are sent, and offers to keep these for half an hour. */
export function ListeningCopyField({ chosen, isOffered, value, onChange }: Properties) {
  const { t, i18n } = useTranslation();
  const hindered = (['undecodable', 'tooLong'] as const).flatMap((kind) => {
    const names = chosen.filter(({ hindrance }) => hindrance === kind).map(({ file }) => file.name);
    return names.length === 0 ? [] : [{ kind, names: formatList(names, i18n.language) }];
  });
  return (
    <div className={styles.listeningCopy}>
      <div role="status">
        {hindered.map(({ kind, names }) => (
          <p key={kind}>{t(`keep.${kind}`, { names })}</p>
        ))}
        {hindered.length > 0 && !isOffered && <p>{t('keep.copyNeedsAccount')}</p>}
      </div>
      {hindered.length > 0 && isOffered && (
        <CheckBox name="listeningCopy" checked={value} onChange={onChange} help={t('keep.copyHelp')}>
          {t('keep.copy')}
        </CheckBox>
      )}
    </div>
  );
}
