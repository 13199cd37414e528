// Below a view: what it holds, what the filter leaves out, whether the books
// balance, and what recording means for it.
import type { JSX } from 'preact';
import { isComparison, seriesIn, type Address } from '../address';
import type { Entry, Measure, Rows, Unit, Values } from '../api_types';
import { blocks, bytes, exactBytes, percent, signed, thinned } from '../format';
import { inUnit, SERIES_WORDS, UNIT_INDEX } from '../words';

/** 1.2 MiB in 12 blocks; in the unit of blocks: 12 blocks of 1.2 MiB. */
function amountIn(measure: Measure, unit: Unit): string {
  return unit === 'blocks'
    ? `${blocks(measure[0])} of ${bytes(measure[2])}`
    : `${bytes(measure[UNIT_INDEX[unit]])} in ${blocks(measure[0])}`;
}

function netIn(net: Measure, unit: Unit): string {
  const size = signed(net[unit === 'requested' ? 1 : 2], bytes);
  const number = signed(net[0], blocks);
  return unit === 'blocks' ? `${number} and ${size}` : `${size} and ${number}`;
}

function Amount({ measure, unit }: { measure: Measure; unit: Unit }): JSX.Element {
  return (
    <span title={`${exactBytes(measure[2])} usable, ${exactBytes(measure[1])} requested`}>
      {amountIn(measure, unit)}
    </span>
  );
}

function Held({ state, head }: { state: Address; head: Rows }): JSX.Element {
  const zero: Measure = [0, 0, 0];
  if (isComparison(state.of)) {
    const part = (values: Values, name: 'added' | 'freed' | 'survived'): Measure => values[name] ?? zero;
    return (
      <>
        new <Amount measure={part(head.matched, 'added')} unit={state.unit} />, freed{' '}
        <Amount measure={part(head.matched, 'freed')} unit={state.unit} />, survived{' '}
        <Amount measure={part(head.matched, 'survived')} unit={state.unit} />, net{' '}
        {netIn(head.matched.net ?? zero, state.unit)}
      </>
    );
  }
  const series = seriesIn(state.by, state.series);
  return (
    <>
      <Amount measure={head.matched[series] ?? zero} unit={state.unit} /> shown (
      {SERIES_WORDS[series]}, {state.unit === 'requested' ? 'requested' : 'usable'} bytes)
    </>
  );
}

/** A sample leaves blocks without a stack, but it is the filter alone that leaves rows out. */
function leftOut(state: Address, head: Rows): string {
  const all = Object.values(head.left_out).every((one) => one.every((value) => value === 0));
  if (all) return 'nothing left out';
  if (state.filter === '' && state.exclude === '') return '';
  if (isComparison(state.of))
    return `the filter leaves out a net ${netIn(head.left_out.net ?? [0, 0, 0], state.unit)}`;
  const series = seriesIn(state.by, state.series);
  const out = head.left_out[series] ?? [0, 0, 0];
  const at = UNIT_INDEX[state.unit];
  const whole = head.whole[series]?.[at] ?? 0;
  return `the filter leaves out ${amountIn(out, state.unit)}, ${percent(out[at], whole)} of ${inUnit(whole, state.unit)}`;
}

const ONLY_NOW = 'of blocks that are freed the size class is not known';

function recordingWords(sides: Entry[]): string {
  const off = sides.some((entry) => entry.mode === 'counters');
  const sampled = sides.some((entry) => entry.mode === 'sampled');
  if (off) return 'stacks were not being recorded when it was taken: blocks without one say why';
  return sampled ? 'stacks are a sample, totals are exact' : '';
}

export function Footer({ state, head, sides }: {
  state: Address;
  head: Rows | null;
  sides: Entry[];
}): JSX.Element {
  const balanced = sides.every((entry) => entry.balanced);
  const onlyNow = state.view === 'aggregate' && state.by === 'size-class' && !isComparison(state.of);
  const parts = head
    ? [onlyNow && ONLY_NOW, leftOut(state, head), balanced ? 'books balance' : 'books do not balance: see Summary', recordingWords(sides)]
    : [];
  return (
    <footer class="footer" aria-live="polite">
      {head && <Held state={state} head={head} />}
      {parts.filter(Boolean).map((part) => ` · ${part}`)}
      {head && !isComparison(state.of) && head.notes.length > 0 && ` · ${thinned(head.notes.join(' '))}`}
    </footer>
  );
}
