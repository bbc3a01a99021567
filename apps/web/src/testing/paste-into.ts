import type { UserEvent } from '@testing-library/user-event';

/** Enters text at once: a field that searches after a pause in typing then searches exactly once, however slow the machine is. */
export async function pasteInto(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.click(field);
  await user.paste(text);
}
