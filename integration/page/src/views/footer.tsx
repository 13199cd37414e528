// Below a view: what it holds, what the filter leaves out, whether the books
// balance, and what recording means for it.
import type { JSX } from 'preact';
import { isComparison, type Address } from '../address';
import type { Entry, Measure, Rows, Values } from '../api_types';
import { blocks, bytes, exactBytes, percent, signed, thinned } from '../format';
import { SERIES_WORDS } from '../words';

function Amount({ measure, unit }: { measure: Measure; unit: Address['unit'] }): JSX.Element {
  const value = unit === 'requested' ? measure[1] : measure[2];
  return (
    <span title={`${exactBytes(measure[2])} usable, ${exactBytes(measure[1])} requested`}>
      {bytes(value)} in {blocks(measure[0])}
    </span>
  );
}

function Held({ state, head }: { state: Address; head: Rows }): JSX.Element {
  const zero: Measure = [0, 0, 0];
  if (isComparison(state.of)) {
    const part = (values: Values, name: 'added' | 'freed' | 'survived'): Measure => values[name] ?? zero;
    const net = head.matched.net ?? zero;
    return (
      <>
        new <Amount measure={part(head.matched, 'added')} unit={state.unit} />, freed{' '}
        <Amount measure={part(head.matched, 'freed')} unit={state.unit} />, survived{' '}
        <Amount measure={part(head.matched, 'survived')} unit={state.unit} />, net{' '}
        {signed(net[state.unit === 'requested' ? 1 : 2], bytes)} and {signed(net[0], blocks)}
      </>
    );
  }
  return (
    <>
      <Amount measure={head.matched[state.series] ?? zero} unit={state.unit} /> shown (
      {SERIES_WORDS[state.series]}, {state.unit === 'requested' ? 'requested' : 'usable'} bytes)
    </>
  );
}

function leftOut(state: Address, head: Rows): string {
  const all = Object.values(head.left_out).every((one) => one.every((value) => value === 0));
  if (all) return 'nothing left out';
  const series = isComparison(state.of) ? 'survived' : state.series;
  const out = head.left_out[series] ?? [0, 0, 0];
  const whole = head.whole[series] ?? [0, 0, 0];
  if (isComparison(state.of)) {
    const net = head.left_out.net ?? [0, 0, 0];
    return `the filter leaves out a net ${signed(net[2], bytes)} and ${signed(net[0], blocks)}`;
  }
  return `the filter leaves out ${bytes(out[2])} in ${blocks(out[0])}, ${percent(out[2], whole[2])} of ${bytes(whole[2])}`;
}

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
  const parts = head
    ? [leftOut(state, head), balanced ? 'books balance' : 'books do not balance: see Summary', recordingWords(sides)]
    : [];
  return (
    <footer class="footer" aria-live="polite">
      {head && <Held state={state} head={head} />}
      {parts.filter(Boolean).map((part) => ` · ${part}`)}
      {head && !isComparison(state.of) && head.notes.length > 0 && ` · ${thinned(head.notes.join(' '))}`}
    </footer>
  );
}
