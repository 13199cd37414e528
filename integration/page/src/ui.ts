// What the page alone knows and the address does not hold: the open dialog, the
// comparison being picked, sentences that can be undone, the theme.
import { Store } from './store';

export type Dialog =
  | { kind: 'keys' }
  | { kind: 'import' }
  | { kind: 'save'; entry: string }
  | { kind: 'source'; file: string; line: number };

export interface Notice {
  id: number;
  text: string;
  fault: boolean;
  /** Undoes what the sentence tells; offered until `until`. */
  undo: (() => void) | null;
  until: number;
}

/** null: not picking; baseline null: the baseline is asked for. */
export type Picking = null | { baseline: string | null };

export const dialog = new Store<Dialog | null>(null);
export const picking = new Store<Picking>(null);
export const notices = new Store<Notice[]>([]);

const UNDO_MS = 10_000;
const FAULT_MS = 12_000;
const TELL_MS = 5_000;
let lastNotice = 0;

export function dismiss(id: number): void {
  notices.set(notices.value.filter((notice) => notice.id !== id));
}

function add(text: string, fault: boolean, undo: (() => void) | null, stays: number): void {
  const id = ++lastNotice;
  notices.set([...notices.value, { id, text, fault, undo, until: Date.now() + stays }]);
  setTimeout(() => dismiss(id), stays);
}

export function tell(text: string): void {
  add(text, false, null, TELL_MS);
}

export function tellFault(fault: unknown): void {
  if (fault instanceof Error && fault.name === 'AbortError') return;
  add(fault instanceof Error ? fault.message : String(fault), true, null, FAULT_MS);
}

export function tellUndo(text: string, undo: () => void): void {
  add(text, false, undo, UNDO_MS);
}

export type Theme = 'system' | 'light' | 'dark';
const THEME = 'heaptally.theme';

function rememberedTheme(): Theme {
  try {
    const kept = localStorage.getItem(THEME);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

export const theme = new Store<Theme>(rememberedTheme());
const systemDark = matchMedia('(prefers-color-scheme: dark)');
/** Whether the page is dark now: what the drawings need to know. */
export const dark = new Store<boolean>(false);

function applyTheme(): void {
  dark.set(theme.value === 'dark' || (theme.value === 'system' && systemDark.matches));
  document.documentElement.dataset['theme'] = dark.value ? 'dark' : 'light';
}

export function startTheme(): void {
  systemDark.addEventListener('change', applyTheme);
  theme.watch(applyTheme);
  applyTheme();
}

export function toggleTheme(): void {
  theme.set(dark.value ? 'light' : 'dark');
  try {
    localStorage.setItem(THEME, theme.value);
  } catch {
    // Private browsing: the choice holds for this page only.
  }
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(`Copied ${what}.`);
  } catch {
    tellFault(new Error('The browser did not let the page copy; select the text and copy it.'));
  }
}
