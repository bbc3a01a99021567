import type { ConfidenceWord, Prediction } from '@chiffchaff/contract';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { RichText } from '../../../languages/rich-text.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { createPlayback, type Playback, usePlaybackStatus, useSliderPosition } from '../../../ui/timeline/sound/playback.ts';
import wordCounts from './evidence.json';
import styles from './example.module.css';
import recordingUrl from './killdeer.opus?url';
import predictions from './predictions.json';
import spectrogramUrl from './spectrogram.png?url';

// The test of the command that writes this file validates it against the contract's schema.
const stored = predictions as { readonly [language: string]: unknown } as { readonly [language: string]: Prediction };

const OBSERVATION = 'https://www.inaturalist.org/observations/48913140';
const LICENCE = 'https://creativecommons.org/publicdomain/zero/1.0/';

/** The verdict in the words of the result screen; the English sentence comes from the server. */
function useVerdict({ verdict, candidates: [first] }: Prediction): string {
  const { t, i18n } = useTranslation();
  if (i18n.language.startsWith('en') || !first) return verdict.sentence;
  return first.confidenceWord === 'none' ? t('answer.noBird') : t(`answer.${first.confidenceWord}A`, { name: first.commonName });
}

/** How often the result's word was right; bundled with the example, so that the first page needs no request for it. */
function Evidence({ word }: { readonly word: ConfidenceWord }) {
  const { t } = useTranslation();
  const counted = wordCounts.find((each) => each.word === word && each.of > 0);
  if (!counted) return null;
  const { right, of } = counted;
  return <p className="soft">{t('evidence.word', { word: t(`word.${word}`), right, of })}</p>;
}

interface PlotProperties {
  readonly prediction: Prediction;
  readonly language: string;
  readonly playback: Playback | null;
}

function Plot({ prediction, language, playback }: PlotProperties) {
  const { t } = useTranslation();
  const { durationSeconds } = prediction.recording;
  const played = useRef<HTMLDivElement>(null);
  const slider = useRef<HTMLInputElement>(null);
  const [sounding, setSounding] = useState<readonly number[]>([]);
  const { detections } = prediction;

  useSliderPosition(slider, playback, durationSeconds);
  useEffect(() => {
    let before = '';
    return playback?.onPosition((seconds) => {
      const isPlaying = playback.status.snapshot() === 'playing';
      played.current?.style.setProperty('--played', String(Math.min(1, seconds / durationSeconds)));
      if (slider.current) slider.current.value = String(seconds);
      const now = detections.flatMap(({ startSeconds, endSeconds }, index) =>
        isPlaying && seconds >= startSeconds && seconds < endSeconds ? [index] : [],
      );
      if (now.join() === before) return; // updates React only on changes, not on every frame
      before = now.join();
      setSounding(now);
    });
  }, [playback, detections, durationSeconds]);

  return (
    <>
      <div className={styles.plot} ref={played} role="img" aria-label={t('example.picture')}>
        <div className={styles.sound} style={{ maskImage: `url("${spectrogramUrl}")` }} />
        <div className={styles.playhead} />
        {detections.map(({ commonName, scientificName, startSeconds, endSeconds }, index) => (
          <div
            key={`${scientificName}@${startSeconds}`}
            className={styles.mark}
            data-sounding={sounding.includes(index)}
            style={{
              left: `${(startSeconds / durationSeconds) * 100}%`,
              right: `${100 - (endSeconds / durationSeconds) * 100}%`,
            }}
          >
            <span lang={language}>{commonName}</span>
          </div>
        ))}
      </div>
      <input
        ref={slider}
        className={styles.slider}
        type="range"
        min={0}
        max={durationSeconds}
        step={1 / 8} // browsers store it in binary, and a screen reader would read 2.3 as 2.299999952316284
        defaultValue={0}
        aria-label={t('example.position')}
        onChange={({ target }) => playback?.seek(Number(target.value))}
      />
    </>
  );
}

/** One real recording with its real result. Its audio loads on demand. */
export function Example() {
  const { t, i18n } = useTranslation();
  const language = Object.hasOwn(stored, i18n.language) ? i18n.language : 'en';
  const prediction = stored[language] as Prediction;
  const verdict = useVerdict(prediction);
  const [first] = prediction.candidates;
  const [playback, setPlayback] = useState<Playback | null>(null);
  const status = usePlaybackStatus(playback);
  const isPlaying = status === 'playing';

  const attach = useCallback((element: HTMLAudioElement) => {
    const attached = createPlayback(element);
    setPlayback(attached);
    return () => {
      attached.close();
      setPlayback(null);
    };
  }, []);

  return (
    <section aria-labelledby="example" className={`stack ${styles.example}`}>
      <h2 id="example">{t('example.title')}</h2>
      <p className="soft">{t('example.intro')}</p>
      <div className={styles.player}>
        <IconButton
          className="button button-secondary"
          label={t(isPlaying ? 'example.pause' : 'example.play')}
          icon={isPlaying ? IconPlayerPauseFilled : IconPlayerPlayFilled}
          onClick={() => playback?.toggle()}
        />
        <Plot prediction={prediction} language={language} playback={playback} />
      </div>
      {/* biome-ignore lint/a11y/useMediaCaption: bird song has no words to caption; the verdict says what is heard */}
      <audio ref={attach} src={recordingUrl} preload="none" />
      <div className={`stack-tight measure ${styles.answer}`}>
        <h3>{verdict}</h3>
        {first && (
          <p>
            <i lang="la">{first.scientificName}</i> · {t(`word.${first.confidenceWord}`)} ·{' '}
            <Link to="/about#words">{t('meaning.label')}</Link>
          </p>
        )}
        {first && <Evidence word={first.confidenceWord} />}
        <p>{t('example.why')}</p>
        {status === 'unplayable' && <p role="alert">{t('example.unplayable')}</p>}
        <p className="soft small">
          <RichText
            text={t('example.recording')}
            tags={{
              // biome-ignore lint/a11y/useAnchorContent: the words are between the tags of the string
              observation: <a href={OBSERVATION} rel="noreferrer" />,
              // biome-ignore lint/a11y/useAnchorContent: the words are between the tags of the string
              licence: <a href={LICENCE} rel="license noreferrer" />,
            }}
          />{' '}
          {t('example.answer', { attribution: prediction.model.attribution, licence: prediction.model.licence })}
        </p>
      </div>
    </section>
  );
}
