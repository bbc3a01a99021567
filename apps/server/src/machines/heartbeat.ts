import { sql } from 'kysely';
import { expressions } from '../database/expressions.ts';

/** How often a machine renews its rows. */
export const BEAT_EVERY_MS = 10_000;
/** A row that was not renewed for this long belongs to a dead machine. */
const GONE_AFTER_MS = 30_000;

/** The time by the one clock that all machines share, PostgreSQL's. */
export const { nowMs } = expressions.postgres;
/** Rows last renewed before this time belong to dead machines. */
export const goneBeforeMs = sql<number>`${nowMs} - ${GONE_AFTER_MS}`;
