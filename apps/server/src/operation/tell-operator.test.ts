import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminProgram } from '../admin/admin-program.ts';
import { noteTime } from '../database/last-times.ts';
import type { WrittenMail } from '../identity/mail/mailer.ts';
import type { Missing } from '../prediction/model-loader.ts';
import { moveClock } from '../testing/move-clock.ts';
import { openServerData } from '../testing/server-data.ts';
import { signInAgain, signUp } from '../testing/signed-in.ts';
import { isOnPostgres } from '../testing/test-database.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { createOperatorNotices } from './tell-operator.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let server: TestServer;
let sent: (WrittenMail & { readonly to: string })[];
let missing: Missing[];
let refusals: number;
let aheadMs: number;
let freeBytes: number;
beforeEach(async () => {
  server = await createTestServer();
  sent = [];
  missing = [];
  refusals = 0;
  aheadMs = 0;
  freeBytes = 2 ** 40;
});
afterEach(() => server.close());

/** Notices of a server whose operator has an address; each call is like a restart, or another machine. */
function openNotices(settings: { readonly defaultLanguage?: 'de'; readonly operatorEmail?: null } = {}) {
  const { defaultLanguage = null, operatorEmail = 'operator@example.org' } = settings;
  return createOperatorNotices({
    config: { dataDir: server.dataDir, minFreeDiskBytes: 200_000_000, operatorEmail, publicUrl: 'https://birds.example.org' },
    settings: { current: () => ({ terms: { contactEmail: 'contact@example.org' }, defaultLanguage }) as never },
    database: server.database,
    mailer: {
      async send({ email: to, ...written }) {
        if (refusals > 0) {
          refusals -= 1;
          throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
        }
        sent.push({ to, ...written });
      },
    },
    missing: () =>
      missing.map((code) =>
        code === 'MODEL_EXCHANGED'
          ? { code: 'MODEL_DAMAGED', reason: code, advice: code }
          : { code, advice: code === 'MODEL_DAMAGED' ? 'audio.onnx has changed.' : code },
      ),
    log: server.app.log,
    now: () => Date.now() + aheadMs,
    freeBytes: async () => freeBytes,
  });
}

