import { type Prediction, regionOfPlaceSchema } from '@chiffchaff/contract';
import { IconLink } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../../../../languages/i18n.ts';
import { ask } from '../../../../platform/api/ask.ts';
import { addressOf, createLink, useLinks } from '../../../../platform/api/links.ts';
import { useCall } from '../../../../platform/api/use-call.ts';
import { copyText } from '../../../../platform/browser/copy-text.ts';
import { formatDate } from '../../../../platform/format/format.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { coordinatesOf } from '../../../../platform/sending/requested-conditions.ts';
import type { OpenHttp } from '../../../../platform/session/page-session.ts';
import { useOpenHttp } from '../../../../platform/session/session-context.tsx';
import { AskFirst, Done } from '../../../../ui/ask-first.tsx';
import { Button } from '../../../../ui/button.tsx';
import { CheckBox } from '../../../../ui/form/check-box.tsx';
import { Failure } from '../../../../ui/notice.tsx';
import { ShareButton } from '../../../../ui/share/share-button.tsx';
import type { ServedRecording } from '../../../../ui/timeline/sound/use-playback.tsx';
import { summaryOf } from '../wording.ts';
import { cardContent, cardInWords } from './picture/card-content.ts';

const REGION_WITHIN_MS = 4000;

/** The precision with which predictions ask about places, so the server learns nothing new. */
const toTenth = (degrees: number): number => Math.round(degrees * 10) / 10;

/** The region of the stated place; null without a place or a connection. */
async function regionOf({ conditions }: Prediction, openHttp: OpenHttp): Promise<string | null> {
  const place = coordinatesOf(conditions);
  if (!place) return null;
  try {
    const params = { latitude: toTenth(place.latitude), longitude: toTenth(place.longitude) };
    const request = { url: '/v1/places/region', params, signal: AbortSignal.timeout(REGION_WITHIN_MS) };
    return (await ask(await openHttp(), regionOfPlaceSchema, request)).region;
  } catch {
    return null;
  }
}

interface Properties {
  readonly prediction: Prediction;
  /** The local file; null if there is none. */
  readonly recording: File | null;
  readonly served: ServedRecording | null | undefined;
  /** Further ways to share it. */
  readonly children?: ReactNode;
}

/** *Share* on a result: as a picture, as text, and in the ways given as `children`. */
export function ShareAnswer({ prediction, recording, served, children }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const openHttp = useOpenHttp();
  const makePicture = async () => {
    const [region, picture] = await Promise.all([regionOf(prediction, openHttp), import('./picture/make-picture.ts')]);
    const content = cardContent(prediction, region, t, i18n.language, words);
    const file = await picture.makePicture(content, prediction.recording.durationSeconds, { recording, served });
    return { file, description: cardInWords(content, i18n.language) };
  };
  return (
    <ShareButton text={summaryOf(prediction, t, i18n.language, words)} makePicture={makePicture}>
      {children}
    </ShareButton>
  );
}

interface LinkProperties {
  readonly predictionId: string;
  /** Audio of the recording is kept. */
  readonly hasSound: boolean;
}

/** Creates, copies and revokes public links to a stored result. */
export function CreateLink({ predictionId, hasSound }: LinkProperties) {
  const { t, i18n } = useTranslation();
  const { links = [], revoke, refresh } = useLinks((id) => id === make.data?.link.id && make.reset());
  const [withSound, setWithSound] = useState(false);
  const [copied, setCopied] = useState<boolean | null>(null);
  const make = useCall((http) => createLink(http, predictionId, withSound && hasSound), { onSuccess: refresh });
  const address = make.data && addressOf(make.data.token);
  const own = links.filter((link) => link.predictionId === predictionId);
  return (
    <section className="stack-tight" aria-label={t('share.links')}>
      {own.length > 0 && (
        <ul className="stack gap-small">
          {own.map(({ id, createdAt, sound }) => {
            const made = t(sound ? 'share.madeWithSound' : 'share.made', { date: formatDate(createdAt, i18n.language) });
            return (
              <li key={id} className="cluster apart">
                <span>{made}</span>
                <AskFirst
                  aria-label={t('share.revokeOf', { link: made })}
                  question={t('share.revokeAsk')}
                  yes={t('share.revoke')}
                  onYes={() => revoke.mutate(id)}
                >
                  {t('share.revoke')}
                </AskFirst>
              </li>
            );
          })}
        </ul>
      )}
      {revoke.isSuccess && <Done>{t('share.revoked')}</Done>}
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
