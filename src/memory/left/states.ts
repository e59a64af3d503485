/** What is said of how far the work is (`not one file is changed yet`, `PR #12 is open`), and by which later deed it is so no more. */
import { once } from "../once.ts";
import { tellingWords } from "../telling_words.ts";

type Words = ReadonlySet<string>;

/** What a turn did, by its words. */
export interface DoneIn {
  /** Of each of what it says is done, was made, or was asked for. */
  readonly told: readonly Words[];
  /** Whether it changed files. */
  readonly hasChanged: boolean;
}

/** A state, and the words with which one of the deeds ends it. */
interface State {
  /** What every text that says it has. It is soon read; the whole takes the engine 0.3 ms where it is first asked. */
  readonly hint: RegExp;
  readonly says: RegExp;
  /** One of each line has to be there; with none, any change is enough. */
  readonly ends: readonly string[];
  /** The same number has to be there where the state tells one. */
  readonly isNumbered?: boolean;
}

const STATES: readonly State[] = [
  {
    hint: /\b(?:no|not|nothing|nichts|only)\b|n['’](?:t|ai)\b|as it was/i,
    says:
      /\b(?:no (?:file|code|line|change)s? (?:has|have) been (?:touched|changed|edited|modified|made)|(?:have|has)(?: not|n['’]t) (?:yet )?(?:changed|touched|edited|modified) (?:anything|any\b|a line|the code)|nothing (?:of (?:it|this|that) )?(?:has been |is |was )?(?:changed|touched|implemented|edited)|(?:was|is) only a look|code is as it was|only diagnosed|noch nichts geändert|nichts (?:ist |wurde )?geändert|je n['’]ai (?:encore )?rien (?:modifié|changé)|no he (?:cambiado|tocado|modificado) nada)/i,
    ends: [],
  },
  {
    hint: /\b[PM]R\b|request|opened|draft/i,
    says:
      /\b(?:PR|MR|pull request|merge request)\b[^.\n]*\b(?:is|are) (?:still )?(?:open|up|a draft)\b|\b(?:opened|draft)\b[^.\n]*(?:#|!)\d+|\bPR ist offen|\bPR (?:\S+ )?est ouverte|\b(?:PR \S+ está abiert|La PR \d+ è apert)/i,
    ends: ["merge merged landed closed gemergt fusionado fusionné unita mergeada gemerged"],
    isNumbered: true,
  },
  {
    hint: /\b[PM]R\b|request/i,
    says:
      /\bno (?:PR|MR|pull request)\b|\b(?:PR|MR|pull request)\b[^.\n]*(?:\bnot|n['’]t)\b[^.\n]*\b(?:opened|created)|(?:\bnot|n['’]t)\b[^.\n]*\b(?:opened|created) (?:a|the|any) (?:PR|MR|pull request)/i,
    ends: ["pr mr pull", "open opened create created up draft"],
  },
  {
    hint: /remote/i,
    says: /\bno (?:git )?remote\b|\bgit remote add\b/i,
    ends: ["push pushed"],
  },
  {
    hint: /test/i,
    says:
      /\btests?\b[^.\n]*(?:\bnot|n['’]t)\b[^.\n]*\b(?:run|executed)\b|(?:\bnot|n['’]t)\b[^.\n]*\b(?:run|execute) (?:the |any |all )?(?:\w+ ){0,2}tests?\b|\btests? (?:aún |ainda |todavía )?n(?:o|ão) |Tests? (?:habe|wurden)[^.\n]*nicht|tests?\b[^.\n]*\bnon\b/i,
    ends: [
      "test suite tests prueba testes",
      "pass passed green ran run grün pasan passam verde verts",
    ],
  },
  {
    hint: /running|finished/i,
    says:
      /\b(?:CI|pipeline|build|workflow|job)\b[^.\n]*\b(?:still running|is running|not finished)\b/i,
    ends: ["ci pipeline job build workflow all", "green pass passed red failed"],
  },
];

const endsOf = once(() => STATES.map(({ ends }) => ends.map((line) => wordsLike(line))));
const NUMBER = /[#!](\d+)/;
/** More of a text is not looked at. */
const MAX_CHARS = 1_000;

/** Whether what is left tells a state that a turn has ended. */
export function isOutlived(said: string, { told, hasChanged }: DoneIn): boolean {
  const text = said.slice(0, MAX_CHARS);
  return STATES.some(({ hint, says, isNumbered }, at) => {
    if (!hint.test(text) || !says.test(text)) return false;
    const ends = endsOf()[at]!;
    if (ends.length === 0) return hasChanged;
    const [, number] = NUMBER.exec(text) ?? [];
    return told.some((words) =>
      ends.every((line) => !line.isDisjointFrom(words)) &&
      (isNumbered !== true || number === undefined || isNumberless(words) || words.has(number))
    );
  });
}

/** No number stands in them: what is spoken of is the one that is known. */
function isNumberless(words: Words): boolean {
  return ![...words].some((word) => /^\d{1,6}$/.test(word));
}

function wordsLike(line: string): Words {
  return new Set([...tellingWords(line), ...line.split(" ")]);
}
