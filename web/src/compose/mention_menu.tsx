// The offers under a text that is being written. The text keeps the focus; the menu only shows.

import { Icon } from '../parts/icon.tsx';
import { Status } from '../parts/status.tsx';
import { composeText } from '../text/compose.ts';
import { useText } from '../text/text.ts';
import type { Offer } from './mention.ts';

interface MenuProps {
  id: string;
  offers: readonly Offer[];
  active: number;
  side: 'above' | 'below';
  onTake: (offer: Offer) => void;
}

export function MentionMenu({ id, offers, active, side, onTake }: MenuProps) {
  const t = useText(composeText);
  return (
    <ul
      id={id}
      role="listbox"
      aria-label={t.mentions}
      className={
        'border-line-strong bg-raised absolute left-2 z-20 max-h-64 w-80 max-w-[calc(100%-1rem)] ' +
        'overflow-y-auto rounded-md border p-1 shadow-[0_8px_24px_var(--shadow)] ' +
        (side === 'above' ? 'bottom-full mb-1' : 'top-full mt-1')
      }
    >
      {offers.map((offer, i) => (
        <li
          key={`${offer.kind} ${offer.name}`}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === active}
          // Before the text loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(offer);
          }}
          className={
            'flex h-8 cursor-pointer items-center gap-2 rounded px-2 text-sm ' +
            `${i === active ? 'bg-hover' : ''}`
          }
        >
          <Row offer={offer} />
        </li>
      ))}
    </ul>
  );
}

function Row({ offer }: { offer: Offer }) {
  const t = useText(composeText);
  if (offer.kind === 'agent') {
    return (
      <>
        <Icon name="agent" />
        <bdi className="min-w-0 grow truncate">{offer.name}</bdi>
        <span className="text-faint text-xs">{offer.type}</span>
      </>
    );
  }
  if (offer.kind === 'session') {
    return (
      <>
        <Icon name="feed" />
        <bdi className="min-w-0 grow truncate">
          {offer.name}
          {offer.is_default && <span className="text-faint text-xs"> {t.default_session}</span>}
        </bdi>
        <Status is={offer.status} />
      </>
    );
  }
  return (
    <>
      <Icon name="plus" />
      <bdi className="min-w-0 grow truncate">{t.create(offer.name)}</bdi>
    </>
  );
}
