import { IconLink } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf, createLink, useLinks } from '../../../../platform/api/links.ts';
import { useCall } from '../../../../platform/api/use-call.ts';
import { copyText } from '../../../../platform/browser/copy-text.ts';
import { dateLocale } from '../../../../platform/format/format.ts';
import { Button } from '../../../../ui/button.tsx';
import { CheckBox } from '../../../../ui/form/check-box.tsx';
import { Failure } from '../../../../ui/notice.tsx';

interface Properties {
  readonly predictionId: string;
  /** Audio of the recording is kept. */
  readonly hasSound: boolean;
}

/** Creates, copies and revokes public links to a stored result. */
export function CreateLink({ predictionId, hasSound }: Properties) {
  const { t, i18n } = useTranslation();
  const { links = [], revoke, refresh } = useLinks((id) => id === make.data?.link.id && make.reset());
  const [withSound, setWithSound] = useState(false);
  const [copied, setCopied] = useState<boolean | null>(null);
  const revoked = useRef<HTMLParagraphElement>(null);
  const make = useCall((http) => createLink(http, predictionId, withSound && hasSound), { onSuccess: refresh });
  const address = make.data && addressOf(make.data.token);
  const own = links.filter((link) => link.predictionId === predictionId);
  const date = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <section className="stack-tight" aria-label={t('share.links')}>
      {own.length > 0 && (
        <ul className="stack gap-small">
          {own.map(({ id, createdAt, sound }) => {
            const made = t(sound ? 'share.madeWithSound' : 'share.made', { date: date.format(new Date(createdAt)) });
            return (
              <li key={id} className="cluster apart">
                <span>{made}</span>
                <Button
                  aria-label={t('share.revokeOf', { link: made })}
                  onClick={() => revoke.mutate(id, { onSuccess: () => revoked.current?.focus() })}
                >
                  {t('share.revoke')}
                </Button>
              </li>
            );
          })}
        </ul>
      )}
      {/* Takes the focus, because the pressed button is gone. */}
      <p ref={revoked} tabIndex={-1} role="status" className="soft small unless-empty">
        {revoke.isSuccess && t('share.revoked')}
      </p>
      <p className="soft small">{t('share.linkShows')}</p>
      <Failure sentence={make.failure ?? revoke.failure} />
      {address === undefined ? (
        <>
          {hasSound && (
            <CheckBox name="sound" checked={withSound} onChange={setWithSound} help={t('share.withSoundHelp')}>
              {t('share.withSound')}
            </CheckBox>
          )}
          <Button icon={IconLink} look="main" isDisabled={make.isPending} onClick={() => make.mutate()}>
            {t('share.create')}
          </Button>
        </>
      ) : (
        <>
          <label className="field">
            {t('share.link')}
            <input readOnly value={address} onFocus={({ target }) => target.select()} />
          </label>
          <Button look="main" onClick={() => void copyText(address).then(setCopied)}>
            {t('share.copyLink')}
          </Button>
          <span role="status" className="soft small">
            {copied === null ? t('share.shownOnce') : t(copied ? 'share.linkCopied' : 'share.copyByHand')}
          </span>
        </>
      )}
    </section>
  );
}
