import { missingTerms, type PublicTerms, type SignUp, setupAnswerSchema } from '@chiffchaff/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ComponentType, type FormEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { isProblem, toApiError } from '../../platform/api/api-error.ts';
import { ask } from '../../platform/api/ask.ts';
import { publicConfigQuery, usePublicConfig } from '../../platform/api/public-config.ts';
import { useCall, useFailureSentence } from '../../platform/api/use-call.ts';
import { useOpenHttp } from '../../platform/session/session-context.tsx';
import { Form, type PlaceFieldProperties, TextField } from '../../ui/form/form.tsx';
import { FailureLine } from '../../ui/notice.tsx';
import styles from './setup.module.css';
import { SetupForm, setupRequest } from './setup-form.tsx';

export interface SetupScreenProperties {
  readonly PlaceField: ComponentType<PlaceFieldProperties>;
  readonly TermsPreview: ComponentType<{ readonly terms: PublicTerms }>;
}

function Closed() {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('setup.closed')}</p>
      <p>
        <code>./chiffchaff admin setup</code>
      </p>
      <p>{t('setup.closedWhere')}</p>
    </>
  );
}

/** The code that opens the settings, and what they are. */
type Opened = Pick<ComponentProps<typeof SetupForm>, 'code' | 'answer'>;

interface CodeFormProperties {
  readonly onOpened: (opened: Opened) => void;
  readonly onClosed: () => void;
}

/** Asks for the code, which stays in memory only. */
function CodeForm({ onOpened, onClosed }: CodeFormProperties) {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const open = useCall(
    async (http): Promise<Opened> => ({
      code: code.trim(),
      answer: await ask(http, setupAnswerSchema, setupRequest(code.trim())),
    }),
    { onSuccess: onOpened, onError: (thrown) => isProblem(toApiError(thrown), 'NOT_FOUND') && onClosed() },
  );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setIsMissing(code.trim() === '');
    if (code.trim() !== '' && !open.isPending) open.mutate();
  };
  return (
    <Form form={{ isBusy: open.isPending, refusal: null, onSubmit }} label={t('setup.open')}>
      <p>{t('setup.codeIntro')}</p>
      <TextField
        name="code"
        value={code}
        fault={isMissing ? t('setup.codeMissing') : open.failure}
        label={t('setup.code')}
        help={t('setup.codeHelp')}
        autoComplete="off"
        required
        onChange={(text) => {
          setCode(text);
          setIsMissing(false);
          open.reset();
        }}
      />
    </Form>
  );
}

/** Who can create an account, and how the operator lets people in. */
function WhoComesIn({ signUp, isOwn }: { readonly signUp: SignUp; readonly isOwn: boolean }) {
  const { t } = useTranslation();
  if (signUp === 'closed') return <li>{t('setup.nextClosed')}</li>;
  if (!isOwn) return <li>{t('setup.nextElsewhere')}</li>;
  return (
    <li>
      {t(signUp === 'open' ? 'setup.nextOpen' : 'setup.nextInvite')}
      <p>
        <code>./chiffchaff admin invite NAME@EXAMPLE.ORG</code>
      </p>
      <p>{t('setup.nextInviteHow')}</p>
    </li>
  );
}

/** What to do next. */
function Done() {
  const { t } = useTranslation();
  const title = useRef<HTMLHeadingElement>(null);
  const { data: config } = usePublicConfig();
  useEffect(() => title.current?.focus(), []);
  return (
    <>
      <h2 ref={title} tabIndex={-1}>
        {t('setup.saved')}
      </h2>
      <ul className={`stack-tight ${styles.next}`}>
        {config && <WhoComesIn signUp={config.identity.signUp} isOwn={config.identity.mode === 'embedded'} />}
        {config && missingTerms(config.terms).length > 0 && <li>{t('setup.nextTerms')}</li>}
        <li>{t('setup.nextAgain')}</li>
      </ul>
      <p className="cluster">
        <Link to="/login" className="button">
          {t(config?.identity.signUp === 'open' ? 'setup.toLogin' : 'session.signIn')}
        </Link>
        <Link to="/toc">{t('account.readTerms')}</Link>
      </p>
    </>
  );
}

/** `/setup`: the operator sets up a new server. Access needs the one-time code, not a sign-in. */
export function SetupScreen({ PlaceField, TermsPreview }: SetupScreenProperties) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const [opened, setOpened] = useState<Opened | null>(null);
  const [stage, setStage] = useState<'open' | 'closed' | 'done'>('open');
  const { error, isPending } = useQuery({
    queryKey: ['setup'],
    queryFn: async () => ask(await openHttp(), setupAnswerSchema, setupRequest('')),
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const asked = error && toApiError(error);
  const isClosed = stage === 'closed' || (stage === 'open' && asked !== null && isProblem(asked, 'NOT_FOUND'));
  const isAsked = asked !== null && isProblem(asked, 'SETUP_CODE_NEEDED');

  function content() {
    if (stage === 'done') return <Done />;
    if (isClosed) return <Closed />;
    if (opened)
      return (
        <SetupForm
          {...opened}
          PlaceField={PlaceField}
          TermsPreview={TermsPreview}
          onClosed={() => setStage('closed')}
          onSaved={() => {
            setStage('done');
            void queries.refetchQueries({ queryKey: publicConfigQuery.queryKey });
          }}
        />
      );
    if (isPending) return <p role="status">{t('screen.loading')}</p>;
    if (!isAsked && error) return <FailureLine sentence={failureOf(error)} />;
    return <CodeForm onClosed={() => setStage('closed')} onOpened={setOpened} />;
  }

  return (
    <article className="stack measure">
      <title>{`${t('setup.title')} · Chiffchaff`}</title>
      <h1>{t('setup.title')}</h1>
      {content()}
    </article>
  );
}
