// What a person can do, as calls to the tool; each fault becomes a sentence.
import { address, navigate } from './address';
import { post, upload } from './api';
import type { Entry, Mode, Process } from './api_types';
import { entryById, session } from './session';
import { picking, tell, tellFault, tellUndo } from './ui';

/** Tasks that this page began: their snapshot is shown when it is there. */
const begun = new Set<string>();

async function begin(task: Promise<{ task: string }>): Promise<void> {
  try {
    begun.add((await task).task);
    session.hurry();
  } catch (fault) {
    tellFault(fault);
  }
}

/** Shows what a task of ours has brought, or tells why it has not. */
export function followTasks(): void {
  session.watch(() => {
    for (const task of session.value.state?.tasks ?? []) {
      if (!begun.has(task.id) || task.state === 'running') continue;
      begun.delete(task.id);
      if (task.state === 'failed') tellFault(new Error(task.error ?? `${task.title} failed.`));
      else if (task.state === 'cancelled') tell(`Cancelled: ${task.title}.`);
      else if (task.entry) navigate({ of: task.entry });
    }
  });
}

export function take(process: Process | null): void {
  if (!process || process.gone) {
    tell('There is no running process to take a snapshot of.');
    return;
  }
  void begin(post('take', { pid: process.pid }));
}

export function load(path: string): void {
  void begin(post('load', { path }));
}

export function importFiles(files: Iterable<File>): void {
  for (const file of files) void begin(upload(file));
}

export async function record(pid: number, mode: Mode, interval: number): Promise<void> {
  try {
    await post('record', { pid, mode: mode === 'sampled' ? `sampled=${interval}` : mode });
  } catch (fault) {
    tellFault(fault);
  }
  session.hurry();
}

export async function resetPeak(pid: number): Promise<void> {
  try {
    await post('reset-peak', { pid });
    tell('The peak is counted anew from the current value.');
  } catch (fault) {
    tellFault(fault);
  }
  session.hurry();
}

export async function cancelTask(id: string): Promise<void> {
  try {
    await post(`tasks/${id}/cancel`);
  } catch (fault) {
    tellFault(fault);
  }
  session.hurry();
}

export async function edit(id: string, change: { name?: string; note?: string }): Promise<void> {
  try {
    await post(`entries/${id}/edit`, change);
  } catch (fault) {
    tellFault(fault);
  }
  session.hurry();
}

/** The snapshot to show when those of `gone` are cleared. */
function another(gone: Entry[]): string {
  const entries = session.value.state?.entries ?? [];
  const ready = entries.filter((entry) => entry.state === 'ready' && !gone.includes(entry));
  const before = ready.filter((entry) => entries.indexOf(entry) < entries.indexOf(gone[0]!));
  return (before.at(-1) ?? ready[0])?.id ?? '';
}

/** Entries that this page cleared: an answer from before may still name them. */
export const cleared = new Set<string>();

/** The entry that the keys go to after those of `gone`: undefined when they are not in
 * the list, null when none is left. */
function neighbourInList(gone: Entry[]): Entry | null | undefined {
  if (!document.activeElement?.closest('.sidebar')) return undefined;
  const entries = session.value.state?.entries ?? [];
  const left = entries.filter((entry) => !gone.includes(entry));
  const place = entries.indexOf(gone[0]!);
  return left.find((entry) => entries.indexOf(entry) > place) ?? left.at(-1) ?? null;
}

/** Focus must not fall back to the page: on to the neighbour, or to Undo. */
function focusAfterClear(heir: Entry | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement && document.activeElement !== document.body) return;
    const button = heir && document.getElementById(`entry-${heir.id}`);
    (button ?? document.querySelector<HTMLElement>('.notice .undo'))?.focus();
  });
}

async function clearWith(gone: Entry[], clear: string, restore: string, text: string): Promise<void> {
  const shown = address.value.of;
  const usesCleared = shown.split('..').some((id) => gone.some((entry) => entry.id === id));
  const next = another(gone);
  const heir = neighbourInList(gone);
  try {
    await post(clear);
  } catch (fault) {
    tellFault(fault);
    return;
  }
  for (const entry of gone) cleared.add(entry.id);
  // At once: the list must not lead back to what is gone.
  const { state, lost } = session.value;
  if (state) {
    const entries = state.entries.filter((entry) => !cleared.has(entry.id));
    session.set({ state: { ...state, entries }, lost });
  }
  picking.set(null);
  if (usesCleared || next === '') navigate({ of: next }, true);
  session.hurry();
  if (heir !== undefined) focusAfterClear(heir);
  tellUndo(text, () => {
    post(restore).then(() => {
      for (const entry of gone) cleared.delete(entry.id);
      if (usesCleared) navigate({ of: shown }, true);
      session.hurry();
    }, tellFault);
  });
}

export function clearEntry(id: string): void {
  const entry = entryById(id);
  if (!entry) return;
  const text = `Cleared “${entry.name}”.`;
  void clearWith([entry], `entries/${id}/clear`, `entries/${id}/restore`, text);
}

export function clearAll(): void {
  const entries = session.value.state?.entries ?? [];
  if (entries.length === 0) return;
  const text = `Cleared ${entries.length === 1 ? 'the snapshot' : `all ${entries.length} snapshots`}.`;
  void clearWith(entries, 'clear-all', 'restore-all', text);
}

export function startComparing(): void {
  const ready = session.value.state?.entries.filter((entry) => entry.state === 'ready') ?? [];
  if (ready.length < 2) {
    tell('A comparison needs two snapshots in the list.');
    return;
  }
  picking.set(picking.value ? null : { baseline: null });
}

/** A click on an entry: shows it, or answers the question of a comparison. */
export function choose(id: string): void {
  const question = picking.value;
  if (!question) navigate({ of: id });
  else if (question.baseline === null) picking.set({ baseline: id });
  else if (question.baseline !== id) {
    picking.set(null);
    navigate({ of: `${question.baseline}..${id}` });
  }
}

export function swap(): void {
  const [baseline, comparison] = address.value.of.split('..');
  if (comparison) navigate({ of: `${comparison}..${baseline}` });
}
