/**
 * A made-up history of work to measure memory by: sessions in which people and Claude talk about components of programs,
 * and questions about what was said. Most of what is said resembles something else that was said: the same component in
 * another session, the same kind of fact of another component, an identifier with one other word.
 */
import sentences from "../testdata/memory_corpus.json" with { type: "json" };
import { type EvalDocument, type EvalQuestion } from "../../src/memory/search/eval.ts";
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

const { owners: OWNERS, parts: PARTS, verbs: VERBS, nouns: NOUNS, tails: TAILS } =
  sentences.vocabulary;
const { folders: FOLDERS, extensions: EXTENSIONS, people: PEOPLE, tech: TECH } =
  sentences.vocabulary;
const CAUSES = sentences.causes;

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

/** The values of the facts, in the order of their sentences. */
const VALUES: readonly FactKind["value"][] = [
  number(2000, 9000),
  number(3, 300),
  oneOf(CAUSES),
  oneOf(TECH),
  oneOf(PEOPLE),
  (random) =>
    `${1 + Math.floor(random() * 9)}.${Math.floor(random() * 30)}.${Math.floor(random() * 10)}`,
  number(40, 95),
  (random) => `EX${1000 + Math.floor(random() * 9000)}`,
  number(1, 28),
  (random) => `${oneOf(OWNERS)(random)}-${oneOf(NOUNS)(random)}-flag`,
];
const FACTS: readonly FactKind[] = sentences.facts.map((fact, at) => ({
  ...fact,
  value: VALUES[at]!,
}));
const { chatter: CHATTER, code: CODE } = sentences;
/** A person asks, and the answer says nothing of what was asked about. */
const { shortAnswers: SHORT_ANSWERS, shortQuestions: SHORT_QUESTIONS } = sentences;

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2025, 0, 6);

type ToldFact = Readonly<{ kind: FactKind; component: string; document: EvalDocument }>;

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

/** A corpus as `memory eval` takes it: a line of JSON for every document and question. */
export function evalSet({ documents, questions }: Corpus): string {
  return [
    ...documents.map((document) => ({ type: "document", ...document })),
    ...questions.map((question) => ({ type: "question", ...question })),
  ].map((line) => JSON.stringify(line)).join("\n");
}

/** What `memory eval --json` says of one way to search. */
export interface EvalScores {
  readonly recall: {
    readonly any: Readonly<Record<string, number>>;
    readonly fraction: Readonly<Record<string, number>>;
  };
  readonly mrr: number;
}
