import type { ButtonHTMLAttributes } from 'react';

import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

const looks = {
  plain: 'border border-line-strong bg-raised hover:bg-hover',
  main: 'border border-transparent bg-accent-ground text-white hover:brightness-110',
  quiet: 'border border-transparent text-soft hover:bg-hover hover:text-ink',
  danger: 'border border-bad text-bad bg-raised hover:bg-bad-wash',
};

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: keyof typeof looks;
  icon?: IconName;
};

// Words in it are its name. An icon alone needs `aria-label`, which is shown as a tip too.
export function Button({ look = 'plain', icon, children, className = '', ...rest }: Props) {
  const alone = icon !== undefined && children === undefined;
  return (
    <button
      type="button"
      title={alone ? rest['aria-label'] : undefined}
      className={
        'inline-flex h-8 items-center justify-center gap-1.5 rounded-md text-sm font-medium ' +
        'whitespace-nowrap disabled:opacity-50 ' +
        `${alone ? 'w-8 shrink-0' : 'px-3'} ${looks[look]} ${className}`
      }
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
