/**
 * Encodes settings of git as environment variables, which take precedence over those of a repository, and lists the
 * settings that keep git from prompting on a terminal and from running hooks and monitors of a repository.
 *
 * Source: git(1), "ENVIRONMENT VARIABLES"; git-config(1), "GIT_CONFIG_COUNT".
 */
export type GitSetting = readonly [key: string, value: string]

/** Settings by which git runs no hook and no monitor of a repository, and works in no submodule. */
export const unattendedSettings: ReadonlyArray<GitSetting> = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["submodule.recurse", "false"],
]

/** Variables that keep git from asking the user. With the editor `:` the text stays unchanged. */
export const unattendedVariables: Readonly<Record<string, string>> = {
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
}

const encode = <A>(settings: ReadonlyArray<readonly [key: A, value: A]>): Readonly<Record<string, A | string>> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([key, value], at) => [[`GIT_CONFIG_KEY_${at}`, key], [`GIT_CONFIG_VALUE_${at}`, value]]),
  ),
})

/** Variables that hold settings. If two settings have the same key, the last one applies. */
export const encodeGitSettings = (settings: ReadonlyArray<GitSetting>): Readonly<Record<string, string>> =>
  encode(settings)

/**
 * Adds settings to those that variables already hold, `first` before them and `last` after them: the last one applies.
 */
export const addGitSettings = <A>(
  variables: Readonly<Record<string, A>>,
  first: ReadonlyArray<GitSetting>,
  last: ReadonlyArray<GitSetting>,
): Readonly<Record<string, A | string>> => {
  const given = variables["GIT_CONFIG_COUNT"]
  const count = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : 0
  const held = Array.from(
    { length: count },
    (_, at) => [variables[`GIT_CONFIG_KEY_${at}`] ?? "", variables[`GIT_CONFIG_VALUE_${at}`] ?? ""] as const,
  )
  return { ...variables, ...encode<A | string>([...first, ...held, ...last]) }
}
