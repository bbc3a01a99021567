import { useEffect, useRef } from 'react';
import type { SpectrogramImage } from '../../workers/spectrogram/messages.ts';
import type { SpectrogramSource } from './spectrogram-source.ts';
import styles from './timeline.module.css';
import { spanOf, type View } from './view.ts';

interface Properties {
  readonly source: SpectrogramSource;
  readonly view: View;
  readonly maxHz: number;
  readonly palette: 'viridis' | 'grey';
  /** CSS pixels */
  readonly width: number;
  readonly height: number;
}

/** An image of the recording as last computed: kept to show, stretched, while a new view is being drawn. */
interface Drawn {
  readonly bitmap: HTMLCanvasElement;
  readonly image: Pick<SpectrogramImage, 'view'>;
}

/** More columns than one per 2 ms show nothing new; more than two per CSS pixel nobody sees. */
const columnsOf = (width: number, view: View): number =>
  Math.max(1, Math.round(Math.min(width * Math.min(2, window.devicePixelRatio), spanOf(view) * 500, 2400)));

function toBitmap({ pixels, view }: SpectrogramImage): HTMLCanvasElement {
  const bitmap = document.createElement('canvas');
  bitmap.width = view.widthPixels;
  bitmap.height = view.heightPixels;
  bitmap.getContext('2d')?.putImageData(new ImageData(pixels, view.widthPixels, view.heightPixels), 0, 0);
  return bitmap;
}

/** Decorative for assistive technology: the summary and the table say the same. */
export function SpectrogramCanvas({ source, view, maxHz, palette, width, height }: Properties) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<Drawn | null>(null);
  // An image may arrive after the view has moved on: it is shown where it belongs now.
  const showInPresentView = useRef<(image: Drawn) => void>(() => {});

  useEffect(() => {
    const target = canvas.current;
    const context = target?.getContext('2d');
    if (!target || !context || width === 0) return;
    const density = Math.min(2, window.devicePixelRatio);
    target.width = Math.round(width * density);
    target.height = Math.round(height * density);

    const show = ({ bitmap, image }: Drawn) => {
      const scale = target.width / spanOf(view);
      const left = (image.view.startSeconds - view.startSeconds) * scale;
      context.clearRect(0, 0, target.width, target.height);
      context.drawImage(bitmap, left, 0, (image.view.endSeconds - image.view.startSeconds) * scale, target.height);
    };
    showInPresentView.current = show;
    const old = drawn.current;
    if (old && old.image.view.maxHz === maxHz && old.image.view.palette === palette) show(old);
    const heightPixels = Math.min(target.height, 600);
    source.request({ ...view, maxHz, palette, widthPixels: columnsOf(width, view), heightPixels }, (image) => {
      drawn.current = { bitmap: toBitmap(image), image };
      showInPresentView.current(drawn.current);
      performance.mark('spectrogram-drawn');
    });
  }, [source, view, maxHz, palette, width, height]);

  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas takes no focus
  return <canvas ref={canvas} className={styles.canvas} aria-hidden="true" />;
}
