/**
 * Encodes settings of git as environment variables, which go before the settings of a repository, and names those that keep
 * git from asking a terminal and from running the hooks and monitors of a repository.
 *
 * Source: git(1), "ENVIRONMENT VARIABLES"; git-config(1), "GIT_CONFIG_COUNT".
 *
 * @module
 */

/** A setting of git. */
export type GitSetting = readonly [key: string, value: string]

/** Settings by which git runs no hook and no monitor of a repository, and works in no submodule. */
export const unattendedSettings: ReadonlyArray<GitSetting> = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["submodule.recurse", "false"],
]

/** Variables by which git asks no person. With the editor `:` it takes its text as it is. */
export const unattendedVariables: Readonly<Record<string, string>> = {
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
}

/** Variables that hold settings. Of two settings with one key the last one holds. */
export const encodeGitSettings = (settings: ReadonlyArray<GitSetting>): Readonly<Record<string, string>> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([key, value], at) => [[`GIT_CONFIG_KEY_${at}`, key], [`GIT_CONFIG_VALUE_${at}`, value]]),
  ),
})
