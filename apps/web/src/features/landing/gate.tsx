import { IconArrowRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { isAdmitted, type Session } from '../../platform/session/session.ts';
import styles from './landing.module.css';

interface Properties {
  readonly session: Session;
}

/** What is behind the gate for this visitor. */
function WayIn({ session }: Properties) {
  const { t } = useTranslation();
  if (session.kind === 'unknown') return <p>{t('landing.waiting')}</p>;
  if (session.kind === 'unreachable')
    return (
      <p>
        {t('landing.unreachable')}{' '}
        <button type="button" className="text-button" onClick={session.retry}>
          {t('action.tryAgain')}
        </button>
      </p>
    );
  const [to, label] = isAdmitted(session)
    ? (['/process', t('landing.start')] as const)
    : (['/login', t('landing.login')] as const);
  return (
    <Link to={to} className="button">
      {label}
      <IconArrowRight aria-hidden="true" />
    </Link>
  );
}

/** The agreement, and the way in while it is ticked. Nothing of it is stored. */
export function Gate({ session }: Properties) {
  const { t } = useTranslation();
  const [accepted, setAccepted] = useState(false);
  const boxId = useId();
  return (
    <div className={styles.gate}>
      <div className={styles.agreement}>
        <input id={boxId} type="checkbox" checked={accepted} onChange={({ target }) => setAccepted(target.checked)} />
        <label htmlFor={boxId}>
          <Trans t={t} i18nKey="landing.agree" components={{ terms: <Link to="/toc" />, privacy: <Link to="/toc#privacy" /> }} />
        </label>
      </div>
      <div className={styles.wayIn} aria-live="polite">
        {accepted ? <WayIn session={session} /> : <p className={styles.hint}>{t('landing.agreeFirst')}</p>}
      </div>
    </div>
  );
}
