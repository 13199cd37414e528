// The call tree as a flame graph (icicle: callers above, what they call below; by
// inverted call stack the allocation is above and its callers below).
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { navigate, type Address } from '../address';
import type { Tree } from '../api_types';
import { BoxCanvas, useSize } from '../components/box_canvas';
import { FLAME_ROW, layoutFlame, matches, searchTree, type Box } from '../flame_layout';
import { counted, percent } from '../format';
import { useStore } from '../store';
import { parentPath } from '../tree_rows';
import { dark } from '../ui';
import { inUnit } from '../words';
import { boxName, cutWords, describeNode, legend, paintBox } from './drawing';

function Search({ state, tree }: { state: Address; tree: Tree }): JSX.Element {
  const found = searchTree(tree.root, state.search);
  return (
    <span class="search">
      <input
        type="search"
        aria-label="Mark frames"
        placeholder="Mark frames…"
        value={state.search}
        onInput={(event) => navigate({ search: event.currentTarget.value }, true)}
      />
      {state.search && (
        <span role="status">
          {found.frames === 0
            ? 'no frame'
            : `${counted(found.frames, 'frame')}, ${inUnit(found.weight, state.unit)}, ${percent(found.weight, tree.whole)}`}
        </span>
      )}
    </span>
  );
}

interface Properties {
  state: Address;
  tree: Tree;
  inverted: boolean;
}

export function CallTree({ state, tree, inverted }: Properties): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const [width] = useSize(element);
  const isDark = useStore(dark);
  const layout = useMemo(
    () => layoutFlame(tree.root, state.zoom, Math.max(1, width)),
    [tree, state.zoom, width],
  );
  const selected = layout.boxes.findIndex((box) => box.path === state.at && box.depth > 0);
  const wanted = state.search.toLowerCase();
  useEffect(() => {
    if (element.current && state.zoom === '') element.current.scrollTop = 0;
  }, [state.zoom]);
  const paint = (box: Box): ReturnType<typeof paintBox> => {
    const painted = paintBox(box, isDark);
    if (wanted === '') return painted;
    const hit = box.depth > 0 && matches(box.node, wanted);
    return { ...painted, faded: !hit, marked: hit };
  };
  return (
    <div class="view">
      <div class="view-bar">
        <Search state={state} tree={tree} />
        <button
          type="button"
          class="small"
          aria-pressed={inverted}
          onClick={() => navigate({ by: inverted ? 'stack' : 'inverted' })}
        >
          Inverted
        </button>
        <button
          type="button"
          class="small"
          disabled={state.zoom === ''}
          onClick={() => navigate({ zoom: '' })}
        >
          Reset zoom
        </button>
        <span class="dim">
          {legend(state)} {cutWords(tree, layout.thin, state)}.
        </span>
      </div>
      <div class="drawing-room" ref={element}>
        {width > 0 && (
          <BoxCanvas
            label={inverted ? 'Flame graph, inverted' : 'Flame graph'}
            boxes={layout.boxes}
            width={width}
            height={layout.depth * FLAME_ROW + 1}
            selected={selected}
            paint={paint}
            name={(box) => boxName(box, state)}
            describe={(box) => describeNode(box.node, tree, state)}
            onSelect={(box) => navigate({ at: box.path }, true)}
            onOpen={(box) => navigate({ at: box.path, zoom: box.path })}
            onOut={() => navigate({ zoom: parentPath(state.zoom) })}
            onDetails={() => navigate({ details: !state.details }, true)}
            titleOnTop={false}
          />
        )}
      </div>
    </div>
  );
}
