// What a row is made of: its blocks one by one, and the whole stack of the chosen
// one. Pages say how many there are; nothing is cut without a word.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { analysisParameters, isComparison, navigate, type Address } from '../address';
import type { Frame, Grouping, Individual, Individuals, Stack } from '../api_types';
import { CrossIcon } from '../components/icons';
import { bytes, count, exactBytes } from '../format';
import { copyText } from '../ui';
import { useAnswer } from '../use_answer';
import { FrameName, frameText } from './frame_name';

const PAGE = 200;
const SORTS: [string, string][] = [
  ['address', 'Address'],
  ['requested', 'Requested'],
  ['usable', 'Usable'],
  ['age', 'Age'],
];

interface Properties {
  state: Address;
  by: Grouping;
  /** Of the selected row: its frames from the top row down. */
  frames: Frame[];
}

function BlockRow({ block, chosen, changes, onChoose }: {
  block: Individual;
  chosen: boolean;
  changes: boolean;
  onChoose: () => void;
}): JSX.Element {
  const tone = block.change === 'new' ? 'more' : block.change === 'freed' ? 'less' : '';
  return (
    <tr class={chosen ? 'selected' : ''} aria-selected={chosen} onClick={onChoose}>
      <td>
        <button type="button" class="address" onClick={onChoose} title="Show its stack">
          {block.address}
        </button>
      </td>
      <td title={exactBytes(block.requested)}>{bytes(block.requested)}</td>
      <td title={exactBytes(block.usable)}>{bytes(block.usable)}</td>
      <td title={`Allocated in epoch ${block.epoch}; each snapshot begins a new one`}>
        {count(block.age)}
      </td>
      {changes && <td class={tone}>{block.change ?? `in ${block.side ?? 'comparison'}`}</td>}
    </tr>
  );
}

function Blocks({ state, by, chosen, onChoose, onAbsent }: {
  state: Address;
  by: Grouping;
  chosen: Individual | null;
  onChoose: (block: Individual | null) => void;
  /** The row is not among those that are left. */
  onAbsent: () => void;
}): JSX.Element {
  const [offset, setOffset] = useState(0);
  // Of the rows that are shown, which stay until those of `offset` are there.
  const [from, setFrom] = useState(0);
  const [part, setPart] = useState('total');
  const [sort, setSort] = useState('address');
  const [desc, setDesc] = useState(false);
  const parameters = analysisParameters(state, by);
  parameters.set('path', state.at);
  const rowKey = parameters.toString();
  useEffect(() => setOffset(0), [rowKey, sort, desc, part]);
  const question = `individuals?${rowKey}&part=${part}&sort=${sort}&desc=${desc ? 1 : 0}&offset=${offset}&limit=${PAGE}`;
  const answer = useAnswer<Individuals>(question);
  const rows = answer.value?.rows ?? [];
  const total = answer.value?.total ?? 0;
  useEffect(() => {
    if (!answer.value) return;
    setFrom(offset);
    onChoose(answer.value.rows[0] ?? null);
  }, [answer.value]);
  const changes = isComparison(state.of);
  useEffect(() => {
    if (answer.absent) onAbsent();
  }, [answer.absent]);
  if (answer.fault) return <p class="words">{answer.fault}</p>;
  const order = (id: string): void => {
    if (id === sort) setDesc(!desc);
    else {
      setSort(id);
      setDesc(id !== 'address');
    }
  };
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="Blocks of the row">
        <table class="blocks">
          <thead>
            <tr>
              {SORTS.map(([id, title]) => (
                <th key={id} aria-sort={id !== sort ? 'none' : desc ? 'descending' : 'ascending'}>
                  <button type="button" onClick={() => order(id)}>
                    {title}
                    {id === 'age' && ' in epochs'} {id === sort && (desc ? '▾' : '▴')}
                  </button>
                </th>
              ))}
              {changes && <th>Change</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((block) => (
              <BlockRow
                key={`${block.side} ${block.change} ${block.address}`}
                block={block}
                chosen={block === chosen}
                changes={changes}
                onChoose={() => onChoose(block)}
              />
            ))}
          </tbody>
        </table>
        {answer.value && total === 0 && (
          <p class="words">
            No block {part === 'self' ? 'of this row alone' : 'of this row'}{' '}
            {changes ? 'is in either snapshot' : 'is alive'}.
          </p>
        )}
      </div>
      <div class="pager">
        <select
          aria-label="Which blocks"
          value={part}
          onChange={(event) => setPart(event.currentTarget.value)}
        >
          <option value="total">there and below</option>
          <option value="self">there alone</option>
        </select>
        <button type="button" class="small" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
          Previous
        </button>
        <span>
          {count(total === 0 ? 0 : from + 1)}–{count(Math.min(total, from + rows.length))} of {count(total)} blocks
        </span>
        <button type="button" class="small" disabled={offset + PAGE >= total} onClick={() => setOffset(offset + PAGE)}>
          Next
        </button>
      </div>
    </>
  );
}

