import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

/** Whether a new stage follows another one: then its heading takes the focus, so that keyboard users keep their place. */
export const FollowsAnotherStage = createContext(false);

/** Id of what is read out after the stage's heading. */
export const HeadingNote = createContext<string | undefined>(undefined);

export function StageHeading({ children, className }: { readonly children: ReactNode; readonly className?: string | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const takesFocus = useContext(FollowsAnotherStage);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only as it appears
  useEffect(() => {
    if (!takesFocus) return;
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className} aria-describedby={useContext(HeadingNote)}>
      {children}
    </h1>
  );
}
