// A post in a list: what it is called, who wrote it, what goes on in it.

import { memo } from 'react';

import type { Post } from '../api/shapes.ts';
import { useSubject } from '../log/hooks.ts';
import { straight } from '../markdown/straight.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { feedText } from '../text/feed.ts';
import { useNoticeWords } from '../text/notices.ts';
import { useText } from '../text/text.ts';
import { Icon } from './icon.tsx';
import { Status } from './status.tsx';
import { Time } from './time.tsx';

const excerpt_chars = 300;

// The first words, without the marks of Markdown.
export function excerptOf(content: string) {
  const plain = content
    .slice(0, 4 * excerpt_chars)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_#>~|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return straight(plain.slice(0, excerpt_chars));
}

export function titleOf(post: Post, untitled: string) {
  return straight(post.title ?? '') || excerptOf(post.content).slice(0, 120) || untitled;
}

export const PostRow = memo(function PostRow({ post, feed }: { post: Post; feed?: boolean }) {
  const t = useText(feedText);
  const thread = useSubject('thread', post.id);
  const place = useSubject('feed', feed ? post.feed_id : '');
  const words = useNoticeWords();
  const busy = (thread?.typists.length ?? 0) > 0;
  return (
    <li>
      <Link
        to={paths.post(post.id)}
        data-row
        className={
          'hover:bg-hover flex gap-2 rounded-md px-2 py-2 ' +
          '[contain-intrinsic-size:auto_60px] [content-visibility:auto]'
        }
      >
        <span className="mt-2 w-2 shrink-0" title={post.unread ? t.unread : undefined}>
          {post.unread && <span className="bg-accent block size-2 rounded-full" />}
        </span>
        <span className="min-w-0 grow">
          <span className="flex items-baseline gap-2">
            <bdi
              dir="auto"
              className={`min-w-0 grow truncate ${post.unread ? 'font-semibold' : 'font-medium'}`}
            >
              {titleOf(post, t.untitled)}
            </bdi>
            {post.unread && <span className="sr-only">{t.unread}</span>}
            <span className="text-faint shrink-0 text-xs">
              <Time at={post.last_at ?? post.created_at} />
            </span>
          </span>
          <span className="text-soft flex items-center gap-2 text-sm">
            <bdi className="max-w-[40%] shrink-0 truncate">{post.author_name}</bdi>
            <bdi dir="auto" className="text-faint min-w-0 grow truncate">
              {place ? place.name : post.title ? excerptOf(post.content) : ''}
            </bdi>
            {post.trouble && !busy && (
              <span title={words(post.trouble)}>
                <Status is="trouble" />
              </span>
            )}
            {busy && (
              <span className="text-busy animate-pulse">
                <Icon name="agent" size={14} />
              </span>
            )}
            {(post.comment_count ?? 0) > 0 && (
              <span className="shrink-0 text-xs tabular-nums">
                {t.comments(post.comment_count ?? 0)}
              </span>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
});

export function newestFirst(a: Post, b: Post) {
  const left = a.last_at ?? a.created_at;
  const right = b.last_at ?? b.created_at;
  return left < right ? 1 : left > right ? -1 : a.id < b.id ? 1 : -1;
}
