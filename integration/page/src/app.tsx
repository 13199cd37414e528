// The page: the strip on top, the list on the left, the large pane on the right.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { cleared, importFiles } from './actions';
import { address, isComparison, navigate } from './address';
import { Notices } from './components/notices';
import { session, shownProcess } from './session';
import { useStore } from './store';
import { Dialogs } from './views/dialogs';
import { MainPane } from './views/main_pane';
import { Sidebar } from './views/sidebar';
import { TopStrip } from './views/top_strip';

/** Files dropped anywhere are imported. */
function useDrop(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const holdsFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes('Files') ?? false;
    const onOver = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      importFiles(event.dataTransfer!.files);
    };
    document.addEventListener('dragover', onOver);
    document.addEventListener('dragleave', onLeave);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('dragleave', onLeave);
      document.removeEventListener('drop', onDrop);
    };
  }, []);
  return over;
}

/** An address that names nothing shows the last snapshot of the list. */
function useFirstEntry(): void {
  const { state } = useStore(session);
  const { of } = useStore(address);
  useEffect(() => {
    if (of !== '' || !state) return;
    const last = state.entries.findLast(({ id, state }) => state === 'ready' && !cleared.has(id));
    if (last) navigate({ of: last.id }, true);
  }, [state, of]);
}

/** The process that is shown first stays the one, also when it has ended. */
function useFirstProcess(): void {
  const { state } = useStore(session);
  const { pid } = useStore(address);
  useEffect(() => {
    const first = pid === null ? shownProcess(state, null) : null;
    if (first && !first.gone) navigate({ pid: first.pid }, true);
  }, [state, pid]);
}

function useTitle(): void {
  const { state } = useStore(session);
  const { of } = useStore(address);
  const names = of
    .split('..')
    .map((id) => state?.entries.find((entry) => entry.id === id)?.name)
    .filter((name) => name !== undefined);
  const title = names.length > 0 ? `${names.join(isComparison(of) ? ' → ' : '')} · heaptally` : 'heaptally';
  useEffect(() => {
    document.title = title;
  }, [title]);
}

function Lost(): JSX.Element | null {
  const { lost, state } = useStore(session);
  const [told, setTold] = useState('');
  const recovered = state?.recovered ?? null;
  if (lost)
    return (
      <p class="banner fault" role="alert">
        {lost}
      </p>
    );
  if (!recovered || recovered === told) return null;
  return (
    <p class="banner" role="status">
      {recovered}{' '}
      <button type="button" class="small" onClick={() => setTold(recovered)}>
        Dismiss
      </button>
    </p>
  );
}

export function App(): JSX.Element {
  const dropping = useDrop();
  useFirstEntry();
  useFirstProcess();
  useTitle();
  return (
    <div class="page">
      <TopStrip />
      <Lost />
      <div class="columns">
        <Sidebar />
        <MainPane />
      </div>
      <Notices />
      <Dialogs />
      {dropping && <div class="drop">Drop to import</div>}
    </div>
  );
}
