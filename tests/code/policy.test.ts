/** Tests code under an access policy: the interpreter is the command that the policy allows or refuses. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { LocalShell } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
import * as Code from "@sluice/shell/code"
import { bash, has, path } from "./support.ts"

const behind = (policy: Omit<Parameters<typeof AccessPolicy.make>[0], "searchPath">) => {
  const shell = AccessPolicy.guard(AccessPolicy.make({ ...policy, searchPath: path }))(LocalShell.layer)
  return (request: Code.CodeInput) => Effect.orDie(Effect.provide(Code.result(request), shell))
}

const here = Object.entries(Code.interpreters).filter(([, { command }]) => has(command))
const commands = [...new Set(here.map(([, { command }]) => command))]

describe("Exec behind an AccessPolicy", { concurrent: true }, () => {
  it.live("runs the languages whose interpreters are allowed, and no other", () =>
    Effect.gen(function* () {
      const result = behind({ allowedCommands: ["bash"] })
      expect(yield* result(bash("echo yes"))).toMatchObject({ success: true, stdout: "yes\n" })
      expect(yield* result({ language: "javascript", code: "1" })).toMatchObject({
        success: false,
        level: "pre-execution",
        error: "exec: node is not among the allowed commands (NOT_ALLOWED)",
      })
    }))

  it.live.each(here)(
    "passes no code to %s, short or long, if interpreters may not run code",
    ([language]) =>
      Effect.gen(function* () {
        const result = behind({ allowedCommands: commands, code: "refuse" })
        for (const code of ["", "1", "-1", `#${"x".repeat(200_000)}`]) {
          const got = yield* result({ language, code })
          expect([got.level, got.error]).toEqual(["pre-execution", expect.stringMatching(/\(NOT_ALLOWED\)$/)])
        }
      }),
  )

  it.live("runs in allowed directories, for the allowed time", () =>
    Effect.gen(function* () {
      const result = behind({ allowedCommands: ["bash"], allowedCwdRoots: ["/usr"], maxTimeout: Duration.seconds(1) })
      expect(yield* result(bash("pwd", { cwd: "/usr/bin", timeout: 900 }))).toMatchObject({
        success: true,
      })
      const outside = yield* result(bash("pwd", { cwd: "/", timeout: 900 }))
      expect([outside.level, outside.error]).toEqual(["pre-execution", expect.stringContaining("NOT_ALLOWED")])
      expect((yield* result(bash("true"))).level).toBe("pre-execution")
    }))
})
