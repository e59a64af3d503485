/**
 * `deno task test:crash [--drain] [--kills N] [--tasks N] [--seed N]`: the whole campaign, with what was found; with
 * `--drain` it is the drain of captures that is killed, not the daemon.
 */
import { parseArgs } from "node:util";
import { runCampaign } from "./campaign.ts";
import { killDrains } from "./drain.ts";
import { tempFolder } from "../support/folders.ts";

const { values } = parseArgs({
  options: {
    drain: { type: "boolean", default: false },
    kills: { type: "string", default: "200" },
    tasks: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
  },
});
console.log(`seed ${values.seed}`);
const findings = values.drain ? await drains() : await daemons();
console.log(JSON.stringify(findings, null, 2));
const isWell = Object.values(findings).every((list) => !Array.isArray(list) || list.length === 0);
Deno.exit(isWell ? 0 : 1);

function daemons() {
  return runCampaign({
    tasks: Number(values.tasks),
    kills: Number(values.kills),
    maxLifeMs: 700,
    lines: 320,
    seed: Number(values.seed),
    onProgress: (text) => console.log(text),
  });
}

async function drains() {
  using folder = tempFolder();

  return await killDrains({
    folder: folder.path,
    captures: 70_000,
    kills: Number(values.kills),
    seed: Number(values.seed),
    onProgress: (text) => console.log(text),
  });
}
