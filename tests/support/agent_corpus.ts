/**
 * A made-up history of a coding agent to measure memory by: prompts in English, German, French, Chinese and Japanese, long
 * messages with code, traces, output and diffs. It is asked by symptom, by outcome, by code, by file and by time, mostly in
 * other words than those that were said.
 */
import type { EvalDocument, EvalQuestion } from "../../src/memory/eval_set.ts";
import type { Corpus } from "./memory_corpus.ts";
import { seededRandom } from "./tool_uses.ts";
const DAY = 86_400_000;
/** A question before it has a number. */
type Asked = Omit<EvalQuestion, "id"> & { readonly kind: string };
const words = (text: string) => text.split(" ");
const lines = (text: string) => text.split("|");
const MODS = words(
  "auth session billing search upload export mailer webhook ratelimit feature audit thumbnail geocode invoice inventory quota telemetry scheduler onboarding translation",
);
const ACTS = words(
  "load save parse build check refresh resolve commit flush expand trim drop verify wrap open",
);
const THINGS = words(
  "Token Cursor Bucket Header Record Digest Policy Draft Window Batch Handle Region Ledger Ticket Profile",
);
const EXT = words("ts py go rs java");
const ENVS = lines(
  "GitHub Actions on macOS|the Windows runner|the Alpine image|staging|my laptop after the upgrade|the nightly pipeline|the ARM builder|the preview deployment",
);
const SERVICES = words(
  "Postgres Redis Kafka Elasticsearch RabbitMQ MinIO ClickHouse Vault nginx Envoy",
);
/** Incidents: prompt that reports, what the cause was, what was done; asked by symptom in other words, by outcome. */
interface Incident {
  readonly report: readonly string[];
  readonly trace: (of: Names) => string;
  readonly cause: readonly string[];
  readonly fix: readonly string[];
  readonly asked: readonly string[];
  readonly outcome: readonly string[];
}

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

