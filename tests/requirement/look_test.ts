/** The cheap look that spares most tool uses a parser. */
import assert from "node:assert/strict";
import { readUses } from "../../src/guard/bash.ts";
import { ARCHIVERS, NAMED_OUTPUTS, WRITERS } from "../../src/guard/shell/writers.ts";
import { lookAtCommand } from "../../src/requirement/look.ts";
import { DOUBTFUL, FORBIDDEN, INNOCENT } from "../guard/spellings.ts";

const EDITS = { tools: [], edits: true, commands: "" };

Deno.test("the cheap look lets no command pass that changes files, or may", () => {
  const unseen = [...FORBIDDEN, ...INNOCENT, ...DOUBTFUL]
    .flatMap(([tool, command]) => tool === "Bash" ? [command] : [])
    .filter((command) => {
      const { changed, untold } = readUses(command, { folder: "/p", home: "/h" });
      // What is no script is not run either; what lies too deep is named in the text.
      const commands = untold.commands.filter((why) =>
        !/^it (?:cannot be read|is nested)/.test(why)
      );
      return changed.length + commands.length + untold.files.length > 0;
    })
    .filter((command) => lookAtCommand(EDITS, command) === "no");
  assert.deepEqual(unseen, []);
});

Deno.test("the cheap look knows every program that changes files", () => {
  const programs = [...WRITERS].filter(([, { operands }]) => operands !== "tampered")
    .map(([name]) => name);
  const unknown = [...programs, ...NAMED_OUTPUTS.keys(), ...ARCHIVERS]
    .filter((name) => lookAtCommand(EDITS, `${name} a b`) === "no");
  assert.deepEqual(unknown, []);
});
