// An analysis as a component uses it: the old answer stays until the new one is
// there, together with the state of the page that it answers, and what is waited
// for is told.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { address, type Address } from './address';
import { ask, Refusal } from './api';

export interface Answer<T> {
  /** The last answer that came; for the question before while `waiting`. */
  value: T | null;
  /** The state when the question of `value` was asked. */
  asked: Address | null;
  fault: string | null;
  /** What was asked about is not there, as a row that the filter leaves out. */
  absent: boolean;
  waiting: boolean;
  /** When the wait began, in ms. */
  since: number;
  /** The task that prepares the analysis, if one does. */
  task: string | null;
  cancel: () => void;
  retry: () => void;
}

const QUIET = { waiting: false, since: 0, task: null };

export function useAnswer<T>(question: string | null): Answer<T> {
  const [value, setValue] = useState<{ value: T; asked: Address } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [absent, setAbsent] = useState(false);
  const [wait, setWait] = useState<{ waiting: boolean; since: number; task: string | null }>(QUIET);
  const [tries, setTries] = useState(0);
  const running = useRef<AbortController | null>(null);

  useEffect(() => {
    setFault(null);
    setAbsent(false);
    if (question === null) {
      setWait(QUIET);
      return;
    }
    const control = new AbortController();
    running.current = control;
    const since = Date.now();
    const asked = address.value;
    setWait({ waiting: true, since, task: null });
    const onTask = (task: string | null): void => {
      if (!control.signal.aborted) setWait({ waiting: true, since, task });
    };
    ask<T>(question, control.signal, onTask).then(
      (answer) => {
        if (control.signal.aborted) return;
        setValue({ value: answer, asked });
        setWait(QUIET);
      },
      (refusal: Error) => {
        if (control.signal.aborted) return;
        setFault(refusal.message);
        setAbsent(refusal instanceof Refusal && refusal.status === 404);
        setWait(QUIET);
      },
    );
    return () => control.abort();
  }, [question, tries]);

  const cancel = useCallback(() => {
    running.current?.abort();
    setWait(QUIET);
    setFault('Cancelled.');
  }, []);
  const retry = useCallback(() => setTries((n) => n + 1), []);
  const kept = question === null ? null : value;
  return { value: kept?.value ?? null, asked: kept?.asked ?? null, fault, absent, ...wait, cancel, retry };
}
