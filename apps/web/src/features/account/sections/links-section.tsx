import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useLinks } from '../../../platform/api/links.ts';
import { useFailureSentence } from '../../../platform/api/use-failure-sentence.ts';
import { dateLocale, formatList } from '../../../platform/format/format.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import styles from '../account.module.css';
import { Section } from './section.tsx';

/** All public links of the account; each can be revoked. */
export function LinksSection() {
  const { t, i18n } = useTranslation();
  const failureOf = useFailureSentence();
  const { links, error, revoke } = useLinks();
  const date = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Section title={t('share.links')}>
      <p className={styles.soft}>{links?.length === 0 ? t('share.noLinks') : t('share.linksHelp')}</p>
      <Failure sentence={failureOf(error ?? revoke.error)} />
      <ul className={styles.sessions}>
        {links?.map(({ id, predictionId, createdAt, sound, commonNames, fileName }) => {
          const name = commonNames.length > 0 ? formatList(commonNames, i18n.language) : (fileName ?? t('answer.noName'));
          return (
            <li key={id} className={styles.session}>
              <span>
                <Link to={`/history/${encodeURIComponent(predictionId)}`}>{name}</Link>
                <br />
                <span className={styles.soft}>
                  {t(sound ? 'share.madeWithSound' : 'share.made', { date: date.format(new Date(createdAt)) })}
                </span>
              </span>
              <Button aria-label={t('share.revokeOf', { link: name })} onClick={() => revoke.mutate(id)}>
                {t('share.revoke')}
              </Button>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
