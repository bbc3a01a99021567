import { createOutbox } from './create-outbox.ts';
import { outboxPage } from './outbox-page.ts';
import { openOutboxStore } from './outbox-store.ts';

/** The page's one outbox. */
export const outbox = createOutbox({
  openStore: openOutboxStore,
  page: outboxPage.current,
  async send(openHttp, item, file, options) {
    const [http, { sendItem }] = await Promise.all([openHttp(), import('./send-item.ts')]);
    return sendItem(http, item, file, options);
  },
});
