// The summary: totals, what the peak was made of, the largest, sizes, coverage,
// the tool's own cost, whether the books balance.
import type { JSX } from 'preact';
import type { Address } from '../address';
import { blocks, bytes, count, duration, percent, programName, thinned, time } from '../format';
import type { Facts, SnapshotSummary } from '../summary_types';
import { Card, MeasureTable, SizeTable, TopTable } from './summary_parts';

function FactLine({ facts }: { facts: Facts }): JSX.Element {
  const taken = Number(facts['taken_ns'] ?? 0);
  const command = String(facts['command'] ?? facts['exe'] ?? '');
  const shown: [string, string, string?][] = [
    ['Program', programName(command), `${command}\n${facts['exe'] ?? ''}`],
    ['Process', String(facts['pid'] ?? '')],
    ['Host', String(facts['host'] ?? '')],
    ['Taken', taken > 0 ? time(taken) : ''],
    ['Recording', String(facts['mode'] ?? '')],
  ];
  return (
    <dl class="facts">
      {shown.filter(([, value]) => value !== '').map(([name, value, title]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={title}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Coverage({ summary }: { summary: SnapshotSummary }): JSX.Element {
  const { with_stack, reasons, ended_early } = summary.coverage;
  const whole = summary.totals.current?.[0] ?? 0;
  return (
    <Card title="Which blocks have a stack">
      <p>
        <strong>{percent(with_stack[0], whole)}</strong> of {blocks(whole)} have one:{' '}
        {blocks(with_stack[0])}, {bytes(with_stack[2])}.
      </p>
      {reasons.length > 0 && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason.reason}>
              {blocks(reason.measure[0])}, {bytes(reason.measure[2])}: {reason.words}
            </li>
          ))}
        </ul>
      )}
      {ended_early.length > 0 && (
        <>
          <p>Stacks that end before the outermost frame:</p>
          <ul>
            {ended_early.map((end) => (
              <li key={end.end}>
                {blocks(end.blocks)}: {end.words}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

const OWN: [string, string][] = [
  ['side_headers', 'side headers'],
  ['page_map', 'page map'],
  ['tracebacks', 'tracebacks'],
  ['threads', 'threads'],
  ['other', 'other'],
];

const MEMORY: [string, string][] = [
  ['rss', 'resident memory of the process'],
  ['jemalloc_resident', 'resident in the allocator'],
  ['jemalloc_active', 'in active pages of the allocator'],
  ['jemalloc_allocated', 'handed out by the allocator'],
  ['jemalloc_mapped', 'mapped by the allocator'],
];

function Cost({ summary }: { summary: SnapshotSummary }): JSX.Element {
  const { own, capture, memory } = summary;
  const usable = summary.totals.current?.[2] ?? 0;
  return (
    <Card title="What heaptally cost">
      <p>
        <strong>{bytes(own['total'] ?? 0)}</strong> of its own memory,{' '}
        {percent(own['total'] ?? 0, usable)} of the usable bytes:{' '}
        {OWN.filter(([key]) => own[key]).map(([key, words]) => `${words} ${bytes(own[key]!)}`).join(', ')}.
      </p>
      <p>
        The snapshot stopped the program for <strong>{duration(capture.pause_ms * 1e6)}</strong> and
        took {duration(capture.duration_ms * 1e6)} for {bytes(capture.bytes)}.
      </p>
      <ul>
        {MEMORY.filter(([key]) => memory[key]).map(([key, words]) => (
          <li key={key}>
            {bytes(memory[key]!)} {words}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Books({ summary }: { summary: SnapshotSummary }): JSX.Element {
  return (
    <Card title={summary.books.balanced ? 'The books balance' : 'The books do not balance'}>
      <p>{thinned(summary.books.sentence)}</p>
    </Card>
  );
}

function Missing({ summary }: { summary: SnapshotSummary }): JSX.Element | null {
  if (summary.missing.length === 0) return null;
  return (
    <Card title="Modules without debug information">
      <p>Their functions have no file and line; some have no name.</p>
      <ul>
        {summary.missing.map(({ module, hint }) => (
          <li key={module}>
            <strong>{module}</strong> {hint}
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function SnapshotSummaryView({ summary, state }: {
  summary: SnapshotSummary;
  state: Address;
}): JSX.Element {
  const peak = summary.peak;
  const bound = peak.bound > 0 ? `, exact to within ${bytes(peak.bound)}` : '';
  return (
    <div class="summary" tabIndex={0} role="group" aria-label="Summary">
      <FactLine facts={summary.facts} />
      <div class="cards">
        <Card title="Totals">
          <MeasureTable
            rows={[
              ['Now', summary.totals.current],
              ['At peak', peak.measure],
              ['Ever', summary.totals.ever],
            ]}
          />
          <p class="dim">
            The peak is the moment of the most usable bytes{bound}. {count(summary.totals.ever?.[0] ?? 0)}{' '}
            allocations were counted.
          </p>
        </Card>
        <Books summary={summary} />
        <TopTable title="Largest now" rows={summary.top} series="current" whole={summary.totals.current} state={state} />
        <TopTable title="What the peak was made of" rows={summary.peak_top} series="at_peak" whole={peak.measure} state={state} />
        <SizeTable sizes={summary.sizes} />
        <Coverage summary={summary} />
        <Cost summary={summary} />
        <Missing summary={summary} />
      </div>
    </div>
  );
}
