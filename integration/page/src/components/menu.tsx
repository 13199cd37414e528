// A button that opens a small panel below it; Escape or a click elsewhere closes.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Properties {
  label: ComponentChildren;
  name: string;
  children: ComponentChildren;
  align?: 'left' | 'right';
  class?: string;
  /** Closes when something inside is chosen. */
  closeOnClick?: boolean;
}

export function Menu(properties: Properties): JSX.Element {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [open]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      class={`menu ${properties.class ?? ''}`}
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        aria-haspopup="true"
        aria-expanded={open}
        aria-label={properties.name}
        onClick={() => setOpen(!open)}
      >
        {properties.label}
      </button>
      {open && (
        <div
          class={`menu-panel ${properties.align ?? 'left'}`}
          role="group"
          aria-label={properties.name}
          onClick={() => properties.closeOnClick && close()}
        >
          {properties.children}
        </div>
      )}
    </div>
  );
}
