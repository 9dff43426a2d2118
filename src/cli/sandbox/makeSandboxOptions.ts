/**
 * Builds sandbox options from a request: reads programs, checks mounted folders.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { errnoText } from "../../kernel/Errno.ts"
import { makeHostFolder } from "../../kernel/fs/HostFolder.ts"
import type { HostFiles } from "../../kernel/fs/HostFiles.ts"
import type { Volume } from "../../kernel/fs/Node.ts"
import { overlay, readOnly } from "../../kernel/fs/overlay.ts"
import type { SandboxOptions } from "../../sandbox/Sandbox.ts"
import { hostFiles } from "../../kernel/fs/nodeHostFiles.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"
import type { Mount, ProgramFile, SandboxRequest } from "./SandboxRequest.ts"

/** Bytes of a page of WASM memory. */
const page = 65_536

const read = async (own: CliProcess, file: string): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = await own.openInput(file)
  try {
    const pieces: Array<Uint8Array> = []
    for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) pieces.push(piece.slice())
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    return whole
  } finally {
    reader.close()
  }
}

const programOf = (
  own: CliProcess,
  { file, name }: ProgramFile,
): Effect.Effect<readonly [string, Uint8Array<ArrayBuffer>], UsageError> =>
  Effect.tryPromise({
    try: async () => [name, await read(own, file)] as const,
    catch: (error) => new UsageError(`--program: ${error instanceof Error ? error.message : String(error)}`),
  })

const volumeOf = (files: HostFiles, mount: Mount): Effect.Effect<readonly [string, Volume], UsageError> =>
  Effect.suspend(() => {
    const real = files.realFolder(mount.folder)
    if (typeof real === "number") {
      return Effect.fail(new UsageError(`--mount: ${mount.folder}: ${errnoText(real)}`))
    }
    const folder = makeHostFolder(files, mount.folder)
    const volume = mount.mode === "ro" ? readOnly(folder) : mount.mode === "overlay" ? overlay(folder) : folder
    return Effect.succeed([mount.path ?? (real === "" ? "/" : real), volume])
  })

/** Builds the options; fails for a program or folder that cannot be read. */
export const makeSandboxOptions = (
  request: SandboxRequest,
  own: CliProcess,
): Effect.Effect<SandboxOptions, UsageError> =>
  Effect.gen(function* () {
    const { cwd, env, isolate, limits, mounts, origins } = request
    const programs = yield* Effect.forEach(request.programs, (program) => programOf(own, program))
    const files = mounts.length === 0 ? undefined : hostFiles()
    const volumes = files === undefined ? [] : yield* Effect.forEach(mounts, (mount) => volumeOf(files, mount))
    return {
      programs: Object.fromEntries(programs),
      isolate: isolate ? "worker" : "none",
      mounts: Object.fromEntries(volumes),
      env,
      cwd: cwd ?? volumes[0]?.[0],
      limits: {
        maxMemoryPages: limits.memory === undefined ? undefined : Math.max(1, Math.floor(limits.memory / page)),
        maxTotalFileBytes: limits.disk,
        maxFiles: limits.files,
        maxProcesses: limits.processes,
        maxDescriptors: limits.descriptors,
        maxPipes: limits.pipes,
      },
      ...(origins.length > 0 && { network: { origins } }),
    }
  })
