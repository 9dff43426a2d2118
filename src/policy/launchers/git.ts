/**
 * Checks the calls of `git`: refuses to write settings, unknown subcommands, and options and words that run programs or lead
 * into folders such as `.git`.
 *
 * Programs of a repository's own settings are not handled here: `gitEnvironment` and `gitGuard` neutralize them.
 * Therefore no caller may write into a repository's own folder, by any command.
 *
 * Source: git(1), git-config(1), gitremote-helpers(7), and the manual of each command.
 */
import { type LauncherRule, plain, refused } from "./LauncherRule.ts"
import { formatPatch, isProtectedPath, maxLetters } from "./gitFormatPatch.ts"
import { makeNameMatcher } from "../makeNameMatcher.ts"
import { mayLeadElsewhere, optionsOf } from "./gitCommands.ts"

/** Matches any of these patterns, which are separated by blanks, as a whole. */
const oneOf = (patterns: string, flags?: string): RegExp =>
  new RegExp(`^(?:${patterns.split(/\s+/).join("|")})$`, flags)

/** Allowed values by option: any other strategy would be the name of a program, and its options those of a script. */
const known = {
  strategy: /^(?:ours|ort)$/,
  "strategy-option": oneOf(
    String
      .raw`ours theirs patience minimal histogram (?:no-)?renormalize no-renames (?:find-renames|rename-threshold)(?:=\d+%?)?
    diff-algorithm=\w+ ignore-(?:all-space|space-change|space-at-eol|cr-at-eol) subtree(?:=[^\s]*)?`,
  ),
} as const

const letters: Readonly<Record<string, Readonly<Record<string, keyof typeof known>>>> = {
  "cherry-pick": { X: "strategy-option" },
  merge: { s: "strategy", X: "strategy-option" },
  pull: { s: "strategy", X: "strategy-option" },
  rebase: { s: "strategy", X: "strategy-option" },
  revert: { X: "strategy-option" },
}

/** Whether the letters of a word, and a value that has to be known, are known. `next` is the next word. */
const areKnown = (command: string, all: string, word: string, next: string): boolean => {
  const [flags = "", valued = ""] = all.split(":")
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? ""
    if (at > maxLetters) return false
    if (valued.includes(letter)) {
      const option = Object.hasOwn(letters, command) ? letters[command]?.[letter] : undefined
      return option === undefined || known[option].test(word.slice(at + 1) || next)
    }
    // A number; of `apply` it is `--3way`.
    if (!flags.includes(letter) && (command === "apply" || !/\d/.test(letter))) return false
  }
  return true
}

/**
 * The first word of a known command that is an option and is not known. Also after `--`, which another option may have taken
 * as its value; there it is none that a path may look like. A word of dashes and blanks, as a text may start with, is no
 * option.
 */
const unknownOption = (command: string, words: ReadonlyArray<string>): string | undefined => {
  const options = optionsOf(command)
  const end = words.indexOf("--")
  return words.find((word, at) => {
    // A text; no option of these commands does more than record it.
    if (/^(?:commit|tag)$/.test(command) && /^(?:-[a-zA-Z]*m|--message)$/.test(words[at - 1] ?? "")) return false
    if (!/^-[^\s]/.test(word) || word === "--" || /^--\s/.test(word)) return false
    if (end >= 0 && at > end) return true
    if (word === "-h") return false
    const next = words[at + 1] ?? ""
    if (!word.startsWith("--")) return !areKnown(command, options?.letters ?? "", word, next)
    const [name = "", value] = word.slice(2).split(/=(.*)/s)
    const isLong = options?.long.has(name) === true ||
      (name.startsWith("no-") && options?.long.has(name.slice(3)) === true)
    if (!isLong) return true
    return (name === "strategy" || name === "strategy-option") && !known[name].test(value ?? next)
  })
}

/**
 * Words that run a program by its name, or lead into the folder of a repository, or into one of those that git and ssh take
 * their settings from: `git clone` makes any folder that is not there yet.
 */
const dangerousWord = /(?:ext|fd)::|(?:^(?:-\w+)?|[/=:])(?:\.git|git~1|\.ssh|\.config|\.gnupg)(?:\/|$)/i

