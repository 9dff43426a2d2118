import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { AccessPolicy } from "../../src/policy/Policy.ts"
import { output, serviceOf } from "../http/support.ts"
import { existsSync } from "node:fs"
import { workshop } from "../support/workshop.ts"
import { allowed, attacks, programAttacks, rewritten } from "./attacks.ts"
import { said } from "./support.ts"

/** The rule that refuses a command on a leaf without files, where names are all that there is. */
const refusedBy = (exec: ShellExec): Effect.Effect<string> =>
  Effect.gen(function* () {
    const policy = AccessPolicy.make({ allowedCommands: allowed, shell: "leaf" })
    const shell = yield* AccessPolicy.wrap(policy, serviceOf(({ commandId }) => Stream.make(output(commandId))))
    return yield* shell.exec(exec).pipe(
      Stream.runDrain,
      Effect.as("it runs"),
      Effect.catch(({ message, reason }) =>
        Effect.succeed(reason._tag === "NotAllowed" ? reason.policy : `${reason._tag}: ${message}`)
      ),
    )
  }).pipe(Effect.orDie)

const described = (source: string, text: string): string => `${JSON.stringify(text.slice(0, 100))} (${source})`

it.effect("refuses every way around a list that others were caught by, by the rule that is meant for it", () =>
  Effect.gen(function* () {
    const found: Array<string> = []
    for (const [source, , script] of attacks) {
      found.push(`${yield* refusedBy(ShellExec.shell(script))}: ${described(source, script)}`)
    }
    expect(found).toEqual(attacks.map(([source, policy, script]) => `${policy}: ${described(source, script)}`))
  }))

it.effect("refuses the same of programs with arguments", () =>
  Effect.gen(function* () {
    const found: Array<string> = []
    for (const [source, , [program = "", ...args]] of programAttacks) {
      found.push(`${yield* refusedBy(ShellExec.make(program, args))}: ${described(source, program)}`)
    }
    expect(found).toEqual(
      programAttacks.map(([source, policy, [program = ""]]) => `${policy}: ${described(source, program)}`),
    )
  }))

it.live("writes anew what others were caught by, so that it runs nothing", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("bin/evil", `#!/bin/sh\ntouch ${shop.path("mark")}\n`, 0o755)
    shop.write("--output=x", "")
    const run = (allowedCommands: ReadonlyArray<string>, script: string) =>
      said({ allowedCommands, searchPath: `${shop.path("bin")}:/usr/bin:/bin` }, script, {
        cwd: shop.directory,
        env: { i: "a[$(evil)]", x: "a[$(evil)]", y: "a[$(evil)]", f: "--compress-program=evil" },
      })
    for (const script of rewritten) {
      const text = yield* run("ls echo git sed sort awk printf".split(" "), script)
      expect([script, text.includes("NOT_ALLOWED"), existsSync(shop.path("mark"))]).toEqual([script, false, false])
    }
    // The mark that would be left.
    yield* run(["evil", "echo"], 'echo "$(evil)"')
    expect(existsSync(shop.path("mark"))).toBe(true)
  }))
