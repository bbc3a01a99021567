import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { usePalette } from '../../../ui/timeline/spectrogram/use-palette.ts';
import { createPalette } from '../../../ui/timeline/spectrogram/worker/paint-levels.ts';
import styles from '../listen.module.css';
import type { Microphone } from './microphone.ts';

const TOP_HZ = 12_000;
const PIXELS_A_SECOND = 80;
/** Maximum width drawn at once after a pause, as in a hidden tab: more would be a smear. */
const MOST_NEW_PIXELS = 32;
/** Level above the constant background from which a sound stands out; in byte steps. */
const ABOVE_FLOOR = 8;
const CONTRAST = 3.5;

/** Subtracts the constant background, per frequency: its estimate follows the level down within a second, and up within ten. */
function createFloor(bins: number) {
  let floor: Float32Array | null = null;
  return (levels: Uint8Array<ArrayBuffer>) => {
    floor ??= Float32Array.from(levels.subarray(0, bins));
    for (const [bin, before] of floor.entries()) {
      const level = levels[bin] ?? 0;
      floor[bin] = before + (level - before) * (level < before ? 0.03 : 0.002);
      levels[bin] = Math.max(0, Math.min(255, (level - before - ABOVE_FLOOR) * CONTRAST));
    }
  };
}

/**
 * Spectrogram of the last seconds, moving to the left; with reduced motion, it stands still and is overwritten from left to right. Drawn
 * outside React, once per frame.
 */
export function LiveSpectrogram({ microphone }: { readonly microphone: Microphone }) {
  const { t } = useTranslation();
  const palette = usePalette();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    const picture = element?.getContext('2d', { alpha: false });
    if (!element || !picture) return undefined;
    const { analyser, context } = microphone;
    const bins = Math.round((analyser.frequencyBinCount * TOP_HZ) / (context.sampleRate / 2));
    const levels = new Uint8Array(analyser.frequencyBinCount);
    const flatten = createFloor(bins);
    const shades = createPalette(palette);
    const column = new ImageData(1, bins);
    const colours = new Uint32Array(column.data.buffer);
    const strip = new OffscreenCanvas(1, bins);
    const stripPicture = strip.getContext('2d', { alpha: false });
    const stands = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const [quiet = 0] = shades;
    const blank = `rgb(${quiet & 255} ${(quiet >> 8) & 255} ${(quiet >> 16) & 255})`;

    const fit = () => {
      element.width = Math.max(1, Math.round(element.clientWidth));
      element.height = bins;
      picture.fillStyle = blank;
      picture.fillRect(0, 0, element.width, bins);
    };
    fit();
    const observer = new ResizeObserver(() => element.clientWidth !== element.width && fit());
    observer.observe(element);

    let frame = 0;
    let drawn = Math.floor(context.currentTime * PIXELS_A_SECOND);
    const draw = () => {
      frame = requestAnimationFrame(draw);
      const now = Math.floor(context.currentTime * PIXELS_A_SECOND);
      const count = Math.min(now - drawn, MOST_NEW_PIXELS);
      if (count <= 0) return;
      drawn = now;
      analyser.getByteFrequencyData(levels);
      flatten(levels);
      for (let bin = 0; bin < bins; bin += 1) colours[bins - 1 - bin] = shades[levels[bin] ?? 0] ?? 0;
      stripPicture?.putImageData(column, 0, 0);
      const { width } = element;
      if (!stands) {
        picture.drawImage(element, -count, 0);
        picture.drawImage(strip, width - count, 0, count, bins);
        return;
      }
      const at = now % width;
      picture.drawImage(strip, at - count, 0, count, bins);
      picture.fillStyle = blank;
      picture.fillRect(at, 0, 6, bins);
    };
    frame = requestAnimationFrame(draw);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [microphone, palette]);
  return (
    <div className={styles.picture}>
      <canvas ref={canvas} className={styles.canvas} role="img" aria-label={t('listen.picture')} />
      <span className={`small ${styles.hertz}`} aria-hidden="true">
        12 kHz
      </span>
    </div>
  );
}
