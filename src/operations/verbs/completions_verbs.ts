import { group, verb } from "../verb.ts";

/** Each script calls `conclaude __complete`. If the call prints nothing, the shell completes file names. */
const BASH = `# bash completion for conclaude
_conclaude_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _conclaude_complete conclaude`;

const ZSH = `#compdef conclaude
_conclaude_complete() {
  local -a proposals
  proposals=("\${(@f)$("\${words[1]}" __complete --described "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  proposals=(\${proposals:#})
  if (( \${#proposals} )); then
    # _describe parts a name from what it is about at the first bare colon.
    local tab="$(printf '\\t')"
    proposals=(\${proposals//:/\\\\:})
    proposals=(\${proposals/\$tab/:})
    _describe -V conclaude proposals
  else
    _files
  fi
}
compdef _conclaude_complete conclaude`;

const FISH = `# fish completion for conclaude
function __conclaude_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor)
    command $words[1] __complete --described $words[2..-1] "$current" 2>/dev/null
end
complete --command conclaude --arguments "(__conclaude_complete)"`;

const POWERSHELL = `# PowerShell completion for conclaude
Register-ArgumentCompleter -Native -CommandName conclaude -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  # An empty word would be dropped from the arguments, so it travels as a pair of quotes.
  $current = if ($wordToComplete) { $wordToComplete } elseif ($PSVersionTable.PSVersion.Major -ge 7) { '' } else { '""' }
  & $commandAst.CommandElements[0].ToString() __complete --described @words $current 2>$null | ForEach-Object {
    $name, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $name }
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
  }
}`;

function printer(text: string) {
  return verb({ run: () => ({ json: { script: text }, text, quoted: true }) });
}

export const completions = group({
  bash: printer(BASH),
  zsh: printer(ZSH),
  fish: printer(FISH),
  powershell: printer(POWERSHELL),
});