/**
 * `git clone x/.git.git` makes a folder `.git` with content of the other repository. It does so, too, for a word that has no
 * name left after blanks, control characters and endings are removed, and for the part before a port.
 */
const dangerousSource =
  // deno-lint-ignore no-control-regex
  /[\x00-\x1f\x7f]|(?:^|[/:@ ])(?:\.git|git~1|\.ssh|\.config|\.gnupg| |\.bundle)(?: |\.git|\.bundle)*(?:[/:@]|$)/i

/** Commands whose words may be repositories. For `name::address` git runs `git-remote-name`. */
const takesRepositories = /^(?:archive|clone|fetch|ls-remote|pull|push|remote|submodule)$/

const helper = /^\w[\w+.-]*::/

/** Options before the command that only set the directory or the display. */
const harmless = oneOf(
  String.raw`--no-pager -P --paginate -p --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs
  --icase-pathspecs --no-optional-locks --version -v --html-path --man-path --info-path`,
)

/** Ways to read the settings. The older ones are negatable: `--list --no-list` writes. */
const configActions = /^(?:--get|--get-all|--get-regexp|--get-urlmatch|--list|-l|get|list)$/

const configOptions = oneOf(
  String
    .raw`--local --global --system --worktree --null --name-only --show-origin --show-scope --includes --all --regexp
  --fixed-value --bool --int --bool-or-int --path --expiry-date --(?:type|default|url|value)=.* -z`,
  "s",
)

const configWrites = /^(?:--add|--replace-all|--unset|--unset-all|set|unset)$/

/** Settings of a repository that a caller may write: the committer, line ends, and how branches are merged. */
const writableSetting = oneOf(
  String.raw`user\.(?:name|email) core\.(?:autocrlf|eol|filemode) pull\.(?:rebase|ff) push\.(?:default|autosetupremote)
  fetch\.prune rebase\.autostash`,
  "i",
)

/** Whether words after `git config` only read, or write such a setting of the repository. */
const configures = (words: ReadonlyArray<string>): boolean => {
  const given = words.filter((word) => word !== "--local")
  const [name = "", value = "", ...more] = given.slice(configWrites.test(given[0] ?? "") ? 1 : 0)
  if (writableSetting.test(name) && more.length === 0 && !/^-/.test(value)) return true
  const rest = words.filter((word) => !configOptions.test(word))
  const [first = "", ...others] = rest
  if (others.some((word) => word.startsWith("-"))) return false
  // `git config NAME` only reads.
  return configActions.test(first) ? others.length <= 2 : others.length === 0 && /^\w[\w.-]*$/.test(first)
}

/**
 * Settings that a caller may pass to git for one command. No others: with `i18n.logOutputEncoding` a caller could write
 * lines of a rebase.
 */
const givenSetting = makeNameMatcher(
  `user.name user.email author.name author.email committer.name committer.email advice.* color.* column.* status.*
  core.abbrev core.autocrlf core.eol core.filemode core.ignorecase core.longpaths core.preloadindex core.quotepath
  core.safecrlf diff.algorithm diff.colormoved diff.context diff.mnemonicprefix diff.noprefix diff.renamelimit
  diff.renames fetch.parallel fetch.prune gc.auto http.emptyauth http.extraheader http.*.extraheader
  http.followredirects http.lowspeedlimit http.lowspeedtime http.maxrequests http.postbuffer http.version
  init.defaultbranch log.abbrevcommit log.date log.decorate merge.conflictstyle merge.ff merge.renamelimit
  pack.threads protocol.version pull.ff pull.rebase push.autosetupremote push.default rebase.autosquash
  rebase.autostash`.split(/\s+/),
  true,
)
const givenValues = oneOf(
  String.raw`core\.pager=cat (?:core|sequence)\.editor=(?:true|:) core\.hookspath=/dev/null credential\.helper=
  (?:(?:commit|tag)\.gpgsign|core\.fsmonitor|log\.showsignature|submodule\.recurse)=false
  url\.(?:https?|ssh)://[^=]+\.insteadof=.*`,
  "i",
)

const isGivenSetting = (setting: string): boolean =>
  givenSetting(setting.replace(/=.*/s, "")) || givenValues.test(setting)

