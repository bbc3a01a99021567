import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { type Span, timeLabel } from '../../../platform/format/format.ts';
import { ReviewedName } from '../../reviews/reviewed-name.tsx';
import styles from '../timeline.module.css';
import { useSize } from '../view/use-size.ts';
import { aroundView, followerStyle, placeIn, spanOf, type View } from '../view/view.ts';
import { clusterMarks, type Lane, lanesOf, type Mark, type MarkCluster, mergeBars, type ShownMarks } from './mark.ts';

interface Properties extends ShownMarks {
  /** Also the lanes of birds that the answer does not name. */
  readonly withUnnamed: boolean;
  /** Called with the marks that are pointed at; with none when the pointer leaves. */
  readonly onPoint: (marks: readonly Mark[]) => void;
  readonly onFocus: (mark: Mark) => void;
  readonly onPlay: (mark: Mark) => void;
  /** Zooms in on marks that are too close together to press one of them. */
  readonly onApproach: (startSeconds: number, endSeconds: number) => void;
}

const endOf = (marks: readonly Mark[]): number => Math.max(...marks.map(({ endSeconds }) => endSeconds));

/** A lane's name in full, for where it is cut off. */
function titleOf({ label, review, aside }: Lane): string {
  const name = review?.verdict === 'corrected' ? `${review.toCommonName ?? review.to} (${label})` : label;
  return aside === null ? name : `${name} · ${aside}`;
}

function ClusterButton({
  cluster,
  strip,
  isStop,
  ...handlers
}: { readonly cluster: MarkCluster; readonly strip: View; readonly isStop: boolean } & Pick<
  Properties,
  'onPoint' | 'onFocus' | 'onPlay' | 'onApproach'
>) {
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
      tabIndex={isStop ? 0 : -1}
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

const middleOf = ({ startSeconds, endSeconds }: MarkCluster): number => (startSeconds + endSeconds) / 2;

function nearest(clusters: readonly MarkCluster[] | undefined, to: MarkCluster): MarkCluster | undefined {
  const distance = (cluster: MarkCluster) => Math.abs(middleOf(cluster) - middleOf(to));
  return clusters?.toSorted((one, other) => distance(one) - distance(other))[0];
}

/**
 * Where a key leads from a button: arrows to its neighbours in its lane and to the nearest ones in the lanes above and below, Home and
 * End to the first and last of its lane.
 *
 * @param lanes the buttons of each lane, from top to bottom, in order of time
 * @returns the button itself if there is none beyond it; null for a key that leads nowhere
 */
export function clusterAt(lanes: readonly (readonly MarkCluster[])[], from: MarkCluster, key: string): MarkCluster | null {
  const lane = lanes.findIndex((clusters) => clusters.includes(from));
  const own = lanes[lane] ?? [];
  const at = own.indexOf(from);
  if (key === 'ArrowLeft') return own[at - 1] ?? from;
  if (key === 'ArrowRight') return own[at + 1] ?? from;
  if (key === 'ArrowUp') return nearest(lanes[lane - 1], from) ?? from;
  if (key === 'ArrowDown') return nearest(lanes[lane + 1], from) ?? from;
  if (key === 'Home') return own[0] ?? from;
  if (key === 'End') return own.at(-1) ?? from;
  return null;
}

/**
 * What was heard, one lane for each bird, on the plot's time axis. Every mark is a button that plays its passage; all of them are one
 * stop of the Tab key, with arrow keys inside.
 */
export function MarkLanes({
  marks,
  withUnnamed,
  view,
  durationSeconds,
  soundingIds,
  shownMarks,
  onFocus,
  ...handlers
}: Properties) {
  const { t } = useTranslation();
  const { element: list, width } = useSize<HTMLUListElement>();
  /** The mark whose button the Tab key reaches. */
  const [stopId, setStopId] = useState<string | null>(null);
  const hasFocus = useRef(false);
  const spanSeconds = spanOf(view);
  const lanes = useMemo(
    () => lanesOf(marks).map((lane) => ({ ...lane, clusters: clusterMarks(lane.marks, spanSeconds, width) })),
    [marks, spanSeconds, width],
  );
  const shown = lanes.filter(({ isNamed }) => withUnnamed || isNamed);
  const clusters = shown.flatMap((lane) => lane.clusters);
  const stop = clusters.find((cluster) => cluster.marks.some(({ id }) => id === stopId)) ?? clusters[0];

  useLayoutEffect(() => {
    // The focus follows an arrow key, and survives when zooming out joins its button with another.
    const button = hasFocus.current ? list.current?.querySelector<HTMLElement>('[tabindex="0"]') : null;
    if (button !== document.activeElement) button?.focus();
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !stop) return;
    const next = clusterAt(
      shown.map((lane) => lane.clusters),
      stop,
      event.key,
    );
    if (next === null) return;
    setStopId(next.marks[0].id);
    // The same keys move the playhead elsewhere in the timeline.
    event.preventDefault();
    event.stopPropagation();
  };

  const shownIds = shownMarks.map(({ id }) => id);
  const strip = aroundView(view, durationSeconds);
  const isNear = ({ startSeconds, endSeconds }: Span) => endSeconds > strip.startSeconds && startSeconds < strip.endSeconds;
  const rowOf = (lane: (typeof lanes)[number]) => {
    const near = lane.marks.filter(isNear);
    return (
      <li key={lane.key} className={styles.lane}>
        <span className={`small ${styles.laneName}`} title={titleOf(lane)}>
          <span>
            <ReviewedName name={lane.label} language={lane.language} review={lane.review} />
            {lane.aside !== null && <span className="soft"> · {lane.aside}</span>}
          </span>
        </span>
        <span className={styles.track}>
          <span className={styles.strip} data-follows style={followerStyle(view, strip)}>
            {[true, false].flatMap((isFaint) =>
              mergeBars(
                near.filter((mark) => mark.isFaint === isFaint),
                view,
                width,
              ).map((bar) => (
                <span key={bar.startSeconds} className={styles.bar} data-faint={isFaint} style={placeIn(strip, bar)} />
              )),
            )}
            {near
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
            {lane.clusters
              .filter((cluster) => cluster === stop || isNear(cluster))
              .map((cluster) => (
                <ClusterButton
                  key={cluster.marks[0].id}
                  cluster={cluster}
                  strip={strip}
                  isStop={cluster === stop}
                  {...handlers}
                  onFocus={(mark) => {
                    setStopId(mark.id);
                    onFocus(mark);
                  }}
                />
              ))}
          </span>
        </span>
      </li>
    );
  };

  return (
    <ul
      ref={list}
      className={`plain ${styles.lanes}`}
      hidden={shown.length === 0}
      aria-label={t('timeline.lanes')}
      onKeyDown={onKeyDown}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
    >
      {shown.map(rowOf)}
    </ul>
  );
}
