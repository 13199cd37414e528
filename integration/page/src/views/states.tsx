// States in words: nothing yet, not there, no match, a fault, work going on.
import type { JSX } from 'preact';
import { navigate, type Address } from '../address';
import type { Entry, Rows, State } from '../api_types';
import { TaskProgress, WaitingLine } from '../components/progress';
import { programName, thinned } from '../format';
import { session } from '../session';
import { useStore } from '../store';
import { SERIES_WORDS } from '../words';

export function NothingShown({ state }: { state: State }): JSX.Element {
  const running = state.processes.filter((process) => !process.gone);
  return (
    <div class="words large">
      <h2>{state.entries.length > 0 ? 'Choose a snapshot on the left' : 'No snapshot yet'}</h2>
      {running.length > 0 ? (
        <p>
          <kbd>s</kbd> takes a snapshot of {running.length === 1 ? programName(running[0]!.command) : 'the chosen process'}.
          {running.some((process) => process.mode === 'counters') &&
            ' To see who allocated, switch Record call stacks to Sampled or All first: stacks are recorded for blocks allocated from then on.'}
        </p>
      ) : (
        <>
          <p>No process runs under heaptally. Start one in a terminal, and it appears here:</p>
          <pre>heaptally run PROGRAM ARGUMENTS…</pre>
        </>
      )}
      <p>
        A <code>.heaptally</code> file can be imported, or dropped anywhere on this page.
      </p>
    </div>
  );
}

export function NotThere({ entries, wanted }: { entries: Entry[]; wanted: number }): JSX.Element {
  const bad = entries.find((entry) => entry.state === 'bad');
  const pending = entries.find((entry) => entry.state === 'pending');
  if (bad)
    return (
      <div class="words large">
        <h2>{bad.name} cannot be read</h2>
        <p>{thinned(bad.error?.sentence ?? '')}</p>
        {bad.error?.section && (
          <p class="dim">
            Section {bad.error.section}
            {bad.error.offset !== null && `, offset ${bad.error.offset}`}
          </p>
        )}
        {bad.error?.advice && <p>{bad.error.advice}</p>}
      </div>
    );
  if (pending)
    return (
      <div class="words large">
        <h2>{pending.name}</h2>
        <p>The snapshot is not complete yet: its progress is in the list.</p>
      </div>
    );
  return (
    <div class="words large">
      <h2>{wanted > 1 ? 'One of the two snapshots is' : 'This snapshot is'} not in the list</h2>
      <p>It has been cleared, or the address comes from another session.</p>
    </div>
  );
}

/** Work that takes longer than half a second, with its numbers and Cancel. */
export function Wait({ what, since, task, onCancel }: {
  what: string;
  since: number | null;
  task: string | null;
  onCancel: () => void;
}): JSX.Element | null {
  const { state } = useStore(session);
  if (since === null) return null;
  const running = state?.tasks.find((one) => one.id === task && one.state === 'running');
  if (running)
    return (
      <div class="waiting">
        <strong>{running.title}</strong>
        <TaskProgress task={running} />
      </div>
    );
  return <WaitingLine what={what} since={since} onCancel={onCancel} />;
}

export function Fault({ sentence, onRetry }: { sentence: string; onRetry: () => void }): JSX.Element {
  return (
    <div class="words" role="alert">
      <p>{sentence}</p>
      <button type="button" class="small" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

export function NoMatch({ state, head, sides }: {
  state: Address;
  head: Rows;
  sides: Entry[];
}): JSX.Element {
  const filtered = state.filter !== '' || state.exclude !== '';
  if (filtered)
    return (
      <div class="words" role="status">
        <p>
          Nothing matches {state.filter && <>the filter “{state.filter}”</>}
          {state.filter && state.exclude && ' and '}
          {state.exclude && <>what “{state.exclude}” leaves</>}.{' '}
          <button type="button" class="link" onClick={() => navigate({ filter: '', exclude: '' })}>
            Clear the filter
          </button>
        </p>
      </div>
    );
  const words = head.kind === 'comparison'
    ? 'Neither snapshot holds a block.'
    : `${sides[0]?.name ?? 'This snapshot'} holds no block ${SERIES_WORDS[state.series]}.`;
  return (
    <div class="words" role="status">
      <p>{words}</p>
    </div>
  );
}
