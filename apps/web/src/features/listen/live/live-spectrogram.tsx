import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { type PaletteName, paintLevels } from '../../../ui/timeline/spectrogram/paint-levels.ts';
import { usePalette } from '../../../ui/timeline/spectrogram/use-painted-levels.ts';
import styles from '../listen.module.css';
import { COLUMNS_A_SECOND, type LiveLevels } from './live-levels.ts';
import type { LiveSession } from './live-session.ts';
import { type Call, callsToName } from './species-rows.ts';

/** Draws new columns once per frame, outside React, as long as the picture is not frozen. @returns stops it */
function draw(canvas: HTMLCanvasElement, levels: LiveLevels, palette: PaletteName, isFrozen: () => boolean) {
  const picture = canvas.getContext('2d', { alpha: false });
  const { rows } = levels;
  const columns = 8 * COLUMNS_A_SECOND; // that many seconds are shown
  Object.assign(canvas, { width: columns, height: rows });
  const stands = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  let frame = 0;
  let drawn = 0;
  picture?.putImageData(new ImageData(paintLevels(new Uint8Array(columns * rows), rows, palette), columns, rows), 0, 0);
  const next = () => {
    frame = requestAnimationFrame(next);
    const count = Math.min(levels.written() - drawn, columns, levels.written());
    if (count <= 0 || isFrozen() || !picture) return;
    drawn = levels.written();
    const image = new ImageData(paintLevels(levels.latest(count), rows, palette), count, rows);
    if (stands) {
      // Overwritten from left to right.
      const at = (drawn - count) % columns;
      picture.putImageData(image, at, 0);
      picture.putImageData(image, at - columns, 0);
    } else {
      picture.drawImage(canvas, -count, 0);
      picture.putImageData(image, columns - count, 0);
      canvas.parentElement?.style.setProperty('--now', String(drawn / COLUMNS_A_SECOND));
    }
  };
  frame = requestAnimationFrame(next);
  return () => cancelAnimationFrame(frame);
}

interface Properties {
  readonly session: Pick<LiveSession, 'play'>;
  readonly levels: LiveLevels;
  readonly calls: readonly Call[];
  readonly playing: string | null;
}

/**
 * Spectrogram of the last seconds with the names of the calls, moving to the left; with reduced motion it stands still and is overwritten.
 * A press freezes it, and then plays the calls.
 */
export function LiveSpectrogram({ session, levels, calls, playing }: Properties) {
  const { t } = useTranslation();
  const palette = usePalette();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [frozen, setFrozen] = useState<readonly Call[] | null>(null);
  const isFrozen = useRef(false);
  useEffect(
    () => (canvas.current ? draw(canvas.current, levels, palette, () => isFrozen.current) : undefined),
    [levels, palette],
  );
  const turn = () => {
    isFrozen.current = frozen === null;
    setFrozen(frozen === null ? callsToName(calls) : null);
  };
  const Icon = frozen === null ? IconPlayerPauseFilled : IconPlayerPlayFilled;
  return (
    <>
      <canvas ref={canvas} className={styles.canvas} role="img" aria-label={t('listen.picture')} />
      <button
        type="button"
        className={styles.freeze}
        aria-pressed={frozen !== null}
        aria-label={t('listen.freeze')}
        onClick={turn}
      >
        <Icon aria-hidden="true" />
      </button>
      {(frozen ?? callsToName(calls)).map((call) => {
        const { scientificName, commonName, best } = call;
        const atSeconds = best.startSeconds;
        const style = { '--at': atSeconds } as CSSProperties;
        return frozen === null ? (
          <span key={scientificName + atSeconds} className={`small ${styles.call}`} style={style} aria-hidden="true">
            {commonName}
          </span>
        ) : (
          <button
            key={scientificName + atSeconds}
            type="button"
            className={`small ${styles.call}`}
            style={style}
            aria-pressed={playing === scientificName}
            onClick={() => void session.play({ scientificName, best })}
          >
            {commonName}
          </button>
        );
      })}
    </>
  );
}

const QUIETEST_DECIBELS = -60;

/** The input level, drawn outside React, once per frame. */
export function Level({ peak, isClipped }: Pick<LiveSession, 'peak'> & { readonly isClipped: boolean }) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = requestAnimationFrame(draw);
      const decibels = 20 * Math.log10(Math.max(peak(), 1e-6));
      const share = Math.max(0, 1 - decibels / QUIETEST_DECIBELS);
      bar.current?.style.setProperty('transform', `scaleX(${share})`);
    };
    frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [peak]);
  return <div ref={bar} className={styles.level} data-clipped={isClipped} aria-hidden="true" />;
}
