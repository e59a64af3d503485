/** Decides which keys are for the page, not for a text field, the browser, or an open dialog. */

export function isTyping({ target }: Event): boolean {
  return /^(INPUT|TEXTAREA|SELECT)$/.test((target as HTMLElement).tagName);
}

/** Returns the key if it is for the page, else null. */
export function keyForPage(event: KeyboardEvent): string | null {
  const isOthers = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey;
  const isDialog = document.querySelector("dialog[open]") !== null;
  return isOthers || isDialog || isTyping(event) ? null : event.key;
}
