import { useTranslation } from '../../languages/i18n.ts';
import { passwordRefused } from '../../platform/identity/identity-failure.ts';
import { useIdentity } from '../../platform/identity/open-identity.ts';
import { useAuthSession, useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { Form, PasswordField } from '../../ui/form/form.tsx';
import { Modal } from '../../ui/modal.tsx';
import { useAccountForm } from './use-account-form.ts';

export function SignInAgain({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const email = useAuthSnapshot().state.username ?? '';
  const findIdentity = useIdentity();
  const form = useAccountForm(
    { password: '' },
    { password: (text) => (text === '' ? t('field.required') : null) },
    async ({ password }) => session.resume(await (await findIdentity()).signIn({ email, password }).catch(passwordRefused)),
  );
  return (
    <Modal title={t('session.signInAgain')} onClose={onClose}>
      <p>{t('session.againHelp', { email })}</p>
      <Form form={form} label={t('session.signIn')} username={email}>
        <PasswordField {...form.field('password')} label={t('login.password')} />
      </Form>
    </Modal>
  );
}
