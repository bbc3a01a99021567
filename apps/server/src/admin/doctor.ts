/**
 * `./chiffchaff admin doctor`: everything that a server needs, as a list, with a remedy for what is wrong. Beside the checks that the server
 * itself makes every minute (`operation/troubles.ts`), it asks the server, sends a test email, and looks at the proxy and at the bucket.
 */
import { locateFfmpeg } from '@chiffchaff/analysis';
import { programVersion } from '@chiffchaff/analysis/program-version';
import type { TestEmailOutcome } from '@chiffchaff/contract';
import { ModelError, modelFolderOf, readModelFolder, verifyModelFolder } from '@chiffchaff/models';
import { fingerprintOf } from '@chiffchaff/recognizer/node';
import { hasDatabaseCode } from '../database/database-error.ts';
import { lastTimeOf, restoredSentence } from '../database/last-times.ts';
import { testEmails } from '../identity/mail/mail-texts.ts';
import { sendForOperator } from '../identity/mail/mailer.ts';
import { createMailer } from '../identity/open-identity.ts';
import { troubleTexts } from '../operation/trouble-texts.ts';
import { findTroubles, isOtherModelInUse } from '../operation/troubles.ts';
import { localUrl } from '../parts/listener.ts';
import type { ModelLoader } from '../prediction/model-loader.ts';
import { readSettings } from '../settings/operator-settings.ts';
import { loadSettings } from '../settings/settings.ts';
import { StorageError } from '../storage/storage-error.ts';
import { openServerStorage, type ServerData } from './open-data.ts';

/** One line of the list. */
interface Line {
  readonly name: string;
  readonly found: string;
  /** null if all is well */
  readonly remedy: string | null;
}

const ANSWERS_WITHIN_MS = 10_000;

export async function doctor(data: ServerData): Promise<{ readonly text: string; readonly isWell: boolean }> {
  const lines = [
    ...(await checkMachine(data)),
    await checkServer(data),
    ...(await checkOrigin(data)),
    await checkMail(data),
    await checkProxy(data),
    ...(await checkBucket(data)),
  ];
  const text = lines
    .map(({ name, found, remedy }) => `${remedy === null ? '✓' : '✗'} ${name}: ${found}${remedy === null ? '' : `\n  ${remedy}`}`)
    .join('\n');
  const wrong = lines.filter(({ remedy }) => remedy !== null).length;
  const verdict = wrong === 0 ? 'All is well.' : `${wrong === 1 ? 'One thing is' : `${wrong} things are`} wrong.`;
  return { text: `${text}\n${verdict}`, isWell: wrong === 0 };
}

async function checkMachine(data: ServerData): Promise<readonly Line[]> {
  const missing = await findMissing(data);
  const findings = await findTroubles({ ...data, missing: () => missing });
  return findings.map((finding) => {
    const { name, found, remedy } = troubleTexts.en[finding.code](finding);
    return { name, found: finding.advice ? `${found} ${finding.advice}` : found, remedy: finding.isBad ? remedy : null };
  });
}

/** What the running server says of itself: it may have begun with a model or with settings that have changed since. */
async function checkServer({ config: { host, port } }: ServerData): Promise<Line> {
  const name = 'server';
  const url = localUrl({ address: host, port });
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    const { detail = '', refusals = [] } = (await response.json()) as { detail?: string; refusals?: readonly string[] };
    if (response.ok && refusals.length === 0) return { name, found: 'It is ready to analyse recordings.', remedy: null };
    const found = response.ok ? `It refuses recordings: ${refusals.join(', ')}.` : detail;
    return { name, found, remedy: 'See above and in the log; restart it if nothing is wrong there.' };
  } catch {
    return { name, found: `None answers at ${url}.`, remedy: 'Start it, or run this where it runs, with its HOST and PORT.' };
  }
}

async function checkOrigin({ database }: ServerData): Promise<readonly Line[]> {
  const restoredMs = await lastTimeOf(database.query, 'restored');
  return restoredMs === null ? [] : [{ name: 'database', found: restoredSentence(restoredMs), remedy: null }];
}

