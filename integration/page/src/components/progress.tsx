// Work over half a second: what is done, of how much, for how long, and Cancel.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { cancelTask } from '../actions';
import type { Task } from '../api_types';
import { progress } from '../words';

export function TaskProgress({ task }: { task: Task }): JSX.Element {
  const share = task.total ? Math.min(1, task.done / task.total) : null;
  return (
    <div class="task">
      <div
        class={share === null ? 'bar open-ended' : 'bar'}
        role="progressbar"
        aria-label={task.title}
        aria-valuetext={progress(task)}
        {...(share === null ? {} : { 'aria-valuenow': Math.round(share * 100) })}
      >
        <span style={{ width: `${100 * (share ?? 0)}%` }} />
      </div>
      <div class="task-line">
        <span class="task-words">{progress(task)}</span>
        <button type="button" class="small" onClick={() => void cancelTask(task.id)}>
          Cancel
        </button>
      </div>
    </div>
  );
}

interface Waiting {
  what: string;
  since: number;
  onCancel: () => void;
}

/** A request that takes over half a second without a task of its own. */
export function WaitingLine({ what, since, onCancel }: Waiting): JSX.Element | null {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, []);
  if (now - since < 500) return null;
  return (
    <div class="task-line waiting" role="status">
      <span class="task-words">
        {what}: {((now - since) / 1000).toFixed(1)} s
      </span>
      <button type="button" class="small" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
