// The head that every view has: what it is, its key, what can be done. And the width of its
// content.

import { useEffect } from 'react';
import type { ReactNode } from 'react';

interface PageProps {
  title: string;
  // Shown instead of the title, if that is more than text.
  heading?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

export function Page({ title, heading, about, actions, wide, children }: PageProps) {
  useTitle(title);
  const width = wide ? 'max-w-6xl' : 'max-w-3xl';
  return (
    <div className={`mx-auto w-full px-4 pb-16 sm:px-6 ${width}`}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 pt-5 pb-3">
        <div className="min-w-0 grow">
          <h1 className="user-text text-xl font-semibold" dir="auto">
            {heading ?? title}
          </h1>
          {about && (
            <div className="text-soft flex flex-wrap items-center gap-x-2 text-sm">{about}</div>
          )}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Tyer`;
  }, [title]);
}
