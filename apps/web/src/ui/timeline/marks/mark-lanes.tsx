import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../platform/format/format.ts';
import { ReviewedName } from '../../reviews/reviewed-name.tsx';
import styles from '../timeline.module.css';
import { useSize } from '../view/use-size.ts';
import { aroundView, followerStyle, placeIn, type View } from '../view/view.ts';
import { clusterMarks, type Lane, lanesOf, type Mark, type MarkCluster, mergeBars } from './mark.ts';

interface Properties {
  readonly marks: readonly Mark[];
  /** The settled view; rendering reaches one view length beyond it. */
  readonly view: View;
  readonly durationSeconds: number;
  readonly soundingIds: readonly string[];
  readonly shownMarks: readonly Mark[];
  /** Called with the marks that are pointed at; with none when the pointer leaves. */
  readonly onPoint: (marks: readonly Mark[]) => void;
  readonly onFocus: (mark: Mark) => void;
  readonly onPlay: (mark: Mark) => void;
  /** Zooms in on marks that are too close together to press one of them. */
  readonly onApproach: (startSeconds: number, endSeconds: number) => void;
}

const LANES_AT_FIRST = 8;
/** Up to this many, Tab reaches every mark; beyond, only those near the view. */
const MOST_MARKS = 200;

const endOf = (marks: readonly Mark[]): number => Math.max(...marks.map(({ endSeconds }) => endSeconds));

function ClusterButton({
  cluster,
  strip,
  ...handlers
}: { readonly cluster: MarkCluster; readonly strip: View } & Pick<Properties, 'onPoint' | 'onFocus' | 'onPlay' | 'onApproach'>) {
  const { t } = useTranslation();
  const { marks } = cluster;
  const [first] = marks;
  const alone = marks.length === 1;
  const { onPoint, onFocus, onPlay, onApproach } = handlers;
  return (
    <button
      type="button"
      className={styles.mark}
      style={placeIn(strip, cluster)}
      onClick={() => (alone ? onPlay(first) : onApproach(first.startSeconds, endOf(marks)))}
      onFocus={() => {
        onFocus(first);
        onPoint(marks);
      }}
      onBlur={() => onPoint([])}
      onPointerEnter={() => onPoint(marks)}
      onPointerLeave={() => onPoint([])}
    >
      <span className="visually-hidden">
        <ReviewedName name={first.label} language={first.language} review={first.review} />,{' '}
        {alone
          ? first.description
          : t('timeline.cluster', {
              count: marks.length,
              from: timeLabel(first.startSeconds, 1),
              to: timeLabel(endOf(marks), 1),
            })}
      </span>
    </button>
  );
}

/** What was heard, one lane for each bird, on the plot's time axis. Every mark is a button that plays its passage. */
export function MarkLanes({ marks, view, durationSeconds, soundingIds, shownMarks, ...handlers }: Properties) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const { element, width } = useSize<HTMLUListElement>();
  const lanes = lanesOf(marks);
  const first = lanes.filter(({ aside }) => aside === null).slice(0, LANES_AT_FIRST);
  const more = lanes.filter((lane) => !first.includes(lane));
  const shownIds = shownMarks.map(({ id }) => id);
  // Few marks are all rendered, so that Tab reaches every one; of many, only those near the view.
  const strip = marks.length <= MOST_MARKS ? { startSeconds: 0, endSeconds: durationSeconds } : aroundView(view, durationSeconds);
  const isRendered = ({ startSeconds, endSeconds }: Mark) => endSeconds > strip.startSeconds && startSeconds < strip.endSeconds;
  const rowOf = (lane: Lane) => {
    const rendered = lane.marks.filter(isRendered);
    return (
      <li key={lane.key} className={styles.lane}>
        <span className={styles.laneName}>
          <ReviewedName name={lane.label} language={lane.language} review={lane.review} />
          {lane.aside !== null && <span className={styles.laneAside}> · {lane.aside}</span>}
        </span>
        <span className={styles.strip} data-follows style={followerStyle(view, strip)}>
          {[true, false].flatMap((isFaint) =>
            mergeBars(
              rendered.filter((mark) => mark.isFaint === isFaint),
              view,
              width,
            ).map((bar) => (
              <span key={bar.startSeconds} className={styles.bar} data-faint={isFaint} style={placeIn(strip, bar)} />
            )),
          )}
          {rendered
            .filter(({ id }) => soundingIds.includes(id) || shownIds.includes(id))
            .map((mark) => (
              <span
                key={mark.id}
                className={styles.bar}
                data-faint={mark.isFaint}
                data-sounding={soundingIds.includes(mark.id)}
                data-shown={shownIds.includes(mark.id)}
                style={placeIn(strip, mark)}
              />
            ))}
          {clusterMarks(rendered, view, width).map((cluster) => (
            <ClusterButton key={cluster.marks[0].id} cluster={cluster} strip={strip} {...handlers} />
          ))}
        </span>
      </li>
    );
  };

  if (lanes.length === 0) return null;
  return (
    <>
      <ul ref={element} className={styles.lanes} aria-label={t('timeline.lanes')}>
        {(all ? [...first, ...more] : first).map(rowOf)}
      </ul>
      {more.length > 0 && (
        <button type="button" className={styles.moreLanes} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('timeline.fewerLanes') : t('timeline.moreLanes', { count: more.length })}
        </button>
      )}
    </>
  );
}
