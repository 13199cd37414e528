// The dialogs: import, save, source lines, keys.
import type { JSX, TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { importFiles, load } from '../actions';
import { post, Refusal } from '../api';
import type { Source } from '../api_types';
import { DialogBox } from '../components/dialog';
import { baseName, fileName } from '../format';
import { entryById, session } from '../session';
import { useStore } from '../store';
import { dialog, tell } from '../ui';
import { address } from '../address';
import { useAnswer } from '../use_answer';

const close = (): void => dialog.set(null);

function ImportDialog(): JSX.Element {
  const [path, setPath] = useState('');
  return (
    <DialogBox title="Import snapshots" onClose={close}>
      <label class="field">
        Files
        <input
          type="file"
          multiple
          accept=".heaptally"
          onChange={(event) => {
            importFiles(event.currentTarget.files ?? []);
            close();
          }}
        />
      </label>
      <p class="dim">Files can also be dropped anywhere on the page.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() === '') return;
          load(path.trim());
          close();
        }}
      >
        <label class="field">
          Or a path on this machine
          <input
            type="text"
            value={path}
            placeholder="/path/to/file.heaptally"
            spellcheck={false}
            onInput={(event) => setPath(event.currentTarget.value)}
          />
        </label>
        <div class="dialog-buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={path.trim() === ''}>
            Open
          </button>
        </div>
      </form>
    </DialogBox>
  );
}

function SaveDialog({ id }: { id: string }): JSX.Element | null {
  const entry = entryById(id);
  const folder = session.value.state?.sources[0];
  const first = fileName(entry?.name ?? 'snapshot');
  const [place, setPlace] = useState<'download' | 'path'>('path');
  const [name, setName] = useState(first);
  const [path, setPath] = useState(entry?.path ?? (folder ? `${folder}/${first}` : first));
  const [fault, setFault] = useState<string | null>(null);
  const [exists, setExists] = useState(false);
  if (!entry) return null;

  const save = async (overwrite: boolean): Promise<void> => {
    try {
      const saved = await post<{ path: string }>(`entries/${id}/save`, { path, overwrite });
      session.hurry();
      tell(`Saved as ${saved.path}.`);
      close();
    } catch (refusal) {
      setExists(refusal instanceof Refusal && refusal.status === 409);
      setFault((refusal as Error).message);
    }
  };
  const download = (): void => {
    const link = document.createElement('a');
    link.href = `api/entries/${id}/download?name=${encodeURIComponent(name)}`;
    link.download = name;
    link.click();
    close();
    setTimeout(() => session.hurry(), 300);
  };
  const submit = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (place === 'download') download();
    else void save(false);
  };
  return (
    <DialogBox title={`Save “${entry.name}”`} onClose={close}>
      <form onSubmit={submit}>
        <fieldset class="places">
          <legend>Place</legend>
          <label>
            <input type="radio" name="place" checked={place === 'path'} onChange={() => setPlace('path')} />
            A path on this machine
          </label>
          <label>
            <input type="radio" name="place" checked={place === 'download'} onChange={() => setPlace('download')} />
            Download by the browser
          </label>
        </fieldset>
        <label class="field">
          {place === 'path' ? 'Path' : 'Name'}
          <input
            type="text"
            spellcheck={false}
            value={place === 'path' ? path : name}
            onInput={(event) => {
              setFault(null);
              setExists(false);
              if (place === 'path') setPath(event.currentTarget.value);
              else setName(event.currentTarget.value);
            }}
          />
        </label>
        {fault && (
          <p class="fault-words" role="alert">
            {fault}
          </p>
        )}
        <div class="dialog-buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          {exists && (
            <button type="button" class="danger" onClick={() => void save(true)}>
              Overwrite
            </button>
          )}
          <button type="submit" class="primary">
            {place === 'path' ? 'Save' : 'Download'}
          </button>
        </div>
      </form>
    </DialogBox>
  );
}

function SourceDialog({ file, line }: { file: string; line: number }): JSX.Element {
  const { of } = address.value;
  const question = `source?of=${of}&file=${encodeURIComponent(file)}&line=${line}`;
  const answer = useAnswer<Source>(question);
  const marked = useRef<HTMLTableRowElement>(null);
  const source = answer.value;
  useEffect(() => marked.current?.scrollIntoView({ block: 'center' }), [source]);
  return (
    <DialogBox title={`${baseName(file)}${line > 0 ? `:${line}` : ''}`} onClose={close} wide>
      {answer.fault && <p class="fault-words">{answer.fault}</p>}
      {source && source.missing !== undefined && <p>{source.missing}</p>}
      {source && source.missing === undefined && (
        <>
          <p class="dim">{source.path}</p>
          <div class="source" tabIndex={0} role="group" aria-label="Source lines">
            <table>
              <tbody>
                {source.lines.map((text, at) => {
                  const number = source.first + at;
                  const here = number === source.line;
                  return (
                    <tr key={number} class={here ? 'here' : ''} ref={here ? marked : null} aria-current={here ? 'true' : undefined}>
                      <td class="line-number">{number}</td>
                      <td>
                        <code>{text || ' '}</code>
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </>
      )}
    </DialogBox>
  );
}

const KEYS: [string, string][] = [
  ['s', 'Take a snapshot of the process'],
  ['c', 'Compare: pick a baseline, then the comparison'],
  ['/', 'Filter'],
  ['1 – 4', 'Aggregate, Call tree, Tree map, Summary'],
  ['↑ ↓', 'From row to row, from snapshot to snapshot'],
  ['→ ←', 'Open a row or go inside; close it or go out'],
  ['Enter', 'Blocks and stacks of the row; in the drawings: zoom in'],
  ['Escape', 'Close, cancel, zoom out'],
  ['d', 'In the drawings: blocks and stacks of the frame'],
  ['Delete', 'Clear the snapshot; Undo is offered for ten seconds'],
  ['Ctrl C', 'Copy the row as text, with exact numbers'],
  ['?', 'These keys'],
];

function KeysDialog(): JSX.Element {
  const { state } = useStore(session);
  return (
    <DialogBox title="Keys" onClose={close}>
      <table class="keys">
        <tbody>
          {KEYS.map(([key, words]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl class="terms">
        <dt>requested</dt>
        <dd>the bytes that the program asked for</dd>
        <dt>usable</dt>
        <dd>the bytes that the allocator’s size class gives for them</dd>
        <dt>block</dt>
        <dd>what one allocation call returned</dd>
        <dt>epoch</dt>
        <dd>the time between two snapshots; a block’s age is counted in them</dd>
      </dl>
      <p class="dim">heaptally {state?.version}</p>
    </DialogBox>
  );
}

export function Dialogs(): JSX.Element | null {
  const shown = useStore(dialog);
  if (!shown) return null;
  if (shown.kind === 'keys') return <KeysDialog />;
  if (shown.kind === 'import') return <ImportDialog />;
  if (shown.kind === 'save') return <SaveDialog id={shown.entry} />;
  return <SourceDialog file={shown.file} line={shown.line} />;
}
