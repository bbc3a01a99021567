import { sql } from 'kysely';

/** How often a machine says that what it does goes on. */
export const BEAT_EVERY_MS = 10_000;
/** What has not been heard of for so long goes on no more. */
const GONE_AFTER_MS = 30_000;

/** By the one clock that all machines have in common, PostgreSQL's. */
export const nowMs = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
/** What was seen before this moment is gone. */
export const goneBeforeMs = sql<number>`${nowMs} - ${GONE_AFTER_MS}`;
