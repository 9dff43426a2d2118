/**
 * Makes git commands that run no program named by the settings of a repository: no hook, pager, editor, external diff, filter,
 * signer, monitor or transport.
 *
 * Source: git(1), git-config(1), gitattributes(5), githooks(5).
 *
 * @module
 */
import { ShellExec } from "../command/ShellExec.ts"
import type { DurationInput } from "../base/duration.ts"

/** Settings that go before those of a repository. */
const settings: ReadonlyArray<readonly [key: string, value: string]> = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["core.editor", ":"],
  ["core.askPass", ""],
  ["core.sshCommand", ""],
  ["core.alternateRefsCommand", ""],
  ["core.gitProxy", ""],
  ["core.quotePath", "false"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["submodule.recurse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["i18n.logOutputEncoding", "UTF-8"],
  ["i18n.commitEncoding", "UTF-8"],
]

const env: Readonly<Record<string, string | null>> = {
  LC_ALL: "C",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  // A missing object of a partial clone would be fetched, by a program that the repository names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  // Only the repository of the root counts, whatever this program was started in.
  ...Object.fromEntries(
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"].concat(
      ["GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_CONFIG_PARAMETERS"],
    ).map((name) => [name, null]),
  ),
}

/** Matches settings whose names hold a name of the repository's own, and that run a program. */
export const programSettings: string = String
  .raw`^(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv)|merge\..*\.driver|gpg\.(.*\.)?program)$`

/**
 * Makes a command in the repository whose top folder is `root`: none is looked for above it, and its settings cannot name
 * another working tree. `overridden` are further settings of its own, which are emptied.
 */
export const hardenedGit = (
  root: string,
  args: ReadonlyArray<string>,
  options: {
    readonly input?: string | undefined
    readonly overridden?: ReadonlyArray<string> | undefined
    readonly timeout: DurationInput
    readonly maxOutputBytes: number
  },
): ShellExec => {
  const { input, maxOutputBytes, overridden = [], timeout } = options
  const emptied = overridden.map((key) => [key, key.endsWith(".required") ? "false" : ""] as const)
  const all = [...settings, ...emptied]
  return ShellExec.make("git", ["--git-dir=.git", "--work-tree=.", "--no-pager", "--literal-pathspecs", ...args], {
    cwd: root,
    timeout,
    maxOutputBytes,
    env: {
      ...env,
      GIT_CONFIG_COUNT: String(all.length),
      ...Object.fromEntries(
        all.flatMap(([key, value], at) => [[`GIT_CONFIG_KEY_${at}`, key], [`GIT_CONFIG_VALUE_${at}`, value]]),
      ),
    },
    ...(input === undefined ? undefined : { input }),
  })
}
