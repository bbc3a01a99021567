/**
 * Every repository of the server with example calls of its methods. Values do not matter, only which statements run: they become
 * parameters.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Analysis } from '@chiffchaff/analysis';
import { samplePrediction } from '@chiffchaff/analysis/testing';
import { API_TOKEN_PREFIX } from '@chiffchaff/contract';
import { usage } from '../../admin/usage.ts';
import { users } from '../../admin/users.ts';
import { readConfig } from '../../config.ts';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import { createAccountDeletion } from '../../identity/accounts/account-deletion.ts';
import { disableAccount, hasEnded, openAccountEnding } from '../../identity/accounts/account-ending.ts';
import * as accountStore from '../../identity/accounts/account-store.ts';
import { createSessions } from '../../identity/accounts/sessions.ts';
import { createSignOuts } from '../../identity/accounts/sign-outs.ts';
import * as terms from '../../identity/accounts/terms.ts';
import { createApiTokens } from '../../identity/api-tokens/api-tokens.ts';
import * as endApiTokens from '../../identity/api-tokens/end-api-tokens.ts';
import { createOneTimeCodes } from '../../identity/codes/one-time-codes.ts';
import * as invitations from '../../identity/invitations/invitations.ts';
import { hashSecret } from '../../identity/secret-token.ts';
import { openKeyTable } from '../../identity/tokens/key-table.ts';
import { generateKey } from '../../identity/tokens/signing-key.ts';
import { requireOneStorage } from '../../machines/one-storage.ts';
import { openSharedState } from '../../machines/shared-state.ts';
import { createSoundStore, type KeptSound } from '../../prediction/audio/sound-store.ts';
import { openArrivals } from '../../prediction/incoming/arrivals.ts';
import { removeStrayUploads } from '../../prediction/incoming/stray-uploads.ts';
import { uploadObject } from '../../prediction/incoming/upload-folder.ts';
import { CANCELLED } from '../../prediction/queue/job.ts';
import { createJobStore, type NewJob } from '../../prediction/queue/job-store.ts';
import * as workRows from '../../prediction/queue/postgres/work-rows.ts';
import { createSharedAdmission } from '../../prediction/queue/shared-admission.ts';
import { readWorkers, registerWorker } from '../../prediction/queue/worker-register.ts';
import { createUploadStore } from '../../prediction/resumable/upload-store.ts';
import { createLinkStore } from '../../prediction/sharing/link-store.ts';
import { createConditionsStore } from '../../prediction/stored/conditions-store.ts';
import { createPredictionStore } from '../../prediction/stored/prediction-store.ts';
import { createReviewStore } from '../../prediction/stored/review-store.ts';
import { openSettings } from '../../settings/settings.ts';
import { createSetupCodes, isNew } from '../../settings/setup-codes.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { type Repository, repository } from './repository.ts';

const NOW_MS = 1_000;
const now = () => NOW_MS;
const log = { warn() {}, error() {} };
const inNoTime = async () => {};

const bird = { scientificName: 'Turdus merula', commonName: 'Blackbird', confidence: 0.9 };
const account: accountStore.Account = {
  id: 'account',
  email: 'a@example.org',
  emailVerified: true,
  passwordHash: '',
  passwordUpdatedAtMs: NOW_MS,
  displayName: null,
  photoUrl: null,
  disabled: false,
  customAttributes: null,
  createdAtMs: NOW_MS,
  lastLoginAtMs: NOW_MS,
  lastRefreshAtMs: null,
  validSinceSeconds: 1,
};
const principal = {
  accountId: 'account',
  email: account.email,
  emailVerified: true,
  displayName: null,
  authTimeSeconds: 1,
  sessionId: 'session',
};
const summary = { durationSeconds: 3, verdict: { ...samplePrediction().verdict, named: [bird] }, species: [bird] };

/** The row that statements find unless a call says otherwise: columns of all tables and names that queries give to what they select. */
export const exampleRow = {
  ...account,
  ...bird,
  ...{ accountId: 'account', ownerId: 'account', sequence: 1, part: 0, bytes: 3, attempts: 0, sha256: 'a', fileName: 'a.wav' },
  ...{
    emailVerified: 1,
    disabled: 0,
    confirmed: 1,
    mayRead: 1,
    mayPredict: 1,
    sound: 1,
    wrongTries: 0,
    places: 1,
    jobSeconds: 1,
  },
  ...{
    state: 'done',
    fields: '{}',
    metadata: '{}',
    moments: '[]',
    summary: JSON.stringify(summary),
    searchText: '',
    value: '""',
  },
  ...{ predictionId: 'prediction', idempotencyKey: 'key', uploadName: 'upload', answerBytes: 3, problem: null, progress: null },
  ...{ endedAtMs: null, endReason: null, usedAtMs: null, expiresAtMs: 2 * NOW_MS, deletedAtMs: NOW_MS, lastUsedAtMs: NOW_MS },
  ...{ createdAtMs: NOW_MS, atMs: NOW_MS, sentAtMs: NOW_MS, disabledAtMs: NOW_MS, acceptedAtMs: NOW_MS, authTimeSeconds: 1 },
  ...{ verdict: 'confirmed', toScientificName: null, toCommonName: null, recordedOn: '2026-05-01', day: '2026-05-01', count: 1 },
  ...{ taken: 0, ofAccount: 0, ofNetwork: 0 },
  ...{ first: '2026-05-01 1000 prediction', predictions: 1, timesThisYear: 1, lastHeardOn: null, keepAudio: 'moments' },
  ...{
    keepShortWhole: 1,
    answer: Buffer.of(1),
    latitude: 52,
    longitude: 13,
    statedDay: '2026-05-01',
    name: 'other',
    behindOthers: false,
  },
};

