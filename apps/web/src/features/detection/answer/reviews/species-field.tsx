import type { FoundSpecies } from '@chiffchaff/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCombobox } from 'downshift';
import { useState } from 'react';
import { useTranslation } from '../../../../languages/i18n.ts';
import { findSpecies, type HeardAt, heardAround } from '../../../../platform/api/bird-reviews.ts';
import { useSeasonPlace } from '../../../../platform/api/season-place.ts';
import { languageTag, useNamesLanguage } from '../../../../platform/format/species-language.ts';
import { useOpenHttp } from '../../../../platform/session/session-context.tsx';
import { Button } from '../../../../ui/button.tsx';
import { useTyped } from '../../../../ui/form/use-typed.ts';
import styles from './reviews.module.css';

interface Properties {
  readonly heardAt: HeardAt;
  readonly onChoose: (species: FoundSpecies) => void;
  readonly onCancel: () => void;
}

const SHORTEST_QUERY = 2;
const TYPING_PAUSE_MS = 150;

/**
 * A search for the right bird, among all species that the model knows. Those of the place come first: where it was heard, or else the place
 * of this device.
 */
export function SpeciesField({ heardAt: stated, onChoose, onCancel }: Properties) {
  const { t } = useTranslation();
  const language = useNamesLanguage();
  const openHttp = useOpenHttp();
  const around = useSeasonPlace()?.place ?? null;
  const heardAt = stated.latitude === null && stated.timeZone === null ? heardAround(around) : stated;
  const [text, setText] = useState('');
  const typed = text.trim();
  const query = useTyped(text, TYPING_PAUSE_MS);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['species', query, language, heardAt.latitude, heardAt.longitude, heardAt.timeZone],
    queryFn: async ({ signal }) => findSpecies(await openHttp(), query, language, heardAt, signal),
    enabled: query.length >= SHORTEST_QUERY,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const items = typed.length >= SHORTEST_QUERY ? [...(data ?? [])] : [];
  const isAnswered = query === typed && data !== undefined && !isPlaceholderData;
  /** The scientific name of the suggestion that the arrow keys led to. */
  const [reached, setReached] = useState<string | null>(null);
  const isTyped = (name: string) => name.localeCompare(typed, 'en', { sensitivity: 'base', ignorePunctuation: true }) === 0;
  const highlighted = items.findIndex(({ scientificName, commonName }) =>
    reached === null ? isTyped(commonName) || isTyped(scientificName) : scientificName === reached,
  );
  const { isOpen, getLabelProps, getInputProps, getMenuProps, getItemProps } = useCombobox({
    items,
    inputValue: text,
    selectedItem: null,
    highlightedIndex: highlighted,
    onHighlightedIndexChange: ({ highlightedIndex }) => setReached(items[highlightedIndex]?.scientificName ?? null),
    stateReducer(state, { type, changes }) {
      // Only the arrow keys lead to a suggestion, so that Enter never takes one that lies under the pointer.
      if (type === useCombobox.stateChangeTypes.ItemMouseMove) return state;
      if (type !== useCombobox.stateChangeTypes.InputKeyDownEnter || highlighted >= 0) return changes;
      const [only, other] = isAnswered ? items : [];
      return only && !other ? { ...changes, selectedItem: only } : state;
    },
    itemToString: (item) => item?.commonName ?? '',
    itemToKey: (item) => item?.scientificName,
    onSelectedItemChange: ({ selectedItem }) => selectedItem && onChoose(selectedItem),
  });
  return (
    <div className={styles.field}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: its properties name the input */}
      <label {...getLabelProps()}>{t('birdReview.which')}</label>
      <div>
        <input
          {...getInputProps({
            // The user has just opened it to type.
            autoFocus: true,
            autoComplete: 'off',
            onChange: ({ currentTarget }) => {
              setText(currentTarget.value);
              setReached(null);
            },
            onKeyDown: (event) => {
              if (event.key === 'Escape') onCancel();
            },
          })}
        />
        <ul {...getMenuProps({ className: `dropdown ${styles.dropdown}`, hidden: !isOpen || items.length === 0 })}>
          {items.map((item, index) => (
            <li key={item.scientificName} {...getItemProps({ item, index })}>
              <span lang={language === null ? 'en' : languageTag(language)}>{item.commonName}</span>{' '}
              <i lang="la">{item.scientificName}</i>
            </li>
          ))}
        </ul>
      </div>
      <Button onClick={onCancel}>{t('action.cancel')}</Button>
      <p role="status" className="soft small">
        {error ? t('birdReview.searchFailed') : isAnswered && items.length === 0 && typed !== '' && t('birdReview.noneFound')}
        {isAnswered && items.length > 0 && <span className="visually-hidden">{t('species.found', { count: items.length })}</span>}
      </p>
    </div>
  );
}
