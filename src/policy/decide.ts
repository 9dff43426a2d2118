/**
 * Decides about one command by its program, directory, variables and limits; for a script, by all of these except its
 * programs.
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { defined } from "../base/defined.ts"
import { reveal } from "../command/Secret.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { validateReferring } from "../shell/validateExec.ts"
import { checkArguments } from "./checkArguments.ts"
import { refusedVariable } from "./EnvironmentRule.ts"
import { allowDirectory, currentDirectory } from "./allowDirectory.ts"
import { gitCeilings, gitDefaults, gitSettings, gitVariables } from "./gitEnvironment.ts"
import { callOf, gitCommands } from "./gitGuard.ts"
import type { AccessPolicySettings } from "./accessPolicyFields.ts"
import type { SeenFile, SpawnConstraints } from "../shell/LeafFiles.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"
import { gitPlaceRefusal } from "./gitPlaceRefusal.ts"
import { joined } from "./paths.ts"
import { notAllowed, type PolicyRefusal, toShellFault, withoutSecrets } from "./PolicyRefusal.ts"
import type { CompiledRules } from "./CompiledRules.ts"

/** A command that may run, and the files that must be unchanged when it starts. */
export interface Decision {
  readonly exec: ShellExec
  readonly pinned: SpawnConstraints | undefined
}

type Step<A> = Result.Result<A, PolicyRefusal>

const seconds = (time: Duration.Duration): string => `${Duration.toMillis(time) / 1_000} s`

const timeoutOf = (exec: ShellExec, { policy }: CompiledRules): Step<Duration.Duration | undefined> => {
  const { defaultTimeout, maxTimeout } = policy
  const asked = exec.timeout ?? defaultTimeout ?? maxTimeout
  if (exec.timeout !== undefined && maxTimeout !== undefined && Duration.isGreaterThan(exec.timeout, maxTimeout)) {
    const issue = `a timeout of ${seconds(exec.timeout)} is above the allowed ${seconds(maxTimeout)}`
    return Result.fail(notAllowed("maxTimeout", seconds(exec.timeout), issue))
  }
  return Result.succeed(
    asked !== undefined && maxTimeout !== undefined && Duration.isGreaterThan(asked, maxTimeout) ? maxTimeout : asked,
  )
}

const budgetOf = (exec: ShellExec, { policy: { maxOutputBytes } }: CompiledRules): Step<number | undefined> => {
  if (maxOutputBytes === undefined || exec.maxOutputBytes === undefined) {
    return Result.succeed(exec.maxOutputBytes ?? maxOutputBytes)
  }
  if (exec.maxOutputBytes <= maxOutputBytes) return Result.succeed(exec.maxOutputBytes)
  const issue = `an output of ${exec.maxOutputBytes} bytes is above the allowed ${maxOutputBytes}`
  return Result.fail(notAllowed("maxOutputBytes", String(exec.maxOutputBytes), issue))
}

const directoryOf = (
  exec: ShellExec,
  { files, guardsRepositories, policy, roots }: CompiledRules,
): Step<SeenFile | undefined> => {
  const workingDirectory = exec.workingDirectory ?? policy.defaultCwd
  if (workingDirectory === undefined) return Result.succeed(undefined)
  if (files !== undefined) return allowDirectory(files, roots, workingDirectory, guardsRepositories)
  return roots === undefined
    ? Result.succeed(undefined)
    : Result.fail(notAllowed("allowedCwdRoots", workingDirectory, "cwd is not allowed: this shell cannot check it"))
}

interface AllowedCommand {
  readonly program: SeenFile | undefined
}

/** Whether everything may run, with any arguments. */
export const isUnchecked = ({ commands, policy }: CompiledRules): boolean =>
  commands.any && policy.code !== "refuse" && Object.keys(policy.argumentRules ?? {}).length === 0

const programOf = (exec: ShellExec, rules: CompiledRules): Step<AllowedCommand> =>
  Result.gen(function* () {
    // With a list, scripts are planned elsewhere; without one the system's shell runs them.
    if (exec.useShell) return { program: undefined }
    const program = yield* rules.commands.allow(exec.command)
    const words = exec.arguments.map((word) => reveal(word) ?? "")
    const refused = isUnchecked(rules) ? undefined : checkArguments(rules, exec.command, program, words)
    return refused === undefined ? { program } : yield* Result.fail(refused)
  })

interface Bounds {
  readonly timeout: Duration.Duration | undefined
  readonly maxOutputBytes: number | undefined
  readonly directory: SeenFile | undefined
}

const boundsOf = (exec: ShellExec, rules: CompiledRules): Step<Bounds> =>
  Result.gen(function* () {
    if (exec.localBin === true) {
      const issue = "programs of the working directory (localBin) are not allowed"
      return yield* Result.fail(notAllowed("localBin", "true", issue))
    }
    const variable = rules.environment.refusal(exec.environment)
    if (variable !== undefined) return yield* Result.fail(variable)
    // If the leaf looks up names, it uses PATH.
    if (rules.files === undefined && exec.environment?.["PATH"] === null) {
      return yield* Result.fail(refusedVariable("PATH"))
    }
    const timeout = yield* timeoutOf(exec, rules)
    const maxOutputBytes = yield* budgetOf(exec, rules)
    return { timeout, maxOutputBytes, directory: yield* directoryOf(exec, rules) }
  })

