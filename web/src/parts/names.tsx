// Agents and sessions by their names, wherever they are meant, and the way to their page.

import { useSessionName, useSubject } from '../log/hooks.ts';
import { shortKey } from '../log/names.ts';
import { useNamedPost } from '../log/snapshots.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';

const look = 'hover:text-accent min-w-0 hover:underline';

export function AgentName({ id }: { id: string }) {
  const agent = useSubject('agent', id);
  return (
    <Link to={paths.agent(id)} className={look}>
      <bdi className="user-text">{agent?.name ?? shortKey(id)}</bdi>
    </Link>
  );
}

export function SessionName({ id, agent_id }: { id: string; agent_id?: string }) {
  const session = useSubject('session', id);
  const name = useSessionName(id, agent_id);
  const agent = session?.agent_id ?? agent_id;
  if (!agent) return <bdi className="user-text">{name}</bdi>;
  return (
    <Link to={`${paths.agent(agent)}#${id}`} className={look}>
      <bdi className="user-text">{name}</bdi>
    </Link>
  );
}

// What a thread is called: its title, or how it begins. Empty until it was read, and if it is gone.
// Who shows very many does not `read` each for it.
export function usePostTitle(id: string, read = true) {
  const named = useNamedPost(read ? id : '');
  const known = useSubject('post', id);
  const post = named ?? known;
  return post?.title || post?.content.slice(0, 60).replaceAll('\n', ' ') || '';
}

export function PostName({ id }: { id: string }) {
  const title = usePostTitle(id);
  return (
    <Link to={paths.post(id)} className={look}>
      <bdi className="user-text">{title || shortKey(`post/${id}`)}</bdi>
    </Link>
  );
}
