import { expect, it, vi } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { requireBuiltins } from "../../src/base/requireBuiltins.ts"
import * as FetchLeaf from "../../src/fetch/FetchLeaf.ts"
import * as FileSecrets from "../../src/secrets/FileSecrets.ts"

it("is a defect of a service on a runtime without built-in modules, not an error of its options", () => {
  const services = [
    FetchLeaf.make({ hosts: ["example.org"] }),
    FileSecrets.make({ folder: "/secrets" }),
    Effect.sync(() => requireBuiltins("Other", "sockets")),
  ]
  vi.stubGlobal("process", undefined)
  const exits = services.map((make) => Effect.runSyncExit<unknown, unknown>(make))
  vi.unstubAllGlobals()
  for (const exit of exits) {
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && Cause.pretty(exit.cause)).toMatch(
      /^Error: \w+: this runtime has no (sockets|file system); use Deno, Bun or Node/,
    )
  }
})
