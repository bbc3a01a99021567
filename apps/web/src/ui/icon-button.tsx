import type { ComponentProps, ComponentType } from 'react';

interface Properties extends Omit<ComponentProps<'button'>, 'children' | 'type'> {
  readonly label: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden': 'true' }>;
}

/** A button with an icon instead of words; its label is its name and its tooltip. */
export function IconButton({ label, icon: Icon, ...button }: Properties) {
  return (
    <button {...button} type="button" aria-label={label} title={label}>
      <Icon aria-hidden="true" />
    </button>
  );
}
