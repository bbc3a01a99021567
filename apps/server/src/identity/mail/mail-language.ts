/** Languages that mails are written in. */
export type MailLanguage = 'en' | 'de';

/** @param locale `X-Firebase-Locale`, such as `de-AT`; anything unknown gives English */
export const mailLanguageOf = (locale: string | undefined): MailLanguage => (/^de(?:[-_]|$)/i.test(locale ?? '') ? 'de' : 'en');
