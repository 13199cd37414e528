// Nested rectangles: area is what each holds.
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { navigate, type Address } from '../address';
import type { Grouping, Tree } from '../api_types';
import { BoxCanvas, useSize } from '../components/box_canvas';
import { nodeOfPath } from '../flame_layout';
import { layoutMap } from '../map_layout';
import { useStore } from '../store';
import { parentPath } from '../tree_rows';
import { dark } from '../ui';
import { boxName, cutWords, describeNode, framesOf, GROUPING_WORDS, legend, paintBox } from './drawing';

const LEVELS = 6;

function Crumbs({ state, tree }: { state: Address; tree: Tree }): JSX.Element {
  const keys = state.zoom === '' ? [] : state.zoom.split('.');
  const frames = framesOf(tree.root, state.zoom);
  return (
    <nav class="crumbs" aria-label="Zoomed to">
      <button type="button" class="link" disabled={keys.length === 0} onClick={() => navigate({ zoom: '' })}>
        everything
      </button>
      {frames.map((frame, at) => (
        <span key={at}>
          {' › '}
          <button
            type="button"
            class="link"
            disabled={at === frames.length - 1}
            onClick={() => navigate({ zoom: keys.slice(0, at + 1).join('.') })}
          >
            {(state.full ? frame.name : frame.short) || frame.name}
          </button>
        </span>
      ))}
    </nav>
  );
}

interface Properties {
  state: Address;
  tree: Tree;
  by: Grouping;
}

export function TreeMap({ state, tree, by }: Properties): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const [width, height] = useSize(element);
  const isDark = useStore(dark);
  const zoomed = nodeOfPath(tree.root, state.zoom);
  const layout = useMemo(
    () => layoutMap(zoomed ?? tree.root, zoomed ? state.zoom : '', Math.max(1, width), Math.max(1, height - 30), LEVELS),
    [tree, zoomed, state.zoom, width, height],
  );
  const selected = layout.boxes.findIndex((box) => box.path === state.at && state.at !== '');
  return (
    <div class="view">
      <div class="view-bar">
        <Crumbs state={state} tree={tree} />
        <span class="dim">
          By {GROUPING_WORDS[by].toLowerCase()}. {legend(state)} {cutWords(tree, layout.thin, state)}.
        </span>
      </div>
      <div class="drawing-room fixed" ref={element}>
        {width > 0 && height > 60 && (
          <BoxCanvas
            label="Tree map"
            boxes={layout.boxes}
            width={width}
            height={Math.max(1, height - 30)}
            selected={selected}
            paint={(box) => paintBox(box, isDark)}
            name={(box) => boxName(box, state)}
            describe={(box) => describeNode(box.node, tree, state)}
            onSelect={(box) => navigate({ at: box.path }, true)}
            onOpen={(box) => {
              const zoom = box.node.c?.length ? box.path : parentPath(box.path);
              navigate({ at: box.path, zoom: zoom.length > state.zoom.length ? zoom : state.zoom });
            }}
            onOut={() => navigate({ zoom: parentPath(state.zoom) })}
            onDetails={() => navigate({ details: !state.details }, true)}
            titleOnTop
          />
        )}
      </div>
    </div>
  );
}
