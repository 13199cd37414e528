// One snapshot in the list: its name and note (edited in place), when it was
// taken, how large it is, what it holds, and Save and ✕. A bad file says its fault.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { choose, clearEntry, edit } from '../actions';
import type { Entry, Fault, Task } from '../api_types';
import { EditableText } from '../components/editable_text';
import { CrossIcon, SaveIcon } from '../components/icons';
import { TaskProgress } from '../components/progress';
import { blocks, bytes, count, exactBytes, programName, thinned, time } from '../format';
import { session } from '../session';
import { useStore } from '../store';
import { dialog, type Picking } from '../ui';
import { delta, modeOf } from '../words';

/** Each thing once: what the sentence says already is not repeated below it. */
function FaultWords({ fault: told }: { fault: Fault }): JSX.Element {
  const said = (words: string | null): boolean => words !== null && told.sentence.includes(words);
  const fault = {
    sentence: told.sentence,
    section: said(told.section) ? null : told.section,
    offset: said(String(told.offset)) ? null : told.offset,
    advice: said(told.advice) ? null : told.advice,
  };
  return (
    <div class="fault-words">
      <p>{thinned(fault.sentence)}</p>
      {(fault.section || fault.offset !== null) && (
        <p class="dim">
          {fault.section && `Section ${fault.section}`}
          {fault.section && fault.offset !== null && ', '}
          {fault.offset !== null && (
            <span class="unbroken" title={`0x${fault.offset.toString(16)}`}>
              offset {count(fault.offset)}
            </span>
          )}
        </p>
      )}
      {fault.advice && <p>{fault.advice}</p>}
    </div>
  );
}

function Facts({ entry, above }: { entry: Entry; above: Entry | null }): JSX.Element {
  const change = delta(entry, above);
  const tone = !entry.delta || entry.delta[2] === 0 ? '' : entry.delta[2] > 0 ? 'more' : 'less';
  return (
    <>
      <div class="entry-line">
        <span title={new Date(entry.taken_ns / 1e6).toString()}>{time(entry.taken_ns)}</span>
        <span title={`File: ${exactBytes(entry.file_bytes)}`}>{bytes(entry.file_bytes)} file</span>
      </div>
      <div class="entry-line">
        <strong title={`${exactBytes(entry.total[2])} usable, ${exactBytes(entry.total[1])} requested`}>
          {bytes(entry.total[2])}
        </strong>
        <span>{blocks(entry.total[0])}</span>
      </div>
      {change && (
        <div class={`entry-line delta ${tone}`} title="Against the snapshot above, usable bytes">
          {change}
        </div>
      )}
      <div class="entry-line dim">
        <span title={entry.command}>
          {programName(entry.command)} {entry.pid} · {modeOf(entry.mode)}
          {!entry.named && ' · no names'}
          {!entry.balanced && ' · books do not balance'}
        </span>
      </div>
    </>
  );
}

interface Properties {
  entry: Entry;
  /** The last ready one above it in the list. */
  above: Entry | null;
  task: Task | null;
  shown: boolean;
  role: string | null;
  picking: Picking;
}

export function EntryItem({ entry, above, task, shown, role, picking }: Properties): JSX.Element {
  const item = useRef<HTMLLIElement>(null);
  const { lost } = useStore(session);
  useEffect(() => {
    if (shown) item.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  const edits = shown && !picking && entry.state !== 'pending';
  const question = picking
    ? `Pick ${entry.name} as the ${picking.baseline === null ? 'baseline' : 'comparison'}`
    : `Show ${entry.name}`;
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Delete' || !(event.target as HTMLElement).classList.contains('choose')) return;
    event.stopPropagation();
    clearEntry(entry.id);
  };
  return (
    <li ref={item} class={`entry ${entry.state} ${shown ? 'shown' : ''}`} onKeyDown={onKeyDown}>
      <button
        type="button"
        id={`entry-${entry.id}`}
        class="choose"
        aria-label={question}
        aria-current={shown ? 'true' : undefined}
        disabled={picking !== null && (entry.state !== 'ready' || picking.baseline === entry.id)}
        onClick={() => choose(entry.id)}
      />
      <div class="entry-head">
        {edits ? (
          <EditableText
            class="entry-name"
            label="Name"
            placeholder="name"
            text={entry.name}
            onChange={(name) => void edit(entry.id, { name })}
          />
        ) : (
          <span class="entry-name">{entry.name}</span>
        )}
        {role && <span class="badge">{role}</span>}
      </div>
      {entry.state === 'pending' && task?.state === 'running' && <TaskProgress task={task} />}
      {entry.state === 'bad' && entry.error && <FaultWords fault={entry.error} />}
      {entry.state === 'ready' && <Facts entry={entry} above={above} />}
      {edits ? (
        <EditableText
          class="entry-note"
          label="Note"
          placeholder="Add a note"
          text={entry.note}
          onChange={(note) => void edit(entry.id, { note })}
        />
      ) : (
        entry.note && <span class="entry-note">{entry.note}</span>
      )}
      <div class="entry-buttons">
        {entry.state === 'ready' && (
          <button
            type="button"
            class="small save"
            aria-label={`Save ${entry.name}`}
            disabled={lost !== null}
            title={entry.path ? `Saved as ${entry.path}` : 'Not saved: goes when heaptally ends'}
            onClick={() => dialog.set({ kind: 'save', entry: entry.id })}
          >
            <SaveIcon /> Save
          </button>
        )}
        {entry.state === 'ready' && (
          <span class="dim" title={entry.path ?? undefined}>
            {entry.saved ? 'saved' : ''}
          </span>
        )}
        <span class="spring" />
        <button
          type="button"
          class="quiet small"
          aria-label={`Clear ${entry.name}`}
          disabled={lost !== null}
          title="Clear (Delete); can be undone for ten seconds"
          onClick={() => clearEntry(entry.id)}
        >
          <CrossIcon />
        </button>
      </div>
    </li>
  );
}
