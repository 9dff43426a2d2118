/** Builds the options of a sandbox from the flags of `sluice sandbox`. */
import * as Effect from "effect/Effect"
import { concatBytes } from "../../base/bytes.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { errnoText } from "../../kernel/Errno.ts"
import { makeHostFolder } from "../../kernel/fs/HostFolder.ts"
import type { Volume } from "../../kernel/fs/Node.ts"
import { overlay, readOnly } from "../../kernel/fs/overlay.ts"
import type { SandboxOptions } from "../../sandbox/Sandbox.ts"
import { hostFiles } from "../../kernel/fs/nodeHostFiles.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"
import type { Mount, ProgramFile, SandboxFlags } from "./sandboxSpec.ts"

/** Bytes of a page of WASM memory. */
const pageBytes = 65_536

const read = async (cli: CliProcess, file: string): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = await cli.openInput(file)
  try {
    const pieces: Array<Uint8Array> = []
    for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) pieces.push(piece.slice())
    return concatBytes(pieces)
  } finally {
    reader.close()
  }
}

const programOf = (
  cli: CliProcess,
  { file, name }: ProgramFile,
): Effect.Effect<readonly [string, Uint8Array<ArrayBuffer>], UsageError> =>
  Effect.tryPromise({
    try: async () => [name, await read(cli, file)] as const,
    catch: (error) => new UsageError(`--program: ${errorMessage(error)}`),
  })

/** A folder of this machine as a volume, and its canonical path. `flag` is named where it cannot be opened. */
export const openVolume = (
  flag: string,
  path: string,
  mode: Mount["mode"],
): Effect.Effect<{ readonly volume: Volume; readonly path: string }, UsageError> =>
  Effect.suspend(() => {
    const files = hostFiles()
    const real = files.realFolder(path)
    if (typeof real === "number") return Effect.fail(new UsageError(`${flag}: ${path}: ${errnoText(real)}`))
    const folder = makeHostFolder(files, path)
    const volume = mode === "ro" ? readOnly(folder) : mode === "overlay" ? overlay(folder) : folder
    return Effect.succeed({ volume, path: real === "" ? "/" : real })
  })

export const makeSandboxOptions = (flags: SandboxFlags, cli: CliProcess): Effect.Effect<SandboxOptions, UsageError> =>
  Effect.gen(function* () {
    const { cwd, env = {}, isolate, mount: mounts, network: origins } = flags
    const { memoryBytes, outputBytes: _, ...limits } = flags.limit ?? {}
    const programs = yield* Effect.forEach(flags.program, (program) => programOf(cli, program))
    const volumes = yield* Effect.forEach(
      mounts,
      ({ folder, mode, path }) =>
        Effect.map(openVolume("--mount", folder, mode), (opened) => [path ?? opened.path, opened.volume] as const),
    )
    return {
      programs: Object.fromEntries(programs),
      isolate: isolate ? "worker" : "none",
      mounts: Object.fromEntries(volumes),
      env,
      cwd: cwd ?? volumes[0]?.[0],
      limits: {
        ...limits,
        maxMemoryPages: memoryBytes === undefined ? undefined : Math.max(1, Math.floor(memoryBytes / pageBytes)),
      },
      ...(origins.length > 0 && { network: { origins } }),
    }
  })
