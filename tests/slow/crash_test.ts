/** The crash campaign, shortened; the whole of it is `deno task test:crash`. */
import assert from "node:assert/strict";
import { runCampaign } from "../crash/campaign.ts";
import { it } from "../support/fixtures.ts";

const KILLS = 20;

it.unix(`a daemon that is killed ${KILLS} times loses nothing, does nothing twice and forgets nothing`, async () => {
  const findings = await runCampaign({
    tasks: 4,
    kills: KILLS,
    maxLifeMs: 500,
    lines: 80,
    seed: 20_261_121,
  });
  const { kills: _kills, killsAtWork, seconds: _seconds, ...wrong } = findings;
  assert.ok(killsAtWork > KILLS / 2, `only ${killsAtWork} kills came while there was work`);
  for (const [what, list] of Object.entries(wrong)) assert.deepEqual(list, [], what);
});
