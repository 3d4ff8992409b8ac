// Tokens as React elements. No HTML is ever made from a text: what is HTML in it is shown as text.

import type { Token, Tokens } from 'marked';
import { Fragment } from 'react';
import type { ReactNode } from 'react';

import { FileLink, Picture } from '../parts/file.tsx';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { safeImage, safeLink } from './link.ts';
import { splitMentions } from './mention.ts';
import { decoded, depth_max } from './parse.ts';

export interface World {
  names: readonly string[]; // Of agents, lower case, the longest first.
  idOf: (name: string) => string | undefined;
  tooDeep: string;
  image: string;
  done: string;
  todo: string;
}

const headings = ['text-xl', 'text-lg', 'text-base', 'text-base', 'text-sm', 'text-sm'];

export function renderAll(tokens: readonly Token[], world: World, depth = 0): ReactNode[] {
  return tokens.map((token, i) => <Fragment key={i}>{render(token, world, depth)}</Fragment>);
}

const word_max = 400;
const endless = new RegExp(`\\S{${word_max}}`);
const piece_max = 100;

// A browser takes seconds to find where to break a word of 100 KB; so it is told.
function broken(shown: string): ReactNode {
  const pieces: ReactNode[] = [];
  const chars = Array.from(shown);
  for (let at = 0; at < chars.length; at += piece_max) {
    pieces.push(chars.slice(at, at + piece_max).join(''), <wbr key={at} />);
  }
  return pieces;
}

function text(value: string, world: World): ReactNode {
  const shown = decoded(value);
  if (endless.test(shown)) return broken(shown);
  if (world.names.length === 0 || !shown.includes('@')) return shown;
  return splitMentions(shown, world.names).map((piece, i) => {
    const id = piece.agent && world.idOf(piece.agent);
    if (!id) return <Fragment key={i}>{piece.text}</Fragment>;
    return (
      <Link key={i} to={paths.agent(id)} className="text-accent font-medium hover:underline">
        {piece.text}
      </Link>
    );
  });
}

const linkLook =
  'text-accent underline decoration-line-strong underline-offset-2 hover:decoration-current';

function link(raw: string, inner: ReactNode): ReactNode {
  const safe = safeLink(raw);
  if (!safe) return <span title={raw}>{inner}</span>;
  if (safe.kind === 'page') {
    return (
      <Link to={safe.url} className={linkLook}>
        {inner}
      </Link>
    );
  }
  if (safe.kind === 'file') {
    return (
      <FileLink address={safe.url} className={linkLook}>
        {inner}
      </FileLink>
    );
  }
  return (
    <a href={safe.url} className={linkLook} rel="noopener noreferrer nofollow" target="_blank">
      {inner}
    </a>
  );
}

function image(raw: string, alt: string, world: World): ReactNode {
  const url = safeImage(raw);
  if (!url) return link(raw, alt || world.image);
  return <Picture address={url} alt={alt} />;
}

function table(token: Tokens.Table, world: World, depth: number): ReactNode {
  const align = (i: number) => token.align[i] ?? undefined;
  const cell = 'max-w-80 min-w-12 px-2.5 py-1 text-left align-top';
  return (
    <div
      tabIndex={0}
      className="border-line my-2 max-h-96 w-fit max-w-full overflow-auto rounded border"
    >
      <table className="text-sm [overflow-wrap:break-word]">
        <thead className="bg-sunken border-line border-b">
          <tr>
            {token.header.map((one, i) => (
              <th key={i} style={{ textAlign: align(i) }} className={`${cell} font-medium`}>
                {renderAll(one.tokens, world, depth + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, r) => (
            <tr key={r} className="border-line border-b last:border-0">
              {row.map((one, i) => (
                <td key={i} style={{ textAlign: align(i) }} className={cell}>
                  {renderAll(one.tokens, world, depth + 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function list(token: Tokens.List, world: World, depth: number): ReactNode {
  const items = token.items.map((item, i) => (
    <li key={i} dir="auto" className={item.task ? '-ml-5 list-none' : 'my-0.5'}>
      {renderAll(item.tokens, world, depth + 2)}
    </li>
  ));
  if (!token.ordered) return <ul className="my-2 list-disc pl-5">{items}</ul>;
  return (
    <ol start={Number(token.start) || 1} className="my-2 list-decimal pl-7">
      {items}
    </ol>
  );
}

function code(value: string): ReactNode {
  const look = 'bg-sunken border-line my-2 max-h-96 overflow-auto rounded border p-2.5';
  return (
    <pre dir="ltr" tabIndex={0} className={`${look} font-mono text-sm`}>
      <code>{value}</code>
    </pre>
  );
}

// As it was written, which is all that becomes of it.
function html(value: string, isBlock: boolean): ReactNode {
  const look = 'user-text font-mono text-[0.92em]';
  if (!isBlock) return <span className={look}>{value}</span>;
  return <p className={`${look} my-2 whitespace-pre-wrap`}>{value.trimEnd()}</p>;
}

// The page's own headings are above these, whatever their number.
function heading(token: Tokens.Heading, inner: ReactNode): ReactNode {
  const look = `user-text mt-4 mb-2 font-semibold first:mt-0 ${headings[token.depth - 1]}`;
  return (
    <p dir="auto" role="heading" aria-level={Math.min(6, token.depth + 1)} className={look}>
      {inner}
    </p>
  );
}

// Long because it is a table: one row for each type of token.
function render(one: Token, world: World, depth: number): ReactNode {
  if (depth > depth_max) return <span className="text-faint text-sm italic">{world.tooDeep}</span>;
  const token = one as Tokens.Generic;
  const inner = () => renderAll(token.tokens ?? [], world, depth + 1);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'text':
    case 'escape':
      return token.tokens ? inner() : text(token.text, world);
    case 'paragraph':
      return (
        <p dir="auto" className="user-text my-2 first:mt-0 last:mb-0">
          {inner()}
        </p>
      );
    case 'heading':
      return heading(token as Tokens.Heading, inner());
    case 'strong':
      return <strong className="font-semibold">{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'del':
      return <del>{inner()}</del>;
    case 'codespan':
      return (
        <code className="bg-hover rounded px-1 py-0.5 font-mono text-[0.92em]">{token.text}</code>
      );
    case 'code':
      return code(token.text);
    case 'html':
      return html(token.text, token.block === true);
    case 'blockquote':
      return (
        <blockquote className="border-line-strong text-soft my-2 min-w-0 border-l-2 pl-2.5">
          {inner()}
        </blockquote>
      );
    case 'list':
      return list(token as Tokens.List, world, depth);
    case 'checkbox':
      return (
        <input
          type="checkbox"
          aria-label={token.checked ? world.done : world.todo}
          checked={token.checked}
          readOnly
          disabled
          className="mr-1.5"
        />
      );
    case 'table':
      return table(token as Tokens.Table, world, depth);
    case 'hr':
      return <hr className="border-line my-3" />;
    case 'br':
      return <br />;
    case 'link':
      return link(token.href, inner());
    case 'image':
      return image(token.href, token.text, world);
    default:
      return token.raw;
  }
}
