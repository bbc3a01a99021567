import { SHARED_ROWS } from '@chiffchaff/contract';
import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readSharedLevels, sharedSoundUrl } from '../../platform/api/links.ts';
import { usePreferences } from '../../platform/storage/preferences.ts';
import { Button } from '../../ui/button.tsx';
import { paintLevels } from '../../ui/timeline/spectrogram/worker/paint-levels.ts';
import styles from './shared.module.css';

interface Properties {
  readonly apiOrigin: string;
  readonly token: string;
  readonly scientificName: string;
  readonly name: string;
}

/** The audio of one bird: its spectrogram, and a play button. */
export function Clip({ apiOrigin, token, scientificName, name }: Properties) {
  const { t } = useTranslation();
  const audio = useRef<HTMLAudioElement>(null);
  const [state, setState] = useState<'silent' | 'playing' | 'failed'>('silent');
  const play = () => {
    const { current } = audio;
    if (current === null) return;
    if (state === 'playing') current.pause();
    else {
      current.currentTime = 0;
      current.play().catch(() => setState('failed'));
    }
  };
  return (
    <div className={styles.clip}>
      <Picture apiOrigin={apiOrigin} token={token} scientificName={scientificName} />
      {/* biome-ignore lint/a11y/useMediaCaption: birds */}
      <audio
        ref={audio}
        preload="none"
        src={sharedSoundUrl(apiOrigin, token, scientificName)}
        onPlaying={() => setState('playing')}
        onPause={() => setState('silent')}
      />
      <Button aria-label={t(state === 'playing' ? 'shared.stopOf' : 'shared.playOf', { name })} onClick={play}>
        {state === 'playing' ? <IconPlayerStopFilled aria-hidden="true" /> : <IconPlayerPlayFilled aria-hidden="true" />}
        {t(state === 'playing' ? 'shared.stop' : 'shared.play')}
      </Button>
      <span role="status" className={styles.soft}>
        {state === 'failed' ? t('shared.cannotPlay') : ''}
      </span>
    </div>
  );
}

/** Decorative: the audio can be played. */
function Picture({ apiOrigin, token, scientificName }: Omit<Properties, 'name'>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { spectrogramColours: palette } = usePreferences();
  const { data: levels } = useQuery({
    queryKey: ['shared', token, 'picture', scientificName],
    queryFn: ({ signal }) => readSharedLevels(apiOrigin, token, scientificName, signal),
    retry: 1,
    gcTime: 0,
  });
  useEffect(() => {
    const context = levels && canvas.current?.getContext('2d');
    if (!levels || !context || levels.length === 0) return;
    const columns = levels.length / SHARED_ROWS;
    context.canvas.width = columns;
    context.canvas.height = SHARED_ROWS;
    context.putImageData(new ImageData(paintLevels(levels, SHARED_ROWS, palette), columns, SHARED_ROWS), 0, 0);
  }, [levels, palette]);
  return (
    <span className={styles.picture} aria-hidden="true">
      <canvas ref={canvas} />
    </span>
  );
}
