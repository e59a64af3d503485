/**
 * A made-up history of work to measure memory by: sessions in which people and Claude talk about components of programs,
 * and questions about what was said. Most of what is said resembles something else that was said: the same component in
 * another session, the same kind of fact of another component, an identifier with one other word.
 */
import type { EvalDocument, EvalQuestion } from "../../src/memory/eval_set.ts";
import { seededRandom } from "./tool_uses.ts";

/** What a question is like. */
export type QuestionKind =
  | "fact"
  | "paraphrase"
  | "neighbour"
  | "identifier"
  | "identifier words"
  | "path"
  | "date"
  | "negative";

/** A question with what it is like. */
export interface CorpusQuestion extends EvalQuestion {
  readonly kind: QuestionKind;
}

/** A history and what is asked about it. */
export interface Corpus {
  readonly documents: readonly EvalDocument[];
  readonly questions: readonly CorpusQuestion[];
}

const words = (text: string) => text.split(" ");

const OWNERS = words(
  "invoice ledger checkout shipping catalog search payroll billing tenant audit report calendar inbox gallery playlist sensor firmware cluster backup gateway",
);
const PARTS = words(
  "renderer importer scheduler parser cache exporter validator router worker indexer notifier resolver uploader compiler balancer archiver sampler throttler tokenizer merger",
);
const VERBS = words(
  "parse load render merge validate schedule fetch encode resolve archive count split retry publish drain hydrate collect normalize",
);
const NOUNS = words(
  "rows totals events tokens shards pages labels offsets chunks vouchers slots digests cursors batches anchors quotas frames ranges",
);
const TAILS = words("Safely Once Lazily Sync Async Batch Chunk Tree Map Set Guard Loop");
const FOLDERS = words(
  "src/core src/jobs src/http lib/store lib/format app/models app/views pkg/queue internal/sync tools/release",
);
const EXTENSIONS = words("ts go py rs java rb");
const PEOPLE = words("Ana Bo Chidi Dana Emre Farah Goran Hana Ines Jon");
const TECH = words("Postgres Redis SQLite Kafka DynamoDB S3 RabbitMQ Memcached Etcd Mongo");
const CAUSES = [
  "the config had a trailing comma",
  "a null slipped through the decoder",
  "two workers raced for the same lock",
  "the clock of the container was behind",
  "an integer overflowed on big files",
  "the retry loop never slept",
  "the certificate had expired",
  "a migration was applied twice",
  "the socket was closed by the proxy",
  "the locale changed the decimal sign",
];
const REASONS = [
  "it keeps the order of writes",
  "ops already runs it",
  "the license fits us",
  "it survives a restart",
  "we need range scans",
  "latency stays under ten milliseconds",
];

/** A kind of fact: how it is told, asked plainly, and asked in other words. `{e}` is the component, `{v}` the value. */
interface FactKind {
  readonly value: (random: () => number) => string;
  readonly told: readonly string[];
  readonly asked: readonly string[];
  readonly paraphrased: readonly string[];
}

const number = (from: number, to: number) => (random: () => number) =>
  String(from + Math.floor(random() * (to - from)));
const oneOf = <Item>(items: readonly Item[]) => (random: () => number) =>
  items[Math.floor(random() * items.length)]!;

