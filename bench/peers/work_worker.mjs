// A worker on Node beside ours: hears of what there is to do, takes it, and runs the agent for it
// with the thread on its standard input. What it says is the answer.
//   node work_worker.mjs PORT AGENT…
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";

const [port, program, ...words] = process.argv.slice(2);
const kept = new Agent({ keepAlive: true });

const ask = (method, path, body) =>
  new Promise((resolve, reject) => {
    const text = body ? JSON.stringify(body) : undefined;
    const headers = text
      ? { "content-type": "application/json", "content-length": Buffer.byteLength(text) }
      : {};
    const asked = request({ port, host: "127.0.0.1", method, path, headers, agent: kept });
    asked.on("error", reject);
    asked.on("response", (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("end", () => resolve(JSON.parse(Buffer.concat(pieces).toString())));
    });
    asked.end(text);
  });

const promptOf = ({ items, comments }) =>
  [
    "You are an agent. Answer what is written to you.",
    ...comments.map(({ author, content }) => `${author}: ${content}`),
    ...items.map(({ content }) => `To answer: ${content}`),
  ].join("\n");

const runAgent = (prompt) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
    let said = "";
    child.stdout.on("data", (piece) => (said += piece));
    child.stdin.on("error", () => {});
    child.stdin.end(prompt);
    child.on("error", reject);
    child.on("close", () => resolve(said));
  });

let isBusy = false;
let isAskedAgain = false;

async function lookForWork() {
  isAskedAgain = isBusy;
  if (isBusy) return;
  isBusy = true;
  const { data } = await ask("GET", "/api/work");
  if (data.length > 0) {
    const run = randomUUID();
    const begun = await ask("POST", "/api/sessions/1/runs", { run });
    if (begun.begun) {
      const text = await runAgent(promptOf(begun));
      await ask("POST", `/api/sessions/1/runs/${run}/finish`, { run, text });
    }
  }
  isBusy = false;
  if (isAskedAgain) await lookForWork();
}

const stream = request({ port, host: "127.0.0.1", path: "/api/events/stream" });
stream.on("response", (response) => {
  response.setEncoding("utf8");
  let rest = "";
  response.on("data", (text) => {
    const events = (rest + text).split("\n\n");
    rest = events.pop();
    if (events.some((event) => event.includes("event: item_opened"))) lookForWork();
  });
  lookForWork().then(() => console.log(`port ${port} ready`));
});
stream.end();
