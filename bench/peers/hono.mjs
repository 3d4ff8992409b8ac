// Hono on Node beside the hub: one post by its id. Without a database it answers from memory, because
// Node 20 has no SQLite of its own; with one it reads the hub's, by better-sqlite3, as the hub does.
// It checks nothing that the hub checks, and adds none of its headers.
//   node hono.mjs MODULES POST [DATABASE]
import { createRequire } from "node:module";

const [modules, post, database] = process.argv.slice(2);
const load = createRequire(`${modules}/`);
const { Hono } = load("hono");
const { serve } = load("@hono/node-server");

function fromMemory() {
  const posts = new Map();
  posts.set(JSON.parse(post).id, JSON.parse(post));
  return (id) => posts.get(id);
}

function fromDatabase() {
  const Database = load("better-sqlite3");
  const db = new Database(database, { readonly: true });
  const subject = db.prepare("SELECT state, status FROM subject WHERE key = ?");
  return db.transaction((id) => {
    const found = subject.get(`post/${id}`);
    if (!found || found.status === "deleted") return undefined;
    const thread = subject.get(`thread/${id}`);
    return {
      id,
      ...JSON.parse(found.state),
      comment_count: thread ? JSON.parse(thread.state).comment_count : 0,
      unread: thread?.status === "unread",
    };
  });
}

const find = database ? fromDatabase() : fromMemory();
const app = new Hono();
app.get("/api/posts/:id", (call) => {
  const found = find(call.req.param("id"));
  return found ? call.json(found) : call.json({ error: { code: "not_found" } }, 404);
});

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, (at) =>
  console.log(`port ${at.port} ready`),
);
