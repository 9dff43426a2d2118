import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ShellExec, type ShellExecOptions } from "../../../../src/command/ShellExec.ts"
import { LocalShell } from "../../../../src/leaves/local/LocalShell.ts"
import { Shell } from "../../../../src/shell/Shell.ts"

const env = { APP_SECRET: "s3cret", APP_MODE: "test", SLUICE_TOKEN: "t0ken" }

/** What commands have in their environment, as NAME=VALUE lines. */
const variables = (inheritedVariables: ReadonlyArray<string> | undefined, options: ShellExecOptions = {}) =>
  Effect.acquireUseRelease(
    Effect.sync(() => Object.assign(process.env, env)),
    () =>
      Shell.run(ShellExec.make("env", [], options)).pipe(
        Effect.map(({ stdout }) => stdout.split("\n").filter((line) => !line.startsWith("SLUICE_RUN="))),
        Effect.provide(LocalShell.layerWith({ inheritedVariables })),
      ),
    () => Effect.sync(() => Object.keys(env).forEach((name) => delete process.env[name])),
  )

if (process.platform !== "win32") {
  it.live("passes on all of the environment by default", () =>
    Effect.gen(function* () {
      expect(yield* variables(undefined)).toEqual(expect.arrayContaining(["APP_SECRET=s3cret", "SLUICE_TOKEN=t0ken"]))
    }))

  it.live("passes on the named variables, and never the server's own", () =>
    Effect.gen(function* () {
      const lines = yield* variables(["PATH", "APP_MODE", "SLUICE_*"])
      expect(lines.filter((line) => !line.startsWith("PATH=")).sort()).toEqual(["", "APP_MODE=test"])
      expect(yield* variables([], { env: { A: "b", PATH: "/usr/bin:/bin" } })).toContain("A=b")
      const removing = yield* variables(["PATH", "APP_*"], { env: { APP_SECRET: null } })
      expect(removing).toContain("APP_MODE=test")
      expect(removing).not.toContain("APP_SECRET=s3cret")
      expect(yield* variables(["PATH", "APP_*"], { extendEnv: false, env: { PATH: "/usr/bin:/bin" } }))
        .not.toContain("APP_MODE=test")
    }))
}
