// Makes src/api/routes.ts, which is not kept, from openapi.json: each route's query, body and reply.
//
// The description names replies without describing them; src/api/shapes.ts does, by those names, so
// a name that is new there does not compile here.

import { readFileSync, writeFileSync } from 'node:fs';

const here = new URL('..', import.meta.url);
const api = JSON.parse(readFileSync(new URL('openapi.json', here), 'utf8'));

function typeOf(schema) {
  if (schema?.enum) return schema.enum.map((one) => `'${one}'`).join(' | ');
  switch (schema?.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    case 'array':
      return `readonly ${typeOf(schema.items)}[]`;
    default:
      return 'unknown';
  }
}

// "Page of Post or Comment" is Page<Post | Comment>.
function replyOf(text) {
  const [, page, names] = /^(Page of )?(.*)$/.exec(text);
  const type = names
    .split(' or ')
    .map((name) => `Shapes['${name}']`)
    .join(' | ');
  return page ? `Page<${type}>` : type;
}

function members(fields) {
  return fields.map(({ name, needed, schema }) => {
    return `${name}${needed ? '' : '?'}: ${typeOf(schema)}`;
  });
}

function object(name, fields) {
  if (fields.length === 0) return '';
  const needed = fields.some((field) => field.needed);
  const inner = members(fields).map((member) => `      ${member};\n`);
  return `    ${name}${needed ? '' : '?'}: {\n${inner.join('')}    };\n`;
}

const rows = [];
for (const [path, methods] of Object.entries(api.paths)) {
  if (!path.startsWith('/api/') && path !== '/health' && path !== '/ready') continue;
  for (const [method, route] of Object.entries(methods)) {
    const parameters = route.parameters ?? [];
    const query = parameters
      .filter((one) => one.in === 'query')
      .map((one) => ({ name: one.name, needed: one.required, schema: one.schema }));
    const schema = route.requestBody?.content?.['application/json']?.schema;
    const body = Object.entries(schema?.properties ?? {}).map(([name, inner]) => ({
      name,
      needed: schema.required?.includes(name),
      schema: inner,
    }));
    const path_fields = parameters
      .filter((one) => one.in === 'path')
      .map((one) => ({ name: one.name, needed: true, schema: one.schema }));
    const reply = Object.entries(route.responses).find(([status]) => status !== 'default')[1];
    const stated = replyOf(reply.description);
    rows.push(
      `  // ${route.summary.split('. ')[0].slice(0, 90)}\n` +
        `  '${method.toUpperCase()} ${path}': {\n` +
        object('path', path_fields) +
        object('query', query) +
        object('body', body) +
        `    reply: ${stated};\n  };\n`,
    );
  }
}

const text =
  '// Made from openapi.json by `npm run api`. Not edited by hand.\n\n' +
  "import type { Page, Shapes } from './shapes.ts';\n\n" +
  `export interface Routes {\n${rows.join('')}}\n`;
writeFileSync(new URL('src/api/routes.ts', here), text);
