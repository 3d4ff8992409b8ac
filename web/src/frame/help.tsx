import { useAllShortcuts } from '../keyboard.ts';
import { Dialog } from '../parts/dialog.tsx';
import { frameText } from '../text/frame.ts';
import { useText } from '../text/text.ts';

function shown(keys: string) {
  return keys.replace('mod+', 'Ctrl ').replace(/[a-z]$/, (key) => key.toUpperCase());
}

export default function Help({ onClose }: { onClose: () => void }) {
  const t = useText(frameText);
  const shortcuts = useAllShortcuts();
  return (
    <Dialog open onClose={onClose} title={t.keys}>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2 text-sm">
        {shortcuts.map((one) => (
          <div key={one.keys + one.words} className="contents">
            <dt>
              <kbd
                className={
                  'border-line-strong bg-sunken rounded border px-1.5 py-0.5 ' +
                  'font-mono text-xs'
                }
              >
                {shown(one.keys)}
              </kbd>
            </dt>
            <dd>{one.words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
