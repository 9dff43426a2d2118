import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { eventually } from "../../support/eventually.ts"

it.live("warns once of a command that waits behind servers, and names them and the option", () => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message)))
  return Effect.gen(function* () {
    const servers = yield* Effect.forEach(
      ["61", "62", "63", "64"],
      (seconds) => Effect.forkChild(Shell.run(ShellExec.make("sleep", [seconds])), { startImmediately: true }),
    )
    const last = yield* Effect.forkChild(Shell.run(ShellExec.make("sleep", ["0"])))
    yield* eventually("it warns", () => logged.length > 0)
    yield* Fiber.interruptAll(servers)
    expect((yield* Fiber.join(last)).exitCode).toBe(0)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatch(
      /^exec: sleep 0 \(.*\) waits: at most 4 commands run at once \(maxConcurrency\), first /,
    )
    expect(logged[0]).toContain("first sleep 61, sleep 62, sleep 63 and 1 more; end one, or raise it, as in ")
  }).pipe(Effect.provide([LocalShell.layer, Logger.layer([logger])]))
})
