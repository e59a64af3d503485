/** `deno task test:crash [--kills N] [--tasks N] [--seed N]`: the whole campaign, with what was found. */
import { parseArgs } from "node:util";
import { runCampaign } from "./campaign.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    tasks: { type: "string", default: "20" },
    lines: { type: "string", default: "320" },
    life: { type: "string", default: "700" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
  },
});
console.log(`seed ${values.seed}`);
const findings = await runCampaign({
  tasks: Number(values.tasks),
  kills: Number(values.kills),
  maxLifeMs: Number(values.life),
  lines: Number(values.lines),
  seed: Number(values.seed),
  onProgress: (text) => console.log(text),
});
console.log(JSON.stringify(findings, null, 2));
const isWell = Object.values(findings).every((list) => !Array.isArray(list) || list.length === 0);
Deno.exit(isWell ? 0 : 1);
