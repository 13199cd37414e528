// A modal dialog: the browser's own, so that focus stays inside and Escape closes.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CrossIcon } from './icons';

interface Properties {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}

export function DialogBox({ title, onClose, wide, children }: Properties): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const box = element.current!;
    box.showModal();
    return () => box.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : ''}
      aria-labelledby="dialog-title"
      onCancel={onClose}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
            <CrossIcon />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
