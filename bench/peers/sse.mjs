// Plain Node beside the hub: holds event streams, and writes what is posted to all of them.
//   node sse.mjs
import { createServer } from "node:http";

const streams = new Set();

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
    });
    response.write("retry: 1000\n: welcome\n\n");
    streams.add(response);
    response.on("close", () => streams.delete(response));
    return;
  }
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    const text = Buffer.concat(pieces);
    for (const stream of streams) stream.write(text);
    response.writeHead(200, { "content-length": 0 });
    response.end();
  });
});

server.listen(0, "127.0.0.1", 4096, () => console.log(`port ${server.address().port} ready`));
