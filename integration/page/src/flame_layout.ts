// Where the frames of the flame graph lie: an icicle, the root on top, a frame as
// wide as its share. With a zoom the frames above the chosen one span the whole
// width, as in every flame graph.
import type { TreeNode } from './api_types';
import { childPath } from './tree_rows';

export interface Box {
  node: TreeNode;
  path: string;
  depth: number;
  x: number;
  y: number;
  w: number;
  h: number;
  /** Place of the parent among the boxes; -1 for the root. */
  parent: number;
  /** A sibling has the same name, so that the line tells them apart. */
  twin?: boolean;
}

export interface Layout {
  boxes: Box[];
  depth: number;
  /** Frames narrower than a pixel, not drawn. */
  thin: number;
}

export const FLAME_ROW = 20;

/** How much room a node takes: in a comparison all that it holds on either side. */
export function weightOf(node: TreeNode): number {
  if (node.added === undefined) return Math.max(0, node.v[1]);
  return node.added + (node.freed ?? 0) + (node.survived ?? 0);
}

export function netOf(node: TreeNode): number | null {
  return node.added === undefined ? null : node.added - (node.freed ?? 0);
}

export function nodeOfPath(root: TreeNode, path: string): TreeNode | null {
  let node: TreeNode | undefined = root;
  for (const key of path === '' ? [] : path.split('.')) {
    node = node?.c?.find((child) => child.key === key);
  }
  return node ?? null;
}

// Walks keep a list of their own: stacks may be thousands of frames deep.
export function countNodes(root: TreeNode): number {
  let count = 0;
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    ++count;
    open.push(...(node.c ?? []));
  }
  return count;
}

interface Drawing extends Layout {
  zoom: string[];
  narrowest: number;
}

/** The nodes whose short name another of them has too. */
export function twinsAmong(nodes: TreeNode[]): Set<TreeNode> {
  const first = new Map<string, TreeNode>();
  const twins = new Set<TreeNode>();
  for (const node of nodes) {
    const other = first.get(node.short);
    if (other) twins.add(other).add(node);
    else first.set(node.short, node);
  }
  return twins;
}

interface Place {
  node: TreeNode;
  path: string;
  depth: number;
  x: number;
  w: number;
  parent: number;
  twin: boolean;
}

/** Draws the box of a place; the places of its children, from the left. */
function lay(out: Drawing, { node, path, depth, x, w, parent, twin }: Place): Place[] {
  const own = out.boxes.length;
  out.boxes.push({ node, path, depth, x, y: depth * FLAME_ROW, w, h: FLAME_ROW, parent, twin });
  out.depth = Math.max(out.depth, depth + 1);
  const children = node.c ?? [];
  const below = (child: TreeNode) =>
    ({ node: child, path: childPath(path, child.key), depth: depth + 1, parent: own });
  if (depth < out.zoom.length) {
    const next = children.find((child) => child.key === out.zoom[depth]);
    return next ? [{ ...below(next), x, w, twin: false }] : [];
  }
  const whole = weightOf(node);
  const ordered = [...children].sort((a, b) => weightOf(b) - weightOf(a));
  // A sum of the children beyond the node would leave the picture: scaled down.
  const sum = ordered.reduce((all, child) => all + weightOf(child), 0);
  const scale = w / Math.max(whole, sum, 1);
  const twins = twinsAmong(children);
  const places: Place[] = [];
  let left = x;
  for (const child of ordered) {
    const width = weightOf(child) * scale;
    if (width < out.narrowest) {
      out.thin += countNodes(child);
      continue;
    }
    places.push({ ...below(child), x: left, w: width, twin: twins.has(child) });
    left += width;
  }
  return places;
}

export function layoutFlame(root: TreeNode, zoom: string, width: number, narrowest = 1): Layout {
  const found = nodeOfPath(root, zoom) !== null;
  const out: Drawing = {
    boxes: [], depth: 0, thin: 0, zoom: found && zoom !== '' ? zoom.split('.') : [], narrowest,
  };
  const open: Place[] = [{ node: root, path: '', depth: 0, x: 0, w: width, parent: -1, twin: false }];
  for (let place = open.pop(); place; place = open.pop()) open.push(...lay(out, place).reverse());
  return { boxes: out.boxes, depth: out.depth, thin: out.thin };
}

export type Direction = 'up' | 'down' | 'left' | 'right' | 'first' | 'last';

/** The box that an arrow key leads to; the same box where there is none. */
export function neighbour(boxes: Box[], at: number, to: Direction): number {
  const box = boxes[at];
  if (!box) return 0;
  if (to === 'up') return box.parent >= 0 ? box.parent : at;
  if (to === 'down') {
    const child = boxes.findIndex((other) => other.parent === at);
    return child >= 0 ? child : at;
  }
  const row = [...boxes.keys()].filter((index) => boxes[index]!.depth === box.depth);
  row.sort((a, b) => boxes[a]!.x - boxes[b]!.x || boxes[a]!.y - boxes[b]!.y);
  if (to === 'first') return row[0]!;
  if (to === 'last') return row[row.length - 1]!;
  return row[row.indexOf(at) + (to === 'left' ? -1 : 1)] ?? at;
}

/** A search that marks frames: how many, and their sum with nested ones once. */
export function searchTree(root: TreeNode, text: string): { frames: number; weight: number } {
  const wanted = text.toLowerCase();
  const found = { frames: 0, weight: 0 };
  const open = wanted === '' ? [] : [{ node: root, counted: false }];
  for (let at = open.pop(); at; at = open.pop()) {
    const counted = at.counted;
    const hit = matches(at.node, wanted);
    if (hit) found.frames++;
    if (hit && !counted) found.weight += weightOf(at.node);
    for (const child of at.node.c ?? []) open.push({ node: child, counted: counted || hit });
  }
  return found;
}

export function matches(node: TreeNode, lowerCaseText: string): boolean {
  return (
    node.name.toLowerCase().includes(lowerCaseText) ||
    node.file.toLowerCase().includes(lowerCaseText) ||
    node.module.toLowerCase().includes(lowerCaseText)
  );
}
