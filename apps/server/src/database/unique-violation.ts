import { hasCode } from '../system-error.ts';

/** Whether a write failed because another row has the same unique value. */
export const isUniqueViolation = (error: unknown): boolean =>
  hasCode(error, 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505');
