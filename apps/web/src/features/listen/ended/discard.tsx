import { useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Properties {
  /** Accessible name that says which recording, if there are several. */
  readonly label?: string;
  readonly onDiscard: () => Promise<void>;
}

/** *Discard*, with a confirmation. */
export function Discard({ label, onDiscard }: Properties) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking)
    return (
      <button type="button" className="button button-secondary" aria-label={label} onClick={() => setIsAsking(true)}>
        {t('listen.sessions.discard')}
      </button>
    );
  return (
    <>
      <span role="status">{t('listen.sessions.sure')}</span>
      <button type="button" className="button button-destructive" onClick={() => void onDiscard()}>
        {t('listen.sessions.discardNow')}
      </button>
      <button type="button" className="button button-secondary" onClick={() => setIsAsking(false)}>
        {t('action.cancel')}
      </button>
    </>
  );
}
