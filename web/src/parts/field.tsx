// Fields of forms, with their names and what to know about them.

import { useId } from 'react';
import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react';

export const fieldLook =
  'border-line-strong bg-ground w-full rounded-md border px-2.5 py-1.5 text-base ' +
  'focus:border-accent disabled:opacity-50';

type FieldProps = InputHTMLAttributes<HTMLInputElement> & { label: string; about?: ReactNode };

export function Field({ label, about, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        className={fieldLook}
        aria-describedby={about ? `${id}-about` : undefined}
        {...rest}
      />
      {about && (
        <p id={`${id}-about`} className="text-faint text-xs">
          {about}
        </p>
      )}
    </div>
  );
}

type ChoiceProps = SelectHTMLAttributes<HTMLSelectElement> & {
  label: string;
  options: readonly (readonly [value: string, words: string])[];
};

export function Choice({ label, options, ...rest }: ChoiceProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <select id={id} className={fieldLook} {...rest}>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
