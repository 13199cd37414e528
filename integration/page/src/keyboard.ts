// The keys that work anywhere on the page but in a field.
import { clearEntry, startComparing, take } from './actions';
import { address, isComparison, navigate, VIEWS } from './address';
import { session, shownProcess } from './session';
import { dialog, picking } from './ui';

function inField(target: EventTarget | null): boolean {
  const element = target as HTMLElement;
  if (element instanceof HTMLInputElement) return !['radio', 'checkbox'].includes(element.type);
  return element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (inField(event.target) || dialog.value) return;
  const { of, pid } = address.value;
  const key = event.key;
  if (session.value.lost && ['s', 'Delete'].includes(key)) return;
  if (key === 's') take(shownProcess(session.value.state, pid));
  else if (key === 'c') startComparing();
  else if (key === '/') document.getElementById('filter')?.focus();
  else if (key === '?') dialog.set({ kind: 'keys' });
  else if (key >= '1' && key <= '4') navigate({ view: VIEWS[Number(key) - 1]! });
  else if (key === 'Escape' && picking.value) picking.set(null);
  else if (key === 'Delete' && of !== '' && !isComparison(of)) clearEntry(of);
  else return;
  event.preventDefault();
}

export function listenToKeys(): void {
  document.addEventListener('keydown', onKey);
}
