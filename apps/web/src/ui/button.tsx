import type { ComponentProps, ComponentType } from 'react';

export type ButtonIcon = ComponentType<{ readonly 'aria-hidden': 'true' }>;

const classes = { main: 'button', secondary: 'button button-secondary', destructive: 'button button-destructive' } as const;

interface Properties extends ComponentProps<'button'> {
  /** `main`: what most people want here · `destructive`: it deletes something */
  readonly look?: keyof typeof classes;
  /** Its presses do nothing, as while its work is under way. Unlike with `disabled`, it keeps the focus. */
  readonly isDisabled?: boolean;
  /** before the words */
  readonly icon?: ButtonIcon | undefined;
}

/** A button with words, `secondary` unless it says otherwise. */
export function Button({ look = 'secondary', isDisabled, icon: Icon, className, onClick, children, ...button }: Properties) {
  return (
    <button
      type="button"
      {...button}
      className={className === undefined ? classes[look] : `${classes[look]} ${className}`}
      aria-disabled={isDisabled}
      onClick={isDisabled ? undefined : onClick}
    >
      {Icon && <Icon aria-hidden="true" />}
      {children}
    </button>
  );
}

interface IconButtonProperties extends Omit<ComponentProps<'button'>, 'children' | 'type'> {
  readonly label: string;
  readonly icon: ButtonIcon;
}

/** A button with an icon instead of words; its label is its tooltip, and by that its name: with both, some readers say it twice. */
export function IconButton({ label, icon: Icon, className = 'icon-button', ...button }: IconButtonProperties) {
  return (
    <button {...button} type="button" className={className} title={label}>
      <Icon aria-hidden="true" />
    </button>
  );
}
