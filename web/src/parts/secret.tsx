// A secret that the hub tells once.

import { Copy } from './key.tsx';

export function Secret({ text, about }: { text: string; about: string }) {
  return (
    <div className="border-warn bg-warn-wash flex flex-col gap-2 rounded-md border p-3">
      <p className="text-sm">{about}</p>
      <div className="flex flex-wrap items-center gap-2">
        <code className="bg-ground border-line min-w-0 grow rounded border px-2 py-1 font-mono text-sm break-all select-all">
          {text}
        </code>
        <Copy text={text} />
      </div>
    </div>
  );
}
