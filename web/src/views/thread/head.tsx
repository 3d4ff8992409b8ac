// What a thread is called, where it is, and how much there is of it.

import type { Post } from '../../api/shapes.ts';
import { useSubject } from '../../log/hooks.ts';
import { useFeeds } from '../../log/snapshots.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useTitle } from '../../parts/page.tsx';
import { titleOf } from '../../parts/post_row.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { feedText } from '../../text/feed.ts';
import { useText } from '../../text/text.ts';
import { threadText } from '../../text/views/thread.ts';

interface HeadProps {
  post: Post;
  count: number | undefined; // Of comments that are there, while others are still loaded.
  onTop: () => void;
}

export function Head({ post, count, onTop }: HeadProps) {
  const t = useText(threadText);
  const f = useText(feedText);
  useFeeds();
  const feed = useSubject('feed', post.feed_id);
  const title = titleOf(post, f.untitled);
  useTitle(title);
  return (
    <header className="border-line shrink-0 border-b">
      <div className="mx-auto flex min-h-11 max-w-3xl items-center gap-2 px-4 py-1.5 sm:px-6">
        {feed && (
          <Link
            to={paths.feed(feed.id)}
            className="text-soft hover:text-ink flex max-w-1/3 shrink-0 items-center gap-1 text-sm"
          >
            <bdi className="truncate">{feed.name}</bdi>
            <Icon name="right" size={12} />
          </Link>
        )}
        <h1 dir="auto" className="user-text line-clamp-3 min-w-0 grow font-semibold" title={title}>
          <bdi>{title}</bdi>
        </h1>
        {count !== undefined && count > 0 && (
          <span role="status" className="text-faint hidden shrink-0 text-xs sm:inline">
            {t.loading_older(count)}
          </span>
        )}
        {(post.comment_count ?? 0) > 0 && (
          <span className="text-faint hidden shrink-0 text-xs tabular-nums sm:inline">
            {f.comments(post.comment_count ?? 0)}
          </span>
        )}
        <Button look="quiet" icon="up" aria-label={t.to_top} onClick={onTop} />
      </div>
    </header>
  );
}
