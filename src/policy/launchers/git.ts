/**
 * Checks the calls of `git`: refuses settings to write, unknown subcommands, and options and words that run programs or
 * lead into folders such as `.git`, and marks calls that push.
 *
 * What a repository's own settings run is not seen here: `gitEnvironment` takes away the ones that can be taken away.
 * So nothing of a repository's own folder may be written by a caller, by whatever command.
 *
 * Source: git(1), git-config(1), gitremote-helpers(7), and the manual of each command.
 *
 * @module
 */
import type { Argument } from "../Argument.ts"
import { type Launcher, plain, pushesToRepository, refused, unknownArguments } from "./Launcher.ts"
import { type DangerousOptions, plainUnless } from "./launcherOptions.ts"

/**
 * Commands of git's own, up to 2.52, that run no others. Any other one may be an alias, which a repository's settings
 * make a program, or a program of the name `git-…`.
 */
const knownCommands: ReadonlySet<string> = new Set(
  `add am annotate apply archive backfill blame branch bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config
  count-objects describe diff diff-files diff-index diff-pairs diff-tree fetch fetch-pack fmt-merge-msg for-each-ref
  format-patch fsck fsck-objects gc get-tar-commit-id grep hash-object index-pack init interpret-trailers last-modified
  log ls-files ls-remote ls-tree merge merge-base merge-ours merge-recursive merge-subtree merge-tree mktag mktree
  multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs patch-id pickaxe prune prune-packed pull push
  range-diff read-tree rebase reflog refs remote repack replace replay repo request-pull rerere reset restore rev-list
  rev-parse revert rm send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status
  stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info var
  verify-commit verify-pack verify-tag version whatchanged worktree write-tree`.split(/\s+/),
)

/** Ways to read the configuration. */
const readsConfig = /^(?:--get(?:-all|-regexp|-urlmatch)?|--list|-l|get|list)$/

/**
 * What runs a program by its name, or leads into the folder of a repository, or into one of those that git and ssh take
 * their settings from: `git clone` makes any folder that is not there yet.
 */
const dangerousWord = /(?:ext|fd)::|^-O.*|(?:^(?:-\w)?|[/=:])(?:\.git|git~1|\.ssh|\.config|\.gnupg)(?:\/|$)/i

/** `git clone x/.git.git` makes a folder `.git` of what the other repository has, blanks around it left out. */
const dangerousSource =
  // deno-lint-ignore no-control-regex
  /(?:^|[/:@\x00- ])(?:\.git|git~1|\.ssh|\.config|\.gnupg)(?:[\x00- ]|\.git|\.bundle)*(?:\/|$)/i

const everywhere: DangerousOptions = {
  long: [
    ...["upload-pack", "receive-pack", "exec", "open-files-in-pager", "template", "config", "config-env", "output"],
    ...[
      "ext-diff",
      "extcmd",
      "tool",
      "gui",
      "remote-submodules",
      "edit-description",
      "edit-todo",
      "interactive",
      "rsh",
    ],
    ...["unsafe-paths", "separate-git-dir", "in-place"],
  ],
  // Of git's remote helpers `ext` runs what it is given, `fd` reads what is open.
  words: dangerousWord,
  harmlessHead: /^(?!ext::|fd::|(?:e|ex|ext:?|f|fd:?)$)./,
}

const letters: Readonly<Record<string, string>> = {
  archive: "o",
  clone: "uc",
  grep: "O",
  rebase: "xi",
}

/** Options that are harmless to other commands. */
const long: Readonly<Record<string, ReadonlyArray<string>>> = {
  // Settings of the other repository name programs.
  archive: ["remote"],
  // It writes through links.
  "checkout-index": ["prefix"],
  // The folders of submodules would be taken as they are found.
  ...Object.fromEntries(
    ["checkout", "fetch", "pull", "push", "read-tree", "reset", "restore", "switch"].map((
      name,
    ) => [name, ["recurse-submodules"]]),
  ),
}

/** Commands whose words behind `--` are paths, and nothing else. */
const takesPaths = /^(?:add|blame|checkout|clean|commit|diff|grep|log|ls-files|reset|restore|rm|show|stash|status)$/

/** Commands that make a folder wherever they are told to. */
const makesFolders = /^(?:clone|init|worktree)$/

/** Options before the command that only say where, or how to show. */
const harmless =
  /^(?:--no-pager|-P|--paginate|-p|--no-replace-objects|--literal-pathspecs|--glob-pathspecs|--noglob-pathspecs|--icase-pathspecs|--no-optional-locks|--version|-v|--help|-h|--html-path|--man-path|--info-path)$/

/** The dangers of one command. */
const dangersOf = (command: string): DangerousOptions => ({
  ...everywhere,
  letters: Object.hasOwn(letters, command) ? letters[command] ?? "" : "",
  long: [...everywhere.long ?? [], ...(Object.hasOwn(long, command) ? long[command] ?? [] : [])],
  ends: takesPaths.test(command),
  endOfOptions: /^(?:diff|log|show)$/.test(command),
  ...(makesFolders.test(command) ? { harmlessHead: /^(?!)/ } : undefined),
  ...(command === "clone"
    ? { words: new RegExp(`${dangerousWord.source}|${dangerousSource.source}`, "i") }
    : undefined),
})

/** `git`. */
export const git: Launcher = (words) => {
  let at = 0
  const name = (): Argument | undefined => words[at]
  for (;; at++) {
    const text = name()?.text
    if (text === "-C") {
      const place = words[++at]
      if (place?.text === undefined) return unknownArguments
      if (dangerousWord.test(place.text)) return refused(`in ${place.text.slice(0, 60)}`)
    } else if (text === undefined || !harmless.test(text)) break
  }
  const command = name()
  if (command === undefined) return plain
  if (command.text === undefined) return unknownArguments
  const { text } = command
  if (text.startsWith("-")) return refused(`with ${text.slice(0, 60)}`)
  const rest = words.slice(at + 1)
  const [first, ...others] = rest
  if (text === "config") {
    if (readsConfig.test(first?.text ?? "")) return plainUnless({})(rest)
    // One name alone is read.
    if (others.length === 0 && /^\w[\w.-]*$/.test(first?.text ?? "")) return plain
    return refused("with settings to write")
  }
  if (text === "submodule" && !/^(?:status|summary|init)$/.test(first?.text ?? "")) {
    return refused(`with the command ${text} ${first?.text?.slice(0, 60) ?? ""}`.trimEnd())
  }
  // It writes the `.git` of folders that a caller may have named.
  if (text === "worktree" && !/^(?:add|list|lock|prune|remove|unlock)$/.test(first?.text ?? "")) {
    return refused("with a command of worktree that is not known")
  }
  // It moves first and asks then whether the place is within the repository.
  const place = text === "mv" ? rest.findLast((word) => !word.text?.startsWith("-")) : undefined
  if (place !== undefined && place.text === undefined) return unknownArguments
  if (!knownCommands.has(text)) {
    return refused(`with ${text.slice(0, 60)}, which is no command that is known to run nothing`)
  }
  const outcome = plainUnless(dangersOf(text))(rest)
  return outcome._tag === "Plain" && /^(?:push|send-pack)$/.test(text) ? pushesToRepository : outcome
}
