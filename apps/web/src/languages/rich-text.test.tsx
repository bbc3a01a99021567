import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { RichText } from './rich-text.tsx';

it('A text with tags has links around the words between them', () => {
  const { container } = render(
    <RichText
      text="See <docs>the API</docs> and <terms>the terms</terms>."
      tags={{ docs: <a href="/api">.</a>, terms: <b>.</b> }}
    />,
  );
  expect(container.textContent).toBe('See the API and the terms.');
  expect(screen.getByRole('link', { name: 'the API' }).getAttribute('href')).toBe('/api');
});

it('A text whose tag has no element keeps its words', () => {
  const { container } = render(<RichText text="See <docs>the API</docs>." tags={{}} />);
  expect(container.textContent).toBe('See the API.');
});
