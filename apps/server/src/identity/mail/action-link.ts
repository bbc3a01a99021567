import type { OneTimeCodeType } from '../../database/tables.ts';
import type { MailLanguage } from './mailer.ts';

/** The page behind the links of all mails; it is the web application's. */
export const ACTION_PATH = '/account/action';

const modes: Readonly<Record<OneTimeCodeType, string>> = {
  PASSWORD_RESET: 'resetPassword',
  VERIFY_EMAIL: 'verifyEmail',
  VERIFY_AND_CHANGE_EMAIL: 'verifyAndChangeEmail',
  RECOVER_EMAIL: 'recoverEmail',
};

export interface ActionLinkParts {
  readonly requestType: OneTimeCodeType;
  readonly oobCode: string;
  readonly language: MailLanguage;
  /** checked before: see readContinueUrl */
  readonly continueUrl: string | null;
}

/**
 * The link of a mail, with the parameters that Identity Toolkit's own pages take.
 *
 * @param publicUrl where people reach this server, from its configuration: what a request's headers say is not believed
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
