// A post and its comments, live. Only what is seen is drawn: 5,000 comments are as quick as five.

import { useVirtualizer } from '@tanstack/react-virtual';
import type { Virtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';

import { useAccount } from '../account.ts';
import type { ViewProps } from '../views.ts';
import { call } from '../api/client.ts';
import type { Comment, Post } from '../api/shapes.ts';
import { Composer } from '../compose/composer.tsx';
import type { ComposerHandle } from '../compose/composer.tsx';
import { useShortcuts } from '../keyboard.ts';
import { take } from '../log/fold.ts';
import { store } from '../log/hooks.ts';
import { useComments, usePost, useThreadStory } from '../log/snapshots.ts';
import type { ThreadNotice } from '../log/subjects.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { useText } from '../text/text.ts';
import { threadText } from '../text/views/thread.ts';
import { Entry } from './thread/entry.tsx';
import { Head } from './thread/head.tsx';
import { useKeptPlace } from './thread/keep_place.ts';
import { useBeginning, useMissed, useNotices, useRead } from './thread/reading.ts';
import { Working } from './thread/working.tsx';

const guessed_px = 110;
const no_notices: readonly ThreadNotice[] = [];

export default function ThreadView({ params, hash }: ViewProps) {
  const id = params.id ?? '';
  const t = useText(threadText);
  const { post, loading, error, again } = usePost(id);
  const { comments, loading: commentsLoading, error: commentsError } = useComments(id);
  useThreadStory(id);
  useRead(post);
  if (!post && error) {
    return (
      <Empty alone title={t.no_post}>
        <p>{t.no_post_about}</p>
        <ErrorBox error={error} again={again} />
      </Empty>
    );
  }
  if (!post) {
    return loading ? (
      <Loading />
    ) : (
      <Empty alone title={t.no_post}>
        <p>{t.no_post_about}</p>
      </Empty>
    );
  }
  return (
    <Thread
      post={post}
      comments={comments}
      isLoading={commentsLoading}
      error={commentsError}
      wanted={hash}
    />
  );
}

interface ThreadProps {
  post: Post;
  comments: readonly Comment[];
  isLoading: boolean;
  error: Error | undefined;
  wanted: string;
}

function Thread({ post, comments, isLoading, error, wanted }: ThreadProps) {
  const t = useText(threadText);
  const box = useRef<HTMLDivElement>(null);
  const composer = useRef<ComposerHandle>(null);
  const [current, setCurrent] = useState('');
  const keys = useMemo(
    () => [post.id, ...comments.map((comment) => comment.id)],
    [post.id, comments],
  );
  const indexes = useMemo(() => new Map(keys.map((key, i) => [key, i])), [keys]);
  const list = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: keys.length,
    getScrollElement: () => box.current,
    estimateSize: () => guessed_px,
    getItemKey: (i) => keys[i] ?? i,
    overscan: 6,
  });
  const { isAtEnd, toEnd, toKey } = useKeptPlace(list, box, indexes);

  useBeginning({ post, wanted, indexes, isLoading }, toEnd, (key) => {
    toKey(key);
    setCurrent(key);
  });
  const missed = useMissed(comments, isAtEnd);
  const go = (by: 1 | -1) => {
    const at = indexes.get(current);
    const beside = at === undefined ? (by > 0 ? 1 : 0) : at + by;
    const next = Math.max(0, Math.min(keys.length - 1, beside));
    setCurrent(keys[next] ?? '');
    list.scrollToIndex(next, { align: 'auto' });
  };
  useShortcuts([
    { keys: 'j', words: t.next, act: () => go(1) },
    { keys: 'k', words: t.previous, act: () => go(-1) },
    { keys: 'r', words: t.reply, act: () => composer.current?.focus() },
  ]);
  const send = async (content: string) => {
    const made = await call('POST /api/posts/{id}/comments', {
      path: { id: post.id },
      body: { content },
    });
    take(store, 'comment', made);
    toEnd();
  };

  return (
    <div className="flex h-full flex-col">
      <Head
        post={post}
        onTop={() => list.scrollToIndex(0)}
        count={isLoading ? comments.length : undefined}
      />
      {error && <ErrorBox error={error} />}
      <div
        ref={box}
        className="relative min-h-0 grow overflow-y-auto [overflow-anchor:none]"
        tabIndex={-1}
      >
        <Rows post={post} comments={comments} list={list} current={current} />
      </div>
      <div className="relative mx-auto w-full max-w-3xl shrink-0">
        {!isAtEnd && (
          <Button
            className="absolute! right-4 bottom-full mb-2 shadow-md sm:right-6"
            icon="down"
            onClick={toEnd}
          >
            {missed > 0 ? t.newer(missed) : t.to_end}
          </Button>
        )}
        <Working post_id={post.id} />
        <div className="px-3 pt-1 pb-3 sm:px-6">
          <Composer
            name={`comment ${post.id}`}
            label={t.reply}
            placeholder={t.write}
            send={t.send}
            menu="above"
            rows={1}
            handle={composer}
            onSend={send}
          />
        </div>
      </div>
    </div>
  );
}

interface RowsProps {
  post: Post;
  comments: readonly Comment[];
  list: Virtualizer<HTMLDivElement, HTMLElement>;
  current: string;
}

function Rows({ post, comments, list, current }: RowsProps) {
  const account = useAccount();
  const me = account.is === 'in' ? account.me.id : '';
  const notices = useNotices(post.id);
  return (
    <div className="relative mx-auto w-full max-w-3xl" style={{ height: list.getTotalSize() }}>
      {list.getVirtualItems().map((row) => {
        const comment = row.index > 0 ? comments[row.index - 1] : undefined;
        const entry = comment ?? post;
        return (
          <div
            key={row.key}
            data-index={row.index}
            ref={list.measureElement}
            className="border-line absolute top-0 left-0 w-full border-b"
            style={{ transform: `translateY(${row.start}px)` }}
          >
            <Entry
              kind={comment ? 'comment' : 'post'}
              entry={entry}
              notices={notices.get(entry.id) ?? no_notices}
              me={me}
              isCurrent={current === entry.id}
            />
          </div>
        );
      })}
    </div>
  );
}
