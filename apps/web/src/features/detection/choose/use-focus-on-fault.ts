import { type RefObject, useEffect, useRef } from 'react';

/** Leads to the first field with a fault whenever another submission was refused. */
export function useFocusOnFault<Fields extends HTMLElement>(refusals: number): RefObject<Fields | null> {
  const fields = useRef<Fields>(null);
  useEffect(() => {
    if (refusals > 0) fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  return fields;
}
