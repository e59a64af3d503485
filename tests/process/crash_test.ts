/** The crash campaign, shortened; the whole of it is `deno task test:crash`. */
import assert from "node:assert/strict";
import { runCampaign } from "../crash/campaign.ts";

Deno.test({
  name: "a daemon that is killed 20 times loses nothing, does nothing twice and forgets nothing",
  ignore: Deno.build.os === "windows",
  async fn() {
    const findings = await runCampaign({
      tasks: 4,
      kills: 20,
      maxLifeMs: 500,
      lines: 80,
      seed: 20_261_121,
    });
    const { kills: _kills, killsAtWork, seconds: _seconds, ...wrong } = findings;
    assert.ok(killsAtWork > 10, `only ${killsAtWork} kills came while there was work`);
    for (const [what, list] of Object.entries(wrong)) assert.deepEqual(list, [], what);
  },
});
