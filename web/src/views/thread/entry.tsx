// A post or a comment as it stands in its thread, with what its author may do.

import { memo, useState } from 'react';

import { call } from '../../api/client.ts';
import type { Comment, Post } from '../../api/shapes.ts';
import { Composer } from '../../compose/composer.tsx';
import { take } from '../../log/fold.ts';
import { store, useSubject } from '../../log/hooks.ts';
import type { ThreadNotice } from '../../log/subjects.ts';
import { Author } from '../../parts/author.tsx';
import { useErrorWords } from '../../parts/boxes.tsx';
import { Button } from '../../parts/button.tsx';
import { Question } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Key } from '../../parts/key.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate } from '../../router.tsx';
import { useNoticeWords } from '../../text/notices.ts';
import { partsText } from '../../text/parts.ts';
import { useText } from '../../text/text.ts';
import { threadText } from '../../text/views/thread.ts';

interface EntryProps {
  kind: 'post' | 'comment';
  entry: Post | Comment;
  notices: readonly ThreadNotice[];
  me: string;
  isCurrent: boolean;
}

export const Entry = memo(function Entry({ kind, entry, notices, me, isCurrent }: EntryProps) {
  const t = useText(threadText);
  const p = useText(partsText);
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const isMine = entry.created_by === me;
  const post_id = kind === 'comment' ? (entry as Comment).post_id : entry.id;
  const address = paths.post(post_id, kind === 'comment' ? entry.id : undefined);

  const save = async (content: string) => {
    const path = { id: entry.id };
    if (kind === 'post') {
      take(store, 'post', await call('PATCH /api/posts/{id}', { path, body: { content } }));
    } else {
      take(store, 'comment', await call('PATCH /api/comments/{id}', { path, body: { content } }));
    }
    setEditing(false);
  };
  const remove = async () => {
    const path = { id: entry.id };
    if (kind === 'post') {
      await call('DELETE /api/posts/{id}', { path });
      navigate(paths.feed(entry.feed_id));
    } else {
      await call('DELETE /api/comments/{id}', { path });
    }
    store.remove(kind, entry.id);
  };

  return (
    <article
      aria-label={(kind === 'post' ? t.post_of : t.comment_of)(entry.author_name)}
      className={`group px-4 py-3 sm:px-6 ${isCurrent ? 'bg-accent-wash' : ''}`}
    >
      <header className="mb-1 flex min-h-6 items-start gap-x-2 text-sm">
        <div className="flex min-w-0 grow flex-wrap items-center gap-x-2">
          <Author
            name={entry.author_name}
            type={entry.author_type}
            id={entry.created_by}
            session={entry.session_id}
          />
          <Link to={address} className="text-faint text-xs hover:underline">
            <Time at={entry.created_at} />
          </Link>
          {entry.updated_at && <span className="text-faint text-xs">{t.edited}</span>}
          <Key of={`${kind}/${entry.id}`} />
        </div>
        {isMine && !editing && (
          <span
            className={
              'flex shrink-0 opacity-0 group-focus-within:opacity-100 ' +
              'group-hover:opacity-100 [@media(hover:none)]:opacity-100'
            }
          >
            <Button
              look="quiet"
              icon="edit"
              className="h-6! w-6!"
              aria-label={t.edit}
              onClick={() => setEditing(true)}
            />
            <Button
              look="quiet"
              icon="trash"
              className="h-6! w-6!"
              aria-label={t.delete}
              onClick={() => setAsking(true)}
            />
          </span>
        )}
      </header>
      {editing ? (
        <Composer
          name={`edit ${entry.id}`}
          first={entry.content}
          label={t.edit}
          placeholder={t.write}
          send={t.save}
          onSend={save}
          onCancel={{ words: p.cancel, act: () => setEditing(false) }}
        />
      ) : (
        <Markdown text={entry.content} />
      )}
      <Targets entry={entry} />
      <Notices entry={entry} notices={notices} />
      {asking && (
        <Question
          open
          onClose={() => setAsking(false)}
          title={kind === 'post' ? t.delete_post : t.delete_comment}
          about={kind === 'post' ? t.delete_post_about : t.delete_comment_about}
          yes={t.delete}
          act={remove}
        />
      )}
    </article>
  );
});

// Whom the hub has woken with it.
function Targets({ entry }: { entry: Post | Comment }) {
  const t = useText(threadText);
  if (!entry.targets?.length) return null;
  return (
    <p className="text-faint mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs">
      {t.woken}
      {entry.targets.map((target) => (
        <Target key={target.session_id} agent_id={target.agent_id} session_id={target.session_id} />
      ))}
    </p>
  );
}

function Target({ agent_id, session_id }: { agent_id: string; session_id: string }) {
  const agent = useSubject('agent', agent_id);
  const session = useSubject('session', session_id);
  if (!agent) return <Key of={`session/${session_id}`} />;
  return (
    <Link to={paths.agent(agent_id)} className="hover:text-accent hover:underline">
      <bdi>
        @{agent.name}
        {session && !session.is_default ? `/${session.name}` : ''}
      </bdi>
    </Link>
  );
}

// What was said when it was written, and since. The same words may come both ways.
function Notices({ entry, notices }: { entry: Post | Comment; notices: readonly ThreadNotice[] }) {
  const t = useText(threadText);
  const said = new Map<string, ThreadNotice | undefined>();
  for (const text of entry.notices ?? []) said.set(text, undefined);
  for (const notice of notices) said.set(notice.text, notice);
  if (said.size === 0 && entry.target_session) said.set(t.handled_by_default, undefined);
  return [...said].map(([text, notice]) => <Notice key={text} text={text} notice={notice} />);
}

function Notice({ text, notice }: { text: string; notice: ThreadNotice | undefined }) {
  const words = useNoticeWords();
  return (
    <div
      role="note"
      className={
        'bg-warn-wash text-warn mt-2 flex items-start gap-2 rounded-md ' +
        'px-2.5 py-1.5 text-sm'
      }
    >
      <span className="mt-0.5">
        <Icon name="warning" />
      </span>
      <span className="user-text min-w-0 grow">{words(text)}</span>
      {text.startsWith('skipped:') && notice?.session_id && notice.source_id && (
        <Retry session={notice.session_id} item={notice.source_id} />
      )}
    </div>
  );
}

// What was given up after three attempts is tried once more.
function Retry({ session, item }: { session: string; item: string }) {
  const p = useText(partsText);
  const words = useErrorWords();
  const [state, setState] = useState<'ready' | 'busy' | 'done' | Error>('ready');
  const go = async () => {
    setState('busy');
    try {
      await call('POST /api/sessions/{id}/items/{item}/retry', { path: { id: session, item } });
      setState('done');
    } catch (failure) {
      setState(failure as Error);
    }
  };
  if (state === 'done') return <Icon name="check" />;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {state instanceof Error && <span className="user-text">{words(state)}</span>}
      <Button className="h-6!" disabled={state === 'busy'} onClick={() => void go()}>
        {p.try_again}
      </Button>
    </span>
  );
}
