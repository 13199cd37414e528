// What the flame graph and the tree map share: which grouping each can draw, the
// sentence of a box, its colour.
import type { Address, View } from '../address';
import { isComparison } from '../address';
import type { Frame, Grouping, Tree, TreeNode } from '../api_types';
import { css, growthColour, moduleColour } from '../colour';
import { netOf, nodeOfPath, weightOf, type Box } from '../flame_layout';
import { baseName, count, counted, percent, signed } from '../format';
import { change, exactInUnit, inUnit } from '../words';
import type { Paint } from '../components/box_canvas';

export const GROUPING_WORDS: Record<Grouping, string> = {
  stack: 'Call stack',
  inverted: 'Inverted call stack',
  function: 'Function',
  file: 'File',
  line: 'Line',
  module: 'Module',
  'size-class': 'Size class',
};

const GROUPINGS: Record<View, Grouping[]> = {
  aggregate: ['stack', 'inverted', 'function', 'file', 'line', 'module', 'size-class'],
  'call-tree': ['stack', 'inverted'],
  'tree-map': ['module', 'file', 'function', 'stack'],
  summary: ['stack', 'inverted', 'function', 'file', 'line', 'module', 'size-class'],
};

export function groupingsOf(view: View): Grouping[] {
  return GROUPINGS[view];
}

/** The grouping that a view draws when it cannot draw the chosen one. */
export function groupingIn(view: View, by: Grouping): Grouping {
  if (GROUPINGS[view].includes(by)) return by;
  if (view === 'call-tree') return 'stack';
  if (by === 'line') return 'file';
  return by === 'inverted' ? 'function' : 'module';
}

/** 36.1 MiB new + 2.0 MiB freed + 48.2 MiB survived */
function partsOf(node: TreeNode, between: string, format: (value: number) => string): string {
  return (['added', 'freed', 'survived'] as const)
    .map((part) => `${format(node[part] ?? 0)} ${part === 'added' ? 'new' : part}`)
    .join(between);
}

/** The name that stands in a box, with what it holds or by how much it changed. */
export function boxName(box: Box, state: Address): string {
  const { node } = box;
  const net = netOf(node);
  const format = (value: number): string => inUnit(value, state.unit);
  if (box.path === '' && net !== null) return `everything: ${partsOf(node, ' + ', format)}`;
  const own = box.path === '' ? 'everything' : (state.full ? node.name : node.short) || node.name;
  const name = box.twin && node.line > 0 ? `${own}:${node.line}` : own;
  return `${name} ${net === null ? format(weightOf(node)) : signed(net, format)}`;
}

/** createObject, object.c:41, redis-server: 31.0 MiB, 64% of 48.2 MiB; 9.2 MiB in itself. */
export function describeNode(node: TreeNode, tree: Tree, state: Address): string {
  const place = node.file && node.file !== node.name
    ? `, ${baseName(node.file)}${node.line > 0 ? `:${node.line}` : ''}` : '';
  const module = node.module && node.module !== node.name ? `, ${node.module}` : '';
  const name = `${node.name || 'Everything'}${place}${module}`;
  const net = netOf(node);
  if (net !== null) {
    const parts = partsOf(node, ', ', (value) => inUnit(value, state.unit));
    return `${name}: ${change(net, state.unit)} (${parts})`;
  }
  const total = node.v[1];
  const share = `${percent(total, tree.whole)} of ${inUnit(tree.whole, state.unit)}`;
  return `${name}: ${inUnit(total, state.unit)}, ${share}; ${inUnit(node.v[0], state.unit)} in itself. ${exactInUnit(total, state.unit)}.`;
}

export function paintBox(box: Box, dark: boolean): Paint {
  const node = box.node;
  const net = netOf(node);
  const grey = node.kind === 'reason' || box.path === '';
  const colour = net !== null
    ? growthColour(net, weightOf(node), dark)
    : moduleColour(grey ? '' : node.module || node.name, box.depth, dark);
  return { fill: css(colour), faded: false, marked: false };
}

/** The frames of a path, from the top of the tree down. */
export function framesOf(root: TreeNode, path: string): Frame[] {
  const keys = path === '' ? [] : path.split('.');
  return keys.flatMap((_, at) => {
    const node = nodeOfPath(root, keys.slice(0, at + 1).join('.'));
    return node ? [{ ...node, inlined: false }] : [];
  });
}

export function cutWords(tree: Tree, thin: number, state: Address): string {
  const cut = tree.cut.nodes > 0
    ? `${counted(tree.cut.nodes, 'small frame')} (${inUnit(tree.cut.total, state.unit)}) ${tree.cut.nodes === 1 ? 'is' : 'are'} not in the picture`
    : '';
  const narrow = thin > 0
    ? `${count(thin)} ${thin === 1 ? 'is' : 'are'} too narrow to be drawn here; zoom in to see ${thin === 1 ? 'it' : 'them'}`
    : '';
  return [cut, narrow].filter(Boolean).join(' · ') || 'Everything is in the picture';
}

/** What area and colour mean. */
export function legend(state: Address): string {
  return isComparison(state.of)
    ? 'Area: new, freed and survived together. Orange grew, blue shrank, grey did not change.'
    : 'One hue a module.';
}
