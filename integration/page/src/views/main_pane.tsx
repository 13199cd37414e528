// The large pane: what is shown, the toolbar, the view, and below it the sentence
// on what the view holds and leaves out.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { swap } from '../actions';
import { address, analysisParameters, isComparison, navigate, type Address } from '../address';
import type { Entry, Frame, Rows, Tree } from '../api_types';
import { CrossIcon, SwapIcon } from '../components/icons';
import { thinned } from '../format';
import { session } from '../session';
import { useStore } from '../store';
import type { Summary } from '../summary_types';
import { rowsOfPath } from '../tree_rows';
import { copyText } from '../ui';
import { useAnswer } from '../use_answer';
import { useRows } from '../use_rows';
import { Aggregate } from './aggregate';
import { columnsOf } from './aggregate_columns';
import { CallTree } from './call_tree';
import { ComparisonSummaryView } from './comparison_summary';
import { Details } from './details';
import { framesOf, groupingIn } from './drawing';
import { Footer } from './footer';
import { SnapshotSummaryView } from './summary';
import { rowsAsText, shownRows } from './table_text';
import { Toolbar } from './toolbar';
import { Fault, NoMatch, NothingShown, NotThere, Wait } from './states';
import { TreeMap } from './tree_map';

const TREE_LIMITS = '&min_share=0.0002&max_nodes=10000';

function ComparisonHead({ sides, head }: { sides: Entry[]; head: Rows | null }): JSX.Element {
  const [baseline, comparison] = sides;
  return (
    <div class="comparison-head">
      <div class="comparison-names">
        <span class="badge">baseline</span> <strong>{baseline?.name}</strong>
        <span aria-hidden="true">→</span>
        <span class="badge">comparison</span> <strong>{comparison?.name}</strong>
        <button type="button" class="small" title="Swap baseline and comparison" onClick={swap}>
          <SwapIcon /> Swap
        </button>
        <button
          type="button"
          class="quiet small"
          aria-label="End the comparison"
          title="End the comparison"
          onClick={() => navigate({ of: comparison?.id ?? '' })}
        >
          <CrossIcon />
        </button>
      </div>
      {head?.sentence && <p class="headline">{thinned(head.sentence)}</p>}
      {head && (head.matched_by || head.notes.length > 0) && (
        <p class="dim">
          {head.matched_by && `Matched by ${head.matched_by}. `}
          {thinned(head.notes.join(' '))}
        </p>
      )}
    </div>
  );
}

function isEmpty(head: Rows): boolean {
  return Object.values(head.matched).every((measure) => measure.every((value) => value === 0));
}

function AggregatePane({ state, sides }: { state: Address; sides: Entry[] }): JSX.Element {
  const rows = useRows(state);
  const { source } = rows;
  const frames: Frame[] = source ? rowsOfPath(source.top, state.at) : [];
  const onCopy = (): void => {
    if (!source) return;
    void copyText(rowsAsText(columnsOf(source.asked, source.head), shownRows(source.top)), 'the open rows');
  };
  const empty = source?.head && isEmpty(source.head);
  return (
    <>
      {isComparison(state.of) && <ComparisonHead sides={sides} head={source?.head ?? null} />}
      <Toolbar state={state} onCopy={source ? onCopy : null} />
      <Wait what="Grouping" since={rows.since} task={rows.task} onCancel={rows.cancel} />
      <div class="panel" id="view-panel" role="tabpanel" aria-labelledby="tab-aggregate">
        {rows.fault ? (
          <Fault sentence={rows.fault} onRetry={rows.retry} />
        ) : empty ? (
          <NoMatch state={state} head={source.head!} sides={sides} />
        ) : (
          source && (
            <Aggregate
              state={state}
              rows={rows}
              onDetails={() => navigate({ details: true }, true)}
            />
          )
        )}
      </div>
      {state.details && <Details state={state} by={state.by} frames={frames} />}
      <Footer state={source?.asked ?? state} head={source?.head ?? null} sides={sides} />
    </>
  );
}

