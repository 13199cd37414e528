// Line icons, 16 px, in the colour of the text around them. All are decoration:
// the button that holds one has a name in words.
import type { ComponentChildren, VNode } from 'preact';

function icon(children: ComponentChildren): () => VNode {
  return () => (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      {children}
    </svg>
  );
}

export const CameraIcon = icon(
  <>
    <path d="M1.5 5.5a1 1 0 0 1 1-1h2l1.2-2h4.6l1.2 2h2a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z" />
    <circle cx="8" cy="8.7" r="2.6" />
  </>,
);

export const ImportIcon = icon(
  <>
    <path d="M4.5 6.5h-2v8h11v-8h-2" />
    <path d="M8 10.5v-9M5 4.5l3-3 3 3" />
  </>,
);

export const CompareIcon = icon(
  <>
    <circle cx="5.8" cy="8" r="4.3" />
    <circle cx="10.2" cy="8" r="4.3" />
    <path class="filled" d="M8 4.3a4.3 4.3 0 0 1 0 7.4a4.3 4.3 0 0 1 0-7.4z" />
  </>,
);

export const CrossIcon = icon(<path d="M3.5 3.5l9 9M12.5 3.5l-9 9" />);
export const SwapIcon = icon(<path d="M2 5.5h11M10 2.5l3 3-3 3M14 10.5H3M6 7.5l-3 3 3 3" />);
export const SaveIcon = icon(<path d="M8 1.5v9M5 7.5l3 3 3-3M2.5 10.5v4h11v-4" />);
export const MoonIcon = icon(<path d="M13.5 9.5A6 6 0 1 1 6.5 2.5a5 5 0 0 0 7 7z" />);
export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 .8v2M8 13.2v2M.8 8h2M13.2 8h2M2.9 2.9l1.4 1.4M11.7 11.7l1.4 1.4M13.1 2.9l-1.4 1.4M4.3 11.7l-1.4 1.4" />
  </>,
);
export const TwistyIcon = icon(<path d="M6 4l4 4-4 4" />);