/** Makes times in the database as old as if so many days had passed: PostgreSQL's clock cannot be moved. */
async function age(days: number): Promise<void> {
  for (const [table, column] of [
    ['accounts', 'createdAtMs'],
    ['termsAcceptances', 'acceptedAtMs'],
    ['lastTimes', 'atMs'],
    ['troubles', 'toldAtMs'],
  ] as const)
    await server.database.change({}, (query) =>
      sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${sql.ref(column)} - ${Math.round(days * DAY_MS)}`.execute(query),
    );
}

/** Of several machines, the subject names the one. */
const subjects = () => sent.map(({ subject }) => subject.replace(/, .*(?=: )/, ''));

describe('The operator', () => {
  it('gets one email when the model is damaged and one when it is good again, also across restarts', async () => {
    missing = ['MODEL_DAMAGED'];
    await openNotices().look();
    await openNotices().look();
    expect(subjects()).toEqual(['Chiffchaff at birds.example.org: serious problem with the model']);
    expect(sent[0]?.to).toBe('operator@example.org');
    expect(sent[0]?.text).toContain('npm run model -- install');
    expect(sent[0]?.text).toContain('The log says: audio.onnx has changed.');
    missing = [];
    await openNotices().look();
    await openNotices().look();
    expect(subjects().slice(1)).toEqual(['Chiffchaff at birds.example.org: model all right again']);
  });

  it.each([
    ['a day', 'little space on the disk', 24, { bytes: 600_000_000, lacks: [] }, 'problem with the disk space'],
    ['an hour', 'a missing model', 1, { bytes: 2 ** 40, lacks: ['MODEL_NOT_INSTALLED'] }, 'serious problem with the model'],
  ] as const)('gets at most one email %s about %s that comes and goes', async (_, __, hours, { bytes, lacks }, problem) => {
    const notices = openNotices();
    for (const [part, isBad] of [
      [0, true],
      [0.1, false],
      [0.2, true],
      [0.3, false],
      [0.9, true],
      [1.1, true],
    ] as const) {
      aheadMs = part * hours * HOUR_MS;
      [freeBytes, missing] = isBad ? [bytes, [...lacks]] : [2 ** 40, []];
      await notices.look();
      // A backup keeps the other trouble of a day without one away.
      await noteTime(server.database, 'backup', Date.now() + aheadMs);
    }
    const over = expect.stringMatching(/all right again$/);
    expect(subjects().map((subject) => subject.split(': ')[1])).toEqual([problem, over, problem]);
  });

  it('is told when the disk gets fuller: of little space, when recordings are refused, and when it is full', async () => {
    const notices = openNotices();
    for (const megabytes of [2000, 700, 600, 150, 250, 150, 0.3, 2000]) {
      freeBytes = megabytes * 1_000_000;
      await notices.look();
    }
    const told = [
      '700 MB are free on the disk of DATA_DIR.',
      'Only 150 MB are free on the disk of DATA_DIR, so recordings are refused.',
      'The disk of DATA_DIR is full, so nothing can be stored.',
      '2000 MB are free on the disk of DATA_DIR.',
    ];
    expect(sent.map(({ text }) => text.split('\n')[0])).toEqual(told);
    const [problem, over] = ['problem with the disk space', 'disk space all right again'];
    expect(subjects().map((subject) => subject.split(': ')[1])).toEqual([
      problem,
      `serious ${problem}`,
      `serious ${problem}`,
      over,
    ]);
    const logged = server.logged.filter(({ trouble }) => trouble === 'disk').map(({ msg }) => msg);
    for (const sentence of told) expect(logged).toContainEqual(expect.stringContaining(sentence));
  });

  it('is told when the reason of a trouble changes, but not again of the same one within a day', async () => {
    const notices = openNotices();
    for (const lacks of [
      ...[['MODEL_NOT_INSTALLED'], ['OTHER_MODEL'], ['OTHER_MODEL'], [], ['OTHER_MODEL']],
      ...[['MODEL_DAMAGED'], ['MODEL_EXCHANGED']],
    ] as Missing[][]) {
      missing = [...lacks];
      await notices.look();
    }
    expect(sent.map(({ text }) => text.split(/[,:.] /)[0])).toEqual([
      'The model is not installed',
      'Another machine with this database has another model',
      expect.stringMatching(/^The model’s files are intact/),
      'The files of the model have changed since it was installed',
      'Another model was installed while the server was running',
    ]);
  });

  it('is told again within a day only of a fuller disk (recordings refused after little space), not of one as full as before', async () => {
    const notices = openNotices();
    for (const megabytes of [700, 2000, 600, 2000, 150, 2000, 150]) {
      freeBytes = megabytes * 1_000_000;
      await notices.look();
    }
    expect(sent.map(({ text }) => text.split('\n')[0])).toEqual([
      '700 MB are free on the disk of DATA_DIR.',
      '2000 MB are free on the disk of DATA_DIR.',
      'Only 150 MB are free on the disk of DATA_DIR, so recordings are refused.',
      '2000 MB are free on the disk of DATA_DIR.',
    ]);
  });

  it('gets an email about a trouble later if the mail server refuses it at first', async () => {
    missing = ['DECODER_NOT_INSTALLED'];
    refusals = 2;
    const notices = openNotices();
    await notices.look();
    await notices.look();
    expect(sent).toEqual([]);
    await notices.look();
    expect(subjects()).toEqual(['Chiffchaff at birds.example.org: serious problem with the decoder']);
  });

  it('is told of an old backup by one of several machines, two days after the first account or the last backup', async () => {
    await signUp(server, 'ann@example.org');
    const machines = [openNotices(), openNotices()];
    let day = 0;
    const toldAfter = async (days: number) => {
      await age(days - day);
      day = days;
      const before = sent.length;
      await Promise.all(machines.map(({ look }) => look()));
      return subjects()
        .slice(before)
        .filter((subject) => subject.includes('backup'));
    };
    expect(await toldAfter(1.9)).toEqual([]);
    expect(await toldAfter(2.1)).toEqual(['Chiffchaff at birds.example.org: problem with the backup']);
    await noteTime(server.database, 'backup');
    expect(await toldAfter(2.2)).toEqual(['Chiffchaff at birds.example.org: backup all right again']);
    expect(await toldAfter(4)).toEqual([]);
    expect(await toldAfter(4.2)).toEqual(['Chiffchaff at birds.example.org: problem with the backup']);
  });

  const toldOfClock = () => sent.map(({ text }) => text.split('\n')[0]).filter((text) => text?.includes('clock'));
  const BEHIND =
    'The clock of this machine is 60 days behind the latest time in the database: it is behind now, or was ahead then.';

  it('is told that the clock is behind, and that this is over only once the clock is right, not at a sign-in before', async () => {
    await signUp(server, 'ann@example.org');
    moveClock(-60 * DAY_MS);
    await openNotices().look();
    await signInAgain(server, 'ann@example.org');
    await openNotices().look();
    expect(toldOfClock()).toEqual([BEHIND]);
    moveClock(0);
    await openNotices().look();
    expect(toldOfClock()).toEqual([BEHIND, 'The clock of this machine agrees with the database.']);
  });

  // PostgreSQL has a clock to compare with.
  it.skipIf(isOnPostgres)('is told that the clock may have been ahead before, until they confirm that it is right', async () => {
    moveClock(60 * DAY_MS);
    await server.sounds.sweep();
    moveClock(0);
    await server.sounds.sweep();
    await openNotices().look();
    expect(toldOfClock()).toEqual([BEHIND]);
    expect(sent[0]?.text).toContain('doctor --clock-is-right');
    await using data = await openServerData(server);
    await adminProgram(async (run) => void (await run(data))).parseAsync(['doctor', '--clock-is-right'], { from: 'user' });
    await openNotices().look();
    expect(toldOfClock()).toEqual([BEHIND, 'The clock of this machine agrees with the database.']);
  });

  it('is told that the last backup is dated in the future, until there is another backup', async () => {
    await noteTime(server.database, 'backup', Date.now() + 60 * DAY_MS);
    await openNotices().look();
    await noteTime(server.database, 'backup');
    await openNotices().look();
    expect(sent.map(({ text }) => text.split('\n')[0])).toEqual([
      expect.stringMatching(/^The last backup is noted for [-\d]+, which is in the future, so it does not count/),
      expect.stringMatching(/^The last backup was made on /),
    ]);
  });

  it('is written to in the language of the server, at the contact address if no other is set', async () => {
    missing = ['MODEL_DAMAGED'];
    await openNotices({ defaultLanguage: 'de', operatorEmail: null }).look();
    expect(subjects()).toEqual(['Chiffchaff auf birds.example.org: ernstes Problem mit Modell']);
    expect(sent[0]?.to).toBe('contact@example.org');
  });

  it('finds in the log when the reason of a trouble changes, but not each time when only a figure does', async () => {
    const notices = openNotices();
    for (const megabytes of [700, 699, 150, 149, 600]) {
      freeBytes = megabytes * 1_000_000;
      missing = [megabytes < 200 ? 'OTHER_MODEL' : 'MODEL_NOT_INSTALLED'];
      await notices.look();
    }
    const logged = server.logged.filter(({ level }) => level === 40).map(({ msg }) => String(msg).split(/[.,:] /)[0]);
    const [missed, other] = ['The model is not installed', 'Another machine with this database has another model'];
    const free = 'MB are free on the disk of DATA_DIR';
    expect(logged.filter((sentence) => sentence?.includes('model'))).toEqual([missed, other, missed]);
    expect(logged.filter((sentence) => sentence?.includes('disk'))).toEqual([`700 ${free}`, `Only 150 ${free}`, `600 ${free}`]);
  });

  it('finds every beginning and end of a trouble in the log', async () => {
    const notices = openNotices();
    missing = ['MODEL_DAMAGED'];
    await notices.look();
    await notices.look();
    missing = [];
    await notices.look();
    const lines = server.logged.filter(({ trouble }) => trouble === 'model').map(({ level, msg }) => `${level} ${msg}`);
    expect(lines).toEqual([
      expect.stringMatching(/^40 The files of the model have changed.*Run "npm run model -- install"/),
      '30 trouble is over: The model’s files are intact.',
    ]);
  });
});