/** Allowed subcommands of some commands; the others would write the `.git` of folders that a caller may have named. */
const subcommands: Readonly<Record<string, RegExp>> = {
  // This command writes through links of the working tree that are not in the index, as `apply --index` and `rebase
  // --apply` do.
  am: /^--(?:abort|quit|show-current-patch(?:=\w+)?)$/,
  bisect: /^(?:start|bad|good|new|old|log|next|skip|reset|terms)$/,
  maintenance: /^run$/,
  submodule: /^(?:|status|summary|init|sync|update)$/,
  worktree: /^(?:add|list|lock|prune|remove|unlock)$/,
}

const startsManual = "with a manual page, which starts man: use -h after a command to list its options"

const otherRef = "with a ref other than HEAD and refs/…"

/** git treats any other name of `symbolic-ref` as a path below `.git`, even `../../x`. */
const isRef = (word: string): boolean => /^(?:[A-Z_]*HEAD|refs\/.+)$/s.test(word) && !/(?:^|\/)\.\.(?:\/|$)/.test(word)

/** git treats other words as the end of the path of any worktree. */
const namesPath = (word: string): boolean => /^(?:-|\.\.?[/\\]|\/|[A-Za-z]:[/\\])/.test(word)

const whyRefused = (command: string, words: ReadonlyArray<string>): string | undefined => {
  const [first = ""] = words
  if (command === "config") return configures(words) ? undefined : "with settings to write"
  if (optionsOf(command) === undefined) {
    return `with ${command.slice(0, 60)}, which is not known to be safe`
  }
  const known = Object.hasOwn(subcommands, command) ? subcommands[command] : undefined
  if (known?.test(first) === false) return `with the command ${command} ${first.slice(0, 60)}`.trimEnd()
  if (command === "update-ref" && !isRef(words.find((word) => !/^-/.test(word)) ?? "")) {
    return otherRef
  }
  if (command === "symbolic-ref" && !words.every((word) => /^-/.test(word) || isRef(word))) {
    return otherRef
  }
  if (command === "worktree" && /^(?:lock|remove|unlock)$/.test(first) && !words.slice(1).every(namesPath)) {
    return "with a worktree's name: write its path, such as ./name"
  }
  if (/^(?:archive|bundle)$/.test(command) && words.some((word) => isProtectedPath(word.replace(/^--\w+=/, "")))) {
    return "with a file that other programs run"
  }
  if (command === "help" && words.some((word) => !word.startsWith("-"))) return startsManual
  const isDangerous = (word: string): boolean =>
    (mayLeadElsewhere(command) && dangerousWord.test(word)) || (command === "clone" && dangerousSource.test(word)) ||
    (takesRepositories.test(command) && helper.test(word.replace(/^-[^=]*=/, "")))
  const word = words.find(isDangerous)
  if (word !== undefined) return `with ${word.slice(0, 60)}`
  if (command === "format-patch") return undefined
  const option = unknownOption(command, words)
  return option === undefined ? undefined : `with the option ${option.slice(0, 60)}, which is not known to be safe`
}

export const git: LauncherRule = (words) => {
  let at = 0
  for (; at < words.length; at++) {
    const text = words[at] ?? ""
    if (text === "-C") {
      const place = words[++at] ?? ""
      if (dangerousWord.test(place)) return refused(`in ${place.slice(0, 60)}`)
    } else if (text === "-c") {
      const setting = words[++at] ?? ""
      if (!isGivenSetting(setting)) return refused(`with -c ${setting.slice(0, 60)}`)
    } else if (!harmless.test(text)) break
  }
  const text = words[at]
  if (text === undefined) return plain
  // `git CMD --help` opens man, which settings can replace.
  if (/^(?:--help|-h)$/.test(text) && words.length === at + 1) return plain
  if (words[at + 1] === "--help") return refused(startsManual)
  if (/^--(?:git-dir|work-tree)\b/.test(text)) return refused(`with ${text.slice(0, 60)}: name a folder by -C`)
  if (text.startsWith("-")) return refused(`with ${text.slice(0, 60)}`)
  const rest = words.slice(at + 1)
  const why = whyRefused(text, rest)
  if (why !== undefined) return refused(why)
  return text === "format-patch" ? formatPatch(rest) : plain
}
