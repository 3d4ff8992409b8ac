// Texts in two languages, beside each other: `texts(en, ko)` does not compile if one lacks what the
// other has. Each view and part has a file of its own, which is loaded with it.

import { createContext, useContext } from 'react';

export type Language = 'en' | 'ko';

type Leaf = string | readonly string[] | ((...args: never[]) => string);
interface Tree {
  readonly [name: string]: Leaf | Tree;
}

// The same names with the same kinds of values; what they say is another matter.
export type Same<T> = {
  [N in keyof T]: T[N] extends string
    ? string
    : T[N] extends (...args: infer A) => string
      ? (...args: A) => string
      : T[N] extends readonly string[]
        ? readonly string[]
        : Same<T[N]>;
};

export interface Texts<T> {
  en: Same<T>;
  ko: Same<T>;
}

export function texts<const T extends Tree>(en: T, ko: Same<T>): Texts<T> {
  return { en: en as unknown as Same<T>, ko };
}

export const LanguageContext = createContext<Language>('en');

export function useLanguage() {
  return useContext(LanguageContext);
}

export function useText<T>(all: Texts<T>): Same<T> {
  return all[useContext(LanguageContext)];
}

const remembered_as = 'tyer.language';

export function firstLanguage(): Language {
  const chosen = localStorage.getItem(remembered_as);
  if (chosen === 'en' || chosen === 'ko') return chosen;
  return navigator.language.toLowerCase().startsWith('ko') ? 'ko' : 'en';
}

export function rememberLanguage(language: Language) {
  localStorage.setItem(remembered_as, language);
}
