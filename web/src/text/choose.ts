import { createContext, useContext } from 'react';

import type { Language } from './text.ts';

export const SetLanguage = createContext<(language: Language) => void>(() => {});

// How the settings change the language of the page.
export function useSetLanguage() {
  return useContext(SetLanguage);
}
