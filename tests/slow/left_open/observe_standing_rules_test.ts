import assert from "node:assert/strict";
import { observe } from "../../../src/memory/observe/observe.ts";
import { standingRules } from "../../../src/memory/observe/standing_rules.ts";

const RULES: readonly (readonly [prompt: string, rule: string])[] = [
  [
    "From now on always use pnpm, never npm. Add the search page.",
    "From now on always use pnpm, never npm.",
  ],
  [
    "Stop. Never edit generated files under src/gen, they are overwritten.",
    "Never edit generated files under src/gen, they are overwritten.",
  ],
  ["and please always run the linter before a commit", "always run the linter before a commit"],
  ["Use vitest, not jest.", "Use vitest, not jest."],
  ["Don't use any casts again.", "Don't use any casts again."],
  ["- In this repo we never force-push to main", "In this repo we never force-push to main"],
  ["Remember to bump the version in both places.", "Remember to bump the version in both places."],
  ["Rule: one component per file", "Rule: one component per file"],
  ["Ab jetzt bitte nur noch pnpm benutzen.", "Ab jetzt bitte nur noch pnpm benutzen."],
  ["Verwende immer einfache Anführungszeichen.", "Verwende immer einfache Anführungszeichen."],
  ["Fix the test.\nNever mock the database!", "Never mock the database!"],
];

/** Of which the whole is told, or all but what may stand before a rule. */
const WHOLE: readonly string[] = [
  "From now on, use pnpm instead of npm.",
  "Never touch the files under vendor/.",
  "Always run the linter before you commit.",
  "We decided to go with Postgres instead of MySQL.",
  "Use tabs, not spaces.",
  "Remember: the staging DB is read-only.",
  "Ab jetzt bitte alle Commit-Nachrichten auf Deutsch.",
  "Fass niemals die Datei legacy.php an.",
  "À partir de maintenant, écris les commits en français.",
  "N'utilise jamais console.log.",
  "Utilise toujours des guillemets simples.",
  "Ne modifie jamais les migrations existantes.",
  "Désormais, les messages de commit sont en anglais.",
  "Nunca uses any en TypeScript.",
  "A partir de ahora, escribe los mensajes en español.",
  "No uses nunca console.log en producción.",
  "Usa siempre comillas simples.",
  "今後はコメントを日本語で書いてください",
  "絶対にmainに直接プッシュしないでください。",
  "コミットの前に必ずテストを実行してください。",
  "以后不要使用any类型",
  "从现在开始使用pnpm代替npm。",
  "永远不要直接推送到main分支",
  "请始终使用单引号。",
  "Больше никогда не трогай миграции.",
  "Всегда пиши комментарии на русском.",
  "Никогда не используй any.",
  "С этого момента используй pnpm.",
  "Do not ever force-push to main.",
  "In future, prefer composition over inheritance",
  "Stop using lodash",
  "Going forward, all dates are in UTC.",
  "no emojis in commit messages please",
  "You must not edit generated files (*.gen.ts).",
  "You must not edit generated files",
  "By convention we name hooks useXyz.",
  "from now on i want you to ask before adding dependencies",
  "Bitte immer zuerst einen Plan zeigen, bevor du Code änderst.",
  "In Zukunft keine Default-Exports mehr.",
  "Actually scrap that, use npm again from now on.",
  "Please use British spelling from now on",
  "Run the linter before every commit.",
  "Whenever you add a migration, update the schema docs too.",
  "After each change run the tests.",
  "Generated files must never be edited by hand.",
  "I want you to always explain your plan first.",
  "Du darfst nie direkt auf main pushen.",
  "Keine Emojis in Commit-Nachrichten bitte.",
  "vendor/ is off-limits.",
  "I prefer tabs over spaces.",
  "앞으로는 커밋 메시지를 한국어로 작성해 주세요.",
  "Non usare mai any.",
  "D'ora in poi usa pnpm.",
  "Make sure to always run prettier",
  "Stop adding comments to the code",
];

/** What other people say, what is to be written somewhere, and what is said beside that. */
const OF_OTHERS: readonly (readonly [prompt: string, rules: readonly string[]])[] = [
  [
    "> From now on use tabs\n\nThat is what Bob wrote in the PR. I disagree. What do you think?",
    [],
  ],
  ["> From now on use tabs\n\nBob is right, let's do that.", ["From now on use tabs"]],
  ["> Never push to main\n\nAgreed, that's the rule.", ["Never push to main"]],
  ["> Never push to main\n\nShould we do that?", []],
  ["> Never push to main\n\nDo not follow that.", []],
  [
    "Here's my PR description, improve it:\n\n## Summary\nNever use the old client.\n\n## Plan\nNever merge it.",
    [],
  ],
  ["Add a search page. Requirements:\n- Always show ten results", []],
  ["# Never edit this file by hand\nx = 1\nWhat does that say?", []],
  ["Fix the parser, and follow these rules:\n- Never edit src/gen.", ["Never edit src/gen."]],
  ["from now on", []],
  ["Bob wrote:\nNever push to main.\nAlways squash.\n\nWhat do you think?", []],
  ["Here is the log:\n\nNever call setState in render\n\nfix it", []],
  ['The reviewer says "This is bad. Never use any. Always use unknown." Fix it.', []],
  ["Some rules:\n- Never push to main.\n- Always squash commits.", [
    "Never push to main.",
    "Always squash commits.",
  ]],
  ["Fix the parser. Keep in mind:\n\n- never edit src/gen\n", ["never edit src/gen"]],
  ["Add these lines to the README:\n- Always use pnpm\n- Never push to main\n\nNever skip hooks.", [
    "Never skip hooks.",
  ]],
  ["Why does it fail? Never edit src/gen by hand.", ["Never edit src/gen by hand."]],
  ['Always name the button "Save". Never use 5" screens.', [
    'Always name the button "Save".',
    'Never use 5" screens.',
  ]],
];

