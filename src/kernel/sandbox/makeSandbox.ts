/**
 * Makes a sandbox from its options and the default programs, and closes it with its scope.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { millisOf } from "../../base/duration.ts"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import { hostWorkers } from "../isolate/HostWorker.ts"
import { NotIsolable } from "../isolate/NotIsolable.ts"
import { Kernel } from "../Kernel.ts"
import { isWasmSource, type ProgramSource } from "../process/Programs.ts"
import { shellProgram } from "../shell/ShellProgram.ts"
import { defaultCwd, makeFileSystem } from "./makeFileSystem.ts"
import { SandboxService } from "./SandboxService.ts"
import { SandboxError } from "./SandboxError.ts"
import type { SandboxOptions } from "./SandboxOptions.ts"

const defaultOutputBytes = 67_108_864

/** Whether the options need workers on a runtime without them. */
const needsMissingWorkers = ({ isolate, programs = {}, workers }: SandboxOptions): boolean =>
  (isolate === "worker" ||
    Object.values(programs).some((source) => isWasmSource(source) && source.isolate === "worker")) &&
  workers === undefined && hostWorkers() === undefined

const noWorkers: Effect.Effect<never, SandboxError> = Effect.suspend(() =>
  Effect.fail(
    SandboxError.because({ _tag: "NotIsolable" }, `isolate: "worker": ${NotIsolable.noWorkers}`, "ENOTSUP"),
  )
)

/** Every option of a sandbox: an option with another name is refused. */
export const sandboxOptionNames: Readonly<Record<keyof SandboxOptions, true>> = {
  allow: true,
  clock: true,
  cwd: true,
  env: true,
  extensions: true,
  files: true,
  isolate: true,
  limits: true,
  mounts: true,
  network: true,
  preopens: true,
  programs: true,
  random: true,
  sequential: true,
  timeout: true,
  workers: true,
}

/**
 * Makes a sandbox with the shell, the default programs, and those of the options. `where` and `optionNames` are those
 * of the caller, for its errors.
 */
export const makeSandbox = (
  defaultPrograms: Readonly<Record<string, ProgramSource>>,
  options: SandboxOptions,
  where = "Sandbox",
  optionNames: Readonly<Record<string, true>> = sandboxOptionNames,
): Effect.Effect<SandboxService, SandboxError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const timeoutMillis = yield* attemptOptions(() => {
      refuseUnknownOptions(where, options, optionNames)
      return options.timeout === undefined ? Infinity : millisOf("timeout", options.timeout)
    })
    const files = yield* needsMissingWorkers(options) ? noWorkers : Effect.fromResult(makeFileSystem(options))
    const { cwd = defaultCwd, env = {}, limits, programs = {} } = options
    const home = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd, USER: "user", TMPDIR: "/tmp" }
    const variables = Object.entries({ ...home, ...env })
    return yield* Effect.acquireRelease(
      Effect.sync(() => {
        const shell = shellProgram()
        const kernel = Kernel.make({
          ...options,
          fileSystem: files,
          programs: { sh: shell, bash: shell, ...defaultPrograms, ...programs },
          env: variables,
        })
        return new SandboxService(kernel, files, {
          env: variables,
          cwd,
          timeoutMillis,
          outputBytes: limits?.outputBytes ?? defaultOutputBytes,
        })
      }),
      (sandbox) => sandbox.close,
    )
  })
