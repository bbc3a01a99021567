import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { localTime } from '../../../platform/format/format.ts';
import { deviceTimeZone } from '../../../platform/format/time-zone.ts';
import { nothingKnown, type RequestedConditions } from '../../../platform/sending/requested-conditions.ts';
import type { DevicePlace } from '../../../platform/storage/device-place.ts';
import { useVisitPlaces } from '../visit-places.ts';
import {
  type ConditionsDraft,
  checkConditions,
  conditionsFor,
  devicePlaceIn,
  draftFor,
  hasFault,
  proposalsOf,
} from './conditions-draft.ts';
import { ConditionsFields } from './conditions-fields.tsx';
import { PlaceLine } from './place-line.tsx';

const noProposals = proposalsOf([nothingKnown]);

export interface PlaceSettingProperties {
  /** Called initially and after each valid change. */
  readonly onChange: (asked: RequestedConditions, place: DevicePlace) => void;
}

/** The place of this device, for what it records now: asked once, stored, and changeable at any time. The date is today's. */
export function PlaceSetting({ onChange }: PlaceSettingProperties) {
  const { t, i18n } = useTranslation();
  const places = useVisitPlaces();
  const [timeZone] = useState(deviceTimeZone);
  const [usual] = useState(places.usual);
  const [draft, setDraft] = useState<ConditionsDraft>(() => ({
    ...draftFor(usual, timeZone, i18n.language),
    date: localTime(new Date()).slice(0, 10),
    isDateOwn: true,
  }));
  const faults = checkConditions(draft);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what to do with it is always the same
  useEffect(() => {
    if (hasFault(checkConditions(draft))) return;
    const place = devicePlaceIn(draft);
    if (draft.isPlaceOwn) places.remember(place);
    onChange(conditionsFor(draft, nothingKnown), place);
  }, [draft]);
  const change = (part: Partial<ConditionsDraft>) => setDraft((present) => ({ ...present, ...part }));
  return (
    <div>
      <PlaceLine
        draft={draft}
        proposals={noProposals}
        isAsked={usual === null && !draft.isPlaceOwn}
        question={t('listen.where')}
        opensSearch
        onChange={change}
      >
        <ConditionsFields draft={draft} faults={faults} timeZone={timeZone} onChange={change} />
      </PlaceLine>
    </div>
  );
}
