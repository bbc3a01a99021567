import { type ReactNode, useId } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { preferences, usePreferences } from '../../platform/storage/preferences.ts';
import { Modal } from '../modal.tsx';
import { keysShown } from './keys-shown.ts';

/** The list of keys. @param children keys that can be changed */
export function KeysDialog({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { questionMark } = usePreferences();
  return (
    <Modal title={t('keys.title')} onClose={() => keysShown.set(false)}>
      <p>{t('timeline.keys')}</p>
      {children}
      <label className="apart finger">
        {t('keys.questionMark')}
        <input
          type="checkbox"
          checked={questionMark}
          onChange={({ target }) => preferences.change({ questionMark: target.checked })}
        />
      </label>
    </Modal>
  );
}

interface ChoicesProperties<Action extends string> {
  /** lower case; null for none */
  readonly keys: Readonly<Record<Action, string | null>>;
  readonly labelOf: (action: Action) => string;
  readonly help: string;
  /** The space bar is a key, too. */
  readonly withSpace?: boolean;
  readonly className?: string | undefined;
  readonly onChange: (keys: Readonly<Record<Action, string | null>>) => void;
}

/** Lets the user change or clear keys. A key that stood for another action then stands for this one. */
export function KeyChoices<Action extends string>(properties: ChoicesProperties<Action>) {
  const { keys, labelOf, help, withSpace = false, className = 'stack', onChange } = properties;
  const id = useId();
  const actions = Object.keys(keys) as Action[];
  const choose = (action: Action, typed: string) => {
    const key = withSpace && typed.endsWith(' ') ? ' ' : typed.trim().slice(-1).toLowerCase() || null;
    const freed = actions.filter((other) => key !== null && keys[other] === key).map((other) => [other, null]);
    onChange({ ...keys, ...Object.fromEntries(freed), [action]: key });
  };
  return (
    <>
      <p id={id}>{help}</p>
      <div className={className}>
        {actions.map((action) => (
          <label key={action} className="apart finger">
            {labelOf(action)}
            <input
              aria-describedby={id}
              autoComplete="off"
              autoCapitalize="characters"
              size={2}
              value={keys[action] === ' ' ? '␣' : (keys[action]?.toUpperCase() ?? '')}
              onChange={({ target }) => choose(action, target.value)}
              onFocus={({ target }) => target.select()}
            />
          </label>
        ))}
      </div>
    </>
  );
}

/** The list of keys of the page: those for reviews can be changed. */
export function PageKeys() {
  const { t } = useTranslation();
  const { reviewKeys } = usePreferences();
  return (
    <KeysDialog>
      <KeyChoices
        keys={reviewKeys}
        labelOf={(verdict) => t(`birdReview.${verdict}`)}
        help={t('preferences.keysHelp')}
        onChange={(keys) => preferences.change({ reviewKeys: keys })}
      />
    </KeysDialog>
  );
}
