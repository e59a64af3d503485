/**
 * A made-up history of a coding agent to measure memory by: prompts in English, German, French, Chinese and Japanese, long
 * messages with code, traces, output and diffs. It is asked by symptom, by outcome, by code, by file and by time, mostly in
 * other words than those that were said.
 */
import type { EvalDocument, EvalQuestion } from "../../src/memory/search/eval.ts";
import type { Corpus } from "./memory_corpus.ts";
import sentences from "../testdata/agent_corpus.json" with { type: "json" };
import { seededRandom } from "./tool_uses.ts";
const DAY = 86_400_000;
/** A question before it has a number. */
type Asked = Omit<EvalQuestion, "id"> & { readonly kind: string };
const words = (text: string) => text.split(" ");
const { mods: MODS, acts: ACTS, things: THINGS, ext: EXT, envs: ENVS, services: SERVICES } =
  sentences.vocabulary;
/** What the blanks in a session are filled with. */
interface Names {
  readonly mod: string;
  readonly file: string;
  readonly fn: string;
  readonly env: string;
  readonly svc: string;
  readonly code: string;
  readonly key: string;
  readonly ver: string;
  readonly n: number;
}

const { incidents: INCIDENTS, foreign: FOREIGN, talk: TALK, said: SAID, decisions: DECISIONS } =
  sentences;

/**
 * Makes a history.
 *
 * @param size Documents and questions, about as many as asked for.
 */
