import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useIdentity } from '../../platform/identity/use-identity.ts';
import { useAuthSession, useAuthSnapshot } from '../../platform/session/session-context.tsx';
import formStyles from '../../ui/form/form.module.css';
import { FormEnd } from '../../ui/form/form-end.tsx';
import { PasswordField } from '../../ui/form/password-field.tsx';
import { useForm } from '../../ui/form/use-form.ts';
import { refusalOf } from './refusal-of.ts';
import styles from './session-notice.module.css';

/** A dialog that asks for the password of whoever is signed in, and keeps the page below as it is. */
export function SignInAgain({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const email = useAuthSnapshot().state.username ?? '';
  const findIdentity = useIdentity();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const form = useForm(
    { password: '' },
    { password: (text) => (text === '' ? t('field.required') : null) },
    async ({ password }) => {
      try {
        session.resume(await (await findIdentity()).signIn({ email, password }));
        return null;
      } catch (thrown) {
        return refusalOf(thrown, ['password'], t);
      }
    },
  );
  useEffect(() => {
    dialog.current?.showModal();
    // What opened the dialog is gone by the time it closes.
    return () => document.getElementById('main')?.focus({ preventScroll: true });
  }, []);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby={titleId} onClose={onClose}>
      <div className={styles.dialogBody}>
        <h2 id={titleId}>{t('session.againTitle')}</h2>
        <p>{t('session.againHelp', { email })}</p>
        <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
          {/* For password managers: whose password it is. */}
          <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordField {...form.field('password')} label={t('login.password')} autoComplete="current-password" />
          <FormEnd label={t('login.signIn')} isBusy={form.isBusy} refusal={form.refusal}>
            <button type="button" className="text-button" onClick={() => dialog.current?.close()}>
              {t('action.cancel')}
            </button>
          </FormEnd>
        </form>
      </div>
    </dialog>
  );
}
