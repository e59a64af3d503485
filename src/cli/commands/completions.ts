import { command, group } from "../command.ts";

const load = () => import("../actions/completions.ts");

/** `conclaude completions …` */
export const completions = group({
  verbs: {
    bash: command({
      load: async () => (await load()).printBash,
      parameters: { flags: {} },
      brief: "Print the script for bash",
      about: "Prints the completion script for bash. Put the line below into ~/.bashrc.",
      examples: [
        "source <(conclaude completions bash)",
        "conclaude completions bash > ~/.local/share/bash-completion/completions/conclaude",
      ],
    }),
    zsh: command({
      load: async () => (await load()).printZsh,
      parameters: { flags: {} },
      brief: "Print the script for zsh",
      about:
        "Prints the completion script for zsh. Put the line below into ~/.zshrc, after compinit.",
      examples: ["source <(conclaude completions zsh)"],
    }),
    fish: command({
      load: async () => (await load()).printFish,
      parameters: { flags: {} },
      brief: "Print the script for fish",
      about: "Prints the completion script for fish, which loads it from the folder below.",
      examples: ["conclaude completions fish > ~/.config/fish/completions/conclaude.fish"],
    }),
    powershell: command({
      load: async () => (await load()).printPowerShell,
      parameters: { flags: {} },
      brief: "Print the script for PowerShell",
      about: "Prints the completion script for PowerShell. Put the line below into $PROFILE.",
      examples: ["conclaude completions powershell | Out-String | Invoke-Expression"],
    }),
  },
  brief: "Completion of commands and flags in a shell",
  examples: [
    "source <(conclaude completions bash)",
  ],
});
