import { command, group, someText } from "../command.ts";

const load = () => import("../actions/config.ts");

/** `conclaude config …` */
export const config = group({
  verbs: {
    init: command({
      person: "config init",
      load: async () => (await load()).initConfig,
      parameters: {
        flags: {
          user: {
            kind: "boolean",
            default: false,
            brief: "The user's own: ~/.conclaude/config.yaml",
          },
          local: {
            kind: "boolean",
            default: false,
            brief: "This folder's private one: .conclaude.local.yaml",
          },
          force: { kind: "boolean", default: false, brief: "Replace a file that is there" },
        },
      },
      brief: "Write a configuration file with every key explained",
      about:
        "Writes a configuration file in which every key stands commented out at its default, and the keys of a rule\n" +
        "above its list: .conclaude.yaml in this folder, unless a flag says otherwise. A file that is there is not\n" +
        "touched without --force.",
      examples: ["conclaude config init", "conclaude config init --user"],
    }),
    path: command({
      load: async () => (await load()).configPath,
      parameters: { flags: {} },
      brief: "List the files that count here",
      about:
        "Lists the configuration files that count in this folder, lowest layer first, and where they were\n" +
        "looked for. A later file lies over an earlier one.",
      examples: ["conclaude config path", "conclaude config path --json"],
    }),
    trust: command({
      person: "config trust",
      load: async () => (await load()).trustFolder,
      parameters: {
        flags: {
          remove: { kind: "boolean", default: false, brief: "Take that back" },
        },
        positional: {
          kind: "tuple",
          parameters: [{ parse: someText, brief: "The folder", placeholder: "dir" }],
        },
      },
      brief: "Let the files of a folder count, whoever may write them",
      about:
        "Says that configuration, workflows and prompts in a folder, and in all below it, count although it belongs\n" +
        "to another user, as in a container or on a mount, or others may write there. Whoever can write there then\n" +
        "decides what is run as you. `conclaude config path` lists such folders. An agent is kept from running this.",
      examples: [
        "conclaude config trust /workspace",
        "conclaude config trust /workspace --remove",
      ],
    }),
    show: command({
      load: async () => (await load()).showConfig,
      parameters: {
        flags: {
          effective: {
            kind: "boolean",
            default: true,
            brief: "Every key, also those that no file names; --no-effective leaves them out",
          },
        },
      },
      brief: "Show the merged values, and where each comes from",
      about:
        "Shows the configuration as it counts in this folder, as YAML, each key with the file that set it.",
      examples: ["conclaude config show", "conclaude config show --no-effective --json"],
    }),
    validate: command({
      load: async () => (await load()).validateConfig,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{
            parse: someText,
            brief:
              "A file to judge by itself, or a folder for all that count there; without it, here",
            placeholder: "path",
            optional: true,
          }],
        },
      },
      brief: "Check the configuration files",
      about:
        "Checks configuration files and names every problem with file, line and column. Exit status 1 when\n" +
        "there is one. A hook goes on with what is valid.",
      examples: ["conclaude config validate", "conclaude config validate .conclaude.yaml --json"],
    }),
    schema: command({
      load: async () => (await load()).configSchema,
      parameters: { flags: {} },
      brief: "Print the JSON Schema of the configuration",
      about: "Prints the JSON Schema of a configuration file, for editors.",
      examples: ["conclaude config schema > conclaude.schema.json"],
    }),
  },
  brief: "Configuration files: write, find, show, check",
  examples: [
    "conclaude config init",
    "conclaude config show",
    "conclaude config validate --json",
  ],
});
