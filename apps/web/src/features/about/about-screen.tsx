import type { ConfidenceCounts, PublicConfig, WordEvidence } from '@chiffchaff/contract';
import type { ComponentProps } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { RichText } from '../../languages/rich-text.tsx';
import { useConfidenceEvidence, useIsEvidenceSettled } from '../../platform/api/confidence-evidence.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { formatPercent } from '../../platform/format/format.ts';
import { useWords } from '../../platform/format/words.ts';
import styles from '../../ui/prose.module.css';
import { useHashTarget } from '../../ui/use-hash-target.ts';
import { useRightOf, WordTable } from '../../ui/word-table.tsx';

const TITLES = { none: 'about.rightNoPlace', town: 'about.rightAtPlace', zoneAssumed: 'about.rightAssumed' } as const;
type PlacedWords = { readonly place: keyof typeof TITLES; readonly words: readonly WordEvidence[] };

/** The confidence words, one plain line each; method and figures are one click away. Without evidence, only the words. */
function WordTests({ modelId }: { readonly modelId: string | null }) {
  const { t, i18n } = useTranslation();
  const { thresholds, rangeOf } = useWords();
  const evidence = useConfidenceEvidence(modelId);
  const percent = (share: number) => formatPercent(share, i18n.language);
  const rightOf = useRightOf();
  const placed = (evidence?.places?.rows ?? []).flatMap(({ place, words }) =>
    place === 'town' || place === 'zoneAssumed' ? [{ place, words }] : [],
  );
  // Nearly every result is for a place, so the lines say how often the words are right with one.
  const withPlace = placed.find(({ place }) => place === 'town');
  const counted = evidence && (withPlace ?? evidence.tested).words;
  const columnOf = ({ place, words }: PlacedWords) => ({ title: t(TITLES[place]), textOf: rightOf(words) });
  const byPlace = (how: 'about.simulated' | 'about.scenes', rows: readonly PlacedWords[] = []) =>
    rows.length > 0 && (
      <>
        <p>{t(how)}</p>
        <WordTable className={styles.table} columns={rows.map(columnOf)} />
      </>
    );
  return (
    <>
      <ul>
        {thresholds.map(({ word }) => {
          const { right = 0, of = 0 } = counted?.find((each) => each.word === word) ?? {};
          return (
            <li key={word}>
              <strong>{t(`word.${word}`)}</strong>, {t('aboutWords.range', rangeOf(word))}
              {of > 0 && `: ${t('aboutWords.right', { right: Math.round((100 * right) / of) })}`}
            </li>
          );
        })}
        {thresholds.length > 0 && (
          <li>
            <strong>{t('word.none')}</strong>, {t('aboutWords.below', rangeOf('none'))}: {t('aboutWords.belowMeans')}
          </li>
        )}
      </ul>
      {evidence && (
        <>
          {withPlace && <p>{t('about.differ')}</p>}
          <p>{t('about.limits')}</p>
          <details>
            <summary>{t('aboutWords.figures')}</summary>
            <WordTable
              className={styles.table}
              columns={[
                { title: t('about.from'), textOf: ({ fromConfidence }) => percent(fromConfidence) },
                { title: t('about.rightUnseen'), textOf: rightOf(evidence.tested.words) },
                { title: t('about.rightCrossValidated'), textOf: rightOf(evidence.crossValidated.words) },
              ]}
            />
            <Counted counts={evidence.tested} how="about.unseen" />
            <Counted counts={evidence.crossValidated} how="about.crossValidated" />
            {byPlace('about.simulated', placed)}
            {byPlace('about.scenes', evidence.scenes?.rows)}
            <p>{t('about.speciesTested', { count: Object.keys(evidence.species).length, least: evidence.minNamed })}</p>
          </details>
        </>
      )}
    </>
  );
}

/** Less bird-free audio than this says nothing about the rate of false alarms. */
const LEAST_HOURS = 0.25;

