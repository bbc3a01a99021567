import type { ReviewVerdict } from '@chiffchaff/contract';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { formatPercent, timeLabel } from '../../platform/format/format.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { Mark } from '../../ui/timeline/marks/mark.ts';
import { usePlayback } from '../../ui/timeline/sound/use-playback.tsx';
import { useSpectrogramSource } from '../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { Timeline } from '../../ui/timeline/timeline.tsx';
import styles from './review.module.css';
import type { LoadedClip } from './review-session.ts';
import { type ClipSound, ReviewError } from './review-session.ts';

interface Properties {
  /** null while it is awaited */
  readonly loaded: LoadedClip | null;
  /** null: keys are turned off */
  readonly keys: ReviewKeys | null;
  readonly playsAtOnce: boolean;
  readonly canUndo: boolean;
  /** names that *another species* suggests */
  readonly names: readonly string[];
  readonly onVerdict: (verdict: ReviewVerdict, otherSpecies?: string) => void;
  readonly onSkip: () => void;
  readonly onUndo: () => void;
  /** Called for a key that would label or skip a clip while none is shown. */
  readonly onMiss: () => void;
}

interface SoundProperties extends Pick<Properties, 'playsAtOnce'> {
  readonly loaded: LoadedClip;
  readonly sound: ClipSound;
  readonly onToggle: (toggle: (() => void) | null) => void;
}

function ClipTimeline({ loaded: { clip }, sound, playsAtOnce, onToggle }: SoundProperties) {
  const { t, i18n } = useTranslation();
  const { recording, durationSeconds } = sound;
  const player = usePlayback(recording, null, durationSeconds);
  const { playback } = player;
  const spectrogram = useSpectrogramSource(recording, null, durationSeconds);
  useEffect(() => {
    onToggle(playback ? playback.toggle : null);
    if (playback && playsAtOnce) playback.playPassage(0, durationSeconds);
    return () => onToggle(null);
  }, [playback, playsAtOnce, durationSeconds, onToggle]);
  const startSeconds = clip.startSeconds - clip.clipStartSeconds;
  const mark: Mark = {
    id: String(clip.id),
    lane: clip.scientificName,
    label: clip.commonName,
    language: undefined,
    review: undefined,
    startSeconds,
    endSeconds: Math.min(durationSeconds, startSeconds + clip.endSeconds - clip.startSeconds),
    description: t('review.confidence', { confidence: formatPercent(clip.confidence, i18n.language) }),
    confidence: clip.confidence,
    isFaint: false,
    isNamed: true,
    aside: null,
  };
  return (
    <>
      {player.audio}
      <Timeline
        spectrogram={spectrogram}
        recording={recording}
        served={null}
        durationSeconds={durationSeconds}
        marks={[mark]}
        withUnnamed
        sound={player}
        hasSound
        summary={t('review.summary', { name: clip.commonName })}
      />
    </>
  );
}

const verdicts = ['yes', 'no', 'unsure', 'other'] as const;

/**
 * One detection with its buttons. Keys work while the focus is inside this stage and not in a field; while the next clip is awaited, the last
 * label can be undone.
 */
