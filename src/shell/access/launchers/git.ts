/**
 * `git`: settings given for one call, and the commands and options that run programs.
 *
 * What a repository's own configuration and hooks run is not seen here: git is as trusted as the repositories it is
 * used in.
 *
 * Source: git(1), git-config(1), gitremote-helpers(7).
 *
 * @module
 */
import { type Argument, isDecided } from "../Argument.ts"
import { type Launcher, plain, refused, untold } from "./Launcher.ts"
import { type Dangers, without } from "./options.ts"

/** Commands that exist to run others, or to store what will be run. */
const refusedCommands: ReadonlySet<string> = new Set([
  ..."bisect citool config cvsexportcommit cvsimport cvsserver credential daemon difftool fast-export filter-branch help"
    .split(
      " ",
    ),
  ..."for-each-repo gui hook http-backend http-fetch imap-send init-db instaweb maintenance merge-index mergetool"
    .split(" "),
  ..."p4 quiltimport receive-pack remote-ext remote-fd send-email shell sh-i18n sh-setup submodule svn".split(" "),
  ..."upload-archive upload-pack web--browse credential-cache credential-store".split(" "),
])

/** Ways to read the configuration. */
const readsConfig = /^(?:--get(?:-all|-regexp|-urlmatch)?|--list|-l|get|list)$/

const everywhere: Dangers = {
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
  ],
  // Of git's remote helpers `ext` runs what it is given, `fd` reads what is open.
  words: /(?:ext|fd)::|^-O.*/,
  harmlessHead: /^(?!ext::|fd::|(?:e|ex|ext:?|f|fd:?)$)./,
}

const letters: Readonly<Record<string, string>> = { clone: "uc", init: "", rebase: "xi", grep: "O", difftool: "x" }

/** Commands whose words behind `--` are paths, and nothing else. */
const takesPaths = /^(?:add|blame|checkout|clean|commit|diff|grep|log|ls-files|mv|reset|restore|rm|show|stash|status)$/

/** Options before the command that only say where, or how to show. */
const harmless =
  /^(?:--no-pager|-P|--paginate|-p|--bare|--no-replace-objects|--literal-pathspecs|--glob-pathspecs|--noglob-pathspecs|--icase-pathspecs|--no-optional-locks|--version|-v|--help|-h|--html-path|--man-path|--info-path)$/

/** `git`. */
export const git: Launcher = (words) => {
  let at = 0
  const name = (): Argument | undefined => words[at]
  for (;; at++) {
    const text = name()?.text
    if (text === "-C") {
      const place = words[++at]
      if (place === undefined || (place.text === undefined && (place.many || !isDecided(place)))) return untold
    } else if (text === undefined || !harmless.test(text)) break
  }
  const command = name()
  if (command === undefined) return plain
  if (command.text === undefined) return untold
  const { text } = command
  if (text.startsWith("-")) return refused(`with ${text.slice(0, 60)}`)
  const rest = words.slice(at + 1)
  const [first, ...others] = rest
  if (text === "config" && readsConfig.test(first?.text ?? "")) return without({})(rest)
  // One name alone is read.
  if (text === "config" && others.length === 0 && /^\w[\w.-]*$/.test(first?.text ?? "")) return plain
  if (text === "submodule" && /^(?:status|summary|init)$/.test(first?.text ?? "")) return without(everywhere)(rest)
  // With two dashes in their names: what git's own scripts call, `submodule--helper foreach` among them.
  if (refusedCommands.has(text) || text.startsWith("remote-") || text.includes("--")) {
    return refused(`with the command ${text}`)
  }
  return without({
    ...everywhere,
    letters: Object.hasOwn(letters, text) ? letters[text] ?? "" : "",
    ends: takesPaths.test(text),
    endOfOptions: /^(?:diff|log|show)$/.test(text),
  })(rest)
}
