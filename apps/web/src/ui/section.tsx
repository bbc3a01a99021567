import { type ComponentProps, useId } from 'react';

interface Properties extends ComponentProps<'section'> {
  /** Its heading, which is also its name. */
  readonly title: string;
}

/** A part of a screen with a heading. */
export function Section({ title, className = 'stack-tight', children, ...section }: Properties) {
  const id = useId();
  return (
    <section {...section} className={className} aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  );
}
