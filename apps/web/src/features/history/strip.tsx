import type { KeptAudio, SpectrogramQuery } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { readStrip } from '../../platform/api/stored-predictions.ts';
import { storedPredictionsKey } from '../../platform/api/use-stored-predictions.ts';
import { useAccountApi } from '../../platform/session/session-context.tsx';
import { usePaintedLevels } from '../../ui/timeline/spectrogram/use-painted-levels.ts';
import styles from './history.module.css';

/** About 4 kB per strip. */
const COLUMNS = 96;
const ROWS = 40;
const MAX_HZ = 12_000;
/** Narrower columns would have to be computed from the audio itself. */
const NARROWEST_SECONDS = 0.065;

/** The whole recording, or its longest kept excerpt. */
export function stripOf({ moments }: KeptAudio, durationSeconds: number): SpectrogramQuery | null {
  const whole = { startSeconds: 0, endSeconds: durationSeconds };
  const length = (stretch: typeof whole): number => stretch.endSeconds - stretch.startSeconds;
  const longest = moments === undefined ? whole : moments.toSorted((one, other) => length(other) - length(one))[0];
  const columns = longest === undefined ? 0 : Math.min(COLUMNS, Math.floor(length(longest) / NARROWEST_SECONDS));
  if (longest === undefined || columns === 0) return null;
  return { startSeconds: longest.startSeconds, endSeconds: longest.endSeconds, maxHz: MAX_HZ, columns, rows: ROWS };
}

/** Whether an element has come near the viewport. */
function useIsNear(element: React.RefObject<Element | null>): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setIsNear(true);
        observer.disconnect();
      },
      { rootMargin: '200px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isNear;
}

interface Properties {
  readonly id: string;
  readonly keptAudio: KeptAudio | null;
  readonly durationSeconds: number;
}

/** A recording's spectrogram if its audio is kept, else plain paper. Decorative: the row says what was heard. */
export function Strip({ id, keptAudio, durationSeconds }: Properties) {
  const frame = useRef<HTMLSpanElement>(null);
  const isNear = useIsNear(frame);
  const { openHttp, localId } = useAccountApi();
  const query = keptAudio && stripOf(keptAudio, durationSeconds);
  const { data: levels } = useQuery({
    // Kept audio can only shrink; and once a recording is deleted, there is nothing to ask for.
    queryKey: storedPredictionsKey(localId, 'strip', id, String(query?.startSeconds)),
    queryFn: async ({ signal }) => query && readStrip(await openHttp(), id, query, signal),
    enabled: isNear && query !== null,
    staleTime: 'static',
    // The audio of a new prediction may still be in preparation.
    retry: 1,
    retryDelay: 5000,
  });
  const canvas = usePaintedLevels(levels, ROWS);
  return (
    <span ref={frame} className={styles.strip} aria-hidden="true">
      {levels && <canvas ref={canvas} />}
    </span>
  );
}
