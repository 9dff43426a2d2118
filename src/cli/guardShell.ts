/**
 * Wraps a shell with the access policy of a server's flags, and warns on stderr of risks that the policy leaves open.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { allowDirectory, makeRoots } from "../policy/allowDirectory.ts"
import { AccessPolicy } from "../policy/mod.ts"
import type { LeafFiles } from "../shell/LeafFiles.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { OutputWriter } from "./ProcessOutput.ts"
import { tryMessage } from "./writeMessage.ts"
import type { UtilitySource } from "./commandPolicyFlags.ts"
import type { CommandPolicyRequest } from "./serverFlags.ts"
import { UsageError } from "./UsageError.ts"
import { commandLimits } from "./parseValues.ts"
import { checkTerminals } from "../mcp/checkTerminals.ts"

export interface ShellWithPolicy {
  readonly shell: ShellService
  readonly policy: AccessPolicy | undefined
}

const warnOfRisks = (policy: AccessPolicy, output: OutputWriter): Effect.Effect<void> =>
  Effect.forEach(AccessPolicy.risks(policy), ({ message }) => tryMessage(output, message), {
    discard: true,
  })

const findBadRoot = ({ allowedCwdRoots = [] }: AccessPolicy, files: LeafFiles): string | undefined =>
  allowedCwdRoots.find((root) => files.directory(root)._tag !== "Seen")

/** Whether commands that name no directory run within the roots; `false` if a root is invalid. */
const isInside = ({ allowedCwdRoots }: AccessPolicy, files: LeafFiles): boolean =>
  allowedCwdRoots === undefined || Result.isSuccess(allowDirectory(files, makeRoots(files, allowedCwdRoots), "."))

/** Reports the directory of commands that name none, and roots that are not directories. */
const tellOfRoots = (
  policy: AccessPolicy,
  { files }: ShellService,
  entered: string | undefined,
  output: OutputWriter,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (files === undefined) return
    const seen = files.directory(".")
    const place = seen._tag === "Seen" ? seen.seen.file : "the server's directory"
    // With isolation, a root that contains the home folder is not entered.
    if (place === entered) yield* tryMessage(output, `started outside the allowed roots; working in ${place}`)
    const bad = findBadRoot(policy, files)
    if (bad !== undefined) {
      const effect = "commands that name a working directory are refused"
      return yield* tryMessage(output, `the allowed root ${bad} is not a directory; ${effect}`)
    }
    if (isInside(policy, files)) return
    yield* tryMessage(
      output,
      `commands without a working directory run in ${place}, outside the allowed roots; set another with --default-cwd`,
    )
  })

/**
 * Utilities confined to the roots. With isolation, or without accessible files, they could not do what programs can.
 */
const defaultUtilities = ({ allowedCwdRoots }: AccessPolicy, { capabilities, files }: ShellService): UtilitySource =>
  allowedCwdRoots === undefined || files === undefined || capabilities.isolated ? "host" : "contained"

/**
 * Runs an empty script once the server is up: the first one compiles our shell, which takes 20 to 30 ms that the first
 * caller would wait for.
 */
const warmUp = (shell: ShellService): Effect.Effect<unknown, never, Scope.Scope> =>
  Stream.runDrain(shell.exec(ShellExec.shell(":"))).pipe(Effect.ignore, Effect.delay("100 millis"), Effect.forkScoped)

/**
 * Wraps a shell with the policy of the flags; without an allowlist everything may run. Warns of risks that the policy
 * leaves open. The leaf already restricts variables. Fails for settings under which no command could run.
 */
export const guardShell = (
  shell: ShellService,
  { allowed, entered, flags }: CommandPolicyRequest,
  output: OutputWriter,
): Effect.Effect<ShellWithPolicy, UsageError, Scope.Scope> => {
  const { "default-cwd": defaultCwd, isolated, limit: limits = {}, redirects, utilities } = flags
  const unsupported = Object.entries(commandLimits).find(([, [field]]) =>
    limits[field] !== undefined && !shell.capabilities.limits.includes(field)
  )
  if (unsupported !== undefined) {
    const why = shell.capabilities.limits.length === 0
      ? "here: prlimit is not installed"
      : "for root: run as another user"
    return Effect.fail(new UsageError(`--limit: ${unsupported[0]} cannot be enforced ${why}`))
  }
  const base = defaultCwd === undefined && entered === undefined ? undefined : shell.files?.directory(".")
  if (defaultCwd !== undefined && base !== undefined && base._tag !== "Seen") {
    return Effect.fail(new UsageError(`--default-cwd: ${defaultCwd} is not an accessible directory`))
  }
  if (allowed === undefined) {
    const given = Object.entries({ redirects, utilities }).find(([, value]) => value !== undefined)
    return given === undefined ? Effect.succeed({ shell, policy: undefined }) : Effect.fail(
      new UsageError(`--${given[0]} requires --allow-command or ALLOWED_COMMANDS: without them every command may run`),
    )
  }
  return Effect.gen(function* () {
    const settings = yield* Effect.mapError(
      AccessPolicy.config.parse(ConfigProvider.fromEnvRecord({ ...allowed })),
      ({ cause }) => new UsageError(`access: ALLOWED_COMMANDS has an item that is ${cause.message}`),
    )
    const { files } = shell
    const bad = files === undefined ? undefined : findBadRoot(settings, files)
    if (defaultCwd !== undefined && bad !== undefined) {
      return yield* Effect.fail(new UsageError(`the allowed root ${bad} is not a directory`))
    }
    // A root that was entered counts as the server's own directory where the policy would refuse it.
    const isChecked = defaultCwd !== undefined || (files !== undefined && isInside(settings, files))
    const policy = AccessPolicy.make({
      ...settings,
      environment: { inherit: ["*"] },
      ...defined({ redirects }),
      utilities: utilities ?? defaultUtilities(settings, shell),
      ...(isChecked && base?._tag === "Seen" ? { defaultCwd: base.seen.file } : undefined),
    })
    const guarded = yield* AccessPolicy.guardService(shell, policy)
    // With isolation the list of commands need not be a boundary.
    if (!isolated) yield* warnOfRisks(policy, output)
    yield* tellOfRoots(policy, shell, entered, output)
    yield* warmUp(guarded)
    return { shell: guarded, policy }
  }).pipe(Effect.mapError(({ message }) => new UsageError(message)))
}

export const requireTerminals = (
  policy: AccessPolicy | undefined,
  shell: ShellService,
): Effect.Effect<void, UsageError> => {
  const refused = checkTerminals(policy, shell)
  return refused === undefined ? Effect.void : Effect.fail(new UsageError(`--${refused.message}`))
}
