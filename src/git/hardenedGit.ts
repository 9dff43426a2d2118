/**
 * Makes git commands that run no program named by the settings of a repository.
 *
 * Source: git(1), git-config(1), git-hook(1), gitattributes(5), githooks(5).
 */
import { overridesOf } from "../policy/gitPrograms.ts"
import { encodeGitSettings, type GitSetting, unattendedSettings, unattendedVariables } from "../policy/gitVariables.ts"
import { ShellExec, type ShellExecOptions } from "../command/ShellExec.ts"

/** Settings that override those of a repository. */
const settings: ReadonlyArray<GitSetting> = [
  ...unattendedSettings,
  ["core.askPass", ""],
  ["core.sshCommand", ""],
  ["core.alternateRefsCommand", ""],
  ["core.gitProxy", ""],
  ["core.quotePath", "false"],
  ["commit.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["maintenance.auto", "false"],
  ["i18n.logOutputEncoding", "UTF-8"],
  ["i18n.commitEncoding", "UTF-8"],
]

/** No search for a repository. A git before 2.31, which would read none of our settings, refuses the last option. */
const flags = ["--git-dir=.git", "--work-tree=.", "--no-pager", "--literal-pathspecs"]
  .concat("--config-env=core.pager=GIT_PAGER")

/** Variables that would name another repository than that of the root, other settings, or a program. */
const removed = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"].concat(
  ["GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_CONFIG"],
  "GIT_CONFIG_PARAMETERS",
)

const env: ShellExecOptions["env"] = {
  ...unattendedVariables,
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  // A missing object of a partial clone would be fetched by a program that the repository names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  ...Object.fromEntries(removed.map((name) => [name, null])),
}

/**
 * Makes a command in the repository whose top folder is `root`: no folder above it is searched, and its settings cannot name
 * another working tree. `disabled` are its settings that name programs.
 */
export const hardenedGit = (
  root: string,
  args: ReadonlyArray<string>,
  disabled: ReadonlyArray<string>,
  options: ShellExecOptions,
): ShellExec =>
  ShellExec.make("git", [...flags, ...args], {
    ...options,
    cwd: root,
    env: { ...env, ...encodeGitSettings([...settings, ...disabled.flatMap((name) => overridesOf(name) ?? [])]) },
  })
