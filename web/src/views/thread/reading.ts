// What a reader of a thread has seen, and where reading begins.

import { useEffect, useMemo, useRef } from 'react';

import { call } from '../../api/client.ts';
import type { Comment, Post } from '../../api/shapes.ts';
import { useSubject } from '../../log/hooks.ts';
import type { ThreadNotice } from '../../log/subjects.ts';

const long_thread = 20;

// What is on the screen has been read, if somebody looks at it.
export function useRead(post: Post | undefined) {
  const id = post?.id;
  const isUnread = post?.unread === true;
  useEffect(() => {
    if (!id || !isUnread) return;
    const read = () => {
      if (document.visibilityState !== 'visible') return;
      call('POST /api/posts/{id}/read', { path: { id } }).catch(() => {});
    };
    const timer = setTimeout(read, 600);
    document.addEventListener('visibilitychange', read);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', read);
    };
  }, [id, isUnread]);
}

interface Beginning {
  post: Post;
  wanted: string;
  indexes: ReadonlyMap<string, number>;
  isLoading: boolean;
}

// At the comment that the address names, once it is there; or at the end of what is long.
export function useBeginning(
  { post, wanted, indexes, isLoading }: Beginning,
  toEnd: () => void,
  toKey: (key: string) => void,
) {
  const begun = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (indexes.size < 2 || begun.current === wanted) return;
    if (wanted && !indexes.has(wanted) && isLoading) return;
    if (wanted && indexes.has(wanted)) toKey(wanted);
    else if (begun.current === undefined && (post.comment_count ?? 0) > long_thread) toEnd();
    begun.current = wanted;
  });
}

// What the hub remarked about a text stands under it.
export function useNotices(post_id: string) {
  const thread = useSubject('thread', post_id);
  return useMemo(() => {
    const by = new Map<string, ThreadNotice[]>();
    for (const notice of thread?.notices ?? []) {
      const of = notice.source_id ?? post_id;
      by.set(of, [...(by.get(of) ?? []), notice]);
    }
    return by;
  }, [thread?.notices, post_id]);
}

// How many comments came at the end while one was reading further up.
export function useMissed(comments: readonly Comment[], isAtEnd: boolean) {
  const last = comments.at(-1)?.id ?? '';
  const seen = useRef(last);
  if (isAtEnd || seen.current === '') seen.current = last;
  const at = comments.findLastIndex((comment) => comment.id <= seen.current);
  return comments.length - 1 - at;
}
