/** A project with some files, and what the guards say of a tool use there, without a hook around them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { judgeUse } from "../../src/policy/guards/judge_use.ts";
import type { GuardPolicy, Verdict } from "../../src/policy/guards/guard_policy.ts";
import type { FileFacts } from "../../src/policy/guards/types.ts";
import { findRepository, lookUpwards } from "../../src/system/git/repository.ts";
import { THIS_PROCESS } from "../../src/system/environment.ts";
import { parseConfig } from "./configuration.ts";
import { removeFolder } from "./folders.ts";

export class JudgedProject implements Disposable {
  readonly #home = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-judged-" }));
  readonly path = join(this.#home, "work", "project");
  readonly policy: GuardPolicy;

  /** Makes the files, each with the text `x`; a name that ends in `/` is a folder. */
  constructor(config: string, files: readonly string[]) {
    for (const file of files.map((name) => join(this.path, name))) {
      Deno.mkdirSync(file.endsWith("/") ? file : join(file, ".."), { recursive: true });
      if (!file.endsWith("/")) Deno.writeTextFileSync(file, "x");
    }
    const path = join(this.path, ".conclaude.yaml");
    const { hook, problems } = parseConfig([{ layer: "project", path, text: config }]);
    assert.deepEqual(problems, []);
    this.policy = JSON.parse(hook.guards);
  }

  /** Judges a tool with its command, or with the file that it changes. `PROJECT` stands for the project's folder. */
  judge(
    tool: string,
    text: string,
    { isStrict = false, agent = "main", folder = this.path } = {},
  ): Promise<Verdict> {
    const key = { Edit: "file_path", Read: "file_path", Write: "file_path" }[tool] ??
      (tool === "NotebookEdit" ? "notebook_path" : "command");
    return judgeUse({ ...this.policy, isStrict }, {
      tool,
      input: { [key]: text.replaceAll("PROJECT", this.path) },
      environment: THIS_PROCESS,
      gitAliases: new Map(),
      agents: [agent],
      folder,
      projectDir: folder,
      home: this.#home,
    }, {
      configFiles: [],
      database: ":memory:",
      repository: findRepository(lookUpwards(folder)),
      environment: THIS_PROCESS,
    });
  }

  /** Holds that nothing is said of these shell commands. */
  async assertPlain(commands: readonly string[]): Promise<void> {
    for (const command of commands) {
      const verdict = await this.judge("Bash", command);
      assert.deepEqual(verdict, { blocks: [], doubts: [] }, command.slice(0, 100));
    }
  }

  [Symbol.dispose](): void {
    removeFolder(this.#home);
  }
}

/** The facts of a file in the project with this name. */
export function fileNamed(name: string, more: Partial<FileFacts> = {}): FileFacts {
  return {
    name,
    spellings: [name],
    real: name,
    own: null,
    ignored: null,
    exists: false,
    becomesFolder: () => false,
    isInRoot: false,
    head: "",
    text: () => null,
    effect: "change",
    below: [],
    isMadeAnew: false,
    isPart: false,
    comesFromGit: false,
    isElsewhere: false,
    ...more,
  };
}
