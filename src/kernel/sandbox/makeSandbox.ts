/**
 * Puts a sandbox together.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Kernel } from "../Kernel.ts"
import type { ProgramSource } from "../process/Programs.ts"
import { shellProgram } from "../shell/ShellProgram.ts"
import { defaultCwd, makeFileSystem } from "./makeFileSystem.ts"
import { Sandbox } from "./Sandbox.ts"
import type { SandboxError } from "./SandboxError.ts"
import type { SandboxOptions } from "./SandboxOptions.ts"

const defaultOutputBytes = 67_108_864

/** Makes a sandbox with the shell, the programs that it brings along, and those of the options. */
export const makeSandbox = (
  brought: Readonly<Record<string, ProgramSource>>,
  options: SandboxOptions,
): Effect.Effect<Sandbox, SandboxError, Scope.Scope> =>
  Effect.flatMap(Effect.fromResult(makeFileSystem(options)), (files) => {
    const { cwd = defaultCwd, env = {}, limits, programs = {}, timeout } = options
    const home = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd, USER: "user", TMPDIR: "/tmp" }
    const variables = Object.entries({ ...home, ...env })
    return Effect.acquireRelease(
      Effect.sync(() => {
        const shell = shellProgram()
        const kernel = Kernel.make({
          ...options,
          fileSystem: files,
          programs: { sh: shell, bash: shell, ...brought, ...programs },
          env: variables,
        })
        return new Sandbox(kernel, files, {
          env: variables,
          cwd,
          timeoutMillis: timeout === undefined ? Infinity : Duration.toMillis(timeout),
          outputBytes: limits?.outputBytes ?? defaultOutputBytes,
        })
      }),
      (sandbox) => sandbox.close,
    )
  })