/** The counts of one set of recordings, in sentences. */
function Counted({ counts, how }: { readonly counts: ConfidenceCounts; readonly how: 'about.unseen' | 'about.crossValidated' }) {
  const { t, i18n } = useTranslation();
  const percent = (share: number) => formatPercent(share, i18n.language);
  const number = (value: number, maximumFractionDigits = 1) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits }).format(value);
  const { birds, species, withoutClass, figures, scoreCoverage, birdFreeHours } = counts;
  const alarms = birdFreeHours < LEAST_HOURS ? [] : counts.falseAlarms;
  return (
    <>
      <p>{t(how, { birds: number(birds), species: number(species), withoutClass })}</p>
      <ul>
        <li>{t('about.calibrationError', { error: number(figures.calibrationError * 100) })}</li>
        <li>
          {t('about.coverage', {
            confidence95: percent(figures.coverage.at95),
            confidence90: percent(figures.coverage.at90),
            score95: percent(scoreCoverage.at95),
            score90: percent(scoreCoverage.at90),
          })}
        </li>
        {alarms.map(({ fromConfidence, birds: alarms, perHour }) => (
          <li key={fromConfidence}>
            {t('about.falseAlarms', {
              hours: number(birdFreeHours, 2),
              birds: alarms,
              from: number(fromConfidence * 100),
              perHour: number(perHour),
            })}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A link within a translated sentence, whose words are there. */
const Anchor = (link: ComponentProps<'a'>) => <a {...link} />;

/** `/about`: what the recogniser knows, how sure it is, who made it, and how it may be used. */
export function AboutScreen() {
  const { t } = useTranslation();
  const { data: config, isPending } = usePublicConfig();
  const isSettled = useIsEvidenceSettled(config?.model?.id ?? null) && !isPending;
  useHashTarget(isSettled);
  return (
    <article className={`stack measure ${isSettled ? '' : 'awaited '}${styles.prose}`} aria-busy={!isSettled}>
      <title>{t('title.about')}</title>
      <h1>{t('about.title')}</h1>
      <p>{t('about.intro')}</p>
      {/* Waits a moment for content that would appear in the middle of the text, so that nothing moves while people read. */}
      {isSettled && <Details config={config} />}
    </article>
  );
}

function Details({ config }: { readonly config: PublicConfig | undefined }) {
  const { t } = useTranslation();
  const model = config?.model ?? null;
  return (
    <>
      <h2>{t('about.knowsTitle')}</h2>
      <p>{t('about.knows')}</p>

      <h2 id="words" tabIndex={-1}>
        {t('about.sureTitle')}
      </h2>
      <p>{t('about.sure')}</p>
      <WordTests modelId={model?.id ?? null} />

      <h2>{t('about.modelTitle')}</h2>
      {config && !model && <p>{t('problem.MODEL_NOT_INSTALLED')}</p>}
      {model && (
        <dl className={styles.facts}>
          <dt>{t('about.name')}</dt>
          <dd>{model.id}</dd>
          <dt>{t('about.version')}</dt>
          <dd>{model.version}</dd>
          <dt>{t('about.licence')}</dt>
          <dd>{model.licence}</dd>
          <dt>{t('about.attribution')}</dt>
          <dd>{model.attribution}</dd>
          <dt>{t('details.modelHash')}</dt>
          <dd className={`small ${styles.hash}`}>{model.sha256}</dd>
        </dl>
      )}

      <h2>{t('about.useTitle')}</h2>
      <p>
        {t('about.use')}{' '}
        <a href="https://creativecommons.org/licenses/by-nc-sa/4.0/" rel="license noreferrer">
          CC BY-NC-SA 4.0
        </a>
      </p>

      <h2>{t('about.citationTitle')}</h2>
      <p lang="en">
        {t('about.citation')} <a href="https://doi.org/10.1016/j.ecoinf.2021.101236">doi.org/10.1016/j.ecoinf.2021.101236</a>
      </p>

      <h2>{t('about.apiTitle')}</h2>
      <p>
        <RichText text={t('about.api')} tags={{ docs: <Anchor href="/docs/api" /> }} />
      </p>

      <h2>{t('about.placesTitle')}</h2>
      <p>
        <RichText
          text={t('about.places')}
          tags={{
            names: <Anchor href="https://www.geonames.org" rel="noreferrer" />,
            licence: <Anchor href="https://creativecommons.org/licenses/by/4.0/" rel="license noreferrer" />,
          }}
        />
      </p>

      <h2>{t('about.othersTitle')}</h2>
      <p>
        <RichText text={t('about.others')} tags={{ notices: <Anchor href="/third-party-notices.txt" rel="license" /> }} />
      </p>
      {config && <p>{t('about.program', { version: config.version, commit: config.commit ?? t('about.commitUnknown') })}</p>}
    </>
  );
}
