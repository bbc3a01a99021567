import { setImmediate } from 'node:timers/promises';
import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { actionLink } from '../codes/code-mails.ts';
import { startSmtpServer } from '../testing/smtp-server.ts';
import { createMailQueue } from './mail-queue.ts';
import { type CodeMailContent, writeMail } from './mail-texts.ts';
import { type CodeMail, createDevMailbox, createSmtpMailer, type Mailer, mailLanguageOf } from './mailer.ts';

const content: CodeMailContent = {
  email: 'ada@example.org',
  requestType: 'PASSWORD_RESET',
  link: 'https://birds.example.org/account/action?mode=resetPassword&oobCode=code',
  language: 'en',
  otherEmail: null,
};
const mail: CodeMail = { ...content, oobCode: 'code', ...writeMail(content) };

describe('The link in an email (`actionLink`)', () => {
  it('points to the configured address with encoded parameters', () => {
    const link = actionLink('https://birds.example.org', 'a&b', {
      requestType: 'VERIFY_EMAIL',
      oobCode: 'code',
      language: 'de',
      continueUrl: 'https://birds.example.org/process?a=1&b=2',
    });
    const url = new URL(link);
    expect(url.origin + url.pathname).toBe('https://birds.example.org/account/action');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      mode: 'verifyEmail',
      oobCode: 'code',
      apiKey: 'a&b',
      lang: 'de',
      continueUrl: 'https://birds.example.org/process?a=1&b=2',
    });
  });
});

describe('The writer of emails (`writeMail`)', () => {
  it.each(['en', 'de'] as const)('writes every kind of email in %s, with its link in the text and in the HTML', (language) => {
    for (const requestType of ['PASSWORD_RESET', 'VERIFY_EMAIL', 'VERIFY_AND_CHANGE_EMAIL', 'RECOVER_EMAIL'] as const) {
      const { subject, text, html } = writeMail({ ...content, language, requestType, otherEmail: 'new@example.org' });
      expect(subject).toContain('Chiffchaff');
      expect(text).toContain(mail.link);
      expect(html).toContain(`href="${mail.link.replace('&', '&amp;')}"`);
      expect(html).toContain(`lang="${language}"`);
      expect(text).toContain(requestType === 'RECOVER_EMAIL' ? 'new@example.org' : 'ada@example.org');
    }
  });

  it('escapes characters of an email address in the HTML', () => {
    expect(writeMail({ ...content, email: "o'neil&co@example.org" }).html).toContain('o&#39;neil&amp;co@example.org');
  });
});

describe('The language of emails', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE_ch', 'de'],
    ['en-GB', 'en'],
    ['den', null],
    ['fr', null],
    ['de\r\nBcc: x', null],
    [undefined, null],
  ])('for the client’s locale %j is %s', (locale, language) => expect(mailLanguageOf(locale)).toBe(language));
});

describe('The queue of emails (`createMailQueue`)', () => {
  const logged: unknown[] = [];
  const log = { warn: (...entry: unknown[]) => logged.push(entry), error: (...entry: unknown[]) => logged.push(entry) };
  afterEach(() => {
    logged.length = 0;
  });

  it('sends an email after the caller has continued, and tries again when the mail server refuses it', async () => {
    const mailbox = createDevMailbox();
    let failures = 2;
    const queue = createMailQueue({
      log,
      retryAfterMs: [1, 1],
      mailer: {
        ...mailbox,
        send: async (taken) => {
          if (failures-- > 0) throw Object.assign(new Error('550 <ada@example.org> unknown'), { code: 'EENVELOPE' });
          await mailbox.send(taken);
        },
      },
    });
    let hasBegun = false;
    queue.post(async () => {
      hasBegun = true;
      return mail;
    });
    expect(hasBegun).toBe(false);
    await queue.settled();
    expect(mailbox.mails).toEqual([mail]);
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toContain('ada@example.org');
  });

  it('logs which mail server it cannot reach, without the server’s password and the recipient', async () => {
    const mailer = createSmtpMailer('smtp://user:secret@127.0.0.1:9', 'Chiffchaff <no-reply@example.org>');
    const queue = createMailQueue({ log, retryAfterMs: [1], mailer: { ...mailer, maxPauseMs: 0 } });
    queue.post(async () => mail);
    await queue.settled();
    mailer.close();
    expect(logged).toEqual([
      [
        { reason: 'ESOCKET' },
        'an email could not be delivered to the mail server 127.0.0.1:9 (connection refused); it will be tried again',
      ],
      [{ reason: 'ESOCKET' }, 'an email was given up'],
    ]);
  });

  it('does not throw when the last try to send an email fails', async () => {
    const queue = createMailQueue({
      log,
      retryAfterMs: [],
      mailer: {
        maxPauseMs: 0,
        send: () => Promise.reject(new Error('no')),
        close: () => {},
      },
    });
    queue.post(async () => mail);
    await queue.settled();
    expect(logged).toEqual([[{ reason: 'Error' }, 'an email was given up']]);
  });

  it('sends an email after a random pause if that is configured', async () => {
    const begun: number[] = [];
    const queue = createMailQueue({ log, mailer: { ...createDevMailbox(), maxPauseMs: 200 } });
    for (const index of Array(40).keys()) {
      queue.post(async () => {
        begun.push(index);
        return null;
      });
    }
    await setImmediate();
    await setImmediate();
    expect(begun.length).toBeLessThan(20);
    await queue.settled();
    expect(begun).toHaveLength(40);
    expect(begun).not.toEqual(begun.toSorted((a, b) => a - b));
  });

  it('sends emails whose pause has not ended when the queue is closed', async () => {
    const mailbox = createDevMailbox();
    const queue = createMailQueue({ log, mailer: { ...mailbox, maxPauseMs: 3_600_000 } });
    queue.post(async () => mail);
    await queue.close();
    expect(mailbox.mails).toEqual([mail]);
  });

  it('does not wait for a hanging mail server when the queue is closed', async () => {
    let tried = 0;
    const hanging: Mailer = {
      maxPauseMs: 0,
      send: () => {
        tried += 1;
        return new Promise(() => {});
      },
      close: () => {},
    };
    const queue = createMailQueue({ log, closingMs: 1, mailer: hanging });
    for (let count = 0; count < 10; count++) queue.post(async () => mail);
    await eventually(() => expect(tried).toBe(4));
    await queue.close();
    expect(logged).toEqual([[{ reason: 'closing', mails: 10 }, 'emails were given up']]);
    expect(tried).toBe(4);
  });
});

describe('The mailer for SMTP (`createSmtpMailer`)', () => {
  it('passes the email to the SMTP server with one recipient', async () => {
    const { port, conversation, close } = await startSmtpServer();
    const mailer = createSmtpMailer(`smtp://127.0.0.1:${port}`, 'Chiffchaff <no-reply@birds.example.org>');
    await mailer.send({ ...mail, ...writeMail({ ...content, language: 'de' }) });
    mailer.close();
    await close();
    const text = conversation.join('');
    expect(text).toMatch(/^MAIL FROM:<no-reply@birds\.example\.org>/m);
    expect(text.match(/^RCPT TO:.*$/gm)?.map((line) => line.trim())).toEqual(['RCPT TO:<ada@example.org>']);
    expect(text).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(text).toMatch(/^Auto-Submitted: auto-generated/m);
  });
});
