// The first visit, and the login.

import { useState } from 'react';
import type { FormEvent } from 'react';

import { ask, logIn } from '../account.ts';
import type { Account } from '../account.ts';
import { ApiError, call } from '../api/client.ts';
import { ErrorBox } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { useTitle } from '../parts/page.tsx';
import { useSetLanguage } from '../text/choose.ts';
import { useLanguage, useText } from '../text/text.ts';
import { welcomeText } from '../text/views/welcome.ts';

type Props = { account: Extract<Account, { is: 'new' | 'out' }> };

export default function Welcome({ account }: Props) {
  const t = useText(welcomeText);
  const isNew = account.is === 'new';
  useTitle(isNew ? t.first : t.log_in);
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [code, setCode] = useState('');
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setError] = useState<unknown>();
  const isBadLink = account.is === 'out' && account.bad_link;
  const error = failure ?? (isBadLink ? new Error(t.bad_link) : undefined);

  const go = async (event: FormEvent) => {
    event.preventDefault();
    if (isNew && password !== again) {
      setError(new Error(t.differ));
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      const body = isNew && account.needs_code ? { password, code: code.trim() } : { password };
      await logIn(call(isNew ? 'POST /api/setup' : 'POST /api/auth/login', { body }));
    } catch (caught) {
      const isRefused = caught instanceof ApiError && caught.status === 401;
      setError(isRefused ? new Error(t.wrong) : caught);
      // Somebody else was first: then this is a login.
      if (caught instanceof ApiError && caught.status === 409) void ask();
    } finally {
      setBusy(false);
    }
  };

  const type = shown ? 'text' : 'password';
  return (
    <main className="bg-sunken flex min-h-dvh flex-col items-center px-4 pt-[12vh]">
      <form
        onSubmit={(event) => void go(event)}
        className="border-line bg-raised flex w-full max-w-sm flex-col gap-4 rounded-lg border p-5"
      >
        <header>
          <h1 className="text-xl font-semibold">{isNew ? t.first : t.log_in}</h1>
          <p className="text-soft mt-1 text-sm">{isNew ? t.first_about : t.log_in_about}</p>
        </header>
        <Field
          label={t.password}
          about={isNew ? t.password_about : undefined}
          type={type}
          value={password}
          minLength={isNew ? 8 : 1}
          maxLength={200}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
          autoFocus
          onChange={(event) => setPassword(event.target.value)}
        />
        {isNew && (
          <Field
            label={t.again}
            type={type}
            value={again}
            autoComplete="new-password"
            required
            onChange={(event) => setAgain(event.target.value)}
          />
        )}
        {isNew && account.needs_code && (
          <Field
            label={t.code}
            about={t.code_about}
            value={code}
            autoComplete="one-time-code"
            required
            onChange={(event) => setCode(event.target.value)}
          />
        )}
        <label className="text-soft flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={shown}
            onChange={(event) => setShown(event.target.checked)}
          />
          {t.show}
        </label>
        {error !== undefined && <ErrorBox error={error} />}
        <Button look="main" type="submit" disabled={busy || !password}>
          {isNew ? t.set_up : t.go}
        </Button>
        {!isNew && <p className="text-faint text-xs">{t.forgotten}</p>}
      </form>
      <Languages />
    </main>
  );
}

function Languages() {
  const language = useLanguage();
  const choose = useSetLanguage();
  const offer = (one: 'en' | 'ko', name: string) => (
    <Button
      look={one === language ? 'plain' : 'quiet'}
      lang={one}
      aria-pressed={one === language}
      onClick={() => choose(one)}
    >
      {name}
    </Button>
  );
  return (
    <p className="mt-4 flex gap-1">
      {offer('en', 'English')}
      {offer('ko', '한국어')}
    </p>
  );
}
