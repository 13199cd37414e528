// Keeps the rows on the screen until those of a new question are there.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { Address } from './address';
import { RowsSource, rowsQuestion } from './rows_source';

export interface ShownRows {
  source: RowsSource | null;
  fault: string | null;
  /** A new question is on its way since this time (ms); null when none is. */
  since: number | null;
  task: string | null;
  cancel: () => void;
  retry: () => void;
  redraw: () => void;
}

export function useRows(state: Address): ShownRows {
  const [, redraw] = useReducer<number, void>((n) => n + 1, 0);
  const [tries, again] = useReducer<number, void>((n) => n + 1, 0);
  const [fault, setFault] = useState<string | null>(null);
  const [since, setSince] = useState<number | null>(null);
  const [task, setTask] = useState<string | null>(null);
  const shown = useRef<RowsSource | null>(null);
  const coming = useRef<RowsSource | null>(null);
  const question = rowsQuestion(state);

  useEffect(() => {
    const source = new RowsSource(question, state, redraw);
    const over = (): void => {
      coming.current = null;
      setSince(null);
      setTask(null);
    };
    coming.current = source;
    setFault(null);
    setSince(Date.now());
    source.start(state.open, setTask).then(
      () => {
        if (coming.current !== source) return;
        shown.current?.stop();
        shown.current = source;
        over();
      },
      (refusal: Error) => {
        if (coming.current !== source) return;
        setFault(refusal.name === 'AbortError' ? 'Cancelled.' : refusal.message);
        over();
      },
    );
    return () => {
      if (coming.current === source) source.stop();
    };
  }, [question, tries]);
  useEffect(() => () => shown.current?.stop(), []);

  const cancel = (): void => coming.current?.stop();
  const retry = (): void => again();
  return { source: shown.current, fault, since, task, cancel, retry, redraw };
}
