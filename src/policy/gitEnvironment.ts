/**
 * Makes the environment variables that keep git from running hooks, editors and pagers and from settings in new
 * folders. Source: git(1); git-config(1), "GIT_CONFIG_COUNT", "safe.bareRepository", "protocol.allow".
 */
import { encodeGitSettings, type GitSetting, unattendedSettings, unattendedVariables } from "./gitVariables.ts"
import type { LeafFiles } from "../shell/LeafFiles.ts"

const settings: ReadonlyArray<GitSetting> = [
  ...unattendedSettings,
  // `git apply` can make a link to `.git`, and `git mv` writes through it.
  ["core.symlinks", "false"],
  // A bare repository is a folder like any other: `git apply` may write its settings.
  ["safe.bareRepository", "explicit"],
  // Other protocols are programs `git-remote-NAME`, and `file`: see `readsOnlyInside`.
  ["protocol.allow", "never"],
  ["protocol.ext.allow", "never"],
  ...["https", "http", "ssh", "git"].map((name): GitSetting => [`protocol.${name}.allow`, "always"]),
  // In another one a commit's subject may be lines of a rebase.
  ["i18n.logOutputEncoding", "UTF-8"],
  // It writes the paths of worktrees into such lines.
  ["rebase.updateRefs", "false"],
  // The other one writes through links of the working tree.
  ["rebase.backend", "merge"],
  // Without this setting, git starts another git in each submodule.
  ["diff.ignoreSubmodules", "dirty"],
  ["fetch.recurseSubmodules", "no"],
  ["push.recurseSubmodules", "no"],
  // No child process may outlive git, because the settings apply only until git ends.
  ["gc.autoDetach", "false"],
  ["maintenance.autoDetach", "false"],
]

/**
 * Ends the search for a repository at the roots: a repository above them has files outside, which `git checkout`
 * writes.
 */
export const gitCeilings = (roots: ReadonlyArray<string>, separator: ":" | ";"): Readonly<Record<string, string>> => {
  const above = roots.map((root) => root.replace(/[/\\][^/\\]+$/, "") || "/").filter((path) =>
    !path.includes(separator)
  )
  return above.length === 0 ? {} : { GIT_CEILING_DIRECTORIES: above.join(separator) }
}

/** Variables that keep the server's values; without them git would use settings of a repository. */
const unlessInherited: ReadonlyArray<readonly [name: string, value: string, others: ReadonlyArray<string>]> = [
  ["GIT_ASKPASS", "", ["SSH_ASKPASS"]],
  ["GIT_SSH_COMMAND", "ssh", ["GIT_SSH"]],
]

/**
 * Keeps git from folders that a caller may add later: `git clone` makes folders at any given path, also in the home
 * directory. Folders of settings that are missing when the policy is made are never read.
 */
export const withoutNewFolders = (
  files: LeafFiles,
  inherited: (name: string) => string | undefined,
): Readonly<Record<string, string>> => {
  const home = inherited("HOME")
  if (home?.startsWith("/") !== true) return {}
  const isMissing = (folder: string): boolean => files.directory(`${home}/${folder}`)._tag === "Missing"
  const isOwn = (...names: ReadonlyArray<string>): boolean => names.some((name) => inherited(name) !== undefined)
  return {
    ...(isOwn("GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME") || !isMissing(".config/git")
      ? undefined
      : { GIT_CONFIG_GLOBAL: `${home}/.gitconfig` }),
    ...(isOwn("GIT_SSH_COMMAND", "GIT_SSH") || !isMissing(".ssh") ? undefined : { GIT_SSH_COMMAND: "ssh -F none" }),
  }
}

/** Maximum number of the server's own settings that are kept. */
const maxInherited = 1_000

/** Whether git reads settings from a variable, so that no caller may set it in any case. */
export const isGitSettings = (name: string): boolean => /^GIT_CONFIG(?:_|$)/i.test(name)

/** Without these variables an editor would execute the command's own stdin. A caller's variables take precedence. */
export const gitDefaults = (inherited: (name: string) => string | undefined): Readonly<Record<string, string>> => ({
  ...unattendedVariables,
  ...Object.fromEntries(
    unlessInherited.filter(([name, , others]) => [name, ...others].every((each) => inherited(each) === undefined)),
  ),
})

/** Settings that the server passes to git in the same way are kept, and ours come after them: the last one applies. */
export const gitSettings = (inherited: (name: string) => string | undefined): Readonly<Record<string, string>> => {
  const count = inherited("GIT_CONFIG_COUNT") ?? ""
  const own = /^\d+$/.test(count) && Number(count) <= maxInherited ? Number(count) : 0
  const kept = Array.from({ length: own }, (_, at): GitSetting => [
    inherited(`GIT_CONFIG_KEY_${at}`) ?? "",
    inherited(`GIT_CONFIG_VALUE_${at}`) ?? "",
  ])
  return encodeGitSettings([...kept.filter(([key]) => key !== ""), ...settings])
}

/** Variables of a caller that git and its child processes may have. */
const known =
  /^(?:GIT_.*|LANG|LANGUAGE|LC_.*|TZ|TERM|COLUMNS|LINES|NO_COLOR|PATH|HOME|TMPDIR|EMAIL|(?:https?|all|no)_proxy)$/is

/**
 * The variables for a command that is git or starts it: known ones, and those that the policy allows by their full
 * names. Scripts that git starts evaluate other variables.
 */
export const gitVariables = <A>(
  environment: Readonly<Record<string, A>> | undefined,
  { isNamed }: { readonly isNamed: (name: string) => boolean },
): Readonly<Record<string, A>> =>
  Object.fromEntries(
    Object.entries(environment ?? {}).filter(([name, value]) => value === null || known.test(name) || isNamed(name)),
  )
