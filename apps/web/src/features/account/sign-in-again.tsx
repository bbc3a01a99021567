import { useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { passwordRefused } from '../../platform/identity/identity-failure.ts';
import { useIdentity } from '../../platform/identity/use-identity.ts';
import { useAuthSession, useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { Button } from '../../ui/button.tsx';
import dialogStyles from '../../ui/dialog.module.css';
import { Form, PasswordField } from '../../ui/form/form.tsx';
import styles from './session-notice.module.css';
import { useAccountForm } from './use-account-form.ts';

export function SignInAgain({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const email = useAuthSnapshot().state.username ?? '';
  const findIdentity = useIdentity();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const form = useAccountForm(
    { password: '' },
    { password: (text) => (text === '' ? t('field.required') : null) },
    async ({ password }) => session.resume(await (await findIdentity()).signIn({ email, password }).catch(passwordRefused)),
  );
  useEffect(() => {
    dialog.current?.showModal();
    // The button that opened the dialog is gone by the time it closes.
    return () => document.getElementById('main')?.focus({ preventScroll: true });
  }, []);
  const cancel = <Button onClick={() => dialog.current?.close()}>{t('action.cancel')}</Button>;
  // A portal, so that the typed text stays if a newer notice replaces the one that opened the dialog.
  return createPortal(
    <dialog ref={dialog} className={`card ${dialogStyles.dialog} ${styles.narrow}`} aria-labelledby={titleId} onClose={onClose}>
      <div className="stack">
        <h2 id={titleId}>{t('session.againTitle')}</h2>
        <p>{t('session.againHelp', { email })}</p>
        <Form form={form} label={t('login.signIn')} username={email} aside={cancel}>
          <PasswordField {...form.field('password')} label={t('login.password')} />
        </Form>
      </div>
    </dialog>,
    document.body,
  );
}
