// The summary of a comparison: what is new, freed and survived, what grew and
// shrank most, by which sizes.
import type { JSX } from 'preact';
import type { Address } from '../address';
import { programName, thinned, time } from '../format';
import type { ComparisonSummary, Facts } from '../summary_types';
import { Card, MeasureTable, SizeTable, TopTable } from './summary_parts';

function side(facts: Facts | undefined): string {
  if (!facts) return '';
  const taken = Number(facts['taken_ns'] ?? 0);
  return `${programName(String(facts['command'] ?? ''))} ${facts['pid'] ?? ''}${taken > 0 ? `, ${time(taken)}` : ''}, recording ${facts['mode'] ?? ''}`;
}

export function ComparisonSummaryView({ summary, state }: {
  summary: ComparisonSummary;
  state: Address;
}): JSX.Element {
  const totals = summary.totals;
  return (
    <div class="summary" tabIndex={0} role="group" aria-label="Summary">
      <dl class="facts">
        <div>
          <dt>Baseline</dt>
          <dd>{side(summary.facts.baseline)}</dd>
        </div>
        <div>
          <dt>Comparison</dt>
          <dd>{side(summary.facts.comparison)}</dd>
        </div>
        <div>
          <dt>Matched by</dt>
          <dd>{summary.matched_by}</dd>
        </div>
      </dl>
      <div class="cards">
        <Card title="Totals">
          <MeasureTable rows={[['New', totals.added], ['Freed', totals.freed], ['Survived', totals.survived]]} />
          <MeasureTable difference rows={[['Net', totals.net]]} />
        </Card>
        {summary.notes.length > 0 && (
          <Card title="Notes">
            <ul>
              {summary.notes.map((note) => (
                <li key={note}>{thinned(note)}</li>
              ))}
            </ul>
          </Card>
        )}
        <TopTable title="Grew most" rows={summary.grown} series="net" whole={totals.net} state={state} />
        <TopTable title="Shrank most" rows={summary.shrunk} series="net" whole={totals.net} state={state} />
        <SizeTable sizes={summary.sizes} />
      </div>
    </div>
  );
}