const sound: KeptSound = {
  id: 'sound',
  accountId: 'account',
  predictionId: 'prediction',
  createdAtMs: NOW_MS,
  recordingUntilMs: NOW_MS,
  momentsUntilMs: NOW_MS,
  moments: [],
  durationSeconds: 3,
  channels: 1,
  asSentType: null,
  preparedAtMs: null,
  preparingUntilMs: null,
};

const analysis: Analysis = {
  ...{ prediction: samplePrediction(), species: [bird], excerpts: [], mentioned: [] },
  ...{ json: Buffer.of(), answer: Buffer.of(1) },
};
const newJob: NewJob = {
  pending: {
    id: 'prediction',
    accountId: 'account',
    sender: { accountId: 'account', network: '' },
    idempotencyKey: 'key',
    uploadName: 'upload',
    refusal: null,
  },
  upload: { fileName: 'a.wav', sha256: 'a', bytes: 3, fields: {} },
  fields: {},
};
const job = { ...newJob.pending, ...newJob.upload, network: '', createdAtMs: NOW_MS, attempts: 0, fields: {} };
/** as `job-store.ts` hashes `newJob` */
const requestHash = createHash('sha256')
  .update(JSON.stringify(['a', 'a.wav', []]))
  .digest('hex');
const retryable = JSON.stringify({ code: 'SERVER_BUSY', details: {} });

const sessionOptions = { projectId: 'project', idleDays: 90, rotation: true, signOuts: createSignOuts(), now };
const projectTag = createHash('sha256').update('project').digest('base64url').slice(0, 8);
const refreshToken = `${projectTag}.${'x'.repeat(43)}`;

const createTokens = (database: PostgresDatabase) =>
  createApiTokens({ database, sessions: createSessions(sessionOptions), signOuts: createSignOuts(), now });

/** Near the date line, which takes two spans. */
const everyFilter = {
  limit: 10,
  cursor: Buffer.from('1000 prediction').toString('base64url'),
  species: bird.scientificName,
  confirmed: true,
  sha256: 'a',
  from: '2026-05-01',
  to: '2026-05-02',
  latitude: 0,
  longitude: 180,
} as const;

const hooks = { accepted: inNoTime, ended: async () => true, discarded: inNoTime };
const withoutAccount = { ...job, accountId: null, idempotencyKey: null };
const storedKey = await generateKey(NOW_MS);

const emptyStorage = {
  read: async () => null,
  draftPathFor: async (name: string) => join(tmpdir(), `${name}-${process.pid}`),
  put: (_name: string, path: string) => rm(path),
};
const storageWithOldUpload = {
  async *list() {
    yield { name: uploadObject('upload'), bytes: 3, changedAtMs: 0 };
  },
  remove: inNoTime,
} as Partial<ObjectStorage> as ObjectStorage;

