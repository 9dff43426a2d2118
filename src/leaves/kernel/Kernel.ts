/**
 * A process kernel inside a program: real pipelines of WASI programs and of programs in TypeScript, with a shell, pipes,
 * signals and a file system, on Deno, Bun and Node, and on the edge. Nothing of the host is in it but what
 * is mounted.
 *
 * `Sandbox` runs scripts; `KernelShell` is the same as a `Shell`, for programs that know no other.
 *
 * @module
 */
import type { Volume } from "../../kernel/fs/Node.ts"
import { hostFolder as folderOf } from "../../kernel/fs/HostFolder.ts"
import { hostFiles } from "./hostFiles.ts"

export { Errno, type ErrnoName, errnoName, errnoText } from "../../kernel/Errno.ts"
export type { Descriptors, FileSystem, OpenOptions, Resolution } from "../../kernel/FileSystem.ts"
export { type Device, devices, type DevicesOptions } from "../../kernel/fs/devices.ts"
export { memory, type MemoryOptions } from "../../kernel/fs/memory.ts"
export type { MemoryLimits } from "../../kernel/fs/MemoryVolume.ts"
export type { Mounts } from "../../kernel/fs/Mounts.ts"
export type { Folder, Node, NodeOpenOptions as NodeOpen, Volume, VolumeContext } from "../../kernel/fs/Node.ts"
export { overlay, readOnly, union } from "../../kernel/fs/overlay.ts"
export { VirtualFileSystem, type VirtualFileSystemOptions } from "../../kernel/fs/VirtualFileSystem.ts"
export * from "../../kernel/Kernel.ts"
export { type Directory, FileFlag, OpenFile, type StopWaiting, Whence } from "../../kernel/OpenFile.ts"
export * as Sandbox from "../../kernel/Sandbox.ts"
export { shellProgram, type ShellProgramOptions } from "../../kernel/shell/ShellProgram.ts"
export type { ShellLimits } from "../../kernel/shell/ShellLimits.ts"
export { ShellSession } from "../../kernel/shell/ShellSession.ts"
export { type DirectoryEntry, FileType, type Stat } from "../../kernel/Stat.ts"
export * from "../../kernel/System.ts"
export * as KernelShell from "./KernelShell.ts"

/**
 * A folder of the host as a volume: what is in it can be read and changed as far as the host lets this process; nothing
 * outside it can be reached. Wrap it in `readOnly` or `overlay` to keep it as it is.
 *
 * @throws {Error} where there is no `node:fs`: in a browser, or an edge isolate
 *
 * @example
 * ```ts
 * import { hostFolder, readOnly, Sandbox } from "@sluice/shell/kernel"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({ mounts: { "/project": readOnly(hostFolder(".")) }, cwd: "/project" })
 *   return yield* sandbox.run("ls -d src; rm -r src || echo kept")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.assert(stdout === "src\nkept\n")
 * ```
 */
export const hostFolder = (path: string): Volume => folderOf(hostFiles(), path)
