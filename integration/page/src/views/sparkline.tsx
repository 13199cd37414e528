// The time line of the strip: current usable bytes of the last two minutes, and
// the peak as a line above.
import type { JSX } from 'preact';
import type { Process } from '../api_types';
import { bytes } from '../format';

const WIDTH = 120;
const HEIGHT = 28;

/** The points of a line, the newest at the right edge, however old it is by now. */
export function points(history: Process['history'], at: 1 | 2, top: number): string {
  const ages = history.map(([age]) => age);
  const newest = Math.min(...ages);
  const span = Math.max(Math.max(...ages) - newest, 1);
  return history
    .map((entry) => {
      const x = WIDTH * (1 - (entry[0] - newest) / span);
      const y = HEIGHT - 2 - (HEIGHT - 4) * (top > 0 ? entry[at] / top : 0);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
}

export function Sparkline({ process }: { process: Process }): JSX.Element {
  const history = process.history;
  const top = Math.max(...history.map((entry) => Math.max(entry[1], entry[2])), 1);
  const values = history.map((entry) => entry[1]);
  const words =
    history.length === 0
      ? 'No history yet'
      : `Current usable bytes over the last ${Math.round(Math.max(...history.map(([age]) => age)) / 1000)} seconds: lowest ${bytes(Math.min(...values))}, highest ${bytes(Math.max(...values))}; the line above is the peak, ${bytes(process.peak[2])}`;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      {history.length > 1 && (
        <>
          <polygon
            class="spark-area"
            points={`0,${HEIGHT} ${points(history, 1, top)} ${WIDTH},${HEIGHT}`}
          />
          <polyline class="spark-peak" points={points(history, 2, top)} />
          <polyline class="spark-line" points={points(history, 1, top)} />
        </>
      )}
    </svg>
  );
}