const INCIDENTS: Incident[] = [
  {
    report: [
      "the {mod} tests hang on {env} and the job gets killed after an hour",
      "{env}: the {mod} suite never finishes, no output at all",
    ],
    trace: (c) =>
      `\`\`\`\n##[error]The operation was canceled.\nwaiting for ${c.fn} … (${c.n}s)\nExit code 143\n\`\`\``,
    cause: [
      "It waits for a watcher that FSEvents delivers late; the handle is never closed, so the event loop stays alive.",
      "The child process inherits stdin and blocks on a read that nobody answers.",
    ],
    fix: [
      "I close the watcher in `{fn}` and unref the timer; the suite ends after {n} s now.",
      "stdin is /dev/null for the child in {file}, and the run terminates.",
    ],
    asked: [
      "why did CI for {mod} get stuck on {env}",
      "what was the reason that the {mod} tests never terminated",
      "{mod} test job timed out, what was it",
    ],
    outcome: ["how did we get the {mod} suite to finish again?"],
  },
  {
    report: [
      "getting 401 from {mod} after about an hour although I am logged in",
      "users of {mod} are thrown out in the middle of work, see the log",
    ],
    trace: (c) =>
      `\`\`\`\nHTTP/1.1 401 Unauthorized\nwww-authenticate: Bearer error="invalid_token"\n    at ${c.fn} (${c.file}:${c.n}:17)\n\`\`\``,
    cause: [
      "The access token is refreshed with the clock of the browser, which may be minutes off.",
      "Two tabs refresh at once and the second one presents a refresh token that was already used.",
    ],
    fix: [
      "`{fn}` refreshes a minute early and takes a lock over all tabs.",
      "Refreshing is serialised in {file}; a rejected refresh is tried once more.",
    ],
    asked: [
      "why were people logged out of {mod} unexpectedly",
      "what caused the expired credentials in {mod}",
      "{mod} kept asking to sign in again, why?",
    ],
    outcome: ["what did we change so that {mod} users stay signed in"],
  },
  {
    report: [
      "memory of the {mod} worker climbs until the kernel kills it",
      "{mod} pod restarts with OOMKilled every few hours on {env}",
    ],
    trace: (c) =>
      `\`\`\`\n<--- Last few GCs --->\n[1:0x5] Mark-sweep ${c.n * 9} MB -> ${
        c.n * 8
      } MB\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n\`\`\``,
    cause: [
      "Listeners are added for each request and never removed, so every closure keeps its buffer.",
      "The cache in {file} has no bound; entries are keyed by the full URL including the timestamp.",
    ],
    fix: [
      "Bounded the cache at {n} entries and drop the oldest.",
      "`{fn}` removes its listener in a finally block; the heap stays flat over night.",
    ],
    asked: [
      "what was leaking in the {mod} worker",
      "why did {mod} run out of RAM",
      "reason for the growing heap of {mod}",
    ],
    outcome: ["how was the memory leak of {mod} solved"],
  },
  {
    report: [
      "migration of {mod} fails on {env} with {code}",
      "cannot deploy: {code} when the {mod} migration runs",
    ],
    trace: (c) =>
      `\`\`\`\nERROR: ${c.code}: column "${c.key}" of relation "${c.mod}_items" already exists\nSTATEMENT: ALTER TABLE ${c.mod}_items ADD COLUMN ${c.key} text\n\`\`\``,
    cause: [
      "Somebody added the column by hand on that host; the migration is not idempotent.",
      "The migration was interrupted between two statements, since it does not run in a transaction.",
    ],
    fix: [
      "Added IF NOT EXISTS and wrapped the whole file into one transaction.",
      "I made the step repeatable and marked the half-done one as applied on {env}.",
    ],
    asked: [
      "why could we not deploy the {mod} schema change",
      "what does {code} mean for {mod}",
      "where did the duplicate column of {mod} come from",
    ],
    outcome: ["what made the {mod} migration pass in the end"],
  },
  {
    report: [
      "{mod} is super slow since {svc} {ver}",
      "p95 of {mod} went from 80 ms to {n}00 ms, nothing was deployed except {svc}",
    ],
    trace: (c) =>
      `\`\`\`\nSeq Scan on ${c.mod}_items  (cost=0.00..${c.n}812.00 rows=${c.n}0031 width=64)\n  Filter: (lower(name) = $1)\nExecution Time: ${c.n}12.4 ms\n\`\`\``,
    cause: [
      "The planner ignores the index because the column is wrapped in lower().",
      "Connection pooling was switched off by the new default, every call does a handshake.",
    ],
    fix: [
      "Created an expression index, execution time is below 3 ms.",
      "Set `{key}` back to {n} and the latency is where it was.",
    ],
    asked: [
      "why did {mod} become sluggish",
      "cause of the bad performance of {mod} after upgrading {svc}",
      "what slowed {mod} down",
    ],
    outcome: ["how did we make {mod} fast again", "which index helped {mod}"],
  },
  {
    report: [
      "special characters are broken in {mod} exports, customers see Ã¼ instead of ü",
      "the CSV of {mod} opens with garbage in Excel",
    ],
    trace: (c) =>
      `\`\`\`\nexpected: "Müller"\nactual:   "MÃ¼ller"\n  at ${c.fn} (${c.file}:${c.n})\n\`\`\``,
    cause: [
      "The bytes are decoded as latin-1 although the header says UTF-8.",
      "Excel needs a byte order mark to recognise UTF-8.",
    ],
    fix: [
      "`{fn}` decodes strictly and the export begins with a BOM.",
      "Set the charset in {file}; umlauts survive the round trip.",
    ],
    asked: [
      "why were umlauts wrong in {mod}",
      "encoding problem in the {mod} files, what was the reason",
      "who messed up the accents in {mod} exports",
    ],
    outcome: ["how did we repair the text encoding of {mod}"],
  },
  {
    report: [
      "random failures of {mod}: ECONNRESET against {svc}",
      "{svc} drops our connections from {mod} every now and then",
    ],
    trace: (c) =>
      `\`\`\`\nError: read ECONNRESET\n    at TCP.onStreamRead (node:internal/stream_base_commons:217:20)\n    at async ${c.fn} (${c.file}:${c.n}:9) { errno: -104, code: '${c.code}' }\n\`\`\``,
    cause: [
      "{svc} closes idle connections after 60 s, our pool keeps them for 90.",
      "The load balancer in between cuts long requests; keep-alive probes are off.",
    ],
    fix: [
      "`{key}` is {n} s now, below the limit of the server.",
      "Turned keep-alive on and retry once when nothing was sent yet.",
    ],
    asked: [
      "why was {mod} flaky when talking to {svc}",
      "what interrupted the sockets between {mod} and {svc}",
      "intermittent network errors in {mod}",
    ],
    outcome: ["what setting stopped the disconnects of {mod}"],
  },
  {
    report: [
      "the {mod} docker image got huge, can you shrink it",
      "{mod} image is over {n}00 MB, pull takes forever on {env}",
    ],
    trace: (c) =>
      `\`\`\`\nREPOSITORY      TAG   SIZE\nacme/${c.mod}   ${c.ver}   ${c.n}.1GB\n\`\`\``,
    cause: [
      "The build stage with compilers and headers is shipped as it is.",
      "node_modules with all dev packages is copied after the prune.",
    ],
    fix: [
      "A second stage copies only what runs; it has {n} MB now.",
      "`.dockerignore` covers node_modules and the cache of the package manager.",
    ],
    asked: ["why was the container of {mod} so big", "what bloated the {mod} image"],
    outcome: ["how did we reduce the size of the {mod} container"],
  },
];
/** Prompts in other languages, with the answer that follows in English or in that language. */
const FOREIGN: { lang: string; say: string; bot: string; asked: string[] }[] = [
  {
    lang: "de",
    say:
      "Bitte ändere die Zeitüberschreitung für {mod} auf {n} Sekunden, sonst brechen die Übertragungen ab.",
    bot: "Erledigt: die Zeitüberschreitung von {mod} beträgt jetzt {n} Sekunden, siehe `{file}`.",
    asked: [
      "Wie lang ist die Zeitüberschreitung von {mod}?",
      "{mod} Zeitüberschreitungen Sekunden",
    ],
  },
  {
    lang: "de",
    say: "Warum schlägt die Datenbankverbindung von {mod} beim Start fehl?",
    bot:
      "Das Zertifikat der Datenbank war abgelaufen; ich habe es in `{file}` erneuert und den Start von {mod} geprüft.",
    asked: [
      "Weshalb konnte {mod} keine Verbindung zur Datenbank aufbauen?",
      "abgelaufenes Zertifikat {mod}",
    ],
  },
  {
    lang: "fr",
    say: "Peux-tu expliquer pourquoi la file d'attente de {mod} reste bloquée ?",
    bot:
      "La file de {mod} était bloquée car un verrou n'était jamais libéré dans `{fn}` ; c'est corrigé.",
    asked: ["pourquoi la file de {mod} était bloquée", "verrou jamais libéré {mod}"],
  },
  {
    lang: "fr",
    say: "Ajoute des essais pour {mod}, surtout pour les fichiers vides et les noms accentués.",
    bot: "J'ai ajouté {n} essais pour {mod} : fichiers vides, noms accentués, chemins trop longs.",
    asked: ["quels essais avons-nous ajoutés pour {mod}", "essais fichiers vides {mod}"],
  },
  {
    lang: "zh",
    say: "{mod} 的缓存为什么没有更新？",
    bot: "{mod} 的缓存键里没有版本号，所以部署以后仍然读到旧数据。已经在 `{file}` 里加上版本号。",
    asked: ["{mod} 缓存 旧数据", "{mod}部署后读到旧数据的原因"],
  },
  {
    lang: "zh",
    say: "把 {mod} 的日志级别改成警告，磁盘快满了",
    bot: "已将 {mod} 的日志级别改为警告，并且保留 {n} 天，磁盘占用明显下降。",
    asked: ["{mod} 日志级别是什么", "{mod} 日志保留几天"],
  },
  {
    lang: "ja",
    say: "{mod} の検索結果が重複しているので直してください",
    bot: "{mod} の結合条件が不足していたため、検索結果が重複していました。`{fn}` を修正しました。",
    asked: ["{mod} の検索結果が重複した理由", "{mod} 結合条件 不足"],
  },
  {
    lang: "ja",
    say: "{mod} の設定ファイルを環境変数に移してほしい",
    bot:
      "{mod} の設定は環境変数 `{key}` から読み込むようにしました。古い設定ファイルは削除しました。",
    asked: ["{mod} の環境変数", "{mod} 設定 環境変数 移行"],
  },
];
const TALK = [
  "go on",
  "looks good, continue",
  "please run the tests again",
  "commit this with a good message",
  "hm, not convinced, look again",
  "thanks, next one",
  "can you clean up the imports",
  "open a pull request",
  "rebase on main first",
];
const SAID = [
  "I read the module and its callers. Nothing else depends on this behaviour, so the change is local. I kept the public names.",
  "All checks pass: format, lint, types and {n} tests. The snapshot of the API did not change.",
  "I looked at three options. The first keeps the interface, the second is faster but needs a new dependency, the third moves the work to a job. I went for the first.",
  "There is one thing left that I did not touch: the documentation of the old flag still mentions the previous behaviour.",
  "The branch is rebased and pushed. CI is running, I expect it to take {n} minutes.",
  "I removed the dead code and the two helper functions that nobody called.",
];
const DECISIONS = [
  {
    told: [
      "After comparing both we go with {svc} for {mod}: it is what the operators know, and backups exist.",
      "Decision: {mod} moves to {svc}, because the old store cannot do transactions over two keys.",
    ],
    asked: [
      "which backend did we pick for {mod}",
      "what did we settle on for storing {mod} data",
      "why {svc} for {mod}?",
    ],
  },
  {
    told: [
      "We leave {mod} on {ver} for now, the next major drops support for the old protocol.",
      "{mod} stays pinned at {ver}: later releases crash on ARM.",
    ],
    asked: ["why is {mod} not upgraded", "which version is {mod} held at and why"],
  },
  {
    told: [
      "The default of `{key}` is {n} from now on, {mod} had too many retries.",
      "`{key}` was lowered to {n} for {mod} after the incident.",
    ],
    asked: ["what is {key} set to for {mod}", "what did we do to the retries of {mod}", "{key}"],
  },
];
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
    const fill = (t: string) => t.replace(/\{(\w+)\}/g, (a, k) => String(Reflect.get(c, k) ?? a));
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
      const ids = [say("user", fill(of(inc.report)) + (quotes ? `\n\n${inc.trace(c)}` : ""))];
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
          ...!quotes ? [inc.trace(c)] : [],
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
      asks.push({
        kind: "symptom",
        text: fill(of(inc.asked)),
        relevant: ids,
        projectDir: dir,
        asOfMs: null,
      });
      asks.push({
        kind: "outcome",
        text: fill(of(inc.outcome)),
        relevant: [fix],
        projectDir: dir,
        asOfMs: null,
      });
      if (p(0.5)) {
        asks.push({
          kind: "time",
          text: `${
            of(["what broke in", "which problem did we have with", "what did we fix in"])
          } ${mod} ${
            of([`on ${day}`, `in ${new Date(sessionAt).toLocaleString("en", { month: "long" })}`])
          }?`,
          relevant: [...ids, fix],
          projectDir: dir,
          asOfMs: sessionAt + n(32, 70) * DAY,
        });
      }
    } else if (what < 0.75) {
      const f = of(FOREIGN), k = `${proj} ${mod} f${FOREIGN.indexOf(f)}`;
      const one = say("user", fill(f.say)),
        two = say("assistant", [fill(f.bot), ...p(0.5) ? [noise(c)] : []].join("\n\n"));
      if (!used.has(k)) {
        asks.push({
          kind: `lang ${f.lang}`,
          text: fill(of(f.asked)),
          relevant: [one, two],
          projectDir: dir,
          asOfMs: null,
        });
      }
      used.set(k, s);
    } else {
      const d = of(DECISIONS), k = `${proj} ${mod} d${DECISIONS.indexOf(d)}`;
      const text = [fill(of(SAID)), fill(of(d.told)), ...p(0.5) ? [noise(c)] : [], fill(of(SAID))]
        .join(p(0.5) ? "\n\n" : " ");
      const id = say(p(0.4) ? "user" : "assistant", text);
      if (!used.has(k)) {
        asks.push({
          kind: "decision",
          text: fill(of(d.asked)),
          relevant: [id],
          projectDir: dir,
          asOfMs: null,
        });
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
  for (const [file, ids] of byFile) {
    if (p(0.15)) {
      asks.push({
        kind: "file",
        text: of([file, `what did we do in ${file.split("/").at(-1)}`, `changes to ${file}`]),
        relevant: ids,
        projectDir: null,
        asOfMs: null,
      });
    }
  }
  for (const [fn, ids] of byFn) {
    if (p(0.15)) {
      asks.push({
        kind: "identifier",
        text: of([
          fn,
          `where is ${fn} used?`,
          `${fn.replace(/([A-Z])/g, " $1").toLowerCase()}`,
          `${fn.replace(/([A-Z])/g, "_$1").toLowerCase()}`,
        ]),
        relevant: ids,
        projectDir: null,
        asOfMs: null,
      });
    }
  }
  for (const [code, ids] of byCode) {
    if (p(0.15)) {
      asks.push({
        kind: "error code",
        text: of([code, `what was ${code} about`, `error ${code.toLowerCase()}`]),
        relevant: ids,
        projectDir: null,
        asOfMs: null,
      });
    }
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
