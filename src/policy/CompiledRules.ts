/** Compiles an access policy for one leaf. */
import * as Schema from "effect/Schema"
import { isAbsolutePath } from "../base/isAbsolutePath.ts"
import { quoteIfNeeded } from "../base/quote.ts"
import { joinSearchPath, splitSearchPath } from "../base/searchPath.ts"
import { AllowedCommands } from "./AllowedCommands.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"
import { deniedVariables } from "./deniedVariables.ts"
import { type AllowedRoots, makeRoots } from "./allowDirectory.ts"
import { EnvironmentRule } from "./EnvironmentRule.ts"
import type { AccessPolicySettings, ArgumentRule } from "./accessPolicyFields.ts"
import type { LeafFiles } from "../shell/LeafFiles.ts"
import { boundsNothing } from "./risks.ts"
import { withoutNewFolders } from "./gitEnvironment.ts"
import { notAllowed, type PolicyRefusal } from "./PolicyRefusal.ts"

export interface CompiledRules {
  readonly policy: AccessPolicySettings
  readonly files: LeafFiles | undefined
  readonly platform: "posix" | "windows"
  /** The absolute directories in which names are looked for, as one PATH. */
  readonly searchPath: string
  readonly commands: AllowedCommands
  readonly environment: EnvironmentRule
  /** Directories that commands may start in; `undefined` for any. */
  readonly roots: AllowedRoots | undefined
  /** Variables for git that depend on folders which were missing when the policy was made. */
  readonly git: Readonly<Record<string, string>>
  /** Whether no command may start inside a `.git` folder: git is allowed, and the list bounds what commands do. */
  readonly guardsRepositories: boolean
  /** The directory of the command of one decision, where it is known. */
  readonly directory?: string | undefined
  /** The list has a program that bounds nothing: see `boundsNothing`. */
  readonly lenient: boolean
  readonly scriptEnvironment: EnvironmentRule
}

const defaultPath = { posix: "/usr/local/bin:/usr/bin:/bin", windows: "C:\\Windows\\System32;C:\\Windows" } as const

export const compileRules = (
  policy: AccessPolicySettings,
  files: LeafFiles | undefined,
  platform: "posix" | "windows",
): CompiledRules => {
  const path = policy.searchPath ?? files?.variable("PATH") ?? defaultPath[platform]
  // A caller may later create a directory that is missing now, and put programs in it.
  const isThere = (place: string): boolean => files?.directory(place)._tag !== "Missing"
  const places = splitSearchPath(platform, path).filter((place) => isAbsolutePath(place, platform) && isThere(place))
  const absolute = joinSearchPath(platform, places)
  const lenient = boundsNothing(policy)
  const environment = new EnvironmentRule(policy.environment ?? {}, platform === "windows")
  return {
    policy,
    files,
    platform,
    searchPath: absolute,
    commands: new AllowedCommands(policy.allowedCommands, files, absolute),
    roots: policy.allowedCwdRoots === undefined ? undefined : makeRoots(files, policy.allowedCwdRoots),
    git: files === undefined || platform === "windows"
      ? {}
      : withoutNewFolders(files, (name) => environment.inherits(name) ? files.variable(name) : undefined),
    guardsRepositories: !lenient &&
      policy.allowedCommands.some((entry) => normalizeCommandName(entry, platform) === "git"),
    environment,
    lenient,
    // `SLUICE_*` stays denied, because these variables identify the processes of a command.
    scriptEnvironment: lenient
      ? new EnvironmentRule(
        policy.environment ?? {},
        false,
        deniedVariables.filter(({ names }) => names[0] === "SLUICE_*"),
      )
      : environment,
  }
}

const argumentRulesOf = ({ platform, policy }: CompiledRules, name: string): ReadonlyArray<ArgumentRule> => {
  const common = normalizeCommandName(name, platform)
  return Object.entries(policy.argumentRules ?? {}).flatMap(([ruled, rule]) =>
    normalizeCommandName(ruled, platform) === common ? [rule] : []
  )
}

export const hasArgumentRule = (rules: CompiledRules, name: string): boolean => argumentRulesOf(rules, name).length > 0

export const checkArgumentRule = (
  rules: CompiledRules,
  name: string,
  words: ReadonlyArray<string>,
): PolicyRefusal | undefined =>
  argumentRulesOf(rules, name).every((rule) => Schema.is(rule)(words))
    ? undefined
    : notAllowed("argumentRules", name, `${quoteIfNeeded(name)} is not allowed with these arguments`)
