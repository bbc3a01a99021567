import { config } from 'zod/v4/core';

// Answers are checked without code made at run time: the Content-Security-Policy refuses that, and merely trying leaves a report.
// Schemas ask when they are made, so this runs before any of them.
config({ jitless: true });
