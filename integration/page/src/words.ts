// Sentences about states and differences: what the page says where a colour or a
// symbol alone would leave a question.
import type { Entry, Mode, Process, Series, Task, Unit } from './api_types';
import { blocks, bytes, count, counted, duration, exactBytes, percent, signed } from './format';

export const SERIES_WORDS: Record<Series, string> = {
  current: 'now',
  at_peak: 'at peak',
  ever: 'ever',
};

export const UNIT_WORDS: Record<Unit, string> = {
  usable: 'usable bytes',
  requested: 'requested bytes',
  blocks: 'blocks',
};

export const UNIT_INDEX: Record<Unit, 0 | 1 | 2> = { blocks: 0, requested: 1, usable: 2 };

export function inUnit(value: number, unit: Unit): string {
  return unit === 'blocks' ? blocks(value) : bytes(value);
}

export function exactInUnit(value: number, unit: Unit): string {
  return unit === 'blocks' ? blocks(value) : `${exactBytes(value)} ${unit}`;
}

export function direction(net: number): 'grew' | 'shrank' | 'unchanged' {
  if (net > 0) return 'grew';
  return net < 0 ? 'shrank' : 'unchanged';
}

/** grew by 36.1 MiB; shrank by 2 blocks; unchanged */
export function change(net: number, unit: Unit): string {
  return net === 0 ? 'unchanged' : `${direction(net)} by ${inUnit(Math.abs(net), unit)}`;
}

/** Against the snapshot above in the list, which may be of another process. */
export function delta(entry: Entry, above: Entry | null): string | null {
  if (!entry.delta) return null;
  if (entry.delta.every((value) => value === 0)) return 'unchanged';
  const other = above && above.process_id !== entry.process_id ? ' against another process' : '';
  return `${signed(entry.delta[2], bytes)}, ${signed(entry.delta[0], blocks)}${other}`;
}

export const MODE_NAMES: Record<Mode, string> = {
  counters: 'Counters',
  sampled: 'Sampled',
  all: 'All',
};

export function modeOf(mode: Mode): string {
  if (mode === 'counters') return 'no stacks recorded';
  return mode === 'sampled' ? 'sampled stacks' : 'all stacks';
}

const HOLDS = 'It holds for blocks allocated from now on.';

/** What the recording mode means and costs, as one paragraph. */
export function modeSentence(mode: Mode, interval: number): string {
  if (mode === 'counters')
    return `${shortMode(mode, interval)} Blocks allocated now will say “allocated while stacks were not recorded”.`;
  return `${shortMode(mode, interval)} ${HOLDS}`;
}

/** The same in as few words as the strip has room for. */
export function shortMode(mode: Mode, interval: number): string {
  if (mode === 'counters')
    return 'No stacks: blocks and bytes are counted, a few nanoseconds per allocation.';
  if (mode === 'sampled')
    return `About one stack for each ${bytes(interval)} allocated: totals stay exact, tracebacks are a sample.`;
  return 'The stack of every allocation: exact, and the most expensive mode.';
}

/** What recording has cost in the last second, measured in the program. */
export function costSentence(process: Process): string {
  if (process.gone) return '';
  if (process.mode === 'counters') return 'no stacks are recorded, so recording costs nothing now';
  if (process.cost_share === null) return 'cost not measured yet';
  const share = percent(process.cost_share, 1);
  const each = process.stack_ns === null ? '' : ` of ${duration(process.stack_ns)} each`;
  const rate = process.stacks_per_s === null ? '' : `: ${counted(process.stacks_per_s, 'stack')}/s${each}`;
  return `recording took ${share} of one processor${rate}`;
}

const PHASES: Record<string, string> = {
  waiting: 'Waiting for other work',
  capturing: 'Capturing the heap',
  naming: 'Finding names',
  packing: 'Packing the file',
  reading: 'Reading the file',
  preparing: 'Preparing the analysis',
};

export function progress(task: Task): string {
  const phase = PHASES[task.phase] ?? task.phase;
  const unit = (value: number): string =>
    task.unit === 'bytes' ? bytes(value) : count(value);
  const rest = task.unit === 'bytes' ? '' : ` ${task.unit}`;
  const done = task.total === null
    ? `${unit(task.done)}${rest}`
    : `${unit(task.done)} of ${unit(task.total)}${rest}, ${percent(task.done, task.total)}`;
  return `${phase}: ${done}, ${(task.elapsed_ms / 1000).toFixed(1)} s`;
}

export function peakBound(process: Process): string {
  return process.peak_bound > 0
    ? `exact to within ${bytes(process.peak_bound)}`
    : 'exact';
}
