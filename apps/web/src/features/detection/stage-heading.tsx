import type { ReactNode } from 'react';

export const stageHeadingId = 'stage-heading';

/** The heading of what the detection screen shows now; it can take the focus, so that nobody loses their place. */
export function StageHeading({ children, className }: { readonly children: ReactNode; readonly className?: string | undefined }) {
  return (
    <h1 id={stageHeadingId} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
