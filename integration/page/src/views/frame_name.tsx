// A frame in words: function in the text face, file and line dimmed and leading to
// the source, the module only where it changes.
import type { JSX } from 'preact';
import type { Frame } from '../api_types';
import { baseName, nameParts } from '../format';
import { dialog } from '../ui';

interface Properties {
  frame: Frame & { kind?: string };
  full: boolean;
  /** The module of the frame around; its name is not repeated. */
  around: string | null;
}

/** The front of a long name is cut first, so that its end stays to be read. */
function CutName({ name }: { name: string }): JSX.Element {
  const [front, end] = nameParts(name);
  if (front === '' || end === '') return <>{name}</>;
  return (
    <>
      <span class="name-front">{front}</span>
      <span class="name-end">{end}</span>
    </>
  );
}

export function SourceLink({ file, line, text }: {
  file: string;
  line: number;
  text?: string;
}): JSX.Element | null {
  if (!file) return null;
  const place = text ?? (line > 0 ? `${baseName(file)}:${line}` : baseName(file));
  return (
    <button
      type="button"
      class={text ? 'source-link function' : 'source-link'}
      tabIndex={-1}
      title={`${file}${line > 0 ? `:${line}` : ''} — show the lines around`}
      onClick={(event) => {
        event.stopPropagation();
        dialog.set({ kind: 'source', file, line: Math.max(1, line) });
      }}
    >
      {text ? <CutName name={text} /> : place}
    </button>
  );
}

export function FrameName({ frame, full, around }: Properties): JSX.Element {
  const name = (full ? frame.name : frame.short) || frame.name || '(no name)';
  // A row that stands for a file or a line leads there by its own name.
  const isPlace =
    frame.file !== '' && [frame.file, `${frame.file}:${frame.line}`].includes(frame.name);
  if (isPlace)
    return (
      <>
        <SourceLink file={frame.file} line={frame.line} text={name} />
        {frame.module && frame.module !== around && <span class="module">{frame.module}</span>}
      </>
    );
  return (
    <>
      <span class={frame.kind === 'reason' ? 'function reason' : 'function'} title={frame.name}>
        <CutName name={name} />
      </span>
      {frame.inlined && (
        <span class="tag" title="Inlined into its caller">
          inlined
        </span>
      )}
      <SourceLink file={frame.file} line={frame.line} />
      {frame.module && frame.module !== around && frame.module !== frame.name && (
        <span class="module">{frame.module}</span>
      )}
    </>
  );
}

export function frameText(frame: Frame): string {
  const place = frame.file ? ` ${frame.file}${frame.line > 0 ? `:${frame.line}` : ''}` : '';
  return `${frame.name}${place}${frame.module ? ` (${frame.module})` : ''}`;
}
