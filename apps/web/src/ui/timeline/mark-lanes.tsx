import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lanesOf, type Mark } from './mark.ts';
import styles from './timeline.module.css';
import { percentOf, type View } from './view.ts';

interface Properties {
  readonly marks: readonly Mark[];
  readonly view: View;
  readonly soundingIds: readonly string[];
  /** A mark is pointed at; null when no longer. */
  readonly onPoint: (mark: Mark | null) => void;
  readonly onFocus: (mark: Mark) => void;
  readonly onPlay: (mark: Mark) => void;
}

const lanesAtFirst = 8;
/** Up to here every mark can be reached by Tab; beyond, only those in view. */
const mostMarks = 200;

/** What was heard, a lane for each bird, on the plot's time axis. Every mark is a button that plays its passage. */
export function MarkLanes({ marks, view, soundingIds, onPoint, onFocus, onPlay }: Properties) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const lanes = lanesOf(marks);
  const isRendered = ({ startSeconds, endSeconds }: Mark) =>
    marks.length <= mostMarks || (endSeconds > view.startSeconds && startSeconds < view.endSeconds);

  if (lanes.length === 0) return null;
  return (
    <>
      <ul className={styles.lanes} aria-label={t('timeline.lanes')}>
        {(all ? lanes : lanes.slice(0, lanesAtFirst)).map((lane) => (
          <li key={lane.key} className={styles.lane}>
            <span className={styles.laneName} lang={lane.language}>
              {lane.label}
            </span>
            {lane.marks.filter(isRendered).map((mark) => (
              <button
                key={mark.id}
                type="button"
                className={styles.mark}
                data-sounding={soundingIds.includes(mark.id)}
                style={{
                  left: `${percentOf(view, mark.startSeconds)}%`,
                  width: `${percentOf(view, mark.endSeconds) - percentOf(view, mark.startSeconds)}%`,
                }}
                onClick={() => onPlay(mark)}
                onFocus={() => onFocus(mark)}
                onBlur={() => onPoint(null)}
                onPointerEnter={() => onPoint(mark)}
                onPointerLeave={() => onPoint(null)}
              >
                <span className={styles.bar} />
                <span className="visually-hidden">
                  <span lang={mark.language}>{mark.label}</span>, {mark.description}
                </span>
              </button>
            ))}
          </li>
        ))}
      </ul>
      {lanes.length > lanesAtFirst && (
        <button type="button" className={styles.moreLanes} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('timeline.fewerLanes') : t('timeline.moreLanes', { count: lanes.length - lanesAtFirst })}
        </button>
      )}
    </>
  );
}
