import { Notice } from './notice.tsx';

interface Properties {
  /** null shows nothing */
  readonly sentence: string | null;
  readonly onRetry?: (() => void) | undefined;
}

/** Says why a call failed, in a notice. */
export const Failure = ({ sentence, onRetry }: Properties) =>
  sentence !== null && <Notice tone="warning" title={sentence} announce onRetry={onRetry} />;

interface LineProperties extends Pick<Properties, 'sentence'> {
  /** What was not done, said first. */
  readonly undone?: string;
  readonly className?: string | undefined;
}

/** Says why a call failed, in a line. */
export const FailureLine = ({ sentence, undone, className }: LineProperties) =>
  sentence !== null && (
    <p role="alert" className={className}>
      {undone === undefined ? sentence : `${undone} ${sentence}`}
    </p>
  );
