import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { output, serviceOf } from "../http/support.ts"
import { allowed, programAttacks } from "./attacks.ts"

/** The rule that refuses a command on a leaf without files, where names are all that there is. */
const refusedBy = (exec: ShellExec): Effect.Effect<string> =>
  Effect.gen(function* () {
    const policy = AccessPolicy.make({ allowedCommands: allowed })
    const shell = yield* AccessPolicy.guardService(serviceOf(({ commandId }) => Stream.make(output(commandId))), policy)
    return yield* shell.exec(exec).pipe(
      Stream.runDrain,
      Effect.as("it runs"),
      Effect.catch(({ message, reason }) =>
        Effect.succeed(reason._tag === "NotAllowed" ? reason.policy : `${reason._tag}: ${message}`)
      ),
    )
  }).pipe(Effect.orDie)

// Scripts are tried under a witness: tests/policy/witness.
it.effect("refuses programs whose arguments run others, by the rule that is meant for it", () =>
  Effect.gen(function* () {
    const found: Array<string> = []
    for (const [source, , [program = "", ...args]] of programAttacks) {
      found.push(`${yield* refusedBy(ShellExec.make(program, args))}: ${program} (${source})`)
    }
    expect(found).toEqual(programAttacks.map(([source, policy, [program = ""]]) => `${policy}: ${program} (${source})`))
  }))