const FACTS: readonly FactKind[] = [
  {
    value: number(2000, 9000),
    told: [
      "The {e} listens on port {v} in staging from now on.",
      "I moved the {e} to port {v}, the old one clashed with the proxy.",
    ],
    asked: ["Which port does the {e} listen on?", "port of the {e} in staging"],
    paraphrased: [
      "What port number did we give the {e} after the conflict?",
      "where can I reach the {e} on staging, which port",
    ],
  },
  {
    value: number(3, 300),
    told: [
      "Raised the timeout of the {e} to {v} seconds, slow links kept failing.",
      "The {e} now gives up after {v} seconds instead of hanging.",
    ],
    asked: ["What is the timeout of the {e}?", "{e} timeout seconds"],
    paraphrased: [
      "How long does the {e} wait before it gives up?",
      "after how many seconds does the {e} stop waiting",
    ],
  },
  {
    value: oneOf(CAUSES),
    told: [
      "Found why the {e} crashed: {v}. Added a guard.",
      "Root cause of the {e} crash is that {v}; fixed with a check.",
    ],
    asked: ["Why did the {e} crash?", "root cause of the {e} crash"],
    paraphrased: [
      "What made the {e} crash back then and how was it fixed?",
      "the {e} kept crashing, what was the reason",
    ],
  },
  {
    value: oneOf(TECH),
    told: [
      "We decided that the {e} stores its state in {v}, because " + REASONS[0] + ".",
      "Decision for the {e}: {v} as its store, since " + REASONS[3] + ".",
    ],
    asked: ["Where does the {e} store its state?", "decision about the store of the {e}"],
    paraphrased: [
      "Which database did we choose for the {e}?",
      "what did we decide to use for storing state of the {e}",
    ],
  },
  {
    value: oneOf(PEOPLE),
    told: [
      "{v} reviews every change of the {e} from this month on.",
      "Please ask {v} before you touch the {e}; they own it now.",
    ],
    asked: ["Who owns the {e}?", "who reviews changes of the {e}"],
    paraphrased: [
      "Whom do I have to ask before changing the {e}?",
      "who is responsible for reviewing the {e}",
    ],
  },
  {
    value: (random) =>
      `${1 + Math.floor(random() * 9)}.${Math.floor(random() * 30)}.${Math.floor(random() * 10)}`,
    told: [
      "Pinned the client library of the {e} to {v}, newer ones leak.",
      "The {e} stays on version {v} of its driver until the leak is gone.",
    ],
    asked: ["Which version is the {e} pinned to?", "pinned driver version of the {e}"],
    paraphrased: [
      "What release of the library does the {e} have to stay on?",
      "why can't we upgrade the driver of the {e}",
    ],
  },
  {
    value: number(40, 95),
    told: [
      "Caching in the {e} cut its latency by {v} percent.",
      "The {e} is {v} percent faster since the query is batched.",
    ],
    asked: ["How much faster is the {e} now?", "latency gain of the {e} percent"],
    paraphrased: [
      "By how many percent did the {e} speed up?",
      "what did caching bring for the speed of the {e}",
    ],
  },
  {
    value: (random) => `EX${1000 + Math.floor(random() * 9000)}`,
    told: [
      "The {e} answers {v} when the quota is used up.",
      "Error {v} of the {e} means that the quota is exhausted.",
    ],
    asked: [
      "Which error code does the {e} give when the quota is used up?",
      "{e} quota error code",
    ],
    paraphrased: [
      "What code comes back from the {e} once we are over quota?",
      "how do I recognise an exhausted quota in the {e}",
    ],
  },
  {
    value: number(1, 28),
    told: [
      "Backups of the {e} are kept for {v} days, then pruned.",
      "Retention of the {e} backups is {v} days now.",
    ],
    asked: ["How long are backups of the {e} kept?", "{e} backup retention days"],
    paraphrased: [
      "After how many days do we throw away backups of the {e}?",
      "when are old {e} backups pruned",
    ],
  },
  {
    value: (random) => `${oneOf(OWNERS)(random)}-${oneOf(NOUNS)(random)}-flag`,
    told: [
      "The new path of the {e} is behind the flag {v}.",
      "Set {v} to switch the rewritten {e} on.",
    ],
    asked: ["Behind which flag is the {e}?", "feature flag of the {e}"],
    paraphrased: [
      "How do I switch the rewritten {e} on?",
      "what flag enables the new path of the {e}",
    ],
  },
];

