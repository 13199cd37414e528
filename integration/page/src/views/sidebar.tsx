// The list on the left: take, import, compare, clear all, and the snapshots.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { clearAll, startComparing, take } from '../actions';
import { address } from '../address';
import type { State, Task } from '../api_types';
import { CameraIcon, CompareIcon, CrossIcon, ImportIcon } from '../components/icons';
import { TaskProgress } from '../components/progress';
import { programName } from '../format';
import { entryById, session, shownProcess } from '../session';
import { useStore } from '../store';
import { dialog, picking } from '../ui';
import { EntryItem } from './entry_item';

function Tools({ state }: { state: State | null }): JSX.Element {
  const { pid } = useStore(address);
  const process = shownProcess(state, pid);
  const question = useStore(picking);
  const { lost } = useStore(session);
  const answers = lost === null;
  const takes = process !== null && !process.gone && answers;
  return (
    <div class="tools" role="toolbar" aria-label="Snapshots">
      <button
        type="button"
        class="primary"
        disabled={!takes}
        title={takes ? `Take a snapshot of ${programName(process.command)} (s)` : answers ? 'No running process is chosen' : 'heaptally does not answer'}
        onClick={() => take(process)}
      >
        <CameraIcon /> Take <span class="sr">snapshot</span>
      </button>
      <button
        type="button"
        disabled={!answers}
        title="Open snapshot files; they can also be dropped on the page"
        onClick={() => dialog.set({ kind: 'import' })}
      >
        <ImportIcon /> Import
      </button>
      <button
        type="button"
        aria-pressed={question !== null}
        title="Pick a baseline, then what to compare with it (c)"
        onClick={startComparing}
      >
        <CompareIcon /> Compare
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Clear all"
        title="Clear all snapshots; can be undone for ten seconds"
        disabled={!state?.entries.length || !answers}
        onClick={clearAll}
      >
        <CrossIcon /> all
      </button>
    </div>
  );
}

function Question(): JSX.Element | null {
  const question = useStore(picking);
  if (!question) return null;
  const baseline = question.baseline && entryById(question.baseline);
  return (
    <div class="question" role="status">
      {baseline ? (
        <span>
          Baseline: <strong>{baseline.name}</strong>. Now pick what to compare with it.
        </span>
      ) : (
        <span>Pick the baseline.</span>
      )}
      <button type="button" class="small" onClick={() => picking.set(null)}>
        Cancel
      </button>
    </div>
  );
}

/** Tasks that will bring an entry but have none in the list yet. */
function waitingTasks(state: State): Task[] {
  return state.tasks.filter(
    (task) =>
      task.kind !== 'open' &&
      task.state === 'running' &&
      !state.entries.some((entry) => entry.task === task.id || entry.id === task.entry),
  );
}

function Nothing({ state }: { state: State }): JSX.Element {
  const running = state.processes.some((process) => !process.gone);
  return (
    <div class="nothing">
      <p>No snapshots yet.</p>
      <p>
        {running ? 'Take one of the running process, or import' : 'Import'} a{' '}
        <code>.heaptally</code> file: choose it, type its path, or drop it here.
      </p>
    </div>
  );
}

/** Up and Down go from entry to entry. */
function moveInList(event: TargetedKeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  if (!(event.target as HTMLElement).classList.contains('choose')) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('.choose')];
  const at = all.indexOf(event.target as HTMLElement);
  all[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
  event.preventDefault();
}

export function Sidebar(): JSX.Element {
  const { state } = useStore(session);
  const { of } = useStore(address);
  const question = useStore(picking);
  const [first, second] = of.split('..');
  const role = (id: string): string | null => {
    if (question) return id === question.baseline ? 'baseline' : null;
    if (second === undefined) return null;
    return id === first ? 'baseline' : id === second ? 'comparison' : null;
  };
  const unsaved = state?.session.unsaved ?? 0;
  return (
    <aside class="sidebar" aria-label="Snapshots">
      <Tools state={state} />
      <Question />
      <ul class={question ? 'entries picking' : 'entries'} onKeyDown={moveInList}>
        {state?.entries.map((entry, at) => (
          <EntryItem
            key={entry.id}
            entry={entry}
            above={state.entries.slice(0, at).findLast((one) => one.state === 'ready') ?? null}
            task={state.tasks.find((task) => task.id === entry.task) ?? null}
            shown={of.split('..').includes(entry.id)}
            role={role(entry.id)}
            picking={question}
          />
        ))}
        {state && waitingTasks(state).map((task) => (
          <li key={task.id} class="entry">
            <strong>{task.title}</strong>
            <TaskProgress task={task} />
          </li>
        ))}
      </ul>
      {state && state.entries.length === 0 && waitingTasks(state).length === 0 && (
        <Nothing state={state} />
      )}
      {state && unsaved > 0 && (
        <p class="sidebar-foot" title={state.session.folder}>
          {unsaved === 1 ? 'One snapshot is' : `${unsaved} snapshots are`} not saved and{' '}
          {unsaved === 1 ? 'goes' : 'go'} when heaptally ends.
        </p>
      )}
    </aside>
  );
}
