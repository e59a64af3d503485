/** What a person does not want, or has done alone, is said of what was left, and not asked or told of something else. */
import assert from "node:assert/strict";
import { droppedIn } from "../../src/memory/prompt_picks.ts";
import { openAfter } from "../support/left_sessions.ts";

const CACHE = "A cache for the limiter is not built yet.";
const JOB = "The old job still has to be removed from Jenkins.";

const KEY = "Before merging, you need to rotate the signing key.";

const OVER: readonly (readonly [left: string, prompt: string])[] = [
  [CACHE, "skip the cache"],
  [CACHE, "We don't need a cache for the limiter, skip it"],
  [CACHE, "let's drop the cache for the limiter. What else is there?"],
  [CACHE, "I've built the cache for the limiter"],
  [JOB, "I've removed it from Jenkins"],
  [JOB, "ok, I just removed the old job from Jenkins"],
  [KEY, "key is rotated"],
  [KEY, "ok, the signing key is rotated now, merge it"],
  [KEY, "The key has been rotated."],
  [KEY, "I rotated the signing key, what else?"],
  [KEY, "I rotated the signing key - anything else to do?"],
];

const OPEN: readonly (readonly [left: string, prompt: string])[] = [
  [CACHE, "don't skip the cache for the limiter"],
  [CACHE, "should we skip the cache for the limiter?"],
  [CACHE, "Why did you drop the cache?"],
  [CACHE, "skip the cache of the parser"],
  [CACHE, "I've looked at the cache, thanks"],
  [CACHE, "I wanted a cache for the limiter"],
  [JOB, "I've removed the old job from the crontab"],
  [JOB, "when I removed the old job from Jenkins last year all broke"],
  [KEY, "is the signing key rotated?"],
  [KEY, "the signing key is rotated, but the old one still works"],
  [KEY, "the API token is rotated"],
  [KEY, "the logs are rotated now"],
  [KEY, "once the signing key is rotated, merge it"],
  [KEY, "the signing key is rotated wrongly, why?"],
  [KEY, "did I rotate the signing key, or what else?"],
  [JOB, "what happens if I removed the old job from Jenkins?"],
];

Deno.test("what a person does not want or has done is open no more, in this session or the next", () => {
  for (const [left, asked] of OVER) {
    const turns = [{ asked: "Go", said: left, file: "a.ts" }, { asked, said: "Good." }];
    assert.deepEqual(openAfter(turns), [], asked);
    assert.deepEqual(openAfter(...turns.map((turn) => [turn])), [], `next: ${asked}`);
  }
});

Deno.test("what a person asks, tells of another thing, or wants is no refusal", () => {
  for (const [left, asked] of OPEN) {
    const turns = [{ asked: "Go", said: left, file: "a.ts" }, { asked, said: "Well." }];
    assert.deepEqual(openAfter(...turns.map((turn) => [turn])), [left], asked);
  }
});

Deno.test("what is not wanted is called without its article", () => {
  assert.deepEqual(droppedIn("laisse tomber les journaux"), ["journaux"]);
  assert.deepEqual(droppedIn("vergiss die Doku"), ["Doku"]);
});
