// What is yours to choose, and who you are here.

import { useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';

import { logOut, useAccount } from '../account.ts';
import type { ViewProps } from '../views.ts';
import { Button } from '../parts/button.tsx';
import { Key } from '../parts/key.tsx';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/rows.tsx';
import { useSetLanguage } from '../text/choose.ts';
import { useLanguage, useText } from '../text/text.ts';
import { settingsText } from '../text/views/settings.ts';

// Each in its own words: who looks for theirs cannot read the others.
const languages = [
  ['en', 'English'],
  ['ko', '한국어'],
] as const;

const dark = window.matchMedia('(prefers-color-scheme: dark)');

function useIsDark() {
  return useSyncExternalStore(
    (listener) => {
      dark.addEventListener('change', listener);
      return () => dark.removeEventListener('change', listener);
    },
    () => dark.matches,
  );
}

function Choices() {
  const t = useText(settingsText);
  const language = useLanguage();
  const setLanguage = useSetLanguage();
  return (
    <div role="radiogroup" aria-label={t.language} className="flex flex-wrap gap-2">
      {languages.map(([value, words]) => (
        <label
          key={value}
          lang={value}
          className="border-line-strong has-checked:border-accent has-checked:bg-accent-wash has-focus-visible:outline-accent flex cursor-pointer items-center gap-2 rounded-md border px-3 py-1.5 has-focus-visible:outline-2"
        >
          <input
            type="radio"
            name="language"
            className="accent-accent-ground"
            checked={language === value}
            onChange={() => setLanguage(value)}
          />
          {words}
        </label>
      ))}
    </div>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-3 py-1">
      <dt className="text-soft w-32 shrink-0 text-sm">{label}</dt>
      <dd className="user-text flex min-w-0 flex-wrap items-center gap-2">{children}</dd>
    </div>
  );
}

export default function Settings(_: ViewProps) {
  const t = useText(settingsText);
  const account = useAccount();
  const isDark = useIsDark();
  const me = account.is === 'in' ? account.me : undefined;
  const isLoggedIn = me?.logged_in === true;
  return (
    <Page title={t.title}>
      <Section title={t.language}>
        <Choices />
        <p className="text-faint pt-1 text-xs">{t.language_about}</p>
      </Section>
      <Section title={t.look}>
        <p className="text-soft text-sm">
          {t.look_about} {isDark ? t.look_dark : t.look_light}
        </p>
      </Section>
      <Section title={t.account}>
        {me && (
          <dl>
            <Row label={t.you_are}>
              <bdi className="font-medium">{me.name}</bdi>
              <Key of={`${me.type}/${me.id}`} />
            </Row>
          </dl>
        )}
        <p className="text-soft pb-2 text-sm">{isLoggedIn ? t.password : t.open_hub}</p>
        {isLoggedIn && (
          <div className="flex flex-wrap items-center gap-3">
            <Button icon="logout" onClick={() => void logOut()}>
              {t.log_out}
            </Button>
            <span className="text-faint text-xs">{t.log_out_about}</span>
          </div>
        )}
      </Section>
      <Section title={t.hub}>
        <dl>
          <Row label={t.address}>{location.origin}</Row>
          <Row label={t.skill}>
            <a href="/skill.md" className="text-accent underline">
              /skill.md
            </a>
          </Row>
          <Row label={t.api}>
            <a href="/api/openapi.json" className="text-accent underline">
              /api/openapi.json
            </a>
          </Row>
        </dl>
      </Section>
      <Section title={t.keys}>
        <p className="text-soft text-sm">{t.keys_about}</p>
      </Section>
    </Page>
  );
}
