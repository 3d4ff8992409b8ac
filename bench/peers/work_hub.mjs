// A hub on Node beside ours: comments, and what they give an agent to do, in SQLite with sync. A
// comment with its item is one transaction, the start of a run another, its answer and end a third.
// It knows one post, one agent and one session, and checks nothing.
//   node work_hub.mjs MODULES DATABASE
import { createServer } from "node:http";
import { createRequire } from "node:module";

const [modules, database] = process.argv.slice(2);
const Database = createRequire(`${modules}/`)("better-sqlite3");
const db = new Database(database);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.exec(`
  CREATE TABLE comment (id INTEGER PRIMARY KEY, author TEXT, content TEXT, created_at INTEGER);
  CREATE TABLE item (id INTEGER PRIMARY KEY, comment INTEGER, status TEXT, wakes INTEGER);
  CREATE INDEX item_status ON item (status);
  CREATE TABLE session (id INTEGER PRIMARY KEY, status TEXT);
  CREATE TABLE lease (session INTEGER PRIMARY KEY, run TEXT, until INTEGER);
  INSERT INTO session VALUES (1, 'idle');
`);

const addComment = db.prepare("INSERT INTO comment (author, content, created_at) VALUES (?, ?, ?)");
const addItem = db.prepare("INSERT INTO item (comment, status, wakes) VALUES (?, 'open', 0)");
const countComments = db.prepare("SELECT count(*) AS comment_count FROM comment");
const openItems = db.prepare(`SELECT item.id, item.wakes, comment.author, comment.content FROM item
  JOIN comment ON comment.id = item.comment WHERE item.status = 'open' ORDER BY item.id LIMIT 10`);
const lastComments = db.prepare("SELECT author, content FROM comment ORDER BY id DESC LIMIT 20");
const findSession = db.prepare("SELECT status FROM session WHERE id = 1");
const setSession = db.prepare("UPDATE session SET status = ? WHERE id = 1");
const wakeItem = db.prepare("UPDATE item SET wakes = wakes + 1 WHERE id = ?");
const answerItems = db.prepare("UPDATE item SET status = 'answered' WHERE status = 'open'");
const addLease = db.prepare("INSERT INTO lease VALUES (1, ?, ?)");
const dropLease = db.prepare("DELETE FROM lease WHERE session = 1 AND run = ?");

const comment = db.transaction(({ content }) => {
  const { lastInsertRowid } = addComment.run("human", content, Date.now());
  const isForAgent = content.includes("@fast");
  if (isForAgent) addItem.run(lastInsertRowid);
  return { id: Number(lastInsertRowid), isForAgent };
});

const work = () => {
  const isIdle = findSession.get().status === "idle";
  return { data: isIdle ? openItems.all().map(({ id }) => ({ id })) : [] };
};

const begin = db.transaction(({ run }) => {
  if (findSession.get().status !== "idle") return { begun: false };
  const items = openItems.all();
  if (items.length === 0) return { begun: false };
  for (const { id } of items) wakeItem.run(id);
  setSession.run("running");
  addLease.run(run, Date.now() + 180_000);
  return { begun: true, items, comments: lastComments.all().reverse() };
});

const finish = db.transaction(({ run, text }) => {
  if (dropLease.run(run).changes !== 1) return {};
  addComment.run("fast", text, Date.now());
  answerItems.run();
  setSession.run("idle");
  return {};
});

const streams = new Set();
const publish = (event, data) => {
  const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  for (const stream of streams) stream.write(text);
};

const answer = (response, status, body) => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
};

function get(request, response) {
  if (request.url === "/api/work") return answer(response, 200, work());
  if (request.url !== "/api/events/stream") return answer(response, 200, countComments.get());
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write(": welcome\n\n");
  streams.add(response);
  response.on("close", () => streams.delete(response));
}

function post(request, response, body) {
  if (request.url.endsWith("/comments")) {
    const { id, isForAgent } = comment(body);
    publish("comment_created", { id });
    if (isForAgent) publish("item_opened", { session_id: 1, comment: id });
    return answer(response, 201, { id });
  }
  if (request.url.endsWith("/finish")) {
    finish(body);
    publish("run_finished", { session_id: 1, run: body.run });
    return answer(response, 200, {});
  }
  const begun = begin(body);
  if (begun.begun) publish("run_started", { session_id: 1, run: body.run });
  return answer(response, begun.begun ? 201 : 200, begun);
}

const server = createServer((request, response) => {
  if (request.method === "GET") return get(request, response);
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => post(request, response, JSON.parse(Buffer.concat(pieces).toString())));
});

server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port} ready`));