export function ReviewClipStage({ loaded, keys, playsAtOnce, canUndo, names, onVerdict, onSkip, onUndo, onMiss }: Properties) {
  const { t, i18n } = useTranslation();
  const [sound, setSound] = useState<ClipSound | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [asksWhich, setAsksWhich] = useState(false);
  const stage = useRef<HTMLElement>(null);
  const toggle = useRef<(() => void) | null>(null);
  const [onToggle] = useState(() => (next: (() => void) | null) => {
    toggle.current = next;
  });
  const id = useId();

  useEffect(() => {
    let isShown = true;
    setSound(null);
    setRefusal(null);
    setAsksWhich(false);
    loaded?.sound.then(
      (ready) => isShown && setSound(ready),
      (error: unknown) => isShown && setRefusal(error instanceof ReviewError ? (error.sentence ?? '') : ''),
    );
    // The field for another species has disappeared, and the focus with it.
    if (document.activeElement === document.body || !stage.current?.contains(document.activeElement)) stage.current?.focus();
    return () => {
      isShown = false;
    };
  }, [loaded]);

  const act = (action: ReviewAction) => {
    if (action === 'undo') onUndo();
    else if (action === 'play') toggle.current?.();
    else if (loaded === null) onMiss();
    else if (action === 'other') setAsksWhich(true);
    else if (action === 'skip') onSkip();
    else onVerdict(action);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (keys === null || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    const action = actionOf({ ...event, repeat: event.nativeEvent.repeat, key: event.key }, keys);
    // A focused button keeps Space for itself.
    if (action === null || (event.key === ' ' && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    event.stopPropagation();
    act(action);
  };
  const keyOf = (action: ReviewAction) => (keys?.[action] ? <kbd>{keys[action]?.toUpperCase()}</kbd> : null);

  const waiting = <p role="status">{t('review.loading')}</p>;
  const frame = (content: ReactNode) => (
    <section
      ref={stage}
      className={`stack ${styles.stage}`}
      aria-label={t('review.stage')}
      tabIndex={-1}
      onKeyDownCapture={onKeyDown}
    >
      {content}
    </section>
  );
  if (loaded === null) return frame(waiting);
  const { clip } = loaded;
  return frame(
    <>
      <h1>{t('review.ask', { name: clip.commonName })}</h1>
      <p className="soft small">
        <i lang="la">{clip.scientificName}</i> ·{' '}
        {t('review.confidence', { confidence: formatPercent(clip.confidence, i18n.language) })} ·{' '}
        {t('review.place', {
          from: timeLabel(clip.startSeconds, 1),
          to: timeLabel(clip.endSeconds, 1),
          file: clip.file,
        })}
      </p>
      <div className={styles.sound}>
        {sound && <ClipTimeline key={clip.id} {...{ loaded, sound, playsAtOnce, onToggle }} />}
        {!sound && refusal === null && waiting}
        {refusal !== null && (
          <Notice tone="warning" title={t('review.noSound')} announce>
            <p>{refusal}</p>
          </Notice>
        )}
      </div>
      {asksWhich ? (
        <form
          className={`cluster ${styles.which}`}
          onSubmit={(event) => {
            event.preventDefault();
            onVerdict('other', String(new FormData(event.currentTarget).get('species') ?? '').trim());
            stage.current?.focus();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            setAsksWhich(false);
            stage.current?.focus();
          }}
        >
          <label htmlFor={`${id}-which`}>{t('review.which')}</label>
          {/* biome-ignore lint/a11y/noAutofocus: asked for with a key, to be typed into at once */}
          <input id={`${id}-which`} name="species" list={`${id}-names`} maxLength={100} autoComplete="off" autoFocus />
          <datalist id={`${id}-names`}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <Button type="submit" look="main">
            {t('action.save')}
          </Button>
          <Button onClick={() => setAsksWhich(false)}>{t('action.cancel')}</Button>
        </form>
      ) : (
        <div className={`cluster ${styles.verdicts}`}>
          {verdicts.map((verdict) => (
            <Button key={verdict} look={verdict === 'yes' ? 'main' : 'secondary'} onClick={() => act(verdict)}>
              {t(`review.${verdict}`)} {keyOf(verdict)}
            </Button>
          ))}
          <Button onClick={onSkip}>
            {t('review.skip')} {keyOf('skip')}
          </Button>
          <Button onClick={onUndo} disabled={!canUndo}>
            {t('review.undo')} {keyOf('undo')}
          </Button>
        </div>
      )}
    </>,
  );
}

/** Actions that a key can trigger. */
export type ReviewAction = ReviewVerdict | 'skip' | 'undo' | 'play';
const reviewActions = ['yes', 'no', 'unsure', 'other', 'skip', 'undo', 'play'] as const;

/** Keys in lower case; null for none. They last as long as the page, since each review has its own address. */
export type ReviewKeys = Readonly<Record<ReviewAction, string | null>>;

export const usualKeys: ReviewKeys = { yes: 'y', no: 'n', unsure: 'u', other: 'o', skip: 's', undo: 'z', play: ' ' };

/** The action of a pressed key; null if the browser handles it. */
function actionOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat'>,
  keys: ReviewKeys,
): ReviewAction | null {
  // A key held down would label clips before they have been heard.
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return null;
  return reviewActions.find((action) => keys[action] === event.key.toLowerCase()) ?? null;
}