export function makeAgentCorpus(
  seed: number,
  size: { readonly documents: number; readonly questions: number },
): Corpus {
  const random = seededRandom(seed);
  const n = (a: number, b: number) => a + Math.floor(random() * (b - a + 1)),
    of = <T>(x: readonly T[]) => x[Math.floor(random() * x.length)]!,
    p = (x: number) => random() < x;
  const docs: EvalDocument[] = [], asks: Asked[] = [];
  const ask = (
    kind: string,
    text: string,
    relevant: readonly string[],
    projectDir: string | null = null,
    asOfMs: number | null = null,
  ) => asks.push({ kind, text, relevant, projectDir, asOfMs });
  const projects = Math.max(3, Math.round(size.documents / 1700));
  const start = Date.UTC(2025, 2, 1);
  const sessions = Math.round(size.documents / 11);
  const used = new Map<string, number>();
  const byFile = new Map<string, string[]>(),
    byFn = new Map<string, string[]>(),
    byCode = new Map<string, string[]>();
  const note = (m: Map<string, string[]>, k: string, id: string) =>
    m.set(k, [...m.get(k) ?? [], id]);
  const camel = (m: string) => m[0]!.toUpperCase() + m.slice(1);
  const noise = (c: Names): string =>
    of([
      () =>
        `\`\`\`diff\n--- a/${c.file}\n+++ b/${c.file}\n@@ -${n(1, 300)},6 +${
          n(1, 300)
        },8 @@\n-  const ${of(THINGS).toLowerCase()} = ${of(ACTS)}${
          of(THINGS)
        }(${c.mod});\n+  const ${of(THINGS).toLowerCase()} = await ${of(ACTS)}${
          of(THINGS)
        }(${c.mod}, { retries: ${n(1, 9)} });\n   return ${of(THINGS).toLowerCase()};\n\`\`\``,
      () =>
        `\`\`\`\n$ npm test -- ${c.mod}\n ✓ ${of(ACTS)} ${of(THINGS).toLowerCase()} (${
          n(2, 90)
        } ms)\n ✓ ${of(ACTS)} ${of(THINGS).toLowerCase()} twice (${n(2, 90)} ms)\n Tests: ${
          n(3, 80)
        } passed, ${n(80, 120)} total\n\`\`\``,
      () =>
        `\`\`\`${of(EXT)}\nexport function ${of(ACTS)}${
          of(THINGS)
        }(input: string) {\n  if (input === "") return null;\n  const parts = input.split(":");\n  return { name: parts[0], size: Number(parts[1]) };\n}\n\`\`\``,
      () =>
        `\`\`\`yaml\n${c.mod}:\n  replicas: ${n(1, 9)}\n  image: acme/${c.mod}:${n(1, 9)}.${
          n(0, 20)
        }\n  env:\n    LOG_LEVEL: ${of(words("debug info warn"))}\n\`\`\``,
    ])();
  for (let s = 0; s < sessions; s++) {
    const proj = n(0, projects - 1), dir = `/work/repo${proj}`;
    const mod = of(MODS);

    const c: Names = {
      mod,
      file: `${of(words("src lib internal packages/core apps/web"))}/${mod}/${of(ACTS)}_${
        of(THINGS).toLowerCase()
      }${p(0.3) ? n(2, 9) : ""}.${of(EXT)}`,
      fn: `${of(ACTS)}${camel(mod)}${of(THINGS)}`,
      env: of(ENVS),
      svc: of(SERVICES),
      code: `${of(words("E SQLSTATE PG ERR TS DEP"))}${of(["-", "_", ""])}${n(1000, 99999)}`,
      key: `${mod}_${of(words("max min idle pool retry backoff"))}_${
        of(words("size timeout limit interval count"))
      }`,
      ver: `${n(0, 18)}.${n(0, 30)}.${n(0, 12)}`,
      n: n(2, 97),
    };
    const blanks = { ...c, n8: 8 * c.n, n9: 9 * c.n };
    const fill = (t: string) =>
      t.replace(/\{(\w+)\}/g, (a, k) => String(Reflect.get(blanks, k) ?? a));
    let at = start + Math.floor(s / sessions * 300) * DAY + n(6, 20) * 3_600_000 +
      n(0, 3000) * 1000;
    const sessionAt = at;
    const say = (role: "user" | "assistant", text: string) => {
      const id = `d${docs.length}`;
      docs.push({ id, sessionId: `s${s}`, projectDir: dir, text, createdAtMs: at, role });
      at += n(20, 900) * 1000;
      if (text.includes(c.file)) note(byFile, c.file, id);
      if (text.includes(c.fn)) note(byFn, c.fn, id);
      if (text.includes(c.code)) note(byCode, c.code, id);
      return id;
    };
    const chat = (k: number) => {
      for (let i = 0; i < k; i++) {
        say("user", of(TALK));
        say(
          "assistant",
          [fill(of(SAID)), ...p(0.6) ? [noise(c)] : [], ...p(0.5) ? [fill(of(SAID))] : []].join(
            "\n\n",
          ),
        );
      }
    };
    const day = new Date(sessionAt).toISOString().slice(0, 10);
    if (p(0.5)) {
      say(
        "user",
        fill(
          of([
            "let's work on {mod} today",
            "continue with {mod} from yesterday",
            "have a look at {file}",
            "I want to refactor `{fn}`",
          ]),
        ),
      );
    }
    const what = random();
    const inc = of(INCIDENTS), slot = `${proj} ${mod} ${INCIDENTS.indexOf(inc)}`;
    if (what < 0.55 && !used.has(slot)) {
      used.set(slot, s);
      const quotes = p(0.35);
      const ids = [say("user", fill(of(inc.report)) + (quotes ? `\n\n${fill(inc.trace)}` : ""))];
      if (p(0.6)) {
        say(
          "assistant",
          [
            fill(of(["Let me reproduce that.", "I start with the logs of {env}."])),
            noise(c),
            fill(of(SAID)),
          ].join("\n\n"),
        );
      }
      if (p(0.5)) say("user", of(TALK));
      const cause = say(
        "assistant",
        [
          `${
            of([
              "I found it.",
              "That explains it.",
              "The culprit:",
              "Root cause:",
              "After some digging:",
            ])
          } ${fill(of(inc.cause))}`,
          ...!quotes ? [fill(inc.trace)] : [],
          noise(c),
          fill(of(SAID)),
        ].sort(() => p(0.3) ? 1 : -1).join("\n\n"),
      );
      ids.push(cause);
      const fix = p(0.5)
        ? cause
        : (say("user", of(["ok, fix it", "please correct that", "go ahead"])),
          say("assistant", [fill(of(SAID)), fill(of(inc.fix)), noise(c)].join("\n\n")));
      if (fix === cause) {
        docs[Number(cause.slice(1))] = {
          ...docs[Number(cause.slice(1))]!,
          text: `${docs[Number(cause.slice(1))]!.text}\n\n${fill(of(inc.fix))}`,
        };
      }
      if (fix === cause) {
        const t = docs[Number(cause.slice(1))]!.text;
        for (const [m, k] of [[byFile, c.file], [byFn, c.fn]] as const) {
          if (t.includes(k) && !(m.get(k) ?? []).includes(cause)) note(m, k, cause);
        }
      }
      ask("symptom", fill(of(inc.asked)), ids, dir);
      ask("outcome", fill(of(inc.outcome)), [fix], dir);
      if (p(0.5)) {
        const how = ["what broke in", "which problem did we have with", "what did we fix in"];
        const month = new Date(sessionAt).toLocaleString("en", { month: "long" });
        const text = `${of(how)} ${mod} ${of([`on ${day}`, `in ${month}`])}?`;
        ask("time", text, [...ids, fix], dir, sessionAt + n(32, 70) * DAY);
      }
    } else if (what < 0.75) {
      const f = of(FOREIGN), k = `${proj} ${mod} f${FOREIGN.indexOf(f)}`;
      const one = say("user", fill(f.say)),
        two = say("assistant", [fill(f.bot), ...p(0.5) ? [noise(c)] : []].join("\n\n"));
      if (!used.has(k)) {
        ask(`lang ${f.lang}`, fill(of(f.asked)), [one, two], dir);
      }
      used.set(k, s);
    } else {
      const d = of(DECISIONS), k = `${proj} ${mod} d${DECISIONS.indexOf(d)}`;
      const text = [fill(of(SAID)), fill(of(d.told)), ...p(0.5) ? [noise(c)] : [], fill(of(SAID))]
        .join(p(0.5) ? "\n\n" : " ");
      const id = say(p(0.4) ? "user" : "assistant", text);
      if (!used.has(k)) {
        ask("decision", fill(of(d.asked)), [id], dir);
      }
      used.set(k, s);
    }
    chat(n(1, 4));
    if (p(0.4)) {
      say(
        "assistant",
        fill(
          `Summary of the changes in \`{file}\`:\n- \`{fn}\` handles the empty case\n- error {code} is told with its cause\n- bumped to {ver}`,
        ),
      );
    }
  }
  // a slot that came up again after its question was made is not asked: what holds twice is not one answer
  const named: readonly [string, Map<string, string[]>, (name: string) => readonly string[]][] = [
    ["file", byFile, (f) => [f, `what did we do in ${f.split("/").at(-1)}`, `changes to ${f}`]],
    ["identifier", byFn, (fn) => [
      fn,
      `where is ${fn} used?`,
      fn.replace(/([A-Z])/g, " $1").toLowerCase(),
      fn.replace(/([A-Z])/g, "_$1").toLowerCase(),
    ]],
    ["error code", byCode, (code) => [
      code,
      `what was ${code} about`,
      `error ${code.toLowerCase()}`,
    ]],
  ];
  for (const [kind, found, ways] of named) {
    for (const [name, ids] of found) if (p(0.15)) ask(kind, of(ways(name)), ids);
  }
  const groups = Object.entries(
    Object.groupBy(asks.filter((a) => a.relevant.length > 0), (a) => a.kind),
  );
  const questions: (EvalQuestion & { readonly kind: string })[] = [];
  const share: Record<string, number> = {
    symptom: .24,
    outcome: .16,
    time: .08,
    decision: .14,
    file: .08,
    identifier: .1,
    "error code": .06,
  };
  for (const [kind, all] of groups) {
    const mixed = all!.map((x) => [random(), x] as const).sort((a, b) => a[0] - b[0]).map(([, x]) =>
      x
    );
    for (const a of mixed.slice(0, Math.round(size.questions * (share[kind] ?? .035)))) {
      questions.push({ id: `${kind}-${questions.length}`, ...a });
    }
  }
  return { documents: docs, questions } as Corpus;
}
