import { describe, expect, it } from 'vitest';
import type { TreeNode } from './api_types';
import {
  FLAME_ROW, layoutFlame, neighbour, nodeOfPath, searchTree, weightOf,
} from './flame_layout';
import { layoutMap } from './map_layout';

function node(key: string, self: number, children: TreeNode[] = [], more = {}): TreeNode {
  const total = self + children.reduce((sum, child) => sum + child.v[1], 0);
  return {
    key, name: key, short: key, file: '', line: 0, module: 'm', kind: 'frame',
    v: [self, total], c: children, ...more,
  };
}

const tree = node('', 0, [
  node('a', 10, [node('b', 30), node('c', 20, [node('d', 20)])]),
  node('e', 20),
]);

describe('the flame graph', () => {
  it('gives each frame its share of the width, the larger first', () => {
    const { boxes, depth } = layoutFlame(tree, '', 1000);
    const at = (path: string): number[] => {
      const box = boxes.find((one) => one.path === path)!;
      return [box.x, box.w, box.y / FLAME_ROW];
    };
    expect(at('')).toEqual([0, 1000, 0]);
    expect(at('a')).toEqual([0, 800, 1]);
    expect(at('a.c')).toEqual([0, 400, 2]);
    expect(at('a.b')).toEqual([400, 300, 2]);
    expect(at('e')).toEqual([800, 200, 1]);
    expect(depth).toBe(4);
  });
  it('is drawn of stacks as deep as any that are recorded', () => {
    let deep = node('leaf', 1);
    for (let i = 0; i < 20_000; ++i) deep = node('f', 0, [deep]);
    expect(layoutFlame(deep, '', 1000).depth).toBe(20_001);
    expect(layoutMap(deep, '', 1000, 500, 10).boxes.length).toBe(11);
    expect(searchTree(deep, 'leaf').frames).toBe(1);
  });
  it('spans the width with the frame that is zoomed to and those above it', () => {
    const { boxes } = layoutFlame(tree, 'a.c', 1000);
    expect(boxes.map((box) => box.path)).toEqual(['', 'a', 'a.c', 'a.c.d']);
    expect(boxes.slice(0, 3).every((box) => box.w === 1000)).toBe(true);
    expect(boxes[3]!.w).toBe(500);
  });
  it('shows everything when the zoom leads nowhere', () => {
    expect(layoutFlame(tree, 'gone', 1000).boxes.length).toBe(6);
  });
  it('counts what is too narrow instead of losing it', () => {
    const { boxes, thin } = layoutFlame(tree, '', 100, 25);
    expect(boxes.length + thin).toBe(6);
    expect(thin).toBe(2);
  });
  it('weighs a comparison by all that it holds on either side', () => {
    const changed = node('x', 0, [], { added: 5, freed: 7, survived: 1 });
    expect(weightOf(changed)).toBe(13);
  });
});

describe('keys in the flame graph', () => {
  const { boxes } = layoutFlame(tree, '', 1000);
  const from = (path: string, to: Parameters<typeof neighbour>[2]): string =>
    boxes[neighbour(boxes, boxes.findIndex((box) => box.path === path), to)]!.path;
  it('go up, down and along a level, and stay at the edges', () => {
    expect(from('a', 'down')).toBe('a.c');
    expect(from('a.b', 'up')).toBe('a');
    expect(from('a.c', 'right')).toBe('a.b');
    expect(from('a.b', 'right')).toBe('a.b');
    expect(from('', 'up')).toBe('');
    expect(from('a.c', 'last')).toBe('a.b');
  });
});

describe('a search', () => {
  it('counts nested frames once', () => {
    const nested = node('', 0, [node('f', 1, [node('g', 2, [node('f', 4)])]), node('h', 8)]);
    expect(searchTree(nested, 'F')).toEqual({ frames: 2, weight: 7 });
    expect(searchTree(nested, '')).toEqual({ frames: 0, weight: 0 });
  });
});

describe('the tree map', () => {
  it('keeps children inside their parents and area near to weight', () => {
    const { boxes } = layoutMap(tree, '', 800, 600, 9);
    for (const box of boxes) {
      const parent = boxes[box.parent];
      if (!parent) continue;
      expect(box.x).toBeGreaterThanOrEqual(parent.x);
      expect(box.y + box.h).toBeLessThanOrEqual(parent.y + parent.h);
    }
    const area = (path: string): number => {
      const box = boxes.find((one) => one.path === path)!;
      return box.w * box.h;
    };
    expect(area('a') / area('e')).toBeCloseTo(4, 0);
  });
  it('keeps paths from the top when a part is drawn', () => {
    const part = layoutMap(nodeOfPath(tree, 'a')!, 'a', 800, 600, 9);
    expect(part.boxes.map((box) => box.path)).toContain('a.c.d');
  });
});
