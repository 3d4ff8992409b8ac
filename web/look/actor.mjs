// An agent of type `command` that plays a part: `node actor.mjs PLAY`, where PLAY is a file with
// parts. Who it is and what it is asked last say which one; it works for as long as that says.

import { readFileSync } from 'node:fs';

const parts = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const prompt = readFileSync(0, 'utf8');
const at = (part) => prompt.lastIndexOf(part.cue);
const [, agent, session] = /You are the agent "(.+?)", in its session "(.+?)"/.exec(prompt);
const mine = parts.filter((one) => one.by === `${agent}/${session}` && at(one) >= 0);
const part = mine.sort((a, b) => at(b) - at(a))[0];
if (!part) throw new Error('there is no part for what was asked');
console.log(part.doing);
setTimeout(() => {
  const { answer, error, status, cents = 2 } = part;
  const used = { cost_usd: cents / 100, input_tokens: 940 * cents, output_tokens: 110 * cents };
  const { TYER_CONVERSATION: known, TYER_NEW_CONVERSATION: made } = process.env;
  const said = error ? { error, status } : { result: answer, conversation: known || made };
  console.log(JSON.stringify({ ...said, ...used }));
}, part.seconds * 1000);
