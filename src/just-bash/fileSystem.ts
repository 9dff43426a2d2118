/** Implements the file systems of just-bash's names: volumes of the sandbox, with methods for whole files. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { runPromise } from "../base/stderrLogs.ts"
import { hostFolder } from "../kernel/fs/HostFolder.ts"
import { overlay, readOnly } from "../kernel/fs/overlay.ts"
import type { VirtualFileSystem } from "../kernel/fs/VirtualFileSystem.ts"
import { makeFileSystem } from "../kernel/sandbox/makeFileSystem.ts"
import { SandboxFiles, toAbsolutePath } from "../kernel/sandbox/SandboxFiles.ts"
import { resolveSandboxLimits, type SandboxOptions } from "../kernel/sandbox/SandboxOptions.ts"
import { ShellSession } from "../kernel/shell/ShellSession.ts"
import { refuseOtherOptions } from "./options.ts"

class Files extends SandboxFiles {
  override readonly cwd = Effect.succeed("/")
  override readonly shell = new ShellSession()
}

/** Files in memory. Paths start at `/`; methods reject with a `SandboxError` whose reason is `FileFailed`. */
export class InMemoryFs {
  /** The file system of the kernel: its calls are synchronous and return errnos. */
  readonly fileSystem: VirtualFileSystem
  readonly #files: Files

  /** Writes initial files, and mounts volumes by their paths. Throws a `SandboxError` if that is not possible. */
  constructor(files: SandboxOptions["files"] = {}, mounts: SandboxOptions["mounts"] = {}) {
    this.fileSystem = Result.getOrThrow(
      makeFileSystem({ cwd: "/", files, mounts }, resolveSandboxLimits(""), undefined),
    )
    this.#files = new Files(this.fileSystem)
  }

  /** Reads a file as UTF-8. */
  readonly readFile = async (path: string, encoding: "utf8" | "utf-8" = "utf8"): Promise<string> => {
    if (!/^utf-?8$/.test(encoding)) refuseOtherOptions("just-bash: readFile", { encoding })
    return await runPromise(this.#files.readText(path))
  }

  /** Writes a file, text as UTF-8. Missing folders on the way are made. */
  readonly writeFile = (path: string, content: string | Uint8Array): Promise<void> =>
    runPromise(this.#files.writeFile(path, content))

  /** Whether a path exists. */
  readonly exists = (path: string): Promise<boolean> => runPromise(Effect.isSuccess(this.#files.stat(path)))

  /** Makes a folder, which may exist, and missing ones on the way. */
  readonly mkdir = (path: string, _: { recursive: true }): Promise<void> => runPromise(this.#files.makeFolder(path))

  /** Lists the names of a folder. */
  readonly readdir = async (path: string): Promise<Array<string>> =>
    (await runPromise(this.#files.list(path))).map(({ name }) => name)

  /** Removes a file, or with `recursive` a folder with everything in it; with `force` it may be missing. */
  readonly rm = async (path: string, options: { recursive?: boolean; force?: boolean } = {}): Promise<void> => {
    const removed = this.#files.remove(path, options)
    const isMissing = ({ message }: Error) => options.force === true && message.endsWith("(ENOENT)")
    await runPromise(Effect.catchIf(removed, isMissing, () => Effect.void))
  }

  /** Returns the absolute path of a path that starts at a folder. */
  readonly resolvePath = (base: string, path: string): string => toAbsolutePath(base, path)
}

/** The folder `root` of this machine, mounted and read; changes stay in memory, or with `readOnly` are refused. */
export class OverlayFs extends InMemoryFs {
  /** `mountPoint` is `/home/user/project` by default. Throws an `OptionError` for another option. */
  constructor(options: { readonly root: string; readonly mountPoint?: string; readonly readOnly?: boolean }) {
    const { mountPoint = "/home/user/project", readOnly: refuse = false, root, ...others } = options
    refuseOtherOptions("just-bash: OverlayFs", others)
    super({}, { [mountPoint]: (refuse ? readOnly : overlay)(hostFolder(root)) })
  }
}

/** The folder `root` of this machine as the whole file system: changes are written to it. */
export class ReadWriteFs extends InMemoryFs {
  /** Throws an `OptionError` for another option. */
  constructor({ root, ...others }: { readonly root: string }) {
    refuseOtherOptions("just-bash: ReadWriteFs", others)
    super({}, { "/": hostFolder(root) })
  }
}
