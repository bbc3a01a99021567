import { type FormEvent, useRef, useState } from 'react';

/** What a form was refused with: beside the field that it is about, or for all of it. */
export interface Refusal<Name extends string> {
  readonly field: Name | null;
  readonly sentence: string;
}

type Values<Name extends string> = { readonly [Field in Name]: string };

export interface FormField {
  readonly name: string;
  readonly value: string;
  /** What is wrong with it, in a sentence; null when nothing is. */
  readonly fault: string | null;
  readonly onChange: (value: string) => void;
}

export interface Form<Name extends string> {
  field(name: Name): FormField;
  readonly values: Values<Name>;
  /** What it was refused with as a whole. */
  readonly refusal: string | null;
  readonly isBusy: boolean;
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
}

/**
 * Text fields that are checked together. Nothing is called wrong before the first submission; from then on each field is checked
 * as it changes. The first faulty field takes the focus, and a form on its way is not sent twice.
 *
 * @param initial the fields in their order on the screen
 * @param checks the sentence for what is wrong with a text, or null
 * @param send resolves with null when it was accepted
 */
export function useForm<Name extends string>(
  initial: Values<Name>,
  checks: { readonly [Field in Name]: (text: string, values: Values<Name>) => string | null },
  send: (values: Values<Name>) => Promise<Refusal<Name> | null>,
): Form<Name> {
  const [values, setValues] = useState(initial);
  const [isChecked, setIsChecked] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal<Name> | null>(null);
  const isSending = useRef(false);
  // Keys of an object type are strings to the compiler; these are exactly the names.
  const names = Object.keys(initial) as Name[];
  const faultOf = (name: Name) => checks[name](values[name], values);

  async function submit(form: HTMLFormElement): Promise<void> {
    const focus = (name: Name) => {
      const input = form.elements.namedItem(name);
      if (input instanceof HTMLElement) input.focus();
    };
    if (isSending.current) return;
    setIsChecked(true);
    setRefusal(null);
    const faulty = names.find((name) => faultOf(name) !== null);
    if (faulty !== undefined) {
      focus(faulty);
      return;
    }
    isSending.current = true;
    setIsBusy(true);
    try {
      const refused = await send(values);
      setRefusal(refused);
      if (refused === null) setIsChecked(false);
      else if (refused.field !== null) focus(refused.field);
    } finally {
      isSending.current = false;
      setIsBusy(false);
    }
  }

  return {
    values,
    refusal: refusal?.field === null ? refusal.sentence : null,
    isBusy,
    field: (name) => ({
      name,
      value: values[name],
      fault: refusal?.field === name ? refusal.sentence : isChecked ? faultOf(name) : null,
      onChange: (value) => {
        setValues((before) => ({ ...before, [name]: value }));
        setRefusal((before) => (before?.field === name ? null : before));
      },
    }),
    onSubmit: (event) => {
      event.preventDefault();
      void submit(event.currentTarget);
    },
  };
}