const CHATTER = [
  "Let me look at the {e} first.",
  "I read the code of the {e} and ran its tests, {n} passed.",
  "Looks good, go on with the {e}.",
  "Please clean up the tests of the {e} as well.",
  "The build is green again after {n} minutes.",
  "I will continue with the {e} after the review.",
  "Can you explain what the {e} does with empty input?",
  "Formatting only, nothing about the {e} changed.",
  "The {e} needs better names, but not today.",
  "Rebased on main, {n} files changed.",
];
const CODE = [
  "Renamed {i} and updated its callers in {p}.",
  "`{i}` in {p} returns early now when there is nothing to do.",
  "Added a test for {i}; it covers the empty case ({p}).",
  "Moved {i} out of {p}, it had grown too long.",
];
/** A person asks, and the answer says nothing of what was asked about. */
const SHORT_ANSWERS = [
  "About {n} of them, give or take.",
  "Only on weekends, at {n} past midnight.",
  "Because {c}.",
  "{t}, and it stays that way.",
  "No, {q} said we leave it for now.",
];
const SHORT_QUESTIONS = [
  "How many {x} can the {e} hold?",
  "When does the {e} refresh its {x}?",
  "Why do the {x} of the {e} look wrong?",
  "Where do the {x} of the {e} go?",
  "Should the {e} drop stale {x}?",
];

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2025, 0, 6);

interface ToldFact {
  readonly kind: FactKind;
  readonly component: string;
  readonly document: EvalDocument;
}

/**
 * Makes a history.
 *
 * @param size Documents and questions, about as many as asked for.
 */
