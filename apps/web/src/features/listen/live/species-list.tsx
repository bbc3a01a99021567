import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../platform/format/format.ts';
import { languageTag, useNamesLanguage } from '../../../platform/format/species-language.ts';
import styles from '../listen.module.css';
import type { SpeciesRow } from './species-rows.ts';

const MOVE_MS = 350;

/** Rows glide to their new positions and new ones fade in; with reduced motion, they change instantly. */
function useGliding(rows: readonly SpeciesRow[]) {
  const list = useRef<HTMLUListElement>(null);
  const places = useRef(new Map<string, number>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the rows have changed
  useLayoutEffect(() => {
    const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const before = places.current;
    places.current = new Map();
    for (const item of list.current?.children ?? []) {
      if (!(item instanceof HTMLElement)) continue;
      const name = item.dataset.species ?? '';
      const from = before.get(name);
      places.current.set(name, item.offsetTop);
      if (isCalm || from === item.offsetTop) continue;
      const start = from === undefined ? { opacity: 0 } : { transform: `translateY(${from - item.offsetTop}px)` };
      item.animate([start, { opacity: 1, transform: 'none' }], { duration: MOVE_MS, easing: 'ease-out' });
    }
  }, [rows]);
  return list;
}

interface Properties {
  readonly rows: readonly SpeciesRow[];
  readonly playing: string | null;
  readonly recordedSeconds: number;
  readonly onPlay: (row: SpeciesRow) => void;
}

/**
 * One row per species, hollow until it is settled; a press plays its best part. While a pointer is over the list, the order does not
 * change.
 */
export function SpeciesList({ rows, playing, recordedSeconds, onPlay }: Properties) {
  const { t } = useTranslation();
  const language = useNamesLanguage();
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const order = new Map(held?.map((name, index) => [name, index]));
  const place = ({ scientificName }: SpeciesRow) => order.get(scientificName) ?? order.size;
  const shown = held === null ? rows : rows.toSorted((one, other) => place(one) - place(other));
  const list = useGliding(shown);
  const hold = () => setHeld(shown.map(({ scientificName }) => scientificName));
  const letGo = () => setHeld(null);
  return (
    <ul
      ref={list}
      className={`stack-tight unless-empty ${styles.species}`}
      aria-label={t('listen.heard')}
      onPointerEnter={hold}
      onPointerLeave={letGo}
      onPointerCancel={letGo}
    >
      {shown.map((row) => {
        const { scientificName, commonName, confidenceWord, lastSeconds, isSinging, occurrence } = row;
        const isPlaying = playing === scientificName;
        const Icon = isPlaying ? IconPlayerStopFilled : IconPlayerPlayFilled;
        return (
          <li key={scientificName} data-species={scientificName} data-singing={isSinging} data-settled={confidenceWord !== null}>
            <button type="button" className={styles.row} aria-pressed={isPlaying} onClick={() => onPlay(row)}>
              <span className={styles.name}>
                <span className={styles.commonName} lang={language === null ? undefined : languageTag(language)}>
                  {commonName}
                </span>{' '}
                <i lang="la">{scientificName}</i>
              </span>
              <span className={styles.word}>
                {confidenceWord === null ? t('listen.checking') : t(`word.${confidenceWord}`)}
                {occurrence !== null && ` · ${t(`answer.occurrence.${occurrence}`)}`}
              </span>
              <span className={styles.when}>
                {isSinging
                  ? t('listen.singing')
                  : t('listen.lastHeard', { ago: timeLabel(Math.max(0, recordedSeconds - lastSeconds)) })}
              </span>
              <span className={styles.playIcon}>
                <Icon aria-hidden="true" />
                <span className="visually-hidden">{t(isPlaying ? 'listen.stopPlaying' : 'listen.playBest')}</span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Announces each new bird to screen readers, and when it is settled. */
export function NewBirds({ rows }: { readonly rows: readonly SpeciesRow[] }) {
  const { t } = useTranslation();
  const newest = rows.reduce<SpeciesRow | null>(
    (found, row) => (found === null || row.firstSeconds > found.firstSeconds ? row : found),
    null,
  );
  return (
    <p role="status" className="visually-hidden">
      {newest && t(newest.confidenceWord === null ? 'listen.perhapsBird' : 'listen.newBird', { name: newest.commonName })}
    </p>
  );
}
