import assert from "node:assert/strict";
import { IS_SLOW_LANE, sizedTest, sizeOf } from "../support/lanes.ts";
import { needsPostgres } from "./support/postgres.ts";
import { campaign } from "./support/team_campaign.ts";

const SIZE = sizeOf({
  fast: { machines: 3, rows: 90, rounds: 3, atOnce: 3 },
  slow: { machines: 5, rows: 2_000, rounds: 5, atOnce: 5 },
  whole: { machines: 6, rows: 6_000, rounds: 8, atOnce: 6 },
});

sizedTest(
  "through kills, restarts and cut connections every machine ends with what the server has, each row once",
  async () => {
    const { cut, peakMb } = await campaign(SIZE);
    assert.ok(cut > 0 || !IS_SLOW_LANE, "some were cut");
    assert.ok(peakMb < 150, `a sync took ${peakMb} MB`);
  },
  needsPostgres(),
);