export function makeCorpus(
  seed: number,
  size: { readonly documents: number; readonly questions: number },
): Corpus {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]) => oneOf(items)(random);
  const fill = (text: string, values: Readonly<Record<string, string>>) =>
    text.replace(/\{(\w)\}/g, (whole, name) => values[name] ?? whole);
  const components = OWNERS.flatMap((owner) => PARTS.map((part) => `${owner} ${part}`));
  const known = components.filter((_, at) => at % 8 !== 0);
  const unknown = components.filter((_, at) => at % 8 === 0);
  const projects = Array.from({ length: 10 }, (_, n) => `/home/ana/work/app${n}`);
  const identifier = () => {
    const verb = pick(VERBS);
    const owner = pick(OWNERS);
    const noun = pick(NOUNS);
    const tail = random() < 0.4 ? pick(TAILS) : "";
    return verb + upper(owner) + upper(noun) + tail;
  };
  const path = (name: string) =>
    `${pick(FOLDERS)}/${name.replace(/([A-Z])/g, "_$1").toLowerCase()}.${pick(EXTENSIONS)}`;

  const documents: EvalDocument[] = [];
  const facts: ToldFact[] = [];
  const neighbours: { readonly asked: string; readonly answer: EvalDocument }[] = [];
  const code: { readonly name: string; readonly path: string; readonly document: EvalDocument }[] =
    [];
  const sessions: {
    readonly component: string;
    readonly atMs: number;
    readonly project: string;
    readonly facts: ToldFact[];
  }[] = [];
  for (let session = 0; documents.length < size.documents; session++) {
    const project = pick(projects);
    const component = pick(known);
    const atMs = START_MS + Math.floor((session / (size.documents / 10)) * 600) * DAY_MS +
      Math.floor(random() * 8 * 3_600_000) + 9 * 3_600_000;
    const sessionId = `session-${session}`;
    let turn = 0;
    const say = (role: "user" | "assistant", text: string): EvalDocument => {
      const document = {
        id: `d${documents.length}`,
        sessionId,
        projectDir: project,
        text,
        createdAtMs: atMs + turn++ * 90_000,
        role,
      };
      documents.push(document);
      return document;
    };
    const own: ToldFact[] = [];
    say(
      "user",
      fill(
        pick([
          "Please work on the {e}.",
          "Next is the {e}, see the ticket.",
          "Go on with the {e}.",
        ]),
        { e: component },
      ),
    );
    const parts = 2 + Math.floor(random() * 3);
    const kinds = FACTS.map((kind) => ({ kind, place: random() }))
      .sort((one, other) => one.place - other.place).slice(0, parts).map(({ kind }) => kind);
    for (const kind of kinds) {
      const values = { e: component, v: kind.value(random) };
      const lead = random() < 0.4
        ? `${fill(pick(CHATTER), { e: component, n: String(Math.floor(random() * 90)) })} `
        : "";
      const document = say(
        random() < 0.5 ? "user" : "assistant",
        lead + fill(pick(kind.told), values),
      );
      const fact = { kind, component, document };
      own.push(fact);
      facts.push(fact);
      if (random() < 0.5) {
        say(
          "assistant",
          fill(pick(CHATTER), { e: component, n: String(Math.floor(random() * 90)) }),
        );
      }
    }
    if (random() < 0.5) {
      const asked = fill(pick(SHORT_QUESTIONS), { e: component, x: pick(NOUNS) });
      say("user", asked);
      const answer = say(
        "assistant",
        fill(pick(SHORT_ANSWERS), {
          n: String(Math.floor(random() * 60)),
          c: pick(CAUSES),
          t: pick(TECH),
          q: pick(PEOPLE),
        }),
      );
      neighbours.push({ asked, answer });
    }
    for (let n = 0; n < 2; n++) {
      const name = identifier();
      const file = path(identifier());
      code.push({
        name,
        path: file,
        document: say("assistant", fill(pick(CODE), { i: name, p: file })),
      });
    }
    sessions.push({ component, atMs, project, facts: own });
  }

  const questions: CorpusQuestion[] = [];
  const ask = (
    kind: QuestionKind,
    text: string,
    relevant: readonly EvalDocument[],
    more: Partial<CorpusQuestion> = {},
  ) =>
    questions.push({
      id: `q${questions.length}`,
      kind,
      text,
      relevant: relevant.map(({ id }) => id),
      projectDir: null,
      asOfMs: null,
      ...more,
    });
  const sameFacts = ({ kind, component }: ToldFact) =>
    facts.filter((fact) => fact.kind === kind && fact.component === component).map(({ document }) =>
      document
    );
  const makers: readonly (readonly [share: number, make: () => void])[] = [
    [0.16, () => {
      const fact = pick(facts);
      ask("fact", fill(pick(fact.kind.asked), { e: fact.component }), sameFacts(fact));
    }],
    [0.22, () => {
      const fact = pick(facts);
      ask("paraphrase", fill(pick(fact.kind.paraphrased), { e: fact.component }), sameFacts(fact));
    }],
    [0.12, () => {
      const { asked, answer } = pick(neighbours);
      ask("neighbour", asked.replace(/\?$/, ""), [answer]);
    }],
    [0.12, () => {
      const { name } = pick(code);
      ask(
        "identifier",
        pick(["{i}", "where is {i} used", "what did we do to {i}?"]).replace("{i}", name),
        code.filter((one) => one.name === name).map(({ document }) => document),
      );
    }],
    [0.1, () => {
      const { name } = pick(code);
      const spoken = name.replace(/([A-Z])/g, " $1").toLowerCase();
      ask(
        "identifier words",
        spoken,
        code.filter((one) => one.name === name).map(({ document }) => document),
      );
    }],
    [0.12, () => {
      const one = pick(code);
      const base = one.path.split("/").at(-1)!;
      const spoken = random() < 0.5 ? one.path : base;
      ask(
        "path",
        pick(["what happened in {p}", "{p}", "changes of {p}?"]).replace("{p}", spoken),
        code.filter(({ path }) =>
          path === one.path || (spoken === base && path.endsWith(`/${base}`))
        ).map(({ document }) => document),
      );
    }],
    [0.1, () => {
      const session = pick(sessions.filter(({ facts }) => facts.length > 0));
      const day = new Date(session.atMs).toISOString().slice(0, 10);
      const same = sessions.filter(({ component, atMs }) =>
        component === session.component && new Date(atMs).toISOString().startsWith(day)
      );
      ask(
        "date",
        pick(["what did we do about the {e} on {d}?", "{d}: {e}", "the {e}, as of {d}"]).replace(
          "{e}",
          session.component,
        ).replace("{d}", day),
        same.flatMap(({ facts }) => facts.map(({ document }) => document)),
        { asOfMs: session.atMs + 40 * DAY_MS },
      );
    }],
    [0.06, () => {
      const fact = pick(facts);
      ask("negative", fill(pick(fact.kind.asked), { e: pick(unknown) }), []);
    }],
  ];
  for (const [share, make] of makers) {
    for (let n = 0; n < Math.round(share * size.questions); n++) make();
  }
  return { documents, questions };
}

function upper(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
