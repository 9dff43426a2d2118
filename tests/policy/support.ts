/** Commands on the local leaf behind a policy. */
import * as Effect from "effect/Effect"
import type { ShellOutput } from "../../src/command/ShellEvent.ts"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import type { LocalShellOptions } from "../../src/leaves/local/LocalShellOptions.ts"
import { AccessPolicy, type AccessPolicyError } from "../../src/policy/mod.ts"
import type { OptionError } from "../../src/base/OptionError.ts"
import { Shell } from "../../src/shell/Shell.ts"

export type Settings = ConstructorParameters<typeof AccessPolicy>[0]

export type Answer = ShellOutput | ShellFault

/** Runs a command behind a policy: its last event, or its fault. */
export const answer = (
  policy: AccessPolicy,
  exec: ShellExec,
  leaf: LocalShellOptions = {},
): Effect.Effect<Answer, AccessPolicyError | OptionError> =>
  Shell.run(exec).pipe(
    Effect.catchTag("ShellFault", (fault) => Effect.succeed(fault)),
    Effect.provide(AccessPolicy.guard(policy)(LocalShell.layerWith(leaf))),
  )

/** What a script wrote, or what it was refused with. */
export const said = (
  settings: Settings,
  script: string,
  options: ShellExecOptions = {},
): Effect.Effect<string, AccessPolicyError | OptionError> =>
  Effect.map(answer(AccessPolicy.make(settings), ShellExec.shell(script, options)), textOf)

/** What a program wrote, or what it was refused with. */
export const told = (
  settings: Settings,
  program: string,
  args: ReadonlyArray<string> = [],
  options: ShellExecOptions = {},
): Effect.Effect<string, AccessPolicyError | OptionError> =>
  Effect.map(answer(AccessPolicy.make(settings), ShellExec.make(program, args, options)), textOf)

const textOf = (given: Answer): string => given instanceof ShellFault ? given.message : given.stdout + given.stderr