function DrawingPane({ state, sides }: { state: Address; sides: Entry[] }): JSX.Element {
  const by = groupingIn(state.view, state.by);
  const tree = useAnswer<Tree>(`tree?${analysisParameters(state, by)}${TREE_LIMITS}`);
  const head = useAnswer<Rows>(`rows?${analysisParameters(state, by)}&offset=0&limit=1`);
  const frames = useMemo(
    () => (tree.value ? framesOf(tree.value.root, state.at) : []),
    [tree.value, state.at],
  );
  const empty = head.value && isEmpty(head.value);
  // An old picture, until the new one is here, says its own numbers in its own unit.
  const asked = tree.asked ?? state;
  const drawn = { ...state, of: asked.of, unit: asked.unit, series: asked.series };
  return (
    <>
      {isComparison(state.of) && <ComparisonHead sides={sides} head={head.value} />}
      <Toolbar state={state} onCopy={null} />
      <Wait
        what="Drawing"
        since={tree.waiting ? tree.since : null}
        task={tree.task}
        onCancel={tree.cancel}
      />
      <div
        class={drawn.of === state.of ? 'panel' : 'panel stale'}
        id="view-panel"
        role="tabpanel"
        aria-labelledby={`tab-${state.view}`}
      >
        {tree.fault ? (
          <Fault sentence={tree.fault} onRetry={tree.retry} />
        ) : empty ? (
          <NoMatch state={state} head={head.value!} sides={sides} />
        ) : (
          tree.value &&
          (state.view === 'call-tree' ? (
            <CallTree state={drawn} tree={tree.value} inverted={by === 'inverted'} />
          ) : (
            <TreeMap state={drawn} tree={tree.value} by={by} />
          ))
        )}
      </div>
      {state.details && <Details state={state} by={by} frames={frames} />}
      <Footer state={head.asked ?? state} head={head.value} sides={sides} />
    </>
  );
}

function SummaryPane({ state, sides }: { state: Address; sides: Entry[] }): JSX.Element {
  const parameters = analysisParameters({ ...state, series: 'current' }, 'stack');
  const head = useAnswer<Rows>(`rows?${parameters}&offset=0&limit=1`);
  for (const name of ['by', 'series']) parameters.delete(name);
  const answer = useAnswer<Summary>(`summary?${parameters}`);
  const summary = answer.value;
  const filtered = state.filter !== '' || state.exclude !== '';
  const asked = head.asked ?? state;
  return (
    <>
      {isComparison(state.of) && <ComparisonHead sides={sides} head={head.value} />}
      <Toolbar state={state} onCopy={null} />
      <Wait
        what="Summing up"
        since={answer.waiting ? answer.since : null}
        task={answer.task}
        onCancel={answer.cancel}
      />
      <div class="panel" id="view-panel" role="tabpanel" aria-labelledby="tab-summary">
        {answer.fault && <Fault sentence={answer.fault} onRetry={answer.retry} />}
        {!answer.fault && summary && filtered && (
          <p class="words" role="status">
            {summary.filter
              ? 'Totals, the largest and sizes are of what the filter leaves; the rest is of the whole snapshot.'
              : 'The filter does not hold for the summary: it is of the whole snapshot.'}
          </p>
        )}
        {!answer.fault && summary?.kind === 'snapshot' && (
          <SnapshotSummaryView summary={summary} state={state} />
        )}
        {!answer.fault && summary?.kind === 'comparison' && (
          <ComparisonSummaryView summary={summary} state={state} />
        )}
      </div>
      <Footer state={{ ...asked, by: 'stack', series: 'current' }} head={head.value} sides={sides} />
    </>
  );
}

export function MainPane(): JSX.Element {
  const state = useStore(address);
  const { state: told } = useStore(session);
  const ids = state.of === '' ? [] : state.of.split('..');
  const sides = ids.map((id) => told?.entries.find((entry) => entry.id === id));
  const there = sides.filter((entry) => entry !== undefined);
  let content: JSX.Element;
  if (!told) content = <p class="words">Asking heaptally…</p>;
  else if (ids.length === 0) content = <NothingShown state={told} />;
  else if (there.length < ids.length || there.some((entry) => entry.state !== 'ready'))
    content = <NotThere entries={there} wanted={ids.length} />;
  else if (state.view === 'aggregate') content = <AggregatePane state={state} sides={there} />;
  else if (state.view === 'summary') content = <SummaryPane state={state} sides={there} />;
  else content = <DrawingPane state={state} sides={there} />;
  return (
    <main class="main" aria-label="Snapshot">
      {content}
    </main>
  );
}
