import type { OneTimeCodeType } from '../../database/tables.ts';
import type { CodeMail } from './mailer.ts';

/** The web application's page that the links in all mails lead to. */
export const ACTION_PATH = '/account/action';

const modes: Readonly<Record<OneTimeCodeType, string>> = {
  PASSWORD_RESET: 'resetPassword',
  VERIFY_EMAIL: 'verifyEmail',
  VERIFY_AND_CHANGE_EMAIL: 'verifyAndChangeEmail',
  RECOVER_EMAIL: 'recoverEmail',
};

export interface ActionLinkParts extends Pick<CodeMail, 'requestType' | 'oobCode' | 'language'> {
  /** already checked, see readContinueUrl */
  readonly continueUrl: string | null;
}

/**
 * The link in a mail, with the parameters of Identity Toolkit's own pages.
 *
 * @param publicUrl public URL of this server, from its configuration and never from request headers
 */
export function actionLink(
  publicUrl: string,
  apiKey: string,
  { requestType, oobCode, language, continueUrl }: ActionLinkParts,
): string {
  const url = new URL(ACTION_PATH, publicUrl);
  url.searchParams.set('mode', modes[requestType]);
  url.searchParams.set('oobCode', oobCode);
  url.searchParams.set('apiKey', apiKey);
  url.searchParams.set('lang', language);
  if (continueUrl !== null) url.searchParams.set('continueUrl', continueUrl);
  return url.href;
}