const ENDS: Record<string, string> = {
  complete: '',
  depth_limit: 'The stack was deeper than the depth limit: outer frames are missing.',
  no_rule: 'The walk met code without unwind rules: outer frames are missing.',
  bad_frame: 'The walk met a frame that made no sense: outer frames are missing.',
  foreign_stack: 'The walk left the stack it began on: outer frames are missing.',
};

function StackList({ frames, full }: { frames: Frame[]; full: boolean }): JSX.Element {
  return (
    <ol class="stack">
      {frames.map((frame, at) => (
        <li key={at}>
          <FrameName frame={frame} full={full} around={at > 0 ? frames[at - 1]!.module : null} />
        </li>
      ))}
    </ol>
  );
}

function StackPane({ state, block, frames }: {
  state: Address;
  block: Individual | null;
  frames: Frame[];
}): JSX.Element {
  const side = block?.side ?? (block?.change === 'freed' ? 'baseline' : 'comparison');
  const question = block
    ? `stack?of=${state.of}&traceback=${block.traceback}${isComparison(state.of) ? `&side=${side}` : ''}`
    : null;
  const answer = useAnswer<Stack>(question);
  const stack = answer.value;
  const shown = stack ? stack.frames : frames;
  const text = stack ? stack.text : frames.map(frameText).join('\n') + '\n';
  const title = block ? `Stack of ${block.address}` : 'The way to this row';
  return (
    <section class="stack-pane" aria-label="Stack">
      <header>
        <h3>{title}</h3>
        <button type="button" class="small" onClick={() => void copyText(text, 'the stack')}>
          Copy stack
        </button>
      </header>
      <div class="scroll" tabIndex={0} role="group" aria-label="Frames, innermost first">
        {answer.fault && <p class="words">{answer.fault}</p>}
        {stack?.reason && <p class="words">No stack: {stack.reason}.</p>}
        <StackList frames={shown} full={state.full} />
        {stack && ENDS[stack.end] && <p class="words">{ENDS[stack.end]}</p>}
      </div>
    </section>
  );
}

export function Details({ state, by, frames }: Properties): JSX.Element {
  const [block, setBlock] = useState<Individual | null>(null);
  const question = analysisParameters(state, by).toString() + state.at;
  // The question whose row is not there.
  const [absent, setAbsent] = useState('');
  useEffect(() => setBlock(null), [question]);
  const isAbsent = absent === question;
  const last = isAbsent ? undefined : frames.at(-1);
  const filtered = state.filter !== '' || state.exclude !== '';
  return (
    <section class="details" aria-label="Details of the row">
      <header class="details-head">
        <h2>{last ? <FrameName frame={last} full={state.full} around={null} /> : 'Details'}</h2>
        <button
          type="button"
          class="quiet"
          aria-label="Close details"
          onClick={() => navigate({ details: false }, true)}
        >
          <CrossIcon />
        </button>
      </header>
      {state.at === '' ? (
        <p class="words">Select a row to see its blocks and their stacks.</p>
      ) : isAbsent ? (
        <p class="words">
          {filtered
            ? 'The selected row is not in what the filter leaves. Select another, or clear the filter.'
            : 'The selected row is not in this view. Select another.'}
        </p>
      ) : (
        <div class="details-body">
          <section class="blocks-pane" aria-label="Blocks">
            <Blocks state={state} by={by} chosen={block} onChoose={setBlock} onAbsent={() => setAbsent(question)} />
          </section>
          <StackPane state={state} block={block} frames={frames} />
        </div>
      )}
    </section>
  );
}
