import type { PredictionSummary } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { act, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { answerEveryClient } from '../../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../../testing/fake-transport.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { SentBefore } from './sent-before.tsx';

answerEveryClient();

const wren = { scientificName: 'Troglodytes troglodytes', commonName: 'Eurasian Wren', confidence: 0.9 };
const before: PredictionSummary = {
  ...{ id: 'a', createdAt: '2026-05-03T05:12:44.120Z', fileName: 'a.wav', durationSeconds: 12 },
  ...{ recordedOn: null, place: null, species: [wren], keptAudio: null },
  verdict: { kind: 'identified', tied: false, sentence: '', named: [wren] },
};
/** SHA-256 of `abc`, from FIPS 180-2. */
const HASH = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Response.json({})),
  );
});

/** Responds to requests until the page has asked about a file. @returns the addresses of all requests */
async function answerWith(predictions: readonly PredictionSummary[]): Promise<string> {
  const asked: string[] = [];
  await eventually(async () => {
    await act(async () => {
      await new Promise((resolve) => setTimeout(resolve));
      for (const request of FakeRequest.sent.splice(0)) {
        asked.push(request.url);
        request.answer(200, { inWork: [], failed: [], predictions, cursor: null });
      }
    });
    expect(asked.some((url) => url.includes('sha256='))).toBe(true);
  });
  // biome-ignore lint/plugin: sleeps; to become a gate
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
  return asked.join(' ');
}

async function open(file: File) {
  const submit = vi.fn();
  const page = renderPage(
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <SentBefore file={file} />
    </form>,
  );
  await page.signIn();
  return { ...page, submit };
}

it('A file that was sent before is recognised, with what was heard and a link to its result', async () => {
  const { user, submit } = await open(new File(['abc'], 'again.wav'));
  expect(await answerWith([before])).toContain(`sha256=${HASH}`);
  expect(screen.getByRole('status').textContent).toMatch(
    /You uploaded this recording on (3 May 2026|May 3, 2026).*Birds found: Eurasian Wren/,
  );
  expect(screen.getByRole('link', { name: 'Open that result' }).getAttribute('href')).toBe('/history/a');
  await user.click(screen.getByRole('button', { name: 'Analyse it again' }));
  expect(submit).toHaveBeenCalledOnce();
});

it('A file that was not sent before gets no note', async () => {
  await open(new File(['abc'], 'new.wav'));
  await answerWith([]);
  expect(screen.queryByRole('status')).toBeNull();
});

it('A very large file is not read to find out whether it was sent before', async () => {
  const file = new File(['abc'], 'large.wav');
  Object.defineProperty(file, 'size', { value: 65_000_000 });
  const read = vi.spyOn(file, 'arrayBuffer');
  await open(file);
  expect(read).not.toHaveBeenCalled();
});
