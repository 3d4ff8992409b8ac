// Who wrote it. An agent leads to its page, and says in which session.

import { useSubject } from '../log/hooks.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { Icon } from './icon.tsx';

interface AuthorProps {
  name: string;
  type: string;
  id: string;
  session?: string | undefined;
}

export function Author({ name, type, id, session }: AuthorProps) {
  const known = useSubject('session', session ?? '');
  if (type !== 'bot') return <bdi className="user-text font-medium">{name}</bdi>;
  return (
    <Link
      to={paths.agent(id)}
      className="inline-flex min-w-0 items-center gap-1 font-medium hover:underline"
    >
      <span className="text-accent">
        <Icon name="agent" size={14} />
      </span>
      <span className="user-text">
        <bdi>{name}</bdi>
        {known && !known.is_default && <bdi className="text-faint font-normal">/{known.name}</bdi>}
      </span>
    </Link>
  );
}
