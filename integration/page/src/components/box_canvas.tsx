// Boxes on a canvas with names inside, for the flame graph and the tree map. What
// is drawn can be reached without a mouse: arrows move the selection, and the
// selected box is told in words below the picture.
import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { neighbour, type Box, type Direction } from '../flame_layout';

export interface Paint {
  fill: string;
  faded: boolean;
  marked: boolean;
}

interface Properties {
  label: string;
  boxes: Box[];
  height: number;
  selected: number;
  paint: (box: Box) => Paint;
  name: (box: Box) => string;
  /** The sentence for the tooltip and for the text below. */
  describe: (box: Box) => string;
  onSelect: (box: Box) => void;
  onOpen: (box: Box) => void;
  onOut: () => void;
  onDetails: () => void;
  /** The name stands at the top of the box, not in its middle. */
  titleOnTop: boolean;
}

const FONT = '12px system-ui, sans-serif';
const KEYS: Record<string, Direction> = {
  ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right',
  Home: 'first', End: 'last',
};

/** The box under a point: the last drawn that holds it, which is the innermost. */
export function boxAt(boxes: Box[], x: number, y: number): Box | null {
  for (let at = boxes.length - 1; at >= 0; at--) {
    const box = boxes[at]!;
    if (x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h) return box;
  }
  return null;
}

function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (room < 14) return '';
  if (context.measureText(text).width <= room) return text;
  let fits = Math.floor((text.length * room) / context.measureText(text).width);
  while (fits > 1 && context.measureText(`${text.slice(0, fits)}…`).width > room) fits--;
  return fits > 1 ? `${text.slice(0, fits)}…` : '';
}

function draw(canvas: HTMLCanvasElement, width: number, drawn: Properties, hovered: Box | null): void {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(drawn.height * scale);
  const context = canvas.getContext('2d')!;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const text = colour('--drawn-text');
  const focus = colour('--focus');
  const line = colour('--background');
  context.scale(scale, scale);
  context.font = FONT;
  context.textBaseline = 'middle';
  for (const [at, box] of drawn.boxes.entries()) {
    const paint = drawn.paint(box);
    context.globalAlpha = paint.faded ? 0.35 : 1;
    context.fillStyle = paint.fill;
    context.fillRect(box.x, box.y, Math.max(1, box.w - 0.5), box.h - 1);
    if (drawn.titleOnTop && box.w > 3 && box.h > 3) {
      context.strokeStyle = line;
      context.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
    }
    const name = box.h < 13 ? '' : fitted(context, drawn.name(box), box.w - 8);
    if (name) {
      context.fillStyle = text;
      context.fillText(name, box.x + 4, drawn.titleOnTop ? box.y + 9 : box.y + box.h / 2);
    }
    context.globalAlpha = 1;
    if (paint.marked || box === hovered || at === drawn.selected) {
      context.strokeStyle = at === drawn.selected ? focus : text;
      context.lineWidth = at === drawn.selected ? 2 : 1;
      context.strokeRect(box.x + 1, box.y + 1, Math.max(1, box.w - 2), Math.max(1, box.h - 3));
      context.lineWidth = 1;
    }
  }
}

export function BoxCanvas(properties: Properties & { width: number }): JSX.Element {
  const { boxes, selected, width, height } = properties;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState<{ box: Box; x: number; y: number } | null>(null);
  useLayoutEffect(() => draw(canvas.current!, width, properties, hover?.box ?? null));
  useEffect(() => setHover(null), [boxes]);

  const at = (event: TargetedMouseEvent<HTMLElement>): Box | null => {
    const place = canvas.current!.getBoundingClientRect();
    return boxAt(boxes, event.clientX - place.left, event.clientY - place.top);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const to = KEYS[event.key];
    const box = boxes[selected];
    if (to) properties.onSelect(boxes[selected < 0 ? 0 : neighbour(boxes, selected, to)]!);
    else if (event.key === 'Enter' && box) properties.onOpen(box);
    else if (event.key === 'Escape' || event.key === 'Backspace') properties.onOut();
    else if (event.key === 'd') properties.onDetails();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = boxes[selected];
  return (
    <div class="drawing">
      <div
        class="drawing-scroll"
        role="application"
        tabIndex={0}
        aria-label={`${properties.label}. Arrow keys move, Enter zooms in, Escape zooms out, d shows blocks and stacks.`}
        aria-describedby="drawing-words"
        onKeyDown={onKeyDown}
        onFocus={() => selected < 0 && boxes[0] && properties.onSelect(boxes[0])}
        onMouseMove={(event) => {
          const box = at(event);
          setHover(box && { box, x: event.clientX, y: event.clientY });
        }}
        onMouseLeave={() => setHover(null)}
        onClick={(event) => {
          const box = at(event);
          if (box) properties.onOpen(box);
        }}
      >
        <canvas ref={canvas} style={{ width: `${width}px`, height: `${height}px` }} />
      </div>
      <p class="drawing-words" id="drawing-words" aria-live="polite">
        {shown ? properties.describe(shown) : 'Click a frame, or move with the arrow keys.'}
      </p>
      {hover && (
        <div
          class="tip"
          aria-hidden="true"
          style={{
            left: `${Math.min(hover.x + 12, innerWidth - 420)}px`,
            top: hover.y > innerHeight - 120 ? `${hover.y - 90}px` : `${hover.y + 16}px`,
          }}
        >
          {properties.describe(hover.box)}
        </div>
      )}
    </div>
  );
}

/** The width and height of an element, followed as it changes. */
export function useSize(element: { current: HTMLElement | null }): [number, number] {
  const [size, setSize] = useState<[number, number]>([0, 0]);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const measure = new ResizeObserver(() => setSize([box.clientWidth, box.clientHeight]));
    measure.observe(box);
    return () => measure.disconnect();
  }, []);
  return size;
}
