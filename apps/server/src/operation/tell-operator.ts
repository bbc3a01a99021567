import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Config } from '../config/config.ts';
import { isPostgres } from '../database/open-database.ts';
import type { Tables } from '../database/tables.ts';
import { type Mailer, type MailLanguage, sendForOperator, type WrittenMail } from '../identity/mail/mailer.ts';
import type { Settings } from '../settings/settings.ts';
import { troubleTexts } from './trouble-texts.ts';
import { type Checked, type Finding, findTroubles, isOfAllMachines, levelOf, troubleCodes } from './troubles.ts';

export interface TellOperatorOptions extends Omit<Checked, 'config'> {
  readonly config: Checked['config'] & Pick<Config, 'operatorEmail' | 'publicUrl'>;
  readonly settings: Pick<Settings, 'current'>;
  /** null if no email can be sent */
  readonly mailer: Pick<Mailer, 'send'> | null;
  readonly log: FastifyBaseLogger;
}

type Row = Readonly<Tables['troubles']>;
type Key = Pick<Row, 'code' | 'machine'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Looks for troubles, logs when one begins, changes or ends, and emails the operator: once when it begins, at most once a day (once an hour if
 * recordings are refused) unless it is worse than before or has another reason, once when it gets worse or its reason changes, and once
 * when it is over. A row for each
 * remembers that, across restarts; of several machines, the one that changes the row sends the email.
 */
export function createOperatorNotices(options: TellOperatorOptions) {
  const { config, settings, database, mailer, log, now = Date.now } = options;
  let latest: readonly Finding[] = troubleCodes.map((code) => ({ code, isBad: false, measured: null }));
  const several = isPostgres(database);
  const { host } = new URL(config.publicUrl ?? `http://${hostname()}`);

  function logChange(finding: Finding): void {
    const { code, isBad, measured } = finding;
    const isSame = (earlier: Finding) => levelOf(earlier) === levelOf(finding) && earlier.reason === finding.reason;
    if (latest.some((earlier) => earlier.code === code && isSame(earlier))) return;
    const { found, remedy } = troubleTexts.en[code](finding);
    if (isBad) log.warn({ trouble: code, measured }, `${found} ${remedy}`);
    else log.info({ trouble: code, measured }, `trouble is over: ${found}`);
  }

  async function tell(finding: Finding): Promise<void> {
    const email = config.operatorEmail ?? settings.current().terms.contactEmail;
    if (mailer === null || email === null) return;
    const machine = several && !isOfAllMachines(finding.code) ? hostname() : '';
    const key = { code: finding.code, machine };
    const claimed = await claim(finding, key);
    if (claimed === null) return;
    const place = machine === '' || config.publicUrl === null ? host : `${host}, ${machine}`;
    const notice = writeNotice(finding, place, settings.current().defaultLanguage ?? 'en');
    const outcome = await sendForOperator(mailer, { email, ...notice });
    if (outcome === 'sent') return;
    log.error({ trouble: finding.code, outcome }, 'the operator could not be told by email; it will be tried again');
    await database.change({ freesRoom: true }, (query) => replaceRow(query, key, claimed.before));
  }

  /** Notes that the operator is told, unless that is not due or another machine does it. @returns what was noted before */
  async function claim(finding: Finding, key: Key): Promise<{ readonly before: Row | null } | null> {
    return database.change({ freesRoom: true }, async (query) => {
      const before =
        (await query
          .selectFrom('troubles')
          .selectAll()
          .where('code', '=', key.code)
          .where('machine', '=', key.machine)
          .executeTakeFirst()) ?? null;
      const [level, reason] = [levelOf(finding), finding.reason ?? null];
      const { level: told, toldAtMs, reason: toldReason } = before ?? { level: 0, toldAtMs: now(), reason };
      const isKnown = reason === toldReason && (told > 0 || Math.abs(now() - toldAtMs) < (level < 2 ? DAY_MS : HOUR_MS));
      // The worst level counts until it is over, and for a while: a disk about a limit would cause an email a minute.
      if (level === 0 ? told <= 0 : isKnown && level <= Math.abs(told)) return null;
      const row = level === 0 ? { level: -told, toldAtMs, reason: toldReason } : { level, toldAtMs: now(), reason };
      await replaceRow(query, key, { ...key, ...row });
      return { before };
    });
  }

  return {
    /** What the last look found. */
    get latest(): readonly Finding[] {
      return latest;
    },
    async look(): Promise<void> {
      const found = await findTroubles(options);
      for (const finding of found) logChange(finding);
      latest = found;
      for (const finding of found) await tell(finding);
    },
  };
}

async function replaceRow(query: Kysely<Tables>, { code, machine }: Key, row: Row | null): Promise<void> {
  await query.deleteFrom('troubles').where('code', '=', code).where('machine', '=', machine).execute();
  if (row !== null) await query.insertInto('troubles').values(row).execute();
}

/** @param place the server's public host or its host name; of several machines, which */
export function writeNotice(finding: Finding, place: string, language: MailLanguage): WrittenMail {
  const { name, found, remedy } = troubleTexts[language][finding.code](finding);
  const { isBad, advice } = finding;
  const isSerious = levelOf(finding) > 1;
  if (language === 'de') {
    const rest = isBad
      ? `${advice ? `\n\nIm Protokoll steht: ${advice}` : ''}\n\n${remedy}\n\nDu bekommst eine E-Mail, wenn das behoben ist. „./chiffchaff admin doctor“ zeigt alles auf einmal.`
      : '\n\nDas Problem ist behoben.';
    return {
      subject: `Chiffchaff auf ${place}: ${isBad ? `${isSerious ? 'ernstes ' : ''}Problem mit ${name}` : `${name} wieder in Ordnung`}`,
      text: `${found}${rest}\n`,
    };
  }
  const rest = isBad
    ? `${advice ? `\n\nThe log says: ${advice}` : ''}\n\n${remedy}\n\nYou will get an email when this is over. "./chiffchaff admin doctor" checks everything at once.`
    : '\n\nThe problem is solved.';
  return {
    subject: `Chiffchaff at ${place}: ${isBad ? `${isSerious ? 'serious ' : ''}problem with the ${name}` : `${name} all right again`}`,
    text: `${found}${rest}\n`,
  };
}
