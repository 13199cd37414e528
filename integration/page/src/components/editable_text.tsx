// A text that becomes a field when it is clicked: Enter and leaving keep, Escape
// gives the old one back.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Properties {
  text: string;
  label: string;
  placeholder: string;
  class: string;
  onChange: (text: string) => void;
}

export function EditableText(properties: Properties): JSX.Element {
  const { text, label, placeholder, onChange } = properties;
  const [editing, setEditing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const kept = useRef(false);
  // Before the next key: what is typed at once must not go to the page.
  useLayoutEffect(() => {
    if (!editing) return;
    field.current?.focus();
    field.current?.select();
  }, [editing]);

  if (!editing) {
    return (
      <button
        type="button"
        class={`editable ${properties.class} ${text ? '' : 'empty'}`}
        aria-label={`${label}: ${text || placeholder}. Edit`}
        title={`${text ? `${text}\n` : ''}Click to edit`}
        onClick={(event) => {
          event.stopPropagation();
          kept.current = false;
          setEditing(true);
        }}
      >
        {text || placeholder}
      </button>
    );
  }
  const finish = (keep: boolean): void => {
    if (kept.current) return;
    kept.current = true;
    const value = field.current!.value.trim();
    if (keep && value !== text) onChange(value);
    setEditing(false);
  };
  return (
    <input
      ref={field}
      class={`editable ${properties.class}`}
      aria-label={label}
      defaultValue={text}
      onClick={(event) => event.stopPropagation()}
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') finish(true);
        if (event.key === 'Escape') finish(false);
      }}
    />
  );
}