async function findMissing({ config, database }: ServerData): Promise<ModelLoader['missing']> {
  const { dataDir, ffmpegPath, searchPath } = config;
  const missing: ModelLoader['missing'][number][] = [];
  try {
    const installed = await readModelFolder(modelFolderOf(dataDir, config.modelId));
    await verifyModelFolder(installed);
    if (await isOtherModelInUse(database, fingerprintOf(installed.manifest))) missing.push({ code: 'OTHER_MODEL', advice: '' });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const code = error.code === 'MODEL_DAMAGED' ? 'MODEL_DAMAGED' : 'MODEL_NOT_INSTALLED';
    missing.push({ code, advice: error.message });
  }
  const ffmpeg = await locateFfmpeg({ dataDir, ffmpegPath: ffmpegPath ?? undefined, searchPath }).catch(() => null);
  if (ffmpeg === null) missing.push({ code: 'DECODER_NOT_INSTALLED', advice: '' });
  return missing;
}

const mailFaults: Readonly<Record<Exclude<TestEmailOutcome, 'sent'>, string>> = {
  unreachable: 'The mail server cannot be reached. Check the host and the port in SMTP_URL, and the firewall.',
  insecure: 'The certificate of the mail server is not accepted. Use the name that its certificate has in SMTP_URL.',
  signInRefused: 'The mail server refuses the user name or the password in SMTP_URL. Correct them.',
  senderRefused: 'The mail server refuses the sender. Set MAIL_FROM to an address that it lets this user send from.',
  recipientRefused: 'The mail server refuses the recipient. Set OPERATOR_EMAIL to an address that receives mail.',
  refused: 'The mail server refuses the email. Its log says why.',
};

async function checkMail({ config, secrets, database }: ServerData): Promise<Line> {
  const name = 'mail';
  const { terms, defaultLanguage } = readSettings(await loadSettings(database.query, config.fixedSettings));
  const email = config.operatorEmail ?? terms.contactEmail;
  const mailer = createMailer(config, secrets);
  if (mailer === null) {
    const remedy = 'Set SMTP_URL, so that people can reset their passwords and you are told of trouble.';
    return { name, found: 'No mail server is set.', remedy };
  }
  try {
    if (email === null) {
      const found = 'A mail server is set, but no address to tell of trouble.';
      return { name, found, remedy: 'Set OPERATOR_EMAIL, or contactEmail at /setup.' };
    }
    const outcome = await sendForOperator(mailer, { email, ...testEmails[defaultLanguage ?? 'en'] });
    if (outcome === 'sent') return { name, found: 'The mail server has accepted a test email to the operator.', remedy: null };
    return { name, found: 'A test email to the operator was not sent.', remedy: mailFaults[outcome] };
  } finally {
    mailer.close();
  }
}

/** The server speaks http only, so https comes from a proxy, whose headers it must trust to know its clients. */
async function checkProxy({ config: { publicUrl, trustProxy } }: ServerData): Promise<Line> {
  const name = 'public address';
  if (publicUrl === null)
    return { name, found: 'PUBLIC_URL is not set: the server has the address it listens on.', remedy: null };
  if (publicUrl.startsWith('https:') && trustProxy === false) {
    const remedy =
      'Set TRUST_PROXY to the address of the proxy; otherwise all people count as one, and one can use up the limits of all.';
    return { name, found: 'People reach the server through a proxy, whose headers it does not trust.', remedy };
  }
  try {
    const response = await fetch(`${publicUrl}/healthz`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    const { version = null } = response.ok ? ((await response.json()) as { readonly version?: string }) : {};
    if (version === programVersion.version)
      return { name, found: `${publicUrl} leads to this version of Chiffchaff.`, remedy: null };
    const found = version === null ? `does not lead to Chiffchaff (status ${response.status})` : `leads to Chiffchaff ${version}`;
    const remedy = 'Check PUBLIC_URL and the proxy, and restart the server after an update.';
    return { name, found: `${publicUrl} ${found}.`, remedy };
  } catch {
    const remedy = 'Check the DNS entry and the proxy. If people reach it and only this machine does not, all is well.';
    return { name, found: `${publicUrl} does not answer this machine.`, remedy };
  }
}

async function checkBucket(data: ServerData): Promise<readonly Line[]> {
  if (data.config.storageUrl === null) return [];
  const name = 'bucket';
  try {
    await using _opened = await openServerStorage(data);
    return [{ name, found: 'The bucket can be read.', remedy: null }];
  } catch (error) {
    if (!(error instanceof StorageError) && !hasDatabaseCode(error, 'OTHER_STORAGE')) throw error;
    return [{ name, found: error.message, remedy: 'Check STORAGE_URL, S3_ENDPOINT and the access key.' }];
  }
}