const withBounds = (exec: ShellExec, { defaultCwd }: AccessPolicySettings, bounds: Bounds): ShellExec => {
  const { maxOutputBytes, timeout } = bounds
  return new ShellExec({
    ...exec,
    ...(defaultCwd === undefined ? undefined : { workingDirectory: exec.workingDirectory ?? defaultCwd }),
    ...defined({ timeout, maxOutputBytes }),
  })
}

/** A script whose directory, variables and limits are allowed. */
export interface BoundedScript {
  readonly exec: ShellExec
  readonly directory: SeenFile | undefined
}

export const boundScript = (exec: ShellExec, rules: CompiledRules): Result.Result<BoundedScript, ShellFault> => {
  const invalid = validateReferring(exec)
  if (invalid !== undefined) return Result.fail(invalid)
  return Result.mapBoth(boundsOf(exec, rules), {
    onSuccess: (bounds) => ({ exec: withBounds(exec, rules.policy, bounds), directory: bounds.directory }),
    onFailure: (refusal) => toShellFault(exec.commandId, withoutSecrets(refusal, exec)),
  })
}

/** Moves a call of git to the directory of its `-C`, which is held open when git starts, unlike a path in a word. */
const inItsPlace = (exec: ShellExec, { files, platform, policy }: CompiledRules): ShellExec => {
  const words = exec.arguments.map((word) => reveal(word) ?? "")
  if (exec.useShell || normalizeCommandName(exec.command, platform) !== "git" || files === undefined) return exec
  const { command, place } = callOf([exec.command, ...words])
  if (place.length === 0) return exec
  const start = exec.workingDirectory ?? policy.defaultCwd ?? currentDirectory(files) ?? "/"
  return new ShellExec({
    ...exec,
    arguments: exec.arguments.filter((_, at) =>
      at >= words.length - command.length || (words[at] !== "-C" && words[at - 1] !== "-C")
    ),
    workingDirectory: place.reduce(joined, start),
  })
}

/** The directory of a command as written, or else the leaf's, if the files of the leaf can be read. */
const writtenDirectory = (
  { workingDirectory }: ShellExec,
  { files, policy }: CompiledRules,
): string | undefined => {
  const given = workingDirectory ?? policy.defaultCwd
  if (given !== undefined) return given.startsWith("/") ? given : undefined
  return currentDirectory(files)
}

const decided = (asked: ShellExec, rules: CompiledRules): Step<Decision> =>
  Result.gen(function* () {
    const exec = isUnchecked(rules) ? asked : inItsPlace(asked, rules)
    const bounds = yield* boundsOf(exec, rules)
    const directory = bounds.directory?.file ?? writtenDirectory(asked, rules)
    const { program } = yield* programOf(asked, { ...rules, directory })
    const words = [exec.command, ...exec.arguments.map((word) => reveal(word) ?? "")]
    const place = isUnchecked(rules) || exec.useShell ? undefined : gitPlaceRefusal(rules, words, bounds.directory)
    if (place !== undefined) return yield* Result.fail(place)
    const { files, policy, searchPath } = rules
    const bounded = withBounds(exec, policy, bounds)
    if (files === undefined) return { exec: bounded, pinned: undefined }
    const inherited = (name: string): string | undefined =>
      rules.environment.inherits(name) ? files.variable(name) : undefined
    const checked = !isUnchecked(rules)
    const startsGit = checked && gitCommands(words).length > 0
    const given = startsGit ? gitVariables(exec.environment, rules.environment) : exec.environment
    const roots = startsGit && rules.roots !== undefined ? Result.getOrElse(rules.roots(), () => []) : []
    // Programs look up names in the same path as their own name was looked up, and git runs no hooks.
    const environment = {
      ...(checked ? { ...gitDefaults(inherited), ...rules.git } : undefined),
      ...given,
      ...(checked ? gitSettings(inherited) : undefined),
      ...gitCeilings(roots, rules.platform === "windows" ? ";" : ":"),
      PATH: searchPath,
    }
    return {
      exec: new ShellExec({ ...bounded, localBin: false, environment }),
      pinned: { program, directory: bounds.directory, inherits: rules.environment.inherits },
    }
  })

export const decide = (exec: ShellExec, rules: CompiledRules): Result.Result<Decision, ShellFault> => {
  const invalid = validateReferring(exec)
  if (invalid !== undefined) return Result.fail(invalid)
  const fresh = { ...rules, commands: rules.commands.remembering() }
  return Result.mapError(decided(exec, fresh), (refusal) => toShellFault(exec.commandId, withoutSecrets(refusal, exec)))
}
