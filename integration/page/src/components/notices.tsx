// Sentences at the foot of the page: what has happened, with Undo where it can be
// undone and the seconds that remain for it.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../store';
import { dismiss, notices, type Notice } from '../ui';
import { CrossIcon } from './icons';

function Line({ notice, now }: { notice: Notice; now: number }): JSX.Element {
  const seconds = Math.max(0, Math.ceil((notice.until - now) / 1000));
  const undo = (): void => {
    dismiss(notice.id);
    notice.undo?.();
  };
  return (
    <div class={notice.fault ? 'notice fault' : 'notice'}>
      <span>{notice.text}</span>
      {notice.undo && (
        <button type="button" class="small undo" onClick={undo}>
          Undo <span aria-hidden="true">({seconds} s)</span>
        </button>
      )}
      <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
        <CrossIcon />
      </button>
    </div>
  );
}

export function Notices(): JSX.Element {
  const all = useStore(notices);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (all.length === 0) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [all]);
  return (
    <div class="notices" role="status" aria-live="polite">
      {all.map((notice) => (
        <Line key={notice.id} notice={notice} now={now} />
      ))}
    </div>
  );
}
