// Readers of a hub's stream, each a real EventSource behind a line that breaks.
//   node event_source.mjs MODULES HUB_PORT SEED READERS CUTS PATH
// Prints the port that stands before the hub, then, for each reader, a line of JSON with the ids it
// got, once it has seen a comment "the end".
import { createRequire } from "node:module";
import net from "node:net";

const [modules, hubPort, seed, readers, cuts, path] = process.argv.slice(2);
const { EventSource } = createRequire(`${modules}/`)("eventsource");

const things = ["feed", "post", "comment", "thread"];
const acts = ["created", "opened", "grown", "arrived", "answered"];
const types = things.flatMap((thing) => acts.map((act) => `${thing}_${act}`));
types.push("lease_granted", "lease_lapsed", "lease_released");

let state = Number(seed);
function random(below) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

// Each connection breaks after a random number of bytes, as long as there are breaks left.
let cutsLeft = Number(cuts);
let cut = 0;
const line = net.createServer((client) => {
  const hub = net.connect(Number(hubPort), "127.0.0.1");
  let bytesLeft = Infinity;
  const end = () => {
    client.destroy();
    hub.destroy();
    // The hub was killed before its line could break.
    if (bytesLeft > 0 && bytesLeft < Infinity) ++cutsLeft;
    bytesLeft = 0;
  };
  hub.on("connect", () => {
    if (cutsLeft === 0) return;
    --cutsLeft;
    bytesLeft = 1_000 + random(100_000);
  });
  client.on("error", end).on("close", end);
  hub.on("error", end).on("close", end);
  client.pipe(hub);
  hub.on("data", (piece) => {
    if (bytesLeft <= 0) return;
    const isLast = piece.length >= bytesLeft;
    const passed = piece.subarray(0, Math.min(piece.length, bytesLeft));
    bytesLeft -= piece.length;
    client.write(passed, () => isLast && (++cut, end()));
  });
});

// Of a connection that was cut Node's fetch says now and then that its caller has given it up, and
// then the EventSource believes that it was closed, and stays silent for ever. A person would load
// the page again: after so long a silence another one goes on where it was.
const silence_ms = 5_000;

function listen(first) {
  const ids = [];
  const url = new URL(first);
  let source;
  let heard;
  const take = (event) => {
    heard = Date.now();
    ids.push(event.lastEventId);
    if (event.type !== "comment_created" || JSON.parse(event.data).content !== "the end") return;
    source.close();
    clearInterval(watch);
    process.stdout.write(`${JSON.stringify({ cut, ids })}\n`, () => {
      if (++done === Number(readers)) process.exit(0);
    });
  };
  const open = () => {
    heard = Date.now();
    if (ids.length > 0) url.searchParams.set("after", ids.at(-1));
    source = new EventSource(url);
    for (const type of types) source.addEventListener(type, take);
  };
  const watch = setInterval(() => {
    if (Date.now() - heard < silence_ms) return;
    source.close();
    open();
  }, 500);
  open();
}

let done = 0;
line.listen(0, "127.0.0.1", () => {
  const { port } = line.address();
  console.log(`port ${port}.`);
  for (let i = 0; i < Number(readers); ++i) listen(`http://127.0.0.1:${port}${path}`);
});
