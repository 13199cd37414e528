// Where the rectangles of the tree map lie: squarified (d3-hierarchy), each with a
// line for its name on top if it is large enough to have children inside.
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import type { TreeNode } from './api_types';
import { weightOf, type Box, type Layout, twinsAmong } from './flame_layout';
import { childPath } from './tree_rows';

export const MAP_HEADER = 17;
const SMALLEST = 2;

/** Leaves carry the weight; what a node holds itself becomes its rest. */
interface Part {
  node: TreeNode;
  path: string;
  own: number;
  parts: Part[];
}

function onePart(node: TreeNode, path: string): Part {
  const inside = (node.c ?? []).reduce((sum, child) => sum + weightOf(child), 0);
  return { node, path, own: Math.max(0, weightOf(node) - inside), parts: [] };
}

// Without recursion, as all walks of a tree: stacks may be thousands of frames deep.
function partOf(root: TreeNode, path: string): Part {
  const first = onePart(root, path);
  const open = [first];
  for (let part = open.pop(); part; part = open.pop()) {
    for (const child of part.node.c ?? []) {
      part.parts.push(onePart(child, childPath(part.path, child.key)));
    }
    open.push(...part.parts);
  }
  return first;
}

export function layoutMap(
  root: TreeNode, rootPath: string, width: number, height: number, levels: number,
): Layout {
  const tree = hierarchy<Part>(partOf(root, rootPath), (part) => part.parts)
    .sum((part) => part.own)
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const placed = treemap<Part>()
    .tile(treemapSquarify.ratio(1.4))
    .size([width, height])
    .paddingTop(MAP_HEADER)
    .paddingInner(1)
    .paddingRight(2)
    .paddingLeft(2)
    .paddingBottom(2)
    .round(true)(tree);
  const boxes: Box[] = [];
  let thin = 0;
  let depth = 0;
  const put = (item: typeof placed, parent: number, twin: boolean): void => {
    const box: Box = {
      node: item.data.node, path: item.data.path, depth: item.depth, parent, twin,
      x: item.x0, y: item.y0, w: item.x1 - item.x0, h: item.y1 - item.y0,
    };
    if (box.w < SMALLEST || box.h < SMALLEST) {
      thin += item.descendants().length;
      return;
    }
    depth = Math.max(depth, item.depth + 1);
    const own = boxes.push(box) - 1;
    const room = box.h > MAP_HEADER + 4 && box.w > 8;
    if (item.depth >= levels || !room) return;
    const twins = twinsAmong(item.data.node.c ?? []);
    for (const child of item.children ?? []) put(child, own, twins.has(child.data.node));
  };
  put(placed, -1, false);
  return { boxes, depth, thin };
}
