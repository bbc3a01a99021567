import { useId } from 'react';

/** Help and fault of a field: what its input says about them, and the lines below it. The fault is read out. @param ownId of the input */
export function useNotes(help: string | undefined, fault: string | null, ownId?: string) {
  const newId = useId();
  const id = ownId ?? newId;
  const input = {
    id,
    'aria-invalid': fault !== null,
    'aria-describedby': `${id}-fault${help === undefined ? '' : ` ${id}-help`}`,
  };
  const notes = (
    <>
      {help !== undefined && (
        <p id={`${id}-help`} className="soft small">
          {help}
        </p>
      )}
      {/* Always rendered: screen readers announce changes in it. */}
      <p id={`${id}-fault`} className="fault unless-empty" aria-live="polite">
        {fault}
      </p>
    </>
  );
  return { input, notes };
}