const NONE: readonly string[] = [
  "Don't touch config.yml for this change",
  "For this task only, do not run the tests.",
  "Why does this function never return?",
  "It always crashes when I click save, fix it",
  "The user should never see a stack trace; fix the error page",
  "Make sure the cache is never larger than 10MB",
  "I never understood this code, explain",
  "add a rule to eslint: never use var",
  "Remember to add a test for this",
  "Remember to add a test for the new endpoint.",
  '"From now on, use pnpm" is what the README says - is that right?',
  'Write a blog post with the title "Never touch a running system"',
  "never mind",
  "Never mind the tests, just fix the typo",
  "do not commit yet",
  "always",
  "Can you always use strict mode?",
  "If the list is empty, never render the footer",
  "Never render the footer when the list is empty",
  "In this session never run the tests, they take too long.",
  "While you work on the parser, never touch the lexer.",
  "Until Friday never deploy.",
  "Never deploy until Friday.",
  "Write in the docs that users should never share their token.",
  "Translate this sentence to French: From now on, all orders ship free.",
  "Rename the constant to NEVER_TOUCH and always set it to true.",
  "Add a validation: from now on emails must be unique.",
  "Fix this error: 'Always pass weights_only=True'. ",
  "Bob said we should always use tabs, but let us keep spaces.",
  "Add to CLAUDE.md: always use pnpm.",
  'The docs say "never edit dist/". Delete that sentence.',
  "Use a Map instead of an object here.",
  "Use fetch instead of axios in src/api.ts",
  "Use the new endpoint instead of the old one",
  "No errors in the code, great",
  "No more errors in the console!",
  "Le test ne passe jamais sur CI.",
  "Nunca funciona en producción, arréglalo",
  "Всегда падает при запуске",
  "Больше не падает, спасибо",
  "いつも失敗します。直してください",
  "今回は必ずテストを実行してください",
  "以后再说",
  "这次不要提交",
  "Don't try again",
  "Every time I save it crashes",
  "After every deploy the cache is stale",
  "Login is not allowed",
  "403 is forbidden",
  "Before each test the database is reset",
  "You should not see any error",
  "I prefer the second option",
  "Stop the server",
  "Don't commit anything yet",
  "Always show today's date in the header? Not sure.",
  "今後はどうなりますか",
  "以后会怎么样",
  "Immer wenn ich speichere, stürzt es ab",
  "never mind, leave it",
  "It always fails on CI, never locally. Why?",
  "Always use pnpm?",
  "Should we always use pnpm?",
  "The cache never returns a value",
  "always green now",
  "Use the new API not",
  "Add a rule: users may not vote twice",
  "```\nnever use eval in here\n```\nWhat does this say",
  "never run",
];

Deno.test("standingRules() finds what a person lays down for all that comes", () => {
  for (const [prompt, rule] of RULES) assert.deepEqual(standingRules(prompt), [rule]);
});

for (const prompt of WHOLE) {
  Deno.test(`standingRules() finds a rule: ${prompt}`, () => {
    const [rule = "", ...others] = standingRules(prompt);
    assert.ok(rule !== "" && prompt.endsWith(rule), rule);
    assert.deepEqual(others, []);
  });
}

Deno.test("standingRules() tells what others say apart from what a person lays down", () => {
  for (const [prompt, rules] of OF_OTHERS) assert.deepEqual(standingRules(prompt), rules, prompt);
});

Deno.test("standingRules() finds none in reports, questions, tasks and code", () => {
  for (const prompt of NONE) assert.deepEqual(standingRules(prompt), [], prompt);
});

Deno.test("a rule in a prompt is a decision besides it", () => {
  const told = observe({
    toolName: "UserPromptSubmit",
    outcome: "success",
    payload: { prompt: "From now on use pnpm. Never use npm here! Add a page." },
    root: "/p",
  });
  assert.equal(told?.kind, "prompt");
  const rules = [told?.besides, told?.besides?.besides];
  assert.deepEqual(rules.map((one) => [one?.kind, one?.title]), [
    ["decision", "From now on use pnpm."],
    ["decision", "Never use npm here!"],
  ]);
  assert.equal(told?.besides?.besides?.besides, undefined);
});