const { config } = readConfig({});

const accountEndingOptions = { onAccountEnded: inNoTime, log, sessions: createSessions(sessionOptions) };

export const repositories: readonly Repository[] = [
  repository({
    source: 'admin/usage.ts',
    open: (database) => ({ usage: () => usage({ database, config }, {}) }),
    calls: { usage: (admin) => admin.usage() },
  }),
  repository({
    source: 'admin/users.ts',
    open: (database) => ({ users: () => users({ database, config }, {}) }),
    calls: { users: (admin) => admin.users() },
  }),
  repository({
    source: 'identity/accounts/account-store.ts',
    open: () => accountStore,
    calls: {
      findAccount: (accounts, query) => accounts.findAccount(query, 'account'),
      findAccountByEmail: (accounts, query) => accounts.findAccountByEmail(query, account.email),
      listAccounts: (accounts, query) => accounts.listAccounts(query, 'account', 10),
      insertAccount: (accounts, query) => accounts.insertAccount(query, account),
      changeAccount: (accounts, query) => accounts.changeAccount(query, 'account', { disabled: true, emailVerified: true }),
    },
  }),
  repository({
    source: 'identity/accounts/sessions.ts',
    open: () => createSessions(sessionOptions),
    calls: {
      open: (sessions, query) => sessions.open(query, 'account', null),
      isOpen: (sessions, query) => sessions.isOpen(query, 'session', 'account'),
      use: [
        {
          finds: { currentTokenHash: hashSecret(refreshToken), rotatedAtMs: null, successorKey: null },
          run: (sessions, query) => sessions.use(query, refreshToken, inNoTime),
        },
        // Used again after it was replaced: the session ends.
        {
          finds: { currentTokenHash: 'another', previousTokenHash: 'another', rotatedAtMs: NOW_MS },
          run: (sessions, query) => sessions.use(query, refreshToken, inNoTime).catch(() => {}),
        },
      ],
      list: (sessions, query) => sessions.list(query, 'account'),
      end: [
        (sessions, query) => sessions.end(query, 'account', 'signedOut'),
        (sessions, query) => sessions.end(query, 'account', 'signedOut', { only: 'session' }),
        (sessions, query) => sessions.end(query, 'account', 'passwordChanged', { except: 'session' }),
      ],
      purge: (sessions, query) => sessions.purge(query),
    },
  }),
  repository({
    source: 'identity/accounts/terms.ts',
    open: () => terms,
    calls: {
      recordAcceptance: (acceptances, query) => acceptances.recordAcceptance(query, 'account', '1', NOW_MS),
      listAcceptances: (acceptances, query) => acceptances.listAcceptances(query, 'account'),
    },
  }),
  repository({
    source: 'identity/accounts/account-deletion.ts',
    open: (database) =>
      createAccountDeletion({ database, ...accountEndingOptions, onAccountDeleted: inNoTime, accountsStay: false, now }),
    calls: {
      delete: (deletion) => deletion.delete('account'),
      deleteKept: (deletion) => deletion.deleteKept('account'),
      resume: (deletion) => deletion.resume(),
    },
  }),
  repository({
    source: 'identity/accounts/account-ending.ts',
    open: async (database) => ({
      ...(await openAccountEnding({ database, ...accountEndingOptions })),
      disableAccount: (query: accountStore.Query) => disableAccount(database, query, 'account', NOW_MS),
      hasEnded,
    }),
    calls: {
      follow: (ending) => ending.follow('account'),
      resume: (ending) => ending.resume(),
      disableAccount: (ending, query) => ending.disableAccount(query),
      hasEnded: (ending, query) => ending.hasEnded(query, 'account'),
    },
  }),
  repository({
    source: 'identity/api-tokens/api-tokens.ts',
    open: createTokens,
    calls: {
      verify: [
        (tokens) => tokens.verify(`${API_TOKEN_PREFIX}x`),
        { finds: { lastUsedAtMs: null }, run: (tokens) => tokens.verify(`${API_TOKEN_PREFIX}x`) },
      ],
      holds: (tokens) => tokens.holds('token'),
      list: (tokens) => tokens.list('account'),
      create: (tokens) => tokens.create(principal, { name: 'program', scopes: ['read'] }),
      revoke: (tokens) => tokens.revoke('account', 'token'),
      endAll: (tokens) => tokens.endAll('account'),
      purge: (tokens) => tokens.purge(),
    },
  }),
  repository({
    source: 'identity/api-tokens/end-api-tokens.ts',
    open: () => endApiTokens,
    calls: { endApiTokens: (tokens, query) => tokens.endApiTokens(query, 'account') },
  }),
  repository({
    source: 'identity/codes/one-time-codes.ts',
    open: () => createOneTimeCodes({ now }),
    calls: {
      create: (codes, query) => codes.create(query, account, 'PASSWORD_RESET'),
      check: (codes, query) => codes.check(query, 'code'),
      use: (codes, query) => codes.use(query, 'code'),
      voidAll: (codes, query) => codes.voidAll(query, 'account'),
      voidOutdated: (codes, query) => codes.voidOutdated(query, 'account'),
      purge: (codes, query) => codes.purge(query),
    },
  }),
  repository({
    source: 'identity/invitations/invitations.ts',
    open: () => ({ ...invitations, ...invitations.createInvitations({ now }) }),
    calls: {
      create: (invited, query) => invited.create(query, account.email),
      check: (invited, query) => invited.check(query, 'code', account.email),
      use: (invited, query) => invited.use(query, 'code', account),
      purge: (invited, query) => invited.purge(query),
      listInvitations: (invited, query) => invited.listInvitations(query),
      revokeInvitation: (invited, query) => invited.revokeInvitation(query, account.email),
      listInvitationsOf: (invited, query) => invited.listInvitationsOf(query, 'account'),
      deleteInvitations: (invited, query) => invited.deleteInvitations(query, 'account'),
    },
  }),
  repository({
    source: 'identity/tokens/key-table.ts',
    onPostgresOnly: true,
    open: async (database) => ({ read: () => openKeyTable(database, now).then(({ close }) => close()) }),
    calls: { read: { finds: { ...storedKey }, run: (keys) => keys.read() } },
  }),
  repository({
    source: 'machines/one-storage.ts',
    onPostgresOnly: true,
    open: (database) => ({ requireOneStorage: () => requireOneStorage(database, emptyStorage) }),
    calls: { requireOneStorage: (storage) => storage.requireOneStorage().catch(() => {}) },
  }),
  repository({
    source: 'machines/shared-state.ts',
    onPostgresOnly: true,
    open: openSharedState,
    calls: { clearCounts: (state) => state.clearCounts() },
  }),
  repository({
    source: 'prediction/audio/sound-store.ts',
    open: createSoundStore,
    calls: {
      find: (sounds) => sounds.find('account', 'prediction'),
      settingOf: (sounds) => sounds.settingOf('account'),
      changeSetting: (sounds) => sounds.changeSetting('account', 'shortRecording'),
      forgetSetting: (sounds) => sounds.forgetSetting('account'),
      add: (sounds) => sounds.add(sound),
      findAll: (sounds) => sounds.findAll('account', ['prediction', 'other']),
      ofAccount: (sounds) => sounds.ofAccount('account'),
      all: (sounds) => sounds.all(),
      due: (sounds) => sounds.due(NOW_MS),
      unprepared: (sounds) => sounds.unprepared(),
      claimUnprepared: (sounds) => sounds.claimUnprepared(NOW_MS, NOW_MS),
      renew: (sounds) => sounds.renew(['sound', 'other'], NOW_MS),
      notePrepared: (sounds) => sounds.notePrepared('sound', NOW_MS),
      known: (sounds) => sounds.known(['sound', 'other']),
      end: [(sounds) => sounds.end('sound', 'recording'), (sounds) => sounds.end('sound', 'moments')],
      endAll: (sounds) => sounds.endAll('sound'),
      remove: [(sounds) => sounds.remove('sound'), (sounds) => sounds.remove('sound', NOW_MS)],
    },
  }),
  repository({
    source: 'prediction/incoming/arrivals.ts',
    onPostgresOnly: true,
    open: openArrivals,
    calls: {
      enter: (arrivals) => arrivals.enter({ id: 'upload', accountId: 'account', idempotencyKey: null, createdAtMs: 1 }, () => {}),
      leave: (arrivals) => arrivals.leave('upload', { id: 'upload' }),
      ofAccount: (arrivals) => arrivals.ofAccount('account'),
      find: (arrivals) => arrivals.find('account', 'upload'),
      async beat(arrivals) {
        await arrivals.enter({ id: 'upload', accountId: 'account', idempotencyKey: null, createdAtMs: 1 }, () => {});
        await arrivals.beat();
      },
    },
  }),
  repository({
    source: 'prediction/incoming/stray-uploads.ts',
    open: (database) => ({ removeStrayUploads: () => removeStrayUploads(storageWithOldUpload, database) }),
    calls: { removeStrayUploads: (uploads) => uploads.removeStrayUploads() },
  }),
  repository({
    source: 'prediction/queue/job-store.ts',
    // With several machines, workers may lose their jobs.
    open: (database) => createJobStore(database, database.kind === 'postgres' ? hooks : null, now),
    calls: {
      accept: [
        { finds: { requestHash }, run: (jobs) => jobs.accept(newJob) },
        // Asked again after a temporary problem, for an account that is disabled.
        { finds: { requestHash, problem: retryable }, run: (jobs) => jobs.accept(newJob).catch(() => {}) },
      ],
      finish: [(jobs) => jobs.finish(job, analysis, [Buffer.of(1)]), (jobs) => jobs.finish(withoutAccount, analysis, [])],
      fail: [(jobs) => jobs.fail(job, CANCELLED.problem), (jobs) => jobs.fail(withoutAccount, CANCELLED.problem)],
      setAttempts: (jobs) => jobs.setAttempts('prediction', 1),
      forget: (jobs) => jobs.forget('prediction'),
      discard: (jobs) => jobs.discard('prediction'),
      outcomeOf: (jobs) => jobs.outcomeOf('prediction'),
      forgetUpload: (jobs) => jobs.forgetUpload(job),
      find: (jobs) => jobs.find('prediction'),
      notFinalized: (jobs) => jobs.notFinalized(NOW_MS),
      loadLeftovers: (jobs) => jobs.loadLeftovers(),
    },
  }),
  repository({
    source: 'prediction/queue/postgres/work-rows.ts',
    onPostgresOnly: true,
    open: () => workRows,
    calls: {
      readWork: (rows, query) => rows.readWork(query, ['prediction', 'other']),
      writeProgress: (rows, query) => rows.writeProgress(query, 'prediction', '{}'),
      findWithoutJob: (rows, query) => rows.findWithoutJob(query, NOW_MS),
      countWaiting: (rows, query) => rows.countWaiting(query),
    },
  }),
  repository({
    source: 'prediction/queue/shared-admission.ts',
    onPostgresOnly: true,
    open: (database) => createSharedAdmission({ database, waiting: 10 }),
    calls: { check: (admission) => admission.check(newJob.pending.sender) },
  }),
  repository({
    source: 'prediction/queue/worker-register.ts',
    onPostgresOnly: true,
    open: async (database) => ({ ...(await registerWorker({ database, places: 2, log })), readWorkers }),
    calls: { readWorkers: (workers, query) => workers.readWorkers(query) },
  }),
  repository({
    source: 'prediction/resumable/upload-store.ts',
    open: createUploadStore,
    calls: {
      add: (uploads) => uploads.add({ id: 'upload', accountId: 'account', createdAtMs: NOW_MS, bytes: 3, metadata: '{}' }),
      find: (uploads) => uploads.find('upload'),
      ofAccount: (uploads) => uploads.ofAccount('account'),
      noteHash: (uploads) => uploads.noteHash('upload', 'a'),
      take: (uploads, query) => uploads.take(query, 'upload', NOW_MS),
      remove: (uploads) => uploads.remove('upload'),
      removeOlder: (uploads) => uploads.removeOlder(NOW_MS),
      removeAccount: (uploads) => uploads.removeAccount('account', NOW_MS),
      waitingIds: (uploads) => uploads.waitingIds(),
    },
  }),
  repository({
    source: 'prediction/sharing/link-store.ts',
    open: (database) => createLinkStore(database, now),
    calls: {
      ofAccount: (links) => links.ofAccount('account'),
      find: (links) => links.find('x'.repeat(22)),
      add: (links) => links.add('account', { predictionId: 'prediction', sound: true, region: null }),
      revoke: (links) => links.revoke('account', 'link'),
      revokeAll: (links) => links.revokeAll('account'),
    },
  }),
  repository({
    source: 'prediction/stored/conditions-store.ts',
    open: (database) => createConditionsStore(database, createReviewStore(database, now)),
    calls: {
      fieldsOf: (conditions) => conditions.fieldsOf('account', 'prediction'),
      areChanged: (conditions) => conditions.areChanged('prediction'),
      replace: (conditions) => conditions.replace('account', 'prediction', analysis, {}),
      restoreFirst: (conditions) => conditions.restoreFirst('account', 'prediction'),
    },
  }),
  repository({
    source: 'prediction/stored/prediction-store.ts',
    open: (database) => createPredictionStore(database, now),
    calls: {
      find: (predictions) => predictions.find('account', 'prediction'),
      list: [
        (predictions) => predictions.list('account', { limit: 10 }),
        (predictions) =>
          predictions.list('account', { limit: 10, search: 'black bird' }, new Map([['Turdus merula', 'Amsel bird']])),
        (predictions) => predictions.list('account', everyFilter),
      ],
      inWork: (predictions) => predictions.inWork('account'),
      failed: (predictions) => predictions.failed('account'),
      species: (predictions) => predictions.species('account'),
      heardBefore: (predictions) => predictions.heardBefore('account', 'prediction'),
      days: (predictions) => predictions.days('account'),
      completeSomeSpecies: (predictions) => predictions.completeSomeSpecies(),
      answerOf: (predictions) => predictions.answerOf('prediction'),
      evidenceOf: (predictions) => predictions.evidenceOf('prediction'),
      evidenceBytesOf: (predictions) => predictions.evidenceBytesOf('prediction'),
      remove: [
        (predictions) => predictions.remove('account', 'all'),
        (predictions) => predictions.remove('account', 'prediction'),
      ],
      restore: [
        (predictions) => predictions.restore('account', 'all', NOW_MS),
        (predictions) => predictions.restore('account', 'prediction', NOW_MS),
      ],
      overdue: (predictions) => predictions.overdue(NOW_MS, NOW_MS),
      goneWithSound: (predictions) => predictions.goneWithSound(),
      purge: (predictions) => predictions.purge('prediction', new AbortController().signal),
      removeAccount: (predictions) => predictions.removeAccount('account'),
      answersOf: (predictions) => predictions.answersOf('account'),
    },
  }),
  repository({
    source: 'prediction/stored/review-store.ts',
    open: (database) => createReviewStore(database, now),
    calls: {
      of: (reviews) => reviews.of('prediction'),
      latest: (reviews) => reviews.latest('prediction', bird.scientificName),
      historyOf: (reviews) => reviews.historyOf('prediction'),
      ofAll: (reviews) => reviews.ofAll(['prediction', 'other']),
      put: (reviews) => reviews.put('account', 'prediction', { bird, verdict: 'rejected', to: null }),
      listAgain: (reviews, query) =>
        reviews.listAgain(query, { id: 'prediction', fileName: 'a.wav', summary: exampleRow.summary }),
      withdraw: (reviews) => reviews.withdraw('account', 'prediction', bird.scientificName),
    },
  }),
  repository({
    source: 'settings/settings.ts',
    open: (database) => openSettings(database, config, log),
    calls: {
      isUnset: (settings) => settings.isUnset(),
      save: (settings) => settings.save(config, inNoTime),
    },
  }),
  repository({
    source: 'settings/setup-codes.ts',
    open: (database) => ({ ...createSetupCodes(database, now), isNew: () => isNew(database) }),
    calls: {
      make: [(codes) => codes.make({ replace: true }), (codes) => codes.make({ replace: false })],
      isOpen: (codes) => codes.isOpen(),
      check: { finds: { codeHash: hashSecret('another') }, run: (codes) => codes.check('code') },
      use: { finds: { codeHash: hashSecret('c0de') }, run: (codes, query) => codes.use(query, 'c0de') },
      isNew: (codes) => codes.isNew(),
    },
  }),
];
