import { variable, wholeNumber } from './config-variable.ts';
import { defaultRequestLimit } from './http/limits/request-limit.ts';
import { limit } from './identity-variables.ts';
import { defaultQuotas } from './prediction/incoming/quotas.ts';

/** The rows of the configuration that say how much one person, and all of them, may put on the server; part of `variables`. */
export const loadVariables = {
  minFreeDiskBytes: variable<number>({
    name: 'MIN_FREE_DISK_BYTES',
    schema: wholeNumber(0, 1_099_511_627_776),
    fallback: 536_870_912,
    fallbackText: '536870912 (512 MiB)',
    rule: 'a whole number of bytes, up to 1 TiB',
    example: '2147483648',
    about:
      'Room that stays free where DATA_DIR lies: a recording that would take of it is refused before it is read. Answers, accounts and the system need it.',
  }),
  requestsPerClient: limit(
    'REQUEST_LIMIT_PER_CLIENT',
    defaultRequestLimit,
    'Requests of any kind that may come from one network address (IPv6: from one network of 2⁶⁴); further ones are told when to come again. Behind a proxy set TRUST_PROXY, or everybody counts as one. /healthz, /readyz and /metrics are not counted.',
  ),
  quotaPerAccount: limit(
    'QUOTA_PER_ACCOUNT',
    defaultQuotas.recordingsPerAccount,
    'Recordings that one account may send. Counted since the server started, as are the three below.',
  ),
  quotaPerClient: limit(
    'QUOTA_PER_CLIENT',
    defaultQuotas.recordingsPerClient,
    'Recordings that may come from one network address (IPv6: from one network of 2⁶⁴).',
  ),
  megabyteQuotaPerAccount: limit(
    'QUOTA_MEGABYTES_PER_ACCOUNT',
    defaultQuotas.megabytesPerAccount,
    'Megabytes of recordings that one account may send; here the first number counts megabytes.',
  ),
  megabyteQuotaPerClient: limit(
    'QUOTA_MEGABYTES_PER_CLIENT',
    defaultQuotas.megabytesPerClient,
    'Megabytes of recordings that may come from one network address.',
  ),
};
