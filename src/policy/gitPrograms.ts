/**
 * Names the settings by which a repository makes git run a program, lists those that it has, and makes the settings
 * that neutralize them.
 *
 * Source: git-config(1), git-hook(1), gitattributes(5), gitremote-helpers(7); git's own sources for which of two settings
 * counts.
 */
import type { GitSetting } from "./gitVariables.ts"

/**
 * Settings that name a program or a file to write, as git prints their names: in lower case except for the middle part.
 */
const programSettings = new RegExp(
  [
    String.raw`^hook\..*\.(command|event|enabled)$`,
    String.raw`^filter\..*\.(clean|smudge|process|required)$`,
    String.raw`^(diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|interactive\.difffilter)$`,
    String.raw`^(gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand|credential\.(.*\.)?helper)$`,
    String.raw`^(core\.(pager|editor|sshcommand|askpass|gitproxy|alternaterefscommand)|sequence\.editor|pager\..*)$`,
    String.raw`^(trailer\..*\.(command|cmd)|tar\..*\.command|gc\.recentobjectshook|submodule\..*\.update)$`,
    String.raw`^(rebase\.instructionformat|format\.outputdirectory|http\.(.*\.)?savecookies)$`,
    String.raw`^remote\..*\.(uploadpack|receivepack|vcs)$`,
  ].join("|"),
  "s",
)

export const namesProgram = (name: string): boolean => programSettings.test(name)

/** The words after `git` that list all settings. They run no program. */
export const listSettings: ReadonlyArray<string> = [
  ...["config", "-z", "--includes", "--show-scope", "--show-origin", "--list"],
]

export interface ListedSetting {
  readonly scope: string
  /** The file that has the setting. A relative path starts at the directory where git was called, or above it. */
  readonly file: string | undefined
  readonly name: string
  /** Without a value the setting is true. */
  readonly value: string
}

export const readSettings = (stdout: string): ReadonlyArray<ListedSetting> => {
  const words = stdout.split("\0")
  return Array.from({ length: Math.floor(words.length / 3) }, (_, at) => {
    const [scope = "", origin = "", setting = ""] = words.slice(3 * at, 3 * at + 3)
    const end = setting.indexOf("\n")
    return {
      scope,
      file: origin.startsWith("file:") ? origin.slice("file:".length) : undefined,
      name: end < 0 ? setting : setting.slice(0, end),
      value: end < 0 ? "true" : setting.slice(end + 1),
    }
  })
}

/** Whether a setting is one of the repository, and not of the user, the system or a variable. */
export const isOfRepository = ({ scope }: ListedSetting): boolean => !/^(?:global|system|command)$/.test(scope)

export const programsOf = (settings: ReadonlyArray<ListedSetting>): ReadonlyArray<string> => [
  ...new Set(settings.filter((each) => isOfRepository(each) && namesProgram(each.name)).map(({ name }) => name)),
]

/** git uses the first value, or all, so a later one cannot override it. */
const stays = /^(?:core\.gitproxy|gc\.recentobjectshook|remote\..*\.(?:uploadpack|receivepack))$/s

/** git's defaults, which replace a setting of these names. Others get an empty value: no program, or one that cannot start. */
const defaults: ReadonlyArray<readonly [name: RegExp, value: string]> = [
  // With an empty value git would run the host's name.
  [/^core\.sshcommand$/, "ssh"],
  [/\.editor$/, ":"],
  [/^core\.pager$/, "cat"],
  [/^pager\./, "false"],
  [/^gpg\.(?:openpgp\.)?program$/, "gpg"],
  [/^gpg\.x509\.program$/, "gpgsm"],
  [/^gpg\.ssh\.program$/, "ssh-keygen"],
  [/^submodule\./, "checkout"],
  [/^rebase\./, "%s"],
  [/^format\./, "."],
  [/\.savecookies$/, "false"],
]

/**
 * The settings that neutralize a setting that {@link namesProgram}; `undefined` if none can. Since git 2.54 settings
 * name hooks too.
 */
export const overridesOf = (name: string): ReadonlyArray<GitSetting> | undefined => {
  if (stays.test(name)) return undefined
  const parent = name.replace(/\.[^.]*$/, "")
  if (name.startsWith("hook.")) return [[`${parent}.enabled`, "false"]]
  // A required filter fails if it has no program.
  if (name.startsWith("filter.")) {
    const required: GitSetting = [`${parent}.required`, "false"]
    return name.endsWith(".required") ? [required] : [[name, ""], required]
  }
  return [[name, defaults.find(([pattern]) => pattern.test(name))?.[1] ?? ""]]
}
