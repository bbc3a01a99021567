import { act, render } from '@testing-library/react';
import { type ReactElement, Suspense, startTransition, use } from 'react';

const never = new Promise<never>(() => {});

function Unfinished(): null {
  return use(never);
}

function Stage({ element, isFinished }: { readonly element: ReactElement; readonly isFinished: boolean }) {
  return (
    <Suspense fallback={null}>
      {element}
      {!isFinished && <Unfinished />}
    </Suspense>
  );
}

/** Shows one element, then starts to render another in its place, which React abandons half-way: `shown` is the one that counts. */
export async function renderAbandoned(shown: ReactElement, abandoned: ReactElement): Promise<void> {
  const view = render(<Stage element={shown} isFinished />);
  await act(async () => startTransition(() => view.rerender(<Stage element={abandoned} isFinished={false} />)));
}
