// Small drawings of our own, in the colour of the text around them. They say nothing to a screen
// reader: what they stand for is in words beside them, or in the name of their button.

const drawings = {
  inbox: 'M2 9l2-6h8l2 6v4H2V9zm0 0h3.5l1 2h3l1-2H14',
  feed: 'M3 4h10M3 8h10M3 12h6',
  agent:
    'M8 2v2M4 4h8a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z' +
    'M6 7v1.5M10 7v1.5M5 14h6',
  run: 'M4 3l9 5-9 5V3z',
  fleet: 'M2 4h6M6 8h7M4 12h5',
  lease: 'M4 7h8v6H4V7zm2 0V5a2 2 0 0 1 4 0v2',
  events: 'M2 8h3l2-5 3 10 2-5h2',
  settings: 'M3 5h6M12 5h1M3 11h1M7 11h6M10.5 3.5v3M5.5 9.5v3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.5 10.5L14 14',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  menu: 'M2 4h12M2 8h12M2 12h12',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  copy: 'M5 5V3h8v8h-2M3 5h8v8H3V5z',
  attach: 'M13 7.5l-5.5 5a3 3 0 0 1-4-4.5l6-5.5a2 2 0 0 1 2.7 3l-6 5.5a1 1 0 0 1-1.4-1.4L10 4.5',
  reply: 'M6 4L2 8l4 4M2 8h7a5 5 0 0 1 5 5',
  trash: 'M3 4h10M6 4V2.5h4V4M4.5 4l.5 9.5h6l.5-9.5',
  edit: 'M3 13l.5-3L11 2.5 13.5 5 6 12.5 3 13z',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  stop: 'M4 4h8v8H4V4z',
  warning: 'M8 2l6.5 11.5h-13L8 2zm0 4.5V9.5M8 11.5v.01',
  down: 'M3 6l5 5 5-5',
  up: 'M3 10l5-5 5 5',
  right: 'M6 3l5 5-5 5',
  left: 'M10 3L5 8l5 5',
  logout: 'M6 3H3v10h3M7 8h7M11 5l3 3-3 3',
  link:
    'M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.3 4.3L11.3 8.8' +
    'M9 11.5L7.5 13a3 3 0 0 1-4.3-4.3l1.5-1.5',
  keyboard: 'M1.5 4h13v8h-13V4zM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5 9.5h6',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3l2 1.5',
  key: 'M10 9a3.5 3.5 0 1 0-3.2-2L2 11.8V14h2.5v-1.5H6V11l1.6-1.6A3.5 3.5 0 0 0 10 9zM10.7 5.3h.01',
};

export type IconName = keyof typeof drawings;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={drawings[name]} />
    </svg>
  );
}
