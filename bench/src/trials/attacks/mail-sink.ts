import { parentPort } from 'node:worker_threads';
import { startSmtpServer } from '../../../../apps/server/src/identity/testing/smtp-server.ts';

/** A mail server in a thread of its own, so that taking mails does not delay what is measured. Tells its port. */
const { port } = await startSmtpServer();
parentPort?.postMessage(port);
