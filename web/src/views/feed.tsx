// One feed: its posts, the newest first, and where one more is written.

import { useRef, useState } from 'react';

import type { ViewProps } from '../views.ts';
import { ApiError, call } from '../api/client.ts';
import { Composer } from '../compose/composer.tsx';
import type { ComposerHandle } from '../compose/composer.tsx';
import { useDraft } from '../compose/draft.ts';
import { useShortcuts } from '../keyboard.ts';
import { take } from '../log/fold.ts';
import { store, useSubject } from '../log/hooks.ts';
import { useFeeds, usePosts } from '../log/snapshots.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog, Question } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Key } from '../parts/key.tsx';
import { Page } from '../parts/page.tsx';
import { PostRow } from '../parts/post_row.tsx';
import { useRowKeys } from '../parts/rows.ts';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { feedText } from '../text/feed.ts';
import { partsText } from '../text/parts.ts';
import { useText } from '../text/text.ts';

export default function FeedView({ params }: ViewProps) {
  const id = params.id ?? '';
  const t = useText(feedText);
  const { loading: feedsLoading } = useFeeds();
  const feed = useSubject('feed', id);
  const [pages, setPages] = useState(1);
  const { posts, loading, error, again } = usePosts(id, pages);
  const list = useRef<HTMLUListElement>(null);
  const composer = useRef<ComposerHandle>(null);
  const { text: title, set: setTitle } = useDraft(`title of post ${id}`);
  useRowKeys(list, t);
  useShortcuts([{ keys: 'r', words: t.new_post, act: () => composer.current?.focus() }]);

  if (!feed && feedsLoading) return <Loading />;
  if (!feed) {
    return (
      <Empty alone title={t.no_feed}>
        <p>{t.no_feed_about}</p>
      </Empty>
    );
  }
  const send = async (content: string) => {
    const body = title.trim() ? { title: title.trim(), content } : { content };
    const post = await call('POST /api/feeds/{id}/posts', { path: { id }, body });
    take(store, 'post', post);
    setTitle('');
    if (post.notices?.length || post.targets?.length) navigate(paths.post(post.id));
  };
  const titleField = (
    <input
      aria-label={t.title}
      placeholder={t.title}
      value={title}
      maxLength={300}
      dir="auto"
      onChange={(event) => setTitle(event.target.value)}
      className="border-line w-full border-b bg-transparent px-3 py-2 font-medium outline-none!"
    />
  );
  const shown = posts.toReversed();
  return (
    <Page
      title={feed.name}
      about={<Key of={`feed/${id}`} />}
      actions={<Actions id={id} name={feed.name} />}
    >
      <Composer
        name={`post ${id}`}
        label={t.new_post}
        placeholder={t.write_post}
        send={t.post}
        above={titleField}
        handle={composer}
        onSend={send}
      />
      {error && !(error instanceof ApiError && error.status === 404) && (
        <ErrorBox error={error} again={again} />
      )}
      <ul ref={list} aria-label={t.posts} className="divide-line mt-3 divide-y">
        {shown.map((post) => (
          <PostRow key={post.id} post={post} />
        ))}
      </ul>
      {loading && shown.length === 0 && <Loading />}
      {!loading && shown.length === 0 && (
        <Empty title={t.empty_feed}>
          <p>{t.empty_feed_about}</p>
        </Empty>
      )}
      {shown.length >= pages * 100 && (
        <Button
          className="mx-auto mt-3 flex!"
          disabled={loading}
          onClick={() => setPages(pages + 3)}
        >
          {t.older}
        </Button>
      )}
    </Page>
  );
}

function Actions({ id, name }: { id: string; name: string }) {
  const t = useText(feedText);
  const p = useText(partsText);
  const [asking, setAsking] = useState<'rename' | 'delete' | undefined>();
  const [next, setNext] = useState(name);
  const [error, setError] = useState<unknown>();
  const close = () => setAsking(undefined);
  const beginRename = () => {
    setNext(name);
    setError(undefined);
    setAsking('rename');
  };
  const rename = async () => {
    setError(undefined);
    try {
      take(
        store,
        'feed',
        await call('PATCH /api/feeds/{id}', { path: { id }, body: { name: next.trim() } }),
      );
      close();
    } catch (failure) {
      setError(failure);
    }
  };
  const { feeds } = useFeeds();
  const at = feeds.findIndex((feed) => feed.id === id);
  const move = async (by: 1 | -1) => {
    const ids = feeds.map((feed) => feed.id);
    [ids[at], ids[at + by]] = [ids[at + by]!, ids[at]!];
    const page = await call('PUT /api/feeds/order', { body: { ids } });
    for (const feed of page.data) take(store, 'feed', feed);
  };
  const remove = async () => {
    await call('DELETE /api/feeds/{id}', { path: { id } });
    store.remove('feed', id);
    navigate(paths.inbox);
  };
  return (
    <>
      {at > 0 && <Button look="quiet" icon="up" aria-label={t.up} onClick={() => void move(-1)} />}
      {at < feeds.length - 1 && (
        <Button look="quiet" icon="down" aria-label={t.down} onClick={() => void move(1)} />
      )}
      <Button look="quiet" icon="edit" aria-label={t.rename} onClick={beginRename} />
      <Button look="quiet" icon="trash" aria-label={t.delete} onClick={() => setAsking('delete')} />
      <Dialog open={asking === 'rename'} onClose={close} title={t.rename_feed}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void rename();
          }}
        >
          <Field
            label={t.feed_name}
            value={next}
            maxLength={100}
            required
            onChange={(event) => setNext(event.target.value)}
          />
          {error !== undefined && <ErrorBox error={error} />}
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={close}>{p.cancel}</Button>
            <Button look="main" type="submit" disabled={!next.trim()}>
              {t.rename}
            </Button>
          </div>
        </form>
      </Dialog>
      <Question
        open={asking === 'delete'}
        onClose={close}
        title={t.delete_feed(name)}
        about={t.delete_feed_about}
        yes={t.delete}
        act={remove}
      />
    </>
  );
}
