/**
 * Wraps a shell with the access policy of a server's flags, refuses settings under which no command could run, and
 * warns on stderr of risks that the policy leaves open.
 *
 * @module
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { allowDirectory, makeRoots } from "../policy/allowDirectory.ts"
import { AccessPolicy } from "../policy/Policy.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { OutputWriter } from "./ProcessOutput.ts"
import { tryMessage } from "./writeMessage.ts"
import type { CommandPolicyRequest } from "./serverFlags.ts"
import { UsageError } from "./UsageError.ts"
import { commandLimits } from "./parseValues.ts"

/** A shell and the policy that it enforces. */
export interface ShellWithPolicy {
  readonly shell: ShellService
  readonly policy: AccessPolicy | undefined
}

/** Warns of risks that the allowlist leaves open. */
const warnOfRisks = (policy: AccessPolicy, output: OutputWriter): Effect.Effect<void> =>
  Effect.forEach(AccessPolicy.risks(policy), ({ message }) => tryMessage(output, message), {
    discard: true,
  })

/** Warns if the default working directory is outside the allowed roots. */
const warnOfDefaultCwd = (
  { allowedCwdRoots, defaultCwd }: AccessPolicy,
  { files }: ShellService,
  output: OutputWriter,
): Effect.Effect<void> => {
  if (allowedCwdRoots === undefined || defaultCwd !== undefined || files === undefined) return Effect.void
  const here = allowDirectory(files, makeRoots(files, allowedCwdRoots), ".")
  if (Result.isSuccess(here)) return Effect.void
  const seen = files.directory(".")
  const place = seen._tag === "Seen" ? seen.seen.file : "the server's directory"
  const text =
    `commands without a working directory run in ${place}, outside the allowed roots; set another with --default-cwd`
  return tryMessage(output, text)
}

/**
 * Wraps a shell with the policy of the flags; without an allowlist everything may run. Warns of what the policy leaves
 * open. Variables are restricted by the leaf already. Fails for settings under which no command could run.
 */
export const guardShell = (
  shell: ShellService,
  { allowed, flags: { "default-cwd": defaultCwd, isolated, limit: limits = {}, redirects } }: CommandPolicyRequest,
  output: OutputWriter,
): Effect.Effect<ShellWithPolicy, UsageError> => {
  const unsupported = Object.entries(commandLimits).find(([, [field]]) =>
    limits[field] !== undefined && !shell.capabilities.limits.includes(field)
  )
  if (unsupported !== undefined) {
    const why = shell.capabilities.limits.length === 0
      ? "here: prlimit is not installed"
      : "for root: run as another user"
    return Effect.fail(new UsageError(`--limit: ${unsupported[0]} cannot be enforced ${why}`))
  }
  const base = defaultCwd === undefined ? undefined : shell.files?.directory(".")
  if (base !== undefined && base._tag !== "Seen") {
    return Effect.fail(new UsageError(`--default-cwd: ${defaultCwd} is not an accessible directory`))
  }
  if (allowed === undefined) {
    return redirects === undefined ? Effect.succeed({ shell, policy: undefined }) : Effect.fail(
      new UsageError("--redirects requires --allow-command or ALLOWED_COMMANDS: without them every command may run"),
    )
  }
  return Effect.gen(function* () {
    const settings = yield* Effect.mapError(
      AccessPolicy.config.parse(ConfigProvider.fromEnvRecord({ ...allowed })),
      ({ cause }) => new UsageError(`access: ALLOWED_COMMANDS has an item that is ${cause.message}`),
    )
    const policy = AccessPolicy.make({
      ...settings,
      environment: { inherit: ["*"] },
      ...(redirects === undefined ? undefined : { redirects }),
      ...(base === undefined ? undefined : { defaultCwd: base.seen.file }),
    })
    const guarded = yield* AccessPolicy.wrap(policy, shell)
    // Behind walls a list of commands is no boundary, and need not be one.
    if (!isolated) yield* warnOfRisks(policy, output)
    yield* warnOfDefaultCwd(policy, shell, output)
    return { shell: guarded, policy }
  }).pipe(Effect.mapError(({ message }) => new UsageError(message)))
}
