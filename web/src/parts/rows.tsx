// Lists of things with the same members. A row is a line where there is room, and wraps where
// there is not.

import { useId } from 'react';
import type { ReactNode } from 'react';

import { useInView } from './rows.ts';

export function Section(props: { title: string; actions?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className="pt-6" aria-labelledby={id}>
      <div className="flex flex-wrap items-center gap-2 pb-2">
        <h2 id={id} className="grow text-base font-semibold">
          {props.title}
        </h2>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}

export function Rows({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul
      aria-label={label}
      className="border-line divide-line divide-y overflow-hidden rounded-md border"
    >
      {children}
    </ul>
  );
}

interface RowProps {
  children: ReactNode;
  id?: string;
  // The one that was meant by the address, or by the keyboard.
  marked?: boolean;
}

export function Row({ children, id, marked = false }: RowProps) {
  const row = useInView<HTMLLIElement>(marked);
  return (
    <li
      ref={row}
      id={id}
      data-marked={marked || undefined}
      className={
        'flex scroll-my-2 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 ' +
        (marked ? 'bg-accent-wash' : 'hover:bg-hover')
      }
    >
      {children}
    </li>
  );
}

// Small facts behind each other: "vm · process 4711 · 3 min".
export function Facts({ children }: { children: ReactNode }) {
  return (
    <div className="text-soft flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-sm">
      {children}
    </div>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-baseline gap-1">
      <span className="text-faint shrink-0 text-xs">{label}</span>
      <span className="user-text min-w-0">{children}</span>
    </span>
  );
}
