// proper-lockfile beside us: lock and unlock one file for a while, print cycles a second.
//   node proper_lockfile.mjs MODULES DIRECTORY MILLISECONDS
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";

const [modules, directory, milliseconds] = process.argv.slice(2);
const lockfile = createRequire(`${modules}/`)("proper-lockfile");
const file = `${directory}/proper-lockfile`;
writeFileSync(file, "");

async function run(span) {
  let cycles = 0;
  const start = performance.now();
  while (performance.now() - start < span) {
    const release = await lockfile.lock(file);
    await release();
    ++cycles;
  }
  return (cycles * 1000) / (performance.now() - start);
}

await run(100); // To warm up.
console.log(await run(Number(milliseconds)));
