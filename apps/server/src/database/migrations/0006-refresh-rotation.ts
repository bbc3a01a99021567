import type { Migration } from '../migrate.ts';

/** Refresh tokens that are replaced when they are used; sessions of before keep their first one until then. */
export const refreshRotation: Migration = {
  name: '0006-refresh-rotation',
  sql: `
    ALTER TABLE sessions ADD COLUMN currentTokenHash TEXT;
    ALTER TABLE sessions ADD COLUMN previousTokenHash TEXT;
    ALTER TABLE sessions ADD COLUMN successorKey TEXT;
    ALTER TABLE sessions ADD COLUMN rotatedAtMs INTEGER;
  `,
};
