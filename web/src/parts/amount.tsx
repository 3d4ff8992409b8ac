// What runs used: tokens and money, as far as the agents' programs tell.

import { useLanguage } from '../text/text.ts';

export function useNumber() {
  const language = useLanguage();
  return (n: number) =>
    n < 10_000
      ? n.toLocaleString(language)
      : n.toLocaleString(language, { notation: 'compact', maximumFractionDigits: 1 });
}

// Millionths of a US dollar. A small amount is not nothing.
export function moneyWords(micros: number) {
  const dollars = micros / 1_000_000;
  if (dollars > 0 && dollars < 0.01) return '< $0.01';
  return `$${dollars.toFixed(2)}`;
}

export function Money({ micros }: { micros: number }) {
  return <span className="tabular-nums">{moneyWords(micros)}</span>;
}

// Bytes as people say them: 2.9 MB.
export function useSize() {
  const language = useLanguage();
  return (bytes: number) => {
    const isMany = bytes >= 1_000_000;
    const [by, unit] = isMany ? [1_000_000, 'MB'] : bytes >= 1_000 ? [1_000, 'KB'] : [1, 'B'];
    const words = (bytes / by).toLocaleString(language, { maximumFractionDigits: isMany ? 1 : 0 });
    return `${words} ${unit}`;
  };
}
