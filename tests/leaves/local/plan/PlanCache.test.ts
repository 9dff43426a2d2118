import { describe, expect, it } from "@effect/vitest"
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import { workshop } from "../../../support/workshop.ts"

const script = (path: string, text: string): void => {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

const stdoutOf = <E>(events: Stream.Stream<unknown, E>) =>
  Effect.map(Stream.runLast(events), (last) => last._tag === "Some" ? Reflect.get(Object(last.value), "stdout") : "")

const collected = { streamOutput: false }

describe("a command that was resolved", () => {
  it.live("runs as it was resolved, once; the next run looks again", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      mkdirSync(path("first"))
      mkdirSync(path("second"))
      script(path("second/tool"), "echo second")
      const shell = yield* Shell
      const make = () =>
        ShellExec.make({
          ...ShellExec.make("tool", [], { env: { PATH: `${path("first")}:${path("second")}:/bin` } }),
          ...collected,
        })
      const exec = make()
      const resolved = yield* shell.resolve?.(exec) ?? Effect.undefined
      expect(resolved?.executable).toContain("second")
      script(path("first/tool"), "echo first")
      renameSync(path("second/tool"), path("second/other"))
      script(path("second/tool"), "echo replaced")
      expect(yield* stdoutOf(shell.exec(exec, { resolved }))).toBe("replaced\n")
      renameSync(path("second/tool"), path("second/gone"))
      expect(yield* stdoutOf(shell.exec(exec, { resolved }))).toBe("first\n")
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("is not the plan of another command, nor of one with other constraints", () =>
    Effect.gen(function* () {
      const shell = yield* Shell
      const [one, two] = ["one", "two"].map((word) => ShellExec.make("echo", [word]))
      if (one === undefined || two === undefined) return
      const resolved = yield* shell.resolve?.(one) ?? Effect.undefined
      const other = yield* Stream.runCollect(shell.exec(two, { resolved }))
      expect(other[0]).toMatchObject({ content: "two\n" })
      const again = yield* Stream.runCollect(shell.exec(one, { resolved, constraints: {} }))
      expect(again[0]).toMatchObject({ content: "one\n" })
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("gets its input", () =>
    Effect.gen(function* () {
      const shell = yield* Shell
      const exec = ShellExec.make("cat", [], { input: "typed" })
      const events = yield* Stream.runCollect(
        shell.exec(exec, { resolved: yield* shell.resolve?.(exec) ?? Effect.undefined }),
      )
      expect(events[0]).toMatchObject({ content: "typed" })
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("is refused by a policy as before, and a program that was exchanged since is not started", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      script(path("tool"), "echo checked")
      const exec = ShellExec.make(path("tool"))
      const policy = AccessPolicy.make({ allowedCommands: [path("tool")] })
      const shell = yield* AccessPolicy.guardService(yield* Shell, policy)
      const denied = ShellExec.make("/bin/echo", ["x"])
      const resolved = yield* shell.resolve?.(exec) ?? Effect.undefined
      expect(resolved?.executable).toContain("tool")
      const refused = yield* Effect.flip(Stream.runDrain(shell.exec(denied, { resolved })))
      expect(refused.reason._tag).toBe("NotAllowed")
      script(path("other"), "echo exchanged, and longer")
      renameSync(path("other"), path("tool"))
      const exchanged = yield* Effect.flip(Stream.runDrain(shell.exec(exec, { resolved })))
      expect(exchanged.reason).toMatchObject({ _tag: "NotAllowed", policy: "sameFile" })
    }).pipe(Effect.provide(LocalShell.layer)))
})
