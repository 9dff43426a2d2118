/** Makes the files and the shell of an agent: a folder of this machine, a sandbox, or an execution server. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { assumeValidOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { Files } from "../../files/Files.ts"
import * as KernelFileSystem from "../../leaves/files/KernelFileSystem.ts"
import * as LocalFileSystem from "../../leaves/files/LocalFileSystem.ts"
import * as KernelShell from "../../leaves/kernel/KernelShell.ts"
import * as RemoteFileSystem from "../../leaves/remote/RemoteFileSystem.ts"
import * as RemoteShell from "../../leaves/remote/RemoteShell.ts"
import { Sandbox } from "../../sandbox/mod.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { CliProcess } from "../CliProcess.ts"
import { filesBesideCommands } from "../filesBesideCommands.ts"
import { isolationOf, type IsolationRequest } from "../isolationFlags.ts"
import { type OutputWriter, ProcessOutput } from "../ProcessOutput.ts"
import { makeSandboxOptions } from "../sandbox/makeSandboxOptions.ts"
import { serverToken } from "../serverTokenFlags.ts"
import { UsageError } from "../UsageError.ts"
import type { AgentFlags } from "./agentSpec.ts"

export type AgentPlace = Layer.Layer<Files | Shell, UsageError>

export const hasPlace = ({ cwd, sandbox, url }: AgentFlags): boolean =>
  cwd !== undefined || sandbox || url !== undefined

const usageError = (flag: string) => ({ message }: { readonly message: string }): UsageError =>
  new UsageError(`${flag}: ${message}`)

/** The folder of the sandbox that `/` stands for. */
const sandboxRoot = "/work"

/** A sandbox, with a folder of this machine in it whose changes stay in memory. */
const sandboxPlace = (cwd: string | undefined, cli: CliProcess): AgentPlace =>
  Layer.effectContext(Effect.gen(function* () {
    const mounts = cwd === undefined ? [] : [{ folder: cwd, mode: "overlay" as const, path: sandboxRoot }]
    const none = { program: [], isolate: false, env: undefined, cwd: sandboxRoot, timeout: undefined, limit: undefined }
    const options = yield* makeSandboxOptions({ ...none, mount: mounts, network: [] }, cli)
    const sandbox = yield* Effect.mapError(Sandbox.make(options), usageError("--sandbox"))
    const files = yield* Effect.mapError(
      KernelFileSystem.make(sandbox, { rootPath: sandboxRoot }),
      usageError("--sandbox"),
    )
    return yield* Effect.context<Files | Shell>().pipe(
      Effect.provideService(Files, files),
      Effect.provideServiceEffect(Shell, assumeValidOptions(KernelShell.make(sandbox))),
    )
  }))

/** A folder of this machine, with commands of this machine that start there. */
const localPlace = (
  cwd: string,
  shell: ShellService,
  isolation: IsolationRequest | undefined,
  output: OutputWriter,
): AgentPlace =>
  Layer.merge(
    Layer.effect(
      Files,
      Effect.flatMap(filesBesideCommands(cwd, isolation, output), (rules) =>
        Effect.mapError(
          LocalFileSystem.make({ rootPath: cwd, ...rules }),
          ({ message }: OptionError) => new UsageError(`--cwd: ${message.replace(/^LocalFileSystem: rootPath /, "")}`),
        )),
    ),
    Layer.succeed(Shell, shell),
  )

/** An execution server, which must answer before the first request to a model. */
const remotePlace = (
  url: string,
  token: Redacted.Redacted<string> | undefined,
): Effect.Effect<AgentPlace, UsageError> =>
  Effect.gen(function* () {
    const first = yield* RemoteFileSystem.make({ url, token, reconnectTimeout: "5 seconds" })
    const files = Layer.succeed(Files, yield* RemoteFileSystem.make({ url, token }))
    const shell = Layer.succeed(Shell, yield* RemoteShell.make({ url, token }))
    yield* Effect.provideService(Files.stat(""), Files, first)
    return Layer.merge(files, shell)
  }).pipe(
    Effect.mapError(({ message }) => new UsageError(`--url: ${message.replace(/^stat \/: /, "")}`)),
  )

/** Makes the place that the flags name, by default the current folder. `shell` runs commands of this machine in `cwd`. */
export const agentPlace = (
  flags: AgentFlags,
  cli: CliProcess,
  shell: ShellService,
): Effect.Effect<AgentPlace, UsageError> =>
  Effect.suspend(() => {
    const { cwd, sandbox, url } = flags
    if (url !== undefined && (cwd !== undefined || sandbox)) {
      return Effect.fail(
        new UsageError("--url: the files and commands are those of the server; leave out --cwd and --sandbox"),
      )
    }
    if (url !== undefined) return Effect.flatMap(serverToken(flags, cli), (token) => remotePlace(url, token))
    return Effect.succeed(
      sandbox
        ? sandboxPlace(cwd, cli)
        : localPlace(cwd ?? ".", shell, isolationOf(flags, [cwd ?? "."], flags.record), new ProcessOutput(cli)),
    )
  })
