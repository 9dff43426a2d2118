/**
 * Puts a sandbox together.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { millisOf } from "../../base/duration.ts"
import { hostWorkers } from "../isolate/HostWorker.ts"
import { NotIsolable } from "../isolate/NotIsolable.ts"
import { Kernel } from "../Kernel.ts"
import { isWasmSource, type ProgramSource } from "../process/Programs.ts"
import { shellProgram } from "../shell/ShellProgram.ts"
import { defaultCwd, makeFileSystem } from "./makeFileSystem.ts"
import { SandboxService } from "./Sandbox.ts"
import { SandboxError } from "./SandboxError.ts"
import type { SandboxOptions } from "./SandboxOptions.ts"

const defaultOutputBytes = 67_108_864

/** Whether workers are asked for where there are none. */
const needsMissingWorkers = ({ isolate, programs = {}, workers }: SandboxOptions): boolean =>
  (isolate === "worker" ||
    Object.values(programs).some((source) => isWasmSource(source) && source.isolate === "worker")) &&
  workers === undefined && hostWorkers() === undefined

const noWorkers: Effect.Effect<never, SandboxError> = Effect.suspend(() =>
  Effect.fail(
    SandboxError.because({ _tag: "NotIsolable" }, `isolate: "worker": ${NotIsolable.noWorkers}`, "ENOTSUP"),
  )
)

/** Makes a sandbox with the shell, the programs that it brings along, and those of the options. */
export const makeSandbox = (
  brought: Readonly<Record<string, ProgramSource>>,
  options: SandboxOptions,
): Effect.Effect<SandboxService, SandboxError, Scope.Scope> =>
  Effect.flatMap(needsMissingWorkers(options) ? noWorkers : Effect.fromResult(makeFileSystem(options)), (files) => {
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
        return new SandboxService(kernel, files, {
          env: variables,
          cwd,
          timeoutMillis: timeout === undefined ? Infinity : millisOf("timeout", timeout),
          outputBytes: limits?.outputBytes ?? defaultOutputBytes,
        })
      }),
      (sandbox) => sandbox.close,
    )
  })
