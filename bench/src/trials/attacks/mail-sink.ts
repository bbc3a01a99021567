import { parentPort } from 'node:worker_threads';
import { startSmtpServer } from '../../../../apps/server/src/identity/testing/smtp-server.ts';

/** A mail server in its own thread, so that receiving mail does not delay what is measured. Posts its port. */
const { port } = await startSmtpServer();
parentPort?.postMessage(port);
