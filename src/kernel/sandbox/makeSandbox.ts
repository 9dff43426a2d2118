/** Makes a sandbox from its options, and closes it with its scope. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { millisOf } from "../../base/duration.ts"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import { finiteFrom, kindOf, OptionError, refuseUnknownOptions, requireCount } from "../../base/OptionError.ts"
import { quote } from "../../base/quote.ts"
import { hostWorkers } from "../worker/HostWorker.ts"
import { NotIsolable } from "../worker/NotIsolable.ts"
import { Kernel } from "../mod.ts"
import { isWasmSource, type ProgramSource } from "../process/Programs.ts"
import type { VirtualFileSystem } from "../fs/VirtualFileSystem.ts"
import type { ShellSession } from "../shell/ShellSession.ts"
import { shellProgram } from "../shell/ShellProgram.ts"
import { defaultCwd, fileOf, forkChanges, forkFileSystem, type LazyFiles, makeFileSystem } from "./makeFileSystem.ts"
import { SandboxService, type SandboxStart } from "./SandboxService.ts"
import { SandboxError } from "./SandboxError.ts"
import { makeMachine, type SandboxMachine } from "./SandboxMachine.ts"
import { resolveSandboxLimits, type SandboxOptions } from "./SandboxOptions.ts"

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
  onLoadError: true,
  preopens: true,
  programs: true,
  random: true,
  seed: true,
  sequential: true,
  startTime: true,
  timeout: true,
  workers: true,
}

const hasLazyFiles = ({ files = {} }: SandboxOptions): boolean =>
  Object.values(files).some((file) => typeof fileOf(file).content === "function")

const loadLazyFiles = ({ onLoadError }: SandboxOptions): Effect.Effect<LazyFiles> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const [{ addLazyFile }, { ContentLoader }] = yield* Effect.promise(() =>
      Promise.all([import("../fs/addLazyFile.ts"), import("./ContentLoader.ts")])
    )
    return { add: addLazyFile, loader: new ContentLoader(context, onLoadError) }
  })

const isFunction = (value: unknown): boolean => typeof value === "function"

const isContent = (value: unknown): boolean =>
  typeof value === "string" || isFunction(value) || value instanceof Uint8Array

const isProgram = (value: unknown): boolean => isFunction(value) || (typeof value === "object" && value !== null)

/** Refuses values that are no volume, program, function or content, which would fail only when they are used. */
const checkValues = (where: string, { extensions, files, mounts, programs }: SandboxOptions): void => {
  const check = (option: string, values: object | undefined, isValid: (value: unknown) => boolean, hint: string) => {
    for (const [name, value] of Object.entries(values ?? {})) {
      if (isValid(value)) continue
      throw new OptionError(option, `${where}: ${option}[${quote(name)}]: write ${hint}, got ${kindOf(value)}`)
    }
  }
  const isFile = (value: unknown) =>
    isContent(value) || (typeof value === "object" && value !== null && "content" in value && isContent(value.content))
  check("files", files, isFile, "text, bytes, a function that returns them, or { content }")
  check("mounts", mounts, isFunction, "a volume, such as hostFolder(path) or memory()")
  check("programs", programs, isProgram, "a function, the bytes of a WASI program, or { source }")
  check("extensions", extensions, isFunction, "a function")
}

const checkFiles = (where: string, { files = {} }: SandboxOptions): void => {
  for (const [path, file] of Object.entries(files)) {
    const { mtime, size } = fileOf(file)
    if (size !== undefined) requireCount(where, `files[${quote(path)}].size`, size, finiteFrom(0))
    if (mtime !== undefined && !(mtime instanceof Date && Number.isFinite(mtime.getTime()))) {
      throw new OptionError("files", `${where}: files[${quote(path)}].mtime: write a Date that exists`)
    }
  }
}

const checkCommands = (where: string, { extensions = {}, programs = {} }: SandboxOptions): void => {
  for (const [option, given] of Object.entries({ extensions, programs })) {
    const name = Object.keys(given).find((name) => !/^[^/\0]{1,255}$/.test(name) || name === "." || name === "..")
    if (name === undefined) continue
    throw new OptionError(
      option,
      `${where}: ${option}: ${quote(name)} is not the name of a command: write 1 to 255 characters without "/"`,
    )
  }
}

/** Makes a sandbox with the shell, the given programs and those of the options. `where`, `optionNames`: for errors. */
export const makeSandbox = (
  defaultPrograms: Readonly<Record<string, ProgramSource>>,
  options: SandboxOptions,
  where = "Sandbox",
  optionNames: Readonly<Record<string, true>> = sandboxOptionNames,
): Effect.Effect<SandboxService, SandboxError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const { limits, timeoutMillis } = yield* attemptOptions(() => {
      refuseUnknownOptions(where, options, optionNames)
      checkValues(where, options)
      checkFiles(where, options)
      checkCommands(where, options)
      return {
        limits: resolveSandboxLimits(where, options.limits),
        timeoutMillis: millisOf("timeout", options.timeout ?? Infinity),
      }
    })
    const machine = yield* makeMachine(where, options)
    const lazy = yield* hasLazyFiles(options) ? loadLazyFiles(options) : Effect.undefined
    const files = yield* needsMissingWorkers(options)
      ? noWorkers
      : Effect.fromResult(makeFileSystem({ ...options, clock: machine.clock, random: machine.random }, limits, lazy))
    const { cwd = defaultCwd, env = {}, programs = {} } = options
    const home = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd, USER: "user", TMPDIR: "/tmp" }
    const variables = Object.entries({ ...home, ...env })
    const { maxOutputBytes } = limits
    const start = (
      fileSystem: VirtualFileSystem,
      machine: SandboxMachine,
      session?: ShellSession,
    ): Effect.Effect<SandboxService, OptionError, Scope.Scope> =>
      Effect.acquireRelease(
        attemptOptions(() => {
          const shell = shellProgram()
          const kernel = Kernel.make({
            ...options,
            clock: machine.clock,
            random: machine.random,
            scheduler: machine.scheduler,
            limits: limits.kernel,
            fileSystem,
            programs: { sh: shell, bash: shell, ...defaultPrograms, ...programs },
            env: variables,
          })
          const settings = { env: variables, cwd, timeoutMillis, maxOutputBytes, scheduler: machine.scheduler }
          lazy?.loader.open()
          return new SandboxService(kernel, fileSystem, settings, forkOf(machine), session)
        }),
        (sandbox) => Effect.andThen(sandbox.close, Effect.sync(() => lazy?.loader.close())),
      )
    // The options were already valid for the first sandbox.
    const forkOf = (machine: SandboxMachine): SandboxStart => (forked, session) =>
      Effect.suspend(() => {
        const copy = machine.fork()
        const changes = copy === machine ? {} : forkChanges(options, copy)
        return Effect.flatMap(
          Effect.fromResult(forkFileSystem(forked, changes)),
          (files) => assumeValidOptions(start(files, copy, session)),
        )
      })
    return yield* start(files, machine)
  })
