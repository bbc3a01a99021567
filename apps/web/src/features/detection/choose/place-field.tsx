import type { Place } from '@chiffchaff/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCombobox } from 'downshift';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { placesQuery, SHORTEST_PLACE_QUERY } from '../../../platform/api/places-query.ts';
import { labelPlaces } from '../../../platform/format/place-labels.ts';
import { useOpenHttp } from '../../../platform/session/session-context.tsx';
import type { PlaceFieldProperties } from '../../../ui/form/form.tsx';
import { useTyped } from '../../../ui/form/use-typed.ts';
import styles from './choose.module.css';

const TYPING_PAUSE_MS = 200;

/** A search for places. Leaving it without a choice takes the exact match, else the best one, as soon as it is known. */
export function PlaceField({ value, isChosen, fault, onType, onChoose }: PlaceFieldProperties) {
  const { t, i18n } = useTranslation();
  const openHttp = useOpenHttp();
  const helpId = useId();
  const typed = value.trim();
  const query = useTyped(value, TYPING_PAUSE_MS);
  const [awaited, setAwaited] = useState<string | null>(null);
  const [isTyping, setTyping] = useState(false);
  const shownFault = isTyping ? null : fault;
  const isSearching = !isChosen && query.length >= SHORTEST_PLACE_QUERY;
  const { data: found, isPlaceholderData } = useQuery({
    ...placesQuery(openHttp, query),
    enabled: isSearching,
    placeholderData: keepPreviousData,
  });
  const items = [...labelPlaces(isSearching ? (found?.places ?? []) : [], i18n.language)];
  const isAnswered = isSearching && !isPlaceholderData && found !== undefined && query === typed;

  const { isOpen, highlightedIndex, getLabelProps, getInputProps, getMenuProps, getItemProps } = useCombobox({
    items,
    inputValue: value,
    selectedItem: null,
    itemToString: (item) => item?.[0] ?? '',
    onSelectedItemChange: ({ selectedItem }) => selectedItem && onChoose(...selectedItem),
  });
  const takeBest = () => {
    const isExact = ({ name }: Place) => name.localeCompare(typed, i18n.language, { sensitivity: 'accent' }) === 0;
    const best = items.find(([, place]) => isExact(place)) ?? items[0];
    if (best) onChoose(...best);
  };
  const isMarked = isOpen && highlightedIndex >= 0;
  const goOn = () => {
    setTyping(false);
    if (isChosen || typed === '' || isMarked) return;
    if (isAnswered) takeBest();
    else setAwaited(typed);
  };
  const isAwaited = isAnswered && awaited === typed;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the answer is there
  useEffect(() => {
    if (!isAwaited) return;
    setAwaited(null);
    takeBest();
  }, [isAwaited]);

  return (
    <div className="field">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: its properties name the input */}
      <label {...getLabelProps()}>{t('choose.place')}</label>
      <div className={styles.combobox}>
        <input
          {...getInputProps({
            autoComplete: 'off',
            'aria-invalid': shownFault !== null,
            'aria-describedby': helpId,
            onChange: ({ currentTarget }) => {
              setAwaited(null);
              setTyping(true);
              onType(currentTarget.value);
            },
            onKeyDown: (event: KeyboardEvent) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              event.preventDefault(); // Enter chooses a place here, and does not submit the form
              goOn();
            },
            onBlur: goOn,
          })}
        />
        <ul {...getMenuProps({ className: `dropdown ${styles.dropdown}`, hidden: !isOpen || items.length === 0 })}>
          {items.map((item, index) => (
            <li key={item[0]} {...getItemProps({ item, index })}>
              {item[0]}
            </li>
          ))}
        </ul>
      </div>
      <div id={helpId}>
        {shownFault !== null && <p className="fault">{shownFault}</p>}
        <p className={`soft small ${styles.help}`}>{found && !isChosen ? found.attribution : t('choose.placeHelp')}</p>
      </div>
      <p role="status" className={`soft small ${styles.help}`}>
        {isAnswered && items.length === 0 && t('choose.noPlaceFound')}
        {isAnswered && items.length > 0 && <span className="visually-hidden">{t('choose.found', { count: items.length })}</span>}
      </p>
    </div>
  );
}
