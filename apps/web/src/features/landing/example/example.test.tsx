import { eventually } from '@chiffchaff/testing';
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { speak } from '../../../languages/i18n.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import wordCounts from './evidence.json';
import { Example } from './example.tsx';

afterEach(() => speak('en'));

describe('The example on the first page', () => {
  it('names the bird, the source of the recording and the makers of the model', () => {
    renderPage(<Example />);
    expect(screen.getByRole('heading', { name: 'Very likely a Killdeer.' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'observation 48913140' }).getAttribute('href')).toBe(
      'https://www.inaturalist.org/observations/48913140',
    );
    expect(screen.getByRole('link', { name: 'CC0 1.0' }).getAttribute('href')).toContain('publicdomain/zero/1.0');
    expect(screen.getByText(/Powered by BirdNET, K\. Lisa Yang.*CC-BY-NC-SA-4\.0/)).toBeTruthy();
  });

  it('says how often the word of confidence was right with exactly that model', () => {
    const { right = 0, of = 0 } = wordCounts.find(({ word }) => word === 'veryLikely') ?? {};
    expect(right).toBeGreaterThan(0);
    renderPage(<Example />);
    expect(screen.getByText(`Of ${of} test recordings called “Very likely”, ${right} were right.`)).toBeTruthy();
  });

  it('names the bird in the language of the page', async () => {
    await speak('de');
    renderPage(<Example />);
    expect(screen.getByRole('heading', { name: /Keilschwanz-Regenpfeifer/ })).toBeTruthy();
  });

  it('loads no audio before the user plays it, and highlights the name while it plays', async () => {
    const play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(async function (this: HTMLMediaElement) {
      Object.defineProperty(this, 'paused', { value: false, configurable: true });
      this.dispatchEvent(new Event('play'));
    });
    const { user, container } = renderPage(<Example />);
    expect(container.querySelector('audio')?.getAttribute('preload')).toBe('none');
    expect(container.querySelector('[data-sounding="true"]')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Play the example' }));
    expect(play).toHaveBeenCalledOnce();
    expect(await screen.findByRole('button', { name: 'Pause the example' })).toBeTruthy();
    await eventually(() => expect(container.querySelector('[data-sounding="true"]')?.textContent).toBe('Killdeer'));
  });

  it('gives its position in steps that every browser reads as they are, in the words of the timeline', () => {
    renderPage(<Example />);
    const slider = screen.getByRole('slider', { name: 'Position in the example' });
    expect(slider.getAttribute('aria-valuetext')).toBe('0:00.0 of 0:07.5');
    const step = Number(slider.getAttribute('step'));
    expect(Math.fround(step)).toBe(step);
    fireEvent.change(slider, { target: { value: '2.25' } });
    expect(slider.getAttribute('aria-valuetext')).toBe('0:02.3 of 0:07.5');
  });

  it('says if the browser cannot play it', async () => {
    const { container } = renderPage(<Example />);
    container.querySelector('audio')?.dispatchEvent(new Event('error'));
    expect((await screen.findByRole('alert')).textContent).toContain('can’t play');
  });
});
